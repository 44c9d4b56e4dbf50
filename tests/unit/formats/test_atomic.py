"""A file is written whole or not at all, and what a killed program left beside it goes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gacc_gui.core.errors import GaccError
from gacc_gui.formats.atomic import written_whole

_WRITER = """
import sys, time
from pathlib import Path
from gacc_gui.formats.atomic import written_whole

with written_whole(Path(sys.argv[1])) as part, part.open("w") as file:
    print(part.name, flush=True)
    sys.stdin.read()
    file.write("theirs")
"""


def write(target: Path, text: str) -> None:
    with written_whole(target) as part:
        part.write_text(text)


def made_long_ago(path: Path) -> None:
    long_ago = time.time() - 3600
    os.utime(path, (long_ago, long_ago))


def test_what_a_killed_program_left_goes_and_what_one_is_writing_stays(tmp_path: Path) -> None:
    target = tmp_path / "x.html"
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, target], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    part = tmp_path / writer.stdout.readline().strip()
    others = [tmp_path / name for name in (f".y.html-{'0' * 16}.part", ".x.html-notes.part")]
    for other in others:
        other.write_text("")
        made_long_ago(other)
    made_long_ago(part)
    write(target, "ours")
    assert part.exists() and target.read_text() == "ours"
    writer.kill()
    writer.communicate()
    write(target, "again")
    assert sorted(tmp_path.iterdir()) == sorted([target, *others])


def test_what_was_left_just_now_stays(tmp_path: Path) -> None:
    part = tmp_path / f".x.html-{'0' * 16}.part"
    part.write_text("")
    write(tmp_path / "x.html", "ours")
    assert part.exists()


def test_two_programs_that_write_one_file_leave_it_whole(tmp_path: Path) -> None:
    target = tmp_path / "x.html"
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, target], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    writer.stdout.readline()
    write(target, "ours")
    assert target.read_text() == "ours"
    writer.communicate("")
    assert (writer.returncode, target.read_text(), list(tmp_path.iterdir())) == (0, "theirs", [target])


def test_a_failure_names_the_target(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "x.html"
    with pytest.raises(GaccError) as told:
        write(target, "")
    assert str(told.value) == f"{target} cannot be written: not a directory"
    target = tmp_path / "x.html"
    with pytest.raises(GaccError) as told, written_whole(target) as part:
        raise OSError(f"{part} is too much")  # as libraries say it, without an errno
    assert str(told.value).startswith(f"{target} cannot be written: ")
    assert ".part" not in str(told.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]
