"""The buckets of a pair of cells with their counts, as filters of the list: one at a time, or all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.compare.words import BUCKET_TITLES, bucket_hint
from gacc_gui.gui.lists.words import counted, joined
from gacc_gui.gui.overlay import toggle_button
from gacc_gui.gui.side.section import Elided
from gacc_gui.gui.theme import GRID, HALF

ALL: Final = ""
KEYS: Final = "J K rows · N P differences · A B inspect · X swap · 0–8 filter"
"""The keys of the list, told where there is room."""


class BucketBar(QWidget):
    """Signals: bucket_chosen(name of a bucket, or ALL)."""

    bucket_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compareBuckets")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(HALF)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._buttons: dict[str, QToolButton] = {}
        for number, name in enumerate((ALL, *BUCKET_TITLES)):
            button = self._buttons[name] = toggle_button(_title(name), self)
            button.setObjectName(f"bucket_{name or 'all'}")
            self._group.addButton(button, number)
            layout.addWidget(button)
        self._note = Elided(self, at_end=True)
        self._note.setObjectName("bucketNote")
        layout.addSpacing(2 * GRID)
        layout.addWidget(self._note, 1)
        self._terms = GOALS
        self.show_terms(GOALS)
        self.show_counts({})
        self._buttons[ALL].setChecked(True)
        self._group.idClicked.connect(self._on_clicked)

    @property
    def chosen(self) -> str:
        """The bucket that is chosen, or ALL."""
        return next((name for name, button in self._buttons.items() if button.isChecked()), ALL)

    def show_terms(self, terms: Terms) -> None:
        """Explain the buckets in the words of a benchmark."""
        self._terms = terms
        for number, (name, button) in enumerate(self._buttons.items()):
            hint = bucket_hint(name, terms) if name else f"Every {terms.row}"
            button.setToolTip(f"{hint}  ({number})")

    def button(self, name: str) -> QToolButton:
        """The button of a bucket, or of ALL."""
        return self._buttons[name]

    def show_counts(self, counts: Mapping[str, int], hidden: int = 0, *, is_reviewed: bool = False) -> None:
        """Show how many rows each bucket has; buckets of what is not paired go where they are empty.

        `hidden` rows are in none of them; `is_reviewed`: somebody decided otherwise, or not, than is counted.
        """
        judged = f"as {self._terms.judged}" if is_reviewed else ""
        veiled = f"{counted(hidden, self._terms.row)} hidden, in no bucket" if hidden else ""
        self._note.set_text(joined((judged, veiled, KEYS)), "muted")
        for name, button in self._buttons.items():
            number = counts.get(name, 0) if name else sum(counts.values()) + hidden
            button.setText(f"{_title(name)} {number:,}")
            button.setVisible(bool(number) or name not in ("only_a", "only_b", "texts_differ"))

    def choose(self, number: int) -> None:
        """Choose the bucket with this number: 0 is all."""
        button = self._group.button(number)
        if button is not None and button.isVisibleTo(self):
            button.click()

    def show_chosen(self, name: str) -> None:
        """Mark a bucket as chosen, without telling."""
        self._buttons[name].setChecked(True)

    def _on_clicked(self, number: int) -> None:
        self.bucket_chosen.emit((ALL, *BUCKET_TITLES)[number])


def _title(name: str) -> str:
    return BUCKET_TITLES.get(name, "All")
