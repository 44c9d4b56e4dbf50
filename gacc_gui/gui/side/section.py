"""The parts that the side panel's sections are made of: headings, quiet remarks, figures, elided texts."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gacc_gui.gui.lists.plain import cell_text, lines_text, tooltip
from gacc_gui.gui.theme import GRID, HALF, current_theme
from gacc_gui.gui.themed_label import ThemedLabel

_LONG_RUN: Final = re.compile(r"\S{24}(?=\S)")


class Elided(QWidget):
    """One line of text, elided in the middle or at the end where it does not fit; whole in the tooltip."""

    def __init__(self, parent: QWidget | None = None, *, at_end: bool = False) -> None:
        super().__init__(parent)
        self._text = ""
        self._role = "text"
        self._mode = Qt.TextElideMode.ElideRight if at_end else Qt.TextElideMode.ElideMiddle
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_text(self, text: str, role: str = "text") -> None:
        """Show a text in a colour of the theme."""
        self._text = text
        self._role = role
        self.setToolTip(tooltip(text))
        self.setAccessibleName(text)
        self.update()

    def text(self) -> str:
        """The whole text."""
        return self._text

    def sizeHint(self) -> QSize:
        """As tall as a line; any width will do."""
        return QSize(8 * GRID, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what fits."""
        painter = QPainter(self)
        painter.setPen(getattr(current_theme(), self._role))
        shown = self.fontMetrics().elidedText(cell_text(self._text), self._mode, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


class Section(QWidget):
    """A heading and what stands below it; no frame."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heading = ThemedLabel("muted", self)
        font = self._heading.font()
        font.setBold(True)
        self._heading.setFont(font)
        self._heading.setText(title)
        # A long heading must not make the whole panel wider than it is.
        self._heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.head = QHBoxLayout()
        self.head.setSpacing(HALF)
        self.head.addWidget(self._heading, 1)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(HALF)
        self.body.addLayout(self.head)

    def show_title(self, title: str) -> None:
        """Head the section with other words."""
        self._heading.setText(title)


class Remark(ThemedLabel):
    """Wrapped text that never asks for width: a word as long as a line breaks anywhere."""

    _whole = ""

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(role, parent)
        self.setWordWrap(True)
        policy = self.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
        self.setSizePolicy(policy)

    def setText(self, text: str) -> None:
        """Show a text. A label of Qt's breaks at white space alone, or where it is told to."""
        self._whole = lines_text(text)
        QLabel.setText(self, _LONG_RUN.sub("\\g<0>\u200b", self._whole))

    def text(self) -> str:
        """The text, without the places where it may break."""
        return self._whole


def remark(parent: QWidget | None, text: str = "", role: str = "muted") -> Remark:
    """A wrapped line of quiet text."""
    label = Remark(role, parent)
    label.setText(text)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def figure(parent: QWidget, text: str = "", role: str = "text") -> ThemedLabel:
    """A right-aligned figure."""
    label = ThemedLabel(role, parent)
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    label.setText(text)
    return label


def number(value: int | None) -> str:
    """A count with thousands, or a dash where there is none."""
    return "–" if value is None else f"{value:,}"
