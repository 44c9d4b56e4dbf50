"""What a chart shows, as plain values: lines with intervals, bars, a heat map; and its table.

Owns the shapes that window, SVG and CSV share, so that all three show the same figures. Which figures go into
a chart is `chart_figures` and `evidence_curves`; how they are drawn is `chart_svg` and the window's.

A mark is where a person can click: it says in one plain sentence what it stands for, with its denominator,
and which rows of the goals list those are. What has no value has no mark; it is never drawn as 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from gacc_gui.core.records import Cell
from gacc_gui.core.terms import GOALS, Terms

ERRORS_AS_WRONG: Final = "Errors count as wrong."
"""The policy of every figure that a chart draws; tables give the other one beside it."""


@dataclass(frozen=True, slots=True)
class Target:
    """Rows of the goals list: those of some cells (None: any) that pass a filter."""

    compressor: str | None = None
    revision: str | None = None
    condition: str | None = None
    ratio: str | None = None
    filter: str = ""
    wider: str = ""
    """Told where these rows are more than the mark counts, because its own would not fit into a filter."""


def target_of(cell: Cell, filter_text: str = "") -> Target:
    """Return the rows of a cell that pass a filter."""
    return Target(cell.compressor, cell.revision, cell.condition, cell.ratio, filter_text)


Value = str | int | float | None
"""What stands in a table: None is what has no value."""


@dataclass(frozen=True, slots=True)
class Table:
    """The figures of a chart, exact and in full: what its CSV holds."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A point. `low` and `high` are its 95 % interval; None where there is none."""

    x: float
    y: float
    words: str
    low: float | None = None
    high: float | None = None
    target: Target | None = None


Shape = Literal["line", "step", "points", "level"]
"""`step` holds its value up to the next mark; `level` is one mark, drawn across the whole width."""


@dataclass(frozen=True, slots=True)
class Line:
    """A named series. `look` and `dash` choose colour with marker, and dash, in `chart_style`.

    `shift` moves the marks sideways, as a share of the axis, so that intervals do not hide each other.
    """

    name: str
    look: int
    dash: int
    marks: tuple[Mark, ...]
    shape: Shape = "line"
    shift: float = 0.0


@dataclass(frozen=True, slots=True)
class Panel:
    """One system of axes, and what is drawn in it."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class LineChart:
    """Lines over a number, in panels side by side with the same axes. Shares run from 0 to 1."""

    key: str
    title: str
    caption: str
    """Denominators and policy, in a sentence or two."""
    x_title: str
    y_title: str
    panels: tuple[Panel, ...]
    x_ticks: tuple[float, ...]
    """Where the axis is labelled; empty: wherever there is room."""
    table: Table
    x_is_whole: bool = False
    """Whether only whole numbers make sense on the axis."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One part of each bar. `role` names its look: a cause, or one of `chart_style.PLAIN_ROLES`.

    Per bar the size (None: no value), its words and its rows.
    """

    name: str
    letter: str
    role: str
    sizes: tuple[float | None, ...]
    words: tuple[str, ...]
    targets: tuple[Target | None, ...]


@dataclass(frozen=True, slots=True)
class BarChart:
    """Stacked bars. `across`: they lie, one row each, for names that need room."""

    key: str
    title: str
    caption: str
    bar_title: str
    size_title: str
    labels: tuple[str, ...]
    layers: tuple[Layer, ...]
    across: bool
    table: Table
    is_share: bool = False
    """Whether a bar's whole is 1."""

    def total(self, bar: int) -> float:
        """The whole length of a bar."""
        return sum(layer.sizes[bar] or 0.0 for layer in self.layers)


