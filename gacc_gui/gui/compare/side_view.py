"""One side of a compared row: cell and memory, the answer with its verdict and cause, the memory's text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gacc_gui.core.terms import Terms, terms_of
from gacc_gui.gui.compare.compare_reads import ReadSide
from gacc_gui.gui.lists.few_lines import FewLines
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.questions_model import answer_words, judged_words
from gacc_gui.gui.lists.replies import fact_words, said_in
from gacc_gui.gui.lists.words import (
    EMPTY_ANSWER,
    FATE_SENTENCES,
    cause_name,
    cause_sentence,
    cell_words,
    counted,
    joined,
    status_words,
)
from gacc_gui.gui.overlay import toggle_button
from gacc_gui.gui.panes.text_pane import TextPane
from gacc_gui.gui.session import ViewOptions
from gacc_gui.gui.side.section import Elided
from gacc_gui.gui.theme import GRID, HALF, ui_font

if TYPE_CHECKING:
    from gacc_gui.core.answer_reading import ReadAnswer

_LONGEST: Final = 1_500
"""Code points of an answer or a rationale that are shown here; the inspector has them whole."""
_REPLY: Final = "Raw reply"
_ANSWER_LINES: Final = 4
_VERDICT_LINES: Final = 5
"""What is longer scrolls: the memories keep their room."""


class SideView(QWidget):
    """Signals: inspect_asked(): look at this row in the inspector."""

    inspect_asked = Signal()

    def __init__(self, letter: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"compareSide{letter}")
        self._letter = letter
        self._title = Elided(self)
        bold = ui_font()
        bold.setBold(True)
        self._title.setFont(bold)
        self._inspect = QToolButton(self)
        self._inspect.setText("Inspect")
        self._inspect.setToolTip(f"Look at this row in the inspector  ({letter})")
        self._inspect.setAutoRaise(True)
        self._inspect.clicked.connect(self.inspect_asked)
        self._raw = toggle_button(_REPLY, self)
        self._raw.setObjectName(f"compareRaw{letter}")
        self._raw.setToolTip("The reply as it came, instead of the answer and the facts that it names")
        self._raw.toggled.connect(self._on_raw)
        self._side: ReadSide | None = None
        self._facts = Elided(self, at_end=True)
        self._answer = FewLines(_ANSWER_LINES, self)
        self._answer.setAccessibleName(f"Answer of {letter}")
        self._answer.setObjectName(f"compareAnswer{letter}")
        self._verdict = FewLines(_VERDICT_LINES, self, role="muted")
        self._verdict.setAccessibleName(f"Verdict on {letter}")
        self._verdict.setObjectName(f"compareVerdict{letter}")
        self.pane = TextPane(self)
        self.pane.setObjectName(f"compareMemory{letter}")
        self.pane.setAccessibleName(f"Memory of {letter}")
        self.pane.setTabChangesFocus(True)
        head = QHBoxLayout()
        head.setSpacing(HALF)
        head.addWidget(self._title, 1)
        head.addWidget(self._raw)
        head.addWidget(self._inspect)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, 0, 0, 0)
        layout.setSpacing(HALF)
        layout.addLayout(head)
        layout.addWidget(self._answer)
        layout.addWidget(self._verdict)
        layout.addWidget(self._facts)
        layout.addWidget(self.pane, 1)
        self.show_side(None, "")

    @property
    def answer(self) -> FewLines:
        """The answer's label."""
        return self._answer

    @property
    def verdict(self) -> FewLines:
        """The label of verdict, cause and rationale."""
        return self._verdict

    def show_side(self, side: ReadSide | None, missing: str) -> None:
        """Show a side, or why there is none."""
        self._side = side
        self._inspect.setVisible(side is not None)
        self._raw.setVisible(side is not None and _said(side) is not None)
        self._answer.setVisible(side is not None)
        if side is None:
            self._title.set_text(self._letter)
            self._verdict.show_words(missing)
            self._facts.set_text("")
            self.pane.set_text("")
            return
        memory = side.view.memory
        self._title.set_text(f"{self._letter}  {cell_words(memory.cell, _terms(side), with_revision=True)}")
        self._facts.set_text(_memory_words(side), "muted")
        self.pane.set_text(memory.retained_text or "")
        self._answer.show_words(self._answer_words(side))
        self._verdict.show_words(_verdict_words(side))

    def _answer_words(self, side: ReadSide) -> str:
        if side.row is None:
            return ""
        said = _said(side)
        if said is None or self._raw.isChecked():
            title = "Answer" if said is None else _REPLY
            return f"{title}: {cell_text(answer_words(side.row.answer), _LONGEST)}"
        answer = cell_text(said.answer or "", _LONGEST) or EMPTY_ANSWER
        return f"Answer: {answer}\n{cell_text(fact_words(said), _LONGEST)}"

    def _on_raw(self, _on: bool) -> None:
        if self._side is not None:
            self._answer.show_words(self._answer_words(self._side))

    def show_options(self, options: ViewOptions) -> None:
        """Read as the other texts are read."""
        self.pane.set_reading_font(mono=options.mono, zoom=options.zoom)
        self.pane.set_invisibles(options.invisibles)


def _terms(side: ReadSide) -> Terms:
    return terms_of(side.view.run.protocol)


def _said(side: ReadSide) -> ReadAnswer | None:
    return said_in(side.row.answer, _terms(side)) if side.row is not None else None


def _memory_words(side: ReadSide) -> str:
    memory = side.view.memory
    if memory.retained_text is None:
        text = "no memory"
    else:
        text = counted(len(memory.retained_text), "character") if memory.retained_text else "an empty memory"
    retained = memory.ledger.retained_tokens if memory.ledger else None
    tokens = "" if retained is None else f"{retained:,}"
    if memory.budget is not None:
        tokens = f"{tokens or '?'} of {memory.budget:,} tokens"
    status = "" if memory.status == "ok" else status_words(memory.status)
    repeat = f"{_terms(side).repeat} {side.view.repeat}" if side.view.repeat else ""
    generation = f"generation {memory.generation}" if memory.generation else ""
    return joined(("Memory", memory.id, text, tokens, status, generation, repeat))


def _verdict_words(side: ReadSide) -> str:
    row = side.row
    if row is None:
        return "The question is no longer in the database."
    why = cause_name(row.cause).capitalize()
    sentence = cause_sentence(row.cause, row.fate, _terms(side))
    fate = f"Evidence: {FATE_SENTENCES.get(row.fate, row.fate)}."
    rationale = row.verdict.rationale if row.verdict and row.verdict.rationale else ""
    told = [judged_words(row, _terms(side)), f"{why}. {sentence}" if row.cause != "correct" else "", fate]
    if row.flags:
        told.append(", ".join(row.flags))
    if rationale:
        told.append(f"{_terms(side).judge.capitalize()}: {cell_text(rationale, _LONGEST)}")
    return joined(told)
