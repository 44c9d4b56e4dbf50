"""Where a window is to look: a run, goal, question or memory, resolved in a database by a worker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.filters import Query
from gacc_gui.gui.lists.goals_reads import FIRST_SORT, AskedList, ReadList, read_list
from gacc_gui.store.rows import CellChoice, RunSummary

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

_SQLITE: Final = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look; None where it does not matter. `run` is an id or a unique name."""

    run: str | None = None
    goal_id: str | None = None
    question_id: str | None = None
    memory_id: str | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A place that was found; no summary in a database without runs."""

    summary: RunSummary | None
    unit: int | None
    question_id: str | None
    runs: tuple[RunSummary, ...] = ()
    """All runs of the database."""
    goals: tuple[AskedList, ReadList] | None = None
    """The run's goals as a window begins to list them, read in the same breath."""


def open_place(reader: Reader, place: Place, grouped: bool = False) -> Opened:
    """Find a place, and list the goals there. Raises BadUsage for one that is not there."""
    summaries = reader.runs()
    if place.run is None:
        summary = summaries[0] if summaries else None
    else:
        run_id = reader.resolve_run(place.run)
        summary = next(one for one in summaries if one.run.id == run_id)
    if summary is None:
        if place != Place():
            raise BadUsage("this database has no runs")
        return Opened(None, None, place.question_id)
    unit = None
    if place.goal_id or place.question_id or place.memory_id:
        unit = _find_unit(reader, summary.run.id, place)
    asked = AskedList(summary.run.id, CellChoice(), Query(), FIRST_SORT, False, grouped, unit, None)
    goals = asked, read_list(asked, reader)
    return Opened(summary, unit, place.question_id, tuple(summaries), goals)


def _find_unit(reader: Reader, run_id: str, place: Place) -> int:
    unit = reader.find_unit(run_id, place.goal_id, place.question_id, memory_id=place.memory_id)
    if unit is None:
        named = {"memory": place.memory_id, "goal": place.goal_id, "question": place.question_id}
        words = " and ".join(f"{what} {value!r}" for what, value in named.items() if value)
        raise BadUsage(f"the run {run_id!r} has nothing evaluated for {words}")
    return unit


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, by its first bytes."""
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False
