"""Tokens begin where their bytes do, told in code points."""

from __future__ import annotations

from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.formats.vocabulary import load_codec
from gacc_gui.gui.panes.token_shading import shaded, token_starts


@settings(deadline=None, max_examples=60)
@given(st.text(st.one_of(st.sampled_from("ab \n\U0001f9e0漢ש"), st.characters(exclude_categories=["Cs"]))))
def test_starts_against_the_bytes(text: str) -> None:
    codec = load_codec("cl100k_base")
    starts = token_starts(codec, text)
    ids = codec.encode(text)
    assert len(starts) == len(ids) + 1
    for at in range(len(ids)):
        before = b"".join(codec.token_bytes(ids[:at]))
        inside = before.decode("utf-8", "replace")
        # A character whose first bytes came before belongs to the token that began it.
        expected = len(inside) if inside else 0
        assert starts[at] == expected
    assert starts[-1] == len(text)


def test_every_other_token_of_the_view_with_its_number() -> None:
    starts = token_starts(CodepointCodec(), "abcdefgh")
    assert [(s.start, s.end, s.note) for s in shaded(starts, 0, 4)] == [(1, 2, "token 2"), (3, 4, "token 4")]
    behind = shaded(starts, 0, 3, shift=5)
    assert [(s.start, s.end) for s in behind] == [(0, 1), (2, 3)]
    assert shaded(array("q", [0]), 0, 5) == []
