"""Which rows of two selections are the same question asked twice: pairs by question, generation and repeat.

Owns the rules of pairing and its accounts. Where the rows come from is the store's, what pairs come to is
`core.comparison`. Nothing depends on the order of what is given, and swapping the sides mirrors everything.

A question is paired only where the texts of its source, goal, question and references are equal; an id that
both sides have with different texts is refused. Cells are paired where compressor, condition and ratio agree,
but for those that both selections name: `compressor=lead` and `compressor=openings` are paired by condition
and ratio. Of one compressor, the same revision goes first, then the one revision that is left on either side.
Two selections of one cell each are paired whatever these are. Several memories of one goal, cell and
generation are paired by the goal they were shown, then in the order of their ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from gacc_gui.core.records import Cell
from gacc_gui.core.selector import KEYS
from gacc_gui.core.sides import Side, SideQuestion, SideUnit

Places = tuple[tuple[int, int], ...]
"""Per paired question of a pair of goals, its row's place on either side."""


class UnitPair(NamedTuple):
    """A unit of each side with the rows that are paired, at least one; `cluster` names their context."""

    a: SideUnit
    b: SideUnit
    cluster: str
    places: Places


@dataclass(frozen=True, slots=True)
class CellPair:
    """A cell of each side with its paired units."""

    a: Cell
    b: Cell
    units: tuple[UnitPair, ...]

    @property
    def matched(self) -> int:
        """How many rows are paired."""
        return sum(len(unit.places) for unit in self.units)


class Unclear(NamedTuple):
    """Cells of either side that fit each other but for their revisions, of which one side has several."""

    a: tuple[Cell, ...]
    b: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Accounts:
    """What was paired, and what was not: rows of A are matched, refused or only in A; B's likewise."""

    matched: int
    only_a: int
    only_b: int
    refused_a: int
    refused_b: int
    texts_differ: tuple[str, ...]
    """Ids of questions that both sides have rows of, with different texts; sorted."""
    cells_only_a: tuple[Cell, ...]
    cells_only_b: tuple[Cell, ...]
    unclear: tuple[Unclear, ...] = ()
    """Of the cells without a partner, those that would have one if it were clear which."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of cells with their pairs of units, and the accounts over all of them."""

    cells: tuple[CellPair, ...]
    accounts: Accounts


class Pairer:
    """Pairs two sides, one pair of cells after the other. `cells` are these pairs."""

    def __init__(self, a: Side, b: Side) -> None:
        self._a, self._b = a, b
        self.cells, self._unclear = pair_cells(a, b)
        self._asked_a, self._asked_b = _asked(a), _asked(b)
        self._together = "generation" in _named_by_both(a, b)
        goals: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        clusters: dict[tuple[int, int], str] = {}
        self._refused: list[str] = []
        for id_, first in self._asked_a.items():
            second = self._asked_b.get(id_)
            if second is None:
                continue
            if first.texts != second.texts:
                self._refused.append(id_)
                continue
            key = first.goal, second.goal
            goals[key].append((first.place, second.place))
            clusters[key] = _cluster(first.context_id, second.context_id)
        self._partners: dict[int, list[tuple[int, str, Places]]] = defaultdict(list)
        for key, places in goals.items():
            self._partners[key[0]].append((key[1], clusters[key], tuple(places)))

    def pair(self, a: Cell, b: Cell) -> CellPair:
        """Pair the units of a pair of cells."""
        units_a = _keyed(self._a.units.of_cell(a), self._together)
        units_b = _keyed(self._b.units.of_cell(b), self._together)
        return CellPair(a, b, _paired(units_a, units_b, self._partners))

    def accounts(self, matched: int) -> Accounts:
        """Return the accounts, given how many rows the pairs of all cells match."""
        refused_a = _rows_of(self._a, self._asked_a, self._refused)
        refused_b = _rows_of(self._b, self._asked_b, self._refused)
        paired_a, paired_b = {a for a, _ in self.cells}, {b for _, b in self.cells}
        return Accounts(
            matched=matched,
            only_a=self._a.units.rows - matched - refused_a,
            only_b=self._b.units.rows - matched - refused_b,
            refused_a=refused_a,
            refused_b=refused_b,
            texts_differ=tuple(sorted(self._refused)),
            cells_only_a=tuple(cell for cell in self._a.cells if cell not in paired_a),
            cells_only_b=tuple(cell for cell in self._b.cells if cell not in paired_b),
            unclear=self._unclear,
        )


def pair(a: Side, b: Side) -> Pairing:
    """Pair the rows of two selections, all at once."""
    pairer = Pairer(a, b)
    cells = tuple(pairer.pair(*cells) for cells in pairer.cells)
    return Pairing(cells, pairer.accounts(sum(one.matched for one in cells)))


