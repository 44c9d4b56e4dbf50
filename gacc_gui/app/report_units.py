"""A goal under one memory as a report's page tells it: its questions, and where their evidence is.

Owns which stretches of source, memory and tail are shown, and the caps. Credentials in them are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from gacc_gui.core.analysis import PieceSpans, Source, evidence_spans
from gacc_gui.core.boundary import Boundary, stored_boundary
from gacc_gui.core.causes import CORRECT, LETTERS, RETAINED
from gacc_gui.core.evidence import Piece, Span, place
from gacc_gui.core.excerpts import Mark, Part, Place, capped, parts, windows
from gacc_gui.core.records import Context, Ledger, Memory, Question
from gacc_gui.formats.redaction import credential_places
from gacc_gui.formats.report_shapes import QuestionTold, UnitTold

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import QuestionRow, UnitView

QUESTIONS: Final = 12
MARKED: Final = 4
"""Failing questions whose evidence is marked in an excerpt."""
_PLACES: Final = 3
_WINDOWS: Final = 8
_AT_EVIDENCE: Final = 180
_AT_CUT: Final = 320
_AT_START: Final = 160
WHOLE: Final = 60_000
"""Characters up to which a goal's page shows a text whole."""
_AROUND: Final = 6_000
"""What it shows of a longer one around what matters."""
_QUESTION: Final = 1_000
_ANSWER: Final = 2_000
_REFERENCES: Final = 10


class UnitTeller:
    """Tells units of one run. `whole`: memories are shown whole where they are not very long."""

    def __init__(self, reader: Reader, run_id: str, *, whole: bool = False) -> None:
        from gacc_gui.app.report_people import probes_by_row
        from gacc_gui.core.reviewing import standing_reviews

        self._reader = reader
        self._run_id = run_id
        self._whole = whole
        self._standing = standing_reviews(reader.reviews(run_id))
        self._probes = probes_by_row(reader.probes(run_id))
        self._sources: dict[str, Source] = {}

    def told(self, unit: int, cause: str | None = None) -> UnitTold:
        """Return a unit in detail; with a cause, what failed for that comes first."""
        view = self._reader.unit_view(unit)
        source = self._source(view.context)
        numbered = list(enumerate(view.rows, 1))
        if len(numbered) > QUESTIONS:
            numbered.sort(key=lambda item: (item[1].cause != cause, item[1].cause == CORRECT, item[0]))
        failing = sorted(
            (row for row in view.rows if row.cause != CORRECT), key=lambda row: row.cause != cause
        )
        pieces = [
            piece
            for row in failing[:MARKED]
            for piece in evidence_spans(row.question, source, view.memory, _PLACES)
        ]
        excerpts = _Excerpts(view, pieces, whole=self._whole)
        memory = view.memory
        return UnitTold(
            goal_id=view.goal.id,
            goal=view.goal.text,
            context_id=view.context.id,
            context_title=view.context.title,
            memory_id=memory.id,
            memory_status=memory.status,
            memory_error=memory.error,
            cell=memory.cell,
            budget=memory.budget,
            generation=memory.generation,
            repeat=view.repeat,
            strip="".join(LETTERS[row.cause] for row in view.rows),
            ledger=memory.ledger or Ledger(),
            questions=tuple(self._question(number, row, view) for number, row in numbered[:QUESTIONS]),
            question_count=len(numbered),
            source=excerpts.source,
            source_characters=len(view.context.text),
            boundary=excerpts.words,
            memory=excerpts.memory,
            proposal=excerpts.proposal,
            credentials=excerpts.credentials,
        )

    def source_of(self, context: Context, questions: Sequence[Question]) -> tuple[Part, ...]:
        """Return a context's text for a goal's page, with the questions' evidence marked."""
        found = [
            Mark(span.start, span.end, f"evidence {number}")
            for number, question in enumerate(questions, 1)
            for piece in self._source(context).pieces(question).pieces
            for span in self._places(context, piece)
        ]
        hidden = credential_places(context.text)
        return parts(context.text, _shown(context.text, [(m.start, m.end) for m in found]), found, hidden)

    def _places(self, context: Context, piece: Piece) -> list[Span]:
        if piece.source_span is not None:
            return [piece.source_span]
        return self._source(context).haystack.find_all(piece.text, piece.folded, _PLACES)

    def _source(self, context: Context) -> Source:
        source = self._sources.get(context.id)
        if source is None:
            source = self._sources[context.id] = Source(context.text)
        return source

    def _question(self, number: int, row: QuestionRow, view: UnitView) -> QuestionTold:
        key = view.memory.id, row.question.id, row.repeat
        answer, left_out = (None, 0)
        if row.answer is not None and row.answer.text is not None:
            answer, left_out = capped(row.answer.text, _ANSWER)
        references = row.question.references or ()
        told = [capped(reference, _QUESTION)[0] for reference in references[:_REFERENCES]]
        if len(references) > _REFERENCES:
            told.append(f"… and {len(references) - _REFERENCES:,} more")
        rationale = row.verdict.rationale if row.verdict is not None else None
        return QuestionTold(
            number=number,
            question_id=row.question.id,
            text=capped(row.question.text, _QUESTION)[0],
            references=tuple(told),
            answer=answer,
            answer_left_out=left_out,
            answer_status=row.answer.status if row.answer is not None else None,
            label=row.label,
            status=row.status,
            rationale=None if rationale is None else capped(rationale, _QUESTION)[0],
            fate=row.fate,
            cause=row.cause,
            flags=row.flags,
            reviewed=self._reviewed(key),
            probed=self._probed(key, row, view),
        )

    def _reviewed(self, key: tuple[str, str, int]) -> tuple[str, ...]:
        from gacc_gui.formats.report_people import decision

        standing = self._standing.get(key)
        return tuple(map(decision, standing.reviews)) if standing is not None else ()

    def _probed(self, key: tuple[str, str, int], row: QuestionRow, view: UnitView) -> tuple[str, ...]:
        probes = self._probes.get(key)
        if not probes:
            return ()
        from gacc_gui.core.probe_findings import asked_row, find, result_of
        from gacc_gui.formats.report_people import probe_words, sentence

        memory, question = view.memory, row.question
        asked = asked_row(
            row.cause, row.label, question, memory.proposed_text, memory.retained_text, memory.budget
        )
        finding = find(asked, probes)
        each = (probe_words(probe, result_of(probe, question.references)) for probe in probes)
        return (*each, sentence(finding.sentence), *finding.notes)


