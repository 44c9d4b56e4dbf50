"""How the view of a comparison puts figures and buckets, in words for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from gacc_gui.app.difference_words import told_differences
from gacc_gui.core.compared_rows import ONLY_A, ONLY_B, TEXTS_DIFFER
from gacc_gui.core.comparison import BOTH_RIGHT, BOTH_WRONG, BROKEN, FIXED, NOT_LABELLED
from gacc_gui.core.terms import GOALS, Terms
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

_BUCKET_HINTS: Final = {
    FIXED: "Wrong in A, right in B",
    BROKEN: "Right in A, wrong in B",
    BOTH_RIGHT: "Right in both",
    BOTH_WRONG: "Wrong in both",
    NOT_LABELLED: "One side has no {0.verdict} that counts; it counts as wrong in {1}",
    ONLY_A: "{2} of A without a partner: question, generation or {0.repeat} is not in B",
    ONLY_B: "{2} of B without a partner: question, generation or {0.repeat} is not in A",
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


def bucket_hint(bucket: str, terms: Terms) -> str:
    """Say what rows of a bucket are."""
    figures = terms.micro if terms.one_question else f"{terms.micro} and Macro"
    return _BUCKET_HINTS[bucket].format(terms, figures, f"{terms.row.capitalize()}s")


def figure_words(value: float | None) -> str:
    """Return a share, or a dash where there is none."""
    return "–" if value is None else share_words(value)


def p_words(p: float | None) -> str:
    """Return a p value: three decimals, or as small as it is."""
    if p is None:
        return "–"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}".replace("-", "−")


def test_words(test: GoalTest, terms: Terms = GOALS) -> str:
    """Put the test on goals, or on cases, in a line."""
    if test.p is None:
        return ""
    if terms.one_question:
        equal = test.counted - test.fixed - test.broken
        told = f"{test.fixed:,} better in B, {test.broken:,} worse, {equal:,} equal"
        tested = test.fixed or test.broken
        return f"{told} · sign test p = {p_words(test.p)}" if tested else f"{told}: nothing to test"
    if not test.fixed and not test.broken:
        return "no discordant goals, nothing to test"
    return f"{test.fixed:,} fixed, {test.broken:,} broken · McNemar p = {p_words(test.p)}"


def differing_words(differs: Sequence[Differing], terms: Terms = GOALS) -> str:
    """Put in a line what differs besides the answers."""
    named = [f"{name}: {_value(one.a)} → {_value(one.b)}" for name, one in told_differences(differs, terms)]
    if not named:
        return "Nothing else differs."
    return "Differs: " + " · ".join(named)


def _value(value: str | None) -> str:
    return "not stated" if value is None else cell_text(value, _LONGEST) or "(none)"
