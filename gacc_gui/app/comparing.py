"""Comparing two runs, or cells of theirs, over the questions that both were asked.

Owns the reading of selections, and what a reader of the figures must know. Pairing and figures are
`core.pairing` and `core.comparison`, what differs besides is `core.run_differences`; the rows come from
`store.compare_reads`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gacc_gui.app.compared_reviews import ReviewedCells, reviewed_cells
from gacc_gui.core.compared_rows import ComparedRows, list_rows
from gacc_gui.core.comparison import CellComparison, compare_tallies, tally_cells
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.pairing import Accounts, CellPair, Pairer, Unclear, pair
from gacc_gui.core.records import Cell, Run
from gacc_gui.core.run_differences import Budgets, Differing, Stated, differing
from gacc_gui.core.selector import Selector, select, split_run, written
from gacc_gui.core.sides import Side
from gacc_gui.core.terms import GOALS, Terms, terms_of

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

DIAGNOSTIC: Final = "a diagnostic run: its figures are not comparable with the benchmark's tables"
AS_JUDGED: Final = "pairs and buckets are as {0.judged}; reviewers have decided on some of these {0.row}s"
UNPAIRED: Final = (
    "no cell of A has a partner in B: what may differ, such as the compressor, has to be named on both sides"
)

BY_CASE: Final = (
    "answers to one case are no independent trials: the test counts each case once, as better or worse in B"
    " by the EM of its answers, and the intervals resample whole cases; the benchmark predeclares no test"
)

_WHICH: Final = "revision=… says which is meant"
_NAMED: Final = 5
"""Cells named in a note, and such notes; of more, their number."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Cells of a run. `text` is how it was asked for, with the run's id for its name."""

    run: Run
    selector: Selector
    identity_verified: bool
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two selections compared: the accounts of all pairs, and the figures of each pair of cells."""

    a: Selection
    b: Selection
    differs: tuple[Differing, ...]
    accounts: Accounts
    cells: tuple[CellComparison, ...]
    notes: tuple[str, ...]
    """What a reader of the figures must know, in sentences."""
    reviewed: tuple[ReviewedCells | None, ...]
    """Per pair of cells, beside `cells`, which are as judged; None where nobody has decided anything."""

    @property
    def terms(self) -> Terms:
        """What things are called in it."""
        return _terms(self.a, self.b)


def find_selection(reader: Reader, text: str) -> Selection:
    """Read `RUN` or `RUN:compressor=lead,ratio=0.1,…`; RUN is an id or a unique name.

    Raises BadUsage for an unknown run, key or value.
    """
    summaries = reader.runs()
    names = [name for summary in summaries for name in (summary.run.id, summary.run.name) if name]
    named, rest = split_run(text, names)
    run_id = reader.resolve_run(named)
    summary = next(one for one in summaries if one.run.id == run_id)
    try:
        selector = select(rest, reader.cells(run_id), generations(reader, run_id))
    except BadUsage as error:
        raise BadUsage(f"{text}: {error}") from error
    shown = run_id if rest is None else f"{run_id}:{rest}"
    return Selection(summary.run, selector, summary.identity_verified, shown)


def generations(reader: Reader, run_id: str) -> list[int]:
    """Return the generations of a run's memories, ascending."""
    from gacc_gui.store import compare_reads

    return reader.on_run(run_id, compare_reads.generations)


def selection_text(run_id: str, selector: Selector) -> str:
    """Write cells of a run as the command line takes them."""
    return written(run_id, selector)


def compare(reader: Reader, a: str, b: str) -> Comparison:
    """Compare two selections, each as `find_selection` reads it. Raises BadUsage, StoreError."""
    first, second = find_selection(reader, a), find_selection(reader, b)
    return compare_selections(reader, first, second)


