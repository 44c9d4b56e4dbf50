"""Characters that mislead on screen get visible stand-ins, one for one, and their names."""

from __future__ import annotations

import pytest

from gacc_gui.gui.panes.characters import describe, marks, shown_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b", "a∅b"),
        ("a\u200bb", "a◦b"),
        ("abc \u202egnp.exe\u202c def", "abc ◂gnp.exe▪ def"),
        ("\ufeffParis x", "◦Paris x"),
        ("\ufffe\u65e5", "▯日"),
        ("a\u2028b\u2029c", "a↵b¶c"),
        ("\ufdd0\U0001fffe\U000e0041", "▯▯▯"),
        ("a\rb", "a⏎b"),
        ("a\r\nb", "a\u200b\nb"),
        ("a\r\r\n\rb\u200b\r\n", "a⏎\u200b\n⏎b◦\u200b\n"),
        ("🧠𠀀👩\u200d💻\r\n", "🧠𠀀👩\u200d💻\u200b\n"),
        ("🏴\U000e0067\U000e007f\U0010ffff", "🏴▯▯▯"),
        ("tab\tnbsp\xa0 \U0001f468\u200d\U0001f469", "tab\tnbsp\xa0 \U0001f468\u200d\U0001f469"),
        ("\ufffd real", "\ufffd real"),
    ],
)
def test_stand_ins(text: str, shown: str) -> None:
    assert shown_text(text) == shown
    assert len(shown_text(text, invisibles=True)) == len(text)


def test_on_demand_the_harmless_ones_show_too() -> None:
    assert shown_text("a\xa0b\r\n\u200d", invisibles=True) == "a␣b⏎\n◦"


def test_marks_are_what_was_replaced() -> None:
    assert marks("a\x00b\r\nc\u200bd\U000e0041") == [1, 6, 8]
    assert marks("a\x00b\r\nc\xa0", invisibles=True) == [1, 3, 6]


def test_names() -> None:
    assert describe("\u202e") == "U+202E RIGHT-TO-LEFT OVERRIDE"
    assert describe("\x00") == "U+0000 NULL"
    assert describe("\x01") == "U+0001 control"
    assert describe("a") is None
