"""Records as rows of columns and back, without a connection. Owns the writing of JSON and retained texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final, NamedTuple

from gacc_gui.core.records import (
    NOTHING,
    Answer,
    Cell,
    Context,
    Goal,
    Json,
    Ledger,
    Memory,
    Probe,
    ProbeAnswer,
    ProbeVerdict,
    Question,
    Record,
    Request,
    Review,
    Run,
    Verdict,
)

_NUMBER: Final = "$number"
_TAGGED: Final = f'"{_NUMBER}"'
"""JSON has no NaN and no infinities: {"$number": "nan"} keeps a column strict JSON."""


class Retained(NamedTuple):
    """Where a retained text is: a prefix of the proposal, or a text of its own (`text`)."""

    end: int | None
    splits: bool
    text: str | None


def to_json(value: Json) -> str:
    """Write strict JSON; numbers that JSON lacks are tagged so that they come back."""
    try:
        text = _dump(value)
    except ValueError:
        return _dump(_tagged(value))
    return _dump(_tagged(value)) if _TAGGED in text else text


def from_json(text: str) -> Json:
    """Read what `to_json` wrote."""
    if _TAGGED in text:
        return json.loads(text, object_hook=_untag)
    return json.loads(text)


def mapping_column(value: Mapping[str, Json] | None) -> str | None:
    """`extra`, `top_level` and the like: NULL when empty or None."""
    return to_json(_plain(value)) if value else None


def object_column(value: Mapping[str, Json] | None) -> str | None:
    """A file's own object: NULL for None only."""
    return None if value is None else to_json(_plain(value))


def names_column(names: Sequence[str]) -> str | None:
    """`unusual`: NULL when empty."""
    return to_json(list(names)) if names else None


def list_column(values: Sequence[Json] | None) -> str | None:
    """References and evidence: NULL for None only; an empty list stays one."""
    return None if values is None else to_json([_plain(value) for value in values])


def mapping(column: str | None) -> Mapping[str, Json]:
    """Read `mapping_column`."""
    return from_json(column) if column else NOTHING


def object_of(column: str | None) -> Mapping[str, Json] | None:
    """Read `object_column`."""
    return None if column is None else from_json(column)


def names(column: str | None) -> tuple[str, ...]:
    """Read `names_column`."""
    return tuple(from_json(column)) if column else ()


def tuple_of(column: str | None) -> tuple[Json, ...] | None:
    """Read `list_column`."""
    return None if column is None else tuple(from_json(column))


def place_retained(proposed: str | None, retained: str | None) -> Retained:
    """Say how a retained text is stored beside its proposal. Offsets in code points."""
    from gacc_gui.core.boundary import boundary_place

    if retained is None:
        return Retained(None, False, None)
    place = None if proposed is None else boundary_place(proposed, retained)
    if place is not None:
        return Retained(*place, None)
    return Retained(None, False, retained)


def restore_retained(proposed: str | None, end: int | None, splits: int, text: str | None) -> str | None:
    """The inverse of `place_retained`."""
    from gacc_gui.core.boundary import REPLACEMENT

    if end is None or proposed is None:
        return text
    return proposed[:end] + REPLACEMENT if splits else proposed[:end]


def run_of(row: Sequence[Any]) -> Run:
    """`row` holds the columns of RUN_COLUMNS."""
    return Run(
        row[0],
        row[1],
        row[2],
        row[3],
        None if row[4] is None else bool(row[4]),
        object_of(row[5]),
        object_of(row[6]),
        object_of(row[7]),
        mapping(row[8]),
        mapping(row[9]),
        names(row[10]),
    )


RUN_COLUMNS: Final = (
    "id, name, protocol, created_at, diagnostic_only, tokenizer, reader, judge, top_level, extra, unusual"
)


def run_row(run: Run) -> tuple[Any, ...]:
    """The columns of RUN_COLUMNS."""
    return (
        run.id,
        run.name,
        run.protocol,
        run.created_at,
        None if run.diagnostic_only is None else int(run.diagnostic_only),
        object_column(run.tokenizer),
        object_column(run.reader),
        object_column(run.judge),
        mapping_column(run.top_level),
        mapping_column(run.extra),
        names_column(run.unusual),
    )


def common_columns(record: Record) -> tuple[str | None, str | None]:
    """The columns `extra` and `unusual`, which end every record's row."""
    return mapping_column(record.extra), names_column(record.unusual)


def review_row(record: Review) -> tuple[Any, ...]:
    """The columns of `reviews` from `repeat` to `sample`."""
    return (
        record.repeat,
        record.decision,
        record.cause,
        record.note,
        names_column(record.tags),
        record.reviewer,
        record.created_at,
        None if record.blind is None else int(record.blind),
        object_column(record.sample),
    )


