"""A run's figures as charts: Micro and Macro against ratio, causes, Macro by questions of a goal.

Owns what each chart shows of figures that are counted already. Nothing is drawn that has no value, and where
a chart would make no sense it is a `NoChart` with the reason. Others: `heat_figures`, `ledger_figures`,
`evidence_charts`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.causes import CAUSES, LETTERS
from gacc_gui.core.cell_order import cell_order, condition_order
from gacc_gui.core.charts import (
    ERRORS_AS_WRONG,
    BarChart,
    Chart,
    Layer,
    Line,
    LineChart,
    Mark,
    NoChart,
    Panel,
    Table,
    Value,
    cell_names,
    target_of,
)
from gacc_gui.core.metrics import CellMetrics, GoalFacts, UnitCounts, cell_metrics
from gacc_gui.core.natural import natural_key
from gacc_gui.core.records import Cell
from gacc_gui.core.statistics import Interval
from gacc_gui.core.terms import GOALS, Terms

FULL_CONTEXT: Final = "full-context"
_SPREAD: Final = 0.035
"""Share of the axis over which the marks of one ratio are spread."""
INTERVALS: Final = "Intervals: 95 %, bootstrap over contexts; Wilson's where Macro is exactly 0 or 1."


def _shift(place: int, lines: int) -> float:
    """Return how far the marks of one of the `lines` stand beside their place, as a share of the axis."""
    return _SPREAD * (place / (lines - 1) - 0.5) if lines > 1 else 0.0


def share_text(part: float, whole: float) -> str:
    """Return “0.875 (7 of 8)”; a dash without a whole."""
    if not whole:
        return "– (0 of 0)"
    return f"{part / whole:.3f} ({part:,} of {whole:,})"


def interval_text(interval: Interval | None) -> str:
    """Return “, 95 % 0.100–0.300”, or nothing."""
    return "" if interval is None else f", 95 % {interval[0]:.3f}–{interval[1]:.3f}"


def compressor_names(cells: Iterable[Cell]) -> dict[tuple[str, str], str]:
    """Return how each compressor (name, revision) is called: with its revision where two share a name."""
    found = sorted({(cell.compressor, cell.revision) for cell in cells}, key=_natural_pair)
    names = [name for name, _ in found]
    return {
        (name, revision): f"{name} {revision}".strip() if names.count(name) > 1 else name
        for name, revision in found
    }


def _natural_pair(pair: tuple[str, str]) -> tuple[object, object]:
    return natural_key(pair[0]), natural_key(pair[1])


def ordered(cells: Iterable[Cell]) -> list[Cell]:
    """Return cells by compressor, revision, condition and ratio as a number."""
    return sorted(cells, key=cell_order)


@dataclass(frozen=True, slots=True)
class Measure:
    """Micro or Macro of a cell: its share, interval, part and whole."""

    name: str
    share: Callable[[CellMetrics], float | None]
    interval: Callable[[CellMetrics], Interval | None]
    part: Callable[[CellMetrics], int]
    whole: Callable[[CellMetrics], int]
    unit: str


MEASURES: Final = (
    Measure(
        "Micro",
        lambda cell: cell.micro.errors_as_wrong,
        lambda cell: cell.micro_ci95,
        lambda cell: cell.correct,
        lambda cell: cell.questions,
        "questions",
    ),
    Measure(
        "Macro",
        lambda cell: cell.macro.errors_as_wrong,
        lambda cell: cell.macro_ci95,
        lambda cell: cell.right_goals,
        lambda cell: cell.goals,
        "goals",
    ),
)


def metrics_table(cells: Sequence[CellMetrics]) -> Table:
    """Return both figures of every cell under both policies, with intervals and denominators."""
    columns = (
        "compressor", "revision", "condition", "ratio", "questions", "judged", "correct", "goals",
        "right_goals", "incomplete_goals", "missing_goals", "micro_errors_as_wrong", "micro_ci95_low",
        "micro_ci95_high", "micro_errors_excluded", "macro_errors_as_wrong", "macro_ci95_low",
        "macro_ci95_high", "macro_ci95_method", "macro_errors_excluded",
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for m in cells:
        rows.append(
            (*cell_values(m.cell), m.questions, m.judged, m.correct, m.goals, m.right_goals,
             m.incomplete_goals, m.missing_goals, m.micro.errors_as_wrong, *(m.micro_ci95 or (None, None)),
             m.micro.errors_excluded, m.macro.errors_as_wrong, *(m.macro_ci95 or (None, None)),
             m.macro_ci95_method, m.macro.errors_excluded)
        )  # fmt: skip
    return Table(columns, tuple(rows))


def cell_values(cell: Cell) -> tuple[str, str, str, str]:
    """Return a cell as the first four values of a table's row."""
    return cell.compressor, cell.revision, cell.condition, cell.ratio


