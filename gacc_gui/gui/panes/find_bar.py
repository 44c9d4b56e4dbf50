"""The bar that finds a text in all three panes: the needle, the counts, next and previous."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from gacc_gui.gui.theme import GRID, HALF


class FindBar(QWidget):
    """Signals:

    - needle_changed(str)
    - step_asked(int): 1 for the next hit, -1 for the previous one
    - closed()
    """

    needle_changed = Signal(object)
    step_asked = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findBar")
        self._build_ui()
        self._connect()
        self.hide()

    def _build_ui(self) -> None:
        self._edit = QLineEdit(self)
        self._edit.setObjectName("findEdit")
        self._edit.setAccessibleName("Find in the three texts")
        self._edit.setPlaceholderText("Find in all three texts; case does not matter")
        self._edit.setClearButtonEnabled(True)
        self._edit.setMaximumWidth(52 * GRID)
        self._count = QLabel(self)
        self._count.setObjectName("findCount")
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._previous = self._button("↑", "Previous hit (Shift+F3)")
        self._next = self._button("↓", "Next hit (F3)")
        self._close = self._button("✕", "Close (Esc)")
        row = QHBoxLayout(self)
        row.setContentsMargins(GRID, HALF, GRID, HALF)
        row.setSpacing(HALF)
        row.addWidget(self._edit, 3)
        row.addWidget(self._previous)
        row.addWidget(self._next)
        row.addWidget(self._count, 2)
        row.addWidget(self._close)

    def _button(self, sign: str, told: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(sign)
        button.setToolTip(told)
        button.setAccessibleName(told.partition(" (")[0])
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return button

    def _connect(self) -> None:
        self._edit.textChanged.connect(self._on_text)
        self._edit.installEventFilter(self)
        self._previous.clicked.connect(self._on_previous)
        self._next.clicked.connect(self._on_next)
        self._close.clicked.connect(self._on_close)

    @property
    def needle(self) -> str:
        """What is looked for; empty while the bar is closed."""
        return "" if self.isHidden() else self._edit.text()

    def open_for(self, needle: str = "") -> None:
        """Show the bar, looking for `needle`, or for what was looked for last."""
        self.show()
        if needle and needle != self._edit.text():
            self._edit.setText(needle)
        else:
            self.needle_changed.emit(self._edit.text())
        self._edit.selectAll()
        self._edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_count(self, told: str) -> None:
        """Tell how many hits there are and where."""
        self._count.setText(told)

    def _on_text(self, text: str) -> None:
        self.needle_changed.emit(text)

    def _on_previous(self) -> None:
        self.step_asked.emit(-1)

    def _on_next(self) -> None:
        self.step_asked.emit(1)

    def _on_close(self) -> None:
        self.hide()
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter goes on, Shift+Enter back, Escape closes."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.step_asked.emit(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self._on_close()
                return True
        return super().eventFilter(watched, event)
