"""Everything that is marked in the three texts of a unit: survivors, and the evidence of each question.

Found beside the GUI thread, applied by `texts_view`. The core looks evidence up; here it is only parted at
the cut into what each pane shows. Pure and without Qt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.analysis import PieceSpans, Source, evidence_spans
from gacc_gui.core.boundary import Boundary
from gacc_gui.core.causes import ABSENT, CUT, OMITTED, RETAINED, TAIL
from gacc_gui.core.evidence import Haystack
from gacc_gui.core.hints import hint_for
from gacc_gui.gui.panes.facts import UnitFacts
from gacc_gui.gui.panes.source_map import SourceMap, go_on, map_source
from gacc_gui.gui.panes.spans import GONE, HINT, TAIL_ONLY, Span, evidence_role, other_role
from gacc_gui.store.rows import UnitView

_TOLD: Final = {
    RETAINED: "retained",
    CUT: "split by the cut",
    TAIL: "behind the cut",
    OMITTED: "not in the proposal",
    ABSENT: "not in the source",
}
_QUOTED: Final = 80


@dataclass(frozen=True, slots=True)
class QuestionMarks:
    """Where a question's evidence stands in each pane, and what is to be told where it does not."""

    source: tuple[Span, ...] = ()
    retained: tuple[Span, ...] = ()
    tail: tuple[Span, ...] = ()
    source_note: str = ""
    retained_note: str = ""
    lost: tuple[str, ...] = ()
    """The pieces that the retained text does not hold whole, for hints."""
    pieces: tuple[PieceSpans, ...] = ()
    """What was looked for, with what became of each."""


@dataclass(frozen=True, slots=True)
class UnitMarks:
    """The marks of a unit's questions, by their ids. `texts` is the source as it was searched."""

    view: UnitView
    texts: Source
    questions: dict[str, QuestionMarks]


def unit_marks(
    view: UnitView, facts: UnitFacts, source: Source, give_way: Callable[[], None] = go_on
) -> UnitMarks:
    """Find the marks of all questions. `source` is the context's, kept from one unit to the next.

    `give_way` is called for every question, and raises where the marks are wanted no more.
    """
    questions = {}
    for row in view.rows:
        give_way()
        if row.question.id not in questions:
            pieces = evidence_spans(row.question, source, view.memory)
            questions[row.question.id] = question_marks(pieces, facts.boundary, len(facts.retained.text))
    return UnitMarks(view, source, questions)


def unit_source_map(view: UnitView, facts: UnitFacts, give_way: Callable[[], None] = go_on) -> SourceMap:
    """Compare the source with the memory; an empty map where there is no memory to compare it with."""
    if facts.failed:
        return SourceMap()
    return map_source(view.context.text, facts.proposal, facts.retained.text, facts.boundary, give_way)


def survival_spans(source_map: SourceMap) -> list[Span]:
    """What of the source is gone, and what only the tail holds."""
    spans = [Span(*place, GONE, "neither in the memory nor in the tail") for place in source_map.gone]
    return spans + [Span(*place, TAIL_ONLY, "only in the tail") for place in source_map.tail_only]


def question_marks(
    pieces: tuple[PieceSpans, ...], boundary: Boundary | None, retained_length: int
) -> QuestionMarks:
    """Part the places of a question's pieces into those of the three panes."""
    marks: dict[str, list[Span]] = {"source": [], "retained": [], "tail": []}
    for number, piece in enumerate(pieces, 1):
        role = evidence_role(piece.fate)
        which = f"piece {number} of {len(pieces)}" if len(pieces) > 1 else "evidence"
        note = f"{which}: {_TOLD[piece.fate]}"
        marks["source"] += [Span(at.start, at.end, role, note) for at in piece.source]
        if boundary is None:
            marks["retained"] += [Span(at.start, at.end, role, note) for at in piece.retained]
            marks["tail"] += [Span(at.start, at.end, role, note) for at in piece.proposal]
            continue
        b, solid = boundary.characters, boundary.solid_from
        for at in piece.proposal:
            if at.start < solid:
                # To the end where it goes on behind the cut: the U+FFFD of a split character is part of it.
                end = at.end if at.end <= b else retained_length
                marks["retained"].append(Span(at.start, end, role, note))
            if at.end > b:
                marks["tail"].append(Span(max(at.start - b, 0), at.end - b, role, note))
    absent = [piece.text for piece in pieces if piece.fate == ABSENT]
    return QuestionMarks(
        source=tuple(sorted(marks["source"])),
        retained=tuple(sorted(marks["retained"])),
        tail=tuple(sorted(marks["tail"])),
        source_note=_source_note(pieces, absent),
        retained_note=_retained_note(pieces),
        lost=tuple(piece.text for piece in pieces if piece.text and piece.fate != RETAINED),
        pieces=pieces,
    )


def hint_spans(lost: tuple[str, ...], text: str) -> tuple[Span, ...]:
    """Where something like the lost pieces stands in a text, with how alike it is."""
    haystack = Haystack(text)
    found = (hint_for(piece, haystack) for piece in lost)
    return tuple(
        Span(hint.span.start, hint.span.end, HINT, f"like the evidence: {hint.score:.0f} of 100, a hint only")
        for hint in found
        if hint is not None
    )


def as_others(marks: QuestionMarks) -> QuestionMarks:
    """The same marks, faint: those of a question that is not chosen."""

    def faint(spans: tuple[Span, ...]) -> tuple[Span, ...]:
        return tuple(
            Span(
                span.start,
                span.end,
                other_role(span.role.partition(":")[2]),
                f"another question's {span.note}",
            )
            for span in spans
        )

    return QuestionMarks(faint(marks.source), faint(marks.retained), faint(marks.tail))


def _source_note(pieces: tuple[PieceSpans, ...], absent: list[str]) -> str:
    if not pieces:
        return "No evidence to look for: none is given, and no usable reference stands in the source."
    if not absent:
        return ""
    quoted = next((text for text in absent if text), "")
    told = f"{len(absent)} of {len(pieces)} pieces" if len(pieces) > 1 else "The evidence"
    told += " is" if len(pieces) == 1 else (" is" if len(absent) == 1 else " are")
    told += " not in the source"
    if not quoted:
        return f"{told}: it points outside of it."
    line = " ".join(quoted.split())
    return f"{told}: “{line[:_QUOTED]}{'…' if len(line) > _QUOTED else ''}”"


def _retained_note(pieces: tuple[PieceSpans, ...]) -> str:
    lost = [piece.fate for piece in pieces if piece.fate not in (RETAINED, ABSENT)]
    if not lost:
        return ""
    if len(pieces) == 1:
        return f"The evidence is {_TOLD[lost[0]]}."
    counts = (f"{lost.count(fate)} {_TOLD[fate]}" for fate in (CUT, TAIL, OMITTED) if fate in lost)
    return f"Of {len(pieces)} pieces, {', '.join(counts)}."
