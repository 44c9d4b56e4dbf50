"""How the view of a comparison puts figures and buckets, in words for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from gacc_gui.core.compared_rows import ONLY_A, ONLY_B, TEXTS_DIFFER
from gacc_gui.core.comparison import BOTH_RIGHT, BOTH_WRONG, BROKEN, FIXED, NOT_LABELLED
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.words import share_words

if TYPE_CHECKING:
    from gacc_gui.core.comparison import GoalTest
    from gacc_gui.core.run_differences import Differing

_LONGEST: Final = 120
"""Code points of a name or a value that differs; drop-downs and lists have it whole."""

BUCKET_TITLES: Final = {
    FIXED: "Fixed",
    BROKEN: "Broken",
    BOTH_RIGHT: "Both right",
    BOTH_WRONG: "Both wrong",
    NOT_LABELLED: "Unlabelled",
    ONLY_A: "Only in A",
    ONLY_B: "Only in B",
    TEXTS_DIFFER: "Texts differ",
}
"""In the order in which they are shown."""

BUCKET_HINTS: Final = {
    FIXED: "Wrong in A, right in B",
    BROKEN: "Right in A, wrong in B",
    BOTH_RIGHT: "Right in both",
    BOTH_WRONG: "Wrong in both",
    NOT_LABELLED: "One side has no verdict that counts; it counts as wrong in Micro and Macro",
    ONLY_A: "Rows of A without a partner: question, generation or repeat is not in B",
    ONLY_B: "Rows of B without a partner: question, generation or repeat is not in A",
    TEXTS_DIFFER: "The same id with another source, goal, question or references: refused as pairs",
}

BUCKET_MARKS: Final = {
    FIXED: "✗ → ✓",
    BROKEN: "✓ → ✗",
    BOTH_RIGHT: "✓ = ✓",
    BOTH_WRONG: "✗ = ✗",
    NOT_LABELLED: "–",
    ONLY_A: "A",
    ONLY_B: "B",
    TEXTS_DIFFER: "≠",
}
"""What stands for a bucket in a row."""


def figure_words(value: float | None) -> str:
    """Return a share, or a dash where there is none."""
    return "–" if value is None else share_words(value)


def p_words(p: float | None) -> str:
    """Return a p value: three decimals, or as small as it is."""
    if p is None:
        return "–"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}".replace("-", "−")


def test_words(test: GoalTest) -> str:
    """Put the test on goals in a line."""
    if test.p is None:
        return ""
    if not test.fixed and not test.broken:
        return "no discordant goals, nothing to test"
    return f"{test.fixed:,} fixed, {test.broken:,} broken · McNemar p = {p_words(test.p)}"


def differing_words(differs: Sequence[Differing]) -> str:
    """Put in a line what differs besides the answers."""
    if not differs:
        return "Nothing else differs."
    named = [f"{one.name}: {_value(one.a)} → {_value(one.b)}" for one in differs]
    return "Differs: " + " · ".join(named)


def _value(value: str | None) -> str:
    return "not stated" if value is None else cell_text(value, _LONGEST) or "(none)"
