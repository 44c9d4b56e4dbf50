"""The figures of a pair of cells: Micro and Macro of either side, their difference, interval and test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from gacc_gui.app.difference_words import interval_words, signed
from gacc_gui.core.comparison import CellComparison, Difference
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.compare.words import figure_words, test_words
from gacc_gui.gui.lists.words import counted
from gacc_gui.gui.theme import GRID, HALF
from gacc_gui.gui.themed_label import ThemedLabel

if TYPE_CHECKING:
    from gacc_gui.app.compared_reviews import ReviewedCells

_TITLES: Final = ("", "A", "", "B", "", "B − A", "95 % over {0.context}s", "")
_FIGURES: Final = 6
"""Columns that hold figures, on the right; the last one is for words."""
_LINES: Final = 5
"""Titles, then Micro and Macro as judged, and as reviewed."""


class FiguresGrid(QWidget):
    """Rows of figures with their denominators; twice as many once reviewers decided. Texts are selectable."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compareFigures")
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(2 * GRID)
        layout.setVerticalSpacing(HALF)
        self._cells: list[list[ThemedLabel]] = []
        for line in range(_LINES):
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

    def show_figures(
        self,
        figures: CellComparison | None,
        reviewed: ReviewedCells | None = None,
        terms: Terms = GOALS,
    ) -> None:
        """Show the figures of a pair of cells, as reviewed too where somebody decided; None shows dashes."""
        judged = f", as {terms.judged}" if reviewed is not None else ""
        titles = [title.format(terms) for title in _TITLES]
        errors = f"{terms.errors[:1].lower()}{terms.errors[1:-1]}"
        rows: list[Sequence[str]] = [titles, *_rows(figures, judged, errors, terms)]
        if reviewed is not None:
            decided = f"{counted(reviewed.decided, terms.row)} decided"
            rows += _rows(reviewed.figures, ", as reviewed", decided, terms)
        rows += [("",) * len(_TITLES)] * (_LINES - len(rows))
        for labels, texts in zip(self._cells, rows, strict=True):
            for label, text in zip(labels, texts, strict=True):
                label.setText(text)
                label.setVisible(bool(text))

    def texts(self) -> list[list[str]]:
        """What is shown, line by line."""
        return [[label.text() for label in labels] for labels in self._cells]


def _rows(figures: CellComparison | None, kind: str, remark: str, terms: Terms) -> list[Sequence[str]]:
    if figures is None:
        names = (terms.micro,) if terms.one_question else (terms.micro, "Macro")
        return [(name, *["–"] * _FIGURES, "") for name in names]
    micro = _row(figures.micro, figures.right_a, figures.right_b, figures.pairs)
    macro = _row(figures.macro, figures.right_goals_a, figures.right_goals_b, figures.goals)
    pairs = f"{counted(figures.pairs, 'pair')} in {counted(figures.contexts, terms.context)} · {remark}"
    goals = f"{terms.goal}s: {test_words(figures.goal_test, terms)}" if figures.goals else ""
    if terms.one_question:
        return [(f"{terms.micro}{kind}", *micro, pairs), ("", *[""] * _FIGURES, goals)]
    return [(f"{terms.micro}{kind}", *micro, pairs), (f"Macro{kind}", *macro, goals)]


def _row(figure: Difference, right_a: int, right_b: int, whole: int) -> list[str]:
    return [
        figure_words(figure.a),
        f"{right_a:,}/{whole:,}",
        figure_words(figure.b),
        f"{right_b:,}/{whole:,}",
        signed(figure.difference),
        interval_words(figure.ci95),
    ]
