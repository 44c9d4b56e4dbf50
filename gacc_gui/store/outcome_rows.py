"""What a letter of `units.outcomes` stands for, and whether it meets a term of a filter."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.filters import Match
from gacc_gui.core.reviewing import NONE

_NOT_GIVEN: Final = frozenset({""})
"""What an empty value in a filter asks for."""


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """A row of `outcomes`; with the decisions on a row, where there are some and they were asked for."""

    letter: str
    fate: str
    cause: str
    flags: tuple[str, ...]
    label: str | None
    status: str
    answer_status: str | None
    memory_status: str
    review: frozenset[str] = frozenset({NONE})
    """Of `core.reviewing.REVIEW_STATES`."""
    reviewers: frozenset[str] = _NOT_GIVEN
    tags: frozenset[str] = _NOT_GIVEN


def outcomes(connection: sqlite3.Connection) -> list[OutcomeRow]:
    """Return what the letters of `units.outcomes` stand for."""
    return [
        OutcomeRow(letter, fate, cause, tuple(flags.split()), *rest)
        for letter, fate, cause, flags, *rest in connection.execute(
            "SELECT letter, fate, cause, flags, label, status, answer_status, memory_status FROM outcomes"
        )
    ]


def meets(outcome: OutcomeRow, term: Match) -> bool:
    """Whether a row of this outcome meets a term about rows, negated or not."""
    values = term.values
    match term.key:
        case "cause":
            return outcome.cause in values
        case "fate":
            return outcome.fate in values
        case "flag":
            return any(flag in values for flag in outcome.flags)
        case "label":
            return (outcome.label or "none") in values
        case "status":
            return outcome.status in values
        case "answer-status":
            return (outcome.answer_status or "none") in values
        case "review":
            return not outcome.review.isdisjoint(values)
        case "reviewer":
            return not outcome.reviewers.isdisjoint(values)
        case "tag":
            return not outcome.tags.isdisjoint(values)
    raise AssertionError(term.key)
