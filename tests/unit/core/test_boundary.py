from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.boundary import Boundary, boundary_place, cut, stored_boundary
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.survival import TokenOffsets
from gacc_gui.core.tokens import Codec, CodepointCodec


def test_a_cut_inside_a_character(cl100k: Codec) -> None:
    text = "hello 🧠"
    assert [cut(cl100k, text, budget).retained_text for budget in (2, 3, 4)] == [
        "hello \ufffd",
        "hello \ufffd",
        text,
    ]
    assert [cut(cl100k, text, budget).retained_tokens for budget in (2, 3, 4, 9)] == [2, 3, 4, 4]
    assert [cut(cl100k, text, budget).reencoded_tokens for budget in (2, 3, 4)] == [2, 2, 4]
    assert cut(cl100k, text, 9).unused_budget == 5
    boundary = stored_boundary(text, "hello \ufffd")
    assert boundary is not None
    assert (boundary.characters, boundary.bytes, boundary.splits_character) == (6, 6, True)


def test_a_recount_can_exceed_the_budget(cl100k: Codec) -> None:
    assert cl100k.encode("יב") == [43336, 239]
    taken = cut(cl100k, "יב", 1)
    assert (taken.retained_text, taken.retained_tokens, taken.reencoded_tokens) == ("י\ufffd", 1, 2)
    taken = cut(cl100k, "שלום", 3)
    assert (taken.retained_tokens, taken.reencoded_tokens) == (3, 4)


def test_a_replacement_character_of_the_text_itself(cl100k: Codec) -> None:
    text = "\ufffd漢字"
    assert cl100k.encode(text) == [5809, 78256, 95, 19113]
    retained = [cut(cl100k, text, budget).retained_text for budget in (1, 2, 3, 4)]
    assert retained == ["\ufffd", "\ufffd\ufffd", "\ufffd漢", text]
    splits = [stored_boundary(text, piece) for piece in retained]
    assert [b.splits_character for b in splits if b] == [False, True, False, False]
    assert [b.characters for b in splits if b] == [1, 1, 2, 3]


@pytest.mark.parametrize("budget", [-1, None, "512", 512.0, True])
def test_only_whole_numbers_are_budgets(budget: object) -> None:
    with pytest.raises(BadUsage, match=str(budget)):
        cut(CodepointCodec(), "abc def ghi", budget)


def test_a_budget_of_nothing() -> None:
    taken = cut(CodepointCodec(), "abc", 0)
    assert (taken.retained_text, taken.retained_tokens, taken.unused_budget, taken.proposed_tokens) == (
        "",
        0,
        0,
        3,
    )
    assert taken.reencoded_tokens == 0


@pytest.mark.parametrize(
    ("proposed", "retained", "place"),
    [
        ("abc", "ab", (2, False)),
        ("abc", "", (0, False)),
        ("", "", (0, False)),
        ("abc", "abc", (3, False)),
        ("abc", "ab\ufffd", (2, True)),
        ("a\ufffdc", "a\ufffd", (2, False)),
        ("abc", "abc\ufffd", None),
        ("abc", "ab\ufffd\ufffd", None),
        ("abc", "b", None),
        ("abc", "abcd", None),
        ("\ufffd", "\ufffd", (1, False)),
        ("🧠", "\ufffd", (0, True)),
    ],
)
def test_stored_boundaries(proposed: str, retained: str, place: tuple[int, bool] | None) -> None:
    assert boundary_place(proposed, retained) == place
    assert (stored_boundary(proposed, retained) is None) == (place is None)


def at(proposed: str, retained: str) -> Boundary:
    boundary = stored_boundary(proposed, retained)
    assert boundary is not None
    return boundary


def test_what_a_cut_splits() -> None:
    boundary = at("The television broke. It was old.", "The televi")
    assert boundary.word == ("televi", "sion")
    assert (boundary.splits_word, boundary.splits_sentence, boundary.splits_character) == (True, True, False)

    between = at("The television broke. It was old.", "The television")
    assert (between.splits_word, between.splits_sentence, between.word) == (False, True, None)

    after = at("The television broke. It was old.", "The television broke.")
    assert (after.splits_word, after.splits_sentence) == (False, False)

    whole = at("abc", "abc")
    assert (whole.splits_word, whole.splits_sentence) == (False, False)
    assert at("abc", "").splits_word is False


def test_a_combining_mark_belongs_to_its_word() -> None:
    boundary = at("नमस्ते दोस्त", "नमस")
    assert boundary.word == ("नमस", "्ते")
    assert at("漢字", "漢").splits_word is False


def test_a_split_letter_splits_its_word() -> None:
    boundary = at("xx שלום yy", "xx של\ufffd")
    assert boundary.word == ("של", "ום")
    assert boundary.bytes == 7


def test_a_boundary_at_a_very_long_word_is_cheap() -> None:
    boundary = at("a" * 1_000_000, "a" * 500_000)
    assert boundary.word is not None
    assert max(map(len, boundary.word)) <= 40


ALPHABET = st.text(st.sampled_from("ab .\n<|>é漢字🧠\ufffdשלנमस्ते\u0301👩\u200d🚀"), max_size=60)


@given(ALPHABET, st.integers(0, 80))
@settings(deadline=None)
def test_cut_and_tail_cover_every_token(cl100k: Codec, text: str, budget: int) -> None:
    ids = cl100k.encode(text)
    taken = cut(cl100k, text, budget)
    tail = TokenOffsets(cl100k, text).tokens - taken.retained_tokens
    assert tail == len(ids[budget:])
    assert taken.retained_tokens == min(len(ids), budget)
    assert taken.retained_tokens + taken.unused_budget == budget
    assert taken.retained_text == cl100k.decode(ids[:budget])
    place = boundary_place(text, taken.retained_text)
    assert place is not None
    assert place == TokenOffsets(cl100k, text).boundary(budget)
