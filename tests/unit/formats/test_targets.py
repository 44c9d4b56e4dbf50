"""The open database is no target, by whatever name; any other file is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gacc_gui.core.errors import BadUsage
from gacc_gui.formats.targets import refuse_database


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file `a.db`, and a link, a hard link and a link to its folder that lead to it."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "real"
    folder.mkdir()
    (folder / "a.db").write_bytes(b"rows")
    (tmp_path / "linked.jsonl").symlink_to(folder / "a.db")
    (tmp_path / "folder").symlink_to(folder)
    os.link(folder / "a.db", tmp_path / "hard.csv")
    return folder / "a.db"


@pytest.mark.parametrize(
    "target", ["real/a.db", "real/../real/a.db", "linked.jsonl", "folder/a.db", "hard.csv"]
)
def test_the_database_by_any_name(database: Path, target: str) -> None:
    for named in (database, Path("real/a.db"), Path("linked.jsonl")):
        with pytest.raises(BadUsage, match=rf"^{target} is the open database itself: choose another file"):
            refuse_database(Path(target), named)


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("is_there", [True, False])
def test_what_lies_beside_it(database: Path, suffix: str, is_there: bool) -> None:
    if is_there:
        Path(f"real/a.db{suffix}").write_bytes(b"")
    for target in (f"real/a.db{suffix}", f"folder/a.db{suffix}"):
        with pytest.raises(BadUsage, match=r"belongs to the open database linked\.jsonl"):
            refuse_database(Path(target), Path("linked.jsonl"))


def test_a_database_that_is_to_be_made(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="the open database itself"):
        refuse_database(tmp_path / "new.jsonl", tmp_path / "." / "new.jsonl")


def test_any_other_file(database: Path) -> None:
    Path("other.db").write_bytes(b"rows")
    for target in ("other.db", "a.db", "real/b.jsonl", "linked.jsonl-wal", "nowhere/a.db", "x" * 300, "real"):
        refuse_database(Path(target), Path("linked.jsonl"))
