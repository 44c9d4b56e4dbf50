"""One side of a comparison: which run, and which of its cells."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QWidget

from gacc_gui.core.selector import written
from gacc_gui.gui.compare.offers import Chosen, Offer, RunOffers
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.overlay import Choice
from gacc_gui.gui.theme import GRID, HALF

_LETTERS_MOST = 60


class SideChoice(QWidget):
    """Signals: chosen_changed(Chosen): a person chose."""

    chosen_changed = Signal(object)

    def __init__(self, letter: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs: Sequence[RunOffers] = ()
        self._offers: Sequence[Offer] = ()
        self._chosen: Chosen | None = None
        label = QLabel(f"&{letter}", self)
        font = label.font()
        font.setBold(True)
        label.setFont(font)
        self._run = _box(f"compareRun{letter}", f"Run {letter}", self)
        self._cells = _box(f"compareCells{letter}", f"Cells of run {letter}", self)
        label.setBuddy(self._run)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(label)
        layout.addWidget(self._run, 1)
        layout.addWidget(self._cells, 1)
        self._run.activated.connect(self._on_run)
        self._cells.activated.connect(self._on_cells)

    @property
    def chosen(self) -> Chosen | None:
        """What is chosen."""
        return self._chosen

    def show_choice(self, runs: Sequence[RunOffers], chosen: Chosen | None) -> None:
        """Offer these runs, and show what is chosen; None: nothing can be."""
        self._runs, self._chosen = runs, chosen
        blockers = [QSignalBlocker(box) for box in (self._run, self._cells)]
        here = next((one for one in runs if chosen and one.summary.run.id == chosen.run_id), None)
        _fill(self._run, [one.title for one in runs], runs.index(here) if here else -1)
        offers = list(here.offers) if here else []
        place = next(
            (n for n, offer in enumerate(offers) if chosen and offer.selector == chosen.selector), -1
        )
        if chosen is not None and here is not None and place < 0:
            # A run of one cell as a whole is that cell.
            meant = chosen.selector.chosen(here.cells)
            same = (offer.selector.chosen(here.cells) == meant for offer in offers)
            place = next((n for n, alike in enumerate(same) if alike and len(meant) == len(here.cells)), -1)
        if chosen is not None and here is not None and place < 0:
            # One that is not offered, such as a revision: it is called as the command line has it.
            offers.append(Offer(written("", chosen.selector).removeprefix(":"), chosen.selector))
            place = len(offers) - 1
        self._offers = offers
        _fill(self._cells, [offer.title for offer in offers], place)
        for blocker in blockers:
            blocker.unblock()
        self.setEnabled(chosen is not None)

    def _on_run(self, place: int) -> None:
        if self._chosen is None or not 0 <= place < len(self._runs):
            return
        run = self._runs[place]
        if run.summary.run.id == self._chosen.run_id:
            return
        # The same cells of the other run, where it has them.
        same = any(offer.selector == self._chosen.selector for offer in run.offers)
        selector = self._chosen.selector if same or not run.offers else run.offers[0].selector
        self._choose(Chosen(run.summary.run.id, selector))

    def _on_cells(self, place: int) -> None:
        if self._chosen is not None and 0 <= place < len(self._offers):
            self._choose(Chosen(self._chosen.run_id, self._offers[place].selector))

    def _choose(self, chosen: Chosen) -> None:
        if chosen != self._chosen:
            self.show_choice(self._runs, chosen)
            self.chosen_changed.emit(chosen)


def _box(name: str, title: str, parent: QWidget) -> QComboBox:
    box = Choice(parent)
    box.setObjectName(name)
    box.setAccessibleName(title)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(14)
    box.setMaxVisibleItems(24)
    box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    box.setMaximumWidth(52 * GRID + HALF)
    return box


def _fill(box: QComboBox, titles: Sequence[str], current: int) -> None:
    shown = [cell_text(title, _LETTERS_MOST) or "(none)" for title in titles]
    if [box.itemText(place) for place in range(box.count())] != shown:
        box.clear()
        box.addItems(shown)
        for place, title in enumerate(titles):
            if len(title) > _LETTERS_MOST:
                box.setItemData(place, tooltip(title), Qt.ItemDataRole.ToolTipRole)
    box.setCurrentIndex(current)
    box.setToolTip(tooltip(titles[current]) if 0 <= current < len(titles) else "")
