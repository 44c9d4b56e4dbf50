"""In what two selections differ besides their answers: dataset, parts, prompts, cells, budgets.

Owns the plain words for it. Swapping the sides swaps the values.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.pairing import UnitPair
from gacc_gui.core.records import Cell, Json, Run
from gacc_gui.core.sides import Side

_CONFIGURATION: Final = "configuration"
_TOLD_APART: Final = frozenset(
    {"dataset", "tokenizer", "ratios", "conditions", "generations", "repeats", "compressors"}
)
"""Of a configuration: what other entries say, or what is no difference between rows that are paired."""
_LONGEST_VALUE: Final = 200


@dataclass(frozen=True, slots=True)
class Differing:
    """Something in which the sides differ, in plain words; None: not stated."""

    name: str
    a: str | None
    b: str | None


@dataclass(frozen=True, slots=True)
class Stated:
    """What is known of a side. `identity_verified` is our finding on the run's tokenizer."""

    run: Run
    identity_verified: bool
    side: Side


class Budgets:
    """The token budgets of paired units, collected cell by cell."""

    def __init__(self) -> None:
        self.differ = False
        """Whether any pair has two budgets."""
        self._counts: tuple[Counter[int], Counter[int]] = (Counter(), Counter())

    def add(self, units: Iterable[UnitPair]) -> None:
        """Take the units of a pair of cells."""
        for a, b, *_ in units:
            self.differ = self.differ or a.budget != b.budget
            for budget, counts in zip((a.budget, b.budget), self._counts, strict=True):
                if budget is not None:
                    counts[budget] += 1

    def words(self) -> tuple[str | None, str | None]:
        """Put either side's budgets in words; None where none is declared."""
        a, b = map(_budget, self._counts)
        return a, b


def _budget(counts: Counter[int]) -> str | None:
    if not counts:
        return None
    least, most = min(counts), max(counts)
    mean = sum(budget * n for budget, n in counts.items()) / counts.total()
    return f"{least:,} tokens" if least == most else f"{least:,} to {most:,} tokens, {mean:,.1f} on average"


_Entry = tuple[str, str | None, str | None]
_Cells = Sequence[tuple[Cell, Cell]]


def differing(a: Stated, b: Stated, cells: _Cells, budgets: Budgets) -> Iterator[Differing]:
    """Yield what differs between the sides of these pairs of cells."""
    entries: list[_Entry] = []
    if a.run.id != b.run.id:
        entries += [
            ("dataset", _dataset(a.side), _dataset(b.side)),
            ("tokenizer", *_parts(_tokenizer(a), _tokenizer(b))),
            ("reader", *_parts(a.run.reader, b.run.reader)),
            ("judge", *_parts(a.run.judge, b.run.judge)),
            ("protocol", a.run.protocol, b.run.protocol),
            ("diagnostic", _yes(a.run.diagnostic_only), _yes(b.run.diagnostic_only)),
            *_settings(a.run, b.run, cells),
        ]
    for field in ("compressor", "revision", "condition", "ratio"):
        apart = [pair for pair in cells if getattr(pair[0], field) != getattr(pair[1], field)]
        entries.append((field, _cells(apart, 0, field), _cells(apart, 1, field)))
    generations = a.side.selector.generation, b.side.selector.generation
    if None not in generations:
        entries.append(("generation", str(generations[0]), str(generations[1])))
    for name, first, second in entries:
        if first != second:
            yield Differing(name, first, second)
    if budgets.differ:
        yield Differing("budget", *budgets.words())


def _dataset(side: Side) -> str:
    """Name what is asked of what: its size, and a hash of all its texts in an order of its own."""
    if not side.questions:
        return "no questions"
    items = sorted(json.dumps([question.id, *question.texts]) for question in side.questions)
    digest = hashlib.sha256("\n".join(items).encode("utf-8", "surrogatepass")).hexdigest()
    contexts = len({question.context_id for question in side.questions})
    goals = len({question.goal for question in side.questions})
    return f"{contexts:,} contexts, {goals:,} goals, {len(items):,} questions, sha256:{digest[:16]}"


def _tokenizer(stated: Stated) -> Mapping[str, Json] | None:
    declared = stated.run.tokenizer
    return None if declared is None else {**declared, "identity_verified": stated.identity_verified}


def _parts(a: Mapping[str, Json] | None, b: Mapping[str, Json] | None) -> tuple[str | None, str | None]:
    """Return name and revision of either part; where these are the same and the rest is not, all of it."""
    if a == b:
        return None, None
    short = _part(a), _part(b)
    return short if short[0] != short[1] else (_json(a), _json(b))


def _part(part: Mapping[str, Json] | None) -> str | None:
    if part is None:
        return None
    words = [value for key in ("name", "revision") if isinstance(value := part.get(key), str) and value]
    return " ".join(words) or _json(part)


def _json(value: Json) -> str | None:
    if value is None:
        return None
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(text) <= _LONGEST_VALUE:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:_LONGEST_VALUE]}… (sha256:{digest[:16]})"


def _yes(value: bool | None) -> str | None:
    return None if value is None else "yes" if value else "no"


def _settings(a: Run, b: Run, cells: _Cells) -> list[_Entry]:
    """Return the settings that runs of ours state, prompts among them, and other fields beside the known."""
    first, second = (
        _stated(a, {cell.compressor for cell, _ in cells}),
        _stated(b, {cell.compressor for _, cell in cells}),
    )
    return [
        (" ".join(path), _words(first.get(path)), _words(second.get(path)))
        for path in sorted(first.keys() | second.keys())
        if first.get(path) != second.get(path)
    ]


def _words(value: Json) -> str | None:
    return value if isinstance(value, str) and len(value) <= _LONGEST_VALUE else _json(value)


def _stated(run: Run, compressors: set[str]) -> dict[tuple[str, ...], Json]:
    stated: dict[tuple[str, ...], Json] = {}
    for fields in (run.top_level, run.extra):
        stated.update({(key,): value for key, value in fields.items() if key != _CONFIGURATION})
    configuration = run.extra.get(_CONFIGURATION)
    if isinstance(configuration, Mapping):
        stated.update(
            (path, value)
            for path, value in _flat(configuration)
            # Name and revision of the parts are in the run's record and in its cells.
            if path[0] not in _TOLD_APART
            and not (path[0] in ("reader", "judge") and path[1:] in (("name",), ("revision",)))
        )
        made = configuration.get("compressors")
        parts = made if isinstance(made, Mapping) else {}
        for name in sorted(compressors & parts.keys()):
            stated.update(
                (("compressor", *path) if len(compressors) == 1 else ("compressor", name, *path), value)
                for path, value in _flat(parts[name])
                if path not in ((), ("revision",))
            )
    return stated


def _flat(value: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Json]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _flat(inner, (*path, str(key)))
    else:
        yield path, value


def _cells(pairs: _Cells, side: int, field: str) -> str | None:
    cells = [pair[side] for pair in pairs]
    if field == "revision" and len(pairs) > 1:
        return ", ".join(sorted({f"{cell.compressor} {cell.revision}" for cell in cells}))
    return ", ".join(sorted({getattr(cell, field) for cell in cells})) if cells else None
