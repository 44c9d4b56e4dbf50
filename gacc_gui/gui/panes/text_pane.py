"""A pane that shows one exact text, marks stretches of it, and gives it back unaltered.

The Python string is the truth: nothing is ever read back from the widget. Only what is in view is laid out
and painted, so that texts of megabytes and any number of spans cost the same. Not owned: what the spans
mean, titles and empty states (`pane_frame`), which panes scroll together (`linking`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape

from PySide6.QtCore import QEvent, QMimeData, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QMenu, QPlainTextEdit, QToolTip, QWidget

from gacc_gui.gui.panes import characters
from gacc_gui.gui.panes.display import DisplayText, Label
from gacc_gui.gui.panes.exact_copy import exact_mime
from gacc_gui.gui.panes.loading import Loader
from gacc_gui.gui.panes.marked_scroll_bar import MarkedScrollBar
from gacc_gui.gui.panes.painting import paint_block, paint_label, paint_line_end, stretches_in_view
from gacc_gui.gui.panes.rows import BlockInView
from gacc_gui.gui.panes.spans import Layer, Span, notes_at
from gacc_gui.gui.theme import HALF, READING_POINTS, current_theme, reading_font

_MARGIN_ROWS = 3
"""What stands in the last rows of the view is hardly in view."""
_ON_BAR = ("find", "cut", "evidence")
"""Layers whose spans the scroll bar shows too."""


class TextPane(QPlainTextEdit):
    """Signals:

    - view_moved(): another part of the text is in view
    - scrolled(): it is because the pane was scrolled, not resized
    - zoom_asked(steps): Ctrl and the wheel
    """

    view_moved = Signal()
    scrolled = Signal()
    zoom_asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = DisplayText("")
        self._head = self._foot = ""
        self._labels: Sequence[Label] = ()
        self._layers: dict[str, Layer] = {}
        self._ground_role = "base"
        self._wanted: tuple[int, int] | None = None
        self._shows_foot: int | None = None
        self._resizing = False
        self._bar = MarkedScrollBar(self)
        self.setVerticalScrollBar(self._bar)
        self._loader = Loader(self)
        self._build_ui()
        self._loader.grown.connect(self._on_grown)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def _build_ui(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUndoRedoEnabled(False)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(2 * HALF)
        self.set_reading_font(mono=False, zoom=0)

    # --- the text ----------------------------------------------------------------------------------

    def text(self) -> str:
        """The exact text that was given, whatever the screen shows."""
        return self._shown.text

    @property
    def is_loaded(self) -> bool:
        """Whether the whole text can be scrolled to; that of a very long one comes piece by piece."""
        return self._loader.is_done

    @property
    def shown(self) -> DisplayText:
        """The display string and its table of offsets."""
        return self._shown

    def set_text(self, text: str, *, head: str = "", foot: str = "", labels: Sequence[Label] = ()) -> None:
        """Show a text from its start, without spans, with lines of ours before, behind and within it."""
        self._head, self._foot, self._labels = head, foot, labels
        for layer in list(self._layers):
            self.set_spans(layer, ())
        self._wanted = self._shows_foot = None
        self._show(self._shown.invisibles, text)

    def set_invisibles(self, visible: bool) -> None:
        """Show or hide spaces, tabs, line ends and the harmless invisible characters."""
        if visible == self._shown.invisibles:
            return
        top = self.first_visible()
        self._show(visible, self.text())
        option = self.document().defaultTextOption()
        flags = QTextOption.Flag.ShowTabsAndSpaces
        option.setFlags(option.flags() | flags if visible else option.flags() & ~flags)
        self.document().setDefaultTextOption(option)
        self.scroll_to(top)

    def selected_text(self) -> str:
        """The stored text of the selection."""
        return self.text()[slice(*self.selected_range())]

    def selected_range(self) -> tuple[int, int]:
        """Code points [start, end) that are selected."""
        cursor = self.textCursor()
        to_offset = self._shown.to_offset
        return to_offset(cursor.selectionStart()), to_offset(cursor.selectionEnd())

    def select(self, start: int, end: int) -> None:
        """Select code points [start, end)."""
        cursor = self.textCursor()
        last = self.document().characterCount() - 1
        cursor.setPosition(min(self._shown.to_display(start), last))
        cursor.setPosition(min(self._shown.to_display(end), last), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    # --- marks -------------------------------------------------------------------------------------

    def set_spans(self, layer: str, spans: Iterable[Span]) -> None:
        """Mark these stretches, instead of what the layer (one of `spans.LAYERS`) marked before."""
        self._layers[layer] = Layer(spans)
        if layer in _ON_BAR:
            length = max(1, len(self.text()))
            self._bar.set_marks(layer, [(span.start / length, span.role) for span in self.spans(layer)])
        self.viewport().update()

    def spans(self, layer: str) -> list[Span]:
        """The stretches that a layer marks, in order."""
        return self._layers[layer].spans if layer in self._layers else []

    def set_ground(self, role: str) -> None:
        """Paint on the theme's colour of this name, `base` or `tail_tint`."""
        self._ground_role = role
        self.viewport().update()

    def set_reading_font(self, *, mono: bool, zoom: int) -> None:
        """Read in a proportional or a monospaced font, `zoom` points larger than usual."""
        font = reading_font(mono, max(5.0, READING_POINTS + zoom))
        self.setFont(font)
        self.setTabStopDistance(4 * QFontMetricsF(font).horizontalAdvance("0"))

    # --- the view ----------------------------------------------------------------------------------

    def first_visible(self) -> int:
        """The code point at the top of the view."""
        block = self.firstVisibleBlock()
        line = self._shown.line_of_block(block.blockNumber())
        if line is None:
            return self._shown.to_offset(block.position())
        inside = 0
        above = -self.contentOffset().y() - self.blockBoundingGeometry(block).top()
        layout = block.layout()
        for number in range(layout.lineCount()):
            if layout.lineAt(number).y() + layout.lineAt(number).height() > above + 1:
                inside = layout.lineAt(number).textStart()
                break
        return self._shown.to_offset(block.position() + inside)

    def visible_range(self) -> tuple[int, int]:
        """Code points [start, end) that are in view, whole display lines."""
        start = end = self.first_visible()
        for _, line in self._blocks_in_view(QRectF(self.viewport().rect())):
            if line is not None:
                end = self._shown.line_span(line)[1]
        return start, max(start, end)

    def reveal(self, start: int, end: int | None = None) -> None:
        """Bring code points [start, end) into view, a third down, unless they already are."""
        self._wanted = (start, end if end is not None else start)
        self._shows_foot = None
        if self._shown.to_display(self._wanted[1]) < self.document().characterCount() or self._loader.is_done:
            self._reveal_wanted()

    def reveal_foot(self) -> None:
        """Bring the end of the text into view, with the whole label below it."""
        self.reveal(len(self.text()))
        if self._loader.is_done:
            self._lay_out_before(self.document().lastBlock(), self._rows_in_view())
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
            self._shows_foot = self.verticalScrollBar().value()

    def scroll_to(self, offset: int) -> None:
        """Put the line of the code point at `offset` on top of the view."""
        block, row = self._place(offset)
        self._lay_out_from(block)
        self.verticalScrollBar().setValue(block.firstLineNumber() + row)

    def rects_of(self, start: int, end: int) -> list[QRectF]:
        """Where code points [start, end) stand in the viewport, as far as they are in view."""
        rects = []
        area = QRectF(self.viewport().rect())
        for view, line in self._blocks_in_view(area):
            if line is None:
                continue
            low, high = self._shown.line_span(line)
            if start < high and end > low:
                first, last = (self._shown.within_line(line, min(max(at, low), high)) for at in (start, end))
                rects += view.rects(first, last)
        return rects

    def _show(self, invisibles: bool, text: str) -> None:
        # With invisibles Qt puts a dot on each blank, but on no other space: labels keep clear of dots.
        blank = "\u2005" if invisibles else " "
        head, foot = (label.replace(" ", blank) for label in (self._head, self._foot))
        labels = [replace(label, text=label.text.replace(" ", blank)) for label in self._labels]
        shown = self._shown = DisplayText(text, head=head, foot=foot, labels=labels, invisibles=invisibles)
        self._loader.load(shown.display)
        self.viewport().update()

    def _on_grown(self) -> None:
        if self._wanted is not None:
            self.reveal(*self._wanted)

    def _reveal_wanted(self) -> None:
        assert self._wanted is not None
        start, end = self._wanted
        self._wanted = None
        low, high = (self._place(at) for at in (start, end))
        self._lay_out_from(low[0])
        rows = self._rows_in_view()
        # First, as a block that is not laid out counts as one row and would seem to be in view.
        self._lay_out_before(low[0], rows)
        first, last = low[0].firstLineNumber() + low[1], high[0].firstLineNumber() + high[1]
        bar = self.verticalScrollBar()
        top = bar.value()
        if top <= first and last < top + rows - _MARGIN_ROWS:
            return
        bar.setValue(max(0, first - rows // 3))

    def _rows_in_view(self) -> int:
        return max(1, int(self.viewport().height() / max(1.0, QFontMetricsF(self.font()).lineSpacing())))

    def _place(self, offset: int) -> tuple[QTextBlock, int]:
        """The block of a code point, and on which of its rows it stands."""
        line = self._shown.line_at(offset)
        block = self.document().findBlockByNumber(self._shown.block_of_line(line))
        if not block.isValid():
            block = self.document().lastBlock()
        self.blockBoundingRect(block)
        row = block.layout().lineForTextPosition(self._shown.within_line(line, offset)).lineNumber()
        return block, max(0, row)

    def _lay_out_from(self, block: QTextBlock) -> None:
        """Lay out a screenful from a block on, so that the scroll bar's range suits it."""
        height = 0.0
        while block.isValid() and height < self.viewport().height():
            height += self.blockBoundingRect(block).height()
            block = block.next()

    def _lay_out_before(self, block: QTextBlock, rows: int) -> None:
        """Lay out what stands above a block: rows that are not laid out count as one a block."""
        while rows > 0 and block.isValid():
            self.blockBoundingRect(block)
            rows -= block.layout().lineCount()
            block = block.previous()

    def _blocks_in_view(self, area: QRectF) -> Iterator[tuple[BlockInView, int | None]]:
        """Blocks that touch `area` of the viewport, each with the display line it shows."""
        block = self.firstVisibleBlock()
        offset = self.contentOffset()
        top = self.blockBoundingGeometry(block).translated(offset).top()
        while block.isValid() and top <= area.bottom():
            height = self.blockBoundingRect(block).height()
            if top + height >= area.top():
                view = BlockInView(block, QPointF(offset.x(), top), area)
                yield view, self._shown.line_of_block(block.blockNumber())
            top += height
            block = block.next()

    # --- painting ----------------------------------------------------------------------------------

    def _paint_line_end(self, painter: QPainter, view: BlockInView, line: int) -> None:
        shown = self._shown
        if shown.is_broken(line) and not shown.is_labelled(line + 1):
            paint_line_end(painter, view, self.viewport().width(), "↩")
        elif shown.invisibles and shown.ends_in_feed(line):
            paint_line_end(painter, view, self.viewport().width(), "↵")

    def _on_scrolled(self, _value: int) -> None:
        if not self._resizing:
            self.scrolled.emit()
            self.view_moved.emit()

    def _note_at(self, event: QHelpEvent) -> str:
        offset = self._shown.to_offset(self.cursorForPosition(event.pos()).position())
        notes = notes_at(self._layers, offset)
        for at in (offset, offset - 1):
            if 0 <= at < len(self.text()) and (name := characters.describe(self.text()[at])):
                notes.append(name)
                break
        return "\n".join(dict.fromkeys(notes))

    # --- Qt ----------------------------------------------------------------------------------------

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy and drag the stored text, not what the screen shows."""
        return exact_mime(self.selected_text())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the blocks in view, each with the spans that touch it."""
        painter = QPainter(self.viewport())
        clip = QRectF(event.rect())
        painter.fillRect(clip, getattr(current_theme(), self._ground_role))
        selected = self.selected_range()
        caret = self.textCursor().position() if self.hasFocus() else -1
        for view, line in self._blocks_in_view(clip):
            block = view.block
            painter.setPen(current_theme().text)
            if line is None:
                label = self._shown.label_of_block(block.blockNumber())
                paint_label(painter, view, self.viewport().width(), label.role if label is not None else "")
                continue
            stretches = stretches_in_view(view, line, self._shown, self._layers, selected)
            paint_block(painter, view, stretches)
            self._paint_line_end(painter, view, line)
            if block.contains(caret):
                painter.setPen(current_theme().text)
                block.layout().drawCursor(painter, view.origin, caret - block.position(), 1)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Copying, of the selection or of everything."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction("Copy")
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setEnabled(self.textCursor().hasSelection())
        copy.triggered.connect(self.copy)
        everything = menu.addAction("Select all")
        everything.setShortcut(QKeySequence(QKeySequence.StandardKey.SelectAll))
        everything.triggered.connect(self.selectAll)
        menu.popup(event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """With Ctrl, all panes zoom together."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if event.angleDelta().y():
                self.zoom_asked.emit(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the same text on top when lines wrap anew, or the foot in view while nobody scrolls away."""
        self._resizing = True
        super().resizeEvent(event)
        if self._shows_foot == self.verticalScrollBar().value():
            self.reveal_foot()
        self._resizing = False
        self.view_moved.emit()

    def viewportEvent(self, event: QEvent) -> bool:
        """Tell what a mark stands for where the pointer rests."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            note = self._note_at(event)
            QToolTip.showText(event.globalPos(), escape(note).replace("\n", "<br>"), self.viewport())
            return True
        return super().viewportEvent(event)
