"""The order in which cells are listed: compressor, revision, condition as FORMATS.md names them, ratio."""

from __future__ import annotations

from gacc_gui.core.natural import natural_key
from gacc_gui.core.records import CONDITIONS, Cell


def condition_order(condition: str) -> tuple[int, str]:
    """Return a sort key: the known conditions in their order, others behind them by name."""
    return CONDITIONS.index(condition) if condition in CONDITIONS else len(CONDITIONS), condition


def cell_order(cell: Cell) -> tuple[object, ...]:
    """Return a sort key: names as people expect, ratios as numbers."""
    return (
        natural_key(cell.compressor),
        natural_key(cell.revision),
        condition_order(cell.condition),
        float(cell.ratio),
        cell.ratio,
    )
