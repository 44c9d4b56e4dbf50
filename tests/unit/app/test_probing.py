"""Re-asks over whole databases: the demonstration against what is known of it, and what they leave alone."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.demo import RUN_ID
from gacc_gui.app.exporting import export_run
from gacc_gui.app.importing import import_paths
from gacc_gui.app.metrics import run_metrics
from gacc_gui.app.probe_planning import ProbeRequest
from gacc_gui.app.probe_rows import Selection, probed_questions
from gacc_gui.app.probing import ask_again
from gacc_gui.app.verifying import verify_run
from gacc_gui.core.errors import StoreError
from gacc_gui.core.records import Memory, Probe, Request
from gacc_gui.runner.events import Event, Planned, Progress, Waiting
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader

EVERYTHING = Selection(filter="", most=10_000)
Row = tuple[str, str]


@pytest.fixture(scope="module")
def probed(demo_database: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The demonstration with every failing question asked again, and the outcome as a document."""
    path = Path(shutil.copy(demo_database, tmp_path_factory.mktemp("probed") / "demo.db"))
    return path, ask_again(path, RUN_ID, ProbeRequest(EVERYTHING)).as_json()


# What must come of it, written by hand from `resources/demo`: its items, the patterns of its reading rules,
# and the slips of its parts, which stay with the row that they befell.
EXPECTED = {
    "truncation": {"confirms": 45},
    "compressor": {"confirms": 338, "undecided": 6, "refutes": 4},
    "reader": {"confirms": 4, "refutes": 1},
    "judge": {"confirms": 4},
    "item": {"confirms": 11},
    "unlocated": {"undecided": 15},
    "no-verdict": {"undecided": 13},
}
FAULTY = "loan-care-3"
"""Asks what only an earlier draft of its source said."""
NO_MEMORY = "loan-care/keywords/0.25"
"""Of the faulty item's twelve memories the one that failed: that row has no verdict to explain."""
ALWAYS_REJECTED = "ridge-route-5"
"""The judge's slip on this answer calls it incorrect although it is right, in the rows that got so far."""

BARE = "nine"
"""`meeting-roof-1` has no given evidence. The reference that was found in the source, and is added, is a bare
number: the rule needs “dry rot in nine of”, as only the whole source says it."""
NOT_ENOUGH = {
    ("meeting-roof/lead/0.1", "meeting-roof-1"): BARE,
    ("meeting-roof/openings/0.1", "meeting-roof-1"): BARE,
    ("meeting-roof/openings/0.25", "meeting-roof-1"): BARE,
    ("meeting-roof/openings/0.5", "meeting-roof-1"): BARE,
    ("meeting-roof/keywords/0.25/cross-goal", "meeting-roof-1"): BARE,
    # The telegram has “one condition: slate front gable stays” without its articles, which equals no
    # reference. The evidence stands behind it, and the rule reads the first condition it meets.
    ("meeting-roof/keywords/0.1", "meeting-roof-3"): "on one condition: the slate on the front gable stays",
}
"""Undecided: what is added, which does not help, while the source does."""
SAID_OTHERWISE = {
    # Telegrams: the evidence lost its fillers, so that no lookup finds it; what answers the question was
    # written, and cut off.
    ("incident-cost/keywords/0.1", "incident-cost-4"): "hatched yellow (owner Priya Raman",
    ("ridge-people/keywords/0.1", "ridge-people-5"): "over radio: channel 8",
    # Two places are given, and both are needed. The first, which names the file, was cut off; the second was
    # never proposed, which makes it the compressor's. But the first alone answers the question.
    ("kelp-backup/lead/0.5", "kelp-backup-3"): "verify file=/srv/archive/maps/sheet-117.tif result=mismatch",
    (
        "kelp-backup/openings/0.5",
        "kelp-backup-3",
    ): "verify file=/srv/archive/maps/sheet-117.tif result=mismatch",
}
"""Refuted: what of the tail answers the question without all of the evidence as the source has it."""
TELEGRAM = "dry rot nine fourteen trusses"
"""What `keywords` made of “dry rot in nine of the fourteen trusses”. “nine” is there, so that the row is the
reader's by the lookup; what its rule needs is not, and that is the compressor's doing."""


