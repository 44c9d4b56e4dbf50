from __future__ import annotations

import pytest

from gacc_gui.core.words import is_cjk, is_word_boundary, same_word


@pytest.mark.parametrize("character", "漢字々〇かナーｶ한ㅎㄅ𠮷豈")
def test_cjk(character: str) -> None:
    assert is_cjk(character)


@pytest.mark.parametrize("character", "aé9Ж🧠ａ。、「 ")
def test_not_cjk(character: str) -> None:
    assert not is_cjk(character)


@pytest.mark.parametrize(
    ("text", "boundaries"),
    [
        ("ab", {0, 2}),
        ("a1", {0, 2}),
        ("a b", {0, 1, 2, 3}),
        ("a-b", {0, 1, 2, 3}),
        ("漢字", {0, 1, 2}),
        ("a漢", {0, 1, 2}),
        ("", {0}),
    ],
)
def test_word_boundaries(text: str, boundaries: set[int]) -> None:
    assert {i for i in range(len(text) + 1) if is_word_boundary(text, i)} == boundaries


def test_same_word_takes_marks_and_joiners_in() -> None:
    assert same_word("e\u0301a", 1)
    assert same_word("स्त", 1)
    assert same_word("स्त", 2)
    assert not same_word("a b", 1)
    assert not same_word("漢字", 1)
    assert not same_word("ab", 0)
    assert not same_word("ab", 2)
