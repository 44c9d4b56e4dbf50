"""The token ledger: one bar for the budget, one for the source, and the figures, declared and counted again.

Owns the painting and the comparison of figures. Not owned: counting (`side.recount`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from gacc_gui.core.errors import GaccError
from gacc_gui.core.records import Ledger, Memory
from gacc_gui.gui.lists.plain import tooltip
from gacc_gui.gui.side.recount import Counted
from gacc_gui.gui.side.section import Section, ThemedLabel, figure, number, remark
from gacc_gui.gui.theme import GRID, HALF, blend, current_theme
from gacc_gui.store.rows import UnitView

NO_LEDGER: Final = Ledger()


@dataclass(frozen=True, slots=True)
class BarFigures:
    """What the bar draws, in tokens."""

    budget: int
    retained: int
    tail: int
    source: int | None

    @property
    def unused(self) -> int:
        """What of the budget was not needed."""
        return max(0, self.budget - self.retained)

    @property
    def scale(self) -> int:
        """The tokens that the bar's whole width stands for."""
        return max(self.budget, self.retained + self.tail, 1)


def bar_figures(memory: Memory, counted: Counted | None) -> BarFigures | None:
    """The figures to draw: the declared ones, or where the file gives too few of them, those counted again.

    Never some of the one and some of the other: a wrong declared budget beside a right count is no bar. None
    where there are neither.
    """
    ledger = memory.ledger or NO_LEDGER
    budget, retained = memory.budget, ledger.retained_tokens
    proposed, source = ledger.proposed_tokens, ledger.source_tokens
    if counted is not None and (budget is None or retained is None):
        budget, retained = counted.tokens("budget"), counted.tokens("retained_tokens")
        proposed, source = counted.tokens("proposed_tokens"), counted.tokens("source_tokens")
    if budget is None or retained is None:
        return None
    tail = max(0, (retained if proposed is None else proposed) - retained)
    return BarFigures(max(0, budget), max(0, retained), tail, source)


class LedgerBar(QWidget):
    """Budget, retained, unused and tail to one scale; below it, thinner, the budget within the source."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ledgerBar")
        self._figures: BarFigures | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_figures(self, figures: BarFigures | None) -> None:
        """Draw these figures; None draws an empty bar."""
        self._figures = figures
        self.setToolTip(tooltip(self._words()))
        self.setAccessibleName(self._words())
        self.update()

    def _words(self) -> str:
        f = self._figures
        if f is None:
            return ""
        words = (
            f"budget {f.budget:,}, retained {f.retained:,}, unused {f.unused:,}, behind the cut {f.tail:,}"
        )
        return words if f.source is None else f"{words}; source {f.source:,} tokens"

    def sizeHint(self) -> QSize:
        """Two bars and the gap between them."""
        return QSize(24 * GRID, 3 * GRID + HALF)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint both bars."""
        theme = current_theme()
        painter = QPainter(self)
        width = float(self.width() - 1)
        main = QRectF(0.5, 2.5, width, 2 * GRID - 5)
        thin = QRectF(0.5, 2.5 * GRID, width, HALF)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.window)
        f = self._figures
        if f is None:
            painter.setPen(QPen(theme.border))
            painter.drawRect(main)
            return
        unit = width / f.scale
        kept = QRectF(main.left(), main.top(), f.retained * unit, main.height())
        painter.setBrush(blend(theme.base, theme.accent, 0.75))
        painter.drawRect(kept)
        if f.unused:
            spare = QRectF(kept.right(), main.top(), f.unused * unit, main.height())
            painter.setBrush(QBrush(theme.muted, Qt.BrushStyle.BDiagPattern))
            painter.drawRect(spare)
        if f.tail:
            tail = QRectF(kept.right(), main.top(), f.tail * unit, main.height())
            painter.setBrush(blend(theme.base, theme.cause_colour("truncation"), 0.55))
            painter.drawRect(tail)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.border))
        painter.drawRect(main)
        at = min(main.left() + f.budget * unit, main.right())
        painter.setPen(QPen(theme.cut_line, 2))
        painter.drawLine(int(at), 0, int(at), 2 * GRID)
        if f.source:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.border)
            painter.drawRect(thin)
            share = min(1.0, f.budget / f.source)
            painter.setBrush(theme.accent)
            painter.drawRect(QRectF(thin.left(), thin.top(), max(1.0, width * share), thin.height()))


