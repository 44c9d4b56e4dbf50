from __future__ import annotations

import codecs
import gzip
from pathlib import Path

import pytest

from gacc_gui.core.errors import BadInput
from gacc_gui.formats.lines import ByteSource


def lines_of(path: Path) -> tuple[list[bytes], str | None]:
    with ByteSource(path) as source:
        lines = [line.rstrip(b"\r\n") for line in source.lines()]
        return lines, source.broken.reason if source.broken else None


def write(folder: Path, data: bytes, name: str = "x.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


ODD = '{"t":"a\u2028b\x85c\u2029d"}'


def test_only_newlines_end_a_line(tmp_path: Path) -> None:
    data = f"{ODD}\r\n{ODD}\n\n{ODD}".encode()
    expected = [ODD.encode(), ODD.encode(), b"", ODD.encode()]
    assert lines_of(write(tmp_path, data)) == (expected, None)
    assert lines_of(write(tmp_path, gzip.compress(data), "x.gz")) == (expected, None)


def test_a_mark_is_dropped_at_the_start_only(tmp_path: Path) -> None:
    data = codecs.BOM_UTF8 + '{"t":"\ufeffx"}\n\ufeff'.encode()
    expected = ['{"t":"\ufeffx"}'.encode(), codecs.BOM_UTF8]
    assert lines_of(write(tmp_path, data)) == (expected, None)
    assert lines_of(write(tmp_path, gzip.compress(data))) == (expected, None)


@pytest.mark.parametrize(
    ("mark", "name"), [(codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")]
)
def test_utf16_with_a_mark(tmp_path: Path, mark: bytes, name: str) -> None:
    text = f"{ODD}\r\n" + '{"t":"\U0001f9e0"}\n' * 70_000
    lines, broken = lines_of(write(tmp_path, mark + text.encode(name)))
    assert broken is None
    assert lines[:2] == [ODD.encode(), '{"t":"\U0001f9e0"}'.encode()]
    assert len(lines) == 70_001
    lines, broken = lines_of(write(tmp_path, mark + "a\nb\n".encode(name) + b"c"))
    assert lines == [b"a", b"b"]
    assert broken == "the UTF-16 text ends inside a character"


def test_members_padding_and_junk_of_gzip(tmp_path: Path) -> None:
    two = gzip.compress(b"a\nb") + gzip.compress(b"c\nd\n")
    assert lines_of(write(tmp_path, two)) == ([b"a", b"bc", b"d"], None)
    assert lines_of(write(tmp_path, two + b"\0" * 512)) == ([b"a", b"bc", b"d"], None)
    lines, broken = lines_of(write(tmp_path, two + b"junk"))
    assert lines == [b"a", b"bc", b"d"]
    assert broken == "4 bytes behind the last gzip member are no gzip data"


def test_what_is_before_a_break_is_kept(tmp_path: Path) -> None:
    body = b"".join(b'{"n":%d}\n' % n for n in range(20_000))
    packed = gzip.compress(body)
    lines, broken = lines_of(write(tmp_path, packed[:-10]))
    assert broken == "the gzip data breaks off"
    assert lines[:-1] == body.split(b"\n")[: len(lines) - 1]
    assert len(lines) > 19_000
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 0xFF
    lines, broken = lines_of(write(tmp_path, bytes(damaged)))
    assert broken is not None
    assert "damaged" in broken
    assert lines[:1000] == body.split(b"\n")[:1000]


def test_a_little_file_that_unpacks_to_much_comes_in_pieces(tmp_path: Path) -> None:
    path = write(tmp_path, gzip.compress(b" " * 50_000_000 + b"\nend\n"))
    with ByteSource(path) as source:
        largest = max(map(len, source._unpacked()))
    assert largest <= 1 << 22


def test_a_broken_whole_file_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, gzip.compress(b'{"a": 1}' * 1000)[:-8])
    with ByteSource(path) as source, pytest.raises(BadInput, match="breaks off"):
        source.read_all()


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.json: no such file"):
        ByteSource(tmp_path / "nowhere.json")
    with pytest.raises(BadInput, match="is a directory"):
        ByteSource(tmp_path)
