"""A file that must be new is never written over, and never half there."""

from __future__ import annotations

from pathlib import Path

import pytest

from gacc_gui.core.errors import BadUsage, GaccError
from gacc_gui.formats import new_file
from gacc_gui.formats.new_file import write_new


def test_a_new_file(tmp_path: Path) -> None:
    write_new(tmp_path / "a.json", "é\n")
    assert (tmp_path / "a.json").read_bytes() == b"\xc3\xa9\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_what_is_there_stays(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")
    with pytest.raises(BadUsage, match="already there"):
        write_new(target, "new")
    assert target.read_text() == "old"


def test_a_dangling_link_is_there_too(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(BadUsage, match="already there"):
        write_new(tmp_path / "link", "new")
    assert not (tmp_path / "nowhere").exists()


def test_somebody_quicker_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.json"
    place = new_file._place

    def overtaken(part: Path, at: Path) -> None:
        at.write_text("theirs")
        place(part, at)

    monkeypatch.setattr(new_file, "_place", overtaken)
    with pytest.raises(BadUsage, match="already there"):
        write_new(target, "ours")
    assert target.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GaccError, match="cannot be written: no such file"):
        write_new(tmp_path / "no" / "a.json", "")
