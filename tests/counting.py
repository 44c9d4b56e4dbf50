"""Rows counted into units one by one: what the store's sums are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gacc_gui.core.causes import CAUSES, CORRECT, UNSUPPORTED
from gacc_gui.core.metrics import UnitCounts
from gacc_gui.core.records import Cell


def count_unit(
    cell: Cell, goal_id: str, context_id: str, rows: Iterable[tuple[str, str | None, Sequence[str]]]
) -> UnitCounts:
    """Count the rows (cause, label that counts, flags) of one unit."""
    causes = [0] * len(CAUSES)
    judged = unsupported = 0
    for cause, label, flags in rows:
        causes[CAUSES.index(cause)] += 1
        judged += label is not None
        unsupported += UNSUPPORTED in flags
    return UnitCounts(
        cell,
        goal_id,
        context_id,
        sum(causes),
        judged,
        causes[CAUSES.index(CORRECT)],
        unsupported,
        tuple(causes),
    )
