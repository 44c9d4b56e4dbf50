"""Charts of counted units against figures counted by hand."""

from __future__ import annotations

import pytest

from gacc_gui.core.causes import CAUSES
from gacc_gui.core.chart_figures import causes_chart, ratio_chart, size_chart
from gacc_gui.core.chart_style import look, marker_fill
from gacc_gui.core.charts import BarChart, HeatChart, LineChart, NoChart, Target, cell_names
from gacc_gui.core.evidence_charts import survival_chart
from gacc_gui.core.heat_figures import heat_chart
from gacc_gui.core.ledger_figures import CellLedger, ledger_chart
from gacc_gui.core.metrics import CellMetrics, GoalFacts, UnitCounts, cell_metrics
from gacc_gui.core.records import Cell
from tests.memory_needs import needing

LEAD = [Cell("lead", "1", "own-goal", ratio) for ratio in ("0.1", "0.25")]
OTHER = Cell("other", "1", "own-goal", "0.1")
FULL = Cell("full", "1", "full-context", "1")
GOALS = [GoalFacts("g1", "c1", None, 2), GoalFacts("g2", "c2", None, 2), GoalFacts("g10", "c3", None, 3)]


def unit(cell: Cell, goal: str, **causes: int) -> UnitCounts:
    counts = tuple(causes.get(cause.replace("-", "_"), 0) for cause in CAUSES)
    context = next(one.context_id for one in GOALS if one.goal_id == goal)
    judged = sum(counts) - causes.get("no_verdict", 0)
    return UnitCounts(cell, goal, context, sum(counts), judged, causes.get("correct", 0), 0, counts)


UNITS = [
    unit(LEAD[0], "g1", correct=1, truncation=1),
    unit(LEAD[0], "g2", truncation=1, no_verdict=1),
    unit(LEAD[0], "g10", correct=3),
    unit(LEAD[1], "g1", correct=2),
    unit(LEAD[1], "g2", correct=1, reader=1),
    unit(LEAD[1], "g10", correct=3),
    unit(OTHER, "g1", compressor=2),
    unit(FULL, "g1", correct=2),
    unit(FULL, "g2", correct=2),
    unit(FULL, "g10", correct=2, item=1),
]


def metrics(*cells: Cell) -> tuple[CellMetrics, ...]:
    return cell_metrics([one for one in UNITS if one.cell in cells], GOALS, cells=cells).cells


def test_micro_and_macro_against_ratio() -> None:
    chart = ratio_chart(metrics(*LEAD, OTHER, FULL))
    assert isinstance(chart, LineChart)
    micro, macro = chart.panels
    assert [panel.title for panel in chart.panels] == ["Micro", "Macro"]
    lines = {line.name: line for line in micro.lines}
    assert list(lines) == ["full · full-context", "lead", "other"]
    assert [(mark.x, mark.y) for mark in lines["lead"].marks] == [(0.1, 4 / 7), (0.25, 6 / 7)]
    assert lines["full · full-context"].shape == "level"
    assert [mark.y for mark in lines["full · full-context"].marks] == [6 / 7]
    # One context has no interval: it is left out, not drawn as 0.
    assert [(mark.low, mark.high) for mark in lines["other"].marks] == [(None, None)]
    assert all(mark.low is not None and mark.low <= mark.y <= mark.high for mark in lines["lead"].marks)
    lead = next(line for line in macro.lines if line.name == "lead")
    assert [mark.y for mark in lead.marks] == [1 / 3, 2 / 3]
    assert "0.333 (1 of 3) goals" in lead.marks[0].words and "1 rows without a verdict" in lead.marks[0].words
    assert lead.marks[0].target == Target("lead", "1", "own-goal", "0.1", "goal:right")
    assert "Errors count as wrong" in chart.caption and "1 rows without a verdict" in chart.caption
    assert chart.x_ticks == (0.1, 0.25)
    row = dict(zip(chart.table.columns, chart.table.rows[1], strict=True))
    assert (row["ratio"], row["micro_errors_as_wrong"], row["micro_errors_excluded"]) == ("0.1", 4 / 7, 4 / 6)
    assert (row["macro_errors_as_wrong"], row["macro_errors_excluded"]) == (1 / 3, 1 / 2)


def test_a_line_alone_stands_at_its_ratios_and_others_on_both_sides() -> None:
    def shifts(*cells: Cell) -> list[float]:
        chart = ratio_chart(metrics(*cells))
        assert isinstance(chart, LineChart)
        return [line.shift for line in chart.panels[0].lines]

    assert shifts(*LEAD) == [0]
    # A level is drawn across the chart and takes no place beside a line.
    assert shifts(*LEAD, FULL) == [0, 0]
    left, right = shifts(*LEAD, OTHER)
    assert left < 0 < right == -left
    alone = size_chart(UNITS, GOALS, LEAD[:1])
    assert isinstance(alone, LineChart)
    assert [line.shift for line in alone.panels[0].lines] == [0]


