"""Reads the items of a file: contexts, goals and questions of a `gacc-dataset`, a `gacc-run` or a table.

Owns which records count as items, and what an evaluation refuses. Reading itself is `formats.gacc_run` and
`formats.table_dataset`, checking for fairness `app.linting`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import NOTHING, Context, Goal, Question
from gacc_gui.formats.gacc_run import RunFile
from gacc_gui.formats.items import Item, Parsed
from gacc_gui.formats.json_values import dumps
from gacc_gui.formats.record_writing import json_object
from gacc_gui.formats.table_dataset import is_table, read_table

ItemRecord = Context | Goal | Question


@dataclass(frozen=True, slots=True)
class Dataset:
    """What an evaluation is made over: sound items in the order of the file."""

    contexts: tuple[Context, ...]
    goals: tuple[Goal, ...]
    questions: tuple[Question, ...]

    @property
    def sha256(self) -> str:
        """Return a hash of the items themselves: the same in whatever form they were stored."""
        digest = hashlib.sha256()
        records: tuple[ItemRecord, ...] = (*self.contexts, *self.goals, *self.questions)
        for record in records:
            line = dumps([type(record).__name__, json_object(record)])
            digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
        return f"sha256:{digest.hexdigest()}"


def read_item_records(path: Path | str) -> Iterator[Item]:
    """Yield every context, goal and question of a file, and every line that holds no usable record.

    Raises BadInput where the file as a whole, or in a JSON document one record, cannot be used.
    """
    with RunFile(Path(path), datasets=True) as file:
        for item in file:
            if not isinstance(item, Parsed) or isinstance(item.record, Context | Goal | Question):
                yield item


def read_dataset(
    path: Path | str, columns: Mapping[str, str] = NOTHING, *, contexts: int | None = None
) -> Dataset:
    """Return the items of a file, of its first `contexts` contexts where that is given.

    A table (`.parquet`, `.csv`) needs `columns`: what it is for us → the column's name. Raises BadInput for
    anything that would make an evaluation of less than the file says: a bad line, an id that stands twice, a
    goal without its context, a question without its goal, no goal at all.
    """
    path = Path(path)
    if is_table(path) or columns:
        records = list(read_table(path, columns))
    else:
        records = list(_sound_records(path))
    dataset = Dataset(
        contexts=tuple(record for record in records if isinstance(record, Context)),
        goals=tuple(record for record in records if isinstance(record, Goal)),
        questions=tuple(record for record in records if isinstance(record, Question)),
    )
    _check(dataset, path)
    return dataset if contexts is None else _first(dataset, contexts)


def _sound_records(path: Path) -> Iterator[ItemRecord]:
    for item in read_item_records(path):
        if not isinstance(item, Parsed):
            raise BadInput(
                item.reason, path=str(path), record=None if item.line is None else f"line {item.line}"
            )
        if isinstance(item.record, Context | Goal | Question):
            yield item.record


def _check(dataset: Dataset, path: Path) -> None:
    lists: tuple[tuple[str, Sequence[ItemRecord]], ...] = (
        ("context", dataset.contexts),
        ("goal", dataset.goals),
        ("question", dataset.questions),
    )
    known: dict[str, set[str]] = {}
    for kind, records in lists:
        known[kind] = set()
        for record in records:
            if record.id in known[kind]:
                raise BadInput("the id stands twice", path=str(path), record=f"{kind} {record.id}")
            known[kind].add(record.id)
    for goal in dataset.goals:
        if goal.context_id not in known["context"]:
            reason = f"there is no context {goal.context_id!r:.80}"
            raise BadInput(reason, path=str(path), record=f"goal {goal.id}")
    for question in dataset.questions:
        if question.goal_id not in known["goal"]:
            reason = f"there is no goal {question.goal_id!r:.80}"
            raise BadInput(reason, path=str(path), record=f"question {question.id}")
    if not dataset.goals:
        raise BadInput("there is no goal in it, so there is nothing to evaluate", path=str(path))


def _first(dataset: Dataset, count: int) -> Dataset:
    contexts = dataset.contexts[:count]
    kept = {context.id for context in contexts}
    goals = tuple(goal for goal in dataset.goals if goal.context_id in kept)
    asked = {goal.id for goal in goals}
    return Dataset(contexts, goals, tuple(q for q in dataset.questions if q.goal_id in asked))
