"""Evidence as charts: survival against budget from the stored proposals, and survival by place in the source.

Evidence survival is not accuracy: the compressor knew its budget and might have written something else under
another one. Owns the counting into curves and bars; the finding is `evidence_needs`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gacc_gui.core.causes import CUT, OMITTED, RETAINED, TAIL
from gacc_gui.core.chart_figures import INTERVALS, interval_text, micro_macro, ordered, share_text
from gacc_gui.core.charts import (
    BarChart,
    Chart,
    Layer,
    Line,
    LineChart,
    Mark,
    NoChart,
    Panel,
    Table,
    Target,
    Value,
    cell_names,
    target_of,
)
from gacc_gui.core.completion import quote
from gacc_gui.core.evidence_needs import DECILES, MemoryNeeds
from gacc_gui.core.metrics import CellMetrics
from gacc_gui.core.records import Cell

NOT_ACCURACY: Final = "Evidence survival, not accuracy: the compressor knew its budget."
_MARKS: Final = 160
"""Marks of one curve at most: more cannot be told apart on a screen."""
_LONGEST_FILTER: Final = 20_000
"""Code points of a filter that can still stand in the filter's line."""
_ALL_OF_CELL: Final = "The list shows all rows of the cell: the mark's own cannot be said in a filter."
_ALL_OF_FATE: Final = (
    "The list shows the rows of every place: the questions of this one are too many for a filter."
)


@dataclass(frozen=True, slots=True)
class Curve:
    """Sorted budgets (tokens, or shares of the source) at which one more survives, of `whole`."""

    needs: tuple[float, ...]
    whole: int

    def at(self, budget: float) -> int:
        """How many survive at a budget."""
        return bisect_right(self.needs, budget)


def curves(memories: Iterable[MemoryNeeds], *, in_tokens: bool) -> tuple[Curve, Curve]:
    """Return the curve of questions and that of goals over some memories.

    Questions without evidence to look for, and goals of which that holds for all, are left out of both.
    """
    questions: list[float] = []
    goals: list[float] = []
    located = located_goals = 0
    for memory in memories:
        if not memory.needs:
            continue
        unit = 1 if in_tokens else memory.source_tokens
        located += len(memory.needs)
        located_goals += 1
        if not unit:
            continue  # an empty source holds no evidence
        questions += [need / unit for need in memory.needs if need is not None]
        whole = memory.all_need
        if whole is not None:
            goals.append(whole / unit)
    return Curve(tuple(sorted(questions)), located), Curve(tuple(sorted(goals)), located_goals)


class _Survivors:
    """The rows behind a curve: what survives at a budget, as a filter."""

    def __init__(self, cell: Cell, key: str, needs: Iterable[tuple[float, str]]) -> None:
        self._cell = cell
        self._key = key
        ranked = sorted(needs)
        self._ids = [quote(id_) for _, id_ in ranked]
        self._is_exact = len(set(self._ids)) == len(self._ids)

    def target(self, kept: int) -> Target | None:
        """Return the rows of the first `kept` that survive; None where none does."""
        if not kept:
            return None
        asked = f"{self._key}:{','.join(self._ids[:kept])}"
        if not self._is_exact or len(asked) > _LONGEST_FILTER:
            return replace(target_of(self._cell), wider=_ALL_OF_CELL)
        return target_of(self._cell, asked)


def _survivors(
    cell: Cell, memories: Sequence[MemoryNeeds], *, in_tokens: bool
) -> tuple[_Survivors, _Survivors]:
    """Return the rows behind the two `curves` of a cell's memories.

    Of several memories of one goal (generations) a filter on questions would mean all of them: then there
    is none.
    """
    questions: list[tuple[float, str]] = []
    goals: list[tuple[float, str]] = []
    for memory in memories:
        unit = 1 if in_tokens else memory.source_tokens
        if not memory.needs or not unit:
            continue
        pairs = zip(memory.needs, memory.questions, strict=True)
        questions += [(need / unit, id_) for need, id_ in pairs if need is not None]
        if (whole := memory.all_need) is not None:
            goals.append((whole / unit, memory.memory))
    return _Survivors(cell, "question-id", questions), _Survivors(cell, "memory-id", goals)


