"""The configuration as text: coloured a little, with the lines marked that something is wrong at."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from PySide6.QtCore import QEvent, QSignalBlocker, Signal
from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from gacc_gui.gui.theme import UI_POINTS, blend, current_theme, mono_font

_TOKEN: Final = re.compile(
    r"""(?P<header>^\s*\[\[?[^\]]*\]\]?)|(?P<text>"(?:[^"\\]|\\.)*"|'[^']*')|(?P<comment>\#.*$)"""
    r"""|(?P<key>^\s*[\w.-]+(?=\s*=))|(?P<plain>\b(?:true|false|[+-]?\d[\d_.eE+-]*)\b)"""
)


class TomlEdit(QPlainTextEdit):
    """Signals: text_edited(text): a person changed the text."""

    text_edited = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("configToml")
        self.setAccessibleName("The configuration as TOML")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(mono_font(UI_POINTS + 0.5))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)
        self._problem_lines: Collection[int] = ()
        self._colours = _Colours(self.document())
        self.textChanged.connect(self._on_changed)

    def text(self) -> str:
        """The text, exactly: `toPlainText` alters no-break spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    def show_text(self, text: str) -> None:
        """Show a text; one that is shown already keeps its cursor and its undo."""
        if text != self.text():
            blocker = QSignalBlocker(self)
            self.setPlainText(text)
            blocker.unblock()
            self._mark()

    def show_problem_lines(self, lines: Collection[int]) -> None:
        """Mark these lines, from 1."""
        self._problem_lines = lines
        self._mark()

    def go_to_line(self, line: int) -> None:
        """Put the cursor at a line, from 1, and bring it into view."""
        block = self.document().findBlockByNumber(line - 1)
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()
        self.setFocus()

    def _on_changed(self) -> None:
        # Colouring, too, is a change of the document: only what changes the text is told.
        self.text_edited.emit(self.text())

    def _mark(self) -> None:
        theme = current_theme()
        marks = []
        for line in self._problem_lines:
            block = self.document().findBlockByNumber(line - 1)
            if block.isValid():
                mark = QTextEdit.ExtraSelection()
                mark.format.setBackground(blend(theme.base, theme.error, 0.16))
                mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
                mark.cursor = QTextCursor(block)
                marks.append(mark)
        self.setExtraSelections(marks)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() == QEvent.Type.PaletteChange:
            blocker = QSignalBlocker(self)
            self._colours.rehighlight()
            blocker.unblock()
            self._mark()
        super().changeEvent(event)


class _Colours(QSyntaxHighlighter):
    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)

    def highlightBlock(self, text: str) -> None:
        """Colour headings, keys, texts and comments of a line."""
        theme = current_theme()
        colours = {
            "header": theme.accent,
            "text": theme.cause_text("correct"),
            "comment": theme.muted,
            "key": theme.text,
            "plain": theme.cause_text("reader"),
        }
        # Positions of Qt are UTF-16 units.
        wide = not text.isascii()
        for match in _TOKEN.finditer(text):
            name = match.lastgroup or "key"
            start, end = match.span()
            if wide:
                start, end = (len(text[:place].encode("utf-16-le")) // 2 for place in (start, end))
            self.setFormat(start, end - start, _format(colours[name], bold=name == "header"))


def _format(colour: QColor, bold: bool) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(colour)
    if bold:
        made.setFontWeight(600)
    return made
