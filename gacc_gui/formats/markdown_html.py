"""The Markdown that our own reports are written in, as HTML: headings, paragraphs, quotes, lists, tables.

Owns that small grammar, so that a report's words and tables are written once. Whatever is data comes escaped
by `formats.report.escaped`, and leaves escaped for HTML. Nothing else of Markdown is known: what is no part
of the grammar stands as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from typing import Final

_SEPARATOR: Final = re.compile(r"(?<!\\)\|")
_WORD: Final = ' class="word"'
_LONGEST_WORD: Final = 16
_INLINE: Final = re.compile(r"\\(?P<escaped>.)|\*\*(?P<strong>(?:\\.|[^*\\])*)\*\*|`(?P<code>[^`]*)`")


def html_of(lines: Iterable[str]) -> Iterator[str]:
    """Yield the HTML of a report's Markdown, an element a line."""
    numbered = (line for text in lines for line in text.split("\n"))
    for kind, some in groupby(numbered, _kind):
        found = list(some)
        match kind:
            case "heading":
                for line in found:
                    marks, words = line.split(" ", 1)
                    yield f"<h{len(marks)}>{_inline(words)}</h{len(marks)}>"
            case "quote":
                words = " ".join(line.removeprefix(">").strip() for line in found)
                yield f'<p class="notice">{_inline(words)}</p>'
            case "list":
                items = "".join(f"<li>{_inline(line[2:])}</li>" for line in found)
                yield f"<ul>{items}</ul>"
            case "table":
                yield from _table(found)
            case "text":
                yield f"<p>{_inline(' '.join(found))}</p>"


def _kind(line: str) -> str:
    for beginning, kind in (("#", "heading"), ("> ", "quote"), ("- ", "list"), ("|", "table")):
        if line.startswith(beginning):
            return kind
    return "text" if line.strip() else ""


def _inline(text: str) -> str:
    """Return a line's HTML: backslashes, bold and code undone, everything else escaped."""
    parts, at = [], 0
    for match in _INLINE.finditer(text):
        parts.append(_plain(text[at : match.start()]))
        at = match.end()
        if match["escaped"] is not None:
            parts.append(_plain(match["escaped"]))
        elif match["strong"] is not None:
            parts.append(f"<strong>{_inline(match['strong'])}</strong>")
        else:
            parts.append(f"<code>{_plain(match['code'])}</code>")
    return "".join((*parts, _plain(text[at:])))


def _plain(text: str) -> str:
    return escape(text.replace("&amp;", "&"))


def _table(lines: list[str]) -> Iterator[str]:
    headings, aligned, *rows = ([cell.strip() for cell in _SEPARATOR.split(line)[1:-1]] for line in lines)
    classes = [' class="n"' if mark.endswith(":") else "" for mark in aligned]
    yield '<div class="wide"><table>'
    if any(headings):
        cells = zip(headings, classes, strict=True)
        yield f"<thead><tr>{''.join(f'<th{kind}>{_inline(text)}</th>' for text, kind in cells)}</tr></thead>"
    yield "<tbody>"
    for row in rows:
        cells = zip(row, classes, strict=True)
        written = [
            f"<td{kind or (_WORD if _is_word(text) else '')}><bdi>{_inline(text)}</bdi></td>"
            for text, kind in cells
        ]
        if not any(headings):  # of facts, the first column names them
            written[0] = f"<th>{_inline(row[0])}</th>"
        yield f"<tr>{''.join(written)}</tr>"
    yield "</tbody></table></div>"


def _is_word(text: str) -> bool:
    """Whether a cell is one short word, such as `cross-goal`, which looks torn in two lines."""
    return len(text) <= _LONGEST_WORD and " " not in text
