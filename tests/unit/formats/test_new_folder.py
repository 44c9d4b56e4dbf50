"""A new folder is there whole or not at all, and takes nobody's place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.errors import BadUsage, GaccError
from gacc_gui.formats.new_folder import make_new_folder


def test_it_holds_what_it_begins_with(tmp_path: Path) -> None:
    target = tmp_path / "run"
    make_new_folder(target, {"protocol.json": b"{}\n", "corpus.json": b"\xff\x00"})
    assert {path.name: path.read_bytes() for path in target.iterdir()} == {
        "protocol.json": b"{}\n",
        "corpus.json": b"\xff\x00",
    }
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert target.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("there", ["folder", "file", "dangling link"])
def test_nothing_is_replaced(tmp_path: Path, there: str) -> None:
    target = tmp_path / "run"
    match there:
        case "folder":
            target.mkdir()
        case "file":
            target.write_text("mine")
        case _:
            target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(BadUsage, match="already there"):
        make_new_folder(target, {"protocol.json": b""})
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_folder_that_cannot_hold_it(tmp_path: Path) -> None:
    with pytest.raises(GaccError, match="cannot be made: no such file or directory"):
        make_new_folder(tmp_path / "nowhere" / "run", {"protocol.json": b""})


@pytest.mark.parametrize("failing", [1, 2])
def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int) -> None:
    synced = 0

    def fsync(descriptor: Any) -> None:
        nonlocal synced
        synced += 1
        if synced == failing:
            raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(GaccError, match="no space left"):
        make_new_folder(tmp_path / "run", {"protocol.json": b"{}", "corpus.json": b"{}"})
    assert list(tmp_path.iterdir()) == []
