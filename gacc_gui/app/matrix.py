"""A goal's questions over all cells of its run, and which goals there are to look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from gacc_gui.core.matrix import Matrix, goal_matrix

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import Decided


Shown = Callable[[int, str], str]
"""From a unit and its strip as judged to the strip that is to be shown."""


def _as_judged(_unit: int, strip: str) -> str:
    return strip


@dataclass(frozen=True, slots=True)
class RunGoals:
    """The goals of a run with questions, in file order; `lost`: a larger budget loses a question."""

    ids: tuple[str, ...]
    lost: frozenset[str]


def matrix_of(
    reader: Reader, run_id: str, goal_id: str, *, together: bool = False, shown: Shown = _as_judged
) -> Matrix:
    """Return the matrix of a goal; `together` sums repeats and generations, `shown` may alter strips.

    Raises BadUsage for an unknown goal.
    """
    from gacc_gui.store import matrix_reads

    text, questions, units = reader.on_run(
        run_id, lambda connection, run_key: matrix_reads.goal_of(connection, run_key, goal_id)
    )
    altered = [replace(unit, strip=shown(unit.unit, unit.strip)) for unit in units]
    return goal_matrix(goal_id, text, questions, altered, together=together)


def run_goals(reader: Reader, run_id: str, decided: Decided | None = None) -> RunGoals:
    """Return the goals of a run to walk through, by the decisions that count and without what is hidden."""
    from gacc_gui.store import matrix_reads

    return RunGoals(
        tuple(reader.on_run(run_id, matrix_reads.goal_ids)),
        frozenset(reader.on_run(run_id, partial(matrix_reads.lost_goals, decided=decided))),
    )
