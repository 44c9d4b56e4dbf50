"""The headline in a narrow window: nothing of the figures as reviewed is cut off."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from pytestqt.qtbot import QtBot

from gacc_gui.app.reviewing import Decision, append_review
from gacc_gui.gui.folded_label import FoldedLabel
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest

GROUPS = (
    "As judged Micro 0.204 904/4,422 (1,234 no verdict) · Macro 0.001 1/884",
    "As reviewed Micro 0.204 904/4,422 (1,235 no verdict) · Macro 0.001 1/884 · 12 rows reviewed",
)


def lines(label: FoldedLabel) -> list[str]:
    return label.text().replace("\u00a0", " ").split("\n")


def needed(label: FoldedLabel) -> int:
    flags = Qt.TextFlag.TextWordWrap
    return label.fontMetrics().boundingRect(QRect(0, 0, label.width(), 10_000), flags, label.text()).height()


def test_it_folds_between_groups_and_between_figures(qtbot: QtBot) -> None:
    label = FoldedLabel()
    qtbot.addWidget(label)
    label.show_groups(*GROUPS)
    label.resize(2000, 20)
    with qtbot.waitExposed(label):
        label.show()
    assert lines(label) == ["   ".join(GROUPS)] == [label.words()]
    one = label.heightForWidth(2000)
    label.resize(label.fontMetrics().horizontalAdvance(GROUPS[1]) + 10, 60)
    assert lines(label) == list(GROUPS)
    assert label.heightForWidth(label.width()) >= 2 * one - 2
    assert label.heightForWidth(
        label.fontMetrics().horizontalAdvance("As reviewed Micro 0.204 904/4,422")
    ) > (2 * one)
    label.resize(2000, 20)
    assert lines(label) == ["   ".join(GROUPS)]


@pytest.mark.parametrize("view", ["review", "inspector"])
def test_all_of_the_headline_is_seen_in_the_smallest_window(
    open_window: Callable[..., MainWindow], demo_database: Path, tmp_path: Path, qtbot: QtBot, view: str
) -> None:
    path = tmp_path / "reviewed.db"
    shutil.copy(demo_database, path)
    with Reader(path) as reader:
        row = next(iter(reader.question_results("demo")))
    with open_database(path) as database:
        where = row.memory_id, row.question_id, row.repeat
        append_review(database, "demo", Decision(*where, "correct", "Ada"))
        append_review(database, "demo", Decision(*where, "incorrect", "Ben"))
    window = open_window(path)
    window.resize(window.minimumSize())
    window.views.show_view(view)
    at_rest(qtbot, window)
    name = {"review": "reviewHeadline", "inspector": "headlineReviewed"}[view]
    label = window.findChild(FoldedLabel, name)
    assert label.words().endswith("1 row reviewed · 1 in conflict")
    assert label.width() > 300 and label.height() >= needed(label)
