"""A case's answers by one method side by side, beside gold: what was predicted, what it scores, why.

Owns the table and its wording. Not owned: which answer is chosen, the raw reply (`context_panes`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from gacc_gui.app.compaction_views import AnswerView, CaseView
from gacc_gui.core.compaction_causes import Fact
from gacc_gui.core.hotpot_records import names_sentence
from gacc_gui.core.records import Json
from gacc_gui.gui.compaction.words import (
    CAUSE_SENTENCES,
    COLOURS,
    LETTERS,
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
    "Status",
    "Input tokens",
)
CAUSE_ROW: Final = ROWS.index("Cause")
_TALL: Final = 2
"""The first rows have several lines."""
_CAUSE: Final = Qt.ItemDataRole.UserRole
_FACTS_MOST: Final = 12
_ANSWER_LINES: Final = 3
_COLUMN_LEAST: Final = 13 * GRID


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
        self.setWordWrap(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectColumns)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalHeaderLabels(list(ROWS))
        self.setItemDelegateForRow(CAUSE_ROW, CauseDelegate(self))
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(2 * GRID)
        rows.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        rows.setHighlightSections(False)
        columns.setHighlightSections(False)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.itemSelectionChanged.connect(self._on_selection)

    def show_answers(self, case: CaseView | None, method: str | None) -> None:
        """Show gold and the answers of a method to a case."""
        self.blockSignals(True)
        answers = case.answers_of(method) if case is not None and method is not None else ()
        self._answers = answers
        self.setColumnCount(1 + len(answers) if case is not None else 0)
        if case is not None:
            self.setHorizontalHeaderItem(0, _header("Gold"))
            self._fill(0, _gold(case), None)
            for column, answer in enumerate(answers, start=1):
                place = place_words(answer.cell.generation, answer.cell.repeat)
                self.setHorizontalHeaderItem(column, _header(place))
                self._fill(column, _said(answer, case.facts), answer)
        self._fit()
        self.blockSignals(False)

    def choose(self, generation: int, repeat: int) -> None:
        """Mark an answer's column; says nothing."""
        self.blockSignals(True)
        column = next(
            (
                number
                for number, one in enumerate(self._answers, start=1)
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

    def _fill(self, column: int, texts: Sequence[str], answer: AnswerView | None) -> None:
        for row, text in enumerate(texts):
            item = QTableWidgetItem(text)
            item.setToolTip(tooltip(_hint(row, text, answer)))
            top = Qt.AlignmentFlag.AlignTop if row < _TALL else Qt.AlignmentFlag.AlignVCenter
            item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | top)
            if answer is None:
                item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            elif row == CAUSE_ROW:
                item.setData(_CAUSE, cause_of(answer.cell))
            self.setItem(row, column, item)

    def _fit(self) -> None:
        """Columns share the width; rows are as high as their texts, within bounds."""
        count = self.columnCount()
        if not count:
            return
        room = self.viewport().width()
        width = max(room // count, _COLUMN_LEAST)
        for column in range(count):
            self.setColumnWidth(column, width)
        line = self.fontMetrics().lineSpacing()
        most = (_ANSWER_LINES, _FACTS_MOST)
        for row in range(len(ROWS)):
            lines = 1
            if row < _TALL:
                texts = [item.text() for n in range(count) if (item := self.item(row, n)) is not None]
                lines = max(
                    (_lines(text, width, self.fontMetrics().horizontalAdvance) for text in texts), default=1
                )
                lines = max(1, min(lines, most[row]))
            self.setRowHeight(row, lines * line + HALF + 2)

    def _on_selection(self) -> None:
        column = self.currentColumn()
        if 1 <= column <= len(self._answers):
            cell = self._answers[column - 1].cell
            self.answer_chosen.emit(cell.generation, cell.repeat)

    # --- Qt ----------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new width."""
        super().resizeEvent(event)
        self._fit()


class CauseDelegate(GroundDelegate):
    """Paints an answer's cause: its square, then its name."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        super().paint(painter, option, index)
        cause = index.data(_CAUSE)
        if cause is None:
            return
        rect = option.rect
        square = QRect(rect.left() + 3, rect.top() + (rect.height() - SQUARE) // 2, SQUARE, SQUARE)
        paint_square(painter, square, COLOURS[cause], LETTERS[cause])
        left = square.right() + 1 + HALF
        room = rect.right() - left
        painter.save()
        painter.setFont(option.font)
        painter.setPen(current_theme().text)
        words = str(index.data(Qt.ItemDataRole.DisplayRole))
        shown = option.fontMetrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRect(left, rect.top(), room, rect.height()), Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room that is asked for."""
        return QSize(SQUARE + 8 * GRID, SQUARE + HALF)


def _header(text: str) -> QTableWidgetItem:
    return QTableWidgetItem(text)


def _gold(case: CaseView) -> list[str]:
    facts = [f"{cell_text(str(fact.title), 80)} [{fact.sentence}]" for fact in case.facts]
    return [" / ".join(map(cell_text, case.references)), "\n".join(facts), *[""] * (len(ROWS) - _TALL)]


def _said(answer: AnswerView, gold: Sequence[Fact]) -> list[str]:
    cell = answer.cell
    scores = cell.scores
    if cell.cause is None:
        return ["not there", "", "", "", "", "", status_words(cell.status), ""]
    predicted = "–" if answer.answer is None else cell_text(answer.answer) or "“”"
    pairs = [
        " · ".join(score(scores[f"{part}{name}"]) for name in ("em", "f1")) for part in ("", "sp_", "joint_")
    ]
    tokens = "not told" if answer.provider_tokens is None else f"{answer.provider_tokens:,}"
    return [
        predicted,
        _facts(answer.facts, gold),
        *pairs,
        cause_words(cell),
        status_words(cell.status),
        tokens,
    ]


def _facts(said: Sequence[Json] | None, gold: Sequence[Fact]) -> str:
    """A fact a line: ✓ in gold, ✗ not; then the gold ones that were not named."""
    if said is None:
        return "–"
    wanted = {(fact.title, fact.sentence) for fact in gold if names_sentence([fact.title, fact.sentence])}
    lines, named = [], set()
    for fact in said:
        pair = tuple(fact) if names_sentence(fact) else None
        named.add(pair)
        lines.append(f"{'✓' if pair in wanted else '✗'} {_fact_words(fact)}")
    lines += [
        f"− {cell_text(str(fact.title), 80)} [{fact.sentence}] not named"
        for fact in gold
        if fact.is_somewhere and (fact.title, fact.sentence) not in named
    ]
    return "\n".join(lines) or "none named"


def _fact_words(fact: Json) -> str:
    if isinstance(fact, list | tuple) and len(fact) == 2:
        # An id that is no number is shown as it was written: that is why it earns nothing.
        return f"{cell_text(str(fact[0]), 80)} [{fact[1] if type(fact[1]) is int else repr(fact[1])}]"
    return cell_text(repr(fact), 80)


def _hint(row: int, text: str, answer: AnswerView | None) -> str:
    if answer is None:
        return text
    if row == CAUSE_ROW:
        return f"{text}\n{CAUSE_SENTENCES[cause_of(answer.cell)]}"
    if ROWS[row] == "Status" and answer.told:
        return f"{text}\n{answer.told}"
    if ROWS[row] == "Answer" and answer.answer is not None:
        return answer.answer
    return text


def _lines(text: str, width: int, advance: Callable[[str], int]) -> int:
    """About how many lines a wrapped text takes."""
    room = max(1, width - GRID)
    return sum(max(1, -(-advance(line) // room)) for line in text.split("\n"))
