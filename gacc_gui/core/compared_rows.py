"""The rows of a pair of cells as a list to look through: pairs by bucket, and what has no partner.

Owns the compact form: some bytes a row, so that hundreds of thousands can be kept at hand. Pairing is
`core.pairing`.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from gacc_gui.core.comparison import BUCKETS, bucket_of
from gacc_gui.core.pairing import Pairing
from gacc_gui.core.sides import MARKS, Side, SideQuestion, SideUnit

ONLY_A: Final = "only_a"
ONLY_B: Final = "only_b"
TEXTS_DIFFER: Final = "texts_differ"
ROW_BUCKETS: Final = (*BUCKETS, ONLY_A, ONLY_B, TEXTS_DIFFER)
"""Every listed row is in one."""

NO_UNIT: Final = -1
NO_CAUSE: Final = ord(" ")


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One row: a question under A, under B, or both. A unit is the store's key, a cause its letter."""

    question: SideQuestion
    bucket: str
    unit_a: int | None
    unit_b: int | None
    cause_a: str | None
    cause_b: str | None
    generation: int
    repeat: int


@dataclass(frozen=True, slots=True)
class ComparedRows:
    """Rows in the order of A's questions, those that only B has last, then of generation and repeat."""

    questions: tuple[SideQuestion, ...]
    _question: array[int]
    _units_a: array[int]
    _units_b: array[int]
    _generations: array[int]
    _repeats: array[int]
    _buckets: array[int]
    _causes_a: array[int]
    _causes_b: array[int]

    def __len__(self) -> int:
        return len(self._buckets)

    def __getitem__(self, place: int) -> ComparedRow:
        unit_a, unit_b = self._units_a[place], self._units_b[place]
        return ComparedRow(
            self.questions[self._question[place]],
            ROW_BUCKETS[self._buckets[place]],
            None if unit_a == NO_UNIT else unit_a,
            None if unit_b == NO_UNIT else unit_b,
            None if unit_a == NO_UNIT else chr(self._causes_a[place]),
            None if unit_b == NO_UNIT else chr(self._causes_b[place]),
            self._generations[place],
            self._repeats[place],
        )

    def counts(self) -> dict[str, int]:
        """Return how many rows are in each bucket."""
        return {bucket: self._buckets.count(number) for number, bucket in enumerate(ROW_BUCKETS)}

    def places(self, buckets: Iterable[str]) -> array[int]:
        """Return the places of the rows in some buckets, in order."""
        wanted = {ROW_BUCKETS.index(bucket) for bucket in buckets}
        return array("q", [place for place, bucket in enumerate(self._buckets) if bucket in wanted])

    def of_units(self, units: Collection[int]) -> Iterator[int]:
        """Yield the places of the rows of some units, on either side, in order."""
        for place, pair in enumerate(zip(self._units_a, self._units_b, strict=True)):
            if pair[0] in units or pair[1] in units:
                yield place


class _Entry(NamedTuple):
    question: int
    generation: int
    repeat: int
    unit_a: int
    unit_b: int
    bucket: int
    cause_a: int
    cause_b: int


_KEYS: Final = 5
"""The fields that rows are ordered by: all up to `unit_b`."""
_STRETCH: Final = 10_000


def list_rows(a: Side, b: Side, pairing: Pairing) -> ComparedRows:
    """List all rows of two sides that were paired."""
    numbers: dict[str, int] = {}
    questions: list[SideQuestion] = []
    for question in (*a.questions, *b.questions):
        if question.id not in numbers:
            numbers[question.id] = len(questions)
            questions.append(question)
    ids_a, ids_b = _ids(a), _ids(b)
    taken_a, taken_b = _taken(pairing, True), _taken(pairing, False)
    refused = set(pairing.accounts.texts_differ)

    def entries() -> Iterator[_Entry]:
        yield from _pairs(pairing, numbers, ids_a)
        for unit, place, id_ in _unpaired(a.units, ids_a, taken_a):
            bucket = ROW_BUCKETS.index(TEXTS_DIFFER if id_ in refused else ONLY_A)
            key = numbers[id_], unit.generation, unit.repeat
            yield _Entry(*key, unit.unit, NO_UNIT, bucket, ord(unit.causes[place]), NO_CAUSE)
        for unit, place, id_ in _unpaired(b.units, ids_b, taken_b):
            bucket = ROW_BUCKETS.index(TEXTS_DIFFER if id_ in refused else ONLY_B)
            key = numbers[id_], unit.generation, unit.repeat
            yield _Entry(*key, NO_UNIT, unit.unit, bucket, NO_CAUSE, ord(unit.causes[place]))

    asked, generations, repeats, units_a, units_b, buckets, causes_a, causes_b = _sorted(entries())
    return ComparedRows(
        tuple(questions), asked, units_a, units_b, generations, repeats, buckets, causes_a, causes_b
    )


def _sorted(entries: Iterator[_Entry]) -> list[array[int]]:
    """Return the columns of the entries in their order.

    A window is open beside this: sorting 300,000 tuples would hold the interpreter for 0.13 s (measured
    2026-11), while numpy lets it go.
    """
    import numpy as np

    columns = [array("q") for _ in _Entry._fields]
    while stretch := list(islice(entries, _STRETCH)):
        for column, values in zip(columns, zip(*stretch, strict=True), strict=True):
            column.extend(values)
    found = [np.asarray(column) for column in columns]
    order = np.lexsort(found[_KEYS - 1 :: -1])  # the last one first
    return [array("q", column[order].tobytes()) for column in found]


def _ids(side: Side) -> Mapping[int, list[str]]:
    """Return the ids of each goal's questions in the order of a unit's rows."""
    placed: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for question in side.questions:
        placed[question.goal].append((question.place, question.id))
    return {goal: [id_ for _, id_ in sorted(places)] for goal, places in placed.items()}


def _pairs(pairing: Pairing, numbers: Mapping[str, int], ids: Mapping[int, list[str]]) -> Iterator[_Entry]:
    buckets = {(a, b): BUCKETS.index(bucket_of(a, b)) for a in MARKS for b in MARKS}
    for cell in pairing.cells:
        for a, b, _, places in cell.units:
            for i, j in places:
                yield _Entry(
                    numbers[ids[a.goal][i]],
                    a.generation,
                    a.repeat,
                    a.unit,
                    b.unit,
                    buckets[a.marks[i], b.marks[j]],
                    ord(a.causes[i]),
                    ord(b.causes[j]),
                )


def _taken(pairing: Pairing, of_a: bool) -> Mapping[int, set[int]]:
    """Return the places of the paired rows of each unit of a side."""
    taken: dict[int, set[int]] = defaultdict(set)
    for cell in pairing.cells:
        for pair in cell.units:
            unit = pair.a if of_a else pair.b
            taken[unit.unit].update(place[not of_a] for place in pair.places)
    return taken


def _unpaired(
    units: Iterable[SideUnit], ids: Mapping[int, list[str]], taken: Mapping[int, set[int]]
) -> Iterator[tuple[SideUnit, int, str]]:
    for unit in units:
        paired = taken.get(unit.unit, set())
        if len(paired) == len(unit.marks):
            continue
        for place, id_ in enumerate(ids[unit.goal]):
            if place not in paired:
                yield unit, place, id_
