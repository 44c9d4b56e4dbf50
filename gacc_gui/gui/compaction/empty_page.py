"""What is said where there is nothing to show: the reason, and how a compaction run is made and loaded."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gacc_gui.gui.side.section import remark
from gacc_gui.gui.theme import GRID, mono_font

NO_RUN: Final = "No run is open. Open run files first."
OTHER_RUN: Final = (
    "This run is none of the compaction benchmark. Choose one in the inspector, or make one offline:"
)
LOADING: Final = "Reading the run …"
NO_CASES: Final = "This run has no cases."
COMMANDS: Final = """gacc-gui compaction select --dataset FILE --output SELECTION
gacc-gui compaction collect --scripted --dataset FILE --selection SELECTION --output CORPUS
gacc-gui compaction run --fixture --corpus CORPUS/corpus.json --tokenizer FILE --output RUN
gacc-gui import RUN"""


class EmptyPage(QWidget):
    """Says a sentence, and where it helps the commands."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = remark(self, role="text")
        self._sentence.setObjectName("compactionMessage")
        self._commands = remark(self, COMMANDS)
        self._commands.setFont(mono_font())
        self._commands.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(GRID, GRID, GRID, GRID)
        column.setSpacing(GRID)
        column.addWidget(self._sentence)
        column.addWidget(self._commands)
        column.addStretch(1)
        self.say(NO_RUN)

    def say(self, sentence: str) -> None:
        """Say this; a run of another benchmark, and none, with how to make one."""
        self._sentence.setText(sentence)
        self._commands.setVisible(sentence in (NO_RUN, OTHER_RUN))

    def text(self) -> str:
        """What it says."""
        commands = "" if self._commands.isHidden() else f"\n{self._commands.text()}"
        return f"{self._sentence.text()}{commands}"
