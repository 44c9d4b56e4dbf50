"""The selection file: which HotpotQA questions the compaction benchmark asks, and how they were found.

Owns its shape. It says nothing of when, where and from which file form it was made, so that the same set and
seed give the same bytes on any machine; and it holds no text of the set beyond ids.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from gacc_gui.core.hotpot_selection import FILTERS, KINDS, Choice
from gacc_gui.formats.new_file import write_new

FORMAT = "gacc-hotpot-selection"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Provenance:
    """The set that was selected from: its rows, the hash of their content in file order, what was dropped."""

    rows: int
    content_sha256: str
    dropped: Mapping[str, int]


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
