from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core import text_diff
from gacc_gui.core.errors import Interrupted
from gacc_gui.core.text_diff import TextDiff, diff_texts


def stretches(a: str, b: str) -> list[tuple[str, str]]:
    return [(a[one.a_start : one.a_end], b[one.b_start : one.b_end]) for one in diff_texts(a, b).changes]


def assert_true(a: str, b: str, diff: TextDiff) -> int:
    """The changes tell the whole truth: all that is between them is the same. Returns how much is."""
    at_a = at_b = common = 0
    for one in diff.changes:
        assert a[at_a : one.a_start] == b[at_b : one.b_start]
        assert one.a_start < one.a_end or one.b_start < one.b_end
        common += one.a_start - at_a
        at_a, at_b = one.a_end, one.b_end
    assert a[at_a:] == b[at_b:]
    return common + len(a) - at_a


def test_words_are_told() -> None:
    assert stretches("The tank held 812 litres of oil.", "The tank held 900 litres of oil.") == [
        ("812 ", "900 ")
    ]
    assert stretches("same", "same") == []
    assert stretches("", "new\n") == [("", "new\n")]
    assert stretches("one two three", "one three") == [("two ", "")]
    assert stretches("水泵在中午停了", "水泵在晚上停了") == [("中午", "晚上")]
    assert stretches("a\r\nb", "a\nb") == [("\r", "")]


def test_what_is_common_by_chance_is_no_island() -> None:
    a = "Margaret Thatcher was the prime minister"
    b = "Something entirely different was the weather"
    assert stretches(a, b) == [
        ("Margaret Thatcher was the prime minister", "Something entirely different was the weather")
    ]


def test_a_sentence_in_common_is_found_before_words_that_happen_to_be() -> None:
    shared = "The white campion is a flowering plant native to most of Europe, Asia and Africa. "
    others = [
        f"The {name} is a species of flowering plant in the family of pinks, known by many names. "
        for name in ("dianthus", "lychnis", "agrostemma", "saponaria")
    ]
    a, b = shared + "".join(others[:2]), "".join(others[2:]) + shared
    diff = diff_texts(a, b)
    assert [one.b_start for one in diff.changes][:1] == [0]
    assert len(a) - sum(one.a_end - one.a_start for one in diff.changes) >= len(shared) - 1


TEXT = st.text(st.sampled_from("ab c.\n é中\U0001f600\u200b"), max_size=60)


@given(TEXT, TEXT)
def test_between_changes_all_is_the_same(a: str, b: str) -> None:
    assert_true(a, b, diff_texts(a, b))


@given(TEXT, TEXT)
def test_divided_into_pieces_too(a: str, b: str) -> None:
    work, text_diff._WORK = text_diff._WORK, 6
    try:
        assert_true(a, b, diff_texts(a, b))
    finally:
        text_diff._WORK = work


def long_text(seed: int, words: int = 160_000) -> list[str]:
    rng = random.Random(seed)
    return [f"w{rng.randrange(5000)}{'.' if rng.random() < 0.06 else ''}" for _ in range(words)]


@pytest.mark.parametrize("joint", [" ", "\n"])
def test_a_megabyte_with_some_words_changed(joint: str) -> None:
    words = long_text(1)
    other = list(words)
    for at in range(500, len(words), 1000):
        other[at] = "changed"
    del other[70_000:70_050]
    a, b = joint.join(words), joint.join(other)
    diff = diff_texts(a, b)
    assert not diff.coarse
    assert 140 <= len(diff.changes) <= 170
    assert assert_true(a, b, diff) > 0.99 * len(b)


def test_sentences_of_one_source_are_found_again() -> None:
    sentences = [" ".join(long_text(seed, 15)) + ".\n" for seed in range(8_000)]
    a, b = ("".join(sentences[n] for n in range(8_000) if n % step) for step in (3, 5))
    diff = diff_texts(a, b)
    assert assert_true(a, b, diff) > 0.6 * len(a)


def test_nothing_in_common_takes_no_longer() -> None:
    a, b = " ".join(long_text(1)), " ".join(f"x{word}" for word in long_text(2))
    begun = time.perf_counter()
    diff = diff_texts(a, b)
    assert time.perf_counter() - begun < 20  # a second or two, on a busy machine
    assert len(diff.changes) == 1


def test_it_can_be_stopped() -> None:
    asked = iter([False] * 12 + [True] * 9)
    with pytest.raises(Interrupted):
        diff_texts(" ".join(long_text(1)), " ".join(long_text(2)), lambda: next(asked))
