"""A memory under all its questions: the rows of FORMATS.md, with fate, cause, flags and label.

Owns the walk over memories; the rules are in `core.evidence` and `core.causes`. Made for 60,000 memories at
a stretch: whatever depends on the source alone is found once per `Source`, texts are folded once or never.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gacc_gui.core.causes import (
    BOUNDARY_UNKNOWN,
    COMPRESSOR,
    CORRECT,
    UNCERTAIN,
    UNSUPPORTED,
    UNSUPPORTED_FATES,
    cause_of,
    counting_label,
    normal_answer,
)
from gacc_gui.core.evidence import Haystack, MemoryTexts, Pieces, Span, pieces_of, question_fate
from gacc_gui.core.records import Answer, Memory, Question, Verdict
from gacc_gui.core.verbatim import SentenceIndex

NOT_JUDGED = "not_judged"


@dataclass(frozen=True, slots=True)
class RowResult:
    """One question under one memory and repeat. `label` is the one that counts; `status` the verdict's."""

    memory_id: str
    question_id: str
    repeat: int
    fate: str
    cause: str
    flags: tuple[str, ...]
    label: str | None
    status: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a row comes to, without its key."""

    fate: str
    cause: str
    flags: tuple[str, ...]
    label: str | None
    status: str


@dataclass(frozen=True, slots=True)
class PieceSpans:
    """A piece with every place it is at, for marking it."""

    text: str
    fate: str
    source: tuple[Span, ...]
    proposal: tuple[Span, ...]
    retained: tuple[Span, ...]
    """In the retained text where that is no prefix of the proposal; else empty (use `proposal`)."""


class Source:
    """A context's text with all that is found in it once: pieces per question, its sentences."""

    __slots__ = ("_pieces", "_sentences", "haystack")

    def __init__(self, text: str) -> None:
        self.haystack = Haystack(text)
        self._pieces: dict[str, Pieces] = {}
        self._sentences: SentenceIndex | None = None

    def pieces(self, question: Question) -> Pieces:
        """Return the pieces of a question of this context; found once per question id."""
        pieces = self._pieces.get(question.id)
        if pieces is None:
            pieces = self._pieces[question.id] = pieces_of(question, self.haystack)
        return pieces

    @property
    def sentences(self) -> SentenceIndex:
        """The source, ready for being asked whether a sentence is in it."""
        if self._sentences is None:
            self._sentences = SentenceIndex(self.haystack)
        return self._sentences


class MemoryAnalysis:
    """A memory's texts against its source. Fates are found when a question first asks."""

    __slots__ = ("_budget", "_fates", "_paraphrase", "_source", "_status", "texts")

    def __init__(
        self, source: Source, proposed: str | None, retained: str | None, budget: int | None, status: str
    ) -> None:
        self.texts = MemoryTexts(proposed, retained)
        self._source = source
        self._budget = budget
        self._status = status
        self._fates: dict[str, str] = {}
        self._paraphrase: bool | None = None

    def fate(self, question: Question) -> str:
        """Return the fate of a question's evidence; the same for all repeats."""
        fate = self._fates.get(question.id)
        if fate is None:
            pieces = self._source.pieces(question)
            fate = question_fate(pieces, map(self.texts.fate, pieces.pieces))
            self._fates[question.id] = fate
        return fate

    def outcome(
        self,
        question: Question,
        answer_status: str | None,
        answer_text: str | None,
        verdict_status: str | None,
        label: str | None,
    ) -> Outcome:
        """Return what a row comes to. A status of None: there is no such record."""
        return Outcome(*self._outcome(question, answer_status, answer_text, verdict_status, label))

    def _outcome(
        self,
        question: Question,
        answer_status: str | None,
        answer_text: str | None,
        verdict_status: str | None,
        label: str | None,
    ) -> tuple[str, str, tuple[str, ...], str | None, str]:
        fate = self.fate(question)
        counts = counting_label(label, verdict_status, answer_status, self._status)
        equal = False
        if counts == "incorrect" and answer_text:
            equal = normal_answer(answer_text) in self._source.pieces(question).expected
        cause = cause_of(counts, fate, equals_reference=equal, budget=self._budget)
        flags = () if self.texts.boundary_known else (BOUNDARY_UNKNOWN,)
        if cause == CORRECT:
            if fate in UNSUPPORTED_FATES:
                flags = (UNSUPPORTED, *flags)
        elif cause == COMPRESSOR and self._is_paraphrase():
            flags = (UNCERTAIN, *flags)
        return fate, cause, flags, counts, verdict_status or NOT_JUDGED

    def _is_paraphrase(self) -> bool:
        if self._paraphrase is None:
            self._paraphrase = self._source.sentences.mostly_missing(self.texts.proposal)
        return self._paraphrase


def analyse_memory(
    memory: Memory,
    source: Source,
    questions: Sequence[Question],
    answers: Iterable[Answer],
    verdicts: Iterable[Verdict],
) -> list[RowResult]:
    """Return the rows of a memory: all questions of its goal under each repeat, repeats ascending.

    `questions` are those of the memory's goal, in order; `answers` and `verdicts` the memory's own.
    """
    answered = {(answer.question_id, answer.repeat): answer for answer in answers}
    judged = {(verdict.question_id, verdict.repeat): verdict for verdict in verdicts}
    repeats = sorted({repeat for _, repeat in answered} | {repeat for _, repeat in judged}) or [0]
    analysis = MemoryAnalysis(
        source, memory.proposed_text, memory.retained_text, memory.budget, memory.status
    )
    rows = []
    for repeat in repeats:
        for question in questions:
            answer = answered.get((question.id, repeat))
            verdict = judged.get((question.id, repeat))
            outcome = analysis._outcome(
                question,
                answer.status if answer else None,
                answer_text(answer) if answer else None,
                verdict.status if verdict else None,
                verdict.label if verdict else None,
            )
            rows.append(RowResult(memory.id, question.id, repeat, *outcome))
    return rows


def answer_text(answer: Answer) -> str | None:
    """Return the text that may equal a reference; None where the answer was no string."""
    return None if "text" in answer.unusual else answer.text


def evidence_spans(
    question: Question, source: Source, memory: Memory, limit: int = 200
) -> tuple[PieceSpans, ...]:
    """Return each piece of a question with its fate and its places in source and proposal.

    At most `limit` places of a piece per text are returned.
    """
    texts = MemoryTexts(memory.proposed_text, memory.retained_text)
    retained = texts.stored_retained
    shown = []
    for piece in source.pieces(question).pieces:
        at_home = source.haystack.find_all(piece.text, piece.folded, limit)
        if piece.source_span is not None:  # the item says where; other occurrences are not meant
            at_home = [piece.source_span]
        shown.append(
            PieceSpans(
                text=piece.text,
                fate=texts.fate(piece),
                source=tuple(at_home),
                proposal=tuple(texts.proposal.find_all(piece.text, piece.folded, limit)),
                retained=tuple(retained.find_all(piece.text, piece.folded, limit)) if retained else (),
            )
        )
    return tuple(shown)
