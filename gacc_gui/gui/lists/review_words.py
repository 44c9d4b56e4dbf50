"""What lists and views say about reviewers' decisions, in words for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gacc_gui.core.records import Review
from gacc_gui.core.reviewing import ReviewedRow, Standing
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.words import cause_name, joined

_SAYS: Final[Mapping[str, str]] = {"correct": "✓ correct", "incorrect": "✗ incorrect", "unclear": "? unclear"}
_CONFLICT: Final = " ≠"


def review_words(review: Review) -> str:
    """What a reviewer says of a row, in a line; the note is not in it."""
    words = _SAYS.get(review.decision, review.decision)
    cause = cause_name(review.cause) if review.cause and review.decision == "incorrect" else ""
    tags = ", ".join(cell_text(tag, 40) for tag in review.tags)
    blind = "blind" if review.blind else ""
    day = cell_text(review.created_at[:10])
    return joined((f"{cell_text(review.reviewer, 40)}: {words}", cause, tags, blind, day))


def standing_mark(standing: Standing) -> str:
    """The decision that counts as a mark; ≠ where reviewers say different things."""
    mark = _SAYS.get(standing.decides.decision, standing.decides.decision)[:1]
    return mark + _CONFLICT if standing.conflict else mark


def standing_words(standing: Standing) -> str:
    """All that stands of a row's reviews, a line a reviewer; the last counts."""
    lines = [review_words(review) for review in standing.reviews]
    if standing.conflict:
        lines.append("The reviewers disagree: the latest decision counts.")
    return "\n".join(lines)


def as_reviewed_words(row: ReviewedRow) -> str:
    """What a row is as reviewed, in a few words."""
    label = row.label or "no verdict"
    cause = f", {cause_name(row.cause)}" if row.label == "incorrect" else ""
    return f"as reviewed: {label}{cause}"
