from __future__ import annotations

import copy
import itertools
import json
import random
from collections import defaultdict
from collections.abc import Callable
from math import comb
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.comparing import Comparison, compare, find_selection, selection_text
from gacc_gui.app.importing import import_paths
from gacc_gui.core.errors import BadUsage
from gacc_gui.store.reads import Reader

Document = dict[str, Any]


@pytest.fixture
def compared(tmp_path: Path, run_file: Callable[..., Path]) -> Callable[..., Comparison]:
    """Import documents into one database and compare two selections."""

    def comparison(a: str, b: str, *documents: Document) -> Comparison:
        database = tmp_path / "compare.db"
        for number, document in enumerate(documents):
            import_paths(database, [run_file(document, f"{number}.json")])
        with Reader(database) as reader:
            return compare(reader, a, b)

    return comparison


def copied(document: Document, run_id: str) -> Document:
    twin = copy.deepcopy(document)
    twin["run"] |= {"id": run_id, "name": f"run {run_id}"}
    return twin


def by_hand(document: Document, cell_a: dict[str, str], cell_b: dict[str, str]) -> dict[str, Any]:
    """Buckets, goals and p of two cells of a document, straight from its records."""
    answers = {(a["memory_id"], a["question_id"], a["repeat"]): a for a in document["answers"]}
    verdicts = {(v["memory_id"], v["question_id"], v["repeat"]): v for v in document["verdicts"]}

    def labels(cell: dict[str, str]) -> dict[tuple[str, str, int, int], str | None]:
        found = {}
        for memory in document["memories"]:
            if (memory["compressor"]["name"], memory["condition"], str(memory["ratio"])) != tuple(
                cell.values()
            ):
                continue
            repeats = {key[2] for key in answers.keys() | verdicts.keys() if key[0] == memory["id"]} or {0}
            for question, repeat in itertools.product(document["questions"], sorted(repeats)):
                if question["goal_id"] != memory["goal_id"]:
                    continue
                key = memory["id"], question["id"], repeat
                answer, verdict = answers.get(key), verdicts.get(key)
                counts = (
                    memory["status"] in ("ok", "truncated")
                    and answer is not None
                    and answer["status"] in ("ok", "truncated")
                    and verdict is not None
                    and verdict["status"] == "judged"
                )
                row = memory["goal_id"], question["id"], memory["generation"], repeat
                found[row] = verdict["label"] if counts and verdict else None
        return found

    a, b = labels(cell_a), labels(cell_b)
    assert a.keys() == b.keys()
    buckets = dict.fromkeys(("both_right", "fixed", "broken", "both_wrong", "unlabelled"), 0)
    goals: dict[tuple[str, int, int], list[bool]] = defaultdict(lambda: [True, True])
    for row in a:
        right = a[row] == "correct", b[row] == "correct"
        if a[row] is None or b[row] is None:
            buckets["unlabelled"] += 1
        else:
            name = {(True, True): "both_right", (False, True): "fixed", (True, False): "broken"}
            buckets[name.get(right, "both_wrong")] += 1
        goal = goals[row[0], row[2], row[3]]
        goal[:] = [goal[0] and right[0], goal[1] and right[1]]
    fixed = sum(not was and now for was, now in goals.values())
    broken = sum(was and not now for was, now in goals.values())
    tail = sum(comb(fixed + broken, k) for k in range(min(fixed, broken) + 1))
    return {
        "buckets": buckets,
        "pairs": len(a),
        "right": (sum(v == "correct" for v in a.values()), sum(v == "correct" for v in b.values())),
        "goals": (len(goals), fixed, broken),
        "p": min(1.0, 2 * tail / 2 ** (fixed + broken)),
    }


@pytest.mark.parametrize("ratio", ["0.1", "0.25", "0.5"])
def test_two_compressors_of_a_run_equal_a_computation_from_its_records(
    ratio: str, tmp_path: Path, shared_data: Path
) -> None:
    file = shared_data / "runs" / "hotpot-rules.gacc-run.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    database = tmp_path / "a.db"
    import_paths(database, [file])
    names = [f"hotpot-rules-5:compressor={name},ratio={ratio}" for name in ("lead", "openings")]
    with Reader(database) as reader:
        there, back = compare(reader, *names), compare(reader, *reversed(names))
    right = by_hand(
        document,
        *({"compressor": name, "condition": "own-goal", "ratio": ratio} for name in ("lead", "openings")),
    )
    (cell,) = there.cells
    assert cell.buckets == right["buckets"]
    assert (cell.pairs, there.accounts.matched) == (right["pairs"], right["pairs"])
    assert (cell.right_a, cell.right_b) == right["right"]
    assert (cell.goals, cell.goal_test.fixed, cell.goal_test.broken) == right["goals"]
    assert cell.goal_test.p == pytest.approx(right["p"], rel=1e-12)
    (other,) = back.cells
    assert cell.micro.ci95 is not None and other.micro.ci95 == (-cell.micro.ci95[1], -cell.micro.ci95[0])
    assert other.micro.difference == -(cell.micro.difference or 0)
    assert (other.buckets["fixed"], other.buckets["broken"]) == (
        cell.buckets["broken"],
        cell.buckets["fixed"],
    )
    assert other.goal_test.p == cell.goal_test.p
    assert [(one.name, one.b, one.a) for one in back.differs] == [
        (one.name, one.a, one.b) for one in there.differs
    ]