ROWS: Final = (
    ("Source", "source_tokens"),
    ("Budget", "budget"),
    ("Proposed", "proposed_tokens"),
    ("Retained", "retained_tokens"),
    ("Unused", "unused_budget"),
    ("Tail", None),
    ("Re-encoded", "reencoded_tokens"),
    ("Padding", "padding_tokens"),
)


class LedgerSection(Section):
    """The bar and the table of figures of one memory."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Token ledger", parent)
        self._bar = LedgerBar(self)
        self._legend = remark(self)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(GRID)
        self._grid.setVerticalSpacing(1)
        self._grid.setColumnStretch(0, 1)
        self._remark = remark(self)
        self._labels: list[tuple[ThemedLabel, ThemedLabel, ThemedLabel]] = []
        self.body.addWidget(self._bar)
        self.body.addWidget(self._legend)
        self.body.addLayout(self._grid)
        self.body.addWidget(self._remark)
        self._grid.addWidget(figure(self, "declared", "muted"), 0, 1)
        self._grid.addWidget(figure(self, "recounted", "muted"), 0, 2)
        for row, (name, _) in enumerate(ROWS, start=1):
            label = ThemedLabel("text", self)
            label.setText(name)
            declared, counted, mark = figure(self), figure(self), ThemedLabel("error", self)
            mark.setMinimumWidth(GRID)
            for column, widget in enumerate((label, declared, counted, mark)):
                self._grid.addWidget(widget, row, column)
            self._labels.append((declared, counted, mark))
        self.show_unit(None)

    def show_unit(self, view: UnitView | None) -> None:
        """Show the declared figures; the recount follows."""
        self._show(view.memory if view else None, None, "Counting again…" if view else "")

    def show_recount(self, view: UnitView, counted: Counted | GaccError) -> None:
        """Show the figures counted again, and mark every disagreement."""
        if isinstance(counted, GaccError):
            self._show(view.memory, None, f"Recount unavailable: {counted}.")
            return
        differs = counted.agrees("retained_text") is False
        words = []
        if differs:
            words.append(
                f"The stored memory is not what the budget retains of the proposal ({counted.codec})."
            )
        if counted.is_foreign:
            words.append(
                f"Recounted with our verified {counted.codec}; the run's own tokenizer is not verified."
            )
        self._show(view.memory, counted, " ".join(words), is_error=differs and not counted.is_foreign)

    def _show(
        self, memory: Memory | None, counted: Counted | None, words: str, is_error: bool = False
    ) -> None:
        figures = bar_figures(memory, counted) if memory else None
        self._bar.show_figures(figures)
        self._legend.setText(_legend(figures))
        for (left, right, mark), (_, field) in zip(self._labels, ROWS, strict=True):
            one = _declared(memory, field) if memory else None
            other = _recomputed(counted, field) if counted else None
            differs = one is not None and other is not None and one != other
            left.setText(number(one))
            right.setText(number(other))
            mark.setText("≠" if differs else "")
            # With another tokenizer than the run's, a difference is worth a mark and accuses nobody.
            accused = differs and counted is not None and not counted.is_foreign
            right.set_role("error" if accused else "text")
            mark.set_role("error" if accused else "muted")
        self._remark.set_role("error" if is_error else "muted")
        self._remark.setText(words)
        self._remark.setVisible(bool(words))


def _legend(figures: BarFigures | None) -> str:
    if figures is None:
        return "No token counts to draw."
    share = f" · budget {_percent(figures.budget / figures.source)} of the source" if figures.source else ""
    return f"{figures.retained:,} of {figures.budget:,} used{share}"


def _percent(share: float) -> str:
    return f"{share * 100:.1f}".removesuffix(".0") + "\u00a0%"


def _declared(memory: Memory, field: str | None) -> int | None:
    ledger = memory.ledger or NO_LEDGER
    if field == "budget":
        return memory.budget
    if field is None:
        return _difference(ledger.proposed_tokens, ledger.retained_tokens)
    return getattr(ledger, field)


def _recomputed(counted: Counted, field: str | None) -> int | None:
    if field is None:
        return _difference(counted.tokens("proposed_tokens"), counted.tokens("retained_tokens"))
    return counted.tokens(field)


def _difference(proposed: int | None, retained: int | None) -> int | None:
    return None if proposed is None or retained is None else proposed - retained