def rows_of(document: dict[str, Any], cause: str) -> dict[Row, dict[str, Any]]:
    return {(row["memory_id"], row["question_id"]): row for row in document["rows"] if row["cause"] == cause}


def outcomes(rows: dict[Row, dict[str, Any]]) -> Counter[str]:
    return Counter(row["outcome"] for row in rows.values())


@pytest.fixture(scope="module")
def memories(demo_database: Path) -> dict[str, Memory]:
    with Reader(demo_database) as reader:
        return {record.id: record for record in reader.records(RUN_ID) if isinstance(record, Memory)}


def test_the_figures_are_those_written_by_hand(probed: tuple[Path, dict[str, Any]]) -> None:
    assert {cause: outcomes(rows_of(probed[1], cause)) for cause in EXPECTED} == EXPECTED
    assert len(probed[1]["rows"]) == sum(sum(counts.values()) for counts in EXPECTED.values())


def test_every_failing_question_of_the_demonstration_is_asked_again(
    probed: tuple[Path, dict[str, Any]], demo_database: Path
) -> None:
    _, document = probed
    with Reader(demo_database) as reader:
        failing = {
            (row.memory_id, row.question_id): row.cause
            for row in reader.question_results(RUN_ID)
            if row.label != "correct"
        }
    assert {(row["memory_id"], row["question_id"]): row["cause"] for row in document["rows"]} == failing
    assert (
        not document["live"]
        and document["state"] == "finished"
        and document["planned"] == len(document["probes"])
    )
    assert document["estimate"]["calls"] == 0
    # Nobody knows anything by heart here.
    assert {row["known_anyway"] for row in document["rows"]} == {False, None}
    # The parts are rules: from the same text comes the same answer.
    assert all(row["stability"] is None or row["stability"]["stable"] for row in document["rows"])


def test_truncation_is_confirmed_by_the_tail(probed: tuple[Path, dict[str, Any]]) -> None:
    rows = rows_of(probed[1], "truncation")
    assert {row["finding"] for row in rows.values()} == {"right with the tail restored: truncation confirmed"}
    assert {row["results"]["proposal"] for row in rows.values()} == {"right"}


def test_compressor_is_confirmed_by_the_evidence(probed: tuple[Path, dict[str, Any]]) -> None:
    rows = rows_of(probed[1], "compressor")
    assert rows.keys() >= NOT_ENOUGH.keys() | SAID_OTHERWISE.keys()
    for row_id in rows.keys() - NOT_ENOUGH.keys() - SAID_OTHERWISE.keys():
        finding = "wrong with the proposal, right with the evidence added: compressor confirmed"
        assert rows[row_id]["finding"] == finding, row_id


def test_compressor_is_undecided_where_the_evidence_alone_does_not_say_it(
    probed: tuple[Path, dict[str, Any]], memories: dict[str, Memory]
) -> None:
    rows = rows_of(probed[1], "compressor")
    with Reader(probed[0]) as reader:
        contents = {request.id: request.content for request in reader.requests(RUN_ID)}
    for row_id, added in NOT_ENOUGH.items():
        row = rows[row_id]
        assert (row["outcome"], row["suggests"]) == ("undecided", None)
        assert row["results"] == {
            "source": "right",
            "retained": "wrong",
            "proposal": "wrong",
            "evidence": "wrong",
            "empty": "wrong",
        }
        retained = memories[row_id[0]].retained_text
        assert retained is not None and added not in retained
        (probe,) = (
            probe
            for probe in probed[1]["probes"]
            if (probe["memory_id"], probe["question_id"], probe["with"]) == (*row_id, "evidence")
        )
        assert contents[probe["requests"][0]].startswith(f"{retained}\n{added}\n\n")
    telegram = memories["meeting-roof/keywords/0.1"].retained_text or ""
    assert "one condition: slate front gable stays" in telegram


