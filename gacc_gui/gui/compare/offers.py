"""What can be compared: the runs of the database with their cells, and what a comparison begins with.

Owns which selections are offered and how they are called. Nothing here knows a widget: it runs in the worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from gacc_gui.core.records import Cell
from gacc_gui.core.selector import Selector
from gacc_gui.core.terms import GOALS, Terms, terms_of
from gacc_gui.gui.lists.words import cell_words, counted, short_condition
from gacc_gui.store.rows import CellChoice, RunSummary

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader


_TO_DO: Final = "Import a second run (Ctrl+O), or evaluate another compressor (Ctrl+5)."
UNPAIRED: Final = (
    "No cell of A goes with one of B: cells are paired where compressor, condition and ratio agree. Choose"
    " one cell on either side, or all ratios of one compressor, to compare them whatever they are."
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A run and its cells that are one side of a comparison."""

    run_id: str
    selector: Selector


@dataclass(frozen=True, slots=True)
class Offer:
    """Some cells of a run, and what they are called in the list."""

    title: str
    selector: Selector


@dataclass(frozen=True, slots=True)
class RunOffers:
    """A run, its cells, and the selections that are offered of it."""

    summary: RunSummary
    cells: tuple[Cell, ...]
    offers: tuple[Offer, ...]

    @property
    def title(self) -> str:
        """What the run is called in the list."""
        return self.summary.run.name or self.summary.run.id


def read_offers(reader: Reader) -> tuple[RunOffers, ...]:
    """Read what the database offers."""
    return tuple(_offers(summary, reader) for summary in reader.runs())


def _offers(summary: RunSummary, reader: Reader) -> RunOffers:
    from gacc_gui.app.comparing import generations

    cells = reader.cells(summary.run.id)
    offers = list(offers_of(cells, terms_of(summary.run.protocol)))
    several = generations(reader, summary.run.id)
    if len(several) > 1:
        offers += [Offer(f"generation {one}", Selector(generation=one)) for one in several]
    return RunOffers(summary, tuple(cells), tuple(offers))


def offers_of(cells: Sequence[Cell], terms: Terms = GOALS) -> Iterator[Offer]:
    """Yield what is offered of a run's cells: all, those that differ in the ratio alone, and each."""
    if len(cells) != 1:
        yield Offer(f"all {counted(len(cells), terms.cell)}" if cells else "no cells", Selector())
    revisions = len({(cell.compressor, cell.revision) for cell in cells})
    named = revisions > len({cell.compressor for cell in cells})
    for _, group in groupby(cells, key=lambda cell: (cell.compressor, cell.revision, cell.condition)):
        together = list(group)
        first = together[0]
        revision = first.revision if named else None
        if 1 < len(together) < len(cells):
            name = f"{first.compressor} {first.revision}".strip() if named else first.compressor
            title = f"{name} · {short_condition(first.condition)} · all {len(together)} ratios"
            yield Offer(title, Selector(first.compressor, revision, first.condition))
        for cell in together:
            selector = Selector(cell.compressor, revision, cell.condition, cell.ratio)
            yield Offer(cell_words(cell, terms, with_revision=named), selector)


def first_pair(
    runs: Sequence[RunOffers], run_id: str | None, choice: CellChoice
) -> tuple[Chosen, Chosen] | None:
    """Return what a comparison begins with; None where there is nothing to compare.

    Two cells of the open run that differ in the compressor alone, the first one as the lists are set to; else
    any two cells of it; else that run and another one.
    """
    here = next((one for one in runs if one.summary.run.id == run_id), None)
    if here is None:
        return None
    cells = list(here.cells)
    if len(cells) > 1:
        first = next((cell for cell in cells if _holds(choice, cell)), cells[0])
        second = next(_alike(first, cells), None) or next(cell for cell in cells if cell != first)
        return _chosen(here, first), _chosen(here, second)
    other = next((one for one in runs if one is not here and one.cells), None)
    if other is None or not cells:
        return None
    return Chosen(here.summary.run.id, Selector()), Chosen(other.summary.run.id, Selector())


def nothing_words(runs: Sequence[RunOffers], run_id: str | None) -> str:
    """Say why there is nothing to compare with a run, and what to do: `first_pair` found nothing."""
    here = next((one for one in runs if one.summary.run.id == run_id), None)
    if here is not None and not here.cells:
        return f"The open run has no cells: nothing was evaluated in it. {_TO_DO}"
    others = "no other run has any" if len(runs) > 1 else "there is no other run"
    return f"There is nothing to compare yet: the open run has one cell, and {others}. {_TO_DO}"


def unpaired_words(runs: Sequence[RunOffers], a: str, b: str) -> str:
    """Say why no cells of two runs (by id) are paired."""
    empty = [
        side
        for side, id_ in (("A", a), ("B", b))
        for one in runs
        if one.summary.run.id == id_ and not one.cells
    ]
    if empty:
        has = "has" if len(empty) == 1 else "have"
        return f"{' and '.join(empty)} {has} no cells: nothing was evaluated there. Choose another run."
    return UNPAIRED


def _holds(choice: CellChoice, cell: Cell) -> bool:
    fields = ("compressor", "revision", "condition", "ratio")
    return all(getattr(choice, name) in (None, getattr(cell, name)) for name in fields)


def _alike(cell: Cell, cells: Iterable[Cell]) -> Iterator[Cell]:
    """Yield the cells that differ in the compressor alone, those that come after it first."""
    alike = [
        one
        for one in cells
        if (one.condition, one.ratio) == (cell.condition, cell.ratio) and one.compressor != cell.compressor
    ]
    yield from (one for one in alike if one.compressor > cell.compressor)
    yield from alike


def _chosen(run: RunOffers, cell: Cell) -> Chosen:
    """Choose a cell by the offer that means it alone."""
    fitting = (offer for offer in run.offers if offer.selector.chosen(run.cells) == [cell])
    offer = next(fitting, None)
    selector = (
        offer.selector if offer else Selector(cell.compressor, cell.revision, cell.condition, cell.ratio)
    )
    return Chosen(run.summary.run.id, selector)
