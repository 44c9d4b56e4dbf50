"""Answer inputs against the ceiling: what is fixed, what evidence takes, the reserve, the provider's count.

Owns the painting and the words of one bar, and the page with all bars of a case. No figure is made here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from gacc_gui.app.compaction_views import CaseView, ContextView
from gacc_gui.core.compaction import FULL
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.words import joined
from gacc_gui.gui.side.section import Remark, remark
from gacc_gui.gui.theme import GRID, HALF, blend, current_theme
from gacc_gui.gui.themed_label import ThemedLabel

BAR: Final = 2 * GRID
LEGEND: Final = (
    ("fixed", "task, question and form"),
    ("evidence", "evidence"),
    ("reserve", "reserve"),
    ("ceiling", "ceiling, for all but full"),
    ("provider", "the provider's own count"),
)


@dataclass(frozen=True, slots=True)
class Budget:
    """The tokens of one answer input. `space`: what the evidence may take, None for `full`.

    `provider` is the largest count that the service told of its answers; None where it told none.
    """

    fixed: int
    local: int
    reserve: int
    ceiling: int
    space: int | None
    provider: int | None

    @property
    def has_ceiling(self) -> bool:
        """Whether the ceiling is one for it."""
        return self.space is not None

    @property
    def evidence(self) -> int:
        """What is not fixed."""
        return max(0, self.local - self.fixed)

    @property
    def is_over(self) -> bool:
        """Whether the provider counted more than the ceiling, which invalidates it."""
        return self.has_ceiling and self.provider is not None and self.provider > self.ceiling

    @property
    def is_over_locally(self) -> bool:
        """Whether local count and reserve exceed the ceiling, which no compressed context may."""
        return self.has_ceiling and self.local + self.reserve > self.ceiling


def budget_of(case: CaseView, context: ContextView) -> Budget | None:
    """The budget of a context; None where it was not made: what was tried in vain is no input."""
    sent = context.sent
    if sent is None or context.has_failed:
        return None
    told = [
        answer.provider_tokens
        for answer in case.answers_of(context.method)
        if answer.cell.generation == context.generation and answer.provider_tokens is not None
    ]
    tokens = sent.tokens
    space = None if context.method == FULL else tokens.space
    return Budget(
        tokens.fixed,
        tokens.local,
        tokens.reserve,
        tokens.ceiling,
        space,
        max(told, default=tokens.provider),
    )


def budget_words(budget: Budget | None) -> str:
    """A budget in a line: the local count with the reserve against the ceiling, the space, the provider's."""
    if budget is None:
        return "no context, no input"
    if budget.provider is None:
        provider = "provider's count not told"
    else:
        over = f" > {budget.ceiling:,}: invalid" if budget.is_over else ""
        provider = f"provider {budget.provider:,}{over}"
    if not budget.has_ceiling:
        return joined((f"local {budget.local:,}, no ceiling for it", provider))
    sign = ">" if budget.is_over_locally else "≤"
    local = f"local {budget.local:,} + {budget.reserve:,} {sign} {budget.ceiling:,}"
    space = "" if budget.space is None else f"evidence {budget.evidence:,} of {budget.space:,}"
    return joined((local, space, provider))


class BudgetBar(QWidget):
    """One bar. `scale` is what its whole width stands for, so that several can be compared."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("budgetBar")
        self._budget: Budget | None = None
        self._scale = 1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_budget(self, budget: Budget | None, scale: int | None = None) -> None:
        """Draw a budget; None draws an empty bar."""
        self._budget = budget
        self._scale = max(1, scale if scale is not None else scale_of(budget))
        words = budget_words(budget)
        self.setToolTip(tooltip(words))
        self.setAccessibleName(words)
        self.update()

    def sizeHint(self) -> QSize:
        """A bar with room for the marks above it."""
        return QSize(20 * GRID, BAR + HALF)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar, then ceiling and provider's count over it."""
        theme = current_theme()
        painter = QPainter(self)
        whole = QRectF(0.5, HALF + 0.5, self.width() - 1.0, BAR - 3.0)
        painter.setPen(QPen(theme.border))
        painter.setBrush(theme.base)
        painter.drawRect(whole)
        budget = self._budget
        if budget is None:
            return
        unit = whole.width() / self._scale
        is_wrong = budget.is_over or budget.is_over_locally
        fixed = min(budget.fixed, budget.local)
        reserve = budget.reserve if budget.has_ceiling else 0
        painter.setPen(Qt.PenStyle.NoPen)
        for part, start, length in (
            ("fixed", 0, fixed),
            ("wrong" if is_wrong else "evidence", fixed, budget.evidence),
            ("reserve", budget.local, reserve),
        ):
            painter.setBrush(_brush(part))
            painter.drawRect(QRectF(whole.left() + start * unit, whole.top(), length * unit, whole.height()))
        _paint_ceiling(painter, whole.left() + budget.ceiling * unit, self.height(), budget.has_ceiling)
        if budget.provider is not None:
            _paint_provider(painter, whole.left() + budget.provider * unit, self.height(), budget.is_over)