def pair_cells(a: Side, b: Side) -> tuple[list[tuple[Cell, Cell]], tuple[Unclear, ...]]:
    """Return the pairs of cells in an order of their own, and the cells whose partner is not clear.

    Where several revisions are left on a side after the same ones were paired, none of them is: which
    belongs to which, a selection has to say.
    """
    if len(a.cells) == len(b.cells) == 1:
        return [(a.cells[0], b.cells[0])], ()
    named = _named_by_both(a, b)
    fields = [field for field in ("compressor", "condition", "ratio") if field not in named]
    kinds_a, kinds_b = _by_kind(a.cells, fields), _by_kind(b.cells, fields)
    partner: dict[Cell, Cell] = {}
    unclear = []
    for kind, cells in kinds_a.items():
        others = kinds_b.get(kind, [])
        same = {(cell.compressor, cell.revision): cell for cell in others}
        found = {cell: same[of] for cell in cells if (of := (cell.compressor, cell.revision)) in same}
        rest = [cell for cell in cells if cell not in found]
        rest_of_others = [cell for cell in others if cell not in set(found.values())]
        if len(rest) == len(rest_of_others) == 1:
            found[rest[0]] = rest_of_others[0]
        elif rest and rest_of_others:
            unclear.append(Unclear(tuple(rest), tuple(rest_of_others)))
        partner |= found
    return sorted(partner.items(), key=_order), tuple(unclear)


def _named_by_both(a: Side, b: Side) -> set[str]:
    """Return the keys that both selections give a value: what is compared, and need not agree."""
    return {key for key in KEYS if None not in (getattr(a.selector, key), getattr(b.selector, key))}


def _by_kind(cells: Iterable[Cell], fields: Sequence[str]) -> dict[tuple[str, ...], list[Cell]]:
    kinds: dict[tuple[str, ...], list[Cell]] = defaultdict(list)
    for cell in cells:
        kinds[tuple(getattr(cell, field) for field in fields)].append(cell)
    return kinds


def _order(pair: tuple[Cell, Cell]) -> tuple[list[str], list[str], list[Decimal], list[str]]:
    """What pairs are sorted by: the same whichever side comes first."""
    return (
        sorted(cell.compressor for cell in pair),
        sorted(cell.condition for cell in pair),
        sorted(Decimal(cell.ratio) for cell in pair),
        sorted(cell.revision for cell in pair),
    )


def _asked(side: Side) -> dict[str, SideQuestion]:
    """Return the questions that the side has a row of, by id."""
    goals = side.units.units_of_goals
    return {question.id: question for question in side.questions if question.goal in goals}


def _cluster(a: str, b: str) -> str:
    """Name the context of a pair: its id, or both where the sides call it differently."""
    return a if a == b else "\0".join(sorted((a, b)))


_Key = tuple[int, int, int]
_Units = Mapping[_Key, Sequence[SideUnit]]


def _keyed(units: Iterable[SideUnit], together: bool) -> _Units:
    """Return units by goal, generation and repeat; `together`: as if of one generation."""
    keyed: dict[_Key, list[SideUnit]] = {}
    for unit in units:
        generation = 0 if together else unit.generation
        keyed.setdefault((unit.goal, generation, unit.repeat), []).append(unit)
    return keyed


def _paired(
    units_a: _Units, units_b: _Units, partners: Mapping[int, Sequence[tuple[int, str, Places]]]
) -> tuple[UnitPair, ...]:
    pairs = []
    for (goal, generation, repeat), some in units_a.items():
        for other, cluster, places in partners.get(goal, ()):
            others = units_b.get((other, generation, repeat))
            if others is not None:
                pairs += [UnitPair(a, b, cluster, places) for a, b in _matched(some, others)]
    return tuple(pairs)


def _matched(a: Sequence[SideUnit], b: Sequence[SideUnit]) -> Iterable[tuple[SideUnit, SideUnit]]:
    if len(a) == len(b) == 1:
        return [(a[0], b[0])]
    shown_a, shown_b = _by_shown(a), _by_shown(b)
    pairs: list[tuple[SideUnit, SideUnit]] = []
    rest_a: list[SideUnit] = []
    for shown, units in shown_a.items():
        others = shown_b.get(shown, [])
        together = min(len(units), len(others))
        pairs += zip(units[:together], others[:together], strict=True)
        rest_a += units[together:]
        shown_b[shown] = others[together:]
    rest_b = [unit for units in shown_b.values() for unit in units]
    return [*pairs, *zip(_by_id(rest_a), _by_id(rest_b), strict=False)]


def _by_shown(units: Sequence[SideUnit]) -> dict[str, list[SideUnit]]:
    shown: dict[str, list[SideUnit]] = defaultdict(list)
    for unit in _by_id(units):
        shown[unit.shown_goal_id].append(unit)
    return shown


def _by_id(units: Sequence[SideUnit]) -> list[SideUnit]:
    return sorted(units, key=lambda unit: (unit.shown_goal_id, unit.memory_id))


def _rows_of(side: Side, asked: Mapping[str, SideQuestion], ids: Sequence[str]) -> int:
    """Return how many rows the side has of some questions."""
    units = side.units.units_of_goals
    return sum(units[asked[id_].goal] for id_ in ids)