def ratio_chart(cells: Sequence[CellMetrics]) -> Chart:
    """Return Micro and Macro against ratio, a line for each compressor and condition.

    Full context is a level across the chart: its ratio is no budget. Needs two ratios.
    """
    key, title = "ratio", "Micro and Macro by ratio"
    drawn = [m for m in cells if m.questions]
    budgeted = [m for m in drawn if m.cell.condition != FULL_CONTEXT]
    ratios = sorted({float(m.cell.ratio) for m in budgeted})
    if not drawn:
        return NoChart(key, title, "No goal with a question was evaluated in these cells.")
    if len(ratios) < 2:
        at = f"the ratio {budgeted[0].cell.ratio}" if ratios else "no budget"
        return NoChart(
            key, title, f"All these cells have {at}: there is no second one to compare with. See “Causes”."
        )
    names, called = compressor_names(m.cell for m in cells), cell_names(m.cell for m in drawn)
    looks = {pair: number for number, pair in enumerate(names)}
    conditions = sorted({m.cell.condition for m in budgeted}, key=condition_order)
    groups: dict[tuple[str, str, str], list[CellMetrics]] = {}
    for m in sorted(drawn, key=lambda m: float(m.cell.ratio)):
        groups.setdefault((m.cell.compressor, m.cell.revision, m.cell.condition), []).append(m)
    keys = sorted(groups, key=lambda k: (looks[k[:2]], condition_order(k[2])))
    beside = [group for group in keys if group[2] != FULL_CONTEXT]
    panels = []
    for measure in MEASURES:
        lines = []
        for group in keys:
            level = group[2] == FULL_CONTEXT
            name = names[group[:2]]
            if level or len(conditions) > 1:
                name = f"{name} · {group[2]}"
            lines.append(
                Line(
                    name,
                    looks[group[:2]],
                    5 if level else conditions.index(group[2]),
                    tuple(_measured(m, measure, called[m.cell]) for m in groups[group]),
                    "level" if level else "line",
                    0.0 if level else _shift(beside.index(group), len(beside)),
                )
            )
        panels.append(Panel(measure.name, tuple(lines)))
    return LineChart(
        key=key,
        title=title,
        caption=f"{cells_caption(drawn)} {ERRORS_AS_WRONG} {INTERVALS}",
        x_title="Ratio: budget as a share of the source",
        y_title="Share right",
        panels=tuple(panels),
        x_ticks=tuple(ratios),
        table=metrics_table(drawn),
    )


def _measured(m: CellMetrics, measure: Measure, name: str) -> Mark:
    value, interval = measure.share(m), measure.interval(m)
    assert value is not None  # cells without a question are not drawn
    part, whole = measure.part(m), measure.whole(m)
    words = f"{name}: {measure.name} {share_text(part, whole)} {measure.unit}"
    missing = m.questions - m.judged
    if missing:
        words += f", {missing:,} rows without a verdict"
    low, high = interval or (None, None)
    filter_text = "" if measure.name == "Micro" else "goal:right"
    return Mark(
        float(m.cell.ratio), value, words + interval_text(interval), low, high, target_of(m.cell, filter_text)
    )


def cells_caption(cells: Sequence[CellMetrics], terms: Terms = GOALS) -> str:
    """Say the denominators of some cells: “5 cells of 48 goals with 240 questions each.”"""
    goals, questions = {m.goals for m in cells}, {m.questions for m in cells}
    unjudged = sum(m.questions - m.judged for m in cells)
    counted = f"{len(cells):,} {terms.cell}" + ("s" if len(cells) != 1 else "")
    each = " each" if len(cells) != 1 else ""
    words = f"{counted} of {_range(goals)} goals with {_range(questions)} questions{each}"
    if terms.one_question:
        words = f"{counted} with {_range(questions)} answers{each}"
    if unjudged:
        words += f"; {unjudged:,} {terms.row}s without a {terms.verdict}"
    missing = sum(m.missing_goals for m in cells)
    if missing:
        words += f"; {missing:,} {terms.goal}s missing"
    return words + "."


def _range(numbers: set[int]) -> str:
    low, high = min(numbers, default=0), max(numbers, default=0)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def causes_chart(cells: Sequence[CellMetrics], terms: Terms = GOALS) -> Chart:
    """Return the rows of each cell by cause; a bar's parts add up to the cell's questions."""
    key, title = "causes", f"Causes by {terms.cell}"
    questions = "answers" if terms.one_question else "questions"
    by_cell = {m.cell: m for m in cells if m.questions}
    drawn = [by_cell[cell] for cell in ordered(by_cell)]
    if not drawn:
        return NoChart(key, title, f"No {terms.goal} with a question was evaluated in these {terms.cell}s.")
    layers = []
    names = cell_names((m.cell for m in drawn), terms)
    for cause in CAUSES:
        counts = [m.causes.get(cause, 0) for m in drawn]
        if not any(counts):
            continue
        layers.append(
            Layer(
                cause.replace("-", " "),
                LETTERS[cause],
                cause,
                tuple(map(float, counts)),
                tuple(
                    f"{names[m.cell]}: {cause.replace('-', ' ')} {share_text(n, m.questions)} {questions}"
                    for m, n in zip(drawn, counts, strict=True)
                ),
                tuple(target_of(m.cell, f"cause:{cause}") for m in drawn),
            )
        )
    return BarChart(
        key=key,
        title=title,
        caption=f"{cells_caption(drawn, terms)} A bar's parts add up to its {terms.cell}'s {questions}.",
        bar_title="",
        size_title=questions.capitalize(),
        labels=tuple(names[m.cell] for m in drawn),
        layers=tuple(layers),
        across=True,
        table=Table(
            ("compressor", "revision", "condition", "ratio", "questions", *CAUSES, "unsupported"),
            tuple(
                (*cell_values(m.cell), m.questions, *(m.causes.get(cause, 0) for cause in CAUSES),
                 m.unsupported)
                for m in drawn
            ),
        ),
    )  # fmt: skip