def _brush(part: str) -> QBrush:
    theme = current_theme()
    if part == "reserve":
        return QBrush(theme.muted, Qt.BrushStyle.BDiagPattern)
    colour = {"fixed": theme.muted, "evidence": theme.accent, "wrong": theme.error}[part]
    return QBrush(blend(theme.base, colour, 0.75))


def _paint_ceiling(painter: QPainter, x: float, height: int, binding: bool) -> None:
    theme = current_theme()
    painter.setPen(QPen(theme.cut_line, 2) if binding else QPen(theme.muted, 1, Qt.PenStyle.DashLine))
    painter.drawLine(QPointF(x, 0), QPointF(x, height))


def _paint_provider(painter: QPainter, x: float, height: int, is_over: bool) -> None:
    theme = current_theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.error if is_over else theme.text)
    painter.drawPolygon(QPolygonF((QPointF(x - HALF, 0), QPointF(x + HALF, 0), QPointF(x, HALF + 2))))
    painter.drawRect(QRectF(x - 0.5, 0, 1, height))


class BarLegend(QWidget):
    """What the parts of a bar stand for, in as many lines as the width asks for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(", ".join(words for _, words in LEGEND))

    def _places(self) -> list[tuple[str, str, QRectF]]:
        places, left, top = [], 0.0, 0.0
        for part, words in LEGEND:
            need = BAR + HALF + self.fontMetrics().horizontalAdvance(words)
            if left and left + need > self.width():
                left, top = 0.0, top + BAR + HALF
            places.append((part, words, QRectF(left, top, need, BAR)))
            left += need + 2 * GRID
        return places

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Narrower is higher."""
        super().resizeEvent(event)
        self.setFixedHeight(round(self._places()[-1][2].bottom()) + 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a sample and its name for each part."""
        painter = QPainter(self)
        metrics = self.fontMetrics()
        for part, words, rect in self._places():
            painter.save()
            painter.translate(rect.topLeft())
            if part == "ceiling":
                _paint_ceiling(painter, BAR / 2, BAR, binding=True)
            elif part == "provider":
                _paint_provider(painter, BAR / 2, BAR, is_over=False)
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(_brush(part))
                painter.drawRect(QRectF(0, 2, BAR, BAR - 4))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(current_theme().muted)
            baseline = (BAR + metrics.ascent() - metrics.descent()) // 2
            painter.drawText(BAR + HALF, baseline, words)
            painter.restore()


def scale_of(*budgets: Budget | None) -> int:
    """Tokens that bars of these budgets need, with a little air."""
    most = [max(b.local + b.reserve, b.ceiling, b.provider or 0) for b in budgets if b is not None]
    return round(1.04 * max(most, default=1)) + 1


class BudgetsPage(QScrollArea):
    """All contexts of a case as bars of one scale."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compactionBudgets")
        self.setAccessibleName("Budgets of the case")
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(self)
        self._words = remark(page)
        self._legend = BarLegend(page)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(HALF)
        self._grid.setColumnStretch(1, 1)
        column = QVBoxLayout(page)
        column.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        column.setSpacing(GRID)
        column.addWidget(self._words)
        column.addLayout(self._grid)
        column.addWidget(self._legend)
        column.addStretch(1)
        self.setWidget(page)
        self._rows: list[tuple[ThemedLabel, BudgetBar, Remark]] = []

    def show_case(self, case: CaseView | None) -> None:
        """Show the bars of a case's contexts."""
        contexts = case.contexts if case is not None else ()
        budgets = [budget_of(case, context) for context in contexts] if case is not None else []
        scale = scale_of(*budgets)
        while len(self._rows) < len(contexts):
            self._add_row()
        for number, row in enumerate(self._rows):
            for part in row:
                part.setVisible(number < len(contexts))
        for (name, bar, words), context, budget in zip(self._rows, contexts, budgets, strict=False):
            name.setText(f"{cell_text(context.method, 40)} · gen {context.generation}")
            bar.show_budget(budget, scale)
            # A line breaks between figures, not within one.
            words.setText(budget_words(budget).replace(" ", "\u00a0").replace("\u00a0·\u00a0", "\u00a0· "))
            is_wrong = budget is not None and (budget.is_over or budget.is_over_locally)
            words.set_role("error" if is_wrong else "muted")
        told = "The complete answer input of each context, in tokens of the local tokenizer."
        self._words.setText(told if contexts else "Choose a case in the list: its budgets are shown here.")
        self._legend.setVisible(bool(contexts))

    def _add_row(self) -> None:
        page = self.widget()
        name, bar, words = ThemedLabel("text", page), BudgetBar(page), remark(page)
        row = 2 * len(self._rows)
        self._grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignVCenter)
        self._grid.addWidget(bar, row, 1)
        self._grid.addWidget(words, row + 1, 1)
        self._rows.append((name, bar, words))
