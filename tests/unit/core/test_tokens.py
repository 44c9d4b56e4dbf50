from __future__ import annotations

import pytest

from gacc_gui.core.tokens import (
    CL100K_PATTERNS,
    CL100K_SHA256,
    CL100K_SPECIAL_TOKENS,
    Codec,
    CodepointCodec,
    TiktokenCodec,
    verify_cl100k,
    vocabulary_sha256,
)


@pytest.fixture
def parts(cl100k: Codec) -> tuple[dict[bytes, int], str, dict[str, int]]:
    assert isinstance(cl100k, TiktokenCodec)
    encoding = cl100k._encoding
    return dict(encoding._mergeable_ranks), encoding._pat_str, dict(encoding._special_tokens)


def test_the_real_vocabulary_is_verified(parts: tuple[dict[bytes, int], str, dict[str, int]]) -> None:
    identity = verify_cl100k(*parts)
    assert identity.verified
    assert identity.sha256 == CL100K_SHA256
    ranks = dict(reversed(parts[0].items()))
    assert vocabulary_sha256(ranks) == CL100K_SHA256  # whatever the order in memory
    for pattern in CL100K_PATTERNS:
        assert verify_cl100k(ranks, pattern, parts[2]).verified


def test_any_difference_is_found(parts: tuple[dict[bytes, int], str, dict[str, int]]) -> None:
    ranks, pattern, special = parts
    swapped = {**ranks, b"!": ranks[b'"'], b'"': ranks[b"!"]}
    assert not verify_cl100k(swapped, pattern, special).vocabulary
    assert not verify_cl100k({**ranks, b"\x00\x00\x00\x00nope": 100256}, pattern, special).vocabulary
    assert not verify_cl100k(ranks, pattern.replace("{1,3}", "{1,4}"), special).pattern
    fewer = {name: i for name, i in special.items() if name != "<|endofprompt|>"}
    found = verify_cl100k(ranks, pattern, fewer)
    assert (found.vocabulary, found.pattern, found.special_tokens, found.verified) == (
        True,
        True,
        False,
        False,
    )


def test_the_patterns_split_alike() -> None:
    regex = pytest.importorskip("regex")
    text = "It's  12345 o'clock,\r\n\n  (nicht) wahr?!  \t“Übung”…\u2028漢字 42 can'T\n\n x   "
    assert len({tuple(regex.findall(pattern, text)) for pattern in CL100K_PATTERNS}) == 1


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a <|endoftext|> b", 8),
        ("<|endoftext|>", 7),
        ("<|fim_prefix|>", 7),
        ("<|endofprompt|>", 7),
        ("<|im_start|>", 6),
        ("<|endoftext|>" * 3 + " x", 20),
        ("ab", 1),
        ("cd", 1),
        ("abcd", 1),
    ],
)
def test_special_tokens_are_ordinary_text(cl100k: Codec, text: str, tokens: int) -> None:
    ids = cl100k.encode(text)
    assert len(ids) == cl100k.count(text) == tokens
    assert not set(ids) & set(CL100K_SPECIAL_TOKENS.values())
    assert cl100k.decode(ids) == text


def test_special_token_text_has_the_measured_ids(cl100k: Codec) -> None:
    assert cl100k.encode("a <|endoftext|> b") == [64, 83739, 8862, 728, 428, 91, 29, 293]


@pytest.mark.parametrize(
    ("text", "tokens"), [("^" * 1_000_000, 250_000), ("a" * 1_000_000, 125_000), ("中" * 100_000, 100_000)]
)
def test_long_unbroken_runs(cl100k: Codec, text: str, tokens: int) -> None:
    ids = cl100k.encode(text)
    assert len(ids) == tokens
    assert cl100k.decode(ids) == text


def test_token_bytes_add_up(cl100k: Codec) -> None:
    text = "hello 🧠 नमस्ते 漢字"
    ids = cl100k.encode(text)
    assert b"".join(cl100k.token_bytes(ids)) == text.encode()
    assert len(cl100k.token_bytes(ids)) == len(ids)


def test_codepoint_codec() -> None:
    codec = CodepointCodec()
    assert isinstance(codec, Codec)
    assert codec.identity_verified is False
    assert codec.decode(codec.encode("a🧠é")) == "a🧠é"
    assert codec.token_bytes(codec.encode("é🧠")) == ["é".encode(), "🧠".encode()]
    assert codec.decode([97, -1, 0x110000]) == "a\ufffd\ufffd"
