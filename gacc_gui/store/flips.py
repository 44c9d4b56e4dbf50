"""Which units belong to a series that flips so or so: the filter's `flip:` term over the stored strips.

Owns this read. The law is `core.flips`, the other terms are `queries`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping

from gacc_gui.core.flips import MONOTONE, NONMONOTONE, STEADY, masks, turned


def flip_units(
    connection: sqlite3.Connection,
    run_key: int,
    span: tuple[int, int],
    wanted: Collection[str],
    reviewed: Mapping[int, str] | None = None,
) -> list[int]:
    """Return the units of a run whose series flips in one of the wanted ways (`core.flips.FLIPS`).

    `span` is the stretch of keys that the run's units lie in; `reviewed` are strips that count in place of
    those stored.
    """
    cells = connection.execute(
        "SELECT cell_key, compressor, revision, condition, ratio_value FROM cells WHERE run_key = ?",
        (run_key,),
    ).fetchall()
    ratios = sorted({cell[4] for cell in cells})
    rank_of = {cell[0]: ratios.index(cell[4]) for cell in cells}
    kinds: dict[tuple[str, str, str], int] = {}
    kind_of = {cell[0]: kinds.setdefault(cell[1:4], len(kinds)) for cell in cells}
    # Whole columns as JSON, as the goals list reads them: a row at a time costs twice as much. Goal,
    # generation and repeat as one number, which no other combination has.
    most = connection.execute(
        "SELECT coalesce(max(generation), 0), coalesce(max(repeat), 0) FROM units"
        " WHERE +run_key = ? AND unit BETWEEN ? AND ?",
        (run_key, *span),
    ).fetchone()
    row = connection.execute(
        "SELECT json_group_array(unit), json_group_array(cell_key), json_group_array(strip),"
        " json_group_array((goal_key * ? + generation) * ? + repeat) FROM units"
        " WHERE +run_key = ? AND unit BETWEEN ? AND ?",
        (most[0] + 1, most[1] + 1, run_key, *span),
    ).fetchone()
    units, cell_keys, strips, goals = map(json.loads, row)
    if reviewed:
        strips = [reviewed.get(unit, strip) for unit, strip in zip(units, strips, strict=True)]
    known = {strip: masks(strip) for strip in set(strips)}
    series = [goal * len(kinds) + kind_of[cell] for goal, cell in zip(goals, cell_keys, strict=True)]
    ranks = [rank_of[cell] for cell in cell_keys]
    lost, gained = _turned(series, ranks, [known[strip] for strip in strips])
    ways = {
        NONMONOTONE: lost,
        MONOTONE: gained - lost,
        STEADY: set(series).difference(lost, gained) if STEADY in wanted else set(),
    }
    chosen = set().union(*(ways[way] for way in wanted))
    return [unit for unit, one in zip(units, series, strict=True) if one in chosen]


def _turned(series: list[int], ranks: list[int], steps: list[tuple[int, int]]) -> tuple[set[int], set[int]]:
    """Return the series in which a question is lost at a larger budget, and those in which one is gained."""
    order = sorted(range(len(series)), key=ranks.__getitem__)
    if len(set(zip(series, ranks, strict=True))) < len(series):
        return _with_equal_ranks(series, ranks, steps, order)
    right_before: dict[int, int] = {}
    wrong_before: dict[int, int] = {}
    lost: set[int] = set()
    gained: set[int] = set()
    for at in order:
        one = series[at]
        right, wrong = steps[at]
        was_right, was_wrong = right_before.get(one, 0), wrong_before.get(one, 0)
        if was_right & wrong:
            lost.add(one)
        if was_wrong & right:
            gained.add(one)
        right_before[one] = was_right | right
        wrong_before[one] = was_wrong | wrong
    return lost, gained


def _with_equal_ranks(
    series: list[int], ranks: list[int], steps: list[tuple[int, int]], order: list[int]
) -> tuple[set[int], set[int]]:
    """The same where a series has several units at one ratio: several memories of a goal in a cell."""
    members: dict[int, list[tuple[int, tuple[int, int]]]] = {}
    for at in order:
        members.setdefault(series[at], []).append((ranks[at], steps[at]))
    found = {one: turned(path) for one, path in members.items()}
    return {one for one, (lost, _) in found.items() if lost}, {
        one for one, (_, gained) in found.items() if gained
    }
