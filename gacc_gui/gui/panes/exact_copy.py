"""Text that leaves the window, for the clipboard or a drag, equal to what is stored."""

from __future__ import annotations

from PySide6.QtCore import QMimeData


def exact_mime(text: str) -> QMimeData:
    """Plain text for the clipboard or a drag, equal to `text` when it is read back."""
    mime = QMimeData()
    # From str to QString a leading U+FEFF or U+FFFE is taken for a byte order mark: give it one to take.
    mime.setText("\ufeff" + text if text.startswith(("\ufeff", "\ufffe")) else text)
    return mime
