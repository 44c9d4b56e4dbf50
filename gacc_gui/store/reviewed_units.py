"""Reviewers' decisions, and what is hidden from one, laid over the units of a run for filters and orders.

Owns the relation that stands in for the table `units` where decisions or a veil matter, and the letters of
such rows in it. A hidden row meets no term that a verdict or a decision could meet; how many questions of its
unit are right or judged is unknown there, which stands last and compares with nothing. What a row is with a
decision is `core.reviewing`; the table itself never changes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from gacc_gui.core.causes import CORRECT, LETTERS, UNSUPPORTED, VEILED, veiled_strip
from gacc_gui.core.reviewing import ReviewedRow, by_unit, reviewed_rows, standing_reviews, strip_with
from gacc_gui.store import record_reads, review_reads
from gacc_gui.store.outcome_rows import OutcomeRow
from gacc_gui.store.rows import Decided

_KEPT: Final = (
    "unit, memory_key, repeat, run_key, cell_key, context_key, goal_key, generation, budget,"
    " tail_characters, tail_tokens, questions"
)
_LAID_OVER: Final = "judged, correct, away, outcomes"
_FIRST_LETTER: Final = 0xF0000
"""Of reviewed and of hidden rows: private ones, which `outcomes` never has, and GLOB takes as they are."""

# Two parts, since each is then filtered as the table itself is; the units joined to the few decisions took
# 6 s of 60,000 units (measured 2026-11, SQLite 3.40).
_RELATION: Final = f"""(
    SELECT {_KEPT}, {_LAID_OVER} FROM units WHERE unit NOT IN (SELECT value FROM json_each(?))
    UNION ALL
    SELECT {", ".join("units." + name for name in _KEPT.split(", "))},
           json_extract(laid.value, '$[1]') AS judged, json_extract(laid.value, '$[2]') AS correct,
           units.questions - json_extract(laid.value, '$[2]') AS away,
           json_extract(laid.value, '$[3]') AS outcomes
    FROM json_each(?) AS laid CROSS JOIN units ON units.unit = json_extract(laid.value, '$[0]')
) AS units"""


@dataclass(frozen=True, slots=True)
class Overlay:
    """What to read in place of `units`, its parameters, and what its additional letters stand for."""

    relation: str = "units"
    values: tuple[str, ...] = ()
    outcomes: tuple[OutcomeRow, ...] = ()
    strips: Mapping[int, str] | None = None
    """The strips of units as reviewed, where decisions count, and without what is hidden."""
    hidden: Collection[int] = ()
    """Units with a hidden verdict."""


NOTHING_OVER: Final = Overlay()


def decided_of(connection: sqlite3.Connection, run_key: int) -> Decided:
    """Return the decisions that stand in a run, for filters that ask for them; they do not count."""
    if not record_reads.has_reviews(connection):
        return Decided((), False)
    standing = standing_reviews(list(record_reads.reviews(connection, "reviews.run_key = ?", (run_key,))))
    judged = review_reads.reviewed(connection, run_key) if standing else []
    return Decided(tuple(reviewed_rows(judged, standing)), False)


def overlay_of(connection: sqlite3.Connection, decided: Decided, outcomes: Collection[OutcomeRow]) -> Overlay:
    """Return what to read in place of `units`; `outcomes` are what letters stand for without reviews."""
    rows = by_unit(decided.rows)
    if not rows and not decided.hidden:
        return NOTHING_OVER
    letters = _Letters(outcomes, decided.counts)
    laid: list[tuple[int, int | None, int | None, str]] = []
    strips: dict[int, str] = {}
    for unit, judged, correct, strip, letters_there in connection.execute(
        "SELECT unit, judged, correct, strip, outcomes FROM units"
        " WHERE unit IN (SELECT value FROM json_each(?))",
        (json.dumps(list({*rows, *decided.hidden})),),
    ):
        # A row that has gone since the decisions were read is left out.
        there = [row for row in rows.get(unit, ()) if row.judged.place < len(letters_there)]
        laid_letters = letters.of(letters_there, there)
        if decided.counts:
            strips[unit] = strip_with(strip, there)
            correct = strips[unit].count(LETTERS[CORRECT])
            judged += sum((row.label is not None) - (row.judged.label is not None) for row in there)
        if hidden := decided.hidden.get(unit):
            strips[unit] = veiled_strip(strips.get(unit, strip), hidden)
            laid_letters = letters.without(laid_letters, hidden)
            judged = correct = None
        laid.append((unit, judged, correct, laid_letters))
    over = [unit for unit, *_ in laid]
    return Overlay(
        _RELATION,
        (json.dumps(over), json.dumps(laid)),
        tuple(letters.added),
        strips or None,
        decided.hidden,
    )


class _Letters:
    """Gives every sort of reviewed or hidden row a letter of its own."""

    def __init__(self, outcomes: Iterable[OutcomeRow], counts: bool) -> None:
        self._known = {outcome.letter: outcome for outcome in outcomes}
        self._counts = counts
        self._letters: dict[OutcomeRow, str] = {}

    @property
    def added(self) -> Iterable[OutcomeRow]:
        """What the letters stand for."""
        return (replace(outcome, letter=letter) for outcome, letter in self._letters.items())

    def of(self, outcomes: str, rows: Iterable[ReviewedRow]) -> str:
        """Return a unit's letters with those of its reviewed rows."""
        letters = list(outcomes)
        for row in rows:
            outcome = outcome_with(self._known[letters[row.judged.place]], row, self._counts)
            letters[row.judged.place] = self._letter(outcome)
        return "".join(letters)

    def without(self, outcomes: str, places: Iterable[int]) -> str:
        """Return a unit's letters without what is hidden of the rows at these places."""
        letters = list(outcomes)
        for place in places:
            if place < len(letters):
                letters[place] = self._letter(_veiled(self._known[letters[place]]))
        return "".join(letters)

    def _letter(self, outcome: OutcomeRow) -> str:
        letter = self._letters.setdefault(outcome, chr(_FIRST_LETTER + len(self._letters)))
        self._known[letter] = outcome
        return letter


def _veiled(outcome: OutcomeRow) -> OutcomeRow:
    """Return a row without its verdict and its decisions: not even `none` is said of them."""
    nothing: frozenset[str] = frozenset()
    return replace(
        outcome,
        letter="",
        cause=VEILED,
        flags=(),
        label=VEILED,
        status=VEILED,
        review=nothing,
        reviewers=nothing,
        tags=nothing,
    )


def outcome_with(judged: OutcomeRow, row: ReviewedRow, counts: bool) -> OutcomeRow:
    """Return what a filter asks of a row with its decisions, which has no letter; they may count or not."""
    reviews = row.standing.reviews
    said = replace(
        judged,
        letter="",
        review=row.states,
        reviewers=frozenset(review.reviewer for review in reviews),
        tags=frozenset(tag for review in reviews for tag in review.tags) or judged.tags,
    )
    if not counts:
        return said
    flags = {*judged.flags} - {UNSUPPORTED} | ({UNSUPPORTED} if row.unsupported else set())
    return replace(said, cause=row.cause, label=row.label, flags=tuple(sorted(flags)))
