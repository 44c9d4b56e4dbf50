"""What several views share, as it is painted."""

from __future__ import annotations

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from gacc_gui.gui.overlay import Choice


def picture(box: QComboBox, name: str, width: int, qtbot: QtBot) -> QImage:
    qtbot.addWidget(box)
    box.addItem(name)
    box.resize(width, 28)
    return box.grab().toImage()


def test_a_name_without_room_ends_in_an_ellipsis(qtbot: QtBot) -> None:
    name = "Demonstration: rule parts, three ratios"
    box = Choice()
    shown = picture(box, name, 140, qtbot)
    assert box.currentText() == name
    fitting = [n for n in range(1, len(name)) if picture(QComboBox(), f"{name[:n]}…", 140, qtbot) == shown]
    assert len(fitting) == 1 and 8 < fitting[0] < 20
    assert picture(Choice(), name, 600, qtbot) == picture(QComboBox(), name, 600, qtbot)
