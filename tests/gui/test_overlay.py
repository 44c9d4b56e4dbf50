"""What several views share, as it is painted."""

from __future__ import annotations

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from gacc_gui.gui.overlay import Choice, Tabs
from gacc_gui.gui.theme import current_theme


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


def test_the_chosen_tab_has_a_line(qtbot: QtBot) -> None:
    tabs = Tabs()
    qtbot.addWidget(tabs)
    for name in ("Queue", "Agreement"):
        tabs.addTab(name)
    tabs.resize(tabs.sizeHint())
    for chosen in (0, 1):
        tabs.setCurrentIndex(chosen)
        painted = tabs.grab().toImage()
        over = [painted.pixelColor(rect.center().x(), rect.top()) for rect in map(tabs.tabRect, (0, 1))]
        assert [colour == current_theme().accent for colour in over] == [chosen == 0, chosen == 1]
