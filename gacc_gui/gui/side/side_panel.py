"""The side panel: ledger, boundary, what if, mended causes, identities, one below the other.

Owns what is asked of the worker for them. Each section shows what it is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from gacc_gui.core.errors import CodecUnavailable, GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.session import Session
from gacc_gui.gui.side.boundary_facts import BoundarySection
from gacc_gui.gui.side.identities import IdentitySection, identity_reason
from gacc_gui.gui.side.ledger import LedgerSection
from gacc_gui.gui.side.mended import MendedSection
from gacc_gui.gui.side.recount import Counted, codec_of, recount
from gacc_gui.gui.side.what_if import WhatIfSection
from gacc_gui.gui.theme import GRID
from gacc_gui.store.rows import RunSummary, Totals, UnitView

if TYPE_CHECKING:
    from gacc_gui.core.survival import SurvivalCurve
    from gacc_gui.store.reads import Reader

COUNT: Final = "side.count"
CURVE: Final = "side.curve"
REASON: Final = "side.reason"
NARROWEST: Final = 26 * GRID
WIDEST_NEED: Final = 44 * GRID
"""Figures of a damaged file may be longer than any window is wide."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What was found for a unit, with the unit, as another may be shown by then."""

    view: UnitView
    found: Counted | SurvivalCurve | GaccError


class SidePanel(QScrollArea):
    """Everything about the shown unit's memory that is a figure and not a text."""

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidePanel")
        self._session = session
        self._background = background
        self._wants_reason = False
        self._build_ui()
        self._connect()
        self._on_run_changed(session.run)
        self._on_unit_loaded(session.unit)

    def _build_ui(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        holder = self._holder = QWidget(self)
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(2 * GRID)
        self.ledger = LedgerSection(holder)
        self.boundary = BoundarySection(holder)
        self.what_if = WhatIfSection(holder)
        self.mended = MendedSection(holder)
        self.identity = IdentitySection(holder)
        for section in (self.ledger, self.boundary, self.what_if, self.mended, self.identity):
            layout.addWidget(section)
        layout.addStretch(1)
        self.setWidget(holder)

    def _connect(self) -> None:
        session = self._session
        session.run_changed.connect(self._on_run_changed)
        session.unit_loaded.connect(self._on_unit_loaded)
        session.question_chosen.connect(self.what_if.show_question)
        self.what_if.question_chosen.connect(session.choose_question)

    def show_totals(self, totals: Totals | None) -> None:
        """Show what mending each cause would do to the chosen cells; None: there are no figures to show."""
        self.mended.setVisible(totals is not None)
        if totals is None:
            self.mended.show_mended({}, 0, 0)
        else:
            counts = totals.mended, totals.right_goals, totals.goals
            self.mended.show_mended(*counts, self._session.terms)

    def _on_run_changed(self, summary: RunSummary | None) -> None:
        self.identity.show_run(summary)
        # Where no budget cuts what was proposed, there is none to try.
        self.what_if.setVisible(self._session.terms.by_budget)
        self._wants_reason = summary is not None

    def _on_unit_loaded(self, view: UnitView | None) -> None:
        for section in (self.ledger, self.boundary, self.what_if, self.identity):
            section.show_unit(view)
        if view is None or self._background.path is None:
            self._background.forget(COUNT)
            self._background.forget(CURVE)
            return
        self._background.request(CURVE, partial(_curve, view), self._on_curve)
        self._background.request(COUNT, partial(_count, view), self._on_counted)
        if self._wants_reason and self._session.run is not None:
            # Not with the run: loading a vocabulary would hold up the first list of goals.
            self._wants_reason = False
            work = partial(_reason, self._session.run)
            self._background.request(REASON, work, self.identity.show_reason)

    def _on_counted(self, answer: _Answer) -> None:
        if answer.view is self._session.unit and isinstance(answer.found, Counted | GaccError):
            self.ledger.show_recount(answer.view, answer.found)

    def _on_curve(self, answer: _Answer) -> None:
        if answer.view is self._session.unit and not isinstance(answer.found, Counted):
            self.what_if.show_curve(answer.found)
            self.what_if.show_question(self._session.question)

    def sizeHint(self) -> QSize:
        """As wide as its figures need."""
        return QSize(36 * GRID, 80 * GRID)

    def minimumSizeHint(self) -> QSize:
        """Narrower than that, texts wrap and lists elide, as far as the ledger's figures have room."""
        needed = self._holder.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(max(NARROWEST, min(needed, WIDEST_NEED)), 20 * GRID)


def _reason(summary: RunSummary, _reader: Reader) -> str:
    return identity_reason(summary.run)


def _count(view: UnitView, _reader: Reader) -> _Answer:
    return _Answer(view, recount(view.run, view.memory, view.context))


def _curve(view: UnitView, _reader: Reader) -> _Answer:
    return _Answer(view, _curve_of(view))


def _curve_of(view: UnitView) -> SurvivalCurve | GaccError:
    from gacc_gui.core.analysis import Source
    from gacc_gui.core.survival import SurvivalCurve

    if view.memory.proposed_text is None:
        return CodecUnavailable("the compressor proposed nothing")
    try:
        source = Source(view.context.text)
        pieces = [source.pieces(row.question) for row in view.rows]
        return SurvivalCurve(codec_of(view.run), view.memory.proposed_text, pieces)
    except GaccError as error:
        return error
