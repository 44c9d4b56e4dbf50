"""Shades every other token of the texts near the view, where the run's tokenizer can be had."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from gacc_gui.core.errors import CodecUnavailable, GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.panes.text_pane import TextPane
from gacc_gui.gui.panes.token_shading import LONGEST, shaded, token_starts

_AROUND = 2_000
"""Code points beyond the view that are shaded too."""


class TokenShader(QObject):
    """Signals: told(str): why tokens cannot be shown; empty when they can."""

    told = Signal(object)

    def __init__(self, worker: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._enabled = False
        self._codec: str | None = None
        self._texts: tuple[str, ...] = ()
        self._starts: tuple[array[int], ...] = ()
        self._places: dict[TextPane, tuple[int, int]] = {}
        # One scrolling moves a view many times, as Qt lays out what comes into it.
        self._moved: set[TextPane] = set()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._on_soon)

    def watch(self, panes: tuple[TextPane, ...]) -> None:
        """Shade these panes as they are scrolled."""
        for pane in panes:
            pane.view_moved.connect(self._on_view_moved)

    def set_texts(
        self, codec: str | None, texts: tuple[str, ...], places: dict[TextPane, tuple[int, int]]
    ) -> None:
        """Say what the panes show: each the text of this number, from this code point on."""
        self._codec, self._texts, self._places = codec, texts, places
        self._starts = ()
        self._worker.forget("tokens")
        self._find()

    def set_enabled(self, enabled: bool) -> None:
        """Shade or stop shading."""
        if enabled != self._enabled:
            self._enabled = enabled
            self._find()
            self._shade_all()
            if not enabled:
                self.told.emit("")

    def _find(self) -> None:
        if not self._enabled or self._starts or not self._texts:
            return
        self._worker.request("tokens", _tokenise(self._codec, self._texts), self._on_found, self._on_failed)

    def _on_found(self, starts: tuple[array[int], ...]) -> None:
        self._starts = starts
        self.told.emit("")
        self._shade_all()

    def _on_failed(self, error: GaccError) -> None:
        self.told.emit(f"Tokens cannot be shown: {error}")

    def _on_view_moved(self) -> None:
        pane = self.sender()
        if self._enabled and self._starts and isinstance(pane, TextPane):
            self._moved.add(pane)
            self._soon.start()

    def _on_soon(self) -> None:
        moved, self._moved = self._moved, set()
        for pane in moved:
            if self._enabled and self._starts and pane in self._places:
                self._shade(pane)

    def _shade_all(self) -> None:
        for pane in self._places:
            if self._enabled and self._starts:
                self._shade(pane)
            else:
                pane.set_spans("token", ())

    def _shade(self, pane: TextPane) -> None:
        number, shift = self._places[pane]
        start, end = pane.visible_range()
        end = min(end + _AROUND, len(pane.text()))
        spans = shaded(self._starts[number], max(0, start - _AROUND), end, shift)
        pane.set_spans("token", spans)


def _tokenise(name: str | None, texts: tuple[str, ...]) -> Callable[[object], tuple[array[int], ...]]:
    def tokenise(_reader: object) -> tuple[array[int], ...]:
        from gacc_gui.formats.vocabulary import load_codec

        if name is None:
            raise CodecUnavailable("the run names no tokenizer")
        if max(map(len, texts)) > LONGEST:
            raise CodecUnavailable(f"a text has more than {LONGEST:,} characters")
        codec = load_codec(name)
        return tuple(token_starts(codec, text) for text in texts)

    return tokenise
