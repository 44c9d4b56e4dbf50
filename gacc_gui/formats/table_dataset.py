"""Reads a dataset out of a table, Parquet or CSV: one row a question, its goal and context beside it.

Owns the mapping of columns, ids where the table has none, and how lists stand in a cell. Not here: what makes
a dataset sound (`formats.dataset`).

In a cell, references are a list, a JSON list, or one text; evidence is a list (in CSV a JSON list) of quotes,
of `{"start", "end"}` or of `{"quote"}`. Without a column of ids, an id is made of the texts, so that the same
table always gives the same ids.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import Context, Goal, Json, Question
from gacc_gui.formats.json_values import mended

COLUMNS: Final = (
    *("context", "context_id", "title", "origin", "license"),
    *("goal", "goal_id", "question", "question_id", "references", "evidence"),
)
"""What a column can hold."""
NEEDED: Final = ("context", "goal", "question")
_SUFFIXES: Final = (".parquet", ".pq", ".csv", ".tsv")
_BATCH: Final = 1_000
_LONGEST_CELL: Final = 2**31 - 1
"""A context may be longer than the 131,072 characters that the csv module allows by itself."""
_SEPARATORS: Final[Mapping[str, str]] = {".tsv": "\t"}


def is_table(path: Path) -> bool:
    """Whether a file is a table, by its name."""
    return path.suffix.lower() in _SUFFIXES


def read_table(path: Path, columns: Mapping[str, str]) -> Iterator[Context | Goal | Question]:
    """Yield the items of a table, each once, a context before its goals and they before their questions.

    `columns`: what it is for us (`COLUMNS`) → the column's name. Raises BadInput, naming the file and the row
    (counted from 1, without the heading), for a column that is not there, an empty text, or a text that
    differs from that of an earlier row with the same id.
    """
    for name in NEEDED:
        if name not in columns:
            raise BadInput(
                f"a table needs dataset.columns.{name}, the column with the {name}", path=str(path)
            )
    if unknown := sorted(set(columns) - set(COLUMNS)):
        raise BadInput(f"dataset.columns has no {unknown[0]!r}", path=str(path))
    if not is_table(path):
        raise BadInput("columns are for tables (.parquet, .csv, .tsv)", path=str(path))
    parquet = path.suffix.lower() in (".parquet", ".pq")
    items = _Items(path, columns)
    try:
        for number, row in enumerate((_parquet_rows if parquet else _csv_rows)(path, columns), start=1):
            yield from items.of(row, number)
    except OSError as error:
        raise BadInput((error.strerror or str(error)).lower(), path=str(path)) from error


@dataclass(slots=True)
class _Items:
    path: Path
    columns: Mapping[str, str]
    contexts: dict[str, Context] = field(default_factory=dict)
    goals: dict[str, Goal] = field(default_factory=dict)
    questions: set[str] = field(default_factory=set)

    def of(self, row: Mapping[str, Any], number: int) -> Iterator[Context | Goal | Question]:
        """Yield what a row has that no earlier row had."""
        text = self._text(row, "context", number)
        id = self._optional(row, "context_id", number) or _id("c", text)
        context = self.contexts.get(id)
        if context is None:
            title, origin, license = (
                self._optional(row, name, number) for name in ("title", "origin", "license")
            )
            context = self.contexts[id] = Context(id, text, title, origin, license)
            yield context
        elif context.text != text:
            raise self._bad(number, f"the context {id!r:.80} has another text in an earlier row")
        wanted = self._text(row, "goal", number)
        id = self._optional(row, "goal_id", number) or _id("g", context.id, wanted)
        goal = self.goals.get(id)
        if goal is None:
            goal = self.goals[id] = Goal(id, context.id, wanted)
            yield goal
        elif (goal.context_id, goal.text) != (context.id, wanted):
            raise self._bad(number, f"the goal {id!r:.80} has another text or context in an earlier row")
        yield self._question(row, number, goal)

    def _question(self, row: Mapping[str, Any], number: int, goal: Goal) -> Question:
        asked = self._text(row, "question", number)
        given = self._optional(row, "question_id", number)
        if given is not None and given in self.questions:
            raise self._bad(number, f"the question {given!r:.80} stands in an earlier row")
        id = given or _id("q", goal.id, asked)
        same = 1
        while id in self.questions:  # the same question twice, in a table without ids
            same += 1
            id = f"{_id('q', goal.id, asked)}-{same}"
        self.questions.add(id)
        return Question(
            id,
            goal.id,
            asked,
            references=self._references(row, number),
            evidence=self._evidence(row, number),
        )

    def _references(self, row: Mapping[str, Any], number: int) -> tuple[str, ...] | None:
        value = self._list(row, "references")
        if value is None:
            return None
        texts = [_plain(item) for item in value]
        if not all(isinstance(text, str) for text in texts):
            raise self._bad(number, "a reference is no text")
        return tuple(text for text in texts if text is not None)

    def _evidence(self, row: Mapping[str, Any], number: int) -> tuple[Mapping[str, Json], ...] | None:
        value = self._list(row, "evidence")
        if value is None:
            return None
        pieces: list[Mapping[str, Json]] = []
        for item in value:
            if isinstance(item, str):
                pieces.append({"quote": mended(item)})
                continue
            # A Parquet struct has all its fields in every row, empty ones as null.
            known = {k: v for k, v in item.items() if v is not None} if isinstance(item, dict) else {}
            is_span = type(known.get("start")) is int and type(known.get("end")) is int
            if not is_span and not isinstance(known.get("quote"), str):
                raise self._bad(number, "a piece of evidence needs start and end, or a quote")
            pieces.append(known)
        return tuple(pieces)

    def _list(self, row: Mapping[str, Any], name: str) -> list[Any] | None:
        """Return a cell as a list; None where it is empty."""
        value = _cell(row, self.columns.get(name))
        if isinstance(value, str):
            stripped = value.strip()
            if stripped[:1] == "[":
                try:
                    parsed = json.loads(stripped)
                except ValueError:
                    parsed = None
                if isinstance(parsed, list):
                    return parsed
            return [value]
        return [value] if value is not None and not isinstance(value, list) else value

    def _text(self, row: Mapping[str, Any], name: str, number: int) -> str:
        text = self._optional(row, name, number)
        if text is None or not text.strip():
            raise self._bad(number, f"the {name} is empty (column {self.columns[name]!r})")
        return text

    def _optional(self, row: Mapping[str, Any], name: str, number: int) -> str | None:
        value = _cell(row, self.columns.get(name))
        text = _plain(value)
        if value is not None and text is None:
            raise self._bad(number, f"the {name} is no text (column {self.columns[name]!r})")
        return text or None

    def _bad(self, number: int, reason: str) -> BadInput:
        return BadInput(reason, path=str(self.path), record=f"row {number}")


def _cell(row: Mapping[str, Any], column: str | None) -> Any:
    value = row.get(column) if column is not None else None
    if value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    return value


def _plain(value: Any) -> str | None:
    """Return a text or a whole number as text; None for anything else."""
    if isinstance(value, str):
        return mended(value) if not value.isascii() else value
    return str(value) if type(value) is int else None


def _id(kind: str, *texts: str) -> str:
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass"))
    return f"{kind}-{digest.hexdigest()[:12]}"


def _parquet_rows(path: Path, columns: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            _check_columns(path, columns, file.schema_arrow.names)
            wanted = list(dict.fromkeys(columns.values()))
            for batch in file.iter_batches(batch_size=_BATCH, columns=wanted):
                yield from batch.to_pylist()
    except pyarrow.ArrowException as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadInput(f"the Parquet file cannot be read: {reason}", path=str(path)) from error


def _csv_rows(path: Path, columns: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            separator = _SEPARATORS.get(path.suffix.lower(), ",")
            reader = csv.DictReader(file, delimiter=separator, strict=True)
            _check_columns(path, columns, list(reader.fieldnames or ()))
            for number, row in enumerate(reader, start=1):
                if None in row or None in row.values():
                    raise BadInput(
                        "the row has more or fewer cells than the heading",
                        path=str(path),
                        record=f"row {number}",
                    )
                yield row
    except UnicodeDecodeError as error:
        raise BadInput("the table is not UTF-8", path=str(path)) from error
    except csv.Error as error:
        raise BadInput(f"the table cannot be read: {error}", path=str(path)) from error
    finally:
        csv.field_size_limit(limit)


def _check_columns(path: Path, columns: Mapping[str, str], there: list[str]) -> None:
    for name, column in columns.items():
        if column not in there:
            known = ", ".join(map(repr, there[:20])) or "none"
            raise BadInput(
                f"there is no column {column!r} (dataset.columns.{name}); there are {known}", path=str(path)
            )
