"""A compaction run's frozen inputs as records: the protocol as the run, cases as contexts, goals, questions.

Owns the mapping, and the fields of `protocol.json` that it goes by:

    {"format": "gacc-compaction", "format_version": 1,
     "id", "name", "created_at", "diagnostic_only",
     "mode": "live" or "fixture", "version": ours,
     "settings": {"methods", "ceiling", "reserve", "generations", "answers", "group_sentences", …}, as
     `runner.compaction.settings` writes them,
     "tokenizer": {"name", "revision": "sha256:…"},
     "parts": {"decider": {"name", "revision", …}, "summarizer": {…}, "answerer": {…}, "scorer": {…}},
     "prompts": {name: {"version", "sha256"}}, "hashes": {"corpus", "dataset", …},
     "data": {"origin", "license", …}, "cases": [id, …], "left_out": [{"id", "check", "reason"}],
     "altered": [id, …] (cases that are not what their row in the dataset said)}

Whatever else stands in it is kept: the whole protocol but the run's own name travels in the run's record, as
the `configuration` that a run is resumed by. Not here: contexts and results (`formats.compaction_folder`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.compaction import METHODS, PROTOCOL, Case, EvidenceFile
from gacc_gui.core.compaction_aggregate import PlannedRun
from gacc_gui.core.hotpot_records import Article, HotpotQuestion, names_sentence
from gacc_gui.core.records import NOTHING, Context, Goal, Json, Question, Run

if TYPE_CHECKING:
    from gacc_gui.formats.corpus import Corpus

FORMAT: Final = "gacc-compaction"
FORMAT_VERSION: Final = 1
CONFIGURATION: Final = "configuration"
"""Where a run's record keeps its protocol."""
_RUN_FIELDS: Final = ("id", "name", "created_at", "diagnostic_only", "tokenizer")
_HEAD: Final = ("format", "format_version")
LIVE: Final = "live"
FIXTURE: Final = "fixture"
CONTENT: Final = "content_sha256"
"""In a context's `extra`: the hash that the case's row had in the dataset."""
_COUNTS: Final[Mapping[str, tuple[int, int]]] = {
    "ceiling": (1, 10**9),
    "reserve": (0, 10**9),
    "group_sentences": (1, 10**6),
    "summary_retries": (0, 100),
    "generations": (1, 10_000),
    "answers": (1, 10_000),
}
_SHARE: Final = re.compile(r"[0-9]{1,120}(?:\.[0-9]{1,120})?|[0-9]{1,120}/[1-9][0-9]{0,119}", re.ASCII)
_RULES: Final = "fixture-"
"""What the names of parts that follow rules begin with."""
_ASKED: Final = ("decider", "summarizer", "answerer")
"""The parts that a model is, or a rule in its place."""


@dataclass(frozen=True, slots=True)
class Items:
    """What is asked: a context, a goal and a question per case, all three under the case's id."""

    contexts: tuple[Context, ...]
    goals: tuple[Goal, ...]
    questions: tuple[Question, ...]


def run_of(protocol: Mapping[str, Any]) -> Run:
    """Return the run's record of a `protocol.json`. Raises KeyError where a field above is missing."""
    parts = protocol["parts"]
    kept = {name: value for name, value in protocol.items() if name not in (*_RUN_FIELDS, *_HEAD)}
    return Run(
        id=protocol["id"],
        name=protocol["name"],
        protocol=PROTOCOL,
        created_at=protocol["created_at"],
        diagnostic_only=protocol["diagnostic_only"],
        tokenizer=dict(protocol["tokenizer"]),
        reader=dict(parts["answerer"]),
        judge=dict(parts["scorer"]),
        extra={CONFIGURATION: kept},
    )


def protocol_of(run: Run) -> dict[str, Json]:
    """Return the `protocol.json` of a run's record: `run_of`, backwards. Raises KeyError for another run."""
    own = {name: getattr(run, name) for name in _RUN_FIELDS}
    return {"format": FORMAT, "format_version": FORMAT_VERSION, **own, **run.extra[CONFIGURATION]}


def planned_of(protocol: Mapping[str, Any]) -> PlannedRun:
    """Return what a protocol plans. Raises ValueError, in words, where it does not say."""
    settings = _object(protocol, "settings")
    methods = _texts(settings, "methods")
    if unknown := [name for name in methods if name not in METHODS]:
        raise ValueError(f"there is no method {unknown[0]!r:.60}")
    counts = {name: _count(settings, name) for name in ("generations", "answers")}
    return PlannedRun(_texts(protocol, "cases"), methods, counts["generations"], counts["answers"])


def check_protocol(protocol: Mapping[str, Any]) -> None:
    """Raise ValueError, in words, where a protocol lacks what figures and checks go by, or has it wrong."""
    planned_of(protocol)
    if not isinstance(protocol.get("id"), str) or not protocol["id"]:
        raise ValueError("its id is no text")
    for name in ("settings", "tokenizer", "parts"):
        _object(protocol, name)
    for name in ("prompts", "hashes", "data"):
        if name in protocol:
            _object(protocol, name)
    settings = protocol["settings"]
    for name in _COUNTS:
        _count(settings, name)
    share = settings.get("fusion_share")
    if not isinstance(share, str) or _SHARE.fullmatch(share) is None or Fraction(share) > 1:
        raise ValueError("settings.fusion_share is no share from 0 to 1")
    if protocol.get("mode") not in (LIVE, FIXTURE):
        raise ValueError(f"its mode is neither {LIVE} nor {FIXTURE}")
    if type(protocol.get("diagnostic_only")) is not bool:
        raise ValueError("diagnostic_only is no boolean")
    if not all(isinstance(part, Mapping) for part in protocol["parts"].values()):
        raise ValueError("one of its parts is no object")
    left_out = protocol.get("left_out", [])
    if not isinstance(left_out, list) or not all(isinstance(one, Mapping) for one in left_out):
        raise ValueError("left_out is no list of objects")
    if "altered" in protocol:
        _texts(protocol, "altered")


