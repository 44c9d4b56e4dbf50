"""Charts of whole databases: the shared runs' expected figures, survival against stored fates, files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from gacc_gui.app.charting import (
    TITLES,
    evidence_needs,
    evidence_places,
    figure_chart,
    first_choice,
    place_figures,
    places_chart,
    run_charts,
    run_figures,
    too_many,
    write_chart,
)
from gacc_gui.app.importing import import_paths
from gacc_gui.app.matrix import matrix_of, run_goals
from gacc_gui.core.charts import BarChart, HeatChart, LineChart, Mark, NoChart
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.evidence_charts import curves, survival_chart
from gacc_gui.core.filters import Match, parse
from gacc_gui.core.records import Cell
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import CellChoice


@pytest.fixture
def hotpot(shared_data: Path, tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    database = tmp_path / "h.db"
    import_paths(database, [shared_data / "runs" / "hotpot-rules.gacc-run.json"])
    expected = json.loads((shared_data / "runs" / "hotpot-rules.expected.json").read_text())
    return database, expected["cells"]


RUN = "hotpot-rules-5"


def test_charts_show_the_expected_figures(hotpot: tuple[Path, dict[str, Any]]) -> None:
    database, expected = hotpot
    with Reader(database) as reader:
        figures = run_figures(reader, RUN)
    ratio = figure_chart(figures, "ratio", CellChoice())
    assert isinstance(ratio, LineChart)
    for panel, key in zip(ratio.panels, ("micro_errors_as_wrong", "macro_errors_as_wrong"), strict=True):
        drawn = {f"{line.name}|own-goal|{mark.x}": mark.y for line in panel.lines for mark in line.marks}
        assert drawn == pytest.approx({cell: values[key] for cell, values in expected.items()})
    causes = figure_chart(figures, "causes", CellChoice())
    assert isinstance(causes, BarChart)
    for bar, label in enumerate(causes.labels):
        wanted = expected[label.replace(" · ", "|")]
        found = {layer.role: layer.sizes[bar] for layer in causes.layers if layer.sizes[bar]}
        assert found == wanted["causes"]
        assert causes.total(bar) == wanted["questions"]
    heat = figure_chart(figures, "heat", CellChoice(compressor="lead"))
    assert isinstance(heat, HeatChart)
    for row, cell in enumerate(heat.cells):
        assert sum(heat.right[row]) == expected[f"lead|own-goal|{cell.ratio}"]["correct"]
    assert isinstance(figure_chart(figures, "sizes", CellChoice()), NoChart)
    only = figure_chart(figures, "ratio", CellChoice(ratio="0.1"))
    assert isinstance(only, NoChart) and "0.1" in only.reason


def test_survival_at_the_own_budget_is_what_the_stored_fates_say(hotpot: tuple[Path, dict[str, Any]]) -> None:
    database, expected = hotpot
    with Reader(database) as reader:
        figures = run_figures(reader, RUN)
        fates = list(reader.question_results(RUN))
        for name in expected:
            compressor, condition, ratio = name.split("|")
            choice = CellChoice(compressor, None, condition, ratio)
            needs = evidence_needs(reader, figures.run, figures.contexts, choice)
            retained = sum(
                row.fate == "retained" for row in fates if (row.compressor, row.ratio) == (compressor, ratio)
            )
            own = [sum(need is not None and need <= one.budget for need in one.needs) for one in needs]
            assert sum(own) == retained
            questions, goals = curves(needs, in_tokens=False)
            assert (questions.whole, goals.whole) == (240, 48)
            assert questions.at(float(ratio)) >= retained  # ⌊rN⌋ rounds down, a share does not


def test_a_mark_of_a_survival_curve_leads_to_what_it_counts(hotpot: tuple[Path, dict[str, Any]]) -> None:
    database, _ = hotpot
    choice = CellChoice("lead", None, "own-goal", "0.25")
    with Reader(database) as reader:
        figures = run_figures(reader, RUN)
        needs = evidence_needs(reader, figures.run, figures.contexts, choice)
        chart = survival_chart(needs, figures.chosen(choice))
        assert isinstance(chart, LineChart)
        questions, goals = chart.panels[0].lines[:2]
        for mark in goals.marks:
            if mark.target is not None:
                found = reader.goal_units(RUN, choice, parse(mark.target.filter))
                assert len(found) == round(mark.y * 48)
        # At the largest budget all survives that was proposed.
        fates: dict[str, dict[str, str]] = {}
        for row in reader.question_results(RUN):
            if (row.compressor, row.ratio) == ("lead", "0.25"):
                fates.setdefault(row.memory_id, {})[row.question_id] = row.fate
        kept = ("retained", "cut", "tail")
        largest = [_values(line.marks[-1]) for line in (questions, goals)]
        assert largest[0] == {id_ for rows in fates.values() for id_, fate in rows.items() if fate in kept}
        assert largest[1] == {id_ for id_, rows in fates.items() if set(rows.values()) <= set(kept)}


def _values(mark: Mark) -> set[str]:
    assert mark.target is not None
    (term,) = parse(mark.target.filter).terms
    assert isinstance(term, Match)
    return set(term.values)


def test_places_count_every_row_once_and_lead_back_to_them(hotpot: tuple[Path, dict[str, Any]]) -> None:
    database, _ = hotpot
    with Reader(database) as reader:
        contexts = run_figures(reader, RUN).contexts
        parts = [evidence_places(reader, RUN, contexts[:5]), evidence_places(reader, RUN, contexts[5:])]
        places = place_figures(reader, RUN, parts)
        assert places == place_figures(reader, RUN, [evidence_places(reader, RUN, contexts)])
        chart = places_chart(places, CellChoice(compressor="lead"))
        assert isinstance(chart, BarChart)
        assert sum(row[2] for row in chart.table.rows) + 9 / 3 * places.not_placed == 720
        for layer in chart.layers:
            for tenth, target in enumerate(layer.targets):
                if target is None:
                    continue
                units = reader.goal_units(RUN, CellChoice(compressor="lead"), parse(target.filter))
                count = chart.table.rows[tenth][chart.table.columns.index(layer.role)]
                assert bool(units) == bool(count)


def test_the_report_gets_every_chart(hotpot: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    database, _ = hotpot
    with Reader(database) as reader:
        charts = list(run_charts(reader, RUN))
    assert [chart.key for chart in charts] == list(TITLES)
    for chart in charts:
        if isinstance(chart, NoChart):
            with pytest.raises(BadUsage, match="5 questions"):
                write_chart(chart, tmp_path / "no.csv")
            continue
        write_chart(chart, tmp_path / f"{chart.key}.svg")
        ElementTree.parse(tmp_path / f"{chart.key}.svg")
        write_chart(chart, tmp_path / f"{chart.key}.csv")
        with (tmp_path / f"{chart.key}.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
        assert tuple(rows[0]) == chart.table.columns and len(rows) == len(chart.table.rows) + 1
    assert not list(tmp_path.glob(".*.part"))
    assert not (tmp_path / "no.csv").exists()


def test_the_matrix_agrees_with_the_filter(hotpot: tuple[Path, dict[str, Any]]) -> None:
    database, _ = hotpot
    with Reader(database) as reader:
        goals = run_goals(reader, RUN)
        assert len(goals.ids) == 48
        listed = {
            row.goal_id for row in reader.goal_rows(reader.goal_units(RUN, query=parse("flip:nonmonotone")))
        }
        assert goals.lost == listed
        for goal in goals.ids:
            matrix = matrix_of(reader, RUN, goal)
            assert len(matrix.columns) == 9
            assert any(matrix.turns(row)[1] for row in range(len(matrix.questions))) == (goal in listed)
        with pytest.raises(BadUsage):
            matrix_of(reader, RUN, "no such goal")


def test_a_run_without_ledgers_or_tokenizer(
    run_document: dict[str, Any], run_file: Any, tmp_path: Path
) -> None:
    del run_document["run"]["tokenizer"]
    for memory in run_document["memories"]:
        del memory["ledger"]
        memory["compressor"]["name"] = "=cmd()"
    database = tmp_path / "a.db"
    import_paths(database, [run_file(run_document)])
    with Reader(database) as reader:
        charts = {chart.key: chart for chart in run_charts(reader, "small")}
    for key in ("ratio", "survival", "sizes", "ledger"):
        assert isinstance(charts[key], NoChart)
    assert "names no tokenizer" in charts["survival"].reason  # type: ignore[union-attr]
    write_chart(charts["causes"], tmp_path / "causes.csv")
    assert '"\'=cmd()"' in (tmp_path / "causes.csv").read_text(encoding="utf-8-sig")
    with pytest.raises(BadUsage, match=r"\.svg or \.csv"):
        write_chart(charts["causes"], tmp_path / "causes.gif")


def test_source_tokens_are_counted_where_none_are_declared(
    run_document: dict[str, Any], run_file: Any, tmp_path: Path
) -> None:
    del run_document["memories"][0]["ledger"]
    database = tmp_path / "a.db"
    import_paths(database, [run_file(run_document)])
    with Reader(database) as reader:
        figures = run_figures(reader, "small")
        (needs,) = evidence_needs(reader, figures.run, figures.contexts, CellChoice())
    source = run_document["contexts"][0]["text"]
    assert needs.source_tokens == len(source)
    references = [question["references"][0] for question in run_document["questions"]]
    assert needs.needs == tuple(source.index(reference) + len(reference) for reference in references)


def test_what_is_shown_before_anybody_chose() -> None:
    cells = [
        Cell(f"c{n}", "1", condition, ratio)
        for n in range(10)
        for condition in ("cross-goal", "no-goal", "own-goal")
        for ratio in ("0.02", "0.05", "0.1", "0.2")
    ]
    assert first_choice("heat", cells) == CellChoice()
    assert first_choice("causes", cells) == CellChoice(condition="own-goal")
    assert first_choice("sizes", cells) == CellChoice(condition="own-goal", ratio="0.1")
    assert first_choice("survival", cells) == CellChoice("c0", "1", "own-goal", None)
    assert first_choice("survival", cells[:4]) == CellChoice()
    assert first_choice("ratio", []) == CellChoice()
    assert too_many(cells[:12]) is None
    assert "These are 13 cells" in (too_many(cells[:13]) or "")