def survival_chart(
    memories: Sequence[MemoryNeeds], cells: Sequence[CellMetrics], *, in_tokens: bool = False
) -> Chart:
    """Return evidence survival against budget, two curves for each cell's proposals, with actual figures.

    Budgets are shares of the source, or tokens. `cells` are the figures of the memories' cells.
    """
    key, title = "survival", "Evidence survival by budget"
    by_cell: dict[Cell, list[MemoryNeeds]] = {}
    for memory in memories:
        by_cell.setdefault(memory.cell, []).append(memory)
    drawn = [cell for cell in ordered(by_cell) if any(memory.needs for memory in by_cell[cell])]
    if not drawn:
        return NoChart(key, title, "No question of these cells has evidence that could be looked for.")
    found = {cell: curves(by_cell[cell], in_tokens=in_tokens) for cell in drawn}
    own = {cell: _own_budget(cell, by_cell[cell], in_tokens) for cell in drawn}
    reach = max(
        [curve.needs[-1] for pair in found.values() for curve in pair if curve.needs]
        + [budget for budget in own.values() if budget is not None]
        or [1.0]
    )
    several = len({(cell.compressor, cell.revision, cell.condition) for cell in drawn}) > 1
    called = cell_names(drawn)
    lines: list[Line] = []
    rows: list[tuple[Value, ...]] = []
    for place, cell in enumerate(drawn):
        same = [other for other in drawn if found[other] == found[cell]]
        names = [called[other] if several else other.ratio for other in same]
        name = ", ".join(names) if several else f"made for {', '.join(names)}"
        rows_behind = _survivors(cell, by_cell[cell], in_tokens=in_tokens)
        for dash, (what, curve) in enumerate(zip(("questions", "goals"), found[cell], strict=True)):
            marks = []
            for budget in _steps(curve, reach):
                kept = curve.at(budget)
                at = f"{budget:,.0f} tokens" if in_tokens else f"{budget:.4f} of the source"
                words = f"{called[cell]}, proposals at {at}: evidence of {share_text(kept, curve.whole)}"
                marks.append(
                    Mark(
                        budget,
                        kept / curve.whole,
                        f"{words} {what} would survive",
                        target=rows_behind[dash].target(kept),
                    )
                )
                rows.append((cell.compressor, cell.revision, cell.condition, cell.ratio,
                             f"evidence_survival_{what}", budget, kept, curve.whole, kept / curve.whole,
                             None, None))  # fmt: skip
            if cell is same[0]:  # equal proposals have one curve
                lines.append(Line(f"{what}, {name}", place, dash, tuple(marks), "step"))
    actual, actual_rows = _actual(drawn, own, cells)
    rows += actual_rows
    left_out = sum(memory.unlocated for cell in drawn for memory in by_cell[cell])
    goals_out = sum(not memory.needs for memory in memories)
    outside = ""
    if left_out:
        goals_words = f", and {goals_out:,} goals that have no other" if goals_out else ""
        outside = f" Left out: {left_out:,} questions without evidence to look for{goals_words}."
    questions = sum(found[cell][0].whole for cell in drawn)
    goals = sum(found[cell][1].whole for cell in drawn)
    axis = "budget_tokens" if in_tokens else "budget_share"
    return LineChart(
        key=key,
        title=title,
        caption=f"{NOT_ACCURACY} From {goals:,} stored proposals with {questions:,} questions.{outside}"
        f" Points: actual Micro and Macro at the cells' own budgets. {INTERVALS}",
        x_title="Budget L′ in tokens" if in_tokens else "Budget L′ as a share of the source",
        y_title="Share surviving; actual share right",
        panels=(Panel("", (*lines, *actual)),),
        x_ticks=(),
        table=Table(
            ("compressor", "revision", "condition", "made_for_ratio", "figure", axis, "count", "whole",
             "share", "ci95_low", "ci95_high"),
            tuple(rows),
        ),
    )  # fmt: skip


def _own_budget(cell: Cell, memories: Sequence[MemoryNeeds], in_tokens: bool) -> float | None:
    """Return the budget that a cell's memories had: its ratio, or their mean in tokens; None if unknown."""
    budgets = [memory.budget for memory in memories if memory.budget is not None]
    if not budgets:
        return None
    return sum(budgets) / len(budgets) if in_tokens else float(cell.ratio)


def _steps(curve: Curve, reach: float) -> list[float]:
    """Return budgets at which a curve is drawn: 0, the end, and where it rises, thinned out evenly."""
    rises = sorted(set(curve.needs))
    if len(rises) > _MARKS:
        step = (len(rises) - 1) / (_MARKS - 1)
        rises = [rises[round(number * step)] for number in range(_MARKS)]
    return sorted({0.0, *rises, reach})


