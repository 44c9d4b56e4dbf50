"""A Hugging Face `tokenizer.json` as a codec: what the compaction benchmark counts with.

Owns loading the file, its identity (the SHA-256 of its bytes) and that nothing but the text is counted: no
special token is added, none is recognised in a text, nothing is cut off or filled up, whatever the file says.
No network and no other file. Not here: cl100k_base (`formats.vocabulary`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.errors import CodecUnavailable
from gacc_gui.formats.json_values import mended

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BYTE_TOKEN: Final = re.compile(r"<0x([0-9A-Fa-f]{2})>")


class HfCodec:
    """A tokenizer of the `tokenizers` library as a `core.tokens.Codec`; never verified as cl100k_base."""

    identity_verified: Final = False

    def __init__(self, tokenizer: Tokenizer, *, name: str, revision: str, byte_level: bool) -> None:
        self._tokenizer = tokenizer
        self._byte_of = _byte_alphabet() if byte_level else {}
        self.name = name
        self.revision = revision

    def __repr__(self) -> str:
        return f"HfCodec({self.name!r}, {self.revision!r})"

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`; half a surrogate pair counts as U+FFFD."""
        return list(self._encoding(text).ids)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`; bytes that are no UTF-8 become U+FFFD, ids without a token nothing."""
        return self._tokenizer.decode(list(ids), skip_special_tokens=False)

    def token_bytes(self, ids: Sequence[int]) -> list[bytes]:
        """Return each token's bytes: exact for byte-level vocabularies, else those of its text."""
        return [self._bytes(id) for id in ids]

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        return len(self._encoding(text))

    def _encoding(self, text: str) -> Any:
        if not text.isascii():
            text = mended(text)
        return self._tokenizer.encode(text, add_special_tokens=False)

    def _bytes(self, id: int) -> bytes:
        token = self._tokenizer.id_to_token(id) or ""
        if self._byte_of and all(character in self._byte_of for character in token):
            return bytes(self._byte_of[character] for character in token)
        if (match := _BYTE_TOKEN.fullmatch(token)) is not None:
            return bytes((int(match[1], 16),))
        return self.decode((id,)).encode()


def load_tokenizer(path: Path) -> HfCodec:
    """Return the tokenizer in a file. Its name is the file's, its revision `sha256:` and the file's hash.

    Raises CodecUnavailable, in a sentence that names the file, where it is missing, damaged or no tokenizer.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CodecUnavailable(
            f"the tokenizer {path} cannot be read: {(error.strerror or str(error)).lower()}"
        ) from error
    try:
        text = data.decode("utf-8-sig")
        shape = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CodecUnavailable(f"the tokenizer {path} is damaged: it is no JSON") from error
    if not isinstance(shape, dict) or not isinstance(shape.get("model"), dict):
        raise CodecUnavailable(f"{path} is no tokenizer.json: a Hugging Face tokenizer has a model")
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(text)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # `<|endoftext|>` in a text is ordinary text
        counted = len(tokenizer.encode("a b", add_special_tokens=False))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # its panics are no Exceptions (tokenizers 0.23)
        said = " ".join(str(error).split())[:200]
        raise CodecUnavailable(f"the tokenizer {path} is damaged: {said}") from error
    if counted == 0:
        raise CodecUnavailable(f"the tokenizer {path} is of no use: it finds no token in a text")
    revision = f"sha256:{hashlib.sha256(data).hexdigest()}"
    return HfCodec(tokenizer, name=path.name, revision=revision, byte_level=_is_byte_level(shape))


def _is_byte_level(shape: dict[str, Any]) -> bool:
    decoder = shape.get("decoder")
    parts = [decoder, *(decoder.get("decoders") or [])] if isinstance(decoder, dict) else []
    return any(isinstance(part, dict) and part.get("type") == "ByteLevel" for part in parts)


def _byte_alphabet() -> dict[str, int]:
    """Return the byte that each character of a byte-level vocabulary stands for."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in set(plain)]
    return {
        **{chr(byte): byte for byte in plain},
        **{chr(0x100 + place): byte for place, byte in enumerate(others)},
    }