def size_chart(
    units: Iterable[UnitCounts], goals: Sequence[GoalFacts], cells: Sequence[Cell], ratio: str | None = None
) -> Chart:
    """Return Macro by the number of questions of a goal, a line for each compressor and condition.

    `ratio` says which one the cells have in common, for the caption. Needs goals of two sizes.
    """
    key, title = "sizes", "Macro by questions per goal"
    by_size: dict[int, list[UnitCounts]] = {}
    for unit in units:
        if unit.questions:
            by_size.setdefault(unit.questions, []).append(unit)
    sizes = sorted(by_size)
    if not sizes:
        return NoChart(key, title, "No goal with a question was evaluated in these cells.")
    if len(sizes) < 2:
        count = f"{sizes[0]:,} question" + ("s" if sizes[0] != 1 else "")
        return NoChart(key, title, f"Every goal has {count}: there is no other size to compare with.")
    names, called = compressor_names(cells), cell_names(cells)
    looks = {pair: number for number, pair in enumerate(names)}
    conditions = {cell.condition for cell in cells}
    ratios = {cell.ratio for cell in cells}
    kinds = sorted(
        {(cell.condition, cell.ratio) for cell in cells}, key=lambda k: (condition_order(k[0]), float(k[1]))
    )
    marks: dict[Cell, list[Mark]] = {cell: [] for cell in ordered(cells)}
    rows: list[tuple[Value, ...]] = []
    for size in sizes:
        for m in cell_metrics(by_size[size], goals).cells:
            if not m.goals or m.cell not in marks or m.macro.errors_as_wrong is None:
                continue
            low, high = m.macro_ci95 or (None, None)
            words = (
                f"{called[m.cell]}, goals of {size:,} questions: Macro"
                f" {share_text(m.right_goals, m.goals)} goals{interval_text(m.macro_ci95)}"
            )
            target = target_of(m.cell, f"questions:{size}")
            marks[m.cell].append(Mark(size, m.macro.errors_as_wrong, words, low, high, target))
            rows.append(
                (*cell_values(m.cell), size, m.goals, m.right_goals, m.macro.errors_as_wrong, low, high,
                 m.macro_ci95_method)
            )  # fmt: skip
    drawn = [cell for cell, found in marks.items() if found]
    lines = tuple(
        Line(
            _line_name(cell, names, conditions, ratios),
            looks[cell.compressor, cell.revision],
            kinds.index((cell.condition, cell.ratio)),
            tuple(marks[cell]),
            shift=_shift(place, len(drawn)),
        )
        for place, cell in enumerate(drawn)
    )
    counts = ", ".join(f"{_units_of(by_size[size], drawn)} of {size:,} questions" for size in sizes[:12])
    return LineChart(
        key=key,
        title=title,
        caption=f"Goals in each cell: {counts}. {ERRORS_AS_WRONG} {INTERVALS}",
        x_title="Questions of a goal" + (f" (ratio {ratio})" if ratio else ""),
        y_title="Share of goals all-right",
        panels=(Panel("Macro", lines),),
        x_ticks=tuple(map(float, sizes)) if len(sizes) <= 20 else (),
        table=Table(
            ("compressor", "revision", "condition", "ratio", "questions_per_goal", "goals", "right_goals",
             "macro_errors_as_wrong", "macro_ci95_low", "macro_ci95_high", "macro_ci95_method"),
            tuple(rows),
        ),
        x_is_whole=True,
    )  # fmt: skip


def _line_name(
    cell: Cell, names: dict[tuple[str, str], str], conditions: Collection[str], ratios: Collection[str]
) -> str:
    parts = [names[cell.compressor, cell.revision]]
    if len(conditions) > 1:
        parts.append(cell.condition)
    if len(ratios) > 1:
        parts.append(cell.ratio)
    return " · ".join(parts)


def _units_of(units: Sequence[UnitCounts], cells: Sequence[Cell]) -> str:
    counts = dict.fromkeys(cells, 0)
    for unit in units:
        if unit.cell in counts:
            counts[unit.cell] += 1
    return _range(set(counts.values()))


def micro_macro(cells: Iterable[CellMetrics]) -> dict[Cell, CellMetrics]:
    """Return the figures by cell, of those that have a question."""
    return {m.cell: m for m in cells if m.questions}
