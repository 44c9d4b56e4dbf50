"""`run gacc` as a person types it: offline runs, shards, new databases, what is refused, dry runs."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine
from tests.e2e.small_evaluation import exported, state_of
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


# Offline.


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
        cli.start("--db", db, "run", "gacc", one, stdout=subprocess.DEVNULL) for one in (config, other)
    ]
    told = [child.communicate(timeout=60)[1] for child in children]
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
    cli: CommandLine,
    small: Callable[..., Path],
    run_file: Callable[..., Path],
    run_document: dict[str, Any],
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


@pytest.mark.slow
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
