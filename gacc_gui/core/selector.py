"""How one names a run or some of its cells: `RUN` or `RUN:compressor=lead,ratio=0.1`.

Owns the notation. Which runs and cells there are, the caller says. Ids and values may hold colons, commas and
equals signs: of several readings, the one with the longest name that is known is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.budget import canonical_ratio
from gacc_gui.core.errors import BadInput, BadUsage
from gacc_gui.core.records import Cell

KEYS: Final = ("compressor", "revision", "condition", "ratio", "generation")
_CELL_KEYS: Final = KEYS[:4]
_NEXT_PART: Final = re.compile(rf",(?=(?:{'|'.join(KEYS)})=)")
_FIRST_PART: Final = re.compile(rf":(?=(?:{'|'.join(KEYS)})=)")
_LEADING_ZEROS: Final = re.compile(r"^0+(?=[0-9])")
_NAMED: Final = 8
"""Values named in a message; of more, their number."""


@dataclass(frozen=True, slots=True)
class Selector:
    """Some cells of a run: each field a value, or None for all. `generation` counts from 0."""

    compressor: str | None = None
    revision: str | None = None
    condition: str | None = None
    ratio: str | None = None
    generation: int | None = None

    def chosen(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return those of some cells that are meant, in their order."""
        wanted = [(key, value) for key in _CELL_KEYS if (value := getattr(self, key)) is not None]
        return [cell for cell in cells if all(getattr(cell, key) == value for key, value in wanted)]


def split_run(text: str, known: Iterable[str]) -> tuple[str, str | None]:
    """Return the run's part and what follows its colon (None without one): the longest of `known` names.

    Where none is known, what looks like the run's part, so that the caller can say that there is no such run.
    """
    fitting = [name for name in known if text == name or text.startswith(f"{name}:")]
    if not fitting:
        return _FIRST_PART.split(text, maxsplit=1)[0], None
    run = max(fitting, key=len)
    return run, None if run == text else text[len(run) + 1 :]


def select(text: str | None, cells: Sequence[Cell], generations: Sequence[int]) -> Selector:
    """Read what follows a run's colon, and check it against what the run has.

    Raises BadUsage, in one sentence, for a key that is none or stands twice, a value that does not occur, and
    a selection without a cell.
    """
    if text is None:
        return Selector()
    found: dict[str, str] = {}
    rest: str | None = text
    while rest is not None:
        key, equals, rest = rest.partition("=")
        if not equals or key not in KEYS:
            raise BadUsage(f"a selection is made of {', '.join(KEYS)}, each with = and a value, not {key!r}")
        if key in found:
            raise BadUsage(f"the selection names {key} twice")
        found[key], rest = _value(key, rest, _values(key, cells, generations))
    selector = Selector(
        found.get("compressor"),
        found.get("revision"),
        found.get("condition"),
        found.get("ratio"),
        int(found["generation"]) if "generation" in found else None,
    )
    if not selector.chosen(cells):
        raise BadUsage(f"no cell of the run is {text}")
    return selector


def _values(key: str, cells: Sequence[Cell], generations: Sequence[int]) -> list[str]:
    if key == "generation":
        return [str(generation) for generation in generations]
    return list(dict.fromkeys(getattr(cell, key) for cell in cells))


def _value(key: str, rest: str, known: Sequence[str]) -> tuple[str, str | None]:
    """Return the value at the beginning of `rest`, and what follows its comma (None without one)."""
    fitting = [value for value in known if rest == value or rest.startswith(f"{value},")]
    if fitting:
        value = max(fitting, key=len)
        return value, None if value == rest else rest[len(value) + 1 :]
    written, *more = _NEXT_PART.split(rest, maxsplit=1)
    value = written
    if key == "ratio":
        first, comma, _ = written.partition(",")
        try:
            value = canonical_ratio(first)
        except BadInput as error:
            raise BadUsage(str(error)) from error
        if value in known:
            return value, rest[len(first) + 1 :] if comma or more else None
    elif key == "generation" and _LEADING_ZEROS.sub("", written) in known:
        return _LEADING_ZEROS.sub("", written), more[0] if more else None
    raise BadUsage(f"the run has no {key} {written!r}; it has {_named(known)}")


def _named(values: Sequence[str]) -> str:
    if not values:
        return "none"
    more = f" and {len(values) - _NAMED} more" if len(values) > _NAMED else ""
    return ", ".join(value or "(none)" for value in values[:_NAMED]) + more


def written(run_id: str, selector: Selector) -> str:
    """Write a selection so that `split_run` and `select` read it back."""
    parts = [f"{key}={value}" for key in KEYS if (value := getattr(selector, key)) is not None]
    return f"{run_id}:{','.join(parts)}" if parts else run_id