def compare_selections(reader: Reader, a: Selection, b: Selection) -> Comparison:
    """Compare two selections that were found before. Raises StoreError."""
    side_a, side_b = _side(reader, a), _side(reader, b)
    pairer = Pairer(side_a, side_b)
    budgets = Budgets()
    tallies = []
    depends = False
    by_case = _terms(a, b).one_question
    for cells in pairer.cells:
        # One after the other: only what is counted of them is kept.
        pair_of_cells = pairer.pair(*cells)
        budgets.add(pair_of_cells.units)
        depends = depends or _depends(pair_of_cells)
        tallies.append(tally_cells(pair_of_cells, by_case=by_case))
    figures = compare_tallies(tallies)
    reviewed = reviewed_cells(reader, (a.run.id, b.run.id), side_a, side_b, pairer.cells, by_case)
    accounts = pairer.accounts(sum(one.pairs for one in figures))
    notes = [
        *_notes(a, b, accounts, bool(figures), depends),
        *([AS_JUDGED.format(_terms(a, b))] if any(reviewed) else []),
    ]
    stated_a = Stated(a.run, a.identity_verified, side_a)
    stated_b = Stated(b.run, b.identity_verified, side_b)
    return Comparison(
        a=a,
        b=b,
        differs=tuple(differing(stated_a, stated_b, pairer.cells, budgets)),
        accounts=accounts,
        cells=figures,
        notes=tuple(notes),
        reviewed=reviewed,
    )


def compared_rows(reader: Reader, a: Selection, b: Selection) -> ComparedRows:
    """List the rows of two selections, pair by pair, with those that have no partner. Raises StoreError."""
    side_a, side_b = _side(reader, a), _side(reader, b)
    return list_rows(side_a, side_b, pair(side_a, side_b))


def narrowed(selection: Selection, cell: Cell) -> Selection:
    """Return the selection of one cell of another selection."""
    selector = replace(
        selection.selector,
        compressor=cell.compressor,
        revision=cell.revision,
        condition=cell.condition,
        ratio=cell.ratio,
    )
    return replace(selection, selector=selector, text=written(selection.run.id, selector))


def _terms(a: Selection, b: Selection) -> Terms:
    """Return the words for two selections: those of goals, unless both are of cases."""
    of_a, of_b = terms_of(a.run.protocol), terms_of(b.run.protocol)
    return of_a if of_a is of_b else GOALS


def _side(reader: Reader, selection: Selection) -> Side:
    from gacc_gui.store import compare_reads

    selector = selection.selector
    return reader.on_run(
        selection.run.id, lambda connection, key: compare_reads.side(connection, key, selector)
    )


def _notes(a: Selection, b: Selection, accounts: Accounts, paired: bool, depends: bool) -> Iterator[str]:
    if a.run.diagnostic_only or b.run.diagnostic_only:
        yield DIAGNOSTIC
    yield from _unclear_notes(accounts.unclear)
    if not paired and not accounts.unclear:
        yield UNPAIRED
    elif paired and (accounts.cells_only_a or accounts.cells_only_b):
        yield (
            f"cells without a partner: {len(accounts.cells_only_a)} of A, {len(accounts.cells_only_b)} of B"
        )
    if accounts.texts_differ:
        yield (
            f"questions whose texts differ under the same id, and that are not paired:"
            f" {len(accounts.texts_differ):,}"
        )
    if depends and _terms(a, b).one_question:
        yield BY_CASE
    elif depends:
        yield (
            "goals with several generations or repeats count once for each in McNemar's test, which takes"
            " them for independent; the intervals resample whole contexts"
        )


def _unclear_notes(unclear: Sequence[Unclear]) -> Iterator[str]:
    """Say of which cells several fit, and what tells them apart."""
    for one in unclear[:_NAMED]:
        if len(one.a) == 1:
            yield f"several cells of B fit {_named(one.a)} of A: {_named(one.b)}; {_WHICH}"
        elif len(one.b) == 1:
            yield f"several cells of A fit {_named(one.b)} of B: {_named(one.a)}; {_WHICH}"
        else:
            yield f"several cells of A fit several of B: {_named(one.a)} and {_named(one.b)}; {_WHICH}"
    if len(unclear) > _NAMED:
        yield f"several cells fit in {len(unclear) - _NAMED:,} more cases"


def _named(cells: Sequence[Cell]) -> str:
    """Name cells that differ in their revision only."""
    first = cells[0]
    shown = ", ".join(cell.revision or "(none)" for cell in cells[:_NAMED])
    more = f" and {len(cells) - _NAMED:,} more" if len(cells) > _NAMED else ""
    return f"{first.compressor}, {first.condition}, {first.ratio}, revision {shown}{more}"


def _depends(pair: CellPair) -> bool:
    """Whether some goal counts several times."""
    return len({unit.a.goal for unit in pair.units}) < len(pair.units)
