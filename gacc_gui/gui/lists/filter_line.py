"""A line for filters: completes what is typed, and underlines a mistake at its place.

Owns the drawing of the mistake and the completion's popup. Not owned: the language (`core.filters`,
`core.completion`), what a filter filters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QModelIndex, QPointF, QRect, QStringListModel, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QWidget

from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.theme import GRID, current_theme, slim_scroll_bars
from gacc_gui.store.rows import FilterVocabulary

if TYPE_CHECKING:
    from gacc_gui.core.completion import Completion

PLACEHOLDER: Final = "Filter: words, cause:truncation, goal:failed, away:1, ratio<=0.25, -flag:uncertain …"
OF_CASES: Final = "Filter: words, cause:reader, compressor:jev, goal:failed, repeat:0, -flag:uncertain …"
"""The language is one: there a method is a compressor, a case a goal."""
_SHOWN: Final = 12


class FilterLine(QLineEdit):
    """The line itself: `filterEdit` by name. Signals: left(): the keyboard is to go to what is filtered."""

    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._vocabulary: FilterVocabulary | None = None
        self._mistake: tuple[int, int] | None = None
        self._offers: Sequence[Completion] = ()
        self.setObjectName("filterEdit")
        self.show_terms(GOALS)
        self.setClearButtonEnabled(True)
        self.textEdited.connect(self._on_edited)

    @cached_property
    def _completer(self) -> QCompleter:
        """The completion and its popup, made when something is offered for the first time."""
        popup = QListView(self)
        popup.setObjectName("filterCompletions")
        popup.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        popup.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        completer = QCompleter(QStringListModel(self), self)
        completer.setWidget(self)
        completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        completer.setMaxVisibleItems(_SHOWN)
        completer.setPopup(popup)
        completer.activated[QModelIndex].connect(self._on_accepted)  # type: ignore[index]
        slim_scroll_bars(popup)
        return completer

    @property
    def _popup(self) -> QListView:
        popup = self._completer.popup()
        assert isinstance(popup, QListView)
        return popup

    def show_terms(self, terms: Terms) -> None:
        """Give examples that a run of this benchmark has."""
        self.setPlaceholderText(OF_CASES if terms.one_question else PLACEHOLDER)
        self.setAccessibleName(f"Filter the {terms.unit}s")

    def set_vocabulary(self, vocabulary: FilterVocabulary | None) -> None:
        """Complete with what occurs in a run; None: with what the language knows."""
        self._vocabulary = vocabulary

    def mark_mistake(self, position: int, length: int) -> None:
        """Underline a mistake; code points."""
        self._mistake = (position, max(1, length))
        self.update()

    def clear_mistake(self) -> None:
        """Take the underline away."""
        self._mistake = None
        self.update()

    @property
    def mistake(self) -> tuple[int, int] | None:
        """Where the underlined mistake is: start and length in code points."""
        return self._mistake

    def offer(self) -> None:
        """Open the list of what may stand at the cursor."""
        self._offers = self._fitting()
        if not self._offers:
            self._hide_popup()
            return
        popup = self._popup
        words = self._completer.model()
        assert isinstance(words, QStringListModel)
        words.setStringList([offer.text for offer in self._offers])
        popup.setCurrentIndex(QModelIndex())
        left = self._x_of(self._offers[0].start)
        metrics = QFontMetrics(popup.font())
        width = max(metrics.horizontalAdvance(offer.text) for offer in self._offers) + 5 * GRID
        self._completer.complete(QRect(round(left), 0, width, self.height()))

    def is_unfinished(self, position: int, length: int) -> bool:
        """Whether the cursor is at what stands there, code points, and a completion fits it."""
        here = range(position, position + length + 1)
        return self._cursor() in here and any(offer.start in here for offer in self._fitting())

    def _cursor(self) -> int:
        before = self.text().encode("utf-16-le")[: 2 * self.cursorPosition()]
        return len(before.decode("utf-16-le", "ignore"))

    def _fitting(self) -> list[Completion]:
        from gacc_gui.core.completion import complete

        text = self.text()
        return [
            offer
            for offer in complete(text, self._cursor(), self._vocabulary)
            if offer.text != text[offer.start : offer.start + offer.length]
        ]

    @property
    def offered(self) -> tuple[str, ...]:
        """What the popup offers; empty while it is closed."""
        return tuple(offer.text for offer in self._offers) if self._is_offering() else ()

    def _is_offering(self) -> bool:
        return "_completer" in self.__dict__ and self._popup.isVisible()

    def _hide_popup(self) -> None:
        if self._is_offering():
            self._popup.hide()

    def _on_edited(self, text: str) -> None:
        # An empty line asks for nothing: the popup would only cover the list.
        if text.strip():
            self.offer()
        else:
            self._hide_popup()

    def _on_accepted(self, index: QModelIndex) -> None:
        if not 0 <= index.row() < len(self._offers):
            return
        offer = self._offers[index.row()]
        text = self.text()
        after = text[offer.start + offer.length :]
        written = offer.text + (" " if offer.complete and not after else "")
        before = text[: offer.start] + written
        self.setText(before + after)
        self.setCursorPosition(len(before.encode("utf-16-le")) // 2)
        if not offer.complete:
            self.offer()

    def _x_of(self, position: int) -> float:
        """Pixels from the left edge to the code point at `position`, however far the line is scrolled."""
        # Qt tells where the cursor is and nothing else; the text between is measured.
        text = self.text()
        before_cursor = text.encode("utf-16-le")[: 2 * self.cursorPosition()].decode("utf-16-le", "ignore")
        metrics = self.fontMetrics()
        origin = self.cursorRect().center().x() - metrics.horizontalAdvance(before_cursor)
        return origin + metrics.horizontalAdvance(text[:position])

    # --- Qt ----------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Underline the mistake with a wave."""
        super().paintEvent(event)
        if self._mistake is None:
            return
        start, length = self._mistake
        left = self._x_of(start)
        right = max(self._x_of(start + length), left + GRID)
        text_bottom = (self.height() + self.fontMetrics().height()) / 2
        y = min(text_bottom, self.height() - 4.0)
        wave = QPolygonF()
        x, up = max(left, 2.0), True
        while x < min(right, self.width() - 2.0):
            wave.append(QPointF(x, y if up else y + 2))
            x, up = x + 2, not up
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(current_theme().error, 1.3))
        painter.drawPolyline(wave)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+Space offers completions; Escape empties the line; Return, Down, and Escape again leave it."""
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.offer()
            event.accept()
        elif event.key() == Qt.Key.Key_Escape and plain and self.text():
            self.clear()
            event.accept()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Escape) and plain:
            self.left.emit()
            event.accept()
        else:
            super().keyPressEvent(event)
