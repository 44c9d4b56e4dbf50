"""Select the compaction benchmark's questions from a HotpotQA set into a selection file.

Owns the counting of what each filter dropped, and the refusal where too few are left. The rules are
`core.hotpot_selection`, the file is `formats.hotpot_selection`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gacc_gui.core.errors import BadUsage, GaccError
from gacc_gui.core.hotpot_selection import FILTERS, KINDS, Candidate, Choice, candidate_from, choose
from gacc_gui.formats.hotpot_selection import Provenance, write_selection
from gacc_gui.formats.hotpotqa import read_questions
from gacc_gui.formats.new_file import refuse_existing


@dataclass(frozen=True, slots=True)
class Drop:
    """What a filter did: `failing` questions do not pass it, `dropped` of them passed all before it."""

    filter: str
    meaning: str
    failing: int
    dropped: int


@dataclass(frozen=True, slots=True)
class Selection:
    """What was read, dropped and taken."""

    rows: int
    drops: tuple[Drop, ...]
    choice: Choice


class TooFewQuestions(GaccError):
    """The set does not hold as many questions as were asked for; `selection` has what there is."""

    def __init__(self, selection: Selection, counts: Mapping[str, int]) -> None:
        self.selection = selection
        choice = selection.choice
        there = "; ".join(
            f"{kind}: {counts[kind]:,} asked for, {choice.candidates[kind]:,} pass the filters and"
            f" {choice.available.get(kind, 0):,} of them can be taken without sharing an article"
            for kind in KINDS
        )
        dropped = ", ".join(f"{drop.filter} {drop.dropped:,}" for drop in selection.drops)
        super().__init__(
            f"too few questions: {there} (of {selection.rows:,} rows the filters dropped: {dropped})"
        )


def select_questions(
    dataset: Path,
    output: Path,
    counts: Mapping[str, int],
    seed: int,
    progress: Callable[[int], None] | None = None,
) -> Selection:
    """Select `counts[kind]` questions of each kind and write them to `output`, which must not be there.

    `progress` is told how many rows were read. Raises BadInput for a set that cannot be read,
    TooFewQuestions, BadUsage and GaccError; nothing is written then.
    """
    refuse_existing(output)
    if not any(counts.values()):
        raise BadUsage("nothing to select: ask for at least one question")
    candidates: list[Candidate] = []
    content = hashlib.sha256()
    for question in read_questions(dataset):
        candidate = candidate_from(question)
        candidates.append(candidate)
        content.update(bytes.fromhex(candidate.content_sha256))
        if progress is not None:
            progress(len(candidates))
    choice = choose(candidates, seed, counts)
    selection = Selection(len(candidates), _drops(candidates), choice)
    if any(choice.count(kind) < counts[kind] for kind in KINDS):
        raise TooFewQuestions(selection, counts)
    dropped = {drop.filter: drop.dropped for drop in selection.drops}
    write_selection(output, choice, seed, Provenance(len(candidates), content.hexdigest(), dropped))
    return selection


def _drops(candidates: list[Candidate]) -> tuple[Drop, ...]:
    failing = Counter(check.filter for one in candidates for check in one.checks if not check.ok)
    dropped = Counter(one.dropped_by for one in candidates)
    return tuple(Drop(name, meaning, failing[name], dropped[name]) for name, meaning in FILTERS.items())
