"""Text that leaves the window, for the clipboard or a drag, equal to what is stored."""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication


def exact_mime(text: str) -> QMimeData:
    """Plain text for the clipboard or a drag, equal to `text` when it is read back."""
    mime = QMimeData()
    mime.setText(_with_mark(text))
    return mime


def settle_clipboard() -> None:
    """Before the program ends: leave what was copied here as Qt's own text.

    A clipboard that still holds an object made in Python when the interpreter is gone crashes (PySide6 6.11).
    """
    clipboard = QGuiApplication.clipboard()
    # Without a screen the clipboard is ours alone, and says that it is not.
    if clipboard.ownsClipboard() or QGuiApplication.platformName() == "offscreen":
        clipboard.setText(_with_mark(clipboard.text()))


def _with_mark(text: str) -> str:
    # From str to QString a leading U+FEFF or U+FFFE is taken for a byte order mark: give it one to take.
    return "\ufeff" + text if text.startswith(("\ufeff", "\ufffe")) else text
