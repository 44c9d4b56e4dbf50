"""The headline of the chosen cells: Micro and Macro, each beside its denominator, under both error policies.

Once reviewers have decided on rows of the run, the figures as reviewed stand below those as judged. Owns the
wording. Not owned: what counts, which is the store's (`Reader.totals`) and `app.reviewing`'s.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gacc_gui.core.causes import VEIL
from gacc_gui.core.terms import CASES, GOALS, terms_of
from gacc_gui.gui.background import Background
from gacc_gui.gui.folded_label import FoldedLabel
from gacc_gui.gui.lists.plain import tooltip
from gacc_gui.gui.lists.words import counted, joined, share_words
from gacc_gui.gui.session import Session
from gacc_gui.gui.side.section import Elided, ThemedLabel
from gacc_gui.gui.theme import GRID, UI_POINTS, ui_font
from gacc_gui.store.rows import CellChoice, Totals

if TYPE_CHECKING:
    from gacc_gui.app.reviewing import Reviewed
    from gacc_gui.core.records import Run
    from gacc_gui.gui.veil import Veil
    from gacc_gui.store.reads import Reader

CHANNEL: Final = "headline"
REVIEWED_CHANNEL: Final = "headline.reviewed"
AS_REVIEWED: Final = "As reviewed"
HIDDEN_EM: Final = f"{CASES.micro} {VEIL}"
HIDDEN: Final = "hidden until you have decided on every answer that it counts"


class Headline(QWidget):
    """Micro and Macro of the chosen cells.

    Signals: totals_read(Totals | None), as judged; said(lines): what it says, one line or two.
    """

    totals_read = Signal(object)
    said = Signal(object)

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("headline")
        self._session = session
        self._background = background
        self._main = ThemedLabel("text", self)
        self._main.setFont(ui_font(UI_POINTS + 1))
        self._main.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._other = Elided(self, at_end=True)
        self._reviewed = FoldedLabel("text", self)
        self._reviewed.setObjectName("headlineReviewed")
        self._reviewed.setFont(ui_font(UI_POINTS + 1))
        judged = QHBoxLayout()
        judged.setSpacing(2 * GRID)
        judged.addWidget(self._main)
        judged.addWidget(self._other, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(judged)
        layout.addWidget(self._reviewed)
        self.totals: Totals | None = None
        self._words = ""
        self._planned: int | None = None
        self._whole: tuple[Totals | None, int | None] = None, None
        """What was read, hidden or not."""
        self._is_hidden = False
        session.run_changed.connect(self._on_changed)
        session.choice_changed.connect(self._on_changed)
        session.data_changed.connect(self._on_changed)
        session.reviewed_changed.connect(self._read_reviewed)
        session.veil_changed.connect(self._on_veil)
        self.show_totals(None)

    def show_totals(self, total: Totals | None, planned: int | None = None) -> None:
        """Show the figures; None while there is no run. `planned`: the answers of a compaction run.

        Of a compaction run they are hidden where an answer is, as those of its methods (`gui.veil`).
        """
        if total is None:
            main, other = "", ""
        elif planned is None:
            main, other = headline_words(total)
        else:
            main, other = case_words(total, planned)
        self._whole = total, planned
        self._is_hidden = planned is not None and self._session.veil.is_over(self._session.choice)
        if self._is_hidden:
            main, other, total = HIDDEN_EM, HIDDEN, None
        self._words, self._planned = main, planned
        self._other.set_text(other, "muted")
        self.totals = total
        self.totals_read.emit(total)
        self._read_reviewed()

    def text(self) -> str:
        """What it says of the figures as judged."""
        return f"{self._main.text()} {self._other.text()}".strip()

    def reviewed_text(self) -> str:
        """What it says of the figures as reviewed; empty where nothing was."""
        return self._reviewed.words()

    def show_reviewed(self, total: Totals | None) -> None:
        """Show the figures as reviewed beside those as judged; None where nobody has decided anything."""
        words = ""
        if total is not None:
            words = reviewed_words(total, self._session.reviewed, self._session.choice, self._planned)
        self._main.setText(f"As {self._session.terms.judged} {self._words}" if words else self._words)
        self._reviewed.show_groups(words)
        self._reviewed.setVisible(bool(words))
        told = [self._main.text(), self._other.text(), words]
        self.setToolTip(tooltip("\n".join(line for line in told if line) if self._words else ""))
        self.said.emit(self.lines())

    def lines(self) -> list[str]:
        """The figures as judged and, where there are any, as reviewed, without what is said beside them."""
        return [line for line in (self._main.text(), self._reviewed.words()) if line]

    def _read_reviewed(self, _value: object = None) -> None:
        run, reviewed, total = self._session.run, self._session.reviewed, self.totals
        if run is None or total is None or not (reviewed and reviewed.rows):
            self._background.forget(REVIEWED_CHANNEL)
            self.show_reviewed(None)
            return
        work = partial(_reviewed_totals, run.run.id, self._session.choice, reviewed, total)
        self._background.request(REVIEWED_CHANNEL, work, self.show_reviewed)

    def _on_changed(self, _value: object = None) -> None:
        run = self._session.run
        if run is None:
            self._background.forget(CHANNEL)
            self.show_totals(None)
            return
        work = partial(_read_totals, run.run, self._session.choice)
        self._background.request(CHANNEL, work, self._on_read)

    def _on_veil(self, veil: Veil) -> None:
        total, planned = self._whole
        if planned is not None and veil.is_over(self._session.choice) != self._is_hidden:
            self.show_totals(total, planned)

    def _on_read(self, found: tuple[Totals, int | None]) -> None:
        self.show_totals(*found)


def _read_totals(run: Run, choice: CellChoice, reader: Reader) -> tuple[Totals, int | None]:
    planned = None
    if terms_of(run.protocol).one_question:
        from gacc_gui.app.compaction_viewing import planned_answers

        planned = planned_answers(run, choice.compressor)
    return reader.totals(run.id, choice), planned


def _reviewed_totals(
    run_id: str, choice: CellChoice, reviewed: Reviewed, total: Totals, reader: Reader
) -> Totals:
    from gacc_gui.app.reviewing import totals_with

    return totals_with(reader, run_id, choice, reviewed, total)


def reviewed_words(
    total: Totals, reviewed: Reviewed | None, choice: CellChoice, planned: int | None = None
) -> str:
    """The figures as reviewed, with the number of rows of these cells that reviewers have decided on.

    `planned`: the answers of a compaction run.
    """
    rows = [row for row in reviewed.rows if choice.includes(row.judged.cell)] if reviewed else []
    if not rows:
        return ""
    conflicts = sum(row.standing.conflict for row in rows)
    main, _ = headline_words(total) if planned is None else case_words(total, planned)
    told = f"{conflicts:,} in conflict" if conflicts else ""
    named = counted(len(rows), (GOALS if planned is None else CASES).row)
    return joined((f"{AS_REVIEWED} {main}", f"{named} reviewed", told))


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
