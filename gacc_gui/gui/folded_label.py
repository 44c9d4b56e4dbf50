"""Figures on one line, which folds where it does not fit: between groups of them, else between two."""

from __future__ import annotations

from typing import Final

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gacc_gui.gui.lists.plain import tooltip
from gacc_gui.gui.themed_label import ThemedLabel

_BETWEEN: Final = " · "
_FIXED: Final = "\N{NO-BREAK SPACE}"
_GAP: Final = 3 * _FIXED


class FoldedLabel(ThemedLabel):
    """As many lines as the width asks for; no figure is torn from its denominator."""

    def __init__(self, role: str = "text", parent: QWidget | None = None) -> None:
        super().__init__(role, parent)
        self._groups: tuple[str, ...] = ()
        self.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_groups(self, *groups: str) -> None:
        """Show groups of figures, between which dots stand in each."""
        self._groups = groups
        self.setToolTip(tooltip(self.words()))
        self.setAccessibleName(self.words())
        self._fold()

    def words(self) -> str:
        """What it says, on one line."""
        return "   ".join(self._groups)

    def _fold(self) -> None:
        whole = _GAP.join(map(_unbroken, self._groups))
        if self.fontMetrics().horizontalAdvance(whole) > self.width():
            whole = "\n".join(map(_unbroken, self._groups))
        if whole != self.text():
            self.setText(whole)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold as the width asks for."""
        super().resizeEvent(event)
        self._fold()


def _unbroken(group: str) -> str:
    return f"{_FIXED}· ".join(part.replace(" ", _FIXED) for part in group.split(_BETWEEN))
