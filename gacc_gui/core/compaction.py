"""The compaction benchmark's own shapes: cases with their histories, sentence groups, and contexts as sent.

Owns the four methods, the division of evidence into groups, and the JSON form in which a context's and an
answer's particulars travel (in a memory's and a verdict's `extra`, in `contexts.jsonl`, in `results.json`).
Pure. Not here: how a context is made (`runner.compaction`), how answers are read (`core.answer_reading`),
what they come to (`core.compaction_aggregate`), how the JSON is read (`core.compaction_values`), and the run
folder (`formats.compaction_folder`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from gacc_gui.core.hotpot_records import Gold
from gacc_gui.core.records import Json

PROTOCOL: Final = "compaction"
"""The `protocol` of a run's record."""

FULL: Final = "full"
JEV: Final = "jev"
SUMMARY: Final = "summary"
FUSION: Final = "jev+summary"
METHODS: Final = (FULL, JEV, SUMMARY, FUSION)

SCORES: Final = ("em", "f1", "sp_em", "sp_f1", "joint_em", "joint_f1")
"""What an answer is scored by, in the order they are shown. All from 0 to 1."""

RESULT_STATUSES: Final = (
    "ok",
    "unparsed",
    "refused",
    "truncated",
    "no_answer",
    "error",
    "invalid",
    "no_context",
)
"""`invalid`: the provider counted more input than the ceiling; `no_context`: the context could not be made.

All but `ok` score zero and stay in the denominator.
"""
NO_SCORES: Final[Mapping[str, float]] = MappingProxyType(dict.fromkeys(SCORES, 0.0))
"""What everything but `ok` scores."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """One article as the agent finds it in its workspace: one heading line, one line a sentence."""

    path: str
    """Its name in the workspace, such as `evidence-01.txt`."""
    title: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """The file's content. A sentence is one line, `[id] text`; its white space is folded."""
        lines = [f"# {_line(self.title)}", *map(self.sentence_line, range(len(self.sentences)))]
        return "\n".join(lines) + "\n"

    @property
    def sha256(self) -> str:
        """The hash of the content's UTF-8 form, lower-case hexadecimal."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    def sentence(self, number: int) -> str:
        """Return a sentence as it stands in the file, without its id."""
        return _line(self.sentences[number])

    def sentence_line(self, number: int) -> str:
        """Return a sentence's line in the file."""
        return f"[{number}] {self.sentence(number)}"

    def as_json(self) -> dict[str, Json]:
        """Return the file for `corpus.json`."""
        return {
            "path": self.path,
            "title": self.title,
            "sentences": list(self.sentences),
            "text": self.text,
            "sha256": self.sha256,
        }


@dataclass(frozen=True, slots=True)
class CollectionCheck:
    """A check of a case's collection and its outcome; `found` says what was seen, in a sentence."""

    name: str
    ok: bool
    found: str


