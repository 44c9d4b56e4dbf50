"""The submenu of the files that were open before."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.settings import Settings


class RecentMenu(QMenu):
    """Signals: file_chosen(Path). Filled when it opens, so that it never names what is gone."""

    file_chosen = Signal(object)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__("&Recent", parent)
        self.setObjectName("recentMenu")
        self._settings = settings
        self.aboutToShow.connect(self.fill)
        self.triggered.connect(self._on_triggered)

    def fill(self) -> None:
        """List the files that are still there, the latest first."""
        self.clear()
        present = [name for name in self._settings.recent if Path(name).exists()]
        for name in present:
            # A file's name may have an ampersand, which a menu takes for a mnemonic.
            action = self.addAction(cell_text(name).replace("&", "&&"))
            action.setData(name)
        if not present:
            self.addAction("No files yet").setEnabled(False)

    def _on_triggered(self, action: QAction) -> None:
        if action.data():
            self.file_chosen.emit(Path(action.data()))
