"""What leaves in an export, looked through for credentials first.

Owns what becomes of one that is found. Records lose it, but for the texts that were measured (sources,
memories, answers, what was asked): in a run that imports back without loss these stay what was evaluated, and
it is told which look as if they held one. Whatever else leaves, tables and reports, loses it wherever it is.
The patterns are `formats.redaction`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import islice
from operator import attrgetter
from typing import Any, Final, TypeVar

from gacc_gui.core.records import Answer, Memory, Record, Verdict
from gacc_gui.formats.record_writing import KIND_OF
from gacc_gui.formats.redaction import credential_places, redacted, without_credentials

_NAMED: Final = 10
"""Texts that a notice names; of more, their number."""

_TOGETHER: Final = 64

Thing = TypeVar("Thing")


class Scan:
    """Looks through what leaves and remembers what it found, for the notices beside the export."""

    def __init__(self) -> None:
        self._removed = 0
        self._kept: list[str] = []

    @property
    def notices(self) -> tuple[str, ...]:
        """What to tell whoever exports; nothing where no credential was found."""
        told = []
        if self._removed:
            many = "a credential was" if self._removed == 1 else f"{self._removed:,} credentials were"
            told.append(f"{many} removed")
        if self._kept:
            more = len(self._kept) - _NAMED
            names = ", ".join(self._kept[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
            told.append(
                "texts that were evaluated are exported as they are, and these look as if they held a"
                f" credential: {names}"
            )
        return tuple(told)

    def records(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records of a run as they may leave."""
        for some in _batches(records):
            clean = []
            for record in some:
                without, removed = without_credentials(record)
                self._removed += len(removed)
                clean.append(without)
            if _holds_one(clean):
                self._kept += [_name_of(record) for record in clean if _holds_one(record)]
            yield from clean

    def items(self, items: Iterable[Thing]) -> Iterator[Thing]:
        """Yield dataclasses as they may leave: no text in them holds a credential."""
        for some in _batches(items):
            yield from map(self.item, some) if _holds_one(some) else some

    def item(self, item: Thing) -> Thing:
        """Return a dataclass, mapping, list, tuple or text as it may leave."""
        return self._clean(item) if _holds_one(item) else item

    def removed(self, count: int) -> None:
        """Count credentials that were left out elsewhere."""
        self._removed += count

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            self._removed += len(credential_places(value))
            return redacted(value)
        if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{name: self._clean(getattr(value, name)) for name in _names(type(value))})
        if isinstance(value, Mapping):
            return {self._clean(key): self._clean(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(self._clean, value))
        return value


def _batches(items: Iterable[Thing]) -> Iterator[list[Thing]]:
    """Yield some at a time, to be looked at together: of very many hardly any holds a credential."""
    rest = iter(items)
    while some := list(islice(rest, _TOGETHER)):
        yield some


def _holds_one(value: Any) -> bool:
    return bool(credential_places("\n".join(_strings(value))))


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init)


def _strings(value: Any) -> Iterator[str]:
    """Yield every text in a value. Made for very many small dataclasses."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _strings(key)
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        if value and not isinstance(value[0], int | float):  # figures by the thousand
            for item in value:
                yield from _strings(item)
    elif isinstance(value, Memory) and _is_prefix(value):
        yield from _strings(replace(value, retained_text=None))
    elif is_dataclass(value) and not isinstance(value, type):
        for field in _values(type(value))(value):
            if type(field) is str:
                yield field
            elif field and type(field) not in _NO_TEXTS:
                yield from _strings(field)


def _is_prefix(memory: Memory) -> bool:
    """Whether a memory's retained text is a beginning of its proposal: nearly always, and it is long."""
    retained = memory.retained_text
    return bool(retained) and (memory.proposed_text or "").startswith(retained or "")


_NO_TEXTS: Final = frozenset({int, float, bool})


@cache
def _values(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    names = _names(kind)
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _name_of(record: Record) -> str:
    kind = KIND_OF[type(record)]
    if isinstance(record, Answer | Verdict):
        return f"{kind} of memory {record.memory_id}, question {record.question_id}, repeat {record.repeat}"
    return f"{kind} {record.id}"
