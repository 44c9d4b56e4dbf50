"""A titled part of the detail area: texts under a heading that folds them away, gone when there is nothing.

Owns folding and the heading's count and copy button. Not owned: which texts (DetailArea).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.core.causes import LETTERS
from gacc_gui.gui.lists.detail_text import DetailText
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.strip import SQUARE, paint_square
from gacc_gui.gui.panes.text_pane import exact_mime
from gacc_gui.gui.theme import FATES_CAUSE, GRID, HALF, current_theme
from gacc_gui.gui.themed_label import ThemedLabel


@dataclass(frozen=True, slots=True)
class Item:
    """A text of a section, with what is said above it; `text` None stands for a caption alone."""

    text: str | None
    caption: str = ""
    cause: str | None = None
    """Whose coloured square stands before the caption."""

    @classmethod
    def of_fate(cls, text: str, fate: str, caption: str) -> Item:
        """A piece of evidence, in its fate's colour."""
        return cls(text, caption, FATES_CAUSE.get(fate, "unlocated"))


class CountLabel(ThemedLabel):
    """What stands beside a section's title: an id, a number; elided where it does not fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("muted", parent)
        # The narrowest detail area has no room for every id.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_count(self, text: str) -> None:
        """Show this, and the whole of it in the tooltip."""
        self.setText(cell_text(text))
        self.setToolTip(tooltip(text))

    def shown(self) -> str:
        """What there is room for."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what fits."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.shown()
        )


class _QuietButton(QToolButton):
    """A button that is only its words, in the muted colour."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAutoRaise(True)
        self._paint_theme()

    def _paint_theme(self) -> None:
        palette = self.palette()
        palette.setColor(palette.ColorRole.ButtonText, current_theme().muted)
        if palette != self.palette():
            self.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_theme()
        super().changeEvent(event)


class CauseSquare(QWidget):
    """The square of a cause, as in the goals' strips."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cause = "no-verdict"
        self.setFixedSize(SQUARE, SQUARE)

    def show_cause(self, cause: str, name: str) -> None:
        """Show a cause's colour and letter; `name` is what a screen reader says."""
        self._cause = cause
        self.setAccessibleName(name)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the square."""
        painter = QPainter(self)
        paint_square(painter, self.rect(), self._cause, LETTERS.get(self._cause, "?"))
        painter.end()


class _ItemWidget(QWidget):
    """One item: its caption, if any, and its text, if any."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._square = CauseSquare(self)
        self._caption = ThemedLabel("text", self)
        self._caption.setWordWrap(True)
        self.text = DetailText(self)
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._square, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._caption, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(HALF // 2)
        layout.addLayout(head)
        layout.addWidget(self.text)

    def show_item(self, item: Item, name: str) -> None:
        self._square.setVisible(item.cause is not None)
        if item.cause is not None:
            self._square.show_cause(item.cause, item.cause)
        self._caption.setVisible(bool(item.caption))
        self._caption.setText(item.caption)
        self.text.setVisible(item.text is not None)
        self.text.setAccessibleName(name)
        self.text.show_text(item.text or "")


class DetailSection(QWidget):
    """A section of the detail area; hidden while it has no items."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self._folded = False
        self._items: tuple[Item, ...] = ()
        self._widgets: list[_ItemWidget] = []
        self._build_ui()
        self._toggle.clicked.connect(self._on_toggled)
        self._copy.clicked.connect(self.copy)
        self.show_items(())

    def show_title(self, title: str) -> None:
        """Call the section otherwise."""
        self._title = title
        self._name()

    def show_items(self, items: Sequence[Item], count: str = "") -> None:
        """Show these texts; `count` stands beside the title. No items: the section is not there."""
        self._items = tuple(items)
        self._count.show_count(count)
        while len(self._widgets) < len(items):
            widget = _ItemWidget(self._body)
            self._widgets.append(widget)
            self._rows.addWidget(widget)
        for place, widget in enumerate(self._widgets):
            widget.setVisible(place < len(items))
            if place < len(items):
                number = f" {place + 1}" if len(items) > 1 else ""
                widget.show_item(items[place], f"{self._title}{number}")
        self._copy.setVisible(any(item.text is not None for item in items))
        self.setVisible(bool(items))

    def texts(self) -> tuple[str, ...]:
        """The exact texts shown."""
        return tuple(item.text for item in self._items if item.text is not None)

    def captions(self) -> tuple[str, ...]:
        """What stands above them."""
        return tuple(item.caption for item in self._items)

    def copy(self) -> None:
        """Put the exact texts on the clipboard, a line feed between them."""
        QApplication.clipboard().setMimeData(exact_mime("\n".join(self.texts())))

    @property
    def text_widgets(self) -> tuple[DetailText, ...]:
        """The widgets of the texts shown."""
        return tuple(widget.text for widget in self._widgets[: len(self._items)])

    def _build_ui(self) -> None:
        self._toggle = _QuietButton(self)
        self._toggle.setArrowType(Qt.ArrowType.DownArrow)
        self._toggle.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._toggle.setIconSize(QSize(GRID, GRID))
        self._count = CountLabel(self)
        self._copy = _QuietButton(self)
        self._copy.setText("Copy")
        self._copy.setToolTip("Copy the exact stored text")
        self._name()
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(HALF)
        head.addWidget(self._toggle)
        head.addWidget(self._count, 1)
        head.addWidget(self._copy)
        self._body = QWidget(self)
        self._rows = QVBoxLayout(self._body)
        self._rows.setContentsMargins(2 * GRID + HALF, 0, 0, 0)
        self._rows.setSpacing(HALF)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(HALF)
        layout.addLayout(head)
        layout.addWidget(self._body)

    def _name(self) -> None:
        self._toggle.setText(self._title)
        self._toggle.setAccessibleName(f"{self._title}: show or fold away")
        self._copy.setAccessibleName(f"Copy {self._title.lower()}")

    def _on_toggled(self) -> None:
        self._folded = not self._folded
        shown = not self._folded
        self._toggle.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)
        self._body.setVisible(shown)
