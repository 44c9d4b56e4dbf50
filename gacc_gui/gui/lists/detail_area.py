"""Everything that is known of one question under one memory, whole and in words.

Owns which sections there are and what they say. Not owned: how a section looks, the texts' widgets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from gacc_gui.core.causes import UNLOCATED, VEILED
from gacc_gui.core.records import LABELS
from gacc_gui.core.reviewing import ReviewedRow
from gacc_gui.core.terms import Terms, terms_of
from gacc_gui.gui.lists.detail_section import DetailSection, Item
from gacc_gui.gui.lists.evidence import PieceFate, UnitEvidence
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.questions_model import judged_words
from gacc_gui.gui.lists.replies import fact_words, said_in, score_words
from gacc_gui.gui.lists.review_words import as_reviewed_words, review_words
from gacc_gui.gui.lists.words import (
    FATE_SENTENCES,
    FLAG_SENTENCES,
    cause_name,
    cause_sentence,
    counted,
    sentences_of,
    status_words,
)
from gacc_gui.gui.panes.unit_marks import UnitMarks
from gacc_gui.gui.theme import GRID
from gacc_gui.store.rows import QuestionRow, UnitView

LOOKING: Final = "looking…"
PATIENCE_MS: Final = 250
"""After which it is said that evidence is being looked for: sooner, the words would only flicker."""
NOT_A_STRING: Final = "not a string in the file: shown as the JSON that stands there"
_SECTIONS: Final = (
    ("cause", "Cause"),
    ("question", "Question"),
    ("references", "References"),
    ("answer", "Answer"),
    ("verdict", "Verdict"),
    ("reviewers", "Reviewers"),
    ("evidence", "Evidence"),
    ("goal", "Goal"),
    ("reply", "Raw reply"),
    ("error", "Error"),
)


class DetailArea(QScrollArea):
    """Shows one question. No signals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("detailArea")
        self.setAccessibleName("Question in full")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(24 * GRID)
        self._shown: tuple[int, str] | None = None
        self._view: UnitView | None = None
        self._row: QuestionRow | None = None
        self._looks = False
        self._evidence = UnitEvidence()
        self._looking = QTimer(self)
        self._looking.setSingleShot(True)
        self._looking.setInterval(PATIENCE_MS)
        self._looking.timeout.connect(self._on_looking)
        page = self._page = QWidget(self)
        page.setBackgroundRole(QPalette.ColorRole.Base)
        page.setAutoFillBackground(True)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        column = self._column = QVBoxLayout(page)
        column.setContentsMargins(GRID, GRID // 2, GRID, GRID)
        column.setSpacing(GRID)
        self._sections: dict[str, DetailSection] = {}
        for key, title in _SECTIONS:
            section = self._sections[key] = DetailSection(title, page)
            section.setObjectName(f"detail_{key}")
            column.addWidget(section)
        column.addStretch(1)
        self.setWidget(page)

    def section(self, key: str) -> DetailSection:
        """A section by its key, such as `cause` or `verdict`."""
        return self._sections[key]

    def put_after(self, key: str, part: QWidget) -> None:
        """Put a part of its own behind a section; whoever gives it says what it shows."""
        self._column.insertWidget(self._column.indexOf(self._sections[key]) + 1, part)

    def show_question(
        self, view: UnitView | None, row: QuestionRow | None, reviewed: ReviewedRow | None = None
    ) -> None:
        """Show everything that is known of a row, and what reviewers say of it; nothing for None."""
        shown = (view.unit, row.question.id) if view is not None and row is not None else None
        self._page.setVisible(shown is not None)
        if shown != self._shown:
            self.verticalScrollBar().setValue(0)
        self._shown = shown
        self._view, self._row = view, row
        self._looking.stop()
        if view is None or row is None:
            return
        terms = terms_of(view.run.protocol)
        self._sections["verdict"].show_title(terms.verdict.capitalize())
        self._sections["goal"].show_title("Task" if terms.one_question else "Goal")
        show = {key: section.show_items for key, section in self._sections.items()}
        show["cause"](_cause_items(row, terms))
        show["question"]([_item(row.question.text, row.question.unusual, "text")], row.question.id)
        references = row.question.references or ()
        show["references"]([Item(text) for text in references], str(len(references)))
        show["answer"](*_answer_items(row, terms))
        show["verdict"](*_verdict_items(row, terms))
        show["reviewers"](*_review_items(reviewed))
        show["goal"](_goal_items(view, terms), view.goal.id)
        show["reply"](_reply_items(row, terms))
        show["error"](_error_items(view, row, terms))
        self._show_evidence(view, row)

    def know(self, marks: UnitMarks) -> None:
        """Take what the panes found in texts that are too long to be searched at once."""
        self._evidence.know(marks)
        view, row = self._view, self._row
        if not self._looks or view is None or row is None:
            return
        if self._evidence.pieces(view, row.question) is not None:
            self._show_evidence(view, row)

    def _show_evidence(self, view: UnitView, row: QuestionRow) -> None:
        pieces = self._evidence.pieces(view, row.question)
        self._looks = pieces is None
        if pieces is None:
            # The heading alone, so that little moves when the pieces come.
            self._sections["evidence"].show_items([Item(None)])
            self._looking.start()
        else:
            self._looking.stop()
            items = [_piece_item(piece) for piece in pieces]
            self._sections["evidence"].show_items(items, _pieces_count(row, pieces))

    def _on_looking(self) -> None:
        self._sections["evidence"].show_items([Item(None)], LOOKING)


def _item(text: str, unusual: Sequence[str], field: str) -> Item:
    return Item(text, NOT_A_STRING if field in unusual else "")


def _cause_items(row: QuestionRow, terms: Terms) -> list[Item]:
    cause = cause_name(row.cause).capitalize()
    words = f"{cause}. {cause_sentence(row.cause, row.fate, terms)}"
    if row.fate != UNLOCATED:
        words += f" Evidence: {FATE_SENTENCES.get(row.fate, row.fate)}."
    items = [Item(None, words, row.cause)]
    items += [Item(None, f"{flag}: {FLAG_SENTENCES.get(flag, flag)}") for flag in row.flags]
    return items


def _answer_items(row: QuestionRow, terms: Terms) -> tuple[list[Item], str]:
    answer = row.answer
    if answer is None:
        return [Item(None, "There is no answer to this question.")], ""
    status = "" if answer.status == "ok" else status_words(answer.status)
    if answer.text is None:
        return [Item(None, "No answer was given.")], status
    if answer.text == "":
        return [Item(None, "The answer is empty.")], status
    read = said_in(answer, terms)
    if read is None:
        return [_item(answer.text, answer.unusual, "text")], status
    said = Item(read.answer) if read.answer else Item(None, "The answer is empty.")
    return [said, Item(None, fact_words(read))], status


def _verdict_items(row: QuestionRow, terms: Terms) -> tuple[list[Item], str]:
    verdict = row.verdict
    words = judged_words(row, terms)
    if row.status == VEILED:
        return [Item(None, sentences_of(terms)[VEILED])], words
    if verdict is None:
        return [Item(None, f"There is no {terms.verdict} for this answer.")], words
    items = []
    if verdict.label is not None and verdict.label not in LABELS:
        items.append(
            Item(verdict.label, f"An unknown {terms.verdict}, as it stands in the file. It does not count.")
        )
    if verdict.rationale:
        items.append(_item(verdict.rationale, verdict.unusual, "rationale"))
    if not items and terms.one_question:
        return [Item(None, score_words(verdict) or "The official answer EM, which no model judges.")], words
    return items or [Item(None, "The judge gave no rationale.")], words


def _review_items(reviewed: ReviewedRow | None) -> tuple[list[Item], str]:
    if reviewed is None:
        return [], ""
    items = [Item(review.note, review_words(review)) for review in reversed(reviewed.standing.reviews)]
    if reviewed.standing.conflict:
        items.insert(0, Item(None, "They disagree: the first of these, the latest, counts."))
    return items, as_reviewed_words(reviewed)


def _goal_items(view: UnitView, terms: Terms) -> list[Item]:
    items = [_item(view.goal.text, view.goal.unusual, "text")]
    shown = view.shown_goal
    if terms.one_question:
        return items  # every method is shown the task, and never the gold
    if shown is None and view.memory.shown_goal_id is None:
        items.append(Item(None, "The compressor was shown no goal."))
    elif shown is not None and shown.id != view.goal.id:
        items.append(
            Item(shown.text, f"The compressor was shown this one instead: {cell_text(shown.id, 80)}")
        )
    return items


def _reply_items(row: QuestionRow, terms: Terms) -> list[Item]:
    answer = row.answer
    if said_in(answer, terms) is not None and answer is not None and answer.text:
        return [_item(answer.text, answer.unusual, "text")]
    reply = row.verdict.raw_reply if row.verdict else None
    return [_item(reply, row.verdict.unusual, "raw_reply")] if reply and row.verdict else []


def _error_items(view: UnitView, row: QuestionRow, terms: Terms) -> list[Item]:
    items = []
    if view.memory.error or view.memory.status in ("error", "no_answer"):
        caption = f"The memory: {status_words(view.memory.status)}. Its {terms.row}s have no {terms.verdict}."
        if view.memory.status not in ("error", "no_answer"):
            caption = f"The memory: {status_words(view.memory.status)}"
        items.append(Item(view.memory.error, caption))
    if row.answer is not None and row.answer.error:
        items.append(Item(row.answer.error, f"The answer: {status_words(row.answer.status)}"))
    return items


def _pieces_count(row: QuestionRow, pieces: Sequence[PieceFate]) -> str:
    kind = "all needed" if row.question.evidence else "any one"
    return f"{counted(len(pieces), 'piece')}" + (f", {kind}" if len(pieces) > 1 else "")


def _piece_item(piece: PieceFate) -> Item:
    return Item.of_fate(piece.text, piece.fate, f"{piece.fate}: {FATE_SENTENCES.get(piece.fate, '')}")
