"""The list of the charts that a run has. Owns which one is chosen; what a chart shows is not its business."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QWidget

from gacc_gui.gui.overlay import RowDelegate
from gacc_gui.gui.theme import GRID


class ChartList(QListWidget):
    """Signals: key_chosen(): a person chose another chart, or code did by `show_key`."""

    key_chosen = Signal()

    def __init__(self, titles: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chartList")
        self.setAccessibleName("Charts")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setItemDelegate(RowDelegate(self))
        self._titles: Mapping[str, str] = {}
        self.show_titles(titles)
        self.currentRowChanged.connect(self.key_chosen)

    @property
    def keys(self) -> tuple[str, ...]:
        """The charts, in their order."""
        return tuple(self._titles)

    @property
    def key(self) -> str:
        """Which chart is chosen."""
        return self.keys[max(0, self.currentRow())]

    @property
    def title(self) -> str:
        """What the chosen chart is called."""
        return self._titles[self.key]

    def show_titles(self, titles: Mapping[str, str]) -> None:
        """List these charts, the first one chosen; the same ones stay as they are."""
        if titles == self._titles:
            return
        blocker = QSignalBlocker(self)
        self._titles = titles
        self.clear()
        self.addItems(list(titles.values()))
        self.setFixedWidth(self.sizeHintForColumn(0) + 2 * GRID)
        self.setCurrentRow(0)
        blocker.unblock()

    def show_key(self, key: str) -> None:
        """Choose another chart."""
        self.setCurrentRow(self.keys.index(key))

    def begin_with(self, key: str) -> None:
        """Choose a chart without telling."""
        blocker = QSignalBlocker(self)
        self.show_key(key)
        blocker.unblock()
