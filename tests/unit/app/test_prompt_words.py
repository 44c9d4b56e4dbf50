from __future__ import annotations

import pytest

from gacc_gui.app.prompt_words import is_distinct, is_ordinary
from gacc_gui.core.folding import fold


@pytest.mark.parametrize(
    ("needle", "text", "ordinary"),
    [
        ("three", "Write three sentences.", True),
        ("Three", "At most 9 words. Three sentences.", True),
        ("three sentences", "THREE SENTENCES AT MOST.", True),
        ("three  sentences", "Write three\nsentences.", True),
        ("2024", "Dates after 2024 count.", True),
        ("英文", "请用英文回答", True),
        ("Paris", "Hint: Paris.", False),
        ("Ada Lovelace", "She is called Ada Lovelace.", False),
        ("XK-77", "Hint: XK-77", False),
        ("739201", "Hint: 739201", False),
        ("蓝鲸七号", "答案是蓝鲸七号。", False),
        ("a long lower-case reference", "a long lower-case reference", False),
    ],
)
def test_ordinary_words(needle: str, text: str, ordinary: bool) -> None:
    assert is_ordinary(fold(needle), "reference", [text]) is ordinary


def test_a_question_is_no_ordinary_word() -> None:
    assert not is_ordinary("who was it", "question", ["who was it?"])
    assert is_ordinary("why", "question", ["Explain why it matters."])


@pytest.mark.parametrize(
    ("written", "text", "distinct"),
    [
        ("three", "threefold", False),
        ("120", "41203", False),
        ("ration", "generation", False),
        ("Paris", "comparison", False),
        ("Paris", "xParisx", True),
        ("Art", "Article", False),
        ("XK-7", "aXK-7b", True),
        ("CANARY", "aCANARYb", True),
        ("7 pm", "17 pmx", True),
        ("mitochondria", "xmitochondriax", True),
    ],
)
def test_words_that_are_known_inside_others(written: str, text: str, distinct: bool) -> None:
    assert is_distinct(fold(written), written, text) is distinct
