"""Ids and names that would drive a terminal, as commands tell them to people: one line each, and inert."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import CommandLine, Finished

Document = dict[str, Any]
HOSTILE = "\x1b[31m\x1b]0;title\x07\x9b2J\u202e\u2066\r\nsecond\u2028line\x85"
SHOWN = "\ufffd[31m\ufffd]0;title\ufffd\ufffd2J\ufffd\ufffd second line "
DRIVING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
RUN, MEMORY = f"r{HOSTILE}x", f"m{HOSTILE}x"


def lines(finished: Finished) -> list[str]:
    told = finished.out + finished.err
    assert DRIVING.search(told) is None, ascii(told)
    return told.splitlines()


def plain(text: str) -> str:
    return text.replace(HOSTILE, SHOWN)


def test_no_command_lets_data_drive_the_terminal(
    cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    run_document["run"] |= {"id": RUN, "name": f"n{HOSTILE}x"}
    for kind in ("memories", "answers", "verdicts", "requests"):
        for record in run_document[kind]:
            record["id" if kind == "memories" else "memory_id"] = MEMORY
    db = ("--db", "x.db")
    name = "a\x1b[32m\u202e.json"
    run_file(run_document, name)
    (told,) = lines(cli(*db, "import", name))
    assert told == plain(f"a\ufffd[32m\ufffd.json: run {RUN}: 14 added, 0 already there")
    waiting = {"record": "answer", "memory_id": f"gone{HOSTILE}x", "question_id": "q1", "repeat": 0}
    head = {"record": "run", "format": "gacc-run", "format_version": 1, **run_document["run"]}
    rows = (head, waiting | {"text": "t", "status": "ok"})
    (cli.folder / "c.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    run_document["memories"][0]["budget"] = 82
    run_file(run_document, "b.json")
    told = lines(cli(*db, "import", "b.json", "c.jsonl", expect=3))
    assert told[1] == plain(f"  conflict: memory {MEMORY} differs in budget; the stored one stays")
    assert told[3].startswith(plain(f'  quarantined: line 2: answer "gone{HOSTILE}x"')) and len(told) == 4

    for reviewer in ("Ada", "Bob"):
        decision = ("--decision", "correct", "--reviewer", f"{reviewer}{HOSTILE}x")
        (told,) = lines(cli(*db, "review", RUN, "--memory", MEMORY, "--question", "q1", *decision))
        assert told == plain(f"{reviewer}{HOSTILE}x: correct: memory {MEMORY}, question q1, repeat 0")
    pair = plain(f"Ada{HOSTILE}x and Bob{HOSTILE}x: 1 row, ")
    assert [line for line in lines(cli(*db, "agreement", RUN)) if line.startswith(pair)]
    assert lines(cli(*db, "compare", RUN, RUN))[:2] == [plain(f"A: {RUN}"), plain(f"B: {RUN}")]
    told = lines(cli(*db, "export", RUN, "--to", "o\x1b[3m.jsonl"))
    assert told == [
        "note: left out of the file, waiting for records that are not here (yet): 1 answer",
        plain(f"{RUN} is in o\ufffd[3m.jsonl"),
    ]
    (told,) = lines(cli(*db, "rename", RUN, f"new{HOSTILE}x"))
    assert told == plain(f"{RUN} is now called new{HOSTILE}x")
    (told,) = lines(cli(*db, "import", "no\x1b[31m\u2066.json", expect=2))
    assert told == "gacc-gui: no\ufffd[31m\ufffd.json: no such file or directory"
    (run,) = cli(*db, "runs", "--json").json["runs"]
    assert (run["id"], run["name"]) == (RUN, f"new{HOSTILE}x")