def test_a_copy_in_any_order_with_one_question_reworded(tmp_path: Path, shared_data: Path) -> None:
    document = json.loads((shared_data / "runs" / "hotpot-rules.gacc-run.json").read_text(encoding="utf-8"))
    twin = copied(document, "twin")
    for records in twin.values():
        if isinstance(records, list):
            random.Random(5).shuffle(records)
    twin["questions"][7]["text"] += " Really?"
    database = tmp_path / "a.db"
    for number, one in enumerate((document, twin)):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(one), encoding="utf-8")
        import_paths(database, [path])
    with Reader(database) as reader:
        whole = compare(reader, "hotpot-rules-5", "twin")
        lead, openings = "compressor=lead,ratio=0.5", "compressor=openings,ratio=0.5"
        crossed = compare(reader, f"hotpot-rules-5:{lead}", f"twin:{openings}")
        again = compare(reader, f"twin:{lead}", f"hotpot-rules-5:{openings}")
    assert whole.accounts.texts_differ == (twin["questions"][7]["id"],)
    assert (whole.accounts.matched, whole.accounts.refused_a) == (9 * 239, 9)
    assert (whole.accounts.only_a, whole.accounts.only_b) == (0, 0)
    for cell in whole.cells:
        assert cell.a == cell.b and cell.buckets["fixed"] == cell.buckets["broken"] == 0
    assert {one.name for one in whole.differs} == {"dataset"}
    assert crossed.cells == again.cells
    assert any("texts differ" in note for note in whole.notes)


def small_pair(document: Document) -> tuple[Document, Document]:
    """The small run, and another compressor's on the same questions."""
    twin = copied(document, "twin")
    twin["memories"][0]["compressor"]["name"] = "tail"
    for verdict, label in zip(twin["verdicts"], ("incorrect", "correct", "incorrect"), strict=True):
        verdict["label"] = label
    twin["verdicts"][2] |= {"label": None, "status": "refused"}
    return document, twin


def test_two_runs_of_one_cell_each(compared: Callable[..., Comparison], run_document: Document) -> None:
    found = compared("small", "twin", *small_pair(run_document))
    (cell,) = found.cells
    assert cell.buckets == {"both_right": 0, "fixed": 1, "broken": 1, "both_wrong": 0, "unlabelled": 1}
    assert (cell.micro.a, cell.micro.b, cell.micro.difference, cell.micro.ci95) == (1 / 3, 1 / 3, 0.0, None)
    assert (cell.macro.a, cell.goal_test.fixed, cell.goal_test.p) == (0.0, 0, 1.0)
    assert [(one.name, one.a, one.b) for one in found.differs] == [("compressor", "lead", "tail")]
    assert any("diagnostic" in note for note in found.notes)


@pytest.mark.parametrize(
    ("records", "field", "value"),
    [
        ("contexts", "text", "Another source: Ines Okafor, 812 litres, 4,150 euros."),
        ("goals", "text", "Another goal"),
        ("questions", "text", "Another question?"),
        ("questions", "references", ["another"]),
    ],
)
def test_every_text_must_be_the_same(
    records: str, field: str, value: Any, compared: Callable[..., Comparison], run_document: Document
) -> None:
    document, twin = small_pair(run_document)
    twin[records][0][field] = value
    found = compared("small", "twin", document, twin)
    refused = 1 if records == "questions" else 3
    assert len(found.accounts.texts_differ) == refused
    assert found.accounts.matched == found.cells[0].pairs == 3 - refused
    assert "dataset" in {one.name for one in found.differs}


def test_evidence_and_titles_may_differ(compared: Callable[..., Comparison], run_document: Document) -> None:
    document, twin = small_pair(run_document)
    twin["contexts"][0]["title"] = "Another title"
    twin["questions"][0]["evidence"] = [{"start": 0, "end": 5}]
    found = compared("small", "twin", document, twin)
    assert found.accounts.matched == 3