def _actual(
    cells: Sequence[Cell], own: Mapping[Cell, float | None], figures: Iterable[CellMetrics]
) -> tuple[list[Line], list[tuple[Value, ...]]]:
    by_cell, called = micro_macro(figures), cell_names(cells)
    micro: list[Mark] = []
    macro: list[Mark] = []
    rows: list[tuple[Value, ...]] = []
    for cell in cells:
        m, budget = by_cell.get(cell), own[cell]
        if m is None or budget is None:
            continue
        for marks, name, part, whole, interval, asked in (
            (micro, "Micro", m.correct, m.questions, m.micro_ci95, ""),
            (macro, "Macro", m.right_goals, m.goals, m.macro_ci95, "goal:right"),
        ):
            low, high = interval or (None, None)
            words = f"{called[cell]}: actual {name} {share_text(part, whole)}{interval_text(interval)}"
            marks.append(Mark(budget, part / whole, words, low, high, target_of(cell, asked)))
            rows.append((cell.compressor, cell.revision, cell.condition, cell.ratio, f"actual_{name.lower()}",
                         budget, part, whole, part / whole, low, high))  # fmt: skip
    lines = [
        Line("actual Micro", 8, 0, tuple(micro), "points", -0.004),
        Line("actual Macro", 3, 0, tuple(macro), "points", 0.004),
    ]
    return [line for line in lines if line.marks], rows


@dataclass(frozen=True, slots=True)
class PlaceCount:
    """Rows of questions whose evidence lies in one tenth of its source, by cell and fate."""

    decile: int
    cell: Cell
    fate: str
    rows: int


def place_chart(
    counts: Iterable[PlaceCount],
    questions: Sequence[Sequence[str]],
    selection: Target,
    not_placed: int,
) -> Chart:
    """Return what became of evidence by where it lies in the source: shares of rows in each tenth.

    `questions`: ids per tenth, for the filter; `selection`: the cells that were counted (its filter is
    empty); `not_placed`: questions whose evidence is nowhere in the source.
    """
    key, title = "places", "Survival by the evidence's place in the source"
    sums = {(tenth, fate): 0 for tenth in range(DECILES) for fate in (RETAINED, CUT, TAIL, OMITTED)}
    for count in counts:
        if (count.decile, count.fate) in sums:
            sums[count.decile, count.fate] += count.rows
    whole = [sum(sums[tenth, fate] for fate in (RETAINED, CUT, TAIL, OMITTED)) for tenth in range(DECILES)]
    if not any(whole):
        return NoChart(key, title, "No question of these cells has evidence that lies in its source.")
    spans = [f"{10 * tenth}–{10 * tenth + 10} %" for tenth in range(DECILES)]
    names = {RETAINED: "retained", CUT: "cut through", TAIL: "in the tail", OMITTED: "omitted"}
    layers = tuple(
        Layer(
            name,
            "",
            fate,
            tuple(sums[tenth, fate] / whole[tenth] if whole[tenth] else None for tenth in range(DECILES)),
            tuple(
                f"evidence at {spans[tenth]} of the source: {name}"
                f" {share_text(sums[tenth, fate], whole[tenth])} rows"
                for tenth in range(DECILES)
            ),
            tuple(_place_target(selection, questions[tenth], fate) for tenth in range(DECILES)),
        )
        for fate, name in names.items()
    )
    left_out = (
        f" Left out: {not_placed:,} questions whose evidence is not in the source or not given."
        if not_placed
        else ""
    )
    return BarChart(
        key=key,
        title=title,
        caption=f"{sum(whole):,} rows of {sum(map(len, questions)):,} questions, whatever the verdict; under"
        f" each bar its rows.{left_out}",
        bar_title="Where in the source the evidence lies, in per cent (the middle of its pieces)",
        size_title="Share of rows",
        labels=tuple(f"{10 * tenth}–{10 * tenth + 10}\n{rows:,}" for tenth, rows in enumerate(whole)),
        layers=layers,
        across=False,
        table=Table(
            ("place_from", "place_to", "rows", "retained", "cut", "tail", "omitted"),
            tuple(
                (tenth / DECILES, (tenth + 1) / DECILES, whole[tenth],
                 *(sums[tenth, fate] for fate in (RETAINED, CUT, TAIL, OMITTED)))
                for tenth in range(DECILES)
            ),
        ),
        is_share=True,
    )  # fmt: skip


def _place_target(selection: Target, questions: Sequence[str], fate: str) -> Target | None:
    asked = f"fate:{fate} question-id:{','.join(map(quote, questions))}"
    if not questions:
        return None
    if len(asked) > _LONGEST_FILTER:
        return replace(selection, filter=f"fate:{fate}", wider=_ALL_OF_FATE)
    return replace(selection, filter=asked)