def probe_row(record: Probe) -> tuple[Any, ...]:
    """The columns of `probes` from `repeat` to `requests`."""
    answer, verdict = record.answer, record.verdict
    said = (
        (None,) * 4
        if verdict is None
        else (
            verdict.label,
            verdict.status,
            verdict.rationale,
            verdict.raw_reply,
        )
    )
    return (
        record.repeat,
        record.given,
        record.attempt,
        answer.text,
        answer.status,
        answer.error,
        *said,
        record.created_at,
        object_column(record.reader),
        object_column(record.judge),
        None if record.live is None else int(record.live),
        object_column(record.usage),
        record.cost,
        record.seconds,
        names_column(record.requests),
    )


def packed(record: Record) -> str:
    """A whole record as one JSON list, for `waiting`."""
    return to_json(_listed(record))


def unpacked(kind: str, text: str) -> Record:
    """The inverse of `packed`."""
    values = from_json(text)
    record_type = _TYPES[kind]
    if record_type is Question:
        for at in (3, 4):
            values[at] = None if values[at] is None else tuple(values[at])
    if record_type is Memory:
        values[3] = Cell(*values[3])
        values[8] = None if values[8] is None else Ledger(*values[8])
    if record_type is Review:
        values[9] = tuple(values[9])
    if record_type is Probe:
        values[6] = ProbeAnswer(*values[6])
        values[7] = None if values[7] is None else ProbeVerdict(*values[7])
        values[-3] = tuple(values[-3])
    values[-2] = values[-2] or NOTHING
    values[-1] = tuple(values[-1])
    return record_type(*values)


def kind_of(record: Record) -> str:
    """The record kind's name in FORMATS.md."""
    return _KINDS[type(record)]


def key_of(record: Record) -> tuple[str | int, ...]:
    """What names a record inside its run."""
    if isinstance(record, Answer | Verdict):
        return (record.memory_id, record.question_id, record.repeat)
    return (record.id,)


def same(first: Record, second: Record) -> bool:
    """Whether two records say the same.

    How something was written (an absent field or a null) makes no difference; a JSON value and the string
    that looks like it do differ, as do true and 1.
    """
    if type(first) is not type(second):
        return False
    return not differing_fields(first, second) and _json_texts(first) == _json_texts(second)


def differing_fields(first: Record, second: Record) -> tuple[str, ...]:
    """The names of the fields in which two records of a kind differ."""
    differing = []
    for name in first.__dataclass_fields__:
        mine, yours = getattr(first, name), getattr(second, name)
        if mine is yours or name == "unusual" or (isinstance(mine, str) and mine == yours):
            continue
        if not same_json(_listed(mine), _listed(yours)):
            differing.append(name)
    return tuple(differing)


def same_json(first: Json, second: Json) -> bool:
    """Equality of JSON values: 1 is 1.0, but true is not 1; NaN equals itself; the order of keys is free."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(same_json(first[key], second[key]) for key in first)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(same_json, first, second))
    return first == second or (first != first and second != second)


def _json_texts(record: Record) -> set[str]:
    """The unusual text fields that hold the JSON of a value that was no string."""
    return {name for name in record.unusual if isinstance(_inside(record, name), str)}


def _inside(record: Any, path: str) -> Any:
    for name in path.split("."):
        record = getattr(record, name, None)
    return record


def _listed(value: Any) -> Any:
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        return [_listed(getattr(value, name)) for name in fields]
    return _plain(value)


def _plain(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _tagged(value: Json) -> Json:
    if isinstance(value, float) and not isfinite(value):
        return {_NUMBER: repr(value)}
    if isinstance(value, dict):
        tagged = {key: _tagged(item) for key, item in value.items()}
        # An object of the file that looks like a tag is told by the list around its value.
        return {_NUMBER: [tagged[_NUMBER]]} if tagged.keys() == {_NUMBER} else tagged
    if isinstance(value, list | tuple):
        return [_tagged(item) for item in value]
    return value


def _untag(value: dict[str, Json]) -> Json:
    if value.keys() != {_NUMBER}:
        return value
    inner = value[_NUMBER]
    return float(inner) if isinstance(inner, str) else {_NUMBER: inner[0]}


_TYPES: Final[Mapping[str, type]] = {
    "run": Run,
    "context": Context,
    "goal": Goal,
    "question": Question,
    "memory": Memory,
    "answer": Answer,
    "verdict": Verdict,
    "request": Request,
    "review": Review,
    "probe": Probe,
}
_KINDS: Final = {record_type: kind for kind, record_type in _TYPES.items()}
