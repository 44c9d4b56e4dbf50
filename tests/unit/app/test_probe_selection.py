"""What is asked again: questions chosen by name, goal or filter, what is missing, and choices of no sense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.demo import RUN_ID
from gacc_gui.app.probe_planning import ProbeRequest
from gacc_gui.app.probe_rows import ChosenRow, Selection, choose
from gacc_gui.app.probing import ask_again, look_ahead
from gacc_gui.app.reviewing import Decision, add_review
from gacc_gui.core.causes import CAUSES
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.filters import KEYS, Key, parse
from gacc_gui.runner.probing import failed
from gacc_gui.store.reads import Reader
from gacc_gui.store.reviewed_units import decided_of

EVERYTHING = Selection(filter="", most=10_000)


ALWAYS_REJECTED = "ridge-route-5"


def asked(path: Path, selection: Selection, kinds: tuple[str, ...] = ("empty",)) -> dict[str, Any]:
    return look_ahead(path, RUN_ID, ProbeRequest(selection, kinds))


def test_a_goal_is_all_its_questions_and_a_filter_its_failures(demo_database: Path) -> None:
    goal = Selection(goal="ridge-route")
    assert asked(demo_database, goal)["rows"] == 12 * 5
    assert asked(demo_database, Selection("ridge-route/lead/0.5", goal="ridge-route"))["rows"] == 5
    causes: Counter[str] = Counter()
    with Reader(demo_database) as reader:
        for row in reader.question_results(RUN_ID):
            causes[row.cause] += 1
    assert (
        asked(demo_database, Selection(filter="cause:reader,judge"))["rows"]
        == causes["reader"] + causes["judge"]
    )
    flagged = Selection(filter="cause:compressor flag:uncertain ratio=0.1", most=10_000)
    document = asked(demo_database, flagged)
    assert 0 < document["rows"] < causes["compressor"] and not document["capped"]
    few = asked(demo_database, Selection(filter="", most=7))
    assert (few["rows"], few["planned"], few["capped"]) == (7, 7, True)
    with Reader(demo_database) as reader:
        wrong = sum(
            row.question_id == ALWAYS_REJECTED and row.label != "correct"
            for row in reader.question_results(RUN_ID)
        )
    assert asked(demo_database, Selection(filter=f"question-id:{ALWAYS_REJECTED}"))["rows"] == wrong


ROW_KEYS = [key for key in KEYS.values() if key.scope == "row"]
TEXTS = {"question-id": (ALWAYS_REJECTED, "nothing"), "reviewer": ("Ada", "Bo", ""), "tag": ("odd", "")}


@pytest.fixture(scope="module")
def reviewed_demo(demo_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reviewed") / "demo.db"
    path.write_bytes(demo_database.read_bytes())
    for number, decision, reviewer, tags in (
        (1, "correct", "Ada", ("odd",)),
        (1, "incorrect", "Bo", ()),
        (2, "unclear", "Bo", ()),
        (4, "incorrect", "Ada", ("odd", "long")),
        (5, "correct", "Ada", ()),
    ):
        row = f"ridge-route/lead/{'0.1' if number < 5 else '0.5'}", f"ridge-route-{number}", 0
        add_review(path, RUN_ID, Decision(*row, decision, reviewer, tags=tags))
    return path


@pytest.mark.parametrize("key", ROW_KEYS, ids=lambda key: key.name)
def test_a_filter_asks_again_the_rows_that_the_list_means(key: Key, reviewed_demo: Path) -> None:
    """Every key about rows and each of its values: the failing rows for which the list has their unit."""
    found = 0
    with Reader(reviewed_demo) as reader:
        views = {unit: reader.unit_view(unit) for unit in reader.goal_units(RUN_ID)}
        wrong = {
            (view.memory.id, row.question.id, view.repeat): (unit, row.question.id)
            for unit, view in views.items()
            for row in view.rows
            if row.label != "correct" and view.goal.id == "ridge-route"
        }
        for value in key.values or TEXTS[key.name]:
            term = f'{key.name}:"{value}" goal-id:ridge-route'
            of_question = {
                question: set(reader.goal_units(RUN_ID, query=parse(f"{term} question-id:{question}")))
                for _, question in wrong.values()
            }
            meant = {place for place, (unit, question) in wrong.items() if unit in of_question[question]}
            found += len(meant)
            if meant:
                chosen = choose(reader, RUN_ID, Selection(filter=term, most=10_000))
                assert {one.place for one in chosen.rows} == meant, term
            else:
                with pytest.raises(BadUsage, match="no failure that the filter leaves"):
                    choose(reader, RUN_ID, Selection(filter=term))
    assert found


def test_as_reviewed_the_rows_are_those_that_reviewers_labels_leave(reviewed_demo: Path) -> None:
    """As the list has it with decisions: what reviewers call right is not asked, what they call wrong is."""
    with Reader(reviewed_demo) as reader:
        decided = replace(reader.on_run(RUN_ID, decided_of), counts=True)
        named = {row.judged.row: row for row in decided.rows}
        assert {row.differs for row in decided.rows} == {True, False}
        for text in ("", "goal-id:ridge-route", *(f"cause:{cause}" for cause in CAUSES)):
            asked_rows = {
                as_reviewed: {one.place for one in chosen_or_none(reader, text, as_reviewed)}
                for as_reviewed in (False, True)
            }
            for row, reviewed in named.items():
                for as_reviewed, cause in ((False, reviewed.judged.cause), (True, reviewed.cause)):
                    meant = cause != "correct" and text in ("", "goal-id:ridge-route", f"cause:{cause}")
                    assert (row in asked_rows[as_reviewed]) == meant, (text, row, as_reviewed)
            assert asked_rows[False] - named.keys() == asked_rows[True] - named.keys()
    with pytest.raises(BadUsage, match="--as reviewed is about what a filter leaves"):
        look_ahead(reviewed_demo, RUN_ID, ProbeRequest(Selection(goal="ridge-route", as_reviewed=True)))


def test_as_reviewed_the_probes_are_held_against_what_reviewers_say(
    reviewed_demo: Path, tmp_path: Path
) -> None:
    path = tmp_path / "asked.db"
    path.write_bytes(reviewed_demo.read_bytes())
    for number, cause in ((5, None), (3, "item")):
        row = "incident-cause/lead/0.25", f"incident-cause-{number}", 0
        add_review(path, RUN_ID, Decision(*row, "incorrect", "Ada", cause))
    with Reader(path) as reader:
        causes = {
            row.judged.row: (row.judged.cause, row.cause, row.label)
            for row in reader.on_run(RUN_ID, decided_of).rows
        }
    assert any(judged == "correct" != cause for judged, cause, _ in causes.values())
    for as_reviewed in (False, True):
        selection = Selection(filter="review:any", as_reviewed=as_reviewed)
        outcome = ask_again(path, RUN_ID, ProbeRequest(selection)).as_json()
        assert outcome.get("as") == ("reviewed" if as_reviewed else None)
        found = {(row["memory_id"], row["question_id"], row["repeat"]): row for row in outcome["rows"]}
        assert found
        for place, row in found.items():
            judged, cause, label = causes[place]
            assert row["cause"] == (cause if as_reviewed else judged) != "correct"
            assert not as_reviewed or row["label"] == label
    assert found["incident-cause/lead/0.25", "incident-cause-3", 0]["cause"] == "item"


def chosen_or_none(reader: Reader, text: str, as_reviewed: bool) -> Sequence[ChosenRow]:
    try:
        return choose(reader, RUN_ID, Selection(filter=text, most=10_000, as_reviewed=as_reviewed)).rows
    except BadUsage:
        return ()


@pytest.mark.parametrize(
    ("selection", "reason"),
    [
        (Selection(), "one of --question"),
        (Selection(question="q"), "--question needs --memory"),
        (Selection("m", "q", goal="g"), "one of --question"),
        (Selection("m", filter="x"), "memory-id:"),
        (Selection(filter="cause:nothing"), "is no cause"),
        (Selection(filter="goal:right"), "no failure that the filter leaves"),
        (Selection("nowhere", "ridge-route-5"), "no question 'ridge-route-5' under memory 'nowhere'"),
        (Selection("ridge-route/lead/0.5", "nothing"), "no question 'nothing'"),
        (Selection("ridge-route/lead/0.5", "ridge-route-5", repeat=3), "repeat 3"),
        (Selection(goal="nowhere"), "no question of goal 'nowhere'"),
        (Selection(goal="ridge-route", most=0), "--most"),
    ],
)
def test_a_selection_that_makes_no_sense(demo_database: Path, selection: Selection, reason: str) -> None:
    with pytest.raises(BadUsage, match=reason):
        asked(demo_database, selection)


def test_what_cannot_be_asked_with_is_told_where_nothing_is_left(demo_database: Path) -> None:
    with pytest.raises(BadUsage, match="nothing to ask again with: no evidence was located"):
        asked(demo_database, Selection("ridge-route/lead/0.5", "ridge-route-4"), ("evidence",))
    with pytest.raises(BadUsage, match="--times"):
        look_ahead(demo_database, RUN_ID, ProbeRequest(Selection(goal="ridge-route"), ("empty",), times=0))


def test_what_is_missing_goes_on_where_it_stopped(own_demo: Path) -> None:
    two = Selection(filter="goal-id:ridge-route", most=2)
    missing = ProbeRequest(two, ("empty", "evidence"), missing=True)
    first = ask_again(
        own_demo, RUN_ID, ProbeRequest(Selection(filter="goal-id:ridge-route", most=1), ("empty",))
    )
    second = ask_again(own_demo, RUN_ID, missing)
    assert [probe.given for probe, _ in second.probes].count("empty") == 1  # the first row has its own
    asked_so_far = {row.place for row in (*first.rows, *second.rows)}
    third = ask_again(own_demo, RUN_ID, missing)
    assert not asked_so_far & {row.place for row in third.rows}
    everything = ProbeRequest(Selection(filter="goal-id:ridge-route"), ("empty", "evidence"), missing=True)
    ask_again(own_demo, RUN_ID, everything)
    nothing = ask_again(own_demo, RUN_ID, everything)
    assert (nothing.planned, nothing.probes, nothing.rows, nothing.reason) == (0, (), (), None)
    ahead = look_ahead(own_demo, RUN_ID, everything)
    assert (ahead["planned"], ahead["rows"]) == (0, 0) and "nothing is missing" in ahead["sentence"]
    assert set(nothing.as_json()) == set(first.as_json()) and nothing.as_json()["state"] == "finished"
    with Reader(own_demo) as reader:
        assert {probe.attempt for probe in reader.probes(RUN_ID)} == {0}


def test_what_failed_is_missing_and_so_is_what_lacks_to_the_times(own_demo: Path) -> None:
    row = Selection("incident-cost/openings/0.1", "incident-cost-1")
    (failure,) = ask_again(own_demo, RUN_ID, ProbeRequest(row, ("retained",))).probes
    assert failed(failure[0])
    (again,) = ask_again(own_demo, RUN_ID, ProbeRequest(row, ("retained",), missing=True)).probes
    assert again[0].attempt == 1

    thrice = ProbeRequest(Selection("ridge-route/lead/0.5", "ridge-route-5"), ("empty",), 3, missing=True)
    ask_again(own_demo, RUN_ID, replace(thrice, times=1, missing=False))
    rest = ask_again(own_demo, RUN_ID, thrice)
    assert [probe.attempt for probe, _ in rest.probes] == [1, 2]
    assert look_ahead(own_demo, RUN_ID, thrice)["planned"] == 0


def test_looking_ahead_writes_nothing(own_demo: Path) -> None:
    before = own_demo.read_bytes()
    document = asked(own_demo, Selection(goal="ridge-route"), ())
    assert document["sentence"] == "no model is asked, which costs nothing" and document["planned"] > 200
    assert own_demo.read_bytes() == before
