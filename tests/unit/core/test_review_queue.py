from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.review_queue import QueueKey, allocation, draw, rank

CANDIDATES = [(f"s{at % 7 % 3}", (f"m{at // 5}", f"q{at % 5}", at % 2)) for at in range(400)]


def test_the_order_of_the_records_makes_no_difference() -> None:
    shuffled = CANDIDATES.copy()
    random.Random(4).shuffle(shuffled)
    assert draw(CANDIDATES, 5, 40) == draw(shuffled, 5, 40)
    assert draw(CANDIDATES, 6, 40) != draw(CANDIDATES, 5, 40)


def test_a_row_that_goes_changes_no_other_row_s_place() -> None:
    drawn = draw([("all", row) for _, row in CANDIDATES], 5, 40)
    gone = drawn[10].row
    fewer = draw([("all", row) for _, row in CANDIDATES if row != gone], 5, 40)
    assert [entry.row for entry in fewer[:39]] == [entry.row for entry in drawn if entry.row != gone]


def test_entries_say_what_they_were_drawn_from() -> None:
    drawn = draw(CANDIDATES, 5, 40)
    assert len(drawn) == 40 == len({entry.row for entry in drawn})
    sizes = {name: sum(stratum == name for stratum, _ in CANDIDATES) for name in ("s0", "s1", "s2")}
    for name, size in sizes.items():
        mine = [entry for entry in drawn if entry.stratum == name]
        assert [entry.position for entry in mine] == list(range(len(mine)))
        assert {(entry.stratum_size, entry.stratum_sampled) for entry in mine} == {(size, len(mine))}
        ranks = [rank(5, entry.row) for entry in mine]
        assert ranks == sorted(ranks)
    half = [sum(entry.stratum == name for entry in drawn[:20]) for name in sizes]
    whole = [sum(entry.stratum == name for entry in drawn) for name in sizes]
    assert all(abs(2 * some - every) <= 2 for some, every in zip(half, whole, strict=True))


def test_more_than_there_is() -> None:
    assert len(draw(CANDIDATES, 5, 1_000)) == 400
    assert draw([], 5, 10) == []


def test_every_row_is_as_likely_as_any_other() -> None:
    counts = dict.fromkeys((row for _, row in CANDIDATES), 0)
    for seed in range(400):
        for entry in draw([("all", row) for _, row in CANDIDATES], seed, 40):
            counts[entry.row] += 1
    # 400 draws at 0.1 each: 40 ± 6; the most extreme of 400 rows stays within some four deviations.
    assert min(counts.values()) > 15 and max(counts.values()) < 70


@given(
    st.dictionaries(st.text(max_size=3), st.integers(1, 5_000), min_size=1, max_size=8), st.integers(1, 400)
)
def test_allocation(sizes: dict[str, int], size: int) -> None:
    found = allocation(sizes, size)
    assert sum(found.values()) == min(size, sum(sizes.values()))
    assert all(0 <= found[name] <= sizes[name] for name in sizes)
    if size >= 2 * len(sizes):
        assert all(found[name] >= min(2, sizes[name]) for name in sizes)
    by_size = sorted(sizes, key=lambda name: sizes[name])
    assert all(found[a] <= found[b] + 1 for a, b in pairwise(by_size))


def test_rare_strata_are_seen() -> None:
    assert allocation({"correct": 10_000, "truncation": 400, "judge": 4}, 100) == {
        "correct": 82,
        "truncation": 16,
        "judge": 2,
    }


@pytest.mark.parametrize(
    ("first", "second"), [(("a", "bc", 0), ("ab", "c", 0)), (("1 a", "b", 0), ("1", " ab", 0))]
)
def test_ranks_tell_ids_apart(first: tuple[str, str, int], second: tuple[str, str, int]) -> None:
    assert rank(1, first) != rank(1, second)


def test_a_queue_s_name() -> None:
    key = QueueKey("by-cause", 5, 100, (("compressor", "lead"), ("ratio", "0.1")))
    assert key.id == "by-cause/5/100/compressor=lead/ratio=0.1"
