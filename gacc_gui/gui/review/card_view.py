"""A row as a reviewer sees it: question, references, answer; beside them memory and source; the judge below.

Owns the layout and the words. Which parts of the texts are shown is `cards`, whether the judge may be seen
the panel's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QVBoxLayout, QWidget

from gacc_gui.core.records import Review
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.lists.detail_area import NOT_A_STRING
from gacc_gui.gui.lists.detail_section import DetailSection, Item
from gacc_gui.gui.lists.detail_text import DetailText
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.questions_model import judged_words
from gacc_gui.gui.lists.replies import fact_words, said_in, score_words
from gacc_gui.gui.lists.review_words import review_words
from gacc_gui.gui.lists.words import cause_name, cause_sentence, joined, status_words
from gacc_gui.gui.panes.spans import Span, evidence_role
from gacc_gui.gui.review.cards import Card
from gacc_gui.gui.review.excerpts import Excerpt
from gacc_gui.gui.side.section import Section, remark
from gacc_gui.gui.theme import GRID
from gacc_gui.store.rows import QuestionRow

HIDDEN: Final = "Hidden until you have decided."


class ExcerptSection(Section):
    """Part of a text with its evidence marked."""

    def __init__(self, title: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._note = remark(self)
        self.text = DetailText(self)
        self.text.setObjectName(name)
        self.text.setAccessibleName(title)
        self.body.addWidget(self._note)
        self.body.addWidget(self.text)

    def show_excerpt(self, part: Excerpt, note: str) -> None:
        """Show a part, and what is to be said of it."""
        note = joined((note, "" if part.whole else "a part is shown"))
        self._note.setText(note)
        self._note.setVisible(bool(note))
        self.text.show_text(part.text)
        self.text.set_spans(
            "evidence", [Span(mark.start, mark.end, evidence_role(mark.fate)) for mark in part.marks]
        )
        self.text.setVisible(bool(part.text))


class CardView(QWidget):
    """Shows one row. No signals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.question = self._section("Question", "cardQuestion")
        self.references = self._section("References", "cardReferences")
        self.answer = self._section("Answer", "cardAnswer")
        self.judge = self._section("Judge", "cardJudge")
        self.reviewers = self._section("Reviewers", "cardReviewers")
        self.memory = ExcerptSection("Retained memory", "cardMemory", self)
        self.source = ExcerptSection("Source", "cardSource", self)
        left = _column((self.question, self.references, self.answer, self.judge, self.reviewers), self)
        right = _column((self.memory, self.source), self)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(left)
        self._splitter.addWidget(right)
        for place, stretch in enumerate((4, 5)):
            self._splitter.setStretchFactor(place, stretch)
        self._splitter.setSizes([440, 560])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)
        self._areas = (left, right)
        self._shown: object = None
        self._terms = GOALS

    def show_terms(self, terms: Terms) -> None:
        """Use the words of a benchmark, from the next row on."""
        self._terms = terms
        self.judge.show_title("Score (EM)" if terms.one_question else "Judge")

    def _section(self, title: str, name: str) -> DetailSection:
        section = DetailSection(title, self)
        section.setObjectName(name)
        return section

    def show_card(self, card: Card, shows_judge: bool, said: Sequence[Review]) -> None:
        """Show a row; the judge's verdict, and what others say (`said`), only where they may be seen."""
        row = card.row
        self.question.show_items(
            [Item(row.question.text, NOT_A_STRING if "text" in row.question.unusual else "")],
            cell_text(row.question.id, 80),
        )
        references = row.question.references or ()
        self.references.show_items(
            [Item(text) for text in references] or [Item(None, "There are no references.")],
            str(len(references)),
        )
        self.answer.show_items(*_answer(row, self._terms))
        self.judge.show_items(*(_judge(row, self._terms) if shows_judge else ([Item(None, HIDDEN)], "")))
        self.reviewers.show_items(_reviewers(said) if shows_judge else [])
        if card.entry.row != self._shown:
            self.memory.show_excerpt(card.memory, card.memory_note)
            self.source.show_excerpt(card.source, card.source_note)
            for area in self._areas:
                area.verticalScrollBar().setValue(0)
        self._shown = card.entry.row


def _answer(row: QuestionRow, terms: Terms) -> tuple[list[Item], str]:
    answer = row.answer
    if answer is None or answer.text is None:
        return [Item(None, "There is no answer.")], status_words(answer.status) if answer else ""
    status = "" if answer.status == "ok" else status_words(answer.status)
    if not answer.text:
        return [Item(None, "The answer is empty.")], status
    said = said_in(answer, terms)
    if said is not None:
        first = Item(said.answer) if said.answer else Item(None, "The answer is empty.")
        return [first, Item(None, fact_words(said))], status
    return [Item(answer.text, NOT_A_STRING if "text" in answer.unusual else "")], status


def _judge(row: QuestionRow, terms: Terms) -> tuple[list[Item], str]:
    why = f"{cause_name(row.cause).capitalize()}. {cause_sentence(row.cause, row.fate, terms)}"
    items = [Item(None, why, row.cause)]
    if row.verdict is not None and row.verdict.rationale:
        items.append(Item(row.verdict.rationale))
    if terms.one_question and row.verdict is not None and (scores := score_words(row.verdict)):
        items.append(Item(None, scores))
    return items, judged_words(row, terms)


def _reviewers(said: Sequence[Review]) -> list[Item]:
    return [Item(review.note, review_words(review)) for review in said]


def _column(parts: Sequence[QWidget], parent: QWidget) -> QScrollArea:
    area = QScrollArea(parent)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setMinimumWidth(30 * GRID)
    page = QWidget(area)
    page.setBackgroundRole(QPalette.ColorRole.Base)
    page.setAutoFillBackground(True)
    area.viewport().setBackgroundRole(QPalette.ColorRole.Base)
    column = QVBoxLayout(page)
    column.setContentsMargins(GRID, GRID, GRID, GRID)
    column.setSpacing(GRID)
    for part in parts:
        column.addWidget(part)
    column.addStretch(1)
    area.setWidget(page)
    return area
