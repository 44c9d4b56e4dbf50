"""Decisions from the command line, and the figures that come of them."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from gacc_gui.app.reviewing import Decision, append_review
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from tests.conftest import CommandLine

Document = dict[str, Any]
HOTPOT = "hotpot-rules-5"


@pytest.fixture
def run(cli: CommandLine, small_database: Path) -> CommandLine:
    """A database `a.db` with the small run: q1 right, q2 and q3 wrong behind the cut."""
    shutil.copy(small_database, cli.folder / "a.db")
    return cli


def review(cli: CommandLine, question: str, *more: str, expect: int = 0) -> Any:
    options = ("--memory", "m1", "--question", question, *more, "--db", "a.db", "--json")
    done = cli("review", "small", *options, expect=expect)
    return done.json if expect == 0 else done.err


def figures(cli: CommandLine, *more: str) -> Any:
    return cli("metrics", "small", "--db", "a.db", "--json", *more).json


def test_decisions_change_the_figures_as_reviewed_and_no_others(run: CommandLine) -> None:
    plain = run("metrics", "small", "--db", "a.db", "--json").out
    text = run("metrics", "small", "--db", "a.db").out
    said = review(
        run, "q2", "--decision", "correct", "--reviewer", "Ada", "--note", "it is", "--tag", "a", "--tag", "b"
    )
    assert said["review"]["tags"] == ["a", "b"] and said["review"]["reviewer"] == "Ada"
    assert said["as_judged"] == {"label": "incorrect", "cause": "truncation"}
    assert said["as_reviewed"] == {"label": "correct", "cause": "correct"}
    review(run, "q3", "--decision", "incorrect", "--cause", "item", "--reviewer", "Ada")
    assert run("metrics", "small", "--db", "a.db", "--json").out == plain
    assert run("metrics", "small", "--db", "a.db").out == text

    found = figures(run, "--as", "reviewed")
    assert list(found) == ["run", "as", "reviewed", "conflicts", "cells", "warnings"]
    assert (found["as"], found["reviewed"], found["conflicts"]) == ("reviewed", 2, 0)
    (cell,) = found["cells"]
    assert (cell["correct"], cell["questions"]) == (2, 3)
    assert cell["causes"] == {"correct": 2, "item": 1}
    assert cell["unsupported"] == 1  # right, though its evidence is behind the cut
    (judged,) = figures(run)["cells"]
    assert list(judged) == list(cell)

    rows = run("questions", "small", "--as", "reviewed", "--db", "a.db", "--json").json["questions"]
    told = ("label", "reviewed_label", "reviewed_cause", "review_decision", "reviewer", "reviews")
    assert [tuple(row[name] for name in told) for row in rows] == [
        ("correct", "correct", "correct", None, None, 0),
        ("incorrect", "correct", "correct", "correct", "Ada", 1),
        ("incorrect", "incorrect", "item", "incorrect", "Ada", 1),
    ]
    assert not any(row["review_conflict"] for row in rows)
    plain_rows = run("questions", "small", "--db", "a.db", "--json").json["questions"]
    assert [{name: row[name] for name in plain_rows[0]} for row in rows] == plain_rows
    assert "Ada" in run("questions", "small", "--as", "reviewed", "--db", "a.db").out

    review(run, "q3", "--decision", "unclear", "--reviewer", "Ben")
    (cell,) = figures(run, "--as", "reviewed")["cells"]
    assert (cell["judged"], cell["incomplete_goals"]) == (2, 1)
    for question, reviewer in (("q2", "Ada"), ("q3", "Ada"), ("q3", "Ben")):
        review(run, question, "--decision", "clear", "--reviewer", reviewer)
    cleared = figures(run, "--as", "reviewed")
    assert cleared["reviewed"] == 0
    assert {**cleared, "x": 0} == {
        **json.loads(plain),
        "as": "reviewed",
        "reviewed": 0,
        "conflicts": 0,
        "x": 0,
    }


def test_agreement(run: CommandLine) -> None:
    empty = run("agreement", "small", "--db", "a.db", "--json").json
    assert (empty["reviewed"], empty["reviewers"], empty["corrected_micro"]) == (0, [], None)
    assert "no row of this run has been reviewed yet" in run("agreement", "small", "--db", "a.db").err
    review(run, "q1", "--decision", "correct", "--reviewer", "Ada")
    review(run, "q2", "--decision", "correct", "--reviewer", "Ada")
    review(run, "q2", "--decision", "incorrect", "--reviewer", "Ben")
    review(run, "q3", "--decision", "unclear", "--reviewer", "Ben")
    found = run("agreement", "small", "--db", "a.db", "--json").json
    ada, ben = found["reviewers"]
    assert ada["confusion"] == {
        "correct": {"correct": 1, "incorrect": 0, "unclear": 0},
        "incorrect": {"correct": 1, "incorrect": 0, "unclear": 0},
        "no_verdict": {"correct": 0, "incorrect": 0, "unclear": 0},
    }
    assert (ada["kappa"], ada["agreement"], ada["coverage"]) == (0, 0.5, pytest.approx(2 / 3))
    assert (ben["both_labelled"], ben["agreement"], ben["balanced_accuracy"]) == (1, 1, None)
    assert found["pooled"]["confusion"]["incorrect"] == {"correct": 0, "incorrect": 1, "unclear": 1}
    (between,) = found["between_reviewers"]
    assert (between["a"], between["b"], between["reviewed"], between["agreement"]) == ("Ada", "Ben", 1, 0)
    assert found["conflicts"] == 1
    assert found["corrected_micro"] is None and "sampled queue" in found["corrected_micro_reason"]
    table = run("agreement", "small", "--db", "a.db").out
    assert "Ada" in table and "no corrected Micro" in table


@pytest.mark.slow
def test_agreement_is_the_same_to_the_last_digit_in_every_process(
    cli: CommandLine, shared_data: Path
) -> None:
    cli.holds(shared_data / "runs" / "hotpot-rules.gacc-run.json", "a.db")
    database = cli.folder / "a.db"
    chance = random.Random(1)
    with Reader(database) as reader:
        rows = [(row.memory_id, row.question_id, row.repeat) for row in reader.question_results(HOTPOT)]
    with open_database(database) as writing:
        for row in chance.sample(rows, 120):
            for name in ("Ada", "Ben"):
                decision = "incorrect" if chance.random() < 0.3 else "correct"
                append_review(writing, HOTPOT, Decision(*row, decision, name))
    said = set()
    for seed in ("0", "1", "2"):
        cli.environment["PYTHONHASHSEED"] = seed
        said.add(cli("agreement", HOTPOT, "--db", "a.db", "--json").out)
    assert len(said) == 1
    assert json.loads(said.pop())["between_reviewers"][0]["kappa_ci95"] is not None


@pytest.mark.slow
def test_a_row_that_no_label_can_make_count_says_so_and_is_not_counted(
    cli: CommandLine, run_file: Callable[..., Path], run_document: Document
) -> None:
    run_document["answers"][1] |= {"status": "error", "text": None, "error": "no reply"}
    del run_document["verdicts"][1]
    cli.holds(run_file(run_document), "a.db")
    options = ("--memory", "m1", "--question", "q2", "--decision", "correct", "--reviewer", "Ada")
    told = cli("review", "small", *options, "--db", "a.db")
    assert "note: the row has no answer" in told.err
    said = review(cli, "q2", "--decision", "unclear", "--reviewer", "Ben")
    assert said["counts"] is False and "no answer" in said["notes"][0]
    assert said["as_judged"] == said["as_reviewed"] == {"label": None, "cause": "no-verdict"}
    assert review(cli, "q2", "--decision", "clear", "--reviewer", "Ben")["counts"] is True
    found = figures(cli, "--as", "reviewed")
    assert (found["reviewed"], found["conflicts"]) == (0, 0)
    assert found["cells"] == figures(cli)["cells"]
    assert any("no label can make count: 1" in warning for warning in found["warnings"])
    assert review(cli, "q3", "--decision", "correct", "--reviewer", "Ada")["counts"] is True
    assert figures(cli, "--as", "reviewed")["reviewed"] == 1
    shown = cli("metrics", "small", "--as", "reviewed", "--db", "a.db").out
    assert "As reviewed: 1 row counts as reviewers decided." in shown


@pytest.mark.slow
def test_decisions_on_rows_that_do_not_exist_are_named(
    cli: CommandLine, run_file: Callable[..., Path], run_document: Document
) -> None:
    given = {"memory_id": "m1", "question_id": "q1", "decision": "incorrect", "reviewer": "Ada"}
    run_document["reviews"] = [
        {"id": f"v{repeat}", "repeat": repeat, "created_at": "2026-11-29T10:00:00Z", **given}
        for repeat in range(1, 8)
    ]
    cli.holds(run_file(run_document), "a.db")
    found = figures(cli, "--as", "reviewed")
    assert found["reviewed"] == 0
    (warning,) = [one for one in found["warnings"] if "does not have" in one]
    assert "memory m1, question q1, repeat 1; " in warning and warning.endswith("repeat 5; and 2 more")
    agreement = cli("agreement", "small", "--db", "a.db", "--json").json
    assert agreement["warnings"] == [warning]
    assert warning in cli("agreement", "small", "--db", "a.db").err


def test_what_the_command_refuses_a_file_does_not_bring_in(
    run: CommandLine, run_file: Callable[..., Path], run_document: Document
) -> None:
    run("export", "small", "--to", "x.jsonl", "--db", "a.db")
    given = {"record": "review", "memory_id": "m1", "question_id": "q1", "created_at": "2026-11-29T10:00:00Z"}
    bad = ({"reviewer": "  "}, {"cause": "item"}, {"decision": "incorrect", "cause": "correct"})
    good = {"decision": "incorrect", "cause": "item"}
    with (run.folder / "x.jsonl").open("a", encoding="utf-8") as file:
        for number, one in enumerate((*bad, good)):
            record = {**given, "id": f"v{number}", "decision": "correct", "reviewer": "Ada", **one}
            file.write(json.dumps(record) + "\n")
    (told,) = run("import", "x.jsonl", "--db", "b.db", "--json", expect=3).json["files"]
    assert told["added"]["review"] == 1
    assert [one["reason"].split(" is ")[0] for one in told["quarantined"]] == ["reviewer", "cause", "cause"]
    assert "null" in told["quarantined"][2]["reason"] and "None" not in str(told["quarantined"][2]["reason"])


@pytest.mark.slow
def test_no_credential_of_a_reviewer_is_kept_nor_told(
    run: CommandLine, run_file: Callable[..., Path], run_document: Document
) -> None:
    key = "ghp_" + "a1" * 18
    said = review(run, "q2", "--decision", "correct", "--reviewer", f"Ada {key}", "--note", "password: x1")
    assert (said["review"]["reviewer"], said["review"]["note"]) == ("Ada [removed]", "password: [removed]")
    options = ("--memory", "m1", "--question", "q1", "--decision", "correct", "--reviewer", key)
    assert key not in run("review", "small", *options, "--db", "a.db").err
    given = {"memory_id": "m1", "question_id": "q1", "decision": "correct", "reviewer": f"Ben {key}"}
    run_document["reviews"] = [{"id": "v", "created_at": "2026-11-29T10:00:00Z", **given}]
    run.holds(run_file(run_document), "a.db")
    run("export", "small", "--to", "x.jsonl", "--db", "a.db")
    exported = (run.folder / "x.jsonl").read_text(encoding="utf-8")
    assert key not in exported and "Ben [removed]" in exported
    assert all(key.encode() not in file.read_bytes() for file in run.folder.glob("a.db*"))


@pytest.mark.slow
def test_reviews_travel_with_the_run(run: CommandLine) -> None:
    review(run, "q2", "--decision", "correct", "--reviewer", "Ada")
    run("export", "small", "--to", "x.jsonl", "--db", "a.db")
    imported = run("import", "x.jsonl", "--db", "b.db", "--json").json
    assert imported["files"][0]["added"]["review"] == 1
    one = figures(run, "--as", "reviewed")
    assert run("metrics", "small", "--db", "b.db", "--json", "--as", "reviewed").json == one
    lines = [json.loads(line) for line in (run.folder / "x.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["decision"] for line in lines if line["record"] == "review"] == ["correct"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--decision", "right", "--reviewer", "Ada"), "'right' is not one of"),
        (("--decision", "correct"), "Missing option '--reviewer'"),
        (("--decision", "correct", "--reviewer", ""), "a decision needs the reviewer's name"),
        (("--decision", "correct", "--reviewer", "Ada", "--cause", "item"), "a cause goes with"),
        (("--decision", "correct", "--reviewer", "Ada", "--repeat", "4"), "no row of memory 'm1'"),
    ],
)
def test_bad_usage(run: CommandLine, options: tuple[str, ...], reason: str) -> None:
    told = review(run, "q1", *options, expect=2)
    assert reason in told and len(told.strip().splitlines()) == 1


_AS_SOMEBODY_ELSE = """
import os, sys
import gacc_gui.app.locations, gacc_gui.commands.reviewing, gacc_gui.store.reads
from gacc_gui.cli import run

