"""`export --to x.html` and `--goal` as they are typed, and what is told of credentials."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import CommandLine
from tests.unit.app.test_reporting import KEY, Page, assert_needs_nothing_else


@pytest.fixture(scope="module")
def leaking(small_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small run with a key in two of its texts; for reading."""
    folder = tmp_path_factory.mktemp("leaking")
    document = json.loads((small_database.parent / "run.json").read_text(encoding="utf-8"))
    # The run's name loses it on import; an origin leaves only in exports, and loses it there.
    document["run"]["name"] = f"with {KEY}"
    document["contexts"][0]["origin"] = f"from {KEY}"
    (folder / "leaking.json").write_text(json.dumps(document), encoding="utf-8")
    CommandLine(folder).holds("leaking.json", "a.db")
    return folder / "a.db"


@pytest.fixture
def run(cli: CommandLine, leaking: Path) -> CommandLine:
    shutil.copy(leaking, cli.folder / "a.db")
    return cli


def test_a_run_and_a_goal_are_written_as_pages(run: CommandLine) -> None:
    told = run("export", "small", "--to", "x.html", "--db", "a.db", "--json").json
    assert told == {"exported": "small", "to": "x.html", "notices": told["notices"]}
    assert told["notices"] and "removed" in told["notices"][0]
    done = run("export", "small", "--to", "g.html", "--goal", "g1", "--db", "a.db")
    assert "removed" in done.err and "the goal g1 of small is in g.html" in done.err and done.out == ""
    for name in ("x.html", "g.html"):
        page = Page(run.folder / name)
        assert_needs_nothing_else(page)
        assert KEY not in page.html and "with [removed]" in page.text


def test_what_cannot_be_written_leaves_nothing(run: CommandLine) -> None:
    for options, why in (
        (("--to", "x.md", "--goal", "g1"), "a goal alone is exported to .html"),
        (("--to", "x.html", "--goal", "nothing"), "no goal 'nothing'"),
        (("--to", "nowhere/x.html"), "cannot be written"),
        (("--to", "x.htm"), ".md or .html"),
    ):
        done = run("export", "small", *options, "--db", "a.db", "--json", expect=2)
        assert why in done.err and done.out == ""
    assert not list(run.folder.glob("x.*")) and not list(run.folder.glob(".x*"))


def test_a_failed_export_leaves_the_page_that_was_there(run: CommandLine) -> None:
    (run.folder / "x.html").write_text("mine", encoding="utf-8")
    run("export", "small", "--to", "x.html", "--goal", "nothing", "--db", "a.db", expect=2)
    assert (run.folder / "x.html").read_text(encoding="utf-8") == "mine"


def test_how_far_an_export_is_comes_as_events(run: CommandLine) -> None:
    done = run("export", "small", "--to", "x.csv", "--db", "a.db", "--json", "--events")
    told = [json.loads(line) for line in done.err.splitlines() if line.startswith("{")]
    assert {event["phase"] for event in told} == {"rows"}
    assert told[-1]["done"] == told[-1]["total"] > told[0]["done"] == 0


STOPS_ITSELF = """
import os, signal

def stopped(handle, sync=os.fsync):
    sync(handle)
    os.kill(os.getpid(), signal.SIGINT)

os.fsync = stopped
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("ending", ["jsonl.gz", "csv", "parquet", "html"])
def test_an_export_that_is_interrupted_at_its_very_end_leaves_nothing(run: CommandLine, ending: str) -> None:
    for folder in ("early", "out"):
        (run.folder / folder).mkdir()
    (run.folder / "early" / "sitecustomize.py").write_text(STOPS_ITSELF, encoding="utf-8")
    run.environment["PYTHONPATH"] = os.pathsep.join(
        [str(run.folder / "early"), run.environment["PYTHONPATH"]]
    )
    done = run("export", "small", "--to", f"out/x.{ending}", "--db", "a.db", expect=130)
    assert done.out == "" and done.err.splitlines()[-1] == "gacc-gui: interrupted"
    assert list((run.folder / "out").iterdir()) == []
