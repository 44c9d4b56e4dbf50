"""`run gacc` as a person types it: offline runs, resumption, shards, stops, caps and parts that misbehave."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine
from tests.hotpot_dataset import write_hotpot_dataset

RULES = """
[run]
id = "rules"
[dataset]
path = "items.jsonl"
[evaluation]
ratios = ["0.1", "0.25", "0.5"]
conditions = ["own-goal", "no-goal", "cross-goal"]
[[compressors]]
part = "lead"
[[compressors]]
part = "bm25"
[[compressors]]
part = "sentences"
[reader]
part = "rule"
[judge]
part = "normalised"
"""

SMALL = """
[run]
id = "small"
[dataset]
path = "items.json"
[evaluation]
ratios = ["0.5"]
tokenizer = "codepoint"
[[compressors]]
part = "lead"
[reader]
part = "{reader}"
{more}
[judge]
part = "exact"
{limits}
"""

PLUGIN = '''
import os
import sys
import threading
import time
from pathlib import Path

from gacc_gui.runner.parts import ReaderOutput

HERE = Path(__file__).parent
revision = "1"


def slow(given):
    with (HERE / "called.txt").open("a") as file:
        file.write(given.question + "\\n")
    time.sleep(0.15)
    return ReaderOutput("right")


def stuck(given):
    with (HERE / "called.txt").open("a") as file:
        file.write(given.question + "\\n")
    if not (HERE / "well.txt").exists():
        threading.Event().wait()
    return ReaderOutput("right")


class Unspeakable(Exception):
    def __str__(self):
        return 1 / 0


def moody(given):
    """Fails in every way, unless a file says that it is well."""
    number = int(given.question.split()[-1])
    if (HERE / "well.txt").exists():
        return ReaderOutput("right")
    match number % 8:
        case 0:
            raise ValueError("not today")
        case 1:
            sys.exit(3)
        case 2:
            time.sleep(5)
        case 3:
            return "just text"
        case 4:
            raise KeyboardInterrupt
        case 5:
            return ReaderOutput(None, "no_answer")
        case 6 if number > 8:
            raise Unspeakable
    return ReaderOutput("right")
'''


NOISY = """
import ctypes
import os
import sys

from gacc_gui.runner.parts import ReaderOutput

os.write(1, b"imported\\n")


def loud(given):
    os.write(1, b"from the descriptor\\n")
    print("from print")
    sys.__stdout__.write("from the first stream\\n")
    os.system("echo from a child")
    if os.name == "posix":
        ctypes.CDLL(None).puts(b"from C")
    return ReaderOutput("right")
