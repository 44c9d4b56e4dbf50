"""Faults of the items themselves: what would make a question unfair whatever the compressor did.

Owns the rules, and which records of a file or a run they look at. Not here: whether a run's figures are right
(`app.verifying`). Texts are compared folded, as everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gacc_gui.core.conditions import shown_goal_fault
from gacc_gui.core.errors import BadInput
from gacc_gui.core.evidence import Haystack
from gacc_gui.core.folding import fold
from gacc_gui.core.records import Context, Goal, Json, Memory, Question, Record, Run

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

_NO_QUOTE: Final = ("yes", "no")
_EXCERPT: Final = 60
_ITEMS: Final = (Run, Context, Goal, Question, Memory)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `record` and `id` say of what: `question`, `q1`; for an unreadable line: `line`, `7`."""

    kind: str
    record: str
    id: str
    message: str
    file: str | None = None
    """The file it is in, where several were looked at."""

    @property
    def where(self) -> str:
        """The place in words."""
        place = f"{self.record} {self.id}"
        return f"{self.file}: {place}" if self.file and self.record != "file" else place

    @property
    def goal_id(self) -> str | None:
        """The goal it is about."""
        return self.id if self.record == "goal" else None

    @property
    def question_id(self) -> str | None:
        """The question it is about."""
        return self.id if self.record == "question" else None


@dataclass(frozen=True, slots=True)
class Linting:
    """What was found. `counts`: faults by kind; `items`: how many records were looked at, by kind."""

    faults: tuple[Fault, ...]
    items: Mapping[str, int]

    @property
    def counts(self) -> dict[str, int]:
        """Faults by kind, sorted by name."""
        return dict(sorted(Counter(fault.kind for fault in self.faults).items()))


def lint_path(path: Path) -> Linting:
    """Check a dataset or run file, or every one of a folder.

    Raises BadInput where a file cannot be used; among several, that is a fault like others.
    """
    from gacc_gui.formats.gacc_run import run_files

    files = run_files(path)
    faults: list[Fault] = []
    items: Counter[str] = Counter()
    for file in files:
        found = _Items()
        try:
            _read(file, found)
        except BadInput as error:
            if len(files) == 1:
                raise
            reason = f"{error.record}: {error.reason}" if error.record else error.reason
            found.faults.append(Fault("unreadable", "file", file.name, reason))
        faults += (replace(fault, file=file.name if len(files) > 1 else None) for fault in found.check())
        items.update(found.counts())
    return Linting(tuple(faults), items)


def lint_run(reader: Reader, run_id: str) -> Linting:
    """Check the items of a run in the database."""
    # Answers, of which there may be hundreds of thousands, and what follows them have nothing of the items.
    return lint_records(takewhile(lambda record: isinstance(record, _ITEMS), reader.records(run_id)))


def lint_records(records: Iterable[object]) -> Linting:
    """Check items at hand: contexts, goals, questions and what memories were shown, in any order."""
    found = _Items()
    for record in records:
        found.take(record)
    return Linting(tuple(found.check()), found.counts())


def _read(file: Path, found: _Items) -> None:
    from gacc_gui.formats.gacc_run import RunFile
    from gacc_gui.formats.items import Parsed

    with RunFile(file, datasets=True) as records:
        for item in records:
            if isinstance(item, Parsed):
                found.take(item.record)
            else:
                line = "?" if item.line is None else str(item.line)
                found.faults.append(Fault("unreadable", "line", line, item.reason))


