"""A memory under all its questions: the rows of FORMATS.md, with fate, cause, flags and label.

Owns the walk in its two halves: what the texts say (`find`: long, and the same whoever answered), and what
answers and verdicts make of it (`memory_rows`). The rules are in `core.evidence` and `core.causes`. Made for
60,000 memories at a stretch: what depends on the source alone is found once per `Source`, texts are folded
once or never.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from gacc_gui.core.causes import (
    BOUNDARY_UNKNOWN,
    COMPRESSOR,
    CORRECT,
    OMITTED,
    UNCERTAIN,
    UNSUPPORTED,
    UNSUPPORTED_FATES,
    cause_of,
    counting_label,
    normal_answer,
)
from gacc_gui.core.evidence import Haystack, MemoryTexts, Pieces, Span, pieces_of, question_fate
from gacc_gui.core.records import Memory, Question
from gacc_gui.core.verbatim import SentenceIndex

NOT_JUDGED: Final = "not_judged"

Key = TypeVar("Key", bound=Hashable)
"""What names a question: its id, or a key of the store."""

_NONE: Final = (None, None)
_KEPT_CHARACTERS: Final = 8_000_000
"""How much of the proposals is remembered per source."""


class Findings(NamedTuple):
    """What a memory's texts say about the questions of its goal."""

    fates: tuple[str, ...]
    """In the order of the questions."""
    boundary_known: bool
    is_paraphrase: bool
    """Asked only where a fate is `omitted`; else False."""


class Outcome(NamedTuple):
    """What a row comes to, without its key. `label` is the one that counts; `status` the verdict's."""

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


class Proposal:
    """A proposed text against its source: the same for every goal and budget that got it."""

    __slots__ = ("_is_paraphrase", "_source", "haystack")

    def __init__(self, source: Source, text: str) -> None:
        self._source = source
        self.haystack = Haystack(text)
        self._is_paraphrase: bool | None = None

    @property
    def is_paraphrase(self) -> bool:
        """Whether less than half of its sentences are found in the source."""
        if self._is_paraphrase is None:
            self._is_paraphrase = self._source.sentences.mostly_missing(self.haystack)
        return self._is_paraphrase


class Source:
    """A context's text with all that is found in it once: pieces per question, its sentences, proposals."""

    __slots__ = ("_kept", "_pieces", "_proposals", "_sentences", "haystack")

    def __init__(self, text: str) -> None:
        self.haystack = Haystack(text)
        self._pieces: dict[str, Pieces] = {}
        self._sentences: SentenceIndex | None = None
        self._proposals: dict[str, Proposal] = {}
        self._kept = 0

    def pieces(self, question: Question) -> Pieces:
        """Return the pieces of a question of this context; found once per question id."""
        pieces = self._pieces.get(question.id)
        if pieces is None:
            pieces = self._pieces[question.id] = pieces_of(question, self.haystack)
        return pieces

    def proposal(self, text: str) -> Proposal:
        """Return a proposal of this context: goals often share one, such as what came without a goal."""
        proposal = self._proposals.get(text)
        if proposal is None:
            if self._kept > _KEPT_CHARACTERS:
                self._proposals.clear()
                self._kept = 0
            proposal = self._proposals[text] = Proposal(self, text)
            self._kept += len(text)
        return proposal

    @property
    def sentences(self) -> SentenceIndex:
        """The source, ready for being asked whether a sentence is in it."""
        if self._sentences is None:
            self._sentences = SentenceIndex(self.haystack)
        return self._sentences


def find(
    source: Source, proposed: str | None, retained: str | None, questions: Sequence[Question]
) -> Findings:
    """Return what a memory's texts say about the questions of its goal."""
    proposal = source.proposal(proposed or "")
    texts = MemoryTexts(proposed, retained, proposal.haystack)
    fates = []
    for question in questions:
        pieces = source.pieces(question)
        fates.append(question_fate(pieces, map(texts.fate, pieces.pieces)))
    return Findings(tuple(fates), texts.boundary_known, OMITTED in fates and proposal.is_paraphrase)


def memory_rows(
    findings: Findings,
    questions: Sequence[tuple[Key, frozenset[str]]],
    answers: Mapping[tuple[Key, int], tuple[str, str | None]],
    verdicts: Mapping[tuple[Key, int], tuple[str, str | None]],
    *,
    budget: int | None,
    status: str,
) -> list[tuple[int, list[Outcome]]]:
    """Return, per repeat that occurs (ascending; else 0), what each question comes to, in their order.

    `questions` are those of the findings, each with the answers it expects (`causes.expected_answers`);
    `answers` (status and text) and `verdicts` (status and label) are the memory's, by question and repeat;
    `budget` and `status` the memory's.
    """
    rows = []
    for repeat in sorted({repeat for _, repeat in answers} | {repeat for _, repeat in verdicts}) or [0]:
        outcomes = []
        for (key, expected), fate in zip(questions, findings.fates, strict=True):
            answer_status, answer = answers.get((key, repeat), _NONE)
            verdict_status, label = verdicts.get((key, repeat), _NONE)
            label = counting_label(label, verdict_status, answer_status, status)
            equal = label == "incorrect" and bool(answer) and normal_answer(answer or "") in expected
            cause = cause_of(label, fate, equals_reference=equal, budget=budget)
            flags = () if findings.boundary_known else (BOUNDARY_UNKNOWN,)
            if cause == CORRECT:
                if fate in UNSUPPORTED_FATES:
                    flags = (UNSUPPORTED, *flags)
            elif cause == COMPRESSOR and findings.is_paraphrase:
                flags = (UNCERTAIN, *flags)
            outcomes.append(Outcome(fate, cause, flags, label, verdict_status or NOT_JUDGED))
        rows.append((repeat, outcomes))
    return rows


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
