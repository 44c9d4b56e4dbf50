"""How the roles of spans look, and the painting of one block of text with its underlays.

Owns the styles, and which of the spans touch what is in view of a block. Not owned: what the spans are of
(`spans`), which blocks are in view (`text_pane`), where a stretch stands (`rows`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QTextCharFormat, QTextLayout

from gacc_gui.gui.panes import characters
from gacc_gui.gui.panes import spans as roles
from gacc_gui.gui.panes.display import DisplayText
from gacc_gui.gui.panes.rows import BlockInView
from gacc_gui.gui.panes.spans import Layer, Span, joined
from gacc_gui.gui.theme import HALF, Theme, blend, current_theme

_VEIL = 34
_CUT_WIDTH = 2
_EDGE = 3
_NOTHING = QBrush(QColor(0, 0, 0, 0))


@dataclass(frozen=True, slots=True)
class Style:
    """What a stretch gets: an underlay, a colour for its letters, a bar or dots beneath, an upright line.

    A fence is an upright line and a dotted one across the pane, below its line of text; an edge a bar at the
    pane's left edge.
    """

    underlay: QColor | None = None
    ink: QColor | None = None
    bar: QColor | None = None
    dots: QColor | None = None
    stroke: QColor | None = None
    fence: QColor | None = None
    edge: QColor | None = None

    @property
    def strong(self) -> QColor:
        """The colour that stands for the role where there is little room."""
        return self.bar or self.stroke or self.fence or self.underlay or self.dots or self.ink or QColor()


@dataclass(frozen=True, slots=True)
class Stretch:
    """A styled part of one block: UTF-16 units [start, end) of the block."""

    start: int
    end: int
    style: Style


_styles: dict[tuple[str, str], Style] = {}


def style_of(role: str, theme: Theme) -> Style:
    """The style of a role; an unknown role is not marked."""
    key = (theme.name, role)
    if key not in _styles:
        _styles[key] = _style(role, theme)
    return _styles[key]


def _style(role: str, theme: Theme) -> Style:
    kind, _, fate = role.partition(":")
    if kind == "evidence":
        return Style(underlay=theme.fate_tint(fate), ink=theme.text, bar=theme.fate_colour(fate))
    if kind == "other":
        return Style(underlay=blend(theme.base, theme.fate_colour(fate), 0.14), ink=theme.text)
    return {
        roles.GONE: Style(ink=theme.gone_text),
        roles.KEPT_GROUP: Style(edge=theme.accent),
        roles.DROPPED_GROUP: Style(ink=theme.gone_text, edge=theme.border),
        roles.TAIL_ONLY: Style(underlay=theme.tail_only),
        roles.TOKEN: Style(underlay=_veil(theme)),
        roles.FIND: Style(underlay=theme.find, ink=theme.text),
        roles.FIND_CURRENT: Style(underlay=theme.find_current, ink=theme.text),
        roles.HINT: Style(dots=theme.accent),
        roles.CUT_HERE: Style(stroke=theme.cut_line),
        roles.CUT_TRIED: Style(fence=theme.cut_line),
        roles.MARK: Style(ink=theme.invisible),
        roles.ONLY_HERE: Style(underlay=blend(theme.base, theme.accent, 0.24), ink=theme.text),
        roles.ONLY_THERE: Style(stroke=theme.accent),
        "selection": Style(underlay=theme.selection),
        "label": Style(ink=theme.cut_line),
        "kept-label": Style(ink=theme.accent),
        "dropped-label": Style(ink=theme.muted),
    }.get(kind, Style())


def _veil(theme: Theme) -> QColor:
    """Seen over every underlay, and light enough for the letters on it."""
    veil = QColor(theme.muted)
    veil.setAlpha(_VEIL)
    return veil


def stretches_in_view(
    view: BlockInView, line: int, shown: DisplayText, layers: Mapping[str, Layer], selected: tuple[int, int]
) -> list[Stretch]:
    """What is to be painted of a block that shows this display line: the layers' spans, then the selection.

    `selected`: code points [start, end) of the text.
    """
    start, end = shown.line_span(line)
    length = shown.within_line(line, end) - shown.ends_in_feed(line)
    if view.end < length:
        end = shown.to_offset(view.block.position() + view.end)
    if view.start > 0:
        start = shown.to_offset(view.block.position() + view.start)
    spans: list[Span] = []
    for name in roles.LAYERS:
        if name in layers:
            spans += joined(layers[name].within(start, end))
    spans += joined(
        Span(start + at, start + at + 1, roles.MARK)
        for at in characters.marks(shown.text[start : end + 1], shown.invisibles)
        if start + at < end
    )
    if selected[0] < selected[1] and selected[0] < end and selected[1] > start:
        spans.append(Span(*selected, "selection"))
    theme = current_theme()
    return [
        Stretch(
            shown.within_line(line, max(span.start, start)),
            min(shown.within_line(line, min(span.end, end)), length),
            style_of(span.role, theme),
        )
        for span in spans
    ]


def paint_block(painter: QPainter, view: BlockInView, stretches: Sequence[Stretch]) -> None:
    """Paint what is in view of a block: underlays in the order given, then letters, then lines."""
    clip = view.clip
    drawn = [
        (stretch.style, rect) for stretch in stretches for rect in view.rects(stretch.start, stretch.end)
    ]
    for style, rect in drawn:
        if style.underlay is not None:
            painter.fillRect(rect, style.underlay)
    view.block.layout().draw(painter, view.origin, _inks(stretches), clip)
    for style, rect in drawn:
        if style.bar is not None:
            painter.fillRect(QRectF(rect.left(), rect.bottom() - 2, rect.width(), 2), style.bar)
        if style.dots is not None:
            painter.setPen(QPen(QBrush(style.dots), 2, Qt.PenStyle.DotLine))
            painter.drawLine(
                QPointF(rect.left(), rect.bottom() - 1), QPointF(rect.right(), rect.bottom() - 1)
            )
        if style.edge is not None:
            painter.fillRect(QRectF(0, rect.top(), _EDGE, rect.height()), style.edge)
        if style.fence is not None:
            painter.fillRect(QRectF(rect.left() - 1, rect.top(), 2, rect.height()), style.fence)
            painter.setPen(QPen(QBrush(style.fence), _CUT_WIDTH, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(0, rect.bottom()), QPointF(clip.right(), rect.bottom()))
        if style.stroke is not None:
            painter.fillRect(QRectF(rect.left() - 1, rect.top(), 2, rect.height()), style.stroke)
            painter.fillRect(QRectF(0, rect.top(), 4, rect.height()), style.stroke)


def paint_label(painter: QPainter, view: BlockInView, width: float, role: str) -> None:
    """Paint a label; that of the cut with a line across, others with a thin one above."""
    theme = current_theme()
    block, top = view.block, view.origin.y()
    paint_block(painter, view, [Stretch(0, block.length() - 1, style_of(role, theme))])
    if role != "label":
        painter.fillRect(QRectF(0, top, width, 1), theme.border)
        return
    height = block.layout().boundingRect().height()
    y = top + (height - _CUT_WIDTH if block.blockNumber() == 0 else 0)
    painter.fillRect(QRectF(0, y, width, _CUT_WIDTH), theme.cut_line)


def paint_line_end(painter: QPainter, view: BlockInView, width: float, sign: str) -> None:
    """Paint a sign behind the last letter of a block, for the break that follows."""
    layout, origin = view.block.layout(), view.origin
    last = layout.lineAt(layout.lineCount() - 1)
    x = min(origin.x() + last.naturalTextRect().right() + HALF, width - 3.0 * HALF)
    painter.setPen(current_theme().invisible)
    painter.drawText(QPointF(x, origin.y() + last.y() + last.ascent()), sign)


def _inks(stretches: Sequence[Stretch]) -> list[QTextLayout.FormatRange]:
    """Disjoint colours of letters: where stretches overlap, the later one's."""
    inks: list[QColor | None] = [None] * max((stretch.end for stretch in stretches), default=0)
    for stretch in stretches:
        if stretch.style.ink is not None and stretch.end > stretch.start:
            inks[stretch.start : stretch.end] = [stretch.style.ink] * (stretch.end - stretch.start)
    ranges: list[QTextLayout.FormatRange] = []
    start = 0
    for ink, letters in groupby(inks):
        length = len(list(letters))
        if ink is not None:
            ranges.append(_inked(start, length, ink))
        start += length
    return ranges


def _inked(start: int, length: int, ink: QColor) -> QTextLayout.FormatRange:
    format_range = QTextLayout.FormatRange()
    format_range.start, format_range.length = start, length
    letters = QTextCharFormat()
    letters.setForeground(QBrush(ink))
    # Without a background, Qt skips a range whose region touches that of one before (6.11, measured).
    letters.setBackground(_NOTHING)
    format_range.format = letters
    return format_range