@dataclass(slots=True)
class _Items:
    contexts: list[Context] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    """Without their texts."""
    _seen: dict[tuple[str, str], tuple[Record, int]] = field(default_factory=dict)
    _part: int = 0

    def take(self, record: object) -> None:
        """Keep an item; any other record has nothing to look at."""
        if isinstance(record, Run):
            self._part += 1
        elif isinstance(record, Context):
            if self._is_new(record):
                self.contexts.append(record)
        elif isinstance(record, Goal):
            if self._is_new(record):
                self.goals.append(record)
        elif isinstance(record, Question):
            if self._is_new(record):
                self.questions.append(record)
        elif isinstance(record, Memory):
            memory = replace(record, proposed_text=None, retained_text=None)
            if self._is_new(memory):
                self.memories.append(memory)

    def _is_new(self, record: Context | Goal | Question | Memory) -> bool:
        """Whether the id is free; two records with one id are a fault."""
        kind = type(record).__name__.lower()
        if (kind, record.id) not in self._seen:
            self._seen[kind, record.id] = (record, self._part)
            return True
        first, part = self._seen[kind, record.id]
        if first != record or part == self._part:  # else shards of a run, one behind the other
            message = f"another {kind} has this id" if first != record else f"this {kind} is there twice"
            self.faults.append(Fault("duplicate-id", kind, record.id, message))
        return False

    def counts(self) -> Counter[str]:
        return Counter(context=len(self.contexts), goal=len(self.goals), question=len(self.questions))

    def check(self) -> Iterator[Fault]:
        yield from self.faults
        context_of = {goal.id: goal.context_id for goal in self.goals}
        known = {context.id for context in self.contexts}
        yield from self._empty_and_duplicate(context_of)
        asked = {question.goal_id for question in self.questions}
        for goal in self.goals:
            if goal.context_id not in known:
                yield Fault("unknown-context", "goal", goal.id, f"there is no context {goal.context_id}")
            if goal.id not in asked:
                yield Fault("goal-without-questions", "goal", goal.id, "no question belongs to it")
        by_context: dict[str, list[Question]] = {}
        for question in self.questions:
            context_id = context_of.get(question.goal_id)
            if context_id is None:
                yield Fault("unknown-goal", "question", question.id, f"there is no goal {question.goal_id}")
            else:
                by_context.setdefault(context_id, []).append(question)
        for context in self.contexts:
            source = Haystack(context.text)
            for question in by_context.get(context.id, ()):
                yield from _question_faults(question, source)
        for memory in self.memories:
            fault = shown_goal_fault(memory, context_of)
            if fault is not None:
                yield Fault("shown-goal-contradicts-condition", "memory", memory.id, fault)

    def _empty_and_duplicate(self, context_of: Mapping[str, str]) -> Iterator[Fault]:
        # The same words may be asked of two sources; of one, they are asked twice.
        texts = (
            *(("context", context.id, "", context.text) for context in self.contexts),
            *(("goal", goal.id, goal.context_id, goal.text) for goal in self.goals),
            *(
                ("question", question.id, context_of.get(question.goal_id, ""), question.text)
                for question in self.questions
            ),
        )
        first: dict[tuple[str, str, str], str] = {}
        for record, id_, scope, text in texts:
            folded = fold(text).strip()
            if not folded:
                yield Fault("empty-text", record, id_, "its text is empty")
                continue
            earlier = first.setdefault((record, scope, folded), id_)
            if earlier != id_:
                yield Fault(f"duplicate-{record}", record, id_, f"the same text as {record} {earlier}")


def _question_faults(question: Question, source: Haystack) -> Iterator[Fault]:
    references = question.references or ()
    if not references and not question.evidence:
        message = "nothing says what its answer is or where it stands"
        yield Fault("question-without-references-or-evidence", "question", question.id, message)
    for item in question.evidence or ():
        fault = _evidence_fault(item, source)
        if fault is not None:
            yield Fault(fault[0], "question", question.id, fault[1])
    telling = [reference for reference in references if fold(reference).strip()]
    if len(telling) < len(references):
        yield Fault("empty-text", "question", question.id, "one of its references is empty")
    quotable = [reference for reference in telling if fold(reference).strip(" .!") not in _NO_QUOTE]
    # Several references are spellings of one answer: one of them in the source is enough.
    if quotable and len(quotable) == len(telling) and not any(_stands_in(source, text) for text in quotable):
        inside = [text for text in quotable if source.contains(text, fold(text))]
        place = "in the source only inside longer words" if inside else "not in the source"
        message = f"{place}: " + "; ".join(_excerpt(text) for text in inside or quotable)
        yield Fault("reference-not-in-source", "question", question.id, message)


def _evidence_fault(item: Json, source: Haystack) -> tuple[str, str] | None:
    if not hasattr(item, "get"):
        return "evidence-malformed", "an evidence is neither a span nor a quote"
    start, end, quote = item.get("start"), item.get("end"), item.get("quote")
    if start is not None or end is not None:
        if type(start) is not int or type(end) is not int:
            return "evidence-malformed", f"a span from {start!r:.40} to {end!r:.40}"
        length = len(source.text)
        if not 0 <= start < end <= length:
            empty = 0 <= start == end <= length
            reason = "is empty" if empty else f"is outside the source of {length} characters"
            return "span-out-of-range", f"the span from {start} to {end} {reason}"
        if isinstance(quote, str) and fold(source.text[start:end]).strip() != fold(quote).strip():
            return "quote-differs-from-span", f"the span from {start} to {end} is not: {_excerpt(quote)}"
        return None
    if not isinstance(quote, str):
        return "evidence-malformed", "an evidence is neither a span nor a quote"
    if not quote.strip():
        return "empty-text", "a quote is empty"
    if not source.contains(quote, fold(quote)):
        return "quote-not-in-source", f"not in the source: {_excerpt(quote)}"
    return None


def _stands_in(source: Haystack, text: str) -> bool:
    return any(True for _ in source.at_words(text, fold(text)))


def _excerpt(text: str) -> str:
    return text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…"
