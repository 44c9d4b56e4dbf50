"""The questions of one goal under one memory as a table model: asked, answered, judged, and why it failed.

Owns the wording of cells. Not owned: the whole texts (DetailArea), which question is chosen (the session).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from gacc_gui.core.causes import VEIL, VEILED
from gacc_gui.core.records import LABELS, Answer
from gacc_gui.core.reviewing import ReviewedRow
from gacc_gui.core.terms import GOALS, Terms, terms_of
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.replies import said_in
from gacc_gui.gui.lists.review_words import standing_mark, standing_words
from gacc_gui.gui.lists.words import (
    EMPTY_ANSWER,
    FATE_SENTENCES,
    FLAG_SENTENCES,
    NO_ANSWER,
    cause_name,
    cause_sentence,
    joined,
    sentences_of,
    status_words,
    verdict_words,
)
from gacc_gui.gui.theme import current_theme
from gacc_gui.store.rows import QuestionRow, UnitView

Index = QModelIndex | QPersistentModelIndex
_TOP: Final = QModelIndex()


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `least` is the share of letters it keeps where room is short, None: all it needs.

    The hint takes words of the run's `Terms`.
    """

    key: str
    title: str
    hint: str
    least: int | None = None
    right: bool = False


COLUMNS: Final = (
    Column("number", "#", "The question's place in its goal", right=True),
    Column("question", "Question", "What was asked", 16),
    Column("references", "References", "Any of these is right", 6),
    Column("answer", "Answer", "What the {0.reader} answered", 8),
    Column("verdict", "Verdict", "What the {0.judge} said"),
    Column("reviewed", "Reviewed", "What reviewers say; ≠: they disagree, and the latest counts"),
    Column("rationale", "Rationale", "Why the {0.judge} said so", 8),
    Column("fate", "Fate", "Where the evidence went"),
    Column("cause", "Cause", "Why the row failed"),
    Column("flags", "Flags", "What to keep in mind", 8),
)
PLACES: Final = {column.key: place for place, column in enumerate(COLUMNS)}


def answer_words(answer: Answer | None) -> str:
    """An answer in a line: an empty one in quotes, none at all in words; a failure says so."""
    if answer is None:
        return NO_ANSWER
    status = "" if answer.status == "ok" else status_words(answer.status)
    if answer.text is None:
        return NO_ANSWER if status in ("", NO_ANSWER) else f"{NO_ANSWER} · {status}"
    return joined((cell_text(answer.text) or EMPTY_ANSWER, status))


def said_words(row: QuestionRow, terms: Terms) -> str:
    """A row's answer in a line: of a reply that is a JSON object, the answer in it."""
    read = said_in(row.answer, terms)
    return answer_words(row.answer) if read is None else cell_text(read.answer or "") or EMPTY_ANSWER


def is_absent(answer: Answer | None) -> bool:
    """Whether there is no answer: an empty one is an answer."""
    return answer is None or answer.text is None


def judged_words(row: QuestionRow, terms: Terms = GOALS) -> str:
    """A row's verdict as it was given, with what keeps it from counting."""
    if row.verdict is None:
        return status_words(row.status, terms)
    words = verdict_words(row.verdict.label, row.verdict.status, terms)
    if row.verdict.label in LABELS and row.verdict.status == "judged" and row.label is None:
        return f"{words}, does not count"
    return words


