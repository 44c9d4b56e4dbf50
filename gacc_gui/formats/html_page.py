"""A report as one HTML file that needs nothing else: no script, no network, no picture from elsewhere.

Owns the head, the policy that forbids everything but styles of its own, the table of contents, and the
writing. Its sections come as HTML that is escaped already.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gacc_gui import __version__
from gacc_gui.core.svg_parts import plain, shortened
from gacc_gui.formats.atomic import written_whole
from gacc_gui.formats.html_text import NAME
from gacc_gui.resources import resource

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page that the table of contents names; `title` is plain text of ours."""

    title: str
    html: str


def page_text(title: str, opening: Iterable[str], sections: Iterable[Section]) -> str:
    """Return a whole page. `opening` stands before the table of contents."""
    style = resource("report/report.css").read_text(encoding="utf-8")
    told = [section for section in sections if section.html]
    contents = "".join(
        f'<li><a href="#s{number}">{plain(section.title)}</a></li>' for number, section in enumerate(told, 1)
    )
    body = "\n".join(
        f'<section id="s{number}">\n{section.html}\n</section>' for number, section in enumerate(told, 1)
    )
    opened = "\n".join(opening)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{plain(shortened(title, NAME))}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<header>\n{opened}\n</header>\n<nav aria-label="Contents"><ul>{contents}</ul></nav>\n'
        f"<main>\n{body}\n</main>\n"
        f"<footer>Made with gacc-gui {plain(__version__)}.</footer>\n</body>\n</html>\n"
    )


def write_page(path: Path, text: str) -> None:
    """Write a page, whole or not at all. Raises GaccError where the file cannot be written."""
    with written_whole(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
