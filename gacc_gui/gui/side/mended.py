"""“Macro if mended”: how many goals would be all-right if every row of a cause were right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from gacc_gui.core.causes import LETTERS
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.lists.strip import SQUARE, paint_square
from gacc_gui.gui.lists.words import cause_name, sentences_of, share_words
from gacc_gui.gui.side.section import Section, ThemedLabel, figure, remark
from gacc_gui.gui.theme import GRID

SHOWN: Final = tuple(cause for cause in LETTERS if cause != "correct")


class CauseSquare(QWidget):
    """The letter of a cause on its colour."""

    def __init__(self, cause: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cause = cause
        self.setFixedSize(QSize(SQUARE, SQUARE))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the square."""
        paint_square(QPainter(self), QRect(0, 0, SQUARE, SQUARE), self._cause, LETTERS[self._cause])


class MendedSection(Section):
    """A line a cause, for the chosen cells."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Macro if mended", parent)
        self._now = remark(self)
        self.body.addWidget(self._now)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(GRID)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)
        self._rows: dict[str, tuple[QWidget, ThemedLabel, ThemedLabel, ThemedLabel]] = {}
        for row, cause in enumerate(SHOWN):
            square = CauseSquare(cause, self)
            name = ThemedLabel("text", self)
            name.setText(cause_name(cause))
            macro, goals = figure(self), figure(self, role="muted")
            for column, widget in enumerate((square, name, macro, goals)):
                self._grid.addWidget(widget, row, column)
            self._rows[cause] = (square, name, macro, goals)
        self.body.addLayout(self._grid)
        self.show_mended({}, 0, 0)

    def show_mended(self, mended: Mapping[str, int], right: int, units: int, terms: Terms = GOALS) -> None:
        """Show per cause how many of `units` goals would be all-right; `right` are so now.

        Where a goal has one question, a unit is an answer, and its share is EM, as the headline has it.
        """
        units_named = f"{terms.unit}s"
        figure_named = terms.micro if terms.one_question else "Macro"
        self.show_title(f"{figure_named} if mended")
        now = f"Now {share_words(right, units)}, {right:,} of {units:,} {units_named}"
        self._now.setText(f"{now}. Each cause alone:" if units else f"No {units_named} in the chosen cells.")
        for cause, widgets in self._rows.items():
            count = mended.get(cause)
            shown = bool(units) and count is not None and count != right
            widgets[1].setToolTip(sentences_of(terms).get(cause, ""))
            for widget in widgets:
                widget.setVisible(shown)
            if shown and count is not None:
                _, _, macro, goals = widgets
                macro.setText(share_words(count, units))
                goals.setText(f"+{count - right:,}")
        if units and not any(mended.get(cause, right) != right for cause in self._rows):
            self._now.setText(f"{now}; no single cause would change it.")