class QuestionsModel(QAbstractTableModel):
    """A question a row, in the goal's order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[QuestionRow, ...] = ()
        self._reviewed: Mapping[str, ReviewedRow] = {}
        self._terms = GOALS

    def set_view(self, view: UnitView | None, reviewed: Mapping[str, ReviewedRow] | None = None) -> None:
        """Show the questions of this unit, and what reviewers say of some, by the question's id."""
        self.beginResetModel()
        self._rows = view.rows if view else ()
        self._reviewed = reviewed or {}
        self._terms = terms_of(view.run.protocol if view else None)
        self.endResetModel()

    @property
    def rows(self) -> tuple[QuestionRow, ...]:
        """The rows shown."""
        return self._rows

    def row_of(self, question_id: str | None) -> int:
        """The row of a question, or -1."""
        return next((place for place, row in enumerate(self._rows) if row.question.id == question_id), -1)

    def text_at(self, place: int, key: str) -> str:
        """The text of a cell."""
        row = self._rows[place]
        match key:
            case "number":
                return str(place + 1)
            case "question":
                return cell_text(row.question.text)
            case "references":
                return " | ".join(cell_text(each) or EMPTY_ANSWER for each in row.question.references or ())
            case "answer":
                return said_words(row, self._terms)
            case "verdict":
                # The mark alone: the cause beside it says the rest.
                marks = {"✓ correct": "✓", "✗ incorrect": "✗", status_words(VEILED): VEIL}
                return marks.get(words := judged_words(row, self._terms), cell_text(words))
            case "reviewed":
                reviewed = self._reviewed.get(row.question.id)
                return standing_mark(reviewed.standing) if reviewed else ""
            case "rationale":
                return cell_text((row.verdict.rationale if row.verdict else None) or "")
            case "fate":
                return row.fate
            case "cause":
                return row.cause
            case _:
                return ", ".join(row.flags)

    def _hint(self, place: int, key: str) -> str:
        row = self._rows[place]
        match key:
            case "number":
                return row.question.id
            case "question":
                return row.question.text
            case "references":
                return "\n".join(row.question.references or ())
            case "answer":
                failure = (row.answer.error if row.answer else None) or ""
                return "\n".join(
                    part for part in ((row.answer.text if row.answer else None) or "", failure) if part
                )
            case "reviewed":
                reviewed = self._reviewed.get(row.question.id)
                return standing_words(reviewed.standing) if reviewed else ""
            case "verdict" if row.status == VEILED:
                return sentences_of(self._terms)[VEILED]
            case "rationale":
                return (row.verdict.rationale if row.verdict else None) or ""
            case "fate":
                return FATE_SENTENCES.get(row.fate, "")
            case "cause":
                return "\n".join([cause_sentence(row.cause, row.fate, self._terms), *_flag_lines(row)])
            case "flags":
                return "\n".join(_flag_lines(row))
            case _:
                return judged_words(row, self._terms)

    def _spoken(self, place: int, key: str) -> str:
        if key == "verdict":
            return judged_words(self._rows[place], self._terms)
        if key == "reviewed":
            return self._hint(place, key)
        text = self.text_at(place, key)
        if key == "cause":
            return joined((cause_name(text), *self._rows[place].flags))
        return {EMPTY_ANSWER: "empty answer"}.get(text, text) if key == "answer" else text

    # --- Qt ----------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _TOP) -> int:
        """Rows of the list; none below a row."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _TOP) -> int:
        """Columns of the list; none below a row."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A cell in a role; never raises."""
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        column, place = COLUMNS[index.column()], index.row()
        # An exception here would repeat for every cell painted: it is shown instead.
        try:
            match role:
                case Qt.ItemDataRole.DisplayRole:
                    return self.text_at(place, column.key)
                case Qt.ItemDataRole.ToolTipRole:
                    return tooltip(self._hint(place, column.key))
                case Qt.ItemDataRole.AccessibleTextRole:
                    return self._spoken(place, column.key)
                case Qt.ItemDataRole.TextAlignmentRole:
                    return _alignment(column)
                case Qt.ItemDataRole.FontRole if column.key == "answer" and is_absent(
                    self._rows[place].answer
                ):
                    italic = QFont()
                    italic.setItalic(True)
                    return italic
                case Qt.ItemDataRole.ForegroundRole:
                    return self._ink(place, column.key)
                case Qt.ItemDataRole.UserRole if column.key == "cause":
                    return bool(self._rows[place].flags)
        except Exception as error:
            return f"{type(error).__name__}: {error}" if role == Qt.ItemDataRole.DisplayRole else None
        return None

    def _ink(self, place: int, key: str) -> object:
        row, theme = self._rows[place], current_theme()
        if key == "number" or (key == "answer" and is_absent(row.answer)):
            return theme.muted
        if key == "verdict" and row.label is None:
            return theme.muted
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """A column's title, hint and alignment."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        column = COLUMNS[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._terms.verdict.capitalize() if column.key == "verdict" else column.title
            case Qt.ItemDataRole.ToolTipRole:
                return column.hint.format(self._terms)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(column)
        return None


def _flag_lines(row: QuestionRow) -> list[str]:
    return [f"{flag}: {FLAG_SENTENCES.get(flag, '')}" for flag in row.flags]


def _alignment(column: Column) -> int:
    side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
