"""A tokenizer.json counts the text and nothing else, and says in a sentence why it cannot be used."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.errors import CodecUnavailable
from gacc_gui.core.tokens import Codec
from gacc_gui.formats.hf_tokenizer import HfCodec, load_tokenizer
from tests.compaction_tokenizer import small_tokenizer


@pytest.fixture(scope="module")
def codec(tmp_path_factory: pytest.TempPathFactory) -> HfCodec:
    return load_tokenizer(small_tokenizer(tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"))


def test_identity_is_the_file(tmp_path: Path) -> None:
    path = small_tokenizer(tmp_path / "tokenizer.json")
    codec = load_tokenizer(path)
    assert isinstance(codec, Codec)
    assert codec.name == "tokenizer.json" and not codec.identity_verified
    assert codec.revision == "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("text", ["", "The director", "naïve 中文 🎬\r\n", "a\0b", "<|endoftext|>"])
def test_text_there_and_back(codec: HfCodec, text: str) -> None:
    ids = codec.encode(text)
    assert codec.decode(ids) == text
    assert b"".join(codec.token_bytes(ids)) == text.encode()
    assert codec.count(text) == len(ids)


@given(st.text(max_size=60))
def test_bytes_of_the_tokens_are_the_text(codec: HfCodec, text: str) -> None:
    ids = codec.encode(text)
    assert b"".join(codec.token_bytes(ids)).decode() == text
    assert codec.count(text) == len(ids)


def test_half_a_surrogate_pair_counts_as_a_replacement(codec: HfCodec) -> None:
    assert codec.encode("a\ud83db") == codec.encode("a\ufffdb")


def test_nothing_is_added_cut_or_filled(tmp_path: Path, codec: HfCodec) -> None:
    from tokenizers import Tokenizer, processors

    tokenizer = Tokenizer.from_file(str(small_tokenizer(tmp_path / "plain.json")))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|endoftext|> $A", special_tokens=[("<|endoftext|>", 0)]
    )
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=50)
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    text = "The director was born in London."
    assert load_tokenizer(path).encode(text) == codec.encode(text)
    assert load_tokenizer(path).revision != codec.revision


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no JSON"),
        (b'{"model": {"type": "BPE"', "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[]", "no tokenizer.json"),
        (b'{"vocab_size": 3}', "no tokenizer.json"),
        (b'{"version": "1.0", "model": {}}', "damaged"),
        (b'{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}', "damaged"),
        (b'{"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}}', "no token"),
    ],
)
def test_a_file_that_is_none_is_refused_in_a_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(CodecUnavailable) as caught:
        load_tokenizer(path)
    assert said in str(caught.value) and str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path, said in ((tmp_path / "none.json", "no such file"), (tmp_path, "is a directory")):
        with pytest.raises(CodecUnavailable, match=said):
            load_tokenizer(path)


def test_a_damaged_byte_changes_the_identity(tmp_path: Path, codec: HfCodec) -> None:
    value = json.loads(small_tokenizer(tmp_path / "a.json").read_text())
    (tmp_path / "b.json").write_text(json.dumps(value))
    assert load_tokenizer(tmp_path / "b.json").revision != codec.revision