"""


@pytest.fixture
def small(cli: CommandLine) -> Callable[..., Path]:
    """A configuration over 16 questions whose reader is a plugin; returns its file."""
    questions = [
        {"id": f"q{n}", "goal_id": f"g{n // 4}", "text": f"Question {n}", "references": ["right"]}
        for n in range(16)
    ]
    document = {
        "format": "gacc-dataset",
        "format_version": 1,
        "contexts": [{"id": "c", "text": "All of it is right. None of it is wrong. That is all there is."}],
        "goals": [{"id": f"g{n}", "context_id": "c", "text": f"Goal {n}"} for n in range(4)],
        "questions": questions,
    }
    (cli.folder / "items.json").write_text(json.dumps(document), "utf-8")
    (cli.folder / "readers.py").write_text(PLUGIN, "utf-8")

    def write(reader: str, more: str = 'revision = "1"', limits: str = "") -> Path:
        path = cli.folder / "small.toml"
        path.write_text(SMALL.format(reader=f"readers:{reader}", more=more, limits=limits), "utf-8")
        return path

    return write


def state_of(db: Path, run: str = "small") -> tuple[str, str | None]:
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(
            "SELECT state, reason FROM evaluations JOIN runs USING (run_key) WHERE id = ?", (run,)
        ).fetchone()


def exported(cli: CommandLine, db: Path, run: str) -> list[str]:
    """The records of a run, each as a line, in an order of their own."""
    target = cli.folder / f"{db.stem}-{run}.jsonl"
    cli("--db", db, "export", run, "--to", target)
    return sorted(target.read_text(encoding="utf-8").splitlines())


# Offline over real texts (issue: three compressors, ratios and conditions).


@pytest.mark.slow
def test_rules_over_real_texts(cli: CommandLine, shared_data: Path) -> None:
    write_hotpot_dataset(
        shared_data / "hotpotqa" / "hotpot_dev_distractor_60.json", cli.folder / "items.jsonl", 3
    )
    config, db = cli.folder / "rules.toml", cli.folder / "rules.db"
    config.write_text(RULES, "utf-8")

    ahead = cli("run", "gacc", config, "--dry-run", "--json").json
    assert ahead["planned"] == {"memories": 9 * 27, "answers": 33 * 27, "verdicts": 33 * 27}
    assert not db.exists()

    done = cli("--db", db, "run", "gacc", config, "--json").json
    assert (done["state"], done["failed"]) == ("finished", 0)
    # One memory a context without a goal, none for the other goal's: those are the cache's.
    assert done["calls"] == {"compressor": 9 * 9 + 3 * 9, "reader": 33 * 27, "judge": 33 * 27}
    assert done["calls"]["compressor"] + done["cache_hits"] == 9 * 27
    assert [part["calls"] for part in ahead["estimate"]["parts"]] == [36, 36, 36, 33 * 27, 33 * 27]

    checks = cli("--db", db, "verify", "rules", "--json").json["checks"]
    assert all(check["ok"] and check["checked"] for check in checks)
    cells = cli("--db", db, "metrics", "rules", "--json").json["cells"]
    assert len(cells) == 27
    assert all((cell["goals"], cell["questions"], cell["judged"]) == (9, 33, 33) for cell in cells)
    assert any(cell["correct"] for cell in cells)

    again = cli("--db", db, "run", "gacc", config, expect=2)
    assert "--resume 'rules'" in again.err
    nothing = cli("--db", db, "run", "gacc", config, "--resume", "rules", "--json").json
    assert (nothing["calls"], nothing["cache_hits"]) == ({}, 0)


def test_the_baseline_of_whole_sources_calls_no_compressor(
    cli: CommandLine, small: Callable[..., Path]
) -> None:
    config = small("slow", more='revision = "1"', limits="[limits]\ncalls = 68")
    text = config.read_text("utf-8").replace("ratios", 'conditions = ["own-goal", "full-context"]\nratios')
    config.write_text(text, "utf-8")
    ahead = cli("run", "gacc", config, "--dry-run", "--json").json["estimate"]["parts"]
    done = cli("--db", "x.db", "run", "gacc", config, "--json").json
    assert done["calls"] == {"compressor": 4, "reader": 32, "judge": 32}
    assert {part["role"]: part["calls"] for part in ahead} == done["calls"]
    assert (done["cache_hits"], done["reason"]) == (0, None)


@pytest.mark.slow
def test_shards_that_land_in_one_database_go_on_with_one_run(
    cli: CommandLine, small: Callable[..., Path]
) -> None:
    document = json.loads((cli.folder / "items.json").read_text("utf-8"))
    document["contexts"].append({"id": "d", "text": "This is the other one. Nothing in it is right."})
    for goal in document["goals"][2:]:
        goal["context_id"] = "d"
    (cli.folder / "items.json").write_text(json.dumps(document), "utf-8")
    config = small("slow")
    cli("--db", "whole.db", "run", "gacc", config)
    cli("--db", "one.db", "run", "gacc", config, "--shard", "2/2")
    assert state_of(cli.folder / "one.db")[0] == "finished"
    cli("--db", "one.db", "run", "gacc", config, "--shard", "1/2", "--resume", "small")
    assert exported(cli, cli.folder / "one.db", "small") == exported(cli, cli.folder / "whole.db", "small")


# What a start that was killed at once leaves, and two at a time.


@pytest.mark.parametrize("left", ["nothing", "a header"])
@pytest.mark.slow
def test_a_file_without_our_tables_is_a_new_database(
    cli: CommandLine, small: Callable[..., Path], left: str
) -> None:
    config, db = small("slow"), cli.folder / "small.db"
    db.touch()
    if left == "a header":
        with closing(sqlite3.connect(db)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        assert db.stat().st_size
    before = db.read_bytes()
    ahead = cli("--db", db, "run", "gacc", config, "--resume", "small", "--dry-run", expect=2)
    assert "holds no database yet" in ahead.err and db.read_bytes() == before
    refused = cli("--db", db, "run", "gacc", config, "--resume", "small", expect=2)
    assert "there is no run 'small'" in refused.err
    assert cli("--db", db, "run", "gacc", config, "--json").json["state"] == "finished"


def test_a_file_of_another_program_is_left_alone(cli: CommandLine, small: Callable[..., Path]) -> None:
    db = cli.folder / "theirs.db"
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = db.read_bytes()
    refused = cli("--db", db, "run", "gacc", small("slow"), expect=2)
    assert "not one of gacc-gui" in refused.err
    assert db.read_bytes() == before


@pytest.mark.slow
def test_two_runs_begin_in_one_new_database_at_a_time(cli: CommandLine, small: Callable[..., Path]) -> None:
    config, db = small("slow"), cli.folder / "both.db"
    other = cli.folder / "other.toml"
    other.write_text(config.read_text("utf-8").replace('id = "small"', 'id = "other"'), "utf-8")
    children = [
        subprocess.Popen(
            cli.command("--db", db, "run", "gacc", one),
            cwd=cli.folder,
            env=cli.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for one in (config, other)
    ]
    told = [child.communicate(timeout=60)[1].decode() for child in children]
    assert [child.returncode for child in children] == [0, 0], told
    assert not any("waiting" in one for one in told)
    assert state_of(db, "small") == state_of(db, "other") == ("finished", None)


# What is refused.


def test_another_configuration_does_not_go_on_with_a_run(
    cli: CommandLine, small: Callable[..., Path]
) -> None:
    config, db = small("slow"), cli.folder / "small.db"
    cli("--db", db, "run", "gacc", config)
    before = exported(cli, db, "small")
    config.write_text(
        config.read_text("utf-8").replace('["0.5"]', '["0.25", "0.5"]').replace('"exact"', '"normalised"'),
        "utf-8",
    )
    refused = cli("--db", db, "run", "gacc", config, "--resume", "small", "--json", expect=2)
    assert refused.out == ""
    assert 'ratios: was ["0.5"], is ["0.25","0.5"]' in refused.err and "judge" in refused.err
    assert exported(cli, db, "small") == before
    assert (
        "there is no run 'other'" in cli("--db", db, "run", "gacc", config, "--resume", "other", expect=2).err
    )


def test_a_run_that_came_from_a_file_has_no_configuration_to_go_on_with(
    cli: CommandLine, small: Callable[..., Path], run_file: Callable[..., Path], run_document: dict[str, Any]
) -> None:
    cli("--db", "x.db", "import", run_file(run_document))
    refused = cli("--db", "x.db", "run", "gacc", small("slow"), "--resume", "small", expect=2)
    assert "made by no configuration" in refused.err


def test_models_are_asked_only_with_live(cli: CommandLine, small: Callable[..., Path]) -> None:
    config = small("slow")
    text = config.read_text("utf-8").replace('"exact"', '"llm"\nendpoint = "e"')
    config.write_text(text + '[endpoints.e]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n', "utf-8")
    assert "--live" in cli("--db", "x.db", "run", "gacc", config, expect=2).err
    assert not (cli.folder / "x.db").exists()


# Stops.


@contextmanager
def started(cli: CommandLine, *arguments: object) -> Iterator[tuple[subprocess.Popen[str], list[Any]]]:
    """A command that reports events, and the list of those that were read."""
    child = subprocess.Popen(
        cli.command(*arguments, "--events"),
        cwd=cli.folder,
        env=cli.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        yield child, []
    finally:
        child.kill()
        child.wait()
        for stream in (child.stdout, child.stderr):
            if stream is not None:
                stream.close()


def wait_for(child: subprocess.Popen[str], seen: list[Any], name: str, **fields: Any) -> dict[str, Any]:
    """Read events up to one with that name and these fields."""
    assert child.stderr is not None
    for line in child.stderr:
        if line.startswith("{"):
            seen.append(json.loads(line))
            if seen[-1]["event"] == name and fields.items() <= seen[-1].items():
                return seen[-1]
    raise AssertionError(f"no event {name} {fields} among {seen}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_asked_to_stop_it_finishes_what_is_under_way(
    cli: CommandLine, small: Callable[..., Path], number: signal.Signals
) -> None:
    config, db = small("slow"), cli.folder / "small.db"
    with started(cli, "--db", db, "run", "gacc", config) as (child, seen):
        wait_for(child, seen, "progress", stage="answers")
        child.send_signal(number)
        assert wait_for(child, seen, "stopped")["reason"] == "stopped by request"
        assert child.wait(20) == 130
    called = (cli.folder / "called.txt").read_text().splitlines()
    assert 0 < len(called) < 16
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone() == (len(called),)
        assert connection.execute("SELECT count(*) FROM calls_under_way").fetchone() == (0,)
    assert state_of(db) == ("stopped", "stopped by request")

    done = cli("--db", db, "run", "gacc", config, "--resume", "small", "--json").json
    assert done["calls"]["reader"] == 16 - len(called)
    assert sorted((cli.folder / "called.txt").read_text().splitlines()) == sorted(
        f"Question {n}" for n in range(16)
    )
    assert state_of(db) == ("finished", None)
    cells = cli("--db", db, "metrics", "small", "--json").json["cells"]
    assert (cells[0]["correct"], cells[0]["questions"]) == (16, 16)


@pytest.mark.slow
def test_asked_twice_it_gives_up_what_is_under_way(cli: CommandLine, small: Callable[..., Path]) -> None:
    config, db = small("stuck", more='revision = "1"\ntimeout_seconds = 600'), cli.folder / "small.db"
    with started(cli, "--db", db, "run", "gacc", config) as (child, seen):
        wait_for(child, seen, "progress", stage="memories", done=4)
        while not (cli.folder / "called.txt").exists():
            assert child.poll() is None
        child.send_signal(signal.SIGINT)
        assert wait_for(child, seen, "stopping")["under_way"] >= 1
        child.send_signal(signal.SIGINT)
        assert child.wait(20) == 130
    with closing(sqlite3.connect(db)) as connection:
        under_way = connection.execute("SELECT count(*) FROM calls_under_way").fetchone()[0]
    assert under_way >= 1
    (cli.folder / "well.txt").touch()
    cli("--db", db, "run", "gacc", config, "--resume", "small")
    records = exported(cli, db, "small")
    assert sum("interrupted: the program ended" in record for record in records) == under_way
    cli("--db", "again.db", "import", cli.folder / "small-small.jsonl")
    assert exported(cli, cli.folder / "again.db", "small") == records
    assert cli("--db", db, "verify", "small").code == 0


def test_a_pause_begins_no_call_until_it_is_over(cli: CommandLine, small: Callable[..., Path]) -> None:
    config, db = small("slow"), cli.folder / "small.db"
    with started(cli, "--db", db, "run", "gacc", config) as (child, seen):
        wait_for(child, seen, "progress", stage="answers")
        child.send_signal(signal.SIGUSR1)
        wait_for(child, seen, "paused")
        child.send_signal(signal.SIGUSR2)
        wait_for(child, seen, "resumed")
        assert wait_for(child, seen, "done")["failed"] == 0
        assert child.wait(20) == 0


def test_a_cap_on_calls_stops_cleanly_and_a_higher_one_goes_on(
    cli: CommandLine, small: Callable[..., Path]
) -> None:
    config, db = small("slow", limits="[limits]\ncalls = 10"), cli.folder / "small.db"
    stopped = cli("--db", db, "run", "gacc", config, "--json", expect=3)
    assert sum(stopped.json["calls"].values()) == 10
    assert "limit of 10 calls" in stopped.json["reason"] and "--resume 'small'" in stopped.err
    assert state_of(db)[0] == "stopped"
    # The cap is on the whole run: what was used before counts.
    assert cli("--db", db, "run", "gacc", config, "--resume", "small", "--json", expect=3).json["calls"] == {}
    small("slow", limits="[limits]\ncalls = 1000")
    done = cli("--db", db, "run", "gacc", config, "--resume", "small", "--json").json
    assert (done["state"], 10 + sum(done["calls"].values())) == ("finished", 4 + 16 + 16)


def test_it_goes_on_when_whoever_listened_has_gone(cli: CommandLine, small: Callable[..., Path]) -> None:
    config, db = small("slow"), cli.folder / "small.db"
    with started(cli, "--db", db, "run", "gacc", config) as (child, seen):
        wait_for(child, seen, "progress", stage="answers")
        assert child.stderr is not None and child.stdout is not None
        child.stderr.close()
        child.stdout.close()
        assert child.wait(20) == 0
    assert state_of(db) == ("finished", None)


@pytest.mark.slow
def test_only_one_process_at_a_time(cli: CommandLine, small: Callable[..., Path]) -> None:
    config, db = small("slow"), cli.folder / "small.db"
    with started(cli, "--db", db, "run", "gacc", config) as (child, seen):
        wait_for(child, seen, "progress", stage="answers")
        child.send_signal(signal.SIGUSR1)  # However slow the second one starts, the first is still there.
        refused = cli("--db", db, "run", "gacc", config, "--resume", "small", expect=2)
        assert "by another process" in refused.err
        child.send_signal(signal.SIGUSR2)
        wait_for(child, seen, "done")
        assert child.wait(20) == 0
    assert not list(cli.folder.glob("*.lock"))


# Parts that misbehave.


@pytest.mark.slow
def test_a_misbehaving_plugin_costs_its_own_items(cli: CommandLine, small: Callable[..., Path]) -> None:
    config = small("moody", more='revision = "1"\ntimeout_seconds = 0.3')
    db = cli.folder / "small.db"
    run = cli("--db", db, "run", "gacc", config, "--json", expect=3)
    assert (run.json["state"], run.json["failed"]) == ("finished", 13)
    rows = cli("--db", db, "questions", "small", "--json").json["questions"]
    judged = {row["question_id"] for row in rows if row["status"] == "judged"}
    assert judged == {"q6", "q7", "q15"}
    with closing(sqlite3.connect(db)) as connection:
        errors = dict(
            connection.execute(
                "SELECT questions.id, error FROM answers JOIN questions USING (question_key)"
                " WHERE status = 'error'"
            )
        )
    assert errors["q0"] == "ValueError: not today"
    assert errors["q1"] == "SystemExit: 3"
    assert errors["q2"] == "moody did not return within 0.3 s"
    assert "returned str" in errors["q3"]
    assert errors["q4"] == "KeyboardInterrupt"
    assert errors["q14"] == "Unspeakable"
    cells = cli("--db", db, "metrics", "small", "--json").json["cells"]
    assert (cells[0]["judged"], cells[0]["questions"], cells[0]["correct"]) == (3, 16, 3)

    # Failed again, the old error stays; when it is well, every failed item is tried again, and only those.
    assert cli("--db", db, "run", "gacc", config, "--resume", "small", "--json", expect=3).json["calls"] == {
        "reader": 13
    }
    (cli.folder / "well.txt").touch()
    well = cli("--db", db, "run", "gacc", config, "--resume", "small", "--json").json
    assert (well["calls"], well["failed"]) == ({"reader": 13, "judge": 13}, 0)
    cells = cli("--db", db, "metrics", "small", "--json").json["cells"]
    assert (cells[0]["judged"], cells[0]["correct"]) == (16, 16)
    with closing(sqlite3.connect(db)) as connection:
        tries = connection.execute("SELECT count(*) FROM requests WHERE id LIKE '%/q0/0/reader%'").fetchone()
    assert tries == (3,)


@pytest.mark.slow
def test_whatever_a_plugin_writes_stdout_is_one_document(
    cli: CommandLine, small: Callable[..., Path]
) -> None:
    (cli.folder / "readers.py").write_text(NOISY, "utf-8")
    config = small("loud")
    ahead = cli("run", "gacc", config, "--dry-run", "--json")
    assert ahead.json["planned"]["answers"] == 16
    done = cli("--db", "n.db", "run", "gacc", config, "--json")
    assert done.json["state"] == "finished" and done.out.startswith("{")
    for heard in ("imported", "the descriptor", "print", "the first stream", "a child"):
        assert heard in done.err
    assert cli("--db", "n.db", "run", "gacc", config, "--resume", "small").out == ""


def test_a_dry_run_says_what_is_left_of_a_run(cli: CommandLine, small: Callable[..., Path]) -> None:
    def ahead(*more: str, expect: int = 0) -> Any:
        done = cli("--db", "d.db", "run", "gacc", config, "--dry-run", "--json", *more, expect=expect)
        return done.json if expect == 0 else done.err

    config = small("moody", 'revision = "1"\ntimeout_seconds = 0.2')
    assert "there is no database" in ahead("--resume", "small", expect=2)
    whole = ahead()
    assert whole["left"] == whole["planned"] == {"memories": 4, "answers": 16, "verdicts": 16}
    cli("--db", "d.db", "run", "gacc", config, expect=3)
    before = (cli.folder / "d.db").read_bytes()
    rest = ahead("--resume", "small")
    assert rest["planned"] == whole["planned"]
    assert rest["left"]["memories"] == 0 and 0 < rest["left"]["answers"] < 16
    assert rest["left"]["verdicts"] == rest["left"]["answers"]
    assert [part["calls"] for part in rest["estimate"]["parts"]] == [0, *[rest["left"]["answers"]] * 2]
    text = cli("--db", "d.db", "run", "gacc", config, "--dry-run", "--resume", "small").out
    assert f"left: 0 memories, {rest['left']['answers']} answers" in text
    assert "there is no run" in ahead("--resume", "other", expect=2)
    (cli.folder / "well.txt").touch()
    assert (cli.folder / "d.db").read_bytes() == before
    config.write_text(config.read_text().replace('"0.5"', '"0.25"'))
    assert "ratios" in ahead("--resume", "small", expect=2)
    config.write_text(config.read_text().replace('"0.25"', '"0.5"'))
    cli("--db", "d.db", "run", "gacc", config, "--resume", "small")
    assert ahead("--resume", "small")["left"] == {"memories": 0, "answers": 0, "verdicts": 0}


def test_a_key_that_is_not_set_is_told_at_its_key(cli: CommandLine, small: Callable[..., Path]) -> None:
    config = small("slow")
    text = config.read_text().replace('part = "exact"', 'part = "llm"\nendpoint = "main"')
    config.write_text(
        text
        + '[endpoints.main]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\napi_key_env = "NO_SUCH_KEY"\n'
    )
    said = "endpoints.main.api_key_env: the environment variable NO_SUCH_KEY, which holds its key, is not set"
    assert said in cli("run", "gacc", config, "--dry-run").err
    assert cli("run", "gacc", config, "--dry-run", "--json").json["missing"] == [said]
    assert said in cli("--db", "k.db", "run", "gacc", config, "--live", expect=2).err