def test_compressor_is_refuted_where_the_tail_says_it_otherwise(
    probed: tuple[Path, dict[str, Any]], memories: dict[str, Memory]
) -> None:
    rows = rows_of(probed[1], "compressor")
    for row_id, said in SAID_OTHERWISE.items():
        row, memory = rows[row_id], memories[row_id[0]]
        assert (row["outcome"], row["suggests"]) == ("refutes", "truncation")
        assert row["finding"].startswith("right with the proposal, which lacks the evidence as written")
        assert said in (memory.proposed_text or "") and said not in (memory.retained_text or "")


@pytest.mark.parametrize("selection", [Selection("incident-cause/lead/0.5", "incident-cause-4"), EVERYTHING])
def test_a_row_keeps_its_luck_whatever_else_is_asked(own_demo: Path, selection: Selection) -> None:
    # With this proposal, a call of its own would have drawn “no reply in time”.
    document = ask_again(own_demo, RUN_ID, ProbeRequest(selection, ("proposal",))).as_json()
    row = rows_of(document, "truncation")["incident-cause/lead/0.5", "incident-cause-4"]
    assert row["finding"] == "right with the tail restored: truncation confirmed"
    assert document["failed"] == (0 if selection.question else 3)  # the rows that failed as they do again


def test_reader_is_confirmed_where_it_has_all_the_evidence(
    probed: tuple[Path, dict[str, Any]], memories: dict[str, Memory]
) -> None:
    rows = rows_of(probed[1], "reader")
    found = rows.pop(("meeting-roof/keywords/0.1", "meeting-roof-1"))
    assert (found["outcome"], found["suggests"]) == ("refutes", "compressor")
    assert TELEGRAM in (memories["meeting-roof/keywords/0.1"].retained_text or "")
    # Four slips over given evidence.
    wrong = {
        "source": "wrong",
        "retained": "wrong",
        "proposal": "wrong",
        "evidence": "wrong",
        "empty": "wrong",
    }
    assert all(row["results"] == wrong for row in rows.values())


def test_item_is_confirmed_by_the_source_that_does_not_say_it(
    probed: tuple[Path, dict[str, Any]], memories: dict[str, Memory]
) -> None:
    rows = rows_of(probed[1], "item")
    of_its_goal = {name for name, memory in memories.items() if memory.goal_id == "loan-care"}
    assert rows.keys() == {(name, FAULTY) for name in of_its_goal - {NO_MEMORY}}
    assert memories[NO_MEMORY].status == "error"
    assert {row["finding"] for row in rows.values()} == {"wrong even with the source: item confirmed"}
    # There is no evidence that could be added.
    wrong = {"source": "wrong", "retained": "wrong", "proposal": "wrong", "empty": "wrong"}
    assert all(row["results"] == wrong for row in rows.values())


def test_judge_is_confirmed_and_the_rest_is_pointed_to(probed: tuple[Path, dict[str, Any]]) -> None:
    judge = rows_of(probed[1], "judge")
    assert {question for _, question in judge} == {ALWAYS_REJECTED}
    unlocated = rows_of(probed[1], "unlocated")
    # Yes/no questions: every source answers them.
    assert {question for _, question in unlocated} == {"meeting-roof-5", "ridge-route-4"}
    assert Counter(row["suggests"] for row in unlocated.values()) == {"compressor": 13, "truncation": 2}

    # Two memories failed, and so will never be asked with; two answers and a verdict fail as they did.
    found = Counter(row["finding"] for row in rows_of(probed[1], "no-verdict").values())
    assert found == {
        "there is no memory that could be asked with again": 10,
        "asked, and there is no verdict to go by": 3,
    }


def test_what_makes_no_sense_is_left_out_with_its_reason(probed: tuple[Path, dict[str, Any]]) -> None:
    told = Counter((one["with"], one["reason"]) for one in probed[1]["skipped"])
    assert told == {
        ("evidence", "no evidence was located that could be added"): 15,
        ("evidence", "the given evidence is not in the source"): 11,
        ("evidence", "the memory has no retained text"): 10,
        ("retained", "the memory has no retained text"): 10,
        ("proposal", "the memory has no proposal"): 10,
    }


