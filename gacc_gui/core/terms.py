"""What things are called in each benchmark: one table for every view, command and chart.

Owns these words. A case of the compaction benchmark has one question, methods take the place of compressors,
and the official answer EM is its label: there is no judge, and Micro and Macro are one figure. The keys of
JSON documents and the filter's language are the same in both and are not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gacc_gui.core.records import Cell

COMPACTION: Final = "compaction"
"""`core.compaction.PROTOCOL`, whose module is not loaded before the first list is seen."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The words of one benchmark, in the singular and as they stand inside a sentence."""

    compressor: str
    cell: str
    context: str
    goal: str
    unit: str
    """What a line of the goals list is."""
    row: str
    a_row: str
    reader: str
    judge: str
    """Who or what labels an answer."""
    the_verdict: str
    """What it says of one, in full."""
    verdict: str
    judged: str
    micro: str
    """What the share of right rows is called."""
    repeat: str
    short_repeat: str
    """Where a list has little room."""
    errors: str
    """What becomes of rows without a label, in a sentence of its own."""
    one_question: bool = False
    """Whether a goal has one question: there is no Macro beside the share of right rows."""
    by_budget: bool = True
    """Whether condition and ratio tell cells apart."""

    def cell_name(self, cell: Cell, *, with_revision: bool = False) -> str:
        """Put a cell in one short line, in full words: compressor · condition · ratio, or the method."""
        name = f"{cell.compressor} {cell.revision}" if with_revision and cell.revision else cell.compressor
        return f"{name} · {cell.condition} · {cell.ratio}" if self.by_budget else name


GOALS: Final = Terms(
    compressor="compressor",
    cell="cell",
    context="context",
    goal="goal",
    unit="goal",
    row="row",
    a_row="a row",
    reader="reader",
    judge="judge",
    the_verdict="the judge's verdict",
    verdict="verdict",
    judged="judged",
    micro="Micro",
    repeat="repeat",
    short_repeat="rep",
    errors="Errors count as wrong.",
)
CASES: Final = Terms(
    compressor="method",
    cell="method",
    context="case",
    goal="case",
    unit="answer",
    row="answer",
    a_row="an answer",
    reader="answerer",
    judge="scorer",
    the_verdict="the score (EM)",
    verdict="score",
    judged="scored",
    micro="EM",
    repeat="answer",
    short_repeat="answer",
    errors="What failed counts zero.",
    one_question=True,
    by_budget=False,
)


def terms_of(protocol: str | None) -> Terms:
    """Return the words for a run of this protocol."""
    return CASES if protocol == COMPACTION else GOALS
