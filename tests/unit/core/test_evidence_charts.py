"""Curves and bars of evidence against counts by hand."""

from __future__ import annotations

from dataclasses import replace

from gacc_gui.core.charts import BarChart, LineChart, NoChart, Target, target_of
from gacc_gui.core.evidence_charts import Curve, PlaceCount, curves, place_chart, survival_chart
from gacc_gui.core.evidence_needs import MemoryNeeds
from gacc_gui.core.metrics import GoalFacts, UnitCounts, cell_metrics
from gacc_gui.core.records import Cell
from tests.memory_needs import needing

SMALL, LARGE = (Cell("lead", "1", "own-goal", ratio) for ratio in ("0.1", "0.2"))
NEEDS = [
    needing(SMALL, 10, 100, (5, 20), 0),
    needing(SMALL, 20, 200, (None, 10), 1),
    needing(SMALL, 20, 200, (), 2),
]


def test_curves() -> None:
    questions, goals = curves(NEEDS, in_tokens=True)
    assert questions == Curve((5.0, 10.0, 20.0), 4)
    assert goals == Curve((20.0,), 2)  # the second goal is never whole, the third has nothing to look for
    assert [questions.at(budget) for budget in (4.9, 5, 19, 1e9)] == [0, 1, 2, 3]
    assert curves(NEEDS, in_tokens=False) == (Curve((0.05, 0.05, 0.2), 4), Curve((0.2,), 2))


def test_the_chart_says_survival_and_what_is_left_out() -> None:
    facts = [GoalFacts("g1", "c1", None, 2), GoalFacts("g2", "c2", None, 2)]
    counts = (1, 1, 0, 0, 0, 0, 0, 0)
    units = [UnitCounts(SMALL, goal.goal_id, goal.context_id, 2, 2, 1, 0, counts) for goal in facts]
    chart = survival_chart(NEEDS, cell_metrics(units, facts).cells)
    assert isinstance(chart, LineChart)
    lines = {line.name: line for line in chart.panels[0].lines}
    assert list(lines) == ["questions, made for 0.1", "goals, made for 0.1", "actual Micro", "actual Macro"]
    curve = lines["questions, made for 0.1"]
    assert [(mark.x, mark.y) for mark in curve.marks] == [(0.0, 0.0), (0.05, 0.5), (0.2, 0.75)]
    assert "evidence of 0.750 (3 of 4) questions would survive" in curve.marks[-1].words
    assert [(mark.x, mark.y) for mark in lines["actual Micro"].marks] == [(0.1, 0.5)]
    assert [(mark.x, mark.y) for mark in lines["actual Macro"].marks] == [(0.1, 0.0)]
    assert chart.caption.startswith("Evidence survival, not accuracy")
    assert "From 2 stored proposals with 4 questions" in chart.caption
    assert "Left out: 3 questions without evidence to look for, and 1 goals" in chart.caption
    figures = {row[4] for row in chart.table.rows}
    assert figures == {
        "evidence_survival_questions",
        "evidence_survival_goals",
        "actual_micro",
        "actual_macro",
    }
    tokens = survival_chart(NEEDS, cell_metrics(units, facts).cells, in_tokens=True)
    assert isinstance(tokens, LineChart)
    micro = next(line for line in tokens.panels[0].lines if line.name == "actual Micro")
    assert [mark.x for mark in micro.marks] == [50 / 3]  # the mean budget


def test_equal_proposals_have_one_curve_and_both_in_the_table() -> None:
    same = [needing(LARGE, 20, 100, (5, 20), 0), needing(SMALL, 10, 100, (5, 20), 0)]
    chart = survival_chart(same, ())
    assert isinstance(chart, LineChart)
    assert [line.name for line in chart.panels[0].lines] == [
        "questions, made for 0.1, 0.2",
        "goals, made for 0.1, 0.2",
    ]
    assert {row[3] for row in chart.table.rows} == {"0.1", "0.2"}


