"""Which cells are looked at: compressor, revision where there are several, condition, ratio; each one or all.

Owns which values go together. Not owned: the figures of the chosen cells (`gui.headline`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QHBoxLayout, QWidget

from gacc_gui.core.errors import GaccError
from gacc_gui.core.natural import natural_key
from gacc_gui.core.records import CONDITIONS, Cell
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.cell_field import CellField
from gacc_gui.gui.lists.goals_reads import holds
from gacc_gui.gui.session import Session
from gacc_gui.gui.theme import GRID
from gacc_gui.store.rows import CellChoice, RunSummary

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

_FIELDS: Final = (
    ("compressor", "C&ompressor", "all"),
    ("revision", "Re&vision", "all"),
    ("condition", "Co&ndition", "all"),
    ("ratio", "Rat&io", "all"),
)


def with_value(choice: CellChoice, name: str, value: str | None, cells: Sequence[Cell]) -> CellChoice:
    """Change one field of a choice; fields that leave no cell with the new value fall back to all."""
    changed = replace(choice, **{name: value})
    for other in ("revision", "ratio", "condition", "compressor"):
        if any(holds(changed, cell) for cell in cells):
            break
        if other != name:
            changed = replace(changed, **{other: None})
    return changed


def ordered_values(name: str, cells: Sequence[Cell], choice: CellChoice) -> list[str]:
    """The values of a field, in their natural order; revisions are those of the chosen compressor."""
    if name == "revision" and choice.compressor is not None:
        cells = [cell for cell in cells if cell.compressor == choice.compressor]
    values = {getattr(cell, name) for cell in cells}
    if name == "condition":
        known = [condition for condition in CONDITIONS if condition in values]
        return known + sorted(values - set(known), key=natural_key)
    return sorted(values, key=_by_number if name == "ratio" else natural_key)


def _by_number(ratio: str) -> tuple[Decimal, str]:
    try:
        return Decimal(ratio), ratio
    except InvalidOperation:
        return Decimal("Infinity"), ratio


class CellChooser(QWidget):
    """The drop-downs in a row. It speaks through the session alone."""

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("cellChooser")
        self._session = session
        self._background = background
        self._cells: tuple[Cell, ...] = ()
        self._cells_of: str | None = None
        self._fields: dict[str, CellField] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * GRID)
        for name, title, everything in _FIELDS:
            field = self._fields[name] = CellField(name, title, everything, self)
            field.value_chosen.connect(self._on_value_chosen)
            layout.addWidget(field)
        session.run_changed.connect(self._on_run_changed)
        session.choice_changed.connect(self._on_choice_changed)
        session.data_changed.connect(self._on_data_changed)
        self._on_run_changed(session.run)

    def field(self, name: str) -> CellField:
        """The drop-down of compressor, revision, condition or ratio."""
        return self._fields[name]

    def show_cells(self, run_id: str, cells: Sequence[Cell]) -> None:
        """Know the cells of a run that will be chosen, or is: they need not be read."""
        self._cells_of, self._cells = run_id, tuple(cells)
        self._show()

    def _on_run_changed(self, run: RunSummary | None) -> None:
        run_id = run.run.id if run else None
        if run_id is None or run_id != self._cells_of:
            self._cells_of, self._cells = run_id, ()
            self._show()
            self._read()

    def _on_data_changed(self) -> None:
        self._read()

    def _on_choice_changed(self, choice: CellChoice) -> None:
        self._show()

    def _read(self) -> None:
        if self._cells_of is None:
            self._background.forget("cells.list")
        else:
            work = partial(_read_cells, self._cells_of)
            self._background.request("cells.list", work, self._on_read, self._on_failed)

    def _on_read(self, cells: Sequence[Cell]) -> None:
        self._cells = tuple(cells)
        self._show()

    def _on_failed(self, error: GaccError) -> None:
        self._session.read_failed.emit(error)

    def _show(self) -> None:
        choice = self._session.choice
        for name, field in self._fields.items():
            values = ordered_values(name, self._cells, choice)
            field.show_values(values, getattr(choice, name))
        self._fields["revision"].setVisible(self._several_revisions())
        of_cases = not self._session.terms.by_budget
        # A method of the compaction benchmark has one condition and no ratio.
        self._fields["compressor"].show_title("M&ethod" if of_cases else _FIELDS[0][1])
        for name in ("condition", "ratio"):
            self._fields[name].setVisible(not of_cases)

    def _several_revisions(self) -> bool:
        pairs = {(cell.compressor, cell.revision) for cell in self._cells}
        compressor = self._session.choice.compressor
        if compressor is None:
            return len(pairs) > len({name for name, _ in pairs})
        return sum(name == compressor for name, _ in pairs) > 1

    def _on_value_chosen(self, name: str, value: str | None) -> None:
        choice = with_value(self._session.choice, name, value, self._cells)
        if name == "compressor" and choice.revision is not None and value is None:
            choice = replace(choice, revision=None)
        self._session.choose_cells(choice)
        self._show()


def _read_cells(run_id: str, reader: Reader) -> list[Cell]:
    return reader.cells(run_id)
