"""What is remembered comes back with its types; what is damaged is ignored, with a remark."""

from __future__ import annotations

from pathlib import Path

import pytest

from gacc_gui.gui.settings import RECENT, Settings, load_settings, save_settings, settings_file


def test_nothing_remembered_is_ordinary() -> None:
    assert load_settings() == (Settings(), None)


def test_what_is_saved_comes_back(own_folder: Path) -> None:
    settings = Settings(theme="dark", zoom=-2, mono=True, linked=False, queue_kind="random", queue_seed=23)
    settings.keep_geometry("window", b"\x00\xff\x80")
    settings.remember_file("/a/b.json")
    assert save_settings(settings) is None
    again, told = load_settings()
    assert told is None
    assert again == settings
    assert again.mono is True and again.linked is False
    assert again.geometry_of("window") == b"\x00\xff\x80"
    assert [path.name for path in own_folder.iterdir()] == ["settings.json"]


@pytest.mark.parametrize("damage", ["", "{", "[]", "\x00\x00", '{"theme": "dark"' + "[" * 5000])
def test_a_damaged_file_is_ignored_with_a_remark(damage: str) -> None:
    path = settings_file()
    path.parent.mkdir(parents=True)
    path.write_text(damage, encoding="utf-8")
    settings, told = load_settings()
    assert settings == Settings()
    assert told is not None and str(path) in told


def test_values_of_another_type_are_ordinary_again() -> None:
    path = settings_file()
    path.parent.mkdir(parents=True)
    path.write_text(
        '{"theme": 3, "zoom": true, "mono": "false", "recent": ["/x", 7],'
        ' "geometry": {"a": 1, "b": "%"}, "new": 1}',
        encoding="utf-8",
    )
    settings, told = load_settings()
    assert told is None
    assert (settings.theme, settings.zoom, settings.mono) == ("light", 0, False)
    assert settings.recent == ["/x"]
    assert settings.geometry_of("a") is None
    assert settings.geometry_of("b") is None


def test_recent_files_are_few_and_the_latest_first() -> None:
    settings = Settings()
    for number in range(RECENT + 5):
        settings.remember_file(f"/files/{number}")
    settings.remember_file("/files/9")
    assert settings.recent[0] == "/files/9"
    assert len(settings.recent) == RECENT == len(set(settings.recent))


def test_a_folder_that_cannot_be_written_is_told(own_folder: Path) -> None:
    own_folder.write_text("a file where the folder should be", encoding="utf-8")
    told = save_settings(Settings())
    assert told is not None and "settings" in told