def test_a_mark_leads_to_what_survives_there() -> None:
    one = MemoryNeeds(SMALL, 10, 100, (20, None, 5), 0, "m1", ("q1", "q2", "q 3"))
    other = MemoryNeeds(SMALL, 10, 200, (10, 30), 0, "m2", ("q4", "q5"))
    chart = survival_chart([one, other], (), in_tokens=True)
    assert isinstance(chart, LineChart)
    questions, goals = chart.panels[0].lines
    assert [(mark.x, mark.target and mark.target.filter) for mark in questions.marks] == [
        (0.0, None),
        (5.0, 'question-id:"q 3"'),
        (10.0, 'question-id:"q 3",q4'),
        (20.0, 'question-id:"q 3",q4,q1'),
        (30.0, 'question-id:"q 3",q4,q1,q5'),
    ]
    assert [(mark.x, mark.target) for mark in goals.marks] == [
        (0.0, None),
        (30.0, target_of(SMALL, "memory-id:m2")),  # the other never is whole
    ]


def test_what_no_filter_can_say_is_said() -> None:
    twice = [MemoryNeeds(SMALL, 10, 100, (n,), 0, f"generation {n}", ("q",)) for n in (5, 9)]
    many = [needing(SMALL, 10, 10_000, tuple(range(1, 5001)))]
    for memories, whole in ((twice, 2), (many, 5000)):
        chart = survival_chart(memories, (), in_tokens=True)
        assert isinstance(chart, LineChart)
        mark = chart.panels[0].lines[0].marks[-1]
        assert f"({whole:,} of {whole:,}) questions" in mark.words and mark.target is not None
        assert mark.target.filter == "" and mark.target.wider.startswith("The list shows all rows")
        assert replace(mark.target, wider="") == target_of(SMALL)
    # The memories of generations have ids of their own.
    chart = survival_chart(twice, (), in_tokens=True)
    assert isinstance(chart, LineChart)
    target = chart.panels[0].lines[1].marks[-1].target
    assert target is not None and target.filter == 'memory-id:"generation 5","generation 9"'


def test_a_long_curve_is_thinned_and_keeps_its_ends() -> None:
    many = [needing(SMALL, 10, 10_000, tuple(range(1, 5001)), 0)]
    chart = survival_chart(many, ())
    assert isinstance(chart, LineChart)
    marks = chart.panels[0].lines[0].marks
    assert 150 < len(marks) < 170
    assert (marks[0].y, marks[-1].y) == (0.0, 1.0)
    assert all(abs(mark.y - mark.x * 2) < 1e-9 for mark in marks)


def test_nothing_to_look_for() -> None:
    assert isinstance(survival_chart([needing(SMALL, 1, 1, (), 3)], ()), NoChart)
    assert isinstance(survival_chart([], ()), NoChart)


def test_places() -> None:
    counts = [
        PlaceCount(0, SMALL, "retained", 3),
        PlaceCount(0, LARGE, "tail", 1),
        PlaceCount(9, SMALL, "omitted", 2),
        PlaceCount(9, SMALL, "absent", 5),  # cannot be placed, and is no part of the bar
    ]
    ids = [["q1", "q 2"], *[[] for _ in range(8)], ["q3"]]
    chart = place_chart(counts, ids, Target("lead", None, None, None), 4)
    assert isinstance(chart, BarChart)
    layers = {layer.role: layer for layer in chart.layers}
    assert layers["retained"].sizes == (0.75, *[None] * 8, 0.0)
    assert layers["tail"].sizes[0] == 0.25 and layers["omitted"].sizes[9] == 1.0
    assert chart.labels[0] == "0–10\n4" and chart.labels[5] == "50–60\n0"
    target = layers["tail"].targets[0]
    assert target == Target("lead", None, None, None, 'fate:tail question-id:q1,"q 2"')
    assert layers["tail"].targets[1] is None
    assert "6 rows of 3 questions" in chart.caption and "Left out: 4 questions" in chart.caption
    assert chart.table.rows[0] == (0.0, 0.1, 4, 3, 0, 1, 0)
    assert isinstance(place_chart([], ids, Target(), 0), NoChart)


def test_a_filter_too_long_for_its_line_is_left_wider_and_says_so() -> None:
    ids = [[f"question-{n:05}" for n in range(3000)], *[[] for _ in range(9)]]
    chart = place_chart([PlaceCount(0, SMALL, "retained", 3)], ids, Target("lead"), 0)
    assert isinstance(chart, BarChart)
    target = chart.layers[0].targets[0]
    assert target is not None and (target.compressor, target.filter) == ("lead", "fate:retained")
    assert target.wider.startswith("The list shows the rows of every place")
