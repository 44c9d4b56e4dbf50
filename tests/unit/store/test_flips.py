"""`flip:` against the strips, series by series."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gacc_gui.core.filters import parse
from gacc_gui.core.records import Answer, Cell, Context, Goal, Memory, Question, Record, Run, Verdict
from gacc_gui.store.reads import Reader

RUN = Run("flips", "flips")
RATIOS = ("0.05", "0.1", "0.25")


def make_run(seed: int, *, twice: bool) -> list[Record]:
    """Two goals, two compressors, three ratios, two generations, two repeats; verdicts at random.

    `twice`: one goal has two memories in the same cell and generation.
    """
    rng = random.Random(seed)
    records: list[Record] = [Context("c", "Nothing to see.")]
    memories: list[Memory] = []
    for goal in ("g1", "g2"):
        records.append(Goal(goal, "c", goal))
        records += [Question(f"{goal}q{n}", goal, "What?", ()) for n in range(2)]
        for compressor in ("a", "b"):
            for generation in range(2):
                for ratio in rng.sample(RATIOS, 3):
                    memories.append(_memory(len(memories), goal, compressor, ratio, generation))
    if twice:
        memories.append(_memory(len(memories), "g1", "a", "0.1", 0))
    records += memories
    for memory in memories:
        for question in (f"{memory.goal_id}q0", f"{memory.goal_id}q1"):
            for repeat in range(2):
                label = rng.choice(("correct", "correct", "incorrect", None))
                records.append(Answer(memory.id, question, repeat, "x", "ok"))
                status = "judged" if label else "unparsed"
                records.append(Verdict(memory.id, question, repeat, label, status))
    return records


def _memory(number: int, goal: str, compressor: str, ratio: str, generation: int) -> Memory:
    cell = Cell(compressor, "1", "own-goal", ratio)
    return Memory(f"m{number}", goal, goal, cell, 3, generation, "N", "N", None, "ok")


def expected(rows: list[Any], wanted: str) -> set[int]:
    """Every pair of units of a series, question by question."""
    series: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        key = (row.goal_id, row.cell.compressor, row.cell.condition, row.generation, row.repeat)
        series.setdefault(key, []).append(row)
    found = set()
    for members in series.values():
        lost = gained = False
        for one in members:
            for other in members:
                if float(one.cell.ratio) < float(other.cell.ratio):
                    for before, after in zip(one.strip, other.strip, strict=True):
                        lost |= before == "✓" and after not in "✓–"
                        gained |= after == "✓" and before not in "✓–"
        flip = "nonmonotone" if lost else "monotone" if gained else "none"
        if flip == wanted:
            found |= {row.unit for row in members}
    return found


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_filter_agrees_with_pairs_of_units(store: Any, seed: int, twice: bool) -> None:
    store.write(make_run(seed, twice=twice), RUN)
    with Reader(store.path) as reader:
        everything = reader.goal_units("flips")
        rows = reader.goal_rows(everything)
        assert len({row.generation for row in rows}) == len({row.repeat for row in rows}) == 2
        for flip in ("none", "monotone", "nonmonotone"):
            found = set(reader.goal_units("flips", query=parse(f"flip:{flip}")))
            assert found == expected(rows, flip)
            assert set(reader.goal_units("flips", query=parse(f"-flip:{flip}"))) == set(everything) - found
        both = reader.goal_units("flips", query=parse("flip:monotone,nonmonotone compressor:a"))
        wanted = expected(rows, "monotone") | expected(rows, "nonmonotone")
        assert set(both) == {row.unit for row in rows if row.cell.compressor == "a"} & wanted
