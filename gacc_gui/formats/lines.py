"""Bytes of a file as lines: gzip recognised by content, UTF-16 and byte order marks, breaks reported.

Owns the way from a file to UTF-8 lines and not what is in a line. Lines end at \\n only: U+2028, U+0085 and
the like stand inside JSON texts, which is why nothing here uses `splitlines`.
"""

from __future__ import annotations

import codecs
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from gacc_gui.core.errors import BadInput

_CHUNK = 1 << 18
_UNPACKED_CHUNK = 1 << 22  # one chunk can unpack to a thousand times its size
_GZIP_MAGIC = b"\x1f\x8b"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Break:
    """The file could be read no further; `reason` is a sentence without a line number."""

    reason: str


class ByteSource:
    """A file being read, with its size and how far it was read, both in bytes on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            # Lines are longer than the default buffer: measured, twice as fast.
            self._file: BinaryIO = path.open("rb", buffering=_CHUNK)
            self.size = os.fstat(self._file.fileno()).st_size
        except OSError as error:
            raise BadInput(_os_reason(error), path=str(path)) from error
        self.broken: Break | None = None
        """Set once the file turned out to break off, and why."""

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> ByteSource:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def position(self) -> int:
        """Return how many bytes of the file were read so far."""
        return 0 if self._file.closed else self._file.tell()

    def rewind(self) -> None:
        """Start reading anew."""
        self._file.seek(0)
        self.broken = None

    def lines(self) -> Iterator[bytes]:
        """Yield the lines as UTF-8, each with the \\n that ends it; the last one may have none."""
        head = self._file.peek(4)[:4] if hasattr(self._file, "peek") else b""
        plain = not head.startswith(_GZIP_MAGIC) and not head.startswith(_UTF16_MARKS)
        if plain:
            yield from self._plain_lines()
            return
        rest = b""
        for chunk in self._decoded():
            *ended, last = chunk.split(b"\n")
            for line in ended:
                yield rest + line + b"\n"
                rest = b""
            rest += last
        if rest:
            yield rest

    def read_all(self) -> bytes:
        """Return the whole text as UTF-8 without a byte order mark; a broken file is refused."""
        data = b"".join(self._decoded())
        if self.broken is not None:
            raise BadInput(self.broken.reason, path=str(self.path))
        return data

    def chunks(self) -> Iterator[bytes]:
        """Yield the text in pieces as it is read, as UTF-8 without a byte order mark; then see `broken`."""
        yield from self._decoded()

    def _plain_lines(self) -> Iterator[bytes]:
        try:
            for line in self._file:
                yield line.removeprefix(codecs.BOM_UTF8)
                break
            yield from self._file
        except OSError as error:
            self.broken = Break(_os_reason(error))

    def _decoded(self) -> Iterator[bytes]:
        """Yield UTF-8 chunks: unpacked, re-encoded from UTF-16 where a mark says so, without the mark."""
        chunks = self._unpacked()
        head = b""
        for chunk in chunks:
            head += chunk
            if len(head) >= 3:
                break
        if head.startswith(_UTF16_MARKS):
            yield from self._from_utf16(head, chunks)
            return
        yield head.removeprefix(codecs.BOM_UTF8)
        yield from chunks

    def _from_utf16(self, head: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
        # surrogatepass: a lone unit then fails as UTF-8 in its own line, and costs only that line.
        name = "utf-16-le" if head.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
        decoder = codecs.getincrementaldecoder(name)("surrogatepass")
        yield decoder.decode(head[2:]).encode("utf-8", "surrogatepass")
        for chunk in chunks:
            yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
        if decoder.getstate()[0]:
            self.broken = self.broken or Break("the UTF-16 text ends inside a character")

    def _unpacked(self) -> Iterator[bytes]:
        try:
            packed = iter(lambda: self._file.read(_CHUNK), b"")
            first = next(packed, b"")
            if first.startswith(_GZIP_MAGIC):
                yield from self._gunzipped(first, packed)
            elif first:
                yield first
                yield from packed
        except OSError as error:
            self.broken = Break(_os_reason(error))

    def _gunzipped(self, pending: bytes, packed: Iterator[bytes]) -> Iterator[bytes]:
        """Yield what every member holds, up to a break; zero padding behind the last member is no break."""
        while pending:
            if len(pending) < 2:
                pending += next(packed, b"")
            if not pending.startswith(_GZIP_MAGIC):
                rest = pending + b"".join(packed)
                if rest.strip(b"\0"):
                    self.broken = Break(f"{len(rest):,} bytes behind the last gzip member are no gzip data")
                return
            unpacker = zlib.decompressobj(wbits=31)
            while not unpacker.eof:
                before = unpacker.copy()
                try:
                    yield unpacker.decompress(pending, _UNPACKED_CHUNK)
                except zlib.error as error:
                    yield _salvage(before, pending)
                    self.broken = Break(f"the gzip data is damaged ({error})")
                    return
                if unpacker.eof:
                    break
                pending = unpacker.unconsumed_tail or next(packed, b"")
                if not pending:
                    yield unpacker.flush()
                    self.broken = Break("the gzip data breaks off")
                    return
            pending = unpacker.unused_data or next(packed, b"")


def _salvage(unpacker: zlib._Decompress, packed: bytes) -> bytes:
    """Return what can be unpacked before the damage: a failing call of zlib gives nothing at all."""
    good = bytearray()
    for at in range(len(packed)):
        try:
            good += unpacker.decompress(packed[at : at + 1])
        except zlib.error:
            break
    return bytes(good)


def _os_reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
