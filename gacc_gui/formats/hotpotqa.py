"""HotpotQA's files: the distractor set as official JSON or as Hugging Face's Parquet, and submissions.

Owns the two shapes of a row and what makes one unreadable. Not here: whether a readable row is any good
(`core.hotpot_selection` says which are asked, `core.hotpot_scores` what is right).

A row of the official JSON, a list of objects, and of the Parquet file:

    {"_id", "question", "answer", "type", "level", "supporting_facts": [[title, i], …], "context": [[title, [sentence, …]], …]}
    id, question, answer, type, level, supporting_facts {title: […], sent_id: […]}, context {title: […], sentences: [[…], …]}

Either shape is understood in either file. Rows are counted from 1.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from gacc_gui.core.errors import BadInput
from gacc_gui.core.hotpot_records import Article, Gold, HotpotQuestion
from gacc_gui.core.records import Json
from gacc_gui.formats.json_array import elements
from gacc_gui.formats.json_values import BadJson, careful, count_keys, is_finite, may_repeat_a_key, quick
from gacc_gui.formats.lines import ByteSource

_Row = Mapping[str, Json]
_T = TypeVar("_T", Gold, HotpotQuestion)

_PARQUET_MAGIC: Final = b"PAR1"
_BATCH: Final = 256
"""Rows of Parquet in memory at a time: some 2 MB."""
_GOLD: Final = ("answer", "supporting_facts")
_ALL: Final = ("question", *_GOLD, "type", "context")
_IDS: Final = ("_id", "id")


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission as it was written: by question id an answer, and a list of supporting facts.

    Whether an answer is a text, or the facts are a list, is for the scorer to see.
    """

    answers: Mapping[str, Json]
    supports: Mapping[str, Json]


def read_questions(path: Path) -> Iterator[HotpotQuestion]:
    """Yield the questions of a distractor set, one at a time.

    Raises BadInput, naming the file and the row, for a row without one of its fields, one of the wrong shape,
    or an id that an earlier row has.
    """
    return _read(path, _ALL, _question)


def read_gold(path: Path) -> Iterator[Gold]:
    """Yield what predictions are scored against, from rows that need no more than id, answer and facts.

    An answer may be a list of alternatives. Raises BadInput as `read_questions` does.
    """
    return _read(path, _GOLD, _gold)


def read_submission(path: Path) -> Submission:
    """Read `{"answer": {id: …}, "sp": {id: [[title, i], …]}}`. Raises BadInput where it is none."""
    with ByteSource(path) as source:
        data = source.read_all()
    try:
        value, _ = careful(data)
    except BadJson as error:
        raise BadInput(error.reason, path=str(path)) from error
    parts: list[Mapping[str, Json]] = []
    for name in ("answer", "sp"):
        part = value.get(name) if isinstance(value, dict) else None
        if not isinstance(part, dict):
            reason = f'a submission has an object "{name}" with an entry per question id; this has none'
            raise BadInput(reason, path=str(path))
        parts.append(part)
    return Submission(*parts)


def _read(path: Path, needed: tuple[str, ...], build: Callable[[str, _Row], _T]) -> Iterator[_T]:
    rows = _parquet_rows(path, needed) if _is_parquet(path) else _json_rows(path)
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        id = None
        try:
            if not isinstance(row, dict):
                raise _BadRow("it is no object")
            id = _id(row)
            if id in seen:
                raise _BadRow("an earlier row has the same id")
            for name in needed:
                if row.get(name) is None:
                    raise _BadRow(f"there is no {name}")
            item = build(id, row)
        except _BadRow as error:
            raise BadInput(str(error), path=str(path), record=_name(number, id)) from None
        seen.add(id)
        yield item


class _BadRow(Exception):
    """Why a row cannot be used, in words."""


def _name(number: int, id: str | None) -> str:
    return f"row {number}" if id is None else f"row {number} ({id:.80})"


def _id(row: _Row) -> str:
    given = {row[name] for name in _IDS if isinstance(row.get(name), str) and row[name]}
    if len(given) != 1:
        raise _BadRow("it has two different ids" if given else "there is no id")
    return given.pop()


