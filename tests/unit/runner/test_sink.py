"""Landing a run in the database: whole, once, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gacc_gui.core.errors import BadInput, Interrupted, StoreError
from gacc_gui.core.records import Memory, Run
from gacc_gui.runner.engine import evaluate
from gacc_gui.runner.parts import CompressorOutput
from gacc_gui.runner.plan import Plan
from gacc_gui.runner.sink import whole_run
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader

from .conftest import Kept

MakePlan = Callable[..., Plan]


def land(path: Path, plan: Plan) -> None:
    with open_database(path) as database, whole_run(database, False) as sink:
        evaluate(plan, sink)


def test_what_the_engine_made_is_what_is_stored(tmp_path: Path, make_plan: MakePlan) -> None:
    plan, kept = make_plan(settings=[("own-goal", "0.5"), ("no-goal", "0.2")]), Kept()
    evaluate(plan, kept)
    land(tmp_path / "runs.db", plan)
    with Reader(tmp_path / "runs.db") as reader:
        stored = list(reader.records("r1"))
    made = [record for commit in kept.commits for record in commit]
    assert sorted(map(repr, stored)) == sorted(map(repr, made))


def test_the_same_run_again_changes_nothing(tmp_path: Path, make_plan: MakePlan) -> None:
    path = tmp_path / "runs.db"
    land(path, make_plan())
    with Reader(path) as reader:
        before = list(map(repr, reader.records("r1")))
    land(path, make_plan())
    with Reader(path) as reader:
        assert list(map(repr, reader.records("r1"))) == before


def test_another_run_of_that_name_is_refused(tmp_path: Path, make_plan: MakePlan) -> None:
    path = tmp_path / "runs.db"
    land(path, make_plan())
    with pytest.raises(BadInput, match="name"):
        land(path, replace(make_plan(), run=Run("r1", name="another")))


def test_a_run_that_comes_out_otherwise_is_refused_and_leaves_the_stored_one(
    tmp_path: Path, make_plan: MakePlan
) -> None:
    path = tmp_path / "runs.db"
    land(path, make_plan())
    with pytest.raises(StoreError, match="differs from the one just made"):
        land(path, make_plan(lambda given: CompressorOutput("something else")))
    with Reader(path) as reader:
        memories = [record for record in reader.records("r1") if isinstance(record, Memory)]
    assert memories[0].proposed_text == "alpha beta gamma delta"


def test_an_exception_leaves_no_run(tmp_path: Path, make_plan: MakePlan) -> None:
    path = tmp_path / "runs.db"

    def stop(step: object) -> None:
        raise Interrupted("stopped")

    with (
        pytest.raises(Interrupted),
        open_database(path) as database,
        whole_run(database, False) as sink,
    ):
        evaluate(make_plan(), sink, report=stop)
    with Reader(path) as reader:
        assert reader.runs() == []
