"""The goals list as a table model: an array of unit keys, and a cache of the rows that were looked at.

Owns paging and the wording of cells. Not owned: the database (whoever listens to `rows_wanted` reads it), the
order and the filter (both SQL's). A million rows cost eight bytes each and no row before it is shown.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)

from gacc_gui.core.causes import VEIL
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.lists.goals_reads import PAGE
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.signs import NO_SIGNS, Signs, known_right, numbered
from gacc_gui.gui.lists.words import cell_words, counted, joined, status_words, strip_words
from gacc_gui.gui.theme import current_theme
from gacc_gui.store.rows import GoalRow

Index = QModelIndex | QPersistentModelIndex
_TOP: Final = QModelIndex()

CACHE: Final = 64 * PAGE
"""Rows kept at hand; the oldest pages go first."""
MARKS: Final = Qt.ItemDataRole.UserRole
"""The strip's `Marks`: which questions people decided on."""
LOADING: Final = "…"
GONE: Final = "no longer in the database"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `key` names it to the code and, where it can be sorted, `sort` to the store."""

    key: str
    title: str
    hint: str
    sort: str | None = None
    right: bool = False


COLUMNS: Final = (
    Column("context", "Context", "The source that the goals share", "context"),
    Column("goal", "Goal", "What the memory is for", "goal"),
    Column("strip", "Questions", "One square a question, in the goal's order", None),
    Column("correct", "Right", "Questions answered correctly, of all", "correct", right=True),
    Column("away", "Away", "How many questions are missing to all-right", "away", right=True),
    Column("cell", "Cell", "Compressor · condition · ratio", "cell"),
    Column("budget", "Budget", "Tokens the memory may have", "budget", right=True),
    Column("tail", "Tail", "Tokens that were proposed and cut off", "tail", right=True),
)
_OF_CASES: Final = {
    "context": ("Case", "The case that the answers are to"),
    "goal": ("Question", "What was asked"),
    "strip": ("Answer", "Right, or why not"),
    "correct": ("Right", "Whether the answer equals the gold answer (EM)"),
    "away": ("Away", "1 where the answer is not right"),
    "cell": ("Method", "Method · generation · answer"),
    "budget": ("Budget", "Tokens that the context may have"),
}
"""Titles and hints where a line is an answer to a case."""
PLACES: Final = {column.key: place for place, column in enumerate(COLUMNS)}


class GoalsModel(QAbstractTableModel):
    """Signals: rows_wanted(tuple of units): these are to be read and handed to `add_rows`."""

    rows_wanted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._units: Sequence[int] = array("q")
        self._rows: dict[int, GoalRow] = {}
        self._wanted: dict[int, None] = {}
        self._asked: tuple[int, int] | None = None
        self._asked_units: tuple[int, ...] = ()
        self._gone: set[int] = set()
        self._with_revision = False
        self._terms = GOALS
        self._signs = NO_SIGNS
        # Painting asks for cell after cell: one request gathers them all.
        self._ask = QTimer(self)
        self._ask.setSingleShot(True)
        self._ask.setInterval(0)
        self._ask.timeout.connect(self._on_ask)

    def set_units(
        self, units: Sequence[int], rows: Iterable[GoalRow] = (), *, keep_rows: bool = False
    ) -> None:
        """Show these units in this order. `rows` are those already read; `keep_rows` keeps the cache."""
        self.beginResetModel()
        self._units = units
        if not keep_rows:
            self._rows = {}
        self._gone.clear()
        self._wanted.clear()
        self._asked = None
        self._store(rows)
        self.endResetModel()

    def refresh_rows(self, rows: Iterable[GoalRow] = ()) -> None:
        """Forget what was read of the rows; `rows` are those read anew. The order and the selection stay."""
        self._rows = {}
        self._asked = None
        self._store(rows)
        if self._units:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._units) - 1, len(COLUMNS) - 1))

    def add_rows(self, rows: Iterable[GoalRow]) -> None:
        """Take rows that were wanted, and have the next wanted ones read."""
        self._store(rows)
        asked, self._asked = self._asked, None
        if asked is not None:
            # What was deleted meanwhile is not asked for again and again.
            self._gone.update(unit for unit in self._asked_units if unit not in self._rows)
            first, last = asked
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(COLUMNS) - 1))
        if self._wanted:
            self._ask.start()

    def give_up_rows(self) -> None:
        """What was asked for cannot be read now; it is asked for again when it is painted again."""
        self._asked = None

    def show_revisions(self, shown: bool) -> None:
        """Name compressors with their revision, where a run has several of one name."""
        self._with_revision = shown

    def show_terms(self, terms: Terms) -> None:
        """Use a benchmark's words: a case has a question and a method, no goal, condition and ratio."""
        if terms is not self._terms:
            self._terms = terms
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def show_signs(self, signs: Signs) -> None:
        """Mark what people decided on, and hide what a reviewer is not to see."""
        self._signs = signs
        if self._units:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._units) - 1, len(COLUMNS) - 1))

    @property
    def units(self) -> Sequence[int]:
        """The unit keys in the list's order."""
        return self._units

    def row_of(self, unit: int | None) -> int:
        """The row of a unit, or -1."""
        if unit is None:
            return -1
        try:
            return self._units.index(unit)
        except ValueError:
            return -1

    def goal_row(self, row: int) -> GoalRow | None:
        """The row's content if it has been read; if not, it will be."""
        if not 0 <= row < len(self._units):
            return None
        unit = self._units[row]
        found = self._rows.get(unit)
        if found is None and unit not in self._gone:
            self._want(row)
        return found

    def known_row(self, row: int) -> GoalRow | None:
        """The row's content if it has been read, without asking for it."""
        return self._rows.get(self._units[row]) if 0 <= row < len(self._units) else None

    def known_rows(self) -> Iterable[GoalRow]:
        """What is in the cache, to measure columns with."""
        return self._rows.values()

    def starts_group(self, row: int) -> bool:
        """Whether the row's context is another than that of the row above, as far as is known."""
        here, above = self.known_row(row), self.known_row(row - 1)
        return here is not None and (above is None or above.context_id != here.context_id)

    def _want(self, row: int) -> None:
        first = row - row % PAGE
        self._wanted[first] = self._wanted.pop(first, None)
        if not self._asked and not self._ask.isActive():
            self._ask.start()

    def _on_ask(self) -> None:
        if self._asked or not self._wanted:
            return
        # Of a fast scroll only the last pages matter.
        pages = list(self._wanted)[-3:]
        self._wanted.clear()
        wanted = tuple(
            unit for first in pages for unit in self._units[first : first + PAGE] if unit not in self._rows
        )
        if wanted:
            self._asked = (min(pages), min(max(pages) + PAGE, len(self._units)) - 1)
            self._asked_units = wanted
            self.rows_wanted.emit(wanted)

    def _store(self, rows: Iterable[GoalRow]) -> None:
        for row in rows:
            self._rows[row.unit] = row
        excess = len(self._rows) - CACHE
        if excess > 0:
            for unit in list(self._rows)[:excess]:
                del self._rows[unit]

    def text_of(self, row: GoalRow, key: str) -> str:
        """The text of a row's cell."""
        match key:
            case "context":
                return cell_text(row.context_title or row.context_id)
            case "goal":
                # A case's goal is the whole request to the agent, and its context is called as the question.
                return cell_text(
                    row.context_title or row.goal_text if self._terms.one_question else row.goal_text
                )
            case "strip":
                return self._signs.strip(row.unit, row.strip)
            case "correct":
                return f"{self._count(row, row.correct)}/{row.questions}"
            case "away":
                return self._count(row, row.away)
            case "cell":
                return cell_text(_cell_and_repeat(row, self._with_revision, self._terms))
            case "budget":
                return "" if row.budget is None else f"{row.budget:,}"
            case _:
                return _tail(row)

    def _count(self, row: GoalRow, count: int) -> str:
        """A count of right or wrong questions, which would tell what is hidden of them."""
        return VEIL if self._signs.veil.places(row.unit) else str(count)

    def _spoken(self, row: GoalRow, key: str) -> str:
        strip = self._signs.strip(row.unit, row.strip)
        right, hidden = known_right(strip)
        if hidden and key in ("correct", "away"):
            return f"{counted(hidden, self._terms.verdict)} hidden until you have decided"
        match key:
            case "context":
                return row.context_title or row.context_id
            case "strip":
                words = strip_words(strip, right)
                return "\n".join([words, *numbered(self._signs.lines(row.unit))])
            case "correct":
                return f"{row.correct} of {row.questions} right"
            case "away" if self._terms.one_question:
                return "not right" if row.away else "right"
            case "away":
                return "all right" if row.away == 0 else f"{counted(row.away, 'question')} away"
            case "tail":
                return _tail_words(row)
            case _:
                return self.text_of(row, key)

    def _hint(self, row: GoalRow, key: str) -> str:
        match key:
            case "goal":
                context = row.context_title or row.context_id
                names = f"goal {row.goal_id}, context {context}, memory {row.memory_id}"
                text = row.goal_text
                if self._terms.one_question:  # the task is the same in every case
                    names, text = f"case {row.goal_id}, memory {row.memory_id}", context
                status = "" if row.memory_status == "ok" else f"\nmemory: {status_words(row.memory_status)}"
                return f"{text}\n\n{names}{status}"
            case "context":
                return joined((row.context_title or "", row.context_id))
            case "cell":
                cell = row.cell
                named = (
                    f"{self._terms.compressor} {cell.compressor}",
                    f"revision {cell.revision}" if cell.revision else "",
                    f"condition {cell.condition}" if self._terms.by_budget else "",
                    f"ratio {cell.ratio}" if self._terms.by_budget else "",
                    f"generation {row.generation}" if row.generation else "",
                    f"{self._terms.repeat} {row.repeat}" if row.repeat else "",
                )
                return "\n".join(part for part in named if part)
            case "budget":
                return "no budget declared" if row.budget is None else counted(row.budget, "token")
            case _:
                return self._spoken(row, key)

    # --- Qt ----------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _TOP) -> int:
        """Rows of the list; none below a row."""
        return 0 if parent.isValid() else len(self._units)

    def columnCount(self, parent: Index = _TOP) -> int:
        """Columns of the list; none below a row."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A cell in a role; never raises."""
        if not index.isValid() or role not in _ROLES:
            return None
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.right else _LEFT
        # An exception here would repeat for every cell painted: it is shown instead.
        try:
            row = self.goal_row(index.row())
            if row is None:
                missing = GONE if self._units[index.row()] in self._gone else LOADING
                return missing if column.key == "goal" and role == Qt.ItemDataRole.DisplayRole else None
            if role == Qt.ItemDataRole.ToolTipRole:
                return tooltip(self._hint(row, column.key))
            if role == Qt.ItemDataRole.ForegroundRole:
                # Every row has its context's name, so that it is in sight wherever one scrolls to.
                repeated = column.key == "context" and not self.starts_group(index.row())
                return current_theme().muted if repeated else None
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(row, column.key)
            if role == MARKS:
                return self._signs.marks(row.unit) if column.key == "strip" else None
            return self.text_of(row, column.key)
        except Exception as error:
            silent = role in (Qt.ItemDataRole.ForegroundRole, MARKS)
            return None if silent else f"{type(error).__name__}: {error}"

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """A column's title, hint and alignment."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        column = COLUMNS[section]
        title, hint = column.title, column.hint
        if self._terms.one_question:
            title, hint = _OF_CASES.get(column.key, (title, hint))
        if role == Qt.ItemDataRole.DisplayRole:
            return title
        if role == Qt.ItemDataRole.ToolTipRole:
            return hint
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.right else _LEFT
        return None


_LEFT: Final = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT: Final = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_ROLES: Final = frozenset(
    (
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.AccessibleTextRole,
        Qt.ItemDataRole.TextAlignmentRole,
        Qt.ItemDataRole.ForegroundRole,
        MARKS,
    )
)


def _cell_and_repeat(row: GoalRow, with_revision: bool, terms: Terms) -> str:
    return joined(
        (
            cell_words(row.cell, terms, with_revision=with_revision),
            f"gen {row.generation}" if row.generation else "",
            f"{terms.short_repeat} {row.repeat}" if row.repeat else "",
        )
    )


def _tail(row: GoalRow) -> str:
    """Tokens where they are declared; else characters, marked as such; a question mark for no boundary."""
    if row.tail_tokens is not None:
        return f"{row.tail_tokens:,}"
    return "?" if row.tail_characters is None else f"{row.tail_characters:,} ch"


def _tail_words(row: GoalRow) -> str:
    tokens = "" if row.tail_tokens is None else counted(row.tail_tokens, "token")
    if row.tail_characters is None:
        characters = "where the cut fell is unknown"
    else:
        characters = counted(row.tail_characters, "character")
    return f"behind the cut: {' · '.join(part for part in (tokens, characters) if part)}"
