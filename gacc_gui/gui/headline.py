"""The headline of the chosen cells: Micro and Macro, each beside its denominator, under both error policies.

Owns the wording. Not owned: what counts, which is the store's (`Reader.totals`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.plain import tooltip
from gacc_gui.gui.lists.words import COMPACTION, counted, joined, share_words
from gacc_gui.gui.session import Session
from gacc_gui.gui.side.section import Elided, ThemedLabel
from gacc_gui.gui.theme import GRID, UI_POINTS, ui_font
from gacc_gui.store.rows import CellChoice, Totals

if TYPE_CHECKING:
    from gacc_gui.core.records import Run
    from gacc_gui.store.reads import Reader

CHANNEL: Final = "headline"


class Headline(QWidget):
    """Micro and Macro of the chosen cells. Signals: totals_read(Totals | None)."""

    totals_read = Signal(object)

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("headline")
        self._session = session
        self._background = background
        self._main = ThemedLabel("text", self)
        self._main.setFont(ui_font(UI_POINTS + 1))
        self._main.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._other = Elided(self, at_end=True)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * GRID)
        layout.addWidget(self._main)
        layout.addWidget(self._other, 1)
        self.totals: Totals | None = None
        session.run_changed.connect(self._on_changed)
        session.choice_changed.connect(self._on_changed)
        session.data_changed.connect(self._on_changed)
        self.show_totals(None)

    def show_totals(self, total: Totals | None, planned: int | None = None) -> None:
        """Show the figures; None while there is no run. `planned`: the answers of a compaction run."""
        if total is None:
            main, other = "", ""
        elif planned is None:
            main, other = headline_words(total)
        else:
            main, other = case_words(total, planned)
        self._main.setText(main)
        self._other.set_text(other, "muted")
        self.setToolTip(tooltip(f"{main}\n{other}" if main else ""))
        self.totals = total
        self.totals_read.emit(total)

    def text(self) -> str:
        """What it says."""
        return f"{self._main.text()} {self._other.text()}".strip()

    def _on_changed(self, _value: object = None) -> None:
        run = self._session.run
        if run is None:
            self._background.forget(CHANNEL)
            self.show_totals(None)
            return
        work = partial(_read_totals, run.run, self._session.choice)
        self._background.request(CHANNEL, work, self._on_read)

    def _on_read(self, found: tuple[Totals, int | None]) -> None:
        self.show_totals(*found)


def _read_totals(run: Run, choice: CellChoice, reader: Reader) -> tuple[Totals, int | None]:
    planned = None
    if run.protocol == COMPACTION:
        from gacc_gui.app.compaction_viewing import planned_answers

        planned = planned_answers(run, choice.compressor)
    return reader.totals(run.id, choice), planned


def case_words(total: Totals, planned: int) -> tuple[str, str]:
    """The figures of a compaction run's cells: a case has one question, so that Micro and Macro are its EM.

    A context that failed has fewer rows than answers were planned from it: all of them count.
    """
    failed = max(0, planned - total.judged)
    told = f"{failed:,} failed or not there: they count zero" if failed else "every answer scored"
    return f"EM {share_words(total.correct, planned)} {total.correct:,}/{planned:,}", told if planned else ""


def headline_words(total: Totals) -> tuple[str, str]:
    """The figures that the protocol counts (errors as wrong), and what else is to be known of them."""
    missing = total.questions - total.judged
    without = f" ({missing:,} no verdict)" if missing else ""
    main = (
        f"Micro {share_words(total.correct, total.questions)} {total.correct:,}/{total.questions:,}{without}"
        f" · Macro {share_words(total.right_goals, total.goals)} {total.right_goals:,}/{total.goals:,}"
    )
    unseen = f"{counted(total.missing_goals, 'goal')} not evaluated" if total.missing_goals else ""
    if not missing:
        return main, joined((unseen, "every answer judged" if total.questions else ""))
    other = (
        f"errors excluded: {share_words(total.correct, total.judged)} {total.correct:,}/{total.judged:,}"
        f" · {share_words(total.right_goals, total.complete_goals)}"
        f" {total.right_goals:,}/{total.complete_goals:,}"
    )
    return main, joined((unseen, other))
