from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gacc_gui.app.locations import data_folder, default_database, fresh_database


def test_the_environment_names_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GACC_GUI_DATA", str(tmp_path / "there"))
    assert data_folder() == tmp_path / "there"
    assert default_database() == tmp_path / "there" / "runs.db"
    assert not data_folder().exists()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the XDG convention is not this platform's")
@pytest.mark.parametrize(
    ("given", "folder"),
    [(None, ".local/share/gacc-gui"), ("", ".local/share/gacc-gui"), ("share", ".local/share/gacc-gui")],
)
def test_the_home_folder_by_convention(
    given: str | None, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GACC_GUI_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    if given is None:
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_DATA_HOME", given)
    assert data_folder() == tmp_path / folder


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the XDG convention is not this platform's")
def test_an_absolute_data_home_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GACC_GUI_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "gacc-gui"


def test_a_fresh_database_is_never_one_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GACC_GUI_DATA", str(tmp_path))
    assert fresh_database("demo") == tmp_path / "demo.db"
    (tmp_path / "demo.db").touch()
    (tmp_path / "demo-2.db").touch()
    assert fresh_database("demo") == tmp_path / "demo-3.db"