# What they leave alone.


def facts(path: Path) -> dict[str, Any]:
    """Everything that must not know of probes."""
    with Reader(path) as reader:
        return {
            "cells": run_metrics(reader, RUN_ID).cells,
            "rows": list(reader.question_results(RUN_ID)),
            "totals": reader.totals(RUN_ID),
            "units": [reader.goal_rows([unit]) for unit in reader.goal_units(RUN_ID)],
            "checks": verify_run(reader, RUN_ID).checks,
            "records": [
                record
                for record in reader.records(RUN_ID)
                if not isinstance(record, Probe)
                and not (isinstance(record, Request) and "probe" in record.extra)
            ],
        }


def test_they_enter_no_figure_no_row_and_no_check(
    demo_database: Path, probed: tuple[Path, dict[str, Any]]
) -> None:
    before, after = facts(demo_database), facts(probed[0])
    for name, value in before.items():
        assert after[name] == value, name
    exposure = next(check for check in after["checks"] if check.name == "compressor_exposures")
    assert exposure.ok and exposure.checked == sum(
        isinstance(record, Request) and record.role == "compressor" for record in before["records"]
    )


@pytest.mark.parametrize("suffix", ["csv", "md"])
def test_tables_and_reports_keep_their_figures(
    demo_database: Path, probed: tuple[Path, dict[str, Any]], tmp_path: Path, suffix: str
) -> None:
    for number, path in enumerate((demo_database, probed[0])):
        export_run(path, RUN_ID, tmp_path / f"{number}.{suffix}")
    if suffix == "csv":
        assert (tmp_path / "0.csv").read_bytes() == (tmp_path / "1.csv").read_bytes()
    else:
        # The report adds what they say, and changes no figure.
        before, after = (
            [line for line in (tmp_path / f"{n}.md").read_text("utf-8").splitlines() if line.startswith("|")]
            for n in (0, 1)
        )
        left = iter(after)
        assert all(line in left for line in before)


def test_they_travel_with_the_run(own_demo: Path, tmp_path: Path) -> None:
    one = Selection("kelp-backup/keywords/0.1", "kelp-backup-3")
    ask_again(own_demo, RUN_ID, ProbeRequest(one))
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    export_run(own_demo, RUN_ID, first)
    import_paths(tmp_path / "again.db", [first])
    export_run(tmp_path / "again.db", RUN_ID, second)
    assert first.read_bytes() == second.read_bytes()
    with Reader(tmp_path / "again.db") as reader:
        probes = reader.probes(RUN_ID)
        assert [probe.given for probe in probes] == ["source", "retained", "proposal", "evidence", "empty"]
        stored = {request.id: request for request in reader.requests(RUN_ID)}
    for probe in probes:
        assert probe.requests == (f"{probe.id}/reader", f"{probe.id}/judge")
        for name in probe.requests:
            assert stored[name].extra["probe"] == probe.id
            assert (
                stored[name].extra["question_id"] == "kelp-backup-3" and stored[name].memory_id == one.memory
            )
    # The parts are ours by name and revision: an import can be asked again, too.
    again = ask_again(tmp_path / "again.db", RUN_ID, ProbeRequest(one, ("retained",), times=2))
    assert [probe.attempt for probe, _ in again.probes] == [1, 2]
    assert again.rows[0].finding.results["proposal"] == "wrong"  # of the first time


