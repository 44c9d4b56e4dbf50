"""The line above the goals list: how many goals it has, by whose labels, and how it is laid out.

Owns its two switches, which are view options of the session. Counting is the list's.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.lists.plain import tooltip
from gacc_gui.gui.lists.words import counted
from gacc_gui.gui.session import Session
from gacc_gui.gui.side.section import Elided
from gacc_gui.gui.theme import GRID, HALF

AS_REVIEWED: Final = "as reviewed"
_HINT: Final = (
    "Strips, right, away, order, filters and the matrix by the labels that stand with reviewers' decisions."
    " A turned-down corner marks what a person decided on; it is full where the {0.judge} said otherwise."
)


class GoalsHead(QWidget):
    """Says how long the list is. No signals: it speaks through the session."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._words = self._hint = ""
        self._count = Elided(self, at_end=True)
        self._count.setObjectName("goalsCount")
        self._reviewed = _switch("As reviewed", _HINT.format(GOALS), self)
        self._reviewed.setObjectName("asReviewed")
        self._group = _switch("", "", self)
        line = QHBoxLayout(self)
        line.setContentsMargins(GRID, 0, HALF, 0)
        line.setSpacing(HALF)
        line.addWidget(self._count, 1)
        line.addWidget(self._reviewed)
        line.addWidget(self._group)
        self._reviewed.toggled.connect(self._on_reviewed_toggled)
        self._group.toggled.connect(self._on_group_toggled)
        session.options_changed.connect(self._on_changed)
        session.run_changed.connect(self._on_changed)
        session.reviewed_changed.connect(self._on_changed)
        self._on_changed()

    def say(self, words: str, hint: str = "") -> None:
        """Say how many goals there are, or what is happening; with a hint for who points at it."""
        self._words, self._hint = words, hint
        self._show()

    def _show(self) -> None:
        reviewed = self._session.reviewed
        rows = len(reviewed.rows) if reviewed is not None else 0
        labels = AS_REVIEWED if self._session.options.as_reviewed else as_judged(self._session.terms)
        self._count.set_text(f"{self._words}, {labels}" if rows and self._words else self._words)
        told = f"{counted(rows, 'row')} with a reviewer's decision." if rows else ""
        told = "\n".join(part for part in (self._count.text(), told, self._hint) if part)
        self._count.setToolTip(tooltip(told))

    def _on_changed(self, _value: object = None) -> None:
        options, reviewed = self._session.options, self._session.reviewed
        for switch, on in ((self._group, options.grouped), (self._reviewed, options.as_reviewed)):
            if switch.isChecked() != on:
                switch.setChecked(on)
        terms = self._session.terms
        self._reviewed.setToolTip(_HINT.format(terms))
        self._group.setText(f"Group by {terms.context}")
        together = f"the {terms.unit}s of one {'case' if terms.one_question else 'source'}"
        self._group.setToolTip(f"Keep {together} together")
        # Where nobody reviewed, both ways to count are one.
        self._reviewed.setVisible(reviewed is not None and bool(reviewed.rows))
        self._show()

    def _on_group_toggled(self, grouped: bool) -> None:
        self._session.set_options(grouped=grouped)

    def _on_reviewed_toggled(self, counts: bool) -> None:
        self._session.set_options(as_reviewed=counts)


def as_judged(terms: Terms) -> str:
    """Say that labels are those that the file has, not those of reviewers."""
    return f"as {terms.judged}"


def _switch(text: str, hint: str, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setText(text)
    button.setCheckable(True)
    button.setAutoRaise(True)
    button.setToolTip(hint)
    return button
