"""The headline of the chosen cells: Micro and Macro, each beside its denominator, under both error policies.

Owns the sums over cells and their wording. Not owned: what counts, which is `core.metrics` and the store.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gacc_gui.core.causes import CAUSES, CORRECT
from gacc_gui.core.metrics import UnitCounts
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.plain import tooltip
from gacc_gui.gui.session import Session
from gacc_gui.gui.side.section import Elided, ThemedLabel
from gacc_gui.gui.theme import GRID, UI_POINTS, ui_font
from gacc_gui.store.rows import CellChoice

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

CHANNEL: Final = "headline"
_CORRECT: Final = CAUSES.index(CORRECT)


@dataclass(slots=True)
class Totals:
    """Sums over the units of some cells, in FORMATS.md's words."""

    goals: int = 0
    right_goals: int = 0
    complete_goals: int = 0
    questions: int = 0
    judged: int = 0
    correct: int = 0
    mended: dict[str, int] = field(default_factory=dict)
    """Per cause: units that would be all-right if that cause's rows were right."""


def totals_of(units: Iterable[UnitCounts]) -> Totals:
    """Add up units; those without questions count nowhere."""
    total = Totals()
    gained = [0] * len(CAUSES)
    for unit in units:
        if not unit.questions:
            continue
        total.goals += 1
        total.questions += unit.questions
        total.judged += unit.judged
        total.correct += unit.correct
        total.complete_goals += unit.judged == unit.questions
        if unit.correct == unit.questions:
            total.right_goals += 1
        else:
            lost = [place for place, rows in enumerate(unit.causes) if rows and place != _CORRECT]
            if len(lost) == 1:
                gained[lost[0]] += 1
    total.mended = {
        cause: total.right_goals + count
        for cause, count in zip(CAUSES, gained, strict=True)
        if cause != CORRECT
    }
    return total


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
        session.run_changed.connect(self._on_changed)
        session.choice_changed.connect(self._on_changed)
        session.data_changed.connect(self._on_changed)
        self.show_totals(None)

    def show_totals(self, total: Totals | None) -> None:
        """Show the figures; None while there is no run."""
        main, other = headline_words(total) if total else ("", "")
        self._main.setText(main)
        self._other.set_text(other, "muted")
        self.setToolTip(tooltip(f"{main}\n{other}" if main else ""))
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
        work = partial(_read_totals, run.run.id, self._session.choice)
        self._background.request(CHANNEL, work, self.show_totals)


def _read_totals(run_id: str, choice: CellChoice, reader: Reader) -> Totals:
    return totals_of(reader.unit_counts(run_id, choice))


def headline_words(total: Totals) -> tuple[str, str]:
    """The figures that the protocol counts (errors as wrong), and those without the errors."""
    missing = total.questions - total.judged
    without = f" ({missing:,} no verdict)" if missing else ""
    main = (
        f"Micro {_share(total.correct, total.questions)} {total.correct:,}/{total.questions:,}{without}"
        f" · Macro {_share(total.right_goals, total.goals)} {total.right_goals:,}/{total.goals:,}"
    )
    if not missing:
        return main, "every answer judged"
    other = (
        f"errors excluded: {_share(total.correct, total.judged)} {total.correct:,}/{total.judged:,}"
        f" · {_share(total.right_goals, total.complete_goals)} {total.right_goals:,}/{total.complete_goals:,}"
    )
    return main, other


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "–"
