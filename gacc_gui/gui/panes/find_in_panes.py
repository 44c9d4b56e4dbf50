"""Finding in all three panes: hits marked in each, counted, and gone through in the order of the panes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt

from gacc_gui.core.folding import Folded
from gacc_gui.gui.background import Background
from gacc_gui.gui.panes.find import CAP, Hits, find_hits
from gacc_gui.gui.panes.find_bar import FindBar
from gacc_gui.gui.panes.spans import FIND, FIND_CURRENT, Span
from gacc_gui.gui.panes.text_pane import TextPane


class FindInPanes(QObject):
    """Connects a `FindBar` with the panes. `panes` maps a word for the count to its pane."""

    def __init__(
        self, bar: FindBar, panes: dict[str, TextPane], worker: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bar = bar
        self._panes = panes
        self._worker = worker
        self._folded: dict[str, Folded] = {}
        self._hits: dict[str, Hits] = {}
        self._current: tuple[str, int] | None = None
        bar.needle_changed.connect(self._on_needle)
        bar.step_asked.connect(self.step)
        bar.closed.connect(self._on_closed)

    @property
    def hits(self) -> dict[str, Hits]:
        """What was found in each pane."""
        return self._hits

    @property
    def current(self) -> tuple[str, int] | None:
        """The hit one stands on: pane and number, from 0."""
        return self._current

    def texts_changed(self) -> None:
        """Look again: the panes show other texts."""
        self._folded.clear()
        self._hits = {}
        self._current = None
        if self._bar.needle:
            self._on_needle(self._bar.needle)

    def step(self, step: int) -> None:
        """Go to the next (1) or previous (-1) hit, round the panes."""
        total = sum(len(hits.spans) for hits in self._hits.values())
        if not total:
            return
        if self._current is None:
            at = 0 if step > 0 else -1
        else:
            at = self._number(self._current) + step
        self._stand_on(self._place(at % total))

    def _number(self, place: tuple[str, int]) -> int:
        """The number of a hit among all, from 0."""
        before = 0
        for name, hits in self._hits.items():
            if name == place[0]:
                break
            before += len(hits.spans)
        return before + place[1]

    def _place(self, number: int) -> tuple[str, int]:
        """The pane of a hit, and its number there."""
        for name, hits in self._hits.items():
            if number < len(hits.spans):
                return name, number
            number -= len(hits.spans)
        raise IndexError(number)

    def _on_needle(self, needle: str) -> None:
        if not needle:
            self._show({})
            self._bar.show_count("")
            return
        texts = {name: pane.text() for name, pane in self._panes.items()}
        self._worker.request("find", _search(needle, texts, self._folded), self._on_found)

    def _on_found(self, found: tuple[dict[str, Folded], dict[str, Hits]]) -> None:
        self._folded, hits = found
        self._show(hits)
        first = self._first_near_view()
        if first is not None:
            self._stand_on(first)

    def _on_closed(self) -> None:
        self._worker.forget("find")
        here = self._current[0] if self._current is not None else next(iter(self._panes))
        self._show({})
        # Where one was reading, the keyboard goes on.
        self._panes[here].setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(self, hits: dict[str, Hits]) -> None:
        self._hits = hits
        for name, pane in self._panes.items():
            spans = hits[name].spans if name in hits else ()
            pane.set_spans("find", [Span(*span, FIND) for span in spans])
        self._set_current(None)

    def _set_current(self, place: tuple[str, int] | None) -> None:
        self._current = place
        for name, pane in self._panes.items():
            here = place is not None and place[0] == name
            span = self._hits[name].spans[place[1]] if place is not None and here else None
            pane.set_spans("find-current", [] if span is None else [Span(*span, FIND_CURRENT)])
        self._tell()

    def _tell(self) -> None:
        if not self._hits:
            self._bar.show_count("")
            return
        total = sum(len(hits.spans) for hits in self._hits.values())
        capped = any(hits.capped for hits in self._hits.values())
        parts = " · ".join(f"{name} {hits.count}" for name, hits in self._hits.items())
        place = f"{self._number(self._current) + 1:,} of " if self._current is not None else ""
        told = f"{place}{total:,}{'+' if capped else ''}  ({parts})" if total else "not found"
        if capped:
            told += f"; the first {CAP:,} of a text are shown"
        self._bar.show_count(told)

    def _first_near_view(self) -> tuple[str, int] | None:
        """The first hit at or behind the view of its pane, in the panes' order; else the first at all."""
        for name, hits in self._hits.items():
            top = self._panes[name].first_visible()
            for at, span in enumerate(hits.spans):
                if span[0] >= top:
                    return name, at
        return next(((name, 0) for name, hits in self._hits.items() if hits.spans), None)

    def _stand_on(self, place: tuple[str, int]) -> None:
        self._set_current(place)
        name, at = place
        self._panes[name].reveal(*self._hits[name].spans[at])


def _search(
    needle: str, texts: dict[str, str], known: dict[str, Folded]
) -> Callable[[object], tuple[dict[str, Folded], dict[str, Hits]]]:
    def search(_reader: object) -> tuple[dict[str, Folded], dict[str, Hits]]:
        folded = {
            name: known[name] if name in known and known[name].text == text else Folded(text)
            for name, text in texts.items()
        }
        return folded, {name: find_hits(folded[name], needle) for name in texts}

    return search