def _gold(id: str, row: _Row) -> Gold:
    answer = row["answer"]
    answers = answer if isinstance(answer, list) else [answer]
    if not answers:
        raise _BadRow("without an answer it cannot be scored")
    if not all(isinstance(one, str) for one in answers):
        raise _BadRow("its answer is no text")
    return Gold(id, tuple(answers), _facts(row))


def _question(id: str, row: _Row) -> HotpotQuestion:
    level = row.get("level")
    return HotpotQuestion(
        id,
        question=_text(row, "question"),
        answer=_text(row, "answer"),
        kind=_text(row, "type"),
        level=None if level is None else _text(row, "level"),
        facts=_facts(row),
        articles=tuple(_article(pair) for pair in _pairs(row, "context", "title", "sentences")),
    )


def _text(row: _Row, name: str) -> str:
    value = row[name]
    if not isinstance(value, str):
        raise _BadRow(f"its {name} is no text")
    return value


def _facts(row: _Row) -> tuple[Json, ...]:
    return tuple(
        tuple(fact) if isinstance(fact, list | tuple) else fact
        for fact in _pairs(row, "supporting_facts", "title", "sent_id")
    )


def _article(pair: Json) -> Article:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise _BadRow("an article of its context is no title with sentences")
    title, sentences = pair
    if not isinstance(title, str):
        raise _BadRow("the title of an article is no text")
    if not isinstance(sentences, list) or not all(isinstance(sentence, str) for sentence in sentences):
        raise _BadRow(f"the article {title!r:.80} is no list of sentences")
    return Article(title, tuple(sentences))


def _pairs(row: _Row, name: str, *columns: str) -> list[Json]:
    """Return a field as a list of what should be pairs, whichever of its shapes it has."""
    value = row[name]
    if isinstance(value, dict):
        lists = [one for column in columns if isinstance(one := value.get(column), list)]
        if len(lists) != len(columns) or len(set(map(len, lists))) != 1:
            raise _BadRow(f"its {name} needs {' and '.join(columns)}, of the same length")
        return list(zip(*lists, strict=True))
    if not isinstance(value, list):
        raise _BadRow(f"its {name} is no list")
    return [
        tuple(item[column] for column in columns)
        if isinstance(item, dict) and set(columns) <= set(item)
        else item
        for item in value
    ]


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_PARQUET_MAGIC)) == _PARQUET_MAGIC
    except OSError as error:
        raise BadInput((error.strerror or str(error)).lower(), path=str(path)) from error


def _json_rows(path: Path) -> Iterator[Json]:
    with ByteSource(path) as source:
        texts = elements(source.chunks())
        number = 1
        try:
            for number, data in enumerate(texts, start=1):
                yield _value(data)
                number += 1
        except BadJson as error:
            reason = error.reason if source.broken is None else source.broken.reason
            raise BadInput(reason, path=str(path), record=f"row {number}") from error
        if source.broken is not None:
            raise BadInput(source.broken.reason, path=str(path))


def _value(data: bytes) -> Json:
    value = quick(data)
    if value is not None and not may_repeat_a_key(data, count_keys(value)) and is_finite(value):
        return value
    value, repaired = careful(data)
    if repaired:
        raise BadJson("a text holds half a surrogate pair")
    return value


def _parquet_rows(path: Path, needed: tuple[str, ...]) -> Iterator[Json]:
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            there = file.schema_arrow.names
            missing = [name for name in needed if name not in there]
            if not set(_IDS) & set(there):
                missing.insert(0, "id")
            if missing:
                raise BadInput(f"there is no column {missing[0]!r}", path=str(path))
            wanted = [name for name in (*_IDS, *needed, "level") if name in there]
            done = 0
            for batch in file.iter_batches(batch_size=_BATCH, columns=wanted):
                yield from _batch_rows(batch, path, done)
                done += batch.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadInput(f"the Parquet file cannot be read: {reason}", path=str(path)) from error


def _batch_rows(batch: Any, path: Path, done: int) -> Iterator[Json]:
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError:
        for at in range(batch.num_rows):
            try:
                batch.slice(at, 1).to_pylist()
            except UnicodeDecodeError as error:
                raise BadInput(
                    "a text is not UTF-8", path=str(path), record=f"row {done + at + 1}"
                ) from error
        raise
