"""The strip of question cells: where each square stands, and how it and a cause's chip are painted.

Every square has the cause's colour and its letter, so that nothing is said by colour alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QPainter, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from gacc_gui.core.causes import NO_VERDICT, VEILED
from gacc_gui.gui.lists.signs import Marks
from gacc_gui.gui.lists.words import CAUSE_OF_LETTER, LETTER_OF, cause_name
from gacc_gui.gui.theme import HALF, current_theme

Index = QModelIndex | QPersistentModelIndex

SQUARE: Final = 16
GAP: Final = 2
MARGIN: Final = HALF
FLAG: Final = "⚑"
_STEP: Final = SQUARE + GAP
_CORNER: Final = 0.4
"""The share of a square's side that is turned down where a person decided."""
_EDGE: Final = 2
"""Pixels around a square for the frame of the chosen one."""


def strip_width(questions: int) -> int:
    """Pixels that a strip of so many squares needs, margins included."""
    return 2 * MARGIN + max(0, questions * _STEP - GAP)


def squares_in(width: int, questions: int) -> int:
    """How many squares a column of `width` pixels shows; if not all, room is left to say how many more."""
    fit = max(0, (width - 2 * MARGIN + GAP) // _STEP)
    return questions if questions <= fit else max(0, fit - _rest_steps(questions))


def _rest_steps(questions: int) -> int:
    """How many squares' room “+n” takes of a strip."""
    return 2 if questions < 1000 else 3


def square_at(width: int, questions: int, x: int) -> int | None:
    """The index of the square under `x` pixels from the column's left edge."""
    place = (x - MARGIN) // _STEP
    return place if x >= MARGIN and place < squares_in(width, questions) else None


def paint_square(
    painter: QPainter,
    rect: QRect,
    cause: str,
    letter: str,
    *,
    chosen: bool = False,
    decided: bool | None = None,
) -> None:
    """Paint one square: filled in the cause's colour, hollow where there is no verdict, or it is hidden.

    A corner says that a person decided on the row: full where they made another row of it than the judge
    (`decided` True), hollow where not (False); None: nobody did.
    """
    scale = painter.device().devicePixelRatioF()
    square = _square(
        current_theme().name, painter.font().family(), rect.height(), scale, cause, letter, chosen, decided
    )
    painter.drawPixmap(rect.topLeft() - QPoint(_EDGE, _EDGE), square)


@lru_cache(maxsize=256)
def _square(
    _theme: str,
    family: str,
    size: int,
    scale: float,
    cause: str,
    letter: str,
    chosen: bool,
    decided: bool | None,
) -> QPixmap:
    """A square as a picture: a list paints hundreds, of a dozen kinds. `_theme` tells the colours apart."""
    side = round((size + 2 * _EDGE) * scale)
    picture = QPixmap(side, side)
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setFont(QFont(family))
    rect = QRect(_EDGE, _EDGE, size, size)
    _draw_square(painter, rect, cause, letter, chosen)
    if decided is not None:
        draw_corner(painter, QRectF(rect), full=decided)
    painter.end()
    return picture


def _draw_square(painter: QPainter, rect: QRect, cause: str, letter: str, chosen: bool) -> None:
    theme = current_theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    frame = QRectF(rect)
    if cause in (NO_VERDICT, VEILED):
        pen = QPen(theme.cause_colour(cause), 1.0)
        if cause == NO_VERDICT:
            pen.setDashPattern([2.0, 2.0])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.cause_colour(cause))
        painter.drawRoundedRect(frame, 2, 2)
    font = QFont(painter.font())
    font.setPixelSize(max(8, round(rect.height() * 0.7)))
    font.setWeight(QFont.Weight.DemiBold)
    painter.setFont(font)
    painter.setPen(theme.muted if cause == VEILED else theme.cause_ink(cause))
    painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, letter)
    if chosen:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.base, 1.0))
        painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        painter.setPen(QPen(theme.text, 1.5))
        painter.drawRoundedRect(frame.adjusted(-0.75, -0.75, 0.75, 0.75), 2.5, 2.5)


def draw_corner(painter: QPainter, frame: QRectF, *, full: bool) -> None:
    """Turn down the upper right corner, as of a page that somebody has been at."""
    theme = current_theme()
    side = frame.height() * _CORNER
    corner = frame.topRight()
    painter.setPen(QPen(theme.text, 1.0))
    painter.setBrush(theme.text if full else theme.base)
    painter.drawPolygon(
        QPolygonF([corner + QPointF(-side, -0.5), corner + QPointF(0.5, -0.5), corner + QPointF(0.5, side)])
    )


