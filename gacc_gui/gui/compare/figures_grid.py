"""The figures of a pair of cells: Micro and Macro of either side, their difference, interval and test."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from gacc_gui.core.comparison import CellComparison, Difference
from gacc_gui.gui.compare.words import figure_words, interval_words, signed, test_words
from gacc_gui.gui.lists.words import counted
from gacc_gui.gui.theme import GRID, HALF
from gacc_gui.gui.themed_label import ThemedLabel

_TITLES: Final = ("", "A", "", "B", "", "B − A", "95 % over contexts", "")
_FIGURES: Final = 6
"""Columns that hold figures, on the right; the last one is for words."""
_ERRORS: Final = "errors count as wrong"


class FiguresGrid(QWidget):
    """Two rows of figures with their denominators. Texts are selectable."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compareFigures")
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(2 * GRID)
        layout.setVerticalSpacing(HALF)
        self._cells: list[list[ThemedLabel]] = []
        for line in range(3):
            labels = [ThemedLabel("muted" if not line else "text", self) for _ in _TITLES]
            for column, label in enumerate(labels):
                if 0 < column <= _FIGURES:
                    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
                layout.addWidget(label, line, column)
            self._cells.append(labels)
        layout.setColumnStretch(len(_TITLES) - 1, 1)
        self.show_figures(None)

    def show_figures(self, figures: CellComparison | None) -> None:
        """Show the figures of a pair of cells; None shows dashes."""
        micro = macro = ["–"] * 7
        words = ("", "")
        if figures is not None:
            micro = _row(figures.micro, figures.right_a, figures.right_b, figures.pairs)
            macro = _row(figures.macro, figures.right_goals_a, figures.right_goals_b, figures.goals)
            words = (
                f"{counted(figures.pairs, 'pair')} in {counted(figures.contexts, 'context')} · {_ERRORS}",
                f"goals: {test_words(figures.goal_test)}" if figures.goals else "",
            )
        rows = (_TITLES, ("Micro", *micro[:6], words[0]), ("Macro", *macro[:6], words[1]))
        for labels, texts in zip(self._cells, rows, strict=True):
            for label, text in zip(labels, texts, strict=True):
                label.setText(text)

    def texts(self) -> list[list[str]]:
        """What is shown, line by line."""
        return [[label.text() for label in labels] for labels in self._cells]


def _row(figure: Difference, right_a: int, right_b: int, whole: int) -> list[str]:
    return [
        figure_words(figure.a),
        f"{right_a:,}/{whole:,}",
        figure_words(figure.b),
        f"{right_b:,}/{whole:,}",
        signed(figure.difference),
        interval_words(figure.ci95),
    ]
