"""A case's answers by one method side by side, beside gold: what was predicted, what it scores, why.

Owns the table and its wording. Not owned: which answer is chosen, the raw reply (`context_panes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from gacc_gui.app.compaction_viewing import NO_CONTEXT
from gacc_gui.app.compaction_views import AnswerView, CaseView
from gacc_gui.core.causes import VEIL
from gacc_gui.core.compaction_causes import Fact
from gacc_gui.core.hotpot_records import names_sentence
from gacc_gui.core.records import Json
from gacc_gui.gui.compaction.cases_table import wrapped
from gacc_gui.gui.compaction.words import (
    CAUSE_SENTENCES,
    COLOURS,
    LETTERS,
    UNCERTAIN,
    cause_of,
    cause_words,
    place_words,
    score,
    status_words,
)
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.strip import SQUARE, GroundDelegate, Index, paint_square
from gacc_gui.gui.theme import GRID, HALF, current_theme

ROWS: Final = (
    "Answer",
    "Supporting facts",
    "Answer EM · F1",
    "Facts EM · F1",
    "Joint EM · F1",
    "Cause",
    "Input tokens",
)
CAUSE_ROW: Final = ROWS.index("Cause")
_FIRST: Final = 2
"""The first column of answers, behind titles and gold."""
_CAUSE: Final = Qt.ItemDataRole.UserRole
_MOST: Final = (2, 12)
"""Lines that answer and facts may have."""
_COLUMN_LEAST: Final = 13 * GRID
_PAD: Final = HALF


class AnswersView(QTableWidget):
    """Signals: answer_chosen(generation, repeat)."""

    answer_chosen = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(len(ROWS), 0, parent)
        self.setObjectName("compactionAnswers")
        self.setAccessibleName("Answers side by side")
        self._answers: tuple[AnswerView, ...] = ()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectColumns)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(AnswerDelegate(self))
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(2 * GRID)
        columns.setHighlightSections(False)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.itemSelectionChanged.connect(self._on_selection)

    def show_answers(self, case: CaseView | None, method: str | None) -> None:
        """Show gold and the answers of a method to a case."""
        self.blockSignals(True)
        answers = case.answers_of(method) if case is not None and method is not None else ()
        self._answers = answers
        self.setColumnCount(_FIRST + len(answers) if case is not None else 0)
        if case is not None:
            self._fill(0, "", ROWS, None)
            self._fill(1, "Gold", _gold(case), None)
            for column, answer in enumerate(answers, start=_FIRST):
                place = place_words(answer.cell.generation, answer.cell.repeat)
                self._fill(column, place, _said(answer, case.facts), answer)
        self._fit()
        self.blockSignals(False)

    def choose(self, generation: int, repeat: int) -> None:
        """Mark an answer's column; says nothing."""
        self.blockSignals(True)
        column = next(
            (
                number
                for number, one in enumerate(self._answers, start=_FIRST)
                if (one.cell.generation, one.cell.repeat) == (generation, repeat)
            ),
            -1,
        )
        if column < 0:
            self.clearSelection()
        else:
            self.setCurrentCell(max(0, self.currentRow()), column)
            self.selectColumn(column)
        self.blockSignals(False)

    def content_height(self) -> int:
        """Pixels that all rows need."""
        rows = sum(self.rowHeight(row) for row in range(len(ROWS)))
        return rows + self.horizontalHeader().sizeHint().height() + HALF

    def _fill(self, column: int, title: str, texts: Sequence[str], answer: AnswerView | None) -> None:
        self.setHorizontalHeaderItem(column, QTableWidgetItem(title))
        for row, text in enumerate(texts):
            item = QTableWidgetItem(text)
            item.setToolTip(tooltip(_hint(row, text, answer)))
            if answer is None:
                item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            elif row == CAUSE_ROW:
                item.setData(_CAUSE, cause_of(answer.cell))
            self.setItem(row, column, item)

    def _fit(self) -> None:
        """The answers share the width; rows are as high as their texts, within bounds."""
        count = self.columnCount()
        if not count:
            return
        titles = max(map(self.fontMetrics().horizontalAdvance, ROWS)) + 2 * GRID
        width = max((self.viewport().width() - titles) // (count - 1), _COLUMN_LEAST)
        for column in range(count):
            self.setColumnWidth(column, width if column else titles)
        for row in range(len(ROWS)):
            lines = 1
            if row < len(_MOST):
                texts = [item.text() for n in range(1, count) if (item := self.item(row, n)) is not None]
                counts = (len(_lines(text, row, self.font(), width - 2 * _PAD)) for text in texts)
                lines = max(counts, default=1)
            self.setRowHeight(row, lines * self.fontMetrics().lineSpacing() + HALF + 2)

    def _on_selection(self) -> None:
        column = self.currentColumn()
        if _FIRST <= column < _FIRST + len(self._answers):
            cell = self._answers[column - _FIRST].cell
            self.answer_chosen.emit(cell.generation, cell.repeat)

    # --- Qt ----------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new width."""
        super().resizeEvent(event)
        self._fit()


class AnswerDelegate(GroundDelegate):
    """Paints lines, each elided by itself, and before a cause its square."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        super().paint(painter, option, index)
        rect, metrics, theme = option.rect, option.fontMetrics, current_theme()
        left = rect.left() + _PAD
        cause = index.data(_CAUSE)
        if cause is not None:
            square = QRect(left, rect.top() + (rect.height() - SQUARE) // 2, SQUARE, SQUARE)
            paint_square(painter, square, COLOURS[cause], LETTERS[cause])
            left = square.right() + 1 + HALF
        room = rect.right() - _PAD - left
        painter.save()
        painter.setFont(option.font)
        painter.setPen(theme.text if index.column() else theme.muted)
        lines = _lines(str(index.data(Qt.ItemDataRole.DisplayRole)), index.row(), option.font, room)
        top = rect.top() + (HALF + 2) // 2
        for number, line in enumerate(lines):
            shown = metrics.elidedText(line, Qt.TextElideMode.ElideRight, room)
            painter.drawText(left, top + number * metrics.lineSpacing() + metrics.ascent(), shown)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room that is asked for."""
        return QSize(_COLUMN_LEAST, SQUARE + HALF)


def _lines(text: str, row: int, font: QFont, width: int) -> list[str]:
    """The lines of a cell: an answer wraps, a fact has a line."""
    if row == 0:
        return list(wrapped(text, font, max(1, width), _MOST[0]))
    return text.split("\n")[: _MOST[1]]


def _gold(case: CaseView) -> list[str]:
    facts = [f"[{fact.sentence}] {cell_text(str(fact.title), 80)}" for fact in case.facts]
    blank = [""] * (len(ROWS) - len(_MOST))
    return [" / ".join(map(cell_text, case.references)), "\n".join(facts), *blank]


def _said(answer: AnswerView, gold: Sequence[Fact]) -> list[str]:
    cell = answer.cell
    scores = cell.scores
    if cell.cause is None and not cell.is_hidden:
        return ["not there", "", "", "", "", "", ""]
    predicted = "–" if answer.answer is None else cell_text(answer.answer) or "“”"
    # Of a call that was never made there is no count that could be told.
    untold = "–" if cell.status == NO_CONTEXT else "not told"
    tokens = untold if answer.provider_tokens is None else f"{answer.provider_tokens:,}"
    if cell.is_hidden:
        facts = answer.facts or ()
        return [predicted, "\n".join(map(_fact_words, facts)) or "–", *[VEIL] * 3, cause_words(cell), tokens]
    pairs = [
        " · ".join(score(scores[f"{part}{name}"]) for name in ("em", "f1")) for part in ("", "sp_", "joint_")
    ]
    return [
        predicted,
        _facts(answer.facts, gold),
        *pairs,
        # Of a failed one it is the status that says why.
        cause_words(cell) if cell.status == "ok" else status_words(cell.status),
        tokens,
    ]


def _facts(said: Sequence[Json] | None, gold: Sequence[Fact]) -> str:
    """A fact a line: ✓ in gold, ✗ not; then with − the gold ones that were not named."""
    if said is None:
        return "–"
    wanted = {(fact.title, fact.sentence) for fact in gold if names_sentence([fact.title, fact.sentence])}
    lines, named = [], set()
    for fact in said:
        pair = tuple(fact) if names_sentence(fact) else None
        named.add(pair)
        lines.append(f"{'✓' if pair in wanted else '✗'} {_fact_words(fact)}")
    lines += [
        f"− [{fact.sentence}] {cell_text(str(fact.title), 80)}"
        for fact in gold
        if fact.is_somewhere and (fact.title, fact.sentence) not in named
    ]
    return "\n".join(lines) or "none named"


def _fact_words(fact: Json) -> str:
    if isinstance(fact, list | tuple) and len(fact) == 2:
        # An id that is no number is shown as it was written: that is why it earns nothing.
        return f"[{fact[1] if type(fact[1]) is int else repr(fact[1])}] {cell_text(str(fact[0]), 80)}"
    return cell_text(repr(fact), 80)


def _hint(row: int, text: str, answer: AnswerView | None) -> str:
    if answer is None:
        return text
    if row == CAUSE_ROW:
        cause = answer.cell.cause
        uncertain = UNCERTAIN if cause is not None and cause.is_uncertain else ""
        told = (text, answer.told or "", CAUSE_SENTENCES[cause_of(answer.cell)], uncertain)
        return "\n".join(filter(None, told))
    if ROWS[row] == "Answer" and answer.answer is not None:
        return answer.answer
    if ROWS[row] == "Supporting facts":
        return (
            text
            if answer.cell.is_hidden
            else f"{text}\n\n✓ in gold   ✗ not in gold   − in gold, and not named"
        )
    return text
