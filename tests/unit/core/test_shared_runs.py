"""The independently computed expectations of ../shared: every row and every cell, from the plain JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.analysis import Outcome, Source, find, memory_rows
from gacc_gui.core.budget import canonical_ratio
from gacc_gui.core.causes import expected_answers
from gacc_gui.core.metrics import GoalFacts, RunMetrics, cell_metrics
from gacc_gui.core.records import Cell, Question
from tests.counting import count_unit


class Loaded:
    """A run computed from its document by the core alone."""

    def __init__(self, document: dict[str, Any]) -> None:
        sources = {c["id"]: Source(c["text"]) for c in document["contexts"]}
        goals = {g["id"]: g["context_id"] for g in document["goals"]}
        questions: dict[str, list[Question]] = defaultdict(list)
        for q in document["questions"]:
            evidence = q.get("evidence")
            questions[q["goal_id"]].append(
                Question(
                    q["id"],
                    q["goal_id"],
                    q["text"],
                    tuple(q["references"]),
                    None if evidence is None else tuple(evidence),
                )
            )
        answers: dict[str, dict[tuple[str, int], tuple[str, str | None]]] = defaultdict(dict)
        for a in document["answers"]:
            answers[a["memory_id"]][a["question_id"], a["repeat"]] = a["status"], a["text"]
        verdicts: dict[str, dict[tuple[str, int], tuple[str, str | None]]] = defaultdict(dict)
        for v in document["verdicts"]:
            verdicts[v["memory_id"]][v["question_id"], v["repeat"]] = v["status"], v["label"]
        self.rows: dict[tuple[str, str, int], Outcome] = {}
        units = []
        for m in document["memories"]:
            compressor, goal = m["compressor"], m["goal_id"]
            cell = Cell(
                compressor["name"], compressor["revision"], m["condition"], canonical_ratio(m["ratio"])
            )
            asked = questions[goal]
            findings = find(sources[goals[goal]], m["proposed_text"], m["retained_text"], asked)
            for repeat, rows in memory_rows(
                findings,
                [(q.id, expected_answers(q.references)) for q in asked],
                answers[m["id"]],
                verdicts[m["id"]],
                budget=m["budget"],
                status=m["status"],
            ):
                units.append(count_unit(cell, goal, goals[goal], [(r.cause, r.label, r.flags) for r in rows]))
                for question, row in zip(asked, rows, strict=True):
                    self.rows[m["id"], question.id, repeat] = row
        facts = [GoalFacts(g, c, None, len(questions[g])) for g, c in goals.items()]
        self.metrics: RunMetrics = cell_metrics(units, facts)


@pytest.fixture(scope="module")
def loaded(request: pytest.FixtureRequest) -> Any:
    kept: dict[str, tuple[Loaded, Any]] = {}

    def load(folder: Path, name: str) -> tuple[Loaded, Any]:
        if name not in kept:
            runs = folder / "runs"
            document = json.loads((runs / f"{name}.gacc-run.json").read_text("utf-8"))
            expected = json.loads((runs / f"{name}.expected.json").read_text("utf-8"))
            kept[name] = Loaded(document), expected
        return kept[name]

    return load


def check_cells(run: Loaded, expected: dict[str, Any], key: Any) -> None:
    cells = {key(cell.cell): cell for cell in run.metrics.cells}
    assert cells.keys() == expected.keys()
    for name, wanted in expected.items():
        cell = cells[name]
        for field in ("goals", "questions", "judged", "correct", "incomplete_goals"):
            assert getattr(cell, field) == wanted[field], (name, field)
        for field in ("missing_goals", "unsupported"):
            if field in wanted:
                assert getattr(cell, field) == wanted[field], (name, field)
        assert dict(cell.causes) == wanted["causes"], name
        assert sum(cell.causes.values()) == cell.questions
        for figure in ("micro", "macro"):
            for policy in ("errors_as_wrong", "errors_excluded"):
                got, want = getattr(getattr(cell, figure), policy), wanted[f"{figure}_{policy}"]
                assert (got is None) == (want is None), (name, figure, policy)
                assert got is None or abs(got - want) < 1e-12, (name, figure, policy)


def test_hotpot_rules_rows_and_cells(shared_data: Path, loaded: Any) -> None:
    run, expected = loaded(shared_data, "hotpot-rules")
    got = {(m, q): (r.fate, r.cause) for (m, q, _), r in run.rows.items()}
    assert got == {(m, q): (fate, cause) for m, q, fate, cause in expected["questions"]}
    check_cells(run, expected["cells"], lambda c: f"{c.compressor}|{c.condition}|{c.ratio}")


def test_mixed_rows_and_cells(shared_data: Path, loaded: Any) -> None:
    run, expected = loaded(shared_data, "mixed")
    got = {
        # How sentences are split is ours, so the expectations leave the flag `uncertain` out.
        key: (r.fate, r.cause, sorted(set(r.flags) - {"uncertain"}), r.label, r.status)
        for key, r in run.rows.items()
    }
    wanted = {
        (m, q, repeat): (fate, cause, sorted(flags), label, status)
        for m, q, repeat, fate, cause, flags, label, status in expected["rows"]
    }
    assert got.keys() == wanted.keys()
    different = {key: (got[key], wanted[key]) for key in wanted if got[key] != wanted[key]}
    assert not different
    assert len(run.rows) == len(wanted)
    check_cells(run, expected["cells"], lambda c: f"{c.compressor}|{c.revision}|{c.condition}|{c.ratio}")


def test_a_paraphrase_is_uncertain_and_an_extract_is_not(shared_data: Path, loaded: Any) -> None:
    run, _ = loaded(shared_data, "mixed")
    uncertain = {m for (m, *_), r in run.rows.items() if "uncertain" in r.flags}
    certain = {m for (m, *_), r in run.rows.items() if r.cause == "compressor"} - uncertain
    document = json.loads((shared_data / "runs" / "mixed.gacc-run.json").read_text("utf-8"))
    compressor = {m["id"]: m["compressor"]["name"] for m in document["memories"]}
    assert {compressor[m] for m in uncertain} == {"talk"}
    assert {compressor[m] for m in certain} == {"pick"}
