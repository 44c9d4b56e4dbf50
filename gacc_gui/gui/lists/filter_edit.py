"""The filter over goals and questions: what is typed becomes the session's query, or a mistake told.

Owns the delay, the sentence and the vocabulary's read. Not owned: the language, the list that is filtered.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.filter_line import FilterLine
from gacc_gui.gui.session import Session
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.store.rows import FilterVocabulary, RunSummary

if TYPE_CHECKING:
    from gacc_gui.core.filters import Query
    from gacc_gui.store.reads import Reader

_DELAY: Final = 30
"""Milliseconds after the last key before the list is asked for; a newer request interrupts the older one."""
_PATIENCE: Final = 400
"""Milliseconds after the last key before a first mistake is told: half a word is not yet one."""


class FilterEdit(QWidget):
    """The filter line with its sentence below. It speaks through the session alone.

    Signals: left(): the keyboard is to go to what is filtered.
    """

    left = Signal()

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._background = background
        self._vocabulary_of: str | None = None
        self._build_ui()
        self._connect()
        self._on_run_changed(session.run)

    @property
    def line(self) -> FilterLine:
        """The line itself: `filterEdit` by name."""
        return self._line

    @property
    def sentence(self) -> str:
        """What is said about a mistake; empty where there is none."""
        return self._sentence.text()

    def apply_now(self) -> None:
        """Filter with what stands in the line, without waiting; on a mistake the list stays."""
        self._apply(patient=False)

    def _apply(self, *, patient: bool) -> None:
        from gacc_gui.core.filters import FilterError, parse

        self._soon.stop()
        self._late.stop()
        try:
            query = parse(self._line.text())
        except FilterError as error:
            if patient and self._line.is_unfinished(error.position, error.length):
                # Half a word is not yet a mistake; the popup would stand over the sentence, too.
                self._line.clear_mistake()
                self._say("")
                return
            if patient and not self.sentence:
                self._late.start()
                return
            self._line.mark_mistake(error.position, error.length)
            self._say(error.message)
            return
        self._line.clear_mistake()
        self._say("")
        self._session.set_query(query)

    def _on_soon(self) -> None:
        self._apply(patient=True)

    def _build_ui(self) -> None:
        self._line = FilterLine(self)
        self._sentence = ThemedLabel("error", self)
        self._sentence.setObjectName("filterMistake")
        self._sentence.setContentsMargins(2, 0, 2, 0)
        self._sentence.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._line)
        layout.addWidget(self._sentence)
        self.setFocusProxy(self._line)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_DELAY)
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(_PATIENCE - _DELAY)

    def _connect(self) -> None:
        self._line.textChanged.connect(self._on_text_changed)
        self._line.returnPressed.connect(self._on_return)
        self._line.editingFinished.connect(self._on_edited)
        self._line.left.connect(self._on_left)
        self._soon.timeout.connect(self._on_soon)
        self._late.timeout.connect(self.apply_now)
        self._session.query_changed.connect(self._on_query_changed)
        self._session.run_changed.connect(self._on_run_changed)
        self._session.data_changed.connect(self._on_data_changed)

    def _say(self, sentence: str) -> None:
        text = sentence[:1].upper() + sentence[1:]
        if text and text[-1] not in ".?!…":
            text += "."
        self._sentence.setText(text)
        self._sentence.setVisible(bool(text))
        self._line.setAccessibleDescription(text)

    def _on_text_changed(self, text: str) -> None:
        self._late.stop()
        self._soon.start()

    def _on_return(self) -> None:
        self.apply_now()
        if not self.sentence:
            self.left.emit()

    def _on_edited(self) -> None:
        # Whoever goes elsewhere has finished the word.
        if self._line.text() != self._session.query.text:
            self.apply_now()

    def _on_left(self) -> None:
        self.apply_now()
        self.left.emit()

    def _on_query_changed(self, query: Query) -> None:
        if query.text != self._line.text():
            self._line.blockSignals(True)
            self._line.setText(query.text)
            self._line.blockSignals(False)
            self._soon.stop()
            self._late.stop()
            self._line.clear_mistake()
            self._say("")

    def _on_run_changed(self, run: RunSummary | None) -> None:
        run_id = run.run.id if run else None
        self._line.show_terms(self._session.terms)
        if run_id != self._vocabulary_of:
            self._vocabulary_of = run_id
            self._line.set_vocabulary(None)
            self._read_vocabulary()

    def _on_data_changed(self) -> None:
        self._read_vocabulary()

    def _read_vocabulary(self) -> None:
        if self._vocabulary_of is None:
            self._background.forget("filter.vocabulary")
            return
        work = partial(_read_vocabulary, self._vocabulary_of)
        # Without a vocabulary the language's own words complete: no reason to tell anybody.
        self._background.request("filter.vocabulary", work, self._on_vocabulary, self._on_no_vocabulary)

    def _on_vocabulary(self, vocabulary: FilterVocabulary) -> None:
        self._line.set_vocabulary(vocabulary)

    def _on_no_vocabulary(self, error: GaccError) -> None:
        self._line.set_vocabulary(None)


def _read_vocabulary(run_id: str, reader: Reader) -> FilterVocabulary:
    return reader.vocabulary(run_id)
