"""The tabs in the corner of the menu bar that change between the views of a run."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QTabBar, QWidget


class ViewTabs(QTabBar):
    """Signals: view_chosen(QWidget)."""

    view_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("viewTabs")
        self.setDocumentMode(True)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._views: list[QWidget] = []
        self.currentChanged.connect(self._on_changed)

    def show_views(self, views: Mapping[str, QWidget]) -> None:
        """Have a tab for each of these views, by title."""
        blocker = QSignalBlocker(self)
        self._views = list(views.values())
        for title in views:
            self.addTab(title)
        blocker.unblock()

    def follow(self, view: QWidget | None, enabled: bool) -> None:
        """Mark the view that is seen; without a run there is nothing to change to."""
        self.setVisible(enabled)
        if view in self._views:
            blocker = QSignalBlocker(self)
            self.setCurrentIndex(self._views.index(view))
            blocker.unblock()

    def _on_changed(self, index: int) -> None:
        if 0 <= index < len(self._views):
            self.view_chosen.emit(self._views[index])
