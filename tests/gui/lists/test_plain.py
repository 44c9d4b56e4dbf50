from __future__ import annotations

import pytest

from gacc_gui.core.natural import natural_key
from gacc_gui.gui.lists.plain import cell_text, lines_text, tooltip
from gacc_gui.gui.lists.widths import share_width
from gacc_gui.gui.lists.words import strip_words, verdict_words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\nb\r\nc\rd\u2028e", "a ⏎ b ⏎ c ⏎ d ⏎ e"),
        ("a\tb", "a b"),
        ("a\x00b", "a∅b"),
        ("\x1b[31mred", "▯[31mred"),
        ("a\u200bb", "a⟨ZWSP⟩b"),
        ("abc \u202egnp.exe\u202c def", "abc ⟨RLO⟩gnp.exe⟨PDF⟩ def"),
        ("\ufeffParis", "⟨BOM⟩Paris"),
        ("\ufffe日", "⟨U+FFFE⟩日"),
        ("a\u200db", "a⟨ZWJ⟩b"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("<b>x</b>", "<b>x</b>"),
    ],
)
def test_cell_text_is_one_line_and_hides_nothing(text: str, shown: str) -> None:
    assert cell_text(text) == shown


def test_long_texts_are_cut_before_anything_is_done_with_them() -> None:
    assert cell_text("a" * 1_000_000, 10) == "a" * 10 + "…"
    assert len(tooltip("x" * 1_000_000)) < 2_000


def test_lines_stay_where_there_is_room_for_them() -> None:
    assert lines_text("a\r\nb\u2028c\td \u202ee") == "a\nb\nc\td ⟨RLO⟩e"
    assert lines_text(lines_text("a\x00\u200b")) == "a∅⟨ZWSP⟩"


def test_tooltips_show_mark_up_as_text() -> None:
    assert tooltip("<img src=x>\n&amp;") == (
        '<p style="white-space:pre-wrap">&lt;img src=x&gt;\n&amp;amp;</p>'
    )
    assert tooltip("") == ""


def test_names_sort_as_people_expect() -> None:
    names = ["run10", "Run9", "run1", "run01", "alpha", "run1b", "2", "10"]
    assert sorted(names, key=natural_key) == ["2", "10", "alpha", "run01", "run1", "run1b", "Run9", "run10"]


def test_a_number_of_any_size_sorts() -> None:
    assert natural_key("9" * 6000) < natural_key("1" + "0" * 6000)


@pytest.mark.parametrize(
    ("available", "needed", "least", "widths"),
    [
        (500, [100, 50], [10, 10], [100, 50]),
        (100, [30, 200, 200], [10, 10, 10], [30, 35, 35]),
        (40, [30, 200], [30, 60], [30, 60]),
        (200, [300, 60, 60], [120, 20, 20], [134, 33, 33]),
        (0, [], [], []),
    ],
)
def test_width_is_shared(available: int, needed: list[int], least: list[int], widths: list[int]) -> None:
    assert share_width(available, needed, least) == widths


def test_strip_in_words() -> None:
    assert strip_words("✓✓✓", 3) == "3 of 3 right"
    assert (
        strip_words("✓T–J", 1)
        == "1 of 4 right; question 2 truncation, question 3 no verdict, question 4 judge"
    )
    assert strip_words("T" * 25, 0).endswith("question 20 truncation, and 5 more")
    assert strip_words("", 0) == "0 of 0 right"


@pytest.mark.parametrize(
    ("label", "status", "words"),
    [
        ("correct", "judged", "✓ correct"),
        ("incorrect", "judged", "✗ incorrect"),
        ("partial", "judged", "partial (unknown verdict)"),
        ("0.5", "judged", "0.5 (unknown verdict)"),
        (None, "unparsed", "not parsed"),
        (None, "not_judged", "not judged"),
        (None, "strange", "strange"),
    ],
)
def test_verdicts_in_words(label: str | None, status: str, words: str) -> None:
    assert verdict_words(label, status) == words
