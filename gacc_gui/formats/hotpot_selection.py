"""The selection file: which HotpotQA questions the compaction benchmark asks, and how they were found.

Owns its shape, and what makes one unusable: besides a wrong shape, all in which it contradicts itself (an
order that its seed does not give, counts, filters that did not hold). It says nothing of when, where and from
which file form it was made, so that the same set and seed give the same bytes on any machine; and it holds no
text of the set beyond ids.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from gacc_gui.core.errors import BadInput
from gacc_gui.core.hotpot_selection import FILTERS, KINDS, Choice, order_of
from gacc_gui.core.records import Json
from gacc_gui.formats.json_values import BadJson, careful
from gacc_gui.formats.lines import ByteSource
from gacc_gui.formats.new_file import write_new

_T = TypeVar("_T", str, int, list, dict)

FORMAT = "gacc-hotpot-selection"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Provenance:
    """The set that was selected from: its rows, the hash of their content in file order, what was dropped."""

    rows: int
    content_sha256: str
    dropped: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SelectedCase:
    """A selected question: its id, its place in the order, and the hash of its row in the set."""

    id: str
    kind: str
    order: str
    content_sha256: str


@dataclass(frozen=True, slots=True)
class SelectionFile:
    """What a selection file says: the cases in their order, and the rows and the hash of their set."""

    seed: int
    rows: int
    dataset_sha256: str
    cases: tuple[SelectedCase, ...]


def write_selection(target: Path, choice: Choice, seed: int, dataset: Provenance) -> None:
    """Write a selection to a file that must be new. Raises BadUsage or GaccError."""
    document = {
        "format": FORMAT,
        "format_version": VERSION,
        "seed": seed,
        "counts": {kind: choice.count(kind) for kind in KINDS},
        "order": 'ascending hexadecimal SHA-256 of "{seed}:{id}" in UTF-8, by type',
        "filters": dict(FILTERS),
        "dataset": asdict(dataset),
        "candidates": dict(choice.candidates),
        "shared": {kind: choice.shared.get(kind, 0) for kind in KINDS},
        "ids": [taken.candidate.id for taken in choice.taken],
        "cases": [
            {
                "id": taken.candidate.id,
                "type": taken.candidate.kind,
                "order": taken.order,
                "content_sha256": taken.candidate.content_sha256,
                "checks": [asdict(check) for check in taken.candidate.checks],
            }
            for taken in choice.taken
        ],
    }
    write_new(target, json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def read_selection(path: Path) -> SelectionFile:
    """Read a selection. Raises BadInput, naming the file, the case and the reason, where it is none."""
    with ByteSource(path) as source:
        data = source.read_all()
    record: str | None = None
    try:
        value, _ = careful(data)
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise BadJson(f'it is no selection: an object with "format": "{FORMAT}" is needed')
        if type(value.get("format_version")) is not int or value["format_version"] != VERSION:
            told = f"{value.get('format_version')!r:.40}"
            raise BadJson(f"its format_version is {told}; this program reads {VERSION}")
        cases: dict[str, SelectedCase] = {}
        for number, item in enumerate(_field(value, "cases", list), start=1):
            record = f"case {number}"
            case = _case(item)
            if case.id in cases:
                raise BadJson(f"an earlier case has the id {case.id!r:.80} too")
            cases[case.id] = case
        record = None
        if not cases:
            raise BadJson("it selects nothing")
        if _field(value, "ids", list) != list(cases):
            raise BadJson("its ids are not those of its cases")
        dataset, seed = _field(value, "dataset", dict), _field(value, "seed", int)
        for number, (id, case) in enumerate(cases.items(), start=1):
            record = f"case {number} ({id:.80})"
            if case.order != order_of(seed, id):
                raise BadJson(f"its order is not what the seed {seed} gives it")
        record = None
        _check_order(tuple(cases.values()))
        counts = _field(value, "counts", dict)
        for kind in KINDS:
            there = sum(case.kind == kind for case in cases.values())
            if _field(counts, kind, int) != there:
                raise BadJson(f"it counts {counts[kind]:,} of type {kind}, and has {there:,}")
        if _field(value, "filters", dict) != dict(FILTERS):
            raise BadJson("its filters are not the frozen ones")
        rows, digest = _field(dataset, "rows", int), _field(dataset, "content_sha256", str)
        return SelectionFile(seed, rows, digest, tuple(cases.values()))
    except BadJson as error:
        raise BadInput(error.reason, path=str(path), record=record) from error


def _check_order(cases: Sequence[SelectedCase]) -> None:
    """Raise BadJson where the cases do not stand as they were selected."""
    places = [(KINDS.index(case.kind), case.order) for case in cases]
    for before, after, case in zip(places, places[1:], cases[1:], strict=False):
        if after < before:
            raise BadJson(f"its cases are not in their order: {case.id!r:.80} comes too late")


def _case(item: Json) -> SelectedCase:
    if not isinstance(item, dict):
        raise BadJson("it is no object")
    kind = _field(item, "type", str)
    if kind not in KINDS:
        raise BadJson(f"its type is {kind!r:.40}, and none of {', '.join(KINDS)}")
    checks = _field(item, "checks", list)
    if [check.get("filter") if isinstance(check, dict) else None for check in checks] != list(FILTERS):
        raise BadJson(f"its checks are not those of the filters {', '.join(FILTERS)}")
    if failed := next((check["filter"] for check in checks if check.get("ok") is not True), None):
        raise BadJson(f"it does not pass the filter {failed}")
    return SelectedCase(
        _field(item, "id", str), kind, _field(item, "order", str), _field(item, "content_sha256", str)
    )


def _field(value: Mapping[str, Any], name: str, kind: type[_T]) -> _T:
    found = value.get(name)
    if type(found) is not kind:
        word = {str: "text", int: "whole number", list: "list", dict: "object"}[kind]
        raise BadJson(f"its {name} is no {word}" if name in value else f"there is no {name}")
    return found
