"""How often the corrected Micro's interval holds the truth: simulated reviews of a judge with known errors.

A made run of contexts, goals and questions, whose truth hangs together within contexts; a judge that calls a
right answer wrong, a wrong one right, and some neither, more often in some contexts; reviewers who see the
truth. Reviews follow the program's own queues, to their end or half-way, and its own estimates.

python tests/bench/bench_corrected_micro.py [--reviews 500]

Exits with 1 where a coverage is below 93 %.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[2]))
from gacc_gui.core.review_queue import draw
from gacc_gui.core.reviewing import Row
from gacc_gui.core.sample_estimates import SampledRow, corrected_micro, groups_of

TARGET = 0.93


@dataclass(frozen=True)
class Made:
    """A row: what is true, what the judge says, and the cause that is put to it."""

    row: Row
    right: bool
    judge: str
    cause: str
    answered: bool


@dataclass(frozen=True)
class Case:
    """A judge's rates of error, and how its rows are sampled."""

    name: str
    false_correct: float
    false_incorrect: float
    no_verdict: float
    kind: str
    size: int
    part: float = 1.0


CASES = (
    Case("careful judge", 0.02, 0.02, 0.01, "random", 100),
    Case("careful judge", 0.02, 0.02, 0.01, "by-cause", 100),
    Case("lenient judge", 0.15, 0.03, 0.02, "random", 150),
    Case("lenient judge", 0.15, 0.03, 0.02, "by-cause", 150),
    Case("severe judge", 0.02, 0.25, 0.05, "by-cause", 150),
    Case("severe judge, half-way", 0.02, 0.25, 0.05, "by-cause", 150, 0.5),
    Case("lenient judge, half-way", 0.15, 0.03, 0.02, "random", 150, 0.5),
    Case("small queue", 0.1, 0.1, 0.03, "by-cause", 40),
    Case("nearly all rows", 0.1, 0.1, 0.03, "random", 1_200),
)


def made_run(case: Case, chance: random.Random, contexts: int = 60, goals: int = 2) -> list[Made]:
    """Return the rows of a made run, some 1,500."""
    rows = []
    for context in range(contexts):
        ease = chance.betavariate(2, 1.5)  # contexts are easy or hard,
        mood = chance.choice((0.3, 1.0, 1.7))  # and the judge errs more on some
        for goal in range(goals):
            for question in range(chance.randint(5, 20)):
                right = chance.random() < ease
                answered = chance.random() > 0.01
                judge = "correct" if right else "incorrect"
                if chance.random() < case.no_verdict * mood:
                    judge = "no_verdict"
                elif chance.random() < (case.false_incorrect if right else case.false_correct) * mood:
                    judge = "incorrect" if right else "correct"
                cause = {"correct": "correct", "no_verdict": "no-verdict"}.get(judge) or chance.choice(
                    ("truncation", "truncation", "truncation", "compressor", "compressor", "reader", "item")
                )
                row = f"c{context}/g{goal}", f"q{question}", 0
                rows.append(Made(row, right and answered, judge, cause, answered))
    return rows


def review(case: Case, rows: list[Made], seed: int) -> tuple[bool, float, float]:
    """Review a queue; return whether the interval holds the truth, its width, and the estimate's error."""
    answered = {made.row: made for made in rows if made.answered}
    strata = {row: made.cause if case.kind == "by-cause" else "all" for row, made in answered.items()}
    queue = draw(((strata[row], row) for row in answered), seed, case.size)
    done = queue[: round(len(queue) * case.part)]
    sizes = Counter((strata[row], made.judge) for row, made in answered.items())
    sampled = [
        SampledRow(entry.stratum, made.judge, "correct" if made.right else "incorrect")
        for entry in done
        if (made := answered[entry.row])
    ]
    groups = groups_of(sizes, sampled)
    if isinstance(groups, str):
        raise SystemExit(groups)
    found = corrected_micro(groups, len(rows) - len(answered))
    truth = sum(made.right for made in rows) / len(rows)
    low, high = found.ci95
    return low <= truth <= high, high - low, found.value - truth


def main() -> int:
    """Print the coverage of every case."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--reviews", type=int, default=500)
    reviews = arguments.parse_args().reviews
    worst = 1.0
    print("case                       queue      size   coverage   width    bias")
    for number, case in enumerate(CASES):
        chance = random.Random(number)
        held, widths, errors = 0, 0.0, 0.0
        rows = made_run(case, chance)
        for seed in range(reviews):
            if seed % 25 == 0:  # other runs, too
                rows = made_run(case, chance)
            holds, width, error = review(case, rows, seed)
            held, widths, errors = held + holds, widths + width, errors + error
        coverage = held / reviews
        worst = min(worst, coverage)
        print(
            f"{case.name:26} {case.kind:9} {round(case.size * case.part):5}   {coverage:7.1%}"
            f"  {widths / reviews:6.3f}  {errors / reviews:+.4f}"
        )
    verdict = "reached" if worst >= TARGET else "NOT reached"
    print(f"lowest coverage {worst:.1%} (target {TARGET:.0%}, {verdict})")
    return 0 if worst >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