def test_generations_and_repeats_are_paired_each(
    compared: Callable[..., Comparison], run_document: Document
) -> None:
    document, twin = small_pair(run_document)
    for one in (document, twin):
        memory = copy.deepcopy(one["memories"][0]) | {"id": "m1b", "generation": 1}
        one["memories"].append(memory)
        for kind, (first, second) in itertools.product(("answers", "verdicts"), (("m1", 1), ("m1b", 0))):
            one[kind] += [
                record | {"memory_id": first, "repeat": second}
                for record in one[kind]
                if (record["memory_id"], record["repeat"]) == ("m1", 0)
            ]
    found = compared("small", "twin", document, twin)
    assert (found.cells[0].pairs, found.cells[0].goals) == (9, 3)
    assert any("several generations or repeats" in note for note in found.notes)
    only = compared("small:generation=1", "twin")
    assert (only.cells[0].pairs, only.accounts.only_b) == (3, 6)
    across = compared("small:generation=0", "small:generation=1")
    assert across.cells[0].pairs == 3 and across.accounts.only_a == 3
    assert [(one.name, one.a, one.b) for one in across.differs] == [("generation", "0", "1")]


def test_selections_by_name_and_id(
    tmp_path: Path, run_file: Callable[..., Path], run_document: Document
) -> None:
    database = tmp_path / "a.db"
    for run_id in ("a", "a:compressor=lead", "a, b: c"):
        import_paths(database, [run_file(copied(run_document, run_id))])
    with Reader(database) as reader:
        assert find_selection(reader, "a").run.id == "a"
        assert find_selection(reader, "run a").text == "a"
        assert find_selection(reader, "a:compressor=lead").run.id == "a:compressor=lead"
        assert find_selection(reader, "a:ratio=0.50").selector.ratio == "0.5"
        found = find_selection(reader, "run a, b: c:compressor=lead,ratio=0.5")
        assert (found.run.id, found.text) == ("a, b: c", "a, b: c:compressor=lead,ratio=0.5")
        assert selection_text(found.run.id, found.selector) == found.text
        for bad in ("b", "a:", "a:ratio=2", "run b"):
            with pytest.raises(BadUsage):
                find_selection(reader, bad)


def test_ids_and_texts_with_odd_characters(
    compared: Callable[..., Comparison], run_document: Document
) -> None:
    text = json.dumps(run_document).replace('"m1"', '"m\\u0000\\n\\u2028"').replace('"q1"', '"q\\u0000"')
    document, twin = small_pair(json.loads(text))
    found = compared("small", "twin", document, twin)
    assert found.cells[0].pairs == 3


def test_methods_of_a_compaction_run(tmp_path: Path) -> None:
    from gacc_gui.core.records import Run
    from gacc_gui.store.database import open_database
    from gacc_gui.store.writes import RunWriter
    from tests.compaction_run import small_run_records

    run, *records = small_run_records(3)
    assert isinstance(run, Run)
    with open_database(tmp_path / "a.db") as database, RunWriter(database) as writer:
        writer.begin_run(run)
        for record in records:
            writer.add(record)
        writer.finish()
    with Reader(tmp_path / "a.db") as reader:
        whole = compare(reader, run.id, run.id)
        found = compare(reader, f"{run.id}:compressor=jev", f"{run.id}:compressor=jev+summary")
        across = compare(
            reader,
            f"{run.id}:compressor=summary,generation=0",
            f"{run.id}:compressor=summary,generation=1",
        )
    assert len(whole.cells) == 4
    (cell,) = found.cells
    # Three questions, two generations with two answers each.
    assert (cell.pairs, cell.goals, cell.contexts) == (12, 12, 3)
    assert sum(cell.buckets.values()) == 12
    assert {one.name for one in found.differs} >= {"compressor"}
    assert across.cells[0].pairs == 6


def test_the_test_of_a_compaction_run_counts_each_case_once(tmp_path: Path) -> None:
    """Against a count by hand: the answers of a case are one, better or worse by how many are right."""
    from gacc_gui.core.comparison import GoalTest
    from tests.compaction_run import small_run_records, stored

    db = stored(tmp_path / "a.db", small_run_records(3))
    with Reader(db) as reader:
        run = reader.runs()[0].run
        right: dict[tuple[str, str], int] = {}
        for row in reader.question_results(run.id):
            key = row.compressor, row.goal_id
            right[key] = right.get(key, 0) + (row.label == "correct")
        found = compare(reader, f"{run.id}:compressor=jev", f"{run.id}:compressor=full")
        back = compare(reader, f"{run.id}:compressor=full", f"{run.id}:compressor=jev")
    cases = sorted({case for _, case in right})
    better = sum(right["full", case] > right["jev", case] for case in cases)
    worse = sum(right["full", case] < right["jev", case] for case in cases)
    (cell,) = found.cells
    assert (better, worse) == (2, 0) and len(cases) == 3 and cell.goals == 12
    # Two cases are better: of four ways to fall, both the same way in two.
    assert cell.goal_test == GoalTest(better, worse, 0.5, 3)
    assert back.cells[0].goal_test == GoalTest(worse, better, 0.5, 3)
    assert any("each case once" in note for note in found.notes)
    assert not any("McNemar" in note for note in found.notes)
    assert found.terms.micro == "EM"
