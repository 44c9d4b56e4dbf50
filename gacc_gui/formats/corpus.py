"""The frozen corpus of the compaction benchmark: `corpus.json`.

Owns its shape, what makes one unusable, and its hashes. A case:

    {"id", "question", "type", "level", "content_sha256", "source_sha256", "trajectory_sha256",
     "gold": {"answer", "supporting_facts": [[title, i], …]},
     "files": [{"path", "title", "sentences": […], "text", "sha256"}, …],
     "trajectory": [{"role", "content", "tool_calls"?, "tool_call_id"?}, …],
     "checks": [{"name", "ok", "found"}, …]}

The hashes of files, source and trajectory must hold, or the file is refused, and so it is where the user's
request does not ask the question, or a supporting fact is no [title, sentence id]. `content_sha256` is that
of the question's row in the dataset; a case that no longer has it is read, and `Corpus.altered` names it.
It holds no time, no host and no path of a machine. Not here: how a case is collected (`runner.collection`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from gacc_gui.core.compaction import Case, CollectionCheck, EvidenceFile
from gacc_gui.core.errors import BadInput
from gacc_gui.core.hotpot_records import Article, Gold, HotpotQuestion, names_sentence
from gacc_gui.core.hotpot_selection import KINDS
from gacc_gui.core.records import Json
from gacc_gui.formats.json_values import BadJson, careful, dumps
from gacc_gui.formats.lines import ByteSource

FORMAT: Final = "gacc-compaction-corpus"
VERSION: Final = 1
ORIGIN: Final = "hotpotqa"
LICENSE: Final = "CC BY-SA 4.0"
MODES: Final = ("live", "scripted")
ROLES: Final = ("system", "user", "assistant", "tool")

_T = TypeVar("_T", str, int, list, dict)


@dataclass(frozen=True, slots=True)
class CorpusProvenance:
    """Where a corpus comes from.

    `agent` is who read the files: `hermes-agent`, or our own loop, which its name says. `model` is who asked
    for the reads; for a scripted collection nobody, and None.
    """

    dataset_sha256: str
    selection_seed: int
    agent: str
    agent_version: str
    mode: str
    """`live` or `scripted`."""
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """Cases in the order of their selection, those that failed a check included."""

    cases: tuple[Case, ...]
    provenance: CorpusProvenance
    origin: str = ORIGIN
    license: str = LICENSE
    content_sha256: Mapping[str, str] = field(default_factory=dict)
    """By case id the hash of its row in the dataset; for a case that is not in it, what it has now."""

    @property
    def sound_cases(self) -> tuple[Case, ...]:
        """The cases that passed every check of their collection: those that are evaluated."""
        return tuple(case for case in self.cases if case.is_sound)

    @property
    def sha256(self) -> str:
        """The hash of its file (`corpus_text` in UTF-8), lower-case hexadecimal."""
        return _sha256(corpus_text(self))

    def altered(self) -> tuple[str, ...]:
        """Return the ids of cases that are not what their row in the dataset said."""
        recorded = self.content_sha256
        return tuple(case.id for case in self.cases if recorded.get(case.id, now := _content(case)) != now)


def corpus_text(corpus: Corpus) -> str:
    """Return the file's text: the same for the same corpus, on any machine."""
    head = {
        "format": FORMAT,
        "format_version": VERSION,
        "origin": corpus.origin,
        "license": corpus.license,
        "provenance": asdict(corpus.provenance),
    }
    lines = ",\n".join(f"{dumps(name)}: {dumps(value)}" for name, value in head.items())
    cases = ",\n".join(dumps(_case_json(case, corpus.content_sha256.get(case.id))) for case in corpus.cases)
    return f'{{{lines},\n"cases": [\n{cases}\n]}}\n'


