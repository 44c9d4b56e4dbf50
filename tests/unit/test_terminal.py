from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from gacc_gui import terminal


def test_strict_json_refuses_what_json_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="Out of range"):
        terminal.write_json({"share": float("nan")})
    assert capsys.readouterr().out == ""


def test_a_stream_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.write_json_stream({"run": "r"}, "rows", ({"n": n, "text": "漢\u2028"} for n in range(3)))
    assert json.loads(capsys.readouterr().out) == {
        "run": "r",
        "rows": [{"n": n, "text": "漢\u2028"} for n in range(3)],
    }
    terminal.write_json_stream({}, "rows", [])
    assert json.loads(capsys.readouterr().out) == {"rows": []}


def test_a_stream_that_fails_half_way_leaves_stdout_empty(capsys: pytest.CaptureFixture[str]) -> None:
    def rows() -> Iterator[dict[str, int]]:
        yield {"n": 1}
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="gone"):
        terminal.write_json_stream({"run": "r"}, "rows", rows())
    assert capsys.readouterr().out == ""


def test_tables_align_wide_and_combining_characters(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.write_table(("name", "n"), [("漢字", 1), ("e\u0301", 1000), (None, "\x1b[31m")], right={"n"})
    assert capsys.readouterr().out.splitlines() == [
        "name      n",
        "────  ─────",
        "漢字      1",
        "e\u0301      1000",
        "–     \ufffd[31m",
    ]


def test_messages_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.say("two\nlines\u2028and a  gap")
    assert capsys.readouterr().err == "two lines and a gap\n"


def test_progress_is_for_terminals_and_windows_only(capsys: pytest.CaptureFixture[str]) -> None:
    silent = terminal.Progress("import")
    silent(1, 2)
    silent.event("done", exit=0)
    silent.close()
    assert capsys.readouterr().err == ""
    told = terminal.Progress("import", events=True)
    for done in range(5):
        told(done, 4, "rows")
    told.event("done", exit=0)
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert events[0] == {"event": "progress", "phase": "rows", "done": 0, "total": 4}
    assert events[-2:] == [
        {"event": "progress", "phase": "rows", "done": 4, "total": 4},
        {"event": "done", "exit": 0},
    ]
    assert len(events) == 3  # the steps between came too fast to be worth telling