if os.geteuid() == 0:  # the permissions of files do not bind root
    os.setgid(65534)
    os.setuid(65534)
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize("left", ["-wal", "-journal"])
def test_a_copy_without_the_latest_decision_is_told(run: CommandLine, left: str) -> None:
    holding = sqlite3.connect(run.folder / "a.db", isolation_level=None)
    with TemporaryDirectory() as name:
        path = Path(name) / "a.db"
        try:
            holding.execute("BEGIN")
            holding.execute("SELECT count(*) FROM runs").fetchone()
            review(run, "q2", "--decision", "correct", "--reviewer", "Ada")
            shutil.copy(run.folder / "a.db", path)
            shutil.copy(run.folder / "a.db-wal", f"{path}{left}")
        finally:
            holding.close()
        path.parent.chmod(0o555)
        try:
            told = subprocess.run(
                [sys.executable, "-c", _AS_SOMEBODY_ELSE, "--db", path, "agreement", "small"],
                capture_output=True,
                encoding="utf-8",
                check=False,
                env=run.environment,
            )
        finally:
            path.parent.chmod(0o755)
    assert (told.returncode, told.stdout) == (2, ""), told.stderr
    (line,) = told.stderr.splitlines()
    assert f"its latest changes are in {os.path.realpath(path)}{left}, " in line
    assert line.endswith(": copy both files to such a folder")