def read_corpus(path: Path) -> Corpus:
    """Read a corpus. Raises BadInput, naming the file, the case and the reason, where it cannot be used."""
    with ByteSource(path) as source:
        data = source.read_all()
    try:
        value, repaired = careful(data)
    except BadJson as error:
        raise BadInput(error.reason, path=str(path)) from error
    record: str | None = None
    try:
        if repaired:
            raise _Bad(repaired[0])
        document = _document(value)
        provenance = _provenance(document)
        cases: dict[str, Case] = {}
        contents: dict[str, str] = {}
        for number, item in enumerate(_field(document, "cases", list), start=1):
            record = f"case {number}"
            if not isinstance(item, dict):
                raise _Bad("it is no object")
            id = _text(item, "id")
            record = f"case {number} ({id:.80})"
            if id in cases:
                raise _Bad("an earlier case has the same id")
            cases[id] = _case(id, item)
            contents[id] = _field(item, "content_sha256", str)
        record = None
        if not cases:
            raise _Bad("there is no case")
        origin, license = _field(document, "origin", str), _field(document, "license", str)
    except _Bad as error:
        raise BadInput(str(error), path=str(path), record=record) from None
    return Corpus(tuple(cases.values()), provenance, origin, license, contents)


def content_sha256(case: Case) -> str:
    """Return the hash of the dataset's row that the case would come from."""
    return _content(case)


class _Bad(Exception):
    """Why a corpus cannot be used, in words."""


def _content(case: Case) -> str:
    return HotpotQuestion(
        case.id,
        case.question,
        case.gold.answers[0],
        case.kind,
        case.level,
        case.gold.facts,
        tuple(Article(file.title, file.sentences) for file in case.files),
    ).content_sha256()