class _Excerpts:
    """The texts of a unit, cut to what matters."""

    def __init__(self, view: UnitView, pieces: Sequence[PieceSpans], *, whole: bool) -> None:
        self._whole = whole
        self.credentials = 0
        self.source = self._of_source(view.context.text, pieces)
        proposed = view.memory.proposed_text or ""
        retained = view.memory.retained_text or ""
        boundary = stored_boundary(proposed, retained)
        self.words = boundary_words(boundary, view.memory)
        self.proposal: tuple[Part, ...] = ()
        if boundary is None:
            self.memory = self._text(retained, [m for p in pieces for m in _marks(p.retained, RETAINED)])
            self.proposal = self._text(proposed, [m for p in pieces for m in _marks(p.proposal, p.fate)])
        else:
            split = boundary.splits_character
            marks = [
                Mark(span.start, span.end, place(span.start, span.end, boundary.characters, split))
                for piece in pieces
                for span in piece.proposal
            ]
            self.memory = self._text(proposed, marks, boundary.characters)

    def _of_source(self, text: str, pieces: Iterable[PieceSpans]) -> tuple[Part, ...]:
        marks = [mark for piece in pieces for mark in _marks(piece.source, piece.fate)]
        places = [(mark.start, mark.end) for mark in marks] or [(0, min(len(text), _AT_CUT))]
        return self._parts(text, windows(len(text), places, _AT_EVIDENCE, _WINDOWS), marks)

    def _text(self, text: str, marks: list[Mark], cut: int | None = None) -> tuple[Part, ...]:
        places = [(mark.start, mark.end) for mark in marks]
        if self._whole:
            at = [(cut, cut)] if cut is not None else []
            return self._parts(text, _shown(text, [(0, 0), *at, *places]), marks, cut)
        stretches = windows(len(text), places, _AT_EVIDENCE, _WINDOWS)
        stretches += [(0, min(len(text), _AT_START))]
        if cut is not None:
            stretches += [(max(0, cut - _AT_CUT), min(len(text), cut + _AT_CUT))]
        return self._parts(text, stretches, marks, cut)

    def _parts(
        self, text: str, shown: Sequence[Place], marks: Sequence[Mark], cut: int | None = None
    ) -> tuple[Part, ...]:
        hidden = credential_places(text)
        self.credentials += sum(
            any(start < end_ and begin < end for begin, end_ in shown) for start, end in hidden
        )
        return parts(text, shown, marks, hidden, cut)


def boundary_words(boundary: Boundary | None, memory: Memory) -> str:
    """Say where the cut falls and what it splits: “token 256 of 391, inside “televi|sion””."""
    proposed, retained = memory.proposed_text, memory.retained_text
    ledger = memory.ledger or Ledger()
    if boundary is None:
        return "boundary unknown: the retained text is no prefix of the proposal"
    if not proposed:
        return "there is no proposal" if proposed is None else "the proposal is empty"
    if proposed == retained:
        return "nothing was cut off"
    told = []
    if ledger.retained_tokens is not None:
        of = "" if ledger.proposed_tokens is None else f" of {ledger.proposed_tokens:,}"
        told.append(f"token {ledger.retained_tokens:,}{of}")
    told.append(f"character {boundary.characters:,} of {len(proposed):,}")
    if boundary.splits_character:
        character = proposed[boundary.characters]
        told.append(f"splits the character {character} U+{ord(character):04X}")
    if boundary.word is not None:
        told.append(f"inside “{boundary.word[0]}|{boundary.word[1]}”")
    elif boundary.splits_sentence and not boundary.splits_character:
        told.append("inside a sentence")
    return ", ".join(told)


def _shown(text: str, places: Sequence[Place]) -> list[Place]:
    """Return what a goal's page shows of a text: all, or the surroundings of some places."""
    if len(text) <= WHOLE:
        return [(0, len(text))]
    return windows(len(text), places or [(0, 0)], _AROUND, _WINDOWS)


def _marks(spans: Iterable[Span], kind: str) -> list[Mark]:
    return [Mark(span.start, span.end, kind) for span in spans]
