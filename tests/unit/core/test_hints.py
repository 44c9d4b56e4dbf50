from __future__ import annotations

import pytest

from gacc_gui.core.evidence import Haystack
from gacc_gui.core.hints import differs_in_sense, hint_for

MEMORY = (
    "Some words before. The treaty was signed by both parties in the spring of 1991 at Geneva. And after."
)


def found(piece: str, text: str = MEMORY) -> str | None:
    hint = hint_for(piece, Haystack(text))
    return None if hint is None else text[hint.span.start : hint.span.end]


def test_the_likest_window_is_shown_with_its_score() -> None:
    piece = "the treaty was signed by all parties in spring of 1991 in Geneva"
    hint = hint_for(piece, Haystack(MEMORY))
    assert hint is not None
    assert 80 <= hint.score < 100
    assert "signed by both parties in the spring of 1991" in MEMORY[hint.span.start : hint.span.end]


@pytest.mark.parametrize(
    "piece",
    [
        "The treaty was signed by both parties in the spring of 1997 at Geneva",
        "The treaty was not signed by both parties in the spring of 1991 at Geneva",
        "The treaty wasn't signed by both parties in the spring of 1991 at Geneva",
        "The treaty was signed by two both parties in the spring of 1991 at Geneva",
        "The treaty was never signed by both parties in the spring of 1991 at Geneva",
    ],
)
def test_withheld_where_numbers_or_negations_differ(piece: str) -> None:
    from rapidfuzz import fuzz

    assert fuzz.partial_ratio(piece, MEMORY) > 90
    assert found(piece) is None


def test_nothing_alike_is_no_hint() -> None:
    assert found("completely different subject matter altogether") is None
    assert found("") is None
    assert found("x" * 500) is None
    assert hint_for("abc", Haystack("")) is None


def test_spans_are_of_the_stored_text() -> None:
    text = "Ｔｈｅ　ﬁrst  ﬂoor of the oﬃce was closed for repairs."
    window = found("the first floor of an office was closed for repairs", text)
    assert window is not None
    assert window.startswith("Ｔｈｅ　ﬁrst")
    assert window.endswith("repairs.") or window.endswith("repairs")


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("in 1991", "in 1997", True),
        ("1,000 litres", "1000 Litres", False),
        ("it is", "it isn’t", True),
        ("two men", "three men", True),
        ("他不知道", "他知道", True),
        ("３ pumps", "3 pumps", False),
        ("no, never", "never, no", False),
    ],
)
def test_what_differs_in_sense(one: str, other: str, differs: bool) -> None:
    assert differs_in_sense(one, other) is differs
