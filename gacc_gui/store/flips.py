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
    kinds: dict[tuple[str, str, str], int] = {}
    at_ratio: dict[float, list[tuple[int, str]]] = {}
    of_cell = {
        cell[0]: (kinds.setdefault(cell[1:4], len(kinds)), at_ratio.setdefault(cell[4], [])) for cell in cells
    }
    # Whole columns as JSON, as the goals list reads them: a row at a time costs twice as much. Goal,
    # generation and repeat as one number, which no other combination has.
    most = connection.execute(
        "SELECT coalesce(max(generation), 0), coalesce(max(repeat), 0) FROM units"
        " WHERE +run_key = ? AND unit BETWEEN ? AND ?",
        (run_key, *span),
    ).fetchone()
    row = connection.execute(
        "SELECT json_group_array(unit), json_group_array(cell_key),"
        " json_group_array((goal_key * ? + generation) * ? + repeat), group_concat(strip, ' ') FROM units"
        " WHERE +run_key = ? AND unit BETWEEN ? AND ?",
        (most[0] + 1, most[1] + 1, run_key, *span),
    ).fetchone()
    units, cell_keys, goals = map(json.loads, row[:3])
    # Letters only: no JSON is needed to tell them apart.
    strips = row[3].split(" ") if row[3] is not None else []
    if reviewed:
        strips = [reviewed.get(unit, strip) for unit, strip in zip(units, strips, strict=True)]
    series: list[int] = []
    whole = len(kinds)
    for goal, cell, strip in zip(goals, cell_keys, strips, strict=True):
        kind, step = of_cell[cell]
        one = goal * whole + kind
        series.append(one)
        step.append((one, strip))
    steps = [at_ratio[ratio] for ratio in sorted(at_ratio)]
    known = {strip: masks(strip) for strip in set(strips)}
    right = {strip: bits for strip, (bits, _) in known.items()}
    wrong = {strip: bits for strip, (_, bits) in known.items()}
    lost = turned(steps, right, wrong)
    gained = turned(steps, wrong, right) if set(wanted) != {NONMONOTONE} else set()
    ways = {
        NONMONOTONE: lost,
        MONOTONE: gained - lost,
        STEADY: set(series).difference(lost, gained) if STEADY in wanted else set(),
    }
    chosen = set().union(*(ways[way] for way in wanted))
    return [unit for unit, one in zip(units, series, strict=True) if one in chosen]