def test_one_ratio_is_said_and_not_drawn() -> None:
    chart = ratio_chart(metrics(LEAD[0], OTHER, FULL))
    assert isinstance(chart, NoChart)
    assert "ratio 0.1" in chart.reason
    assert isinstance(ratio_chart(metrics(FULL)), NoChart)
    assert isinstance(ratio_chart(()), NoChart)


def test_methods_without_a_ratio_of_their_own_work_as_cells() -> None:
    methods = [Cell(name, "", "own-goal", "1") for name in ("full", "jev", "summary")]
    units = [unit(cell, "g1", correct=1, reader=1) for cell in methods]
    cells = cell_metrics(units, GOALS, cells=methods).cells
    assert isinstance(ratio_chart(cells), NoChart)
    assert isinstance(causes_chart(cells), BarChart)
    assert isinstance(heat_chart(units, methods, {}), HeatChart)


def test_causes_add_up_to_the_questions() -> None:
    cells = metrics(*LEAD, OTHER, FULL)
    chart = causes_chart(cells)
    assert isinstance(chart, BarChart)
    assert chart.labels == (
        "full · full-context · 1",
        "lead · own-goal · 0.1",
        "lead · own-goal · 0.25",
        "other · own-goal · 0.1",
    )
    questions = {cell.cell: cell.questions for cell in cells}
    assert (
        [chart.total(bar) for bar in range(4)] == [questions[c] for c in (FULL, *LEAD, OTHER)] == [7, 7, 7, 2]
    )
    layers = {layer.role: layer for layer in chart.layers}
    assert set(layers) == {"correct", "truncation", "compressor", "reader", "item", "no-verdict"}
    assert layers["truncation"].sizes == (0, 2, 0, 0) and layers["truncation"].letter == "T"
    assert layers["truncation"].words[1] == "lead · own-goal · 0.1: truncation 0.286 (2 of 7) questions"
    assert layers["no-verdict"].targets[1] == Target("lead", "1", "own-goal", "0.1", "cause:no-verdict")


def test_goals_over_cells() -> None:
    again = unit(LEAD[0], "g2", correct=2)  # a second repeat
    chart = heat_chart([*UNITS, again], [*LEAD, OTHER], {"g1": "first"}, shows_away=True)
    assert isinstance(chart, HeatChart)
    assert chart.cells == (*LEAD, OTHER)
    assert chart.goals == ("g1", "g2", "g10")  # 3 of 6, 3 of 6, 6 of 6: equals in natural order
    assert chart.right == ((1, 2, 3), (2, 1, 3), (0, 0, 0))
    assert chart.whole == ((2, 4, 3), (2, 2, 3), (2, 0, 0))
    assert chart.share(0, 1) == 1 / 2 and chart.away(0, 1) == 1.0
    assert chart.share(2, 1) is None and chart.away(2, 1) is None
    assert chart.highest == 2.0
    assert chart.words(0, 1) == "g2 · lead · own-goal · 0.1: 2 of 4 right in 2 units"
    assert chart.words(2, 1) == "g2 · other · own-goal · 0.1: not evaluated"
    assert chart.target(0, 1) == Target("lead", "1", "own-goal", "0.1", "goal-id:g2")
    assert "7 evaluated, 2 not" in chart.caption
    assert len(chart.table.rows) == 7  # what was not evaluated is no row


def test_a_goal_id_that_needs_quotes_is_quoted() -> None:
    goals = [GoalFacts('c1 / "g"', "c1", None, 1)]
    counts = (1, *[0] * 7)
    chart = heat_chart([UnitCounts(OTHER, goals[0].goal_id, "c1", 1, 1, 1, 0, counts)], [OTHER], {})
    assert isinstance(chart, HeatChart)
    assert chart.target(0, 0).filter == 'goal-id:"c1 / ""g"""'


def test_macro_by_questions_of_a_goal() -> None:
    chart = size_chart(UNITS, GOALS, LEAD)
    assert isinstance(chart, LineChart)
    lines = {line.name: line for line in chart.panels[0].lines}
    assert [(mark.x, mark.y) for mark in lines["lead · 0.1"].marks] == [(2, 0.0), (3, 1.0)]
    assert [(mark.x, mark.y) for mark in lines["lead · 0.25"].marks] == [(2, 0.5), (3, 1.0)]
    assert lines["lead · 0.25"].marks[0].target == Target("lead", "1", "own-goal", "0.25", "questions:2")
    assert "2 of 2 questions, 1 of 3 questions" in chart.caption
    same = size_chart([one for one in UNITS if one.questions == 2], GOALS, LEAD)
    assert isinstance(same, NoChart) and "2 questions" in same.reason


