"""How the command line speaks: streams, JSON documents, tables, progress and event lines.

Owns the encoding of stdout and stderr and the look of plain text: whatever is written for people passes
through here, so that no text of data makes a second line or drives the terminal. JSON stays exact. Knows no
command and no record.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import json
import os
import re
import sys
import time
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final, TextIO

from gacc_gui.core.errors import GaccError, Untold

_STREAM_CHUNK = 1 << 20
_AS_UTF8: Final = "gacc_gui.as_utf8"
_DRIVING: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters, which drive a terminal, and those of Unicode's Bidi_Control, which reorder a line."""


def prepare_streams() -> None:
    """Make stdout and stderr UTF-8 whatever the locale says; what cannot be said in it is replaced.

    A stream that was closed from outside swallows what is written to it.
    """
    for number, name in ((0, "stdin"), (1, "stdout"), (2, "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # Else the next file that is opened would have this number, a database for example.
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
        stream = getattr(sys, name)
        if stream is None:
            mode = "r" if number == 0 else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", errors=_AS_UTF8, closefd=False))  # noqa: SIM115
        elif number and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=_AS_UTF8)


def _as_utf8(error: UnicodeError) -> tuple[bytes, int]:
    """Replace what stands for the bytes of a file's name: by its characters, where they are UTF-8."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    try:
        name = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character of some other making
        name = text.encode("utf-8", "surrogatepass")
    return name.decode("utf-8", "replace").encode(), error.end


codecs.register_error(_AS_UTF8, _as_utf8)


@contextmanager
def _stdout() -> Iterator[TextIO]:
    """Give stdout and flush it; when its reader has gone away, stop quietly: the command's outcome stands.

    Raises Untold where it cannot be written otherwise, such as to a full disk.
    """
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up(sys.stdout)
    except OSError as error:
        _give_up(sys.stdout)
        raise Untold(f"stdout cannot be written: {(error.strerror or str(error)).lower()}") from error


def _give_up(stream: TextIO) -> None:
    """Let what is still buffered go nowhere, instead of into a complaint when the interpreter ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        stream.flush()


def finish_stdout() -> None:
    """Write out what others than this module have written. Raises GaccError as the rest does."""
    with _stdout():
        pass


def say(message: str) -> None:
    """Write one message for people to stderr, as one line."""
    _tell(_plain(message) + "\n")


def say_os_error(error: OSError) -> None:
    """Tell what the system said of a file, a folder or stdout."""
    place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    say(f"gacc-gui: {place}{(error.strerror or str(error)).lower()}")
    with contextlib.suppress(GaccError):  # it may have been stdout
        finish_stdout()


def _tell(text: str) -> None:
    """Write to stderr; where nobody can hear it, nobody is told."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _give_up(sys.stderr)


def _plain(text: str) -> str:
    """Return a text as it may stand in a line for people.

    Every run of white space is folded, so that it is one line; what would drive the terminal is U+FFFD.
    """
    if not text.isascii():  # what stands for the bytes of a file's name may come to such a character, too
        text = text.encode("utf-8", _AS_UTF8).decode("utf-8")
    return _DRIVING.sub("\ufffd", " ".join(text.split()))


def strict_json(value: Any) -> str:
    """Return compact strict JSON (no NaN, no infinity)."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_json(document: Mapping[str, Any]) -> None:
    """Write one JSON document to stdout."""
    # Made whole before the first byte goes out: a failure leaves stdout empty.
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)
    with _stdout() as out:
        out.write(text + "\n")


def write_json_stream(head: Mapping[str, Any], key: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write `{**head, key: [rows…]}` to stdout, however many rows, in flat memory.

    The rows pass through a temporary file, so that stdout stays empty when reading them fails half-way.
    """
    import tempfile

    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace", newline="\n") as spool:
        separator = "\n"
        for row in rows:
            spool.write(separator + encode(row))
            separator = ",\n"
        spool.seek(0)
        with _stdout() as out:
            out.write(strict_json(head)[:-1] + (", " if head else "") + f"{strict_json(key)}: [")
            while chunk := spool.read(_STREAM_CHUNK):
                out.write(chunk)
            out.write("\n]}\n")


def write_table(
    headings: Sequence[str], rows: Iterable[Sequence[Any]], right: Collection[str] = frozenset()
) -> None:
    """Write a plain-text table to stdout; the columns named in `right` are right-aligned."""
    titles = [_cell(heading) for heading in headings]
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(_width(row[column]) for row in (titles, *cells)) for column in range(len(titles))]
    aligned = {column for column, heading in enumerate(headings) if heading in right}
    with _stdout() as out:
        for line in [titles, ["─" * width for width in widths], *cells]:
            padded = (
                " " * (width - _width(text)) + text
                if column in aligned
                else text + " " * (width - _width(text))
                for column, (text, width) in enumerate(zip(line, widths, strict=True))
            )
            out.write("  ".join(padded).rstrip() + "\n")


def write_lines(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as tab-separated lines to stdout, each as it comes, however many there are."""
    with _stdout() as out:
        for row in chain([headings], rows):
            out.write("\t".join(map(_cell, row)) + "\n")


def write_text(text: str = "", indent: int = 0) -> None:
    """Write a line of plain text to stdout, `indent` columns from the left."""
    with _stdout() as out:
        out.write(" " * indent + _plain(text) + "\n")


def share(value: float | None) -> str:
    """Return a share as text: three decimals, or a dash where there is none."""
    return "–" if value is None else f"{value:.3f}"


def counted(count: int, noun: str) -> str:
    """Return how many there are of something: one row, or several rows."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _cell(value: Any) -> str:
    return "–" if value is None else _plain(str(value))


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


class Progress:
    """Says on stderr how far a long piece of work is: to people on a terminal, or as JSON lines (`--events`).

    Call it with `(done, total, phase)`; `total` may be None where it is not known.
    """

    def __init__(self, what: str, events: bool = False) -> None:
        self._what = what
        self._events = events
        self._shows = events or sys.stderr.isatty()
        self._last = 0.0
        self._open_line = False

    def __call__(self, done: int, total: int | None = None, phase: str = "rows") -> None:
        """Report; at most some ten times a second, and always when all is done."""
        if not self._shows:
            return
        now = time.monotonic()
        if now - self._last < 0.1 and done != total:
            return
        self._last = now
        if self._events:
            self.event("progress", phase=phase, done=done, total=total)
            return
        amount = f"{done:,} of {total:,}" if total else f"{done:,}"
        _tell("\r\x1b[K" + _plain(f"{self._what}: {phase} {amount}"))
        self._open_line = True

    def event(self, name: str, **fields: Any) -> None:
        """Write one event line, when events were asked for."""
        if self._events:
            _tell(strict_json({"event": name, **fields}) + "\n")

    def close(self) -> None:
        """Clear the progress line of a terminal."""
        if self._open_line:
            _tell("\r\x1b[K")
            self._open_line = False
