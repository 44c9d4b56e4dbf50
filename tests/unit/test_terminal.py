from __future__ import annotations

import ast
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

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


HOSTILE = "\x1b[31m\x1b]0;t\x07\x9b2J\u202e\u2066\u200f\r\nx\u2028y\x85z"
SHOWN = "\ufffd[31m\ufffd]0;t\ufffd\ufffd2J\ufffd\ufffd\ufffd x y z"


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_whatever_is_for_people_drives_no_terminal_and_makes_no_second_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.say(HOSTILE)
    terminal.say_os_error(FileNotFoundError(2, f"No{HOSTILE}", HOSTILE))
    assert capsys.readouterr().err == f"{SHOWN}\ngacc-gui: {SHOWN}: no{SHOWN.lower()}\n"
    terminal.write_text(HOSTILE)
    terminal.write_text(f"  {HOSTILE}", indent=2)
    terminal.write_lines(("a", HOSTILE), [(HOSTILE, "b")])
    terminal.write_table((HOSTILE,), [])
    out = capsys.readouterr().out
    assert out.splitlines()[:-1] == [SHOWN, f"  {SHOWN}", f"a\t{SHOWN}", f"{SHOWN}\tb", SHOWN]
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    terminal.Progress(f"verify {HOSTILE}")(1, 1, HOSTILE)
    assert screen.getvalue() == f"\r\x1b[Kverify {SHOWN}: {SHOWN} 1 of 1"


def test_bytes_of_a_file_name_drive_no_terminal_either(capsys: pytest.CaptureFixture[str]) -> None:
    # As the name comes where the locale is not UTF-8.
    terminal.say("a\udce2\udc80\udcaeb\udcc2\udc9bc\udcc3\udca4\udcff")
    assert capsys.readouterr().err == "a\ufffdb\ufffdcä\ufffd\n"


def test_joiners_and_marks_of_scripts_stay(capsys: pytest.CaptureFixture[str]) -> None:
    text = "می\u200cخواهم 👩\u200d🔬 e\u0301 漢字"
    terminal.say(text)
    assert capsys.readouterr().err == f"{text}\n"


def test_json_and_events_stay_exact(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.write_json({"id": HOSTILE})
    terminal.Progress("run", events=True).event("waiting", reason=HOSTILE)
    told = capsys.readouterr()
    assert json.loads(told.out) == {"id": HOSTILE}
    assert json.loads(told.err) == {"event": "waiting", "reason": HOSTILE}


PACKAGE = Path(terminal.__file__).parent


@pytest.mark.parametrize(
    "path",
    sorted([*PACKAGE.glob("cli*.py"), *PACKAGE.glob("commands/*.py")]),
    ids=lambda path: path.stem,
)
def test_no_command_writes_past_this_module(path: Path) -> None:
    called = [
        node.func for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)
    ]
    names = {
        one.id if isinstance(one, ast.Name) else one.attr for one in called if not isinstance(one, ast.Call)
    }
    assert not names & {"print", "echo", "secho", "write", "writelines"}


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