def _case_json(case: Case, content: str | None) -> dict[str, Json]:
    return {
        "id": case.id,
        "question": case.question,
        "type": case.kind,
        "level": case.level,
        "content_sha256": _content(case) if content is None else content,
        "source_sha256": _sha256(case.source),
        "trajectory_sha256": _sha256(dumps(case.trajectory)),
        "gold": {"answer": case.gold.answers[0], "supporting_facts": case.gold.facts},
        "files": [file.as_json() for file in case.files],
        "trajectory": case.trajectory,
        "checks": [asdict(check) for check in case.checks],
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _document(value: Json) -> Mapping[str, Json]:
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise _Bad(f'it is no corpus: an object with "format": "{FORMAT}" is needed')
    version = value.get("format_version")
    if type(version) is not int or version != VERSION:
        raise _Bad(f"its format_version is {version!r:.40}; this program reads {VERSION}")
    return value


def _provenance(document: Mapping[str, Json]) -> CorpusProvenance:
    value = _field(document, "provenance", dict)
    mode = _field(value, "mode", str)
    if mode not in MODES:
        raise _Bad(f"its mode is {mode!r:.40}, and none of {', '.join(MODES)}")
    model = value.get("model")
    return CorpusProvenance(
        dataset_sha256=_field(value, "dataset_sha256", str),
        selection_seed=_field(value, "selection_seed", int),
        agent=_text(value, "agent"),
        agent_version=_field(value, "agent_version", str),
        mode=mode,
        model=None if model is None else _text(value, "model"),
    )


def _case(id: str, item: Mapping[str, Json]) -> Case:
    kind = _field(item, "type", str)
    if kind not in KINDS:
        raise _Bad(f"its type is {kind!r:.40}, and none of {', '.join(KINDS)}")
    case = Case(
        id=id,
        question=_text(item, "question"),
        kind=kind,
        level=None if item.get("level") is None else _field(item, "level", str),
        gold=_gold(id, _field(item, "gold", dict)),
        files=_files(_field(item, "files", list)),
        trajectory=tuple(_messages(_field(item, "trajectory", list))),
        checks=tuple(_checks(_field(item, "checks", list))),
    )
    hashes = (
        ("source_sha256", "the evidence files", case.source),
        ("trajectory_sha256", "the trajectory", dumps(case.trajectory)),
    )
    for name, what, text in hashes:
        if _field(item, name, str) != _sha256(text):
            raise _Bad(f"{what} changed: the SHA-256 is not its {name}")
    if case.is_sound:
        if not case.system or not case.task:
            raise _Bad("its trajectory has no system prompt and user's request, though its checks all hold")
        if " ".join(case.question.split()) not in " ".join(case.task.split()):
            raise _Bad("its question is not the one that the user's request in its trajectory asks")
        if case.trajectory[-1]["role"] != "tool":
            raise _Bad("its trajectory does not end with a tool's result, though its checks all hold")
    return case


def _gold(id: str, value: Mapping[str, Json]) -> Gold:
    facts = _field(value, "supporting_facts", list)
    for number, fact in enumerate(facts, start=1):
        if not names_sentence(fact):
            raise _Bad(f"its supporting fact {number} is no title with a sentence's whole number")
    return Gold(id, (_field(value, "answer", str),), tuple(map(tuple, facts)))


def _files(values: Sequence[Json]) -> tuple[EvidenceFile, ...]:
    files: list[EvidenceFile] = []
    for value in values:
        if not isinstance(value, dict):
            raise _Bad("one of its files is no object")
        path = _text(value, "path")
        sentences = _field(value, "sentences", list)
        if not all(isinstance(sentence, str) for sentence in sentences):
            raise _Bad(f"a sentence of {path:.80} is no text")
        file = EvidenceFile(path, _text(value, "title"), tuple(sentences))
        if "/" in path or "\\" in path or path.startswith("."):
            raise _Bad(f"the file {path!r:.80} is not named simply")
        if any(file.path == other.path or file.title == other.title for other in files):
            raise _Bad(f"the path or the title of {path:.80} is that of an earlier file")
        if _field(value, "text", str) != file.text or _field(value, "sha256", str) != file.sha256:
            raise _Bad(f"{path:.80} changed: text, sentences and SHA-256 do not agree")
        files.append(file)
    if not files:
        raise _Bad("it has no evidence file")
    return tuple(files)


def _messages(values: Sequence[Json]) -> Iterator[Mapping[str, Json]]:
    for number, message in enumerate(values, start=1):
        fault = message_fault(message)
        if fault is not None:
            raise _Bad(f"message {number} of its trajectory: {fault}")
        yield message


def message_fault(message: Json) -> str | None:
    """Return why a value is no public chat message, in words; None where it is one."""
    if not isinstance(message, dict) or message.get("role") not in ROLES:
        return f"its role is none of {', '.join(ROLES)}"
    role, content, calls = message["role"], message.get("content"), message.get("tool_calls")
    if unknown := set(message) - {"role", "content", "tool_calls", "tool_call_id"}:
        return f"the field {min(unknown)!r:.80} is not public"
    if not isinstance(content, str) and not (content is None and calls):
        return "its content is no text"
    if ("tool_calls" in message and role != "assistant") or ("tool_call_id" in message) != (role == "tool"):
        return f"calls and their ids do not go with the role {role}"
    if role == "tool" and not isinstance(message["tool_call_id"], str):
        return "its tool_call_id is no text"
    if "tool_calls" in message and not (isinstance(calls, list) and all(map(_is_call, calls))):
        return "a tool call is no id with a function's name and arguments"
    return None


def _is_call(value: Json) -> bool:
    function = value.get("function") if isinstance(value, dict) else None
    return (
        isinstance(function, dict)
        and isinstance(value.get("id"), str)
        and all(isinstance(function.get(name), str) for name in ("name", "arguments"))
    )


def _checks(values: Sequence[Json]) -> Iterator[CollectionCheck]:
    for value in values:
        if not isinstance(value, dict) or type(value.get("ok")) is not bool:
            raise _Bad("a check of its collection is no name with an outcome")
        yield CollectionCheck(_text(value, "name"), value["ok"], _field(value, "found", str))


def _field(value: Mapping[str, Any], name: str, kind: type[_T]) -> _T:
    found = value.get(name)
    if type(found) is not kind:  # a boolean is no whole number here
        word = {str: "text", int: "whole number", list: "list", dict: "object"}[kind]
        raise _Bad(f"its {name} is no {word}" if name in value else f"there is no {name}")
    return found


def _text(value: Mapping[str, Any], name: str) -> str:
    text = _field(value, name, str)
    if not text.strip():
        raise _Bad(f"its {name} is empty")
    return text