@pytest.mark.parametrize("order", [1, -1])
def test_the_ledger(order: int) -> None:
    ledgers = [CellLedger(LEAD[1], 4, 2, 300, 200, 10), CellLedger(LEAD[0], 3, 0, 0, 0, 0)][::order]
    chart = ledger_chart(ledgers)
    assert isinstance(chart, BarChart)
    assert chart.labels == ("lead · own-goal · 0.25",)
    assert [layer.sizes for layer in chart.layers] == [(100.0,), (50.0,), (5.0,)]
    assert chart.layers[1].words == (
        "lead · own-goal · 0.25: cut off 50.0 tokens a memory (100 in 2 memories)",
    )
    assert "5 memories without a ledger are left out" in chart.caption
    assert chart.table.rows == (("lead", "1", "own-goal", "0.25", 4, 2, 300, 200, 100, 10),)
    assert isinstance(ledger_chart(ledgers[order:][:1] if order == 1 else ledgers[:1]), NoChart)


def test_revisions_of_one_name_are_told_apart_in_every_chart_of_cells() -> None:
    cells = [Cell("pick", "1", "own-goal", "0.1"), Cell("pick", "2", "own-goal", "0.1"), LEAD[0]]
    units = [unit(cell, goal, correct=2, reader=n) for n, cell in enumerate(cells) for goal in ("g1", "g10")]
    units = [one for one in units if one.questions]
    facts = cell_metrics(units, GOALS, cells=cells).cells
    names = ("lead · own-goal · 0.1", "pick 1 · own-goal · 0.1", "pick 2 · own-goal · 0.1")
    needs = [needing(cell, 10, 100, (n + 1,), 0) for n, cell in enumerate(cells)]
    causes, heat, ledger, survival = (
        causes_chart(facts),
        heat_chart(units, cells, {}),
        ledger_chart([CellLedger(cell, 1, 1, 2, 1, 0) for cell in cells]),
        survival_chart(needs, facts),
    )
    assert isinstance(causes, BarChart) and isinstance(ledger, BarChart) and isinstance(heat, HeatChart)
    assert causes.labels == ledger.labels == heat.labels == names
    assert [words.split(":")[0] for words in causes.layers[0].words] == list(names)
    assert [words.split(":")[0] for words in ledger.layers[0].words] == list(names)
    assert heat.words(1, 0).startswith(f"{heat.goals[0]} · pick 1 · own-goal")
    assert isinstance(survival, LineChart)
    marks = [mark.words for line in survival.panels[0].lines for mark in line.marks]
    assert all(any(words.startswith(name) for name in names) for words in marks)
    more = [*units, *(unit(Cell("pick", "2", "own-goal", "0.5"), goal, correct=1) for goal in ("g1", "g2"))]
    ratio = ratio_chart(cell_metrics(more, GOALS).cells)
    assert isinstance(ratio, LineChart)
    assert {mark.words.split(":")[0] for line in ratio.panels[0].lines for mark in line.marks} == {
        *names,
        "pick 2 · own-goal · 0.5",
    }


def test_an_empty_revision_is_one_too() -> None:
    cells = [Cell("pick", "", "own-goal", "0.1"), Cell("pick", "2", "own-goal", "0.1")]
    assert list(cell_names(cells).values()) == ["pick · own-goal · 0.1", "pick 2 · own-goal · 0.1"]
    assert list(cell_names(cells[1:]).values()) == ["pick · own-goal · 0.1"]


def test_lines_of_one_compressor_differ_in_marker_or_its_fill() -> None:
    """A line of one mark shows no dash: the fill of the marker says the condition."""
    cells = [Cell("lead", "1", condition, "0.1") for condition in ("own-goal", "no-goal", "cross-goal")]
    cells += [LEAD[1], OTHER]
    units = [unit(cell, goal, correct=1) for cell in cells for goal in ("g1", "g2")]
    chart = ratio_chart(cell_metrics(units, GOALS).cells)
    assert isinstance(chart, LineChart)
    seen = [(look(line.look).marker, marker_fill(line.dash)) for line in chart.panels[0].lines]
    assert len(set(seen)) == len(seen) == 4
    # By size of a goal a line is a cell: condition and ratio may both differ.
    many = [Cell("lead", "1", condition, ratio) for condition in ("own-goal", "no-goal") for ratio in "01"]
    units = [
        *(unit(cell, "g1", correct=2) for cell in many),
        *(unit(cell, "g10", correct=3) for cell in many),
    ]
    chart = size_chart(units, GOALS, many)
    assert isinstance(chart, LineChart)
    assert len({line.dash for line in chart.panels[0].lines}) == 4
