"""Lists for a reviewer who is to decide first: nothing in them follows from a verdict that is hidden."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from gacc_gui.app.matrix import run_goals
from gacc_gui.core.filters import KEYS, Key, parse
from gacc_gui.core.records import Record, Review, Verdict
from gacc_gui.store.queries import SORTS
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import Decided

from .conftest import Store, review
from .test_queries import varied_run

HIDDEN_ROWS = 14
TEXTS: Mapping[str, tuple[str, ...]] = {
    "origin": ("ours", ""),
    "reviewer": ("Ada", ""),
    "tag": ("odd", ""),
    "question-id": ("c0 / g2 q0",),
}


def values_of(key: Key) -> tuple[str, ...]:
    return key.values or TEXTS.get(key.name, ("1",))


TERMS = [
    f'{key.name}{sign}"{value}"' if sign == ":" else f"{key.name}{sign}{value}"
    for key in KEYS.values()
    for value in values_of(key)
    for sign in ((":",) if key.kind in ("choice", "text") else ("=", "<=", ">"))
]
QUERIES = [
    "",
    *TERMS,
    *(f"-{term}" for term in TERMS),
    'label:incorrect question-id:"c0 / g2 q0"',
    "unheard-of",
    "-unheard-of",
    "noon -so",
]


def told_otherwise(records: list[Record], hidden: set[tuple[str, str, int]], seed: int) -> list[Record]:
    """The run as other judges and reviewers would have left it, whose word differs on the hidden rows."""
    rng = random.Random(seed)
    other: list[Record] = []
    for record in records:
        if isinstance(record, Verdict) and (record.memory_id, record.question_id, record.repeat) in hidden:
            other.append(
                replace(
                    record,
                    label=rng.choice(["correct", "incorrect"]),
                    status=rng.choice(["judged", "judged", "refused"]),
                    rationale=rng.choice(["unheard-of", None]),
                )
            )
        elif isinstance(record, Review):
            other.append(
                replace(
                    record,
                    decision=rng.choice(["correct", "incorrect", "unclear"]),
                    tags=rng.choice([(), ("odd",)]),
                )
            )
        else:
            other.append(record)
    return other


@pytest.mark.parametrize("indexed", [False, True])
def test_no_list_tells_a_hidden_verdict(tmp_path: Path, indexed: bool) -> None:
    """Runs that differ in hidden verdicts and decisions alone give the same lists, whatever is asked."""
    records = varied_run()
    verdicts = [record for record in records if isinstance(record, Verdict)]
    chosen = random.Random(1).sample(verdicts, HIDDEN_ROWS)
    hidden = {(one.memory_id, one.question_id, one.repeat) for one in chosen}
    said = [
        review(f"v{number}", memory=row[0], question=row[1], repeat=row[2])
        for number, row in enumerate(sorted(hidden)[:5])
    ]
    stores = []
    for seed in (1, 2, 3):
        store = Store(tmp_path / f"{seed}.db")
        store.write(told_otherwise([*records, *said], hidden, seed))
        if indexed:
            store.index()
        stores.append(store)
    readers = [Reader(store.path) for store in stores]
    try:
        places: dict[int, frozenset[int]] = {}
        for unit in readers[0].goal_units("r1"):
            view = readers[0].unit_view(unit)
            rows = ((view.memory.id, row.question.id, view.repeat) for row in view.rows)
            if found := frozenset(place for place, row in enumerate(rows) if row in hidden):
                places[unit] = found
        decided = Decided((), False, places)
        assert sum(map(len, places.values())) == HIDDEN_ROWS
        differs = 0
        for text in QUERIES:
            query = parse(text)
            lists = [list(reader.goal_units("r1", query=query, decided=decided)) for reader in readers]
            assert lists[0] == lists[1] == lists[2], text
            open_lists = [set(reader.goal_units("r1", query=query)) for reader in readers]
            differs += len(set(map(frozenset, open_lists))) > 1
        assert differs > 20  # what was asked would have told it
        for sort in SORTS:
            for descending in (False, True):
                for grouped in (False, True):
                    asked = partial(
                        Reader.goal_units,
                        run_id="r1",
                        sort=sort,
                        descending=descending,
                        grouped=grouped,
                        decided=decided,
                    )
                    lists = [list(asked(reader)) for reader in readers]
                    assert lists[0] == lists[1] == lists[2], asked
        lost = [run_goals(reader, "r1", decided).lost for reader in readers]
        assert lost[0] == lost[1] == lost[2]
        # they are all there, and last where the order is by what is right
        for sort in ("away", "correct"):
            for descending in (False, True):
                units = readers[0].goal_units("r1", sort=sort, descending=descending, decided=decided)
                assert set(units[-len(places) :]) == set(places), sort
        # a visible row of such a unit is found, as ever
        some = next(
            (unit, place, view)
            for unit in places
            for view in [readers[0].unit_view(unit)]
            for place, row in enumerate(view.rows)
            if place not in places[unit] and row.label == "incorrect"
        )
        unit, place, view = some
        query = parse(f'label:incorrect question-id:"{view.rows[place].question.id}"')
        assert unit in readers[0].goal_units("r1", query=query, decided=decided)
    finally:
        for reader in readers:
            reader.close()
