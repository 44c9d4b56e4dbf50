"""What a reviewer is shown of a row, read beside the GUI thread. No widgets here.

Owns which parts of source and memory are shown. Where evidence stands, the core says.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from gacc_gui.core.causes import ABSENT, CUT, OMITTED, RETAINED, TAIL, UNLOCATED
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.filters import Compare, Match, Query
from gacc_gui.core.records import Cell, Memory
from gacc_gui.core.review_queue import Entry
from gacc_gui.gui.review.excerpts import Excerpt, Mark, excerpt
from gacc_gui.store.rows import QuestionRow

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

_LOST = {
    TAIL: "The evidence stands behind the cut, in the tail.",
    CUT: "The cut falls into the evidence.",
    OMITTED: "The evidence stands in the source, not in what the compressor proposed.",
    ABSENT: "The given evidence is not in the source.",
    UNLOCATED: "There is no evidence that could be looked for.",
}


@dataclass(frozen=True, slots=True)
class Card:
    """A row in full. Excerpts are parts of the exact texts; their marks are places of evidence."""

    entry: Entry
    unit: int
    goal_id: str
    goal_text: str
    cell: Cell
    row: QuestionRow
    memory: Excerpt
    memory_note: str
    source: Excerpt
    source_note: str


def read_card(reader: Reader, run_id: str, entry: Entry) -> Card:
    """Read a row. Raises BadUsage where it is gone."""
    from gacc_gui.core.analysis import Source, evidence_spans

    memory_id, question_id, repeat = entry.row
    terms = (Match("memory-id", (memory_id,)), Compare("repeat", "=", Decimal(repeat)))
    units = reader.goal_units(run_id, query=Query(terms))
    view = reader.unit_view(units[0]) if units else None
    row = next((row for row in view.rows if row.question.id == question_id), None) if view else None
    if view is None or row is None:
        raise BadUsage("this row is no longer in the database")
    spans = evidence_spans(row.question, Source(view.context.text), view.memory)
    retained = view.memory.retained_text or ""
    in_source = [Mark(span.start, span.end, piece.fate) for piece in spans for span in piece.source]
    in_memory = [Mark(span.start, span.end, RETAINED) for piece in spans for span in piece.retained]
    if not in_memory and spans and spans[0].proposal and view.memory.proposed_text:
        # What the cut left of it, or the place before the cut.
        in_memory = [
            Mark(span.start, min(span.end, len(retained)), piece.fate)
            for piece in spans
            for span in piece.proposal
            if view.memory.proposed_text.startswith(retained) and span.start < len(retained)
        ]
    source = excerpt(view.context.text, in_source)
    return Card(
        entry=entry,
        unit=view.unit,
        goal_id=view.goal.id,
        goal_text=view.goal.text,
        cell=view.memory.cell,
        row=row,
        memory=excerpt(retained, in_memory),
        memory_note=_memory_note(view.memory, row.fate),
        source=source,
        source_note="" if source.marks else "No evidence is marked: the beginning of the source.",
    )


def _memory_note(memory: Memory, fate: str) -> str:
    if memory.retained_text is None:
        return "There is no memory."
    if not memory.retained_text:
        return "The memory is empty."
    return _LOST.get(fate, "")
