"""The independently computed expectations of ../shared: every row and every cell, from the plain JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.analysis import RowResult, Source, analyse_memory
from gacc_gui.core.budget import canonical_ratio
from gacc_gui.core.metrics import GoalFacts, RunMetrics, cell_metrics, count_unit
from gacc_gui.core.records import Answer, Cell, Memory, Question, Verdict


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
        answers: dict[str, list[Answer]] = defaultdict(list)
        for a in document["answers"]:
            answers[a["memory_id"]].append(
                Answer(a["memory_id"], a["question_id"], a["repeat"], a["text"], a["status"])
            )
        verdicts: dict[str, list[Verdict]] = defaultdict(list)
        for v in document["verdicts"]:
            verdicts[v["memory_id"]].append(
                Verdict(v["memory_id"], v["question_id"], v["repeat"], v["label"], v["status"])
            )
        self.rows: list[RowResult] = []
        units = []
        for m in document["memories"]:
            compressor = m["compressor"]
            cell = Cell(
                compressor["name"], compressor["revision"], m["condition"], canonical_ratio(m["ratio"])
            )
            memory = Memory(
                m["id"],
                m["goal_id"],
                m["shown_goal_id"],
                cell,
                m["budget"],
                m["generation"],
                m["proposed_text"],
                m["retained_text"],
                None,
                m["status"],
            )
            context = goals[memory.goal_id]
            rows = analyse_memory(
                memory, sources[context], questions[memory.goal_id], answers[memory.id], verdicts[memory.id]
            )
            self.rows += rows
            per_repeat: dict[int, list[RowResult]] = defaultdict(list)
            for row in rows:
                per_repeat[row.repeat].append(row)
            units += [
                count_unit(cell, memory.goal_id, context, [(r.cause, r.label, r.flags) for r in unit])
                for unit in per_repeat.values()
            ]
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
    got = {(r.memory_id, r.question_id): (r.fate, r.cause) for r in run.rows}
    assert got == {(m, q): (fate, cause) for m, q, fate, cause in expected["questions"]}
    check_cells(run, expected["cells"], lambda c: f"{c.compressor}|{c.condition}|{c.ratio}")


def test_mixed_rows_and_cells(shared_data: Path, loaded: Any) -> None:
    run, expected = loaded(shared_data, "mixed")
    got = {
        # How sentences are split is ours, so the expectations leave the flag `uncertain` out.
        (r.memory_id, r.question_id, r.repeat): (
            r.fate,
            r.cause,
            sorted(set(r.flags) - {"uncertain"}),
            r.label,
            r.status,
        )
        for r in run.rows
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
    uncertain = {r.memory_id for r in run.rows if "uncertain" in r.flags}
    certain = {r.memory_id for r in run.rows if r.cause == "compressor"} - uncertain
    document = json.loads((shared_data / "runs" / "mixed.gacc-run.json").read_text("utf-8"))
    compressor = {m["id"]: m["compressor"]["name"] for m in document["memories"]}
    assert {compressor[m] for m in uncertain} == {"talk"}
    assert {compressor[m] for m in certain} == {"pick"}
