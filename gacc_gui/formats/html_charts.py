"""Charts in a page: an SVG as it stands inside HTML, with what is said under it."""

from __future__ import annotations

from typing import Final

from gacc_gui.formats.html_text import inline

_NAMESPACE: Final = ' xmlns="http://www.w3.org/2000/svg"'
"""What an SVG inside HTML does without: the page names no address at all."""


def figure(svg: str, note: str = "") -> str:
    """Return a chart as a figure; `note` is a sentence under it."""
    told = f'<figcaption class="muted">{inline(note)}</figcaption>' if note else ""
    return f"<figure>{svg.replace(_NAMESPACE, '', 1)}{told}</figure>"