def test_a_probe_is_stored_with_all_that_is_known_of_it(own_demo: Path) -> None:
    one = Selection("incident-cause/lead/0.5", "incident-cause-4")
    outcome = ask_again(own_demo, RUN_ID, ProbeRequest(one, ("proposal",)))
    ((probe, result),) = outcome.probes
    assert (result, probe.answer.text, probe.live, probe.attempt) == ("right", "10:41", False, 0)
    assert probe.verdict is not None and probe.verdict.label == "correct"
    assert probe.reader == {"name": "careless-patterns", "revision": "1, slips 1202"}
    assert probe.judge == {"name": "moody-exact", "revision": "1, slips 1202"}
    assert probe.cost is None and probe.usage is None and probe.seconds is not None and probe.seconds >= 0
    assert outcome.calls == {"reader": 1, "judge": 1}
    with Reader(own_demo) as reader:
        assert reader.probes(RUN_ID) == [probe]
        unit = reader.find_unit(RUN_ID, question_id=one.question)
        assert unit is not None
        content = {
            request.role: request.content for request in reader.requests(RUN_ID) if "probe" in request.extra
        }
        units = reader.goal_units(RUN_ID)
        view = next(view for view in map(reader.unit_view, units) if view.memory.id == one.memory)
        assert content["reader"].startswith(view.memory.proposed_text or "")
        found = probed_questions(reader, view)
    assert list(found) == [one.question] and found["incident-cause-4"].probes == (probe,)


def test_a_failed_answer_is_stored_and_not_judged(own_demo: Path) -> None:
    one = Selection("incident-cost/openings/0.1", "incident-cost-1")
    outcome = ask_again(own_demo, RUN_ID, ProbeRequest(one, ("retained",)))
    ((probe, result),) = outcome.probes
    assert (result, probe.answer.status, probe.verdict) == ("unknown", "error", None)
    assert "simulated" in (probe.answer.error or "")
    assert (outcome.failed, outcome.reason, outcome.calls) == (1, None, {"reader": 1})
    assert probe.requests == (f"{probe.id}/reader",)


def test_two_sessions_at_once_have_attempts_of_their_own(own_demo: Path) -> None:
    request = ProbeRequest(Selection("ridge-route/lead/0.5", "ridge-route-5"), ("empty", "source"), times=2)
    told = []

    def meanwhile(event: Event) -> None:
        if isinstance(event, Planned):  # the first has planned; the second comes before it and stores
            told.append(ask_again(own_demo, RUN_ID, request))

    told.append(ask_again(own_demo, RUN_ID, request, report=meanwhile))
    second, first = ([(one.given, one.attempt) for one, _ in each.probes] for each in told)
    assert second == [("source", 0), ("source", 1), ("empty", 0), ("empty", 1)]
    assert first == [("source", 2), ("source", 3), ("empty", 2), ("empty", 3)]
    with Reader(own_demo) as reader:
        assert Counter((one.given, one.attempt) for one in reader.probes(RUN_ID)) == Counter(second + first)


def test_a_locked_database_is_waited_for(own_demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gacc_gui.app import probing

    monkeypatch.setattr(probing, "_AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(probing, "TELL_SECONDS", 0.0)
    selection = Selection("kelp-backup/keywords/0.1", "kelp-backup-3")
    with open_database(own_demo) as holder:
        holder.connection.execute("BEGIN IMMEDIATE")
        told = []

        def report(event: object) -> None:
            told.append(event)
            if isinstance(event, Waiting):
                holder.connection.execute("ROLLBACK")

        outcome = ask_again(own_demo, RUN_ID, ProbeRequest(selection, ("empty",)), report=report)
    assert len(outcome.probes) == 1
    (waiting,) = (event for event in told if isinstance(event, Waiting))
    assert (waiting.endpoint, waiting.reason) == ("database", "another program holds the database")


def test_a_database_that_fails_on_the_way_says_how_many_are_stored(
    own_demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gacc_gui.app import evaluation_session, probing

    monkeypatch.setattr(probing, "LOCKED_SECONDS", 0.0)
    monkeypatch.setattr(evaluation_session, "_TELL_SECONDS", 0.0)  # each probe is told
    request = ProbeRequest(Selection("ridge-route/lead/0.5", "ridge-route-5"), ("source",), times=9)
    with open_database(own_demo) as holder:

        def report(event: object) -> None:
            if isinstance(event, Progress) and event.done == 2 and not holder.connection.in_transaction:
                holder.connection.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreError, match=r"is locked by another .*; of 9 probes 2 are stored$"):
            ask_again(own_demo, RUN_ID, request, report=report)
        holder.connection.execute("ROLLBACK")
    with Reader(own_demo) as reader:
        assert len(reader.probes(RUN_ID)) == 2