@dataclass(frozen=True, slots=True)
class HeatChart:
    """Cells as rows, goals as columns. A place without a row of a question is empty.

    `right[cell][goal]` rows labelled correct of `whole`, over `units` (repeats and generations).
    """

    key: str
    title: str
    caption: str
    cell_title: str
    goal_title: str
    cells: tuple[Cell, ...]
    labels: tuple[str, ...]
    """What is written at the rows."""
    goals: tuple[str, ...]
    """Ids, column by column."""
    goal_texts: tuple[str, ...]
    right: tuple[tuple[int, ...], ...]
    whole: tuple[tuple[int, ...], ...]
    units: tuple[tuple[int, ...], ...]
    shows_away: bool
    """Whether a place shows the questions that are not right, for each unit, instead of the share right."""
    highest: float
    """The most questions not right, a unit, of any place; at least 1."""
    table: Table
    hidden: frozenset[tuple[int, int]] = frozenset()
    """Places (cell, goal) of which a reviewer is not to know anything; nothing is counted there."""

    def share(self, cell: int, goal: int) -> float | None:
        """Share of rows labelled correct, 0 to 1; None where there is none."""
        whole = self.whole[cell][goal]
        return self.right[cell][goal] / whole if whole else None

    def away(self, cell: int, goal: int) -> float | None:
        """Questions not right, a unit; None where there is no unit."""
        units = self.units[cell][goal]
        return (self.whole[cell][goal] - self.right[cell][goal]) / units if units else None

    def words(self, cell: int, goal: int) -> str:
        """One sentence about a place."""
        name = f"{self.goals[goal]} · {self.labels[cell]}"
        whole, units = self.whole[cell][goal], self.units[cell][goal]
        if (cell, goal) in self.hidden:
            return f"{name}: hidden until you have decided"
        if not units:
            return f"{name}: not evaluated"
        of_units = f" in {units:,} units" if 1 < units < whole else ""
        return f"{name}: {self.right[cell][goal]:,} of {whole:,} right{of_units}"

    def target(self, cell: int, goal: int) -> Target:
        """The rows of a place."""
        from gacc_gui.core.completion import quote

        return target_of(self.cells[cell], f"goal-id:{quote(self.goals[goal])}")


@dataclass(frozen=True, slots=True)
class Bar:
    """One method. `rest` is what its bar lacks: of `full`, or up to the ceiling. None: there is no figure."""

    name: str
    size: float | None
    rest: float
    of: int
    """Answers or inputs that the figure is the mean of."""
    words: str
    """What is written beside it: the figure, its denominator, and what it lacks."""
    target: Target | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Bars that are compared with each other."""

    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class MethodChart:
    """Groups of bars on one scale from 0 to `highest`; `limit` is a line across all, with its words."""

    key: str
    title: str
    caption: str
    """Denominators and policy."""
    size_title: str
    bar_name: str
    rest_name: str
    groups: tuple[Group, ...]
    highest: float
    limit: tuple[float, str] | None = None

    @property
    def table(self) -> Table:
        """The figures, a row a bar; what is lacking is empty where nothing is to be lacked."""
        lacks = self.rest_name.replace(" ", "_")
        return Table(
            ("group", "method", self.bar_name.replace(" ", "_").lower(), lacks, "of"),
            tuple(
                (group.title, bar.name, bar.size, None if bar.size is None else bar.rest, bar.of)
                for group in self.groups
                for bar in group.bars
            ),
        )

    def stacked(self) -> BarChart:
        """Return the same as stacked bars under each other: a line for each group's title, then its bars."""
        lines = [(group, bar) for group in self.groups for bar in (None, *group.bars)]
        labels = tuple(group.title if bar is None else bar.name for group, bar in lines)
        words = tuple(
            "" if bar is None else f"{group.title}, {bar.name}: {bar.words}" for group, bar in lines
        )
        targets = tuple(bar.target if bar else None for _, bar in lines)
        sizes = tuple(bar.size if bar else None for _, bar in lines)
        rests = tuple(bar.rest if bar else None for _, bar in lines)
        layers = (
            Layer(self.bar_name, "", "kept", sizes, words, targets),
            Layer(self.rest_name, "", "unused", rests, words, targets),
        )
        return BarChart(
            self.key, self.title, self.caption, "", self.size_title, labels, layers, True, self.table
        )


@dataclass(frozen=True, slots=True)
class NoChart:
    """There is nothing sensible to draw; `reason` says why, in a sentence."""

    key: str
    title: str
    reason: str


Chart = LineChart | BarChart | HeatChart | MethodChart | NoChart


def cell_names(cells: Iterable[Cell], terms: Terms = GOALS) -> dict[Cell, str]:
    """Return how each cell is called: with its revision where a compressor's name has several."""
    found = tuple(cells)
    pairs = {(cell.compressor, cell.revision) for cell in found}
    names = [name for name, _ in pairs]
    return {cell: terms.cell_name(cell, with_revision=names.count(cell.compressor) > 1) for cell in found}
