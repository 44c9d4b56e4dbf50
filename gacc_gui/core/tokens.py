"""Tokenizers behind one small protocol, and the proof that one of them is cl100k_base.

Owns the `Codec` protocol, the two codecs that need no files, and `verify_cl100k`. Finding, reading and
checking a vocabulary *file* is `formats.vocabulary`; nothing here reads or downloads.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

if TYPE_CHECKING:
    from tiktoken import Encoding

CL100K_SHA256: Final = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
"""SHA-256 of the canonical vocabulary file: a line `base64(token bytes) rank` each, by rank."""

CL100K_SPECIAL_TOKENS: Final[Mapping[str, int]] = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}

CL100K_PATTERNS: Final = frozenset(
    {
        # tiktoken ≥ 0.8: possessive quantifiers, the same language.
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        # tiktoken 0.6 and 0.7.
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
        r"|\s*[\r\n]|\s+(?!\S)|\s+",
        # As first published, and as other libraries copy it.
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    }
)
"""The official spellings of the splitting pattern; they match alike."""


@runtime_checkable
class Codec(Protocol):
    """A tokenizer. All text is ordinary text: the text of a special token is never that token."""

    @property
    def name(self) -> str:
        """What the codec is called, such as `cl100k_base`."""
        ...

    @property
    def revision(self) -> str:
        """What tells two vocabularies of one name apart, such as `sha256:…`."""
        ...

    @property
    def identity_verified(self) -> bool:
        """Whether it was checked to be cl100k_base: vocabulary, pattern and special tokens."""
        ...

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`; bytes that are no UTF-8 become U+FFFD."""
        ...

    def token_bytes(self, ids: Sequence[int]) -> list[bytes]:
        """Return each token's bytes."""
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        ...


class CodepointCodec:
    """One token a code point: the codec of the contract diagnostic, openly not cl100k_base."""

    name: Final = "codepoint"
    revision: Final = "1"
    identity_verified: Final = False

    def encode(self, text: str) -> list[int]:
        """Return the code points of `text`."""
        return [ord(character) for character in text]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of code points; a number that is no code point becomes U+FFFD."""
        return "".join(chr(i) if 0 <= i <= 0x10FFFF else "\ufffd" for i in ids)

    def token_bytes(self, ids: Sequence[int]) -> list[bytes]:
        """Return each code point's UTF-8 bytes (a lone surrogate in the form UTF-8 would give it)."""
        return [self.decode((i,)).encode("utf-8", "surrogatepass") for i in ids]

    def count(self, text: str) -> int:
        """Return the number of code points."""
        return len(text)


class TiktokenCodec:
    """A tiktoken encoding as a `Codec`.

    Whether it is the real cl100k_base is for the one who loads it to find out with `verify_cl100k`.
    """

    def __init__(self, encoding: Encoding, *, revision: str, identity_verified: bool) -> None:
        self._encoding = encoding
        self.name = encoding.name
        self.revision = revision
        self.identity_verified = identity_verified

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`; `<|endoftext|>` is seven ordinary tokens."""
        return self._encoding.encode(text, disallowed_special=())

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`; bytes that are no UTF-8 become U+FFFD."""
        return self._encoding.decode(ids, errors="replace")

    def token_bytes(self, ids: Sequence[int]) -> list[bytes]:
        """Return each token's bytes."""
        return self._encoding.decode_tokens_bytes(ids)

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        return len(self.encode(text))


@dataclass(frozen=True, slots=True)
class Identity:
    """What was found about a tokenizer that says it is cl100k_base. Verified when all three hold."""

    sha256: str
    """Of the canonical vocabulary file, rebuilt from the ranks in memory."""
    vocabulary: bool
    pattern: bool
    special_tokens: bool

    @property
    def verified(self) -> bool:
        """Whether vocabulary, pattern and special tokens are those of cl100k_base."""
        return self.vocabulary and self.pattern and self.special_tokens


def verify_cl100k(
    mergeable_ranks: Mapping[bytes, int], pattern: str, special_tokens: Mapping[str, int]
) -> Identity:
    """Check the data a tokenizer really works with, not the name it carries."""
    sha256 = vocabulary_sha256(mergeable_ranks)
    return Identity(
        sha256=sha256,
        vocabulary=sha256 == CL100K_SHA256,
        pattern=pattern in CL100K_PATTERNS,
        special_tokens=dict(special_tokens) == dict(CL100K_SPECIAL_TOKENS),
    )


def vocabulary_sha256(mergeable_ranks: Mapping[bytes, int]) -> str:
    """Return the SHA-256 of the canonical vocabulary file of these ranks."""
    lines = [b"%b %d\n" % (b64encode(token), rank) for token, rank in mergeable_ranks.items()]
    order = sorted(range(len(lines)), key=list(mergeable_ranks.values()).__getitem__)
    return hashlib.sha256(b"".join([lines[i] for i in order])).hexdigest()
