from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.gui.review.excerpts import AROUND, WHOLE, Mark, excerpt

LONG = "".join(f"word{number} " for number in range(1_000))


def test_a_short_text_is_shown_whole() -> None:
    part = excerpt("the pump stopped", [Mark(4, 8, "retained")])
    assert (part.text, part.marks, part.whole) == ("the pump stopped", (Mark(4, 8, "retained"),), True)


def test_a_long_one_around_its_marks() -> None:
    at = LONG.index("word500")
    part = excerpt(LONG, [Mark(at, at + 7, "tail")])
    assert not part.whole and len(part.text) < 3 * AROUND
    (mark,) = part.marks
    assert part.text[mark.start : mark.end] == "word500"
    assert part.text.strip().startswith("⋯") and part.text.rstrip().endswith("⋯")


def test_without_a_mark_its_beginning() -> None:
    part = excerpt(LONG, [])
    assert part.text.startswith("word0 word1 ") and WHOLE - 50 < len(part.text) < WHOLE + 50


@given(
    st.text("ab \n𝄞", max_size=5_000),
    st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 300)), max_size=15),
)
def test_marks_stay_on_what_they_mark(text: str, places: list[tuple[int, int]]) -> None:
    marks = [Mark(start, start + length, "cut") for start, length in places]
    part = excerpt(text, marks)
    wanted = {text[mark.start : mark.end] for mark in marks if mark.start < mark.end <= len(text)}
    assert {part.text[mark.start : mark.end] for mark in part.marks} <= wanted
    if part.whole:
        assert part.text == text
