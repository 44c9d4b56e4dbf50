"""Panes that scroll together by the place of the source they show."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject

from gacc_gui.gui.panes.source_map import Links
from gacc_gui.gui.panes.text_pane import TextPane


class ScrollLink(QObject):
    """Follows whichever pane is scrolled; the source needs no links of its own.

    A pane's answer to being moved is told from a person's scrolling by its place, so that nothing feeds back.
    """

    def __init__(
        self, source: TextPane, followers: tuple[TextPane, ...], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._source = source
        self._links: dict[TextPane, Links] = {pane: Links() for pane in followers}
        self._moved_to: dict[TextPane, int] = {}
        self._moving = 0
        self.enabled = True
        for pane in (source, *followers):
            pane.scrolled.connect(self._on_scrolled)

    def set_links(self, pane: TextPane, links: Links) -> None:
        """Say how a pane corresponds to the source."""
        self._links[pane] = links

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Move panes without the others following."""
        self._moving += 1
        try:
            yield
        finally:
            self._moving -= 1
            for pane in (self._source, *self._links):
                self._moved_to[pane] = pane.verticalScrollBar().value()

    def _on_scrolled(self) -> None:
        leader = self.sender()
        if self._moving or not self.enabled or not isinstance(leader, TextPane):
            return
        if self._moved_to.get(leader) == leader.verticalScrollBar().value():
            return
        place: int | None = leader.first_visible()
        if leader is not self._source:
            place = self._links[leader].to_source(leader.first_visible())
        if place is None:
            return
        with self.paused():
            if leader is not self._source:
                self._source.scroll_to(place)
            for pane, links in self._links.items():
                if pane is not leader and (there := links.to_pane(place)) is not None:
                    pane.scroll_to(there)