@dataclass(frozen=True, slots=True)
class Case:
    """A question with the history of an agent that read its evidence.

    `trajectory` are the public chat messages: system, the user's request, tool calls with their results, and
    nothing after the last result. `kind` is bridge or comparison.
    """

    id: str
    question: str
    kind: str
    level: str | None
    gold: Gold
    files: tuple[EvidenceFile, ...]
    trajectory: tuple[Mapping[str, Json], ...]
    checks: tuple[CollectionCheck, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether its collection was checked and passed every check; only such cases are evaluated."""
        return bool(self.checks) and all(check.ok for check in self.checks)

    @property
    def system(self) -> str:
        """The history's system prompt; empty where there is none."""
        return self._first("system")

    @property
    def task(self) -> str:
        """The user's request as the history states it."""
        return self._first("user")

    @property
    def source(self) -> str:
        """All evidence in the order of the files, a blank line between: what `Context.text` holds."""
        return "\n".join(file.text for file in self.files)

    def _first(self, role: str) -> str:
        for message in self.trajectory:
            if message.get("role") == role and isinstance(content := message.get("content"), str):
                return content
        return ""


@dataclass(frozen=True, slots=True)
class Group:
    """Some sentences of one file that follow one another: the unit that a method keeps or drops whole."""

    id: str
    """`file:first-last`, from 0: `3:0-2`."""
    file: int
    first: int
    last: int
    """The last sentence, included."""
    text: str
    """Its lines, without the file's heading."""


def groups_of(files: Sequence[EvidenceFile], sentences: int) -> tuple[Group, ...]:
    """Divide evidence into groups of at most `sentences` sentences, in the original order."""
    return tuple(_groups(files, sentences))


def _groups(files: Sequence[EvidenceFile], sentences: int) -> Iterator[Group]:
    for place, file in enumerate(files):
        for first in range(0, len(file.sentences), sentences):
            last = min(first + sentences, len(file.sentences)) - 1
            lines = "\n".join(map(file.sentence_line, range(first, last + 1)))
            yield Group(f"{place}:{first}-{last}", place, first, last, lines)


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """The tokens of one complete answer input, all by the local tokenizer but `provider`.

    `space` is what the evidence may take: ceiling − reserve − fixed (None for `full`, which has no ceiling).
    `provider` is the service's own count of the answer call, None until it has told one.
    """

    ceiling: int
    reserve: int
    fixed: int
    """The input without any evidence: system, task, question, framing."""
    space: int | None
    local: int
    """The whole input."""
    provider: int | None = None


@dataclass(frozen=True, slots=True)
class SentContext:
    """What a method made of a history: the messages as they are sent, and what became of each group."""

    method: str
    messages: tuple[Mapping[str, str], ...]
    """`role` and `content`, in order: the complete answer input."""
    kept: tuple[str, ...]
    """Ids of the groups that stand in it whole, in the original order."""
    dropped: tuple[str, ...]
    summary: str | None
    ranking: tuple[tuple[str, float], ...]
    """Groups with their scores, most useful first; empty where nothing was ranked."""
    tokens: TokenCounts
    retries: int = 0
    """How often a summary was asked for again because it was too long."""

    def as_json(self) -> dict[str, Any]:
        """Return the context as JSON; `compaction_values.context_from` reads it back."""
        tokens = self.tokens
        return {
            "method": self.method,
            "messages": [dict(message) for message in self.messages],
            "kept": list(self.kept),
            "dropped": list(self.dropped),
            "summary": self.summary,
            "ranking": [list(pair) for pair in self.ranking],
            "tokens": {name: getattr(tokens, name) for name in TokenCounts.__dataclass_fields__},
            "retries": self.retries,
        }


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """What an answer came to: the particulars in a verdict's `extra`.

    `status`: see RESULT_STATUSES; `scores` as in SCORES, all zero unless it is ok. `predicted` is what was
    read of the reply, `{"answer", "supporting_facts"}`, None where it could not be read.
    """

    status: str
    scores: Mapping[str, float] = field(default_factory=lambda: NO_SCORES)
    predicted: Mapping[str, Json] | None = None
    provider_input_tokens: int | None = None

    @property
    def is_valid(self) -> bool:
        """Whether its scores count."""
        return self.status == "ok"

    def as_json(self) -> dict[str, Json]:
        """Return the result as JSON; `compaction_values.result_from` reads it back.

        The status is called `result`: a verdict, into whose object all this is written, has one of its own.
        Both parts of what was predicted are null where nothing was read.
        """
        return {
            "scores": dict(self.scores),
            "predicted": dict(self.predicted or {"answer": None, "supporting_facts": None}),
            "valid": self.is_valid,
            "result": self.status,
            "provider_input_tokens": self.provider_input_tokens,
        }


def raw_titles(files: Iterable[EvidenceFile]) -> dict[str, str]:
    """Return each title that is shown otherwise than it is written, as it is shown → as it is written.

    A heading is one line, its white space folded, and gold names titles as they are written. What would be
    shown for two articles stands for neither.
    """
    written = [file.title for file in files]
    shown = [_SURROGATE.sub("\ufffd", _line(title)) for title in written]
    taken = {*written}
    return {
        one: title
        for one, title in zip(shown, written, strict=True)
        if one != title and one not in taken and shown.count(one) == 1
    }


def facts_as_written(facts: Iterable[Json], files: Iterable[EvidenceFile]) -> list[Json]:
    """Return predicted facts with each title that a case shows as the title that it is written as."""
    titles = raw_titles(files)
    if not titles:
        return list(facts)
    return [
        [titles.get(fact[0], fact[0]), *fact[1:]]
        if isinstance(fact, list | tuple) and fact and isinstance(fact[0], str)
        else fact
        for fact in facts
    ]


def _line(text: str) -> str:
    return " ".join(text.split())
