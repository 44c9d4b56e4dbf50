"""The platform's dialogs as a person answers them: their own buttons, pressed while they wait."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.asking import Asker
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., QWidget]


def answer(act: Callable[[QWidget], None]) -> None:
    """Do something to the next dialog as soon as it waits."""

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if dialog is None:
            QTimer.singleShot(5, look)
        else:
            act(dialog)

    QTimer.singleShot(5, look)


def press(word: str) -> Callable[[QWidget], None]:
    def act(dialog: QWidget) -> None:
        assert isinstance(dialog, QMessageBox)
        button = next(one for one in dialog.buttons() if word in one.text().replace("&", ""))
        gc.collect()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    return act


def strike(key: Qt.Key) -> Callable[[QWidget], None]:
    return lambda dialog: QTest.keyClick(dialog, key)


def boxes(parent: QWidget) -> list[QMessageBox]:
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return parent.findChildren(QMessageBox)


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (press("Ask"), True),
        (press("Cancel"), False),
        (strike(Qt.Key.Key_Escape), False),
        (strike(Qt.Key.Key_Return), False),  # the button that takes nothing back is the default
        (lambda box: box.close(), False),
    ],
)
def test_a_confirmation(parent: QWidget, act: Callable[[QWidget], None], said: bool) -> None:
    answer(act)
    assert Asker().confirm(parent, "Title", "<b>as it is</b>", "Ask") is said
    assert boxes(parent) == []


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (press("Let it go on"), True),
        (press("End it"), False),
        (press("Cancel"), None),
        (strike(Qt.Key.Key_Escape), None),
        (strike(Qt.Key.Key_Return), True),
    ],
)
def test_whether_a_run_goes_on(parent: QWidget, act: Callable[[QWidget], None], said: bool | None) -> None:
    answer(act)
    assert Asker().run_goes_on(parent, "name") is said
    assert boxes(parent) == []


@pytest.mark.parametrize(
    ("typed", "key", "said"),
    [
        (" new name ", Qt.Key.Key_Return, "new name"),
        ("  ", Qt.Key.Key_Return, None),
        ("x", Qt.Key.Key_Escape, None),
    ],
)
def test_a_line_of_text(parent: QWidget, typed: str, key: Qt.Key, said: str | None) -> None:
    def act(dialog: QWidget) -> None:
        dialog.findChild(QLineEdit).setText(typed)
        QTest.keyClick(dialog, key)

    answer(act)
    assert Asker().text(parent, "Title", "Label", "old") == said


def test_what_is_asked_shows_names_as_they_are(parent: QWidget) -> None:
    said: list[str] = []

    def act(dialog: QWidget) -> None:
        said.extend(label.text() for label in dialog.findChildren(QLabel) if label.text())
        assert all(label.textFormat() == Qt.TextFormat.PlainText for label in dialog.findChildren(QLabel))
        strike(Qt.Key.Key_Escape)(dialog)

    answer(act)
    Asker().text(parent, "Title", f"Name of <b>a</b> & \u202eb\n{'c' * 1000}:", "old")
    assert said[0].startswith("Name of <b>a</b> && ⟨RLO⟩b ⏎ ccc") and len(said[0]) < 200

    def look(dialog: QWidget) -> None:
        assert isinstance(dialog, QMessageBox)
        said.append(dialog.text())
        strike(Qt.Key.Key_Escape)(dialog)

    answer(look)
    Asker().confirm(parent, "Title", "Delete “\u202ea\x00”?\n\nFiles stay.", "Delete")
    assert said[-1] == "Delete “⟨RLO⟩a∅”?\n\nFiles stay."


def test_files(parent: QWidget, tmp_path: Path) -> None:
    asker = Asker()
    for ask in (
        lambda: asker.export_target(parent, str(tmp_path / "there.jsonl")),
        lambda: asker.page_target(parent, str(tmp_path / "there.html")),
        lambda: asker.chart_target(parent, str(tmp_path / "there.png")),
        lambda: asker.configuration_target(parent, str(tmp_path / "there.toml")),
    ):
        answer(lambda dialog: dialog.accept())
        assert ask().stem == "there"
        answer(lambda dialog: dialog.reject())
        assert ask() is None

    # What a person picks is Qt's to find: its dialog reads folders at its own pace, which no test can await.
    for ask in (asker.database, asker.configuration):
        answer(lambda dialog: dialog.reject())
        assert ask(parent) is None
    answer(lambda dialog: dialog.reject())
    assert asker.run_files(parent) == []
    answer(lambda dialog: dialog.reject())
    assert asker.any_file(parent, "Title") is None


@pytest.mark.parametrize("deletes", [True, False])
def test_a_run_is_deleted_where_the_person_says_so(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot, deletes: bool
) -> None:
    path = tmp_path / "copied.db"
    shutil.copy(demo_database, path)
    window = open_window(path)
    answer(press("Delete" if deletes else "Cancel"))
    window.commands.run("delete")
    at_rest(qtbot, window)
    assert (window.session.run is None) is deletes