def mode_fault(protocol: Mapping[str, Any]) -> str | None:
    """Return why a sound protocol's mode, parts and `diagnostic_only` do not agree; None where they do.

    A run whose parts are rules is diagnostic, whatever it says; one that asked models names them.
    """
    live = protocol["mode"] == LIVE
    parts = {role: part for role in _ASKED if isinstance(part := protocol["parts"].get(role), Mapping)}
    rules = [role for role, part in parts.items() if str(part.get("name", "")).startswith(_RULES)]
    if live:
        rules += [role for role, part in parts.items() if role not in rules and not part.get("model")]
    if rules and (live or not protocol["diagnostic_only"]):
        claims = "mode is live" if live else "diagnostic_only is false"
        return f"{claims}, but its {' and '.join(rules)} asked no model: such a run is diagnostic"
    if live == protocol["diagnostic_only"]:
        word = "true" if live else "false"
        return f"mode is {protocol['mode']}, but diagnostic_only is {word}"
    return None


def _object(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    if not isinstance(value.get(name), Mapping):
        raise ValueError(f"its {name} are no object" if name in value else f"there is no {name}")
    return value[name]


def _texts(value: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = value.get(name)
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
        raise ValueError(f"its {name} are no list of texts" if name in value else f"there are no {name}")
    if len(set(found)) != len(found):
        raise ValueError(f"one of its {name} stands twice")
    return tuple(found)


def _count(settings: Mapping[str, Any], name: str) -> int:
    value, (least, most) = settings.get(name), _COUNTS[name]
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"settings.{name} is no whole number from {least:,} to {most:,}")
    return value


def items_of(corpus: Corpus) -> Items:
    """Return the records of a corpus's sound cases, in its order; the others are not evaluated."""
    sound = corpus.sound_cases
    return Items(
        tuple(_context(case, corpus) for case in sound),
        tuple(Goal(case.id, case.id, case.task) for case in sound),
        tuple(_question(case) for case in sound),
    )


def _context(case: Case, corpus: Corpus) -> Context:
    from gacc_gui.formats.corpus import content_sha256

    return Context(
        case.id,
        case.source,
        title=case.question,
        origin=corpus.origin,
        license=corpus.license,
        extra={
            "files": [
                {"path": file.path, "title": file.title, "sentences": list(file.sentences)}
                for file in case.files
            ],
            "checks": [{"name": one.name, "ok": one.ok, "found": one.found} for one in case.checks],
            CONTENT: corpus.content_sha256.get(case.id) or content_sha256(case),
        },
    )


def _question(case: Case) -> Question:
    spans = tuple({"start": start, "end": end} for start, end in evidence_spans(case))
    return Question(
        case.id,
        case.id,
        case.question,
        references=case.gold.answers,
        evidence=spans or None,
        extra={
            "type": case.kind,
            "level": case.level,
            "gold": {"answer": case.gold.answers[0], "supporting_facts": list(map(_listed, case.gold.facts))},
        },
    )


def row_sha256(question: Question, files: Sequence[EvidenceFile]) -> str:
    """Return the hash of the dataset's row that a question with its gold and its articles would come from.

    Raises KeyError, TypeError or ValueError where the question's record is none of ours.
    """
    gold = question.extra["gold"]
    return HotpotQuestion(
        question.id,
        question.text,
        gold["answer"],
        question.extra["type"],
        question.extra["level"],
        tuple(gold["supporting_facts"]),
        tuple(Article(file.title, file.sentences) for file in files),
    ).content_sha256()


def _listed(fact: Json) -> Json:
    return list(fact) if isinstance(fact, tuple) else fact


def evidence_spans(case: Case) -> Iterator[tuple[int, int]]:
    """Yield where each gold sentence stands in `case.source`: see `spans_of`."""
    return spans_of(case.files, case.gold.facts)


def spans_of(files: Sequence[EvidenceFile], facts: Iterable[Json]) -> Iterator[tuple[int, int]]:
    """Yield where each supporting fact's sentence stands in the source, without its id, each once, in order.

    A fact that names no sentence, or an empty one, has none.
    """
    starts: dict[str, tuple[int, EvidenceFile]] = {}
    at = 0
    for file in files:
        starts.setdefault(file.title, (at, file))
        at += len(file.text) + 1
    seen: set[tuple[int, int]] = set()
    for fact in facts:
        if not names_sentence(fact) or fact[0] not in starts:
            continue
        start, file = starts[fact[0]]
        if not 0 <= fact[1] < len(file.sentences):
            continue
        span = _sentence_span(file, fact[1], start)
        if span[0] < span[1] and span not in seen:
            seen.add(span)
            yield span


def _sentence_span(file: EvidenceFile, number: int, start: int) -> tuple[int, int]:
    # A heading and a sentence are one line each, so that lines can be counted.
    lines = file.text.split("\n")
    line = start + sum(len(one) + 1 for one in lines[: number + 1])
    end = line + len(lines[number + 1])
    return end - len(file.sentence(number)), end


def compaction_of(extra: Mapping[str, Json]) -> Mapping[str, Any]:
    """Return the particulars of a memory's context as sent; empty where it has none."""
    value = extra.get("compaction")
    return value if isinstance(value, Mapping) else NOTHING
