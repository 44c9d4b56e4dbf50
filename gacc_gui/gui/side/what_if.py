"""“What if L = …”: which questions' evidence the stored proposal would retain under another budget.

Owns the slider and its list. Not owned: the curve itself (`core.survival`), which a worker makes. It is
evidence survival and never accuracy: under another budget the compressor might have written something else.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QSlider,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gacc_gui.core.boundary import boundary_at
from gacc_gui.core.errors import GaccError
from gacc_gui.core.survival import SurvivalCurve
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.words import FATE_SENTENCES
from gacc_gui.gui.side.boundary_facts import cut_words
from gacc_gui.gui.side.section import Section, number, remark
from gacc_gui.gui.theme import GRID, HALF, current_theme
from gacc_gui.gui.tree_items import top_items
from gacc_gui.store.rows import UnitView

CAPTION: Final = "Evidence survival, not accuracy: the compressor knew its budget."
ROWS_SHOWN: Final = 10
COLUMNS: Final = ("Question", "At L′", "Needs L′")


class WhatIfSection(Section):
    """The budget slider. Signals: question_chosen(question id), budget_tried(int).

    cut_tried(int | None): code points of the proposal that the budget tried would retain; None where it is
    the memory's own, or there is no other cut to show.
    """

    question_chosen = Signal(object)
    budget_tried = Signal(object)
    cut_tried = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("What if", parent)
        self._view: UnitView | None = None
        self._curve: SurvivalCurve | None = None
        self._build_ui()
        self._connect()
        self.show_unit(None)

    def _build_ui(self) -> None:
        self._slider = QSlider(Qt.Orientation.Horizontal, self)
        self._slider.setObjectName("budgetSlider")
        self._slider.setAccessibleName("Budget to try, in tokens")
        self._all = QToolButton(self)
        self._all.setText("All")
        self._all.setToolTip("The smallest budget at which all evidence survives")
        self._reset = QToolButton(self)
        self._reset.setText("Reset")
        self._reset.setToolTip("Back to the budget of this memory")
        for button in (self._all, self._reset):
            button.setAutoRaise(True)
            self.head.addWidget(button)
        self._words = remark(self, role="text")
        self._cut = remark(self)
        self._list = QTreeWidget(self)
        self._list.setObjectName("survivalList")
        self._list.setAccessibleName("Survival of each question's evidence")
        self._list.setHeaderLabels(list(COLUMNS))
        self._list.setRootIsDecorated(False)
        self._list.setUniformRowHeights(True)
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self._list.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(4 * GRID)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self._list.headerItem().setTextAlignment(2, Qt.AlignmentFlag.AlignRight)
        self._list.setToolTip("Double-click a question to try the smallest budget that it needs")
        self.body.addWidget(self._slider)
        for widget in (self._words, self._cut, self._list, remark(self, CAPTION)):
            self.body.addWidget(widget)

    def _connect(self) -> None:
        self._slider.valueChanged.connect(self._on_moved)
        self._reset.clicked.connect(self.reset)
        self._all.clicked.connect(self._on_all)
        self._list.itemActivated.connect(self._on_activated)
        self._list.itemClicked.connect(self._on_clicked)

    @property
    def slider(self) -> QSlider:
        """The slider."""
        return self._slider

    def show_unit(self, view: UnitView | None) -> None:
        """Show a unit whose curve is still being made."""
        self._view = view
        self._curve = None
        self._list.clear()
        self._fit_list()
        self._set_enabled(False)
        self._heading.setText("What if L′ = …")
        self._words.setText("Looking for the evidence…" if view else "Choose a goal first.")
        self._cut.hide()

    def show_curve(self, curve: SurvivalCurve | GaccError) -> None:
        """Show the curve of the unit, at its own budget; or why there is none."""
        view = self._view
        if view is None:
            return
        if isinstance(curve, GaccError):
            self._words.setText(f"Unavailable: {curve}.")
            return
        self._curve = curve
        blocker = QSignalBlocker(self._slider)
        self._slider.setRange(0, max(curve.tokens, self._own_budget(), 1))
        self._slider.setSingleStep(1)
        self._slider.setPageStep(max(1, self._slider.maximum() // 20))
        blocker.unblock()
        self._fill(view, curve)
        self._set_enabled(True)
        self._all.setEnabled(curve.smallest_budget_for_all() is not None)
        self.reset()

    def show_question(self, question_id: str | None) -> None:
        """Mark the chosen question's line."""
        blocker = QSignalBlocker(self._list)
        self._list.setCurrentIndex(QModelIndex())
        for item in top_items(self._list):
            if item.data(0, Qt.ItemDataRole.UserRole) == question_id:
                self._list.setCurrentItem(item)
        blocker.unblock()

    def reset(self) -> None:
        """Go back to the memory's own budget."""
        self._slider.setValue(self._own_budget())
        self._recompute()

    def _own_budget(self) -> int:
        view = self._view
        budget = view.memory.budget if view else None
        return max(0, budget) if budget is not None else self._curve.tokens if self._curve else 0

    def _set_enabled(self, enabled: bool) -> None:
        for widget in (self._slider, self._reset, self._all):
            widget.setEnabled(enabled)

    def _fill(self, view: UnitView, curve: SurvivalCurve) -> None:
        self._list.clear()
        for place, (row, needed) in enumerate(zip(view.rows, curve.smallest_budgets(), strict=True), 1):
            item = QTreeWidgetItem([f"{place}  {cell_text(row.question.text, 200)}", "", number(needed)])
            item.setData(0, Qt.ItemDataRole.UserRole, row.question.id)
            item.setData(2, Qt.ItemDataRole.UserRole, needed)
            item.setToolTip(0, tooltip(row.question.text))
            item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._list.addTopLevelItem(item)
        self._fit_list()

    def _fit_list(self) -> None:
        rows = self._list.topLevelItemCount()
        height = self._list.sizeHintForRow(0) if rows else 0
        header = self._list.header().sizeHint().height()
        self._list.setFixedHeight(header + min(rows, ROWS_SHOWN) * height + HALF)
        self._list.setVisible(rows > 0)

    def _recompute(self) -> None:
        view, curve = self._view, self._curve
        if view is None or curve is None:
            return
        budget = self._slider.value()
        survival = curve.at(budget)
        self._heading.setText(f"What if L′ = {budget:,}")
        self._reset.setEnabled(budget != self._own_budget())
        located = sum(fate != "unlocated" for fate in survival.fates)
        words = f"The evidence of {survival.retained} of {located} questions survives."
        if located == 0:
            words = "None of the questions has evidence that could be looked for."
        smallest = curve.smallest_budget_for_all()
        if located and smallest is None:
            words += " No budget retains all of it."
        elif smallest is not None and not survival.all_retained:
            words += f" All of it from L′ = {smallest:,}."
        self._words.setText(words)
        proposed = view.memory.proposed_text or ""
        if proposed and survival.characters == 0 and not survival.splits_character:
            self._cut.setText("Nothing is retained.")
        elif survival.characters < len(proposed):
            cut = boundary_at(proposed, survival.characters, survival.splits_character)
            self._cut.setText(f"Would cut at character {cut.characters:,}, {cut_words(proposed, cut)}")
        else:
            self._cut.setText("Would cut nothing.")
        self._cut.show()
        theme = current_theme()
        for item, fate in zip(top_items(self._list), survival.fates, strict=True):
            item.setText(1, f"✓ {fate}" if fate == "retained" else fate)
            item.setForeground(1, theme.cause_text(_cause(fate)))
            item.setToolTip(1, FATE_SENTENCES.get(fate, ""))
        self.budget_tried.emit(budget)
        is_other = budget != self._own_budget() and survival.characters < len(proposed)
        self.cut_tried.emit(survival.characters if is_other else None)

    def _on_moved(self, _value: int) -> None:
        self._recompute()

    def _on_all(self) -> None:
        if self._curve is not None and (smallest := self._curve.smallest_budget_for_all()) is not None:
            self._slider.setValue(smallest)

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        needed = item.data(2, Qt.ItemDataRole.UserRole)
        if needed is not None:
            self._slider.setValue(needed)

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        self.question_chosen.emit(item.data(0, Qt.ItemDataRole.UserRole))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._recompute()
        super().changeEvent(event)


def _cause(fate: str) -> str:
    from gacc_gui.gui.theme import FATES_CAUSE

    return FATES_CAUSE.get(fate, "unlocated")
