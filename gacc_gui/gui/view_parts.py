"""The keyboard's way from part to part of a view.

Owns what a part is where a view does not say so itself: a list, a table or a text is one; controls that
follow each other in the order of Tab are one together, which is entered at its first.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget


def step_in(view: QWidget, step: int) -> None:
    """Give the keyboard to the next (1) or previous (-1) part of a view, round it."""
    step_among(parts_of(view), step)


def step_among(parts: Sequence[Sequence[QWidget]], step: int) -> None:
    """Give the keyboard to the part behind (1) or before (-1) the one that has it, round them all.

    Where none of them has it, to the first or the last; where there are none, to nobody.
    """
    if not parts:
        return
    here = QApplication.focusWidget()
    at = next((place for place, part in enumerate(parts) if here is not None and _holds(part, here)), None)
    start = (0 if step > 0 else -1) if at is None else at + step
    parts[start % len(parts)][0].setFocus(Qt.FocusReason.TabFocusReason)


def parts_of(view: QWidget) -> list[list[QWidget]]:
    """Return the parts of a view that can have the keyboard now, in the order of Tab."""
    parts: list[list[QWidget]] = []
    widget = view.nextInFocusChain()
    while widget is not None and widget is not view:
        if view.isAncestorOf(widget) and _is_stop(widget):
            if not parts or isinstance(widget, QAbstractScrollArea) or _is_alone(parts[-1]):
                parts.append([widget])
            else:
                parts[-1].append(widget)
        widget = widget.nextInFocusChain()
    return parts


def _is_alone(part: Sequence[QWidget]) -> bool:
    return isinstance(part[0], QAbstractScrollArea)


def _is_stop(widget: QWidget) -> bool:
    takes = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
    return bool(takes) and widget.isVisible() and widget.isEnabled()


def _holds(part: Sequence[QWidget], widget: QWidget) -> bool:
    return any(stop is widget or stop.isAncestorOf(widget) for stop in part)
