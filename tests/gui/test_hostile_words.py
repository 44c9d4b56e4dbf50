"""What names without end, line breaks in names and a run that is not there leave of the views."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QToolButton, QTreeWidget
from pytestqt.qtbot import QtBot

from gacc_gui.core.matrix import MatrixQuestion, MatrixUnit, goal_matrix
from gacc_gui.core.records import Cell
from gacc_gui.core.run_differences import Differing
from gacc_gui.core.terms import CASES
from gacc_gui.gui.charts.plotting import NameAxis
from gacc_gui.gui.compare.words import differing_words
from gacc_gui.gui.lists.few_lines import FewLines
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.matrix.matrix_model import MatrixModel
from gacc_gui.gui.probing.reask_section import ReaskSection
from gacc_gui.gui.review.review_panel import NO_RUN, ReviewPanel
from gacc_gui.gui.side.figures_view import COLUMNS
from gacc_gui.gui.side.mended import MendedSection
from gacc_gui.gui.tree_items import fit_columns
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]
HOSTILE = "<b>lead</b>\n\u202etxen"
ENDLESS = "name" * 1000


def matrix_words(cell: Cell, budget: int | None, *, together: bool = False) -> str:
    """What the matrix says of the one question of a goal whose evidence was lost by the budget."""
    units = [MatrixUnit(n, cell, n, 0, budget, "T") for n in range(2)]
    model = MatrixModel()
    model.show_matrix(goal_matrix("g", "goal", [MatrixQuestion("q", "?")], units, together=together))
    return model.words(model.index(0, 1))


def test_a_budget_of_nothing_cuts_nothing_off() -> None:
    cell = Cell("lead", "1", "own-goal", "0.1")
    assert matrix_words(cell, 0).endswith("truncation. The budget is 0: nothing could be kept.")
    assert matrix_words(cell, 0, together=True).endswith("nothing could be kept.")
    assert matrix_words(cell, 7).endswith("but the budget cut it off.")


def test_what_the_matrix_says_is_seen_behind_any_name(qtbot: QtBot) -> None:
    words = matrix_words(Cell(ENDLESS, ENDLESS, "own-goal", "0.1"), 7)
    assert len(words) < 250 and "cut it off" in words
    assert "\n" not in matrix_words(Cell(HOSTILE, "1", "own-goal", "0.1"), 7)


def test_what_differs_stands_in_one_paragraph_and_no_name_turns_it_round() -> None:
    words = differing_words([Differing("compressor", HOSTILE, ENDLESS), Differing("ratio", "1", None)])
    assert words.startswith("Differs: compressor: <b>lead</b> ⏎ ⟨RLO⟩txen → name")
    assert words.endswith("… · ratio: 1 → not stated")
    assert len(words) < 250


def test_a_long_text_takes_some_lines_and_scrolls(qtbot: QtBot) -> None:
    lines = FewLines(4)
    qtbot.addWidget(lines)
    lines.resize(300, 100)
    with qtbot.waitExposed(lines):
        lines.show()
    for words, scrolls in (("short", False), ("word " * 4000, True), ("x" * 20_000, True), ("", False)):
        lines.show_words(words)
        QApplication.processEvents()
        assert lines.text() == words
        assert lines.height() <= 4 * lines.fontMetrics().lineSpacing() + 4
        assert lines.verticalScrollBar().isVisible() == scrolls
        assert (lines.focusPolicy() == Qt.FocusPolicy.StrongFocus) == scrolls


def test_a_name_beside_a_bar_is_one_line(qtbot: QtBot) -> None:
    left, below = NameAxis("left", [HOSTILE]), NameAxis("bottom", ["0-10\n36"])
    assert "\n" not in left.tickStrings([0], 1, 1)[0]
    assert below.tickStrings([0], 1, 1)[0].endswith("\n36")


def test_figures_without_errors_have_their_denominators(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.show_figures()
    at_rest(qtbot, window)
    tree = window.findChild(QTreeWidget, "figuresTable")
    titles = [column.title for column in COLUMNS]
    shown = {title: tree.topLevelItem(0).text(titles.index(title)) for title in titles}
    assert shown["Macro without errors"].endswith("9/11")
    assert shown["Micro without errors"].endswith("57/59")


def test_a_name_without_end_leaves_room_for_the_figures(qtbot: QtBot) -> None:
    tree = QTreeWidget()
    qtbot.addWidget(tree)
    tree.setHeaderLabels(["Compressor", "Macro"])
    fit_columns(tree, [(ENDLESS, "0.750")], 300)
    assert 300 <= tree.columnWidth(0) < 350
    assert tree.columnWidth(1) >= tree.fontMetrics().horizontalAdvance("0.750")


def test_without_a_run_no_button_is_dead(open_window: OpenWindow, tmp_path: Path, qtbot: QtBot) -> None:
    window = open_window(tmp_path / "none.db")
    for name in ("charts", "matrix", "compare", "figures", "requests"):
        window.views.show_view(name)
        at_rest(qtbot, window)
        view = window.views.view(name)
        for kind in (QToolButton, QComboBox):
            dead = [one for one in view.findChildren(kind) if one.isVisible() and one.isEnabled()]
            assert not dead, (name, [one.text() if isinstance(one, QToolButton) else "" for one in dead])
    window.views.show_view("review")
    review = window.findChild(ReviewPanel)
    review.show_page("Agreement")
    at_rest(qtbot, window)
    assert review.agreement._message.text() == NO_RUN


def test_why_nothing_is_asked_again_stays_in_its_place(qtbot: QtBot) -> None:
    section = ReaskSection()
    qtbot.addWidget(section)
    section.resize(220, 400)
    with qtbot.waitExposed(section):
        section.show()
    least = section.minimumSizeHint().width()
    section.show_rest(f"The run was only imported, its reader ({HOSTILE} {ENDLESS}) is not here.", "error")
    QApplication.processEvents()
    assert "lead</b> ⏎ ⟨RLO⟩txen" in section.told()
    assert section.minimumSizeHint().width() == least and section.width() == 220


def test_a_compaction_run_has_answers_to_mend(qtbot: QtBot) -> None:
    section = MendedSection()
    qtbot.addWidget(section)

    def words() -> str:
        return " ".join(label.text() for label in section.findChildren(QLabel))

    section.show_mended({"reader": 5}, 3, 10, CASES)
    assert "EM if mended" in words() and "3 of 10 answers" in words()
    section.show_mended({"reader": 5}, 3, 10)
    assert "Macro if mended" in words() and "3 of 10 goals" in words()