def paint_strip(
    painter: QPainter, rect: QRect, strip: str, chosen: int | None = None, marks: Marks | None = None
) -> None:
    """Paint the squares of a goal into a cell, and “+n” for those that do not fit."""
    shown = squares_in(rect.width(), len(strip))
    top = rect.top() + (rect.height() - SQUARE) // 2
    left = rect.left() + MARGIN
    for place, letter in enumerate(strip[:shown]):
        square = QRect(left + place * _STEP, top, SQUARE, SQUARE)
        cause, decided = CAUSE_OF_LETTER.get(letter, "item"), marks.get(place) if marks else None
        paint_square(painter, square, cause, letter, chosen=place == chosen, decided=decided)
    if shown < len(strip):
        painter.save()
        painter.setPen(current_theme().muted)
        rest = QRect(left + shown * _STEP, rect.top(), _rest_steps(len(strip)) * _STEP, rect.height())
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, f"+{len(strip) - shown}")
        painter.restore()


def paint_ground(
    painter: QPainter, option: QStyleOptionViewItem, index: Index, delegate: QStyledItemDelegate
) -> None:
    """Paint a cell's background (selection, hover, focus) without its text."""
    from PySide6.QtWidgets import QApplication, QStyle

    ground = QStyleOptionViewItem(option)
    delegate.initStyleOption(ground, index)
    ground.text = ""
    style = ground.widget.style() if ground.widget is not None else QApplication.style()
    style.drawControl(QStyle.ControlElement.CE_ItemViewItem, ground, painter, ground.widget)


class GroundDelegate(QStyledItemDelegate):
    """A delegate whose `paint` paints the background alone: what stands on it is its subclass's."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the background where there is one: that of a plain cell is the view's.

        Qt would ask the model seven times for a cell that shows nothing of it, two thirds of the time that a
        cell takes (measured 2026-11).
        """
        from PySide6.QtWidgets import QStyle

        marked = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver
        if option.state & (marked | QStyle.StateFlag.State_HasFocus):
            super().paint(painter, option, index)

    def displayText(self, value: object, locale: object) -> str:
        """No text."""
        return ""


class StripDelegate(GroundDelegate):
    """Paints a goal's strip. The cell's text is the strip's letters; `chosen` marks one square of one row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chosen: tuple[int, int] | None = None

    def choose(self, row: int, place: int | None) -> None:
        """Mark the chosen question's square in a row; None marks none."""
        self._chosen = None if place is None else (row, place)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        super().paint(painter, option, index)
        strip = index.data(Qt.ItemDataRole.DisplayRole)
        if isinstance(strip, str):
            row, place = self._chosen or (-1, -1)
            marks = index.data(Qt.ItemDataRole.UserRole)
            paint_strip(painter, option.rect, strip, place if row == index.row() else None, marks)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room that is asked for."""
        strip = index.data(Qt.ItemDataRole.DisplayRole)
        return QSize(strip_width(len(strip) if isinstance(strip, str) else 0), SQUARE + 2 * HALF)


class CauseDelegate(GroundDelegate):
    """Paints a cause: a coloured square with its letter, its name, and a flag where the row has flags.

    The cell's text is the cause; `UserRole` says whether there are flags.
    """

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        super().paint(painter, option, index)
        cause = index.data(Qt.ItemDataRole.DisplayRole)
        if not isinstance(cause, str) or cause not in LETTER_OF:
            return
        rect = option.rect
        square = QRect(rect.left() + MARGIN, rect.top() + (rect.height() - SQUARE) // 2, SQUARE, SQUARE)
        paint_square(painter, square, cause, LETTER_OF[cause])
        painter.save()
        painter.setFont(option.font)
        painter.setPen(current_theme().text)
        left = square.right() + 1 + 1.5 * MARGIN
        width = rect.right() - left
        if index.data(Qt.ItemDataRole.UserRole):
            width -= option.fontMetrics.horizontalAdvance(FLAG) + MARGIN
        name = option.fontMetrics.elidedText(cause_name(cause), Qt.TextElideMode.ElideRight, int(width))
        baseline = rect.center().y() + (option.fontMetrics.ascent() - option.fontMetrics.descent()) / 2 + 0.5
        painter.drawText(QPointF(left, baseline), name)
        if index.data(Qt.ItemDataRole.UserRole):
            left += option.fontMetrics.horizontalAdvance(name) + MARGIN
            painter.drawText(QPointF(left, baseline), FLAG)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room that is asked for."""
        cause = index.data(Qt.ItemDataRole.DisplayRole)
        text = cause_name(cause) if isinstance(cause, str) else ""
        width = option.fontMetrics.horizontalAdvance(text) + SQUARE + 4 * MARGIN
        return QSize(width, SQUARE + 2 * HALF)
