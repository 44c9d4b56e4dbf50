from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.excerpts import CUT, HIDDEN, LEFT_OUT, PLAIN, Mark, Part, capped, parts, windows

TEXT = "abcdefghijklmnopqrstuvwxyz"


def test_what_is_marked_stands_among_what_is_around_it_and_the_rest_is_counted() -> None:
    found = parts(TEXT, [(3, 12)], [Mark(5, 8, "tail"), Mark(7, 10, "retained")], [(10, 11)], cut=7)
    assert found == (
        Part("", LEFT_OUT, 3),
        Part("de"),
        Part("fg", "tail"),
        Part("", CUT),
        Part("h", "tail"),
        Part("ij", "retained"),
        Part("", HIDDEN),
        Part("l"),
        Part("", LEFT_OUT, 14),
    )


def test_the_cut_stands_at_either_end_and_in_an_empty_text() -> None:
    assert parts("", [], cut=0) == (Part("", CUT),)
    assert parts("ab", [(0, 2)], cut=0) == (Part("", CUT), Part("ab"))
    assert parts("ab", [(0, 2)], cut=2) == (Part("ab"), Part("", CUT))


def test_windows_join_where_they_touch_and_stay_inside() -> None:
    assert windows(100, [(50, 55), (2, 4), (62, 63)], 5, 9) == [(0, 9), (45, 68)]
    assert windows(100, [(10, 11), (50, 51), (90, 91)], 1, 2) == [(9, 12), (49, 52)]
    assert windows(0, [(0, 0)], 5, 9) == []


def test_capped_says_what_is_missing() -> None:
    assert capped("abcdef", 4) == ("abcd", 2)
    assert capped("abc", 4) == ("abc", 0)


_PLACE = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: (min(pair), max(pair)))


@given(
    text=st.text(max_size=30),
    shown=st.lists(_PLACE, max_size=3),
    marks=st.lists(_PLACE, max_size=3),
    hidden=st.lists(_PLACE, max_size=2),
    cut=st.none() | st.integers(0, 30),
)
def test_no_character_is_lost_shown_twice_or_shown_though_hidden(
    text: str,
    shown: list[tuple[int, int]],
    marks: list[tuple[int, int]],
    hidden: list[tuple[int, int]],
    cut: int | None,
) -> None:
    cut = None if cut is None else min(cut, len(text))
    shown = [(start, min(end, len(text))) for start, end in shown]
    hidden = [(start, min(end, len(text))) for start, end in hidden]
    found = parts(text, shown, [Mark(*place, "tail") for place in marks], hidden, cut)
    seen = "".join(part.text for part in found)
    covered = {at for start, end in shown for at in range(start, end)}
    secret = {at for start, end in hidden for at in range(start, end)}
    assert seen == "".join(text[at] for at in sorted(covered - secret))
    left_out = sum(part.characters for part in found)
    assert left_out == len(text) - len(covered)
    assert [part.kind for part in found].count(CUT) == (cut is not None)
    if cut is not None:
        before = found[: [part.kind for part in found].index(CUT)]
        assert "".join(part.text for part in before) == "".join(
            text[at] for at in sorted(covered - secret) if at < cut
        )
    assert all(part.kind != PLAIN or part.text for part in found)
