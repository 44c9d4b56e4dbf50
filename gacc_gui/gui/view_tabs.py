"""The tabs in the corner of the menu bar that change between the views of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QWidget

from gacc_gui.gui.overlay import Tabs


class ViewTabs(Tabs):
    """Signals: view_chosen(name of the view)."""

    view_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("viewTabs")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._names: list[str] = []
        self._always: list[str] = []
        self.currentChanged.connect(self._on_changed)

    def show_views(self, of_run: Mapping[str, str], always: Mapping[str, str]) -> None:
        """Have a tab for each view of a run and for those that need no run: titles by name."""
        blocker = QSignalBlocker(self)
        self._always = list(always)
        self._names = [*of_run, *always]
        for title in (*of_run.values(), *always.values()):
            self.addTab(title)
        blocker.unblock()

    def follow(self, name: str, enabled: bool, unfit: Collection[str] = ()) -> None:
        """Mark the view that is seen; without a run (`enabled` False) only some can be changed to.

        `unfit` are the views that show nothing of this run; one that is seen stays.
        """
        self.setVisible(enabled or name in self._always)
        # A tab that is disabled gives way to another, which would be taken for a choice.
        blocker = QSignalBlocker(self)
        for place, one in enumerate(self._names):
            self.setTabEnabled(place, one == name or one in self._always or (enabled and one not in unfit))
        if name in self._names:
            self.setCurrentIndex(self._names.index(name))
        blocker.unblock()

    def _on_changed(self, index: int) -> None:
        if 0 <= index < len(self._names):
            self.view_chosen.emit(self._names[index])
