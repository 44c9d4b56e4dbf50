"""The side panel: figures beside figures, the cut in words, the slider, what mending would do, identities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSlider, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.core.analysis import Source
from gacc_gui.core.boundary import cut
from gacc_gui.core.errors import CodecUnavailable
from gacc_gui.core.records import Ledger
from gacc_gui.core.survival import SurvivalCurve
from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.gui.headline import headline_words
from gacc_gui.gui.lists.words import share_words
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.opening import Place
from gacc_gui.gui.side.boundary_facts import boundary_words
from gacc_gui.gui.side.identities import IdentitySection, identity_reason
from gacc_gui.gui.side.ledger import LedgerSection, bar_figures
from gacc_gui.gui.side.mended import MendedSection
from gacc_gui.gui.side.recount import recount
from gacc_gui.gui.side.section import remark
from gacc_gui.gui.side.side_panel import SidePanel
from gacc_gui.gui.side.what_if import WhatIfSection
from gacc_gui.gui.theme import GRID
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import Totals, UnitView
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]


@pytest.fixture
def view(run_document: dict[str, Any], run_file: Callable[..., Path], tmp_path: Path) -> UnitView:
    """The one unit of a small run whose tokenizer is the codepoint codec."""
    from gacc_gui.app.importing import import_paths

    path = tmp_path / "small.db"
    import_paths(path, [run_file(run_document)])
    with Reader(path) as reader:
        return reader.unit_view(reader.goal_units("small")[0])


def _with(view: UnitView, **changes: Any) -> UnitView:
    return replace(view, memory=replace(view.memory, **changes))


def _labels(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if not label.isHidden()]


# --- ledger ----------------------------------------------------------------------------------------


def test_declared_and_recounted_figures_stand_side_by_side(view: UnitView, qtbot: QtBot) -> None:
    section = LedgerSection()
    qtbot.addWidget(section)
    section.show_unit(view)
    section.show_recount(view, recount(view.run, view.memory, view.context))
    words = _labels(section)
    assert words.count("163") == 4, "source and proposal, declared and recounted"
    assert "≠" not in words


def test_a_disagreement_is_marked(view: UnitView, qtbot: QtBot) -> None:
    wrong = _with(view, ledger=replace(view.memory.ledger, retained_tokens=80))
    section = LedgerSection()
    qtbot.addWidget(section)
    section.show_recount(wrong, recount(wrong.run, wrong.memory, wrong.context))
    words = _labels(section)
    assert words.count("≠") == 2, "the retained tokens, and so what is behind the cut"
    assert "80" in words and "81" in words


def test_declared_and_recounted_figures_are_not_mixed(view: UnitView, qtbot: QtBot) -> None:
    wrong = _with(view, budget=100)
    section = LedgerSection()
    qtbot.addWidget(section)
    section.show_recount(wrong, recount(wrong.run, wrong.memory, wrong.context))
    assert "81 of 100 used · budget 61.3\u00a0% of the source" in _labels(section)
    section.show_recount(_with(view, budget=None), recount(wrong.run, wrong.memory, wrong.context))
    assert "81 of 81 used · budget 49.7\u00a0% of the source" in _labels(section)


def test_a_recount_with_another_tokenizer_than_the_runs_accuses_nobody(view: UnitView, qtbot: QtBot) -> None:
    run = replace(view.run, tokenizer={"name": "cl100k_base"})
    section = LedgerSection()
    qtbot.addWidget(section)
    section.show_recount(view, recount(run, view.memory, view.context))
    words = _labels(section)
    assert any("our verified cl100k_base; the run's own tokenizer is not verified" in text for text in words)
    assert "≠" in words
    assert all(label._role != "error" for label in section.findChildren(ThemedLabel) if label.text())
    revision = "sha256:223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
    run = replace(run, tokenizer={"name": "cl100k_base", "revision": revision})
    section.show_recount(view, recount(run, view.memory, view.context))
    assert not any("our verified" in text for text in _labels(section))
    assert any(label._role == "error" for label in section.findChildren(ThemedLabel) if label.text() == "≠")


def test_a_memory_that_is_not_the_cut_proposal_is_told(view: UnitView, qtbot: QtBot) -> None:
    wrong = _with(view, retained_text="something else")
    section = LedgerSection()
    qtbot.addWidget(section)
    section.show_recount(wrong, recount(wrong.run, wrong.memory, wrong.context))
    assert any("not what the budget retains" in text for text in _labels(section))


def test_without_a_tokenizer_counts_are_unavailable_and_never_guessed(view: UnitView, qtbot: QtBot) -> None:
    run = replace(view.run, tokenizer={"name": "unheard-of"})
    found = recount(run, view.memory, view.context)
    assert isinstance(found, CodecUnavailable)
    section = LedgerSection()
    qtbot.addWidget(section)
    section.show_recount(view, found)
    words = _labels(section)
    assert any(text.startswith("Recount unavailable") and "unheard-of" in text for text in words)
    assert words.count("–") == 8


def test_the_bar_has_one_scale(view: UnitView) -> None:
    figures = bar_figures(view.memory, None)
    assert figures is not None
    assert (figures.budget, figures.retained, figures.tail, figures.unused) == (81, 81, 82, 0)
    assert figures.scale == 163
    short = bar_figures(replace(view.memory, budget=200, ledger=Ledger(retained_tokens=163)), None)
    assert short is not None
    assert (short.unused, short.tail, short.scale) == (37, 0, 200)
    assert bar_figures(replace(view.memory, ledger=None), None) is None
    assert bar_figures(replace(view.memory, budget=0, ledger=Ledger(retained_tokens=0)), None).scale == 1


# --- boundary --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proposed", "retained", "words"),
    [
        ("we saw television today", "we saw televi", "Cut inside “televi|sion”"),
        ("One. Two.", "One. ", "Cut between sentences"),
        ("one two three", "one ", "Cut inside a sentence"),
        ("hello \U0001f9e0", "hello \ufffd", "Cut inside the character “\U0001f9e0”"),
        ("a" * 99 + "b" * 99, "a" * 99, f"Cut inside “…{'a' * 12}|{'b' * 12}…”"),
        ("all of it", "all of it", "Nothing was cut: the whole proposal was retained."),
        ("all of it", "", "Everything was cut: the budget retained nothing."),
        ("one", "two", "The retained text is no prefix of the proposal: where the cut fell is unknown."),
    ],
)
def test_the_cut_in_words(view: UnitView, proposed: str, retained: str, words: str) -> None:
    memory = replace(view.memory, proposed_text=proposed, retained_text=retained)
    assert boundary_words(memory)[0] == words


def test_a_long_word_makes_no_section_wider(qtbot: QtBot) -> None:
    label = remark(None, "There is no memory: " + "x" * 3000)
    qtbot.addWidget(label)
    label.resize(250, 100)
    assert label.text().endswith("x" * 3000)
    assert label.minimumSizeHint().width() < 250
    assert label.heightForWidth(250) > 50 * label.fontMetrics().height()


def test_the_place_of_the_cut_in_three_units(view: UnitView) -> None:
    memory = replace(
        view.memory,
        proposed_text="Évora ist weit",
        retained_text="Évora ist",
        ledger=Ledger(retained_tokens=4),
    )
    assert boundary_words(memory)[1] == "byte 10, character 9, token 4"


def test_a_failed_memory_says_why(view: UnitView) -> None:
    memory = replace(view.memory, proposed_text=None, retained_text=None, status="error", error="timed out")
    assert boundary_words(memory) == ("There is no memory: timed out.", "")


# --- what if ---------------------------------------------------------------------------------------


@pytest.fixture
def section(view: UnitView, qtbot: QtBot) -> WhatIfSection:
    shown = WhatIfSection()
    qtbot.addWidget(shown)
    shown.show_unit(view)
    source = Source(view.context.text)
    pieces = [source.pieces(row.question) for row in view.rows]
    shown.show_curve(SurvivalCurve(CodepointCodec(), view.memory.proposed_text, pieces))
    return shown


def _survival(section: WhatIfSection) -> list[tuple[str, str]]:
    tree = section.findChild(QTreeWidget)
    return [
        (tree.topLevelItem(row).text(1), tree.topLevelItem(row).text(2))
        for row in range(tree.topLevelItemCount())
    ]


def test_the_slider_starts_at_the_memorys_own_budget(section: WhatIfSection) -> None:
    slider = section.findChild(QSlider, "budgetSlider")
    assert (slider.minimum(), slider.maximum(), slider.value()) == (0, 163, 81)
    assert slider.isEnabled()
    assert [fate for fate, _ in _survival(section)] == ["✓ retained", "tail", "tail"]


def test_moving_it_recomputes_at_once(section: WhatIfSection, qtbot: QtBot) -> None:
    slider = section.slider
    needed = [int(text) for _, text in _survival(section)]
    slider.setValue(needed[1] - 1)
    assert _survival(section)[1][0] == "cut"
    slider.setValue(needed[1])
    assert _survival(section)[1][0] == "✓ retained"
    slider.setValue(0)
    assert [fate for fate, _ in _survival(section)] == ["tail", "tail", "tail"]
    assert any("0 of 3 questions" in text for text in _labels(section))


def test_a_budget_of_nothing_retains_nothing(section: WhatIfSection) -> None:
    section.slider.setValue(0)
    assert "Nothing is retained." in _labels(section)


def test_a_question_with_line_breaks_is_one_row(view: UnitView, qtbot: QtBot) -> None:
    row = view.rows[0]
    odd = replace(row, question=replace(row.question, text="Where?\n\nsecond\tline"))
    shown = replace(view, rows=(odd,))
    section = WhatIfSection()
    qtbot.addWidget(section)
    section.show_unit(shown)
    section.show_curve(
        SurvivalCurve(CodepointCodec(), "abc", [Source(view.context.text).pieces(row.question)])
    )
    assert section.findChild(QTreeWidget).topLevelItem(0).text(0) == "1  Where? ⏎  ⏎ second line"


def test_the_keyboard_moves_it(section: WhatIfSection, qtbot: QtBot) -> None:
    with qtbot.waitSignal(section.budget_tried) as told:
        qtbot.keyClick(section.slider, Qt.Key.Key_Right)
    assert told.args == [82]
    qtbot.keyClick(section.slider, Qt.Key.Key_End)
    assert section.slider.value() == 163
    section.reset()
    assert section.slider.value() == 81


def test_a_question_jumps_to_the_budget_it_needs(section: WhatIfSection) -> None:
    tree = section.findChild(QTreeWidget)
    tree.itemActivated.emit(tree.topLevelItem(2), 0)
    assert section.slider.value() == int(_survival(section)[2][1])
    assert all(fate == "✓ retained" for fate, _ in _survival(section))


def test_it_says_that_it_is_not_accuracy(section: WhatIfSection) -> None:
    assert any("not accuracy" in text for text in _labels(section))


def test_without_a_tokenizer_it_says_why(view: UnitView, qtbot: QtBot) -> None:
    section = WhatIfSection()
    qtbot.addWidget(section)
    section.show_unit(view)
    section.show_curve(CodecUnavailable("the vocabulary is missing"))
    assert not section.slider.isEnabled()
    assert any("the vocabulary is missing" in text for text in _labels(section))


def test_own_budget_agrees_with_the_cut(view: UnitView) -> None:
    made = cut(CodepointCodec(), view.memory.proposed_text, view.memory.budget)
    assert made.retained_text == view.memory.retained_text


# --- mended, headline, identities ------------------------------------------------------------------


def _totals(**figures: int) -> Totals:
    names = ("goals", "right_goals", "complete_goals", "questions", "judged", "correct", "missing_goals")
    return Totals(**{name: figures.get(name, 0) for name in names}, mended={})


def test_the_headline_has_its_denominators() -> None:
    total = _totals(goals=4, right_goals=1, complete_goals=3, questions=9, judged=8, correct=5)
    main, other = headline_words(total)
    assert main == "Micro 0.556 5/9 (1 no verdict) · Macro 0.250 1/4"
    assert other == "errors excluded: 0.625 5/8 · 0.333 1/3"
    assert headline_words(_totals()) == ("Micro – 0/0 · Macro – 0/0", "")


def test_the_headline_names_goals_that_were_not_evaluated() -> None:
    figures = {"goals": 2, "right_goals": 2, "complete_goals": 2, "questions": 2, "judged": 2, "correct": 2}
    assert headline_words(_totals(**figures))[1] == "every answer judged"
    assert (
        headline_words(_totals(**figures, missing_goals=3))[1]
        == "3 goals not evaluated · every answer judged"
    )


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [
        (2999, 3000, "0.9997"),
        (1, 300_000, "0.000003"),
        (3000, 3000, "1.000"),
        (0, 7, "0.000"),
        (1, 3, "0.333"),
        (0, 0, "–"),
    ],
)
def test_no_share_is_rounded_to_all_or_nothing(part: int, whole: int, words: str) -> None:
    assert share_words(part, whole) == words


def test_only_causes_that_would_change_something_are_shown(qtbot: QtBot) -> None:
    section = MendedSection()
    qtbot.addWidget(section)
    section.show_mended({"truncation": 5, "reader": 3}, 3, 10)
    words = _labels(section)
    assert "0.500" in words and "+2" in words
    assert "reader" not in words
    section.show_mended({}, 0, 0)
    assert any("No goals" in text for text in _labels(section))


@pytest.mark.parametrize(
    ("tokenizer", "says"),
    [
        (None, "names no tokenizer"),
        ({"name": "codepoint"}, "openly is another"),
        ({"name": "cl100k_base"}, "does not name the vocabulary"),
        (
            {
                "name": "cl100k_base",
                "revision": "sha256:223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            },
            "were checked",
        ),
    ],
)
def test_the_reason_of_our_finding(view: UnitView, tokenizer: dict | None, says: str) -> None:
    assert says in identity_reason(replace(view.run, tokenizer=tokenizer))


def test_identities_are_plain_text(view: UnitView, qtbot: QtBot) -> None:
    section = IdentitySection()
    qtbot.addWidget(section)
    section.show_unit(replace(view, context=replace(view.context, origin="<b>odd</b>", license=None)))
    assert section._values["Origin"].text() == "<b>odd</b>"
    assert "&lt;b&gt;" in section._values["Origin"].toolTip()
    assert section._values["Licence"].text() == "–"


# --- in the window ---------------------------------------------------------------------------------


def test_the_panel_is_narrow_and_nothing_in_it_is_cut_off(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    at_rest(qtbot, window)
    window.resize(window.minimumSize())
    panel = window.findChild(SidePanel)
    assert panel.minimumSizeHint().width() <= 32 * GRID
    panel.parentWidget().setSizes([300, 600, 1])
    qtbot.waitUntil(lambda: panel.width() <= 32 * GRID)
    assert panel.widget().minimumSizeHint().width() <= panel.viewport().width()


def test_the_panel_follows_the_window(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> None:
    window = open_window(demo_database, place=Place("demo"))
    slider = window.findChild(QSlider, "budgetSlider")
    assert slider.isEnabled()
    assert slider.value() == window.session.unit.memory.budget
    window.commands.run("next-goal")
    at_rest(qtbot, window)
    assert slider.value() == window.session.unit.memory.budget
    assert any("checked" in text for text in _labels(window.inspector.side.identity))
    window.session.show_run(None)
    at_rest(qtbot, window)
    assert not slider.isEnabled()
