"""The start page: what to do when nothing is open."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from gacc_gui.app.locations import is_there
from gacc_gui.core.errors import GaccError
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.overlay import RowDelegate
from gacc_gui.gui.theme import GRID, ROW, UI_POINTS, ui_font
from gacc_gui.resources import resource

WIDTH = 60 * GRID
ICON = 8 * GRID
_PATH: Final = Qt.ItemDataRole.UserRole


class StartPage(QWidget):
    """Signals: open_requested(), demo_requested(), runner_requested(), recent_chosen(path as str)."""

    open_requested = Signal()
    demo_requested = Signal()
    runner_requested = Signal()
    recent_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("startPage")
        self._build_ui()
        self._connect()
        self.show_recent([])

    def _build_ui(self) -> None:
        column = QVBoxLayout()
        column.setSpacing(GRID)
        icon = QLabel(self)
        pixmap = _icon_pixmap(ICON)
        if pixmap is not None:
            icon.setPixmap(pixmap)
        icon.setFixedSize(ICON, ICON)
        title = QLabel("See why a compressed memory failed", self)
        font = ui_font(UI_POINTS + 7)
        title.setFont(font)
        hint = QLabel(
            "Open the files of an evaluated run (gacc-run, JSON or JSON Lines, gzipped or not), or drop them "
            "anywhere in this window. The demonstration is evaluated here and needs no network.",
            self,
        )
        hint.setWordWrap(True)
        # A centred widget is as tall as its hint says, and that does not know of wrapping.
        hint.setFixedHeight(hint.heightForWidth(WIDTH))
        hint.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self._open = QPushButton("Open run files…", self)
        self._demo = QPushButton("Try the demonstration", self)
        self._run = QPushButton("Run an evaluation…", self)
        self._open.setDefault(True)
        self._recent_title = QLabel("Recent", self)
        self._recent = QListWidget(self)
        self._recent.setObjectName("recentFiles")
        self._recent.setUniformItemSizes(True)
        self._recent.setItemDelegate(RowDelegate(self._recent))
        self._recent.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._recent.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for widget in (icon, title, hint, self._open, self._demo, self._run):
            column.addWidget(widget)
        column.addSpacing(GRID)
        column.addWidget(self._recent_title)
        column.addWidget(self._recent)
        holder = QWidget(self)
        holder.setFixedWidth(WIDTH)
        holder.setLayout(column)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        layout.addWidget(holder, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)

    def _connect(self) -> None:
        self._open.clicked.connect(self._on_open)
        self._demo.clicked.connect(self._on_demo)
        self._run.clicked.connect(self._on_run)
        self._recent.itemActivated.connect(self._on_recent)
        self._recent.itemClicked.connect(self._on_recent)

    def show_recent(self, files: list[str]) -> None:
        """List the files that were open before, the latest first; those that are gone are left out."""
        self._recent.clear()
        present = [name for name in files if is_there(name)]
        for name in present:
            item = QListWidgetItem(cell_text(name))
            item.setData(_PATH, name)
            self._recent.addItem(item)
        self._recent_title.setVisible(bool(present))
        self._recent.setVisible(bool(present))
        self._recent.setFixedHeight(min(len(present), 6) * ROW + GRID)

    def _on_open(self) -> None:
        self.open_requested.emit()

    def _on_demo(self) -> None:
        self.demo_requested.emit()

    def _on_run(self) -> None:
        self.runner_requested.emit()

    def _on_recent(self, item: QListWidgetItem) -> None:
        self.recent_chosen.emit(item.data(_PATH))


def _icon_pixmap(size: int) -> QPixmap | None:
    from PySide6.QtGui import QIcon

    try:
        return QIcon(str(resource("icons/gacc-gui.svg"))).pixmap(size, size)
    except GaccError:
        return None
