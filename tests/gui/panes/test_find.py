"""Finding: folded, in the stored text, counted, capped."""

from __future__ import annotations

from gacc_gui.core.folding import Folded
from gacc_gui.gui.panes.find import find_hits


def spans_of(text: str, needle: str, cap: int = 100) -> tuple[tuple[int, int], ...]:
    return find_hits(Folded(text), needle, cap).spans


def test_case_forms_and_white_space_are_folded() -> None:
    text = "Paris, PARIS; the\n  ＰＡＲＩＳ Straße"
    assert [text[a:b] for a, b in spans_of(text, "paris")] == ["Paris", "PARIS", "ＰＡＲＩＳ"]
    assert [text[a:b] for a, b in spans_of(text, "THE paris")] == ["the\n  ＰＡＲＩＳ"]
    assert [text[a:b] for a, b in spans_of(text, "strasse")] == ["Straße"]


def test_code_points_and_not_utf16_units() -> None:
    assert spans_of("\U0001f9e0 Paris", "paris") == ((2, 7),)


def test_two_hits_in_one_character_are_one() -> None:
    assert spans_of("\u3300", "ア") == ((0, 1),)
    assert spans_of("ﬀ", "f") == ((0, 1),)


def test_the_cap_is_told() -> None:
    hits = find_hits(Folded("a" * 50), "a", cap=10)
    assert (len(hits.spans), hits.capped, hits.count) == (10, True, "10+")
    assert find_hits(Folded("a" * 10), "a", cap=10).count == "10"
    assert find_hits(Folded("abc"), "").spans == ()
