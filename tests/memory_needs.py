"""What memories' evidence needs, made by hand."""

from __future__ import annotations

from gacc_gui.core.evidence_needs import MemoryNeeds
from gacc_gui.core.records import Cell


def needing(
    cell: Cell, budget: int | None, source_tokens: int, needs: tuple[int | None, ...], unlocated: int = 0
) -> MemoryNeeds:
    """A memory `m…` that asks q0, q1, …, one for each need."""
    questions = tuple(f"q{number}" for number in range(len(needs)))
    return MemoryNeeds(cell, budget, source_tokens, needs, unlocated, f"m{cell.ratio}", questions)
