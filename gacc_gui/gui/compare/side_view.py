"""One side of a compared row: cell and memory, the answer with its verdict and cause, the memory's text."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gacc_gui.gui.compare.compare_reads import ReadSide
from gacc_gui.gui.lists.few_lines import FewLines
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.questions_model import answer_words, judged_words
from gacc_gui.gui.lists.words import (
    FATE_SENTENCES,
    cause_name,
    cause_sentence,
    cell_words,
    counted,
    joined,
    status_words,
)
from gacc_gui.gui.panes.text_pane import TextPane
from gacc_gui.gui.session import ViewOptions
from gacc_gui.gui.side.section import Elided
from gacc_gui.gui.theme import GRID, HALF, ui_font

_LONGEST: Final = 1_500
"""Code points of an answer or a rationale that are shown here; the inspector has them whole."""
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
        self._inspect.setVisible(side is not None)
        self._answer.setVisible(side is not None)
        if side is None:
            self._title.set_text(self._letter)
            self._verdict.show_words(missing)
            self._facts.set_text("")
            self.pane.set_text("")
            return
        view, row = side.view, side.row
        memory = view.memory
        self._title.set_text(f"{self._letter}  {cell_words(memory.cell, with_revision=True)}")
        self._facts.set_text(_memory_words(side), "muted")
        self.pane.set_text(memory.retained_text or "")
        self._answer.show_words(f"Answer: {cell_text(answer_words(row.answer), _LONGEST)}" if row else "")
        self._verdict.show_words(_verdict_words(side))

    def show_options(self, options: ViewOptions) -> None:
        """Read as the other texts are read."""
        self.pane.set_reading_font(mono=options.mono, zoom=options.zoom)
        self.pane.set_invisibles(options.invisibles)


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
    repeat = f"repeat {side.view.repeat}" if side.view.repeat else ""
    generation = f"generation {memory.generation}" if memory.generation else ""
    return joined(("Memory", memory.id, text, tokens, status, generation, repeat))


def _verdict_words(side: ReadSide) -> str:
    row = side.row
    if row is None:
        return "The question is no longer in the database."
    why = cause_name(row.cause).capitalize()
    sentence = cause_sentence(row.cause, row.fate)
    fate = f"Evidence: {FATE_SENTENCES.get(row.fate, row.fate)}."
    rationale = row.verdict.rationale if row.verdict and row.verdict.rationale else ""
    told = [judged_words(row), f"{why}. {sentence}" if row.cause != "correct" else "", fate]
    if row.flags:
        told.append(", ".join(row.flags))
    if rationale:
        told.append(f"Judge: {cell_text(rationale, _LONGEST)}")
    return joined(told)
