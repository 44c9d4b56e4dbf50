"""Budgets as bars, answers side by side, the table of methods: words and figures, exact where they count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from gacc_gui.app.compaction_views import CaseView, LeftOut, Overview
from gacc_gui.core.compaction import FULL, FUSION, JEV, SUMMARY
from gacc_gui.core.compaction_aggregate import TokenSum
from gacc_gui.gui.compaction.answers_view import ROWS, AnswersView
from gacc_gui.gui.compaction.budget_bars import (
    Budget,
    BudgetBar,
    BudgetsPage,
    budget_of,
    budget_words,
    scale_of,
)
from gacc_gui.gui.compaction.methods_page import MethodsPage, method_lines
from gacc_gui.gui.theme import apply_theme, current_theme

Cases = Callable[[int], CaseView]

# --- budgets ---------------------------------------------------------------------------------------


def test_a_budget_is_that_of_the_whole_input(small_case: Cases) -> None:
    case = small_case(0)
    context = case.context(JEV, 1)
    assert context is not None and context.sent is not None
    tokens = context.sent.tokens
    budget = budget_of(case, context)
    assert budget is not None
    assert (budget.fixed, budget.local, budget.ceiling) == (tokens.fixed, tokens.local, 900)
    assert budget.evidence == tokens.local - tokens.fixed
    assert budget.provider == tokens.local + 9
    assert not budget.is_over and not budget.is_over_locally
    assert budget_words(budget) == (
        f"local {tokens.local} + 64 ≤ 900 · evidence {budget.evidence} of {tokens.space}"
        f" · provider {tokens.local + 9}"
    )


def test_a_provider_beyond_the_ceiling_is_invalid_by_one_token(small_case: Cases) -> None:
    case = small_case(1)
    context = case.context(JEV, 0)
    assert context is not None
    budget = budget_of(case, context)
    assert budget is not None and budget.is_over
    assert budget_words(budget).endswith("provider 901 > 900: invalid")
    assert not replace(budget, provider=900).is_over


def test_full_has_no_ceiling(small_case: Cases) -> None:
    case = small_case(0)
    context = case.context(FULL, 0)
    assert context is not None
    budget = budget_of(case, context)
    assert budget is not None and budget.local > 900
    assert not budget.is_over and not budget.is_over_locally
    assert "no ceiling for it" in budget_words(budget)


def test_what_a_failed_context_tried_is_no_input(small_case: Cases) -> None:
    case = small_case(0)
    context = case.context(SUMMARY, 1)
    assert context is not None and context.has_failed and context.sent is not None
    assert budget_of(case, context) is None


def test_words_of_what_is_not_known() -> None:
    assert budget_words(None) == "no context, no input"
    budget = Budget(fixed=10, local=95, reserve=10, ceiling=100, space=80, provider=None)
    assert budget_words(budget) == "local 95 + 10 > 100 · evidence 85 of 80 · provider's count not told"
    assert budget.is_over_locally


def test_bars_are_painted_to_one_scale_and_what_is_over_looks_so(qtbot: QtBot, qapp: QApplication) -> None:
    fine = Budget(fixed=20, local=80, reserve=10, ceiling=100, space=70, provider=82)
    over = replace(fine, provider=120)
    bar = BudgetBar()
    qtbot.addWidget(bar)
    bar.resize(401, bar.sizeHint().height())
    for theme in ("light", "dark"):
        apply_theme(qapp, theme)
        seen = {}
        for name, budget in (("fine", fine), ("over", over)):
            bar.show_budget(budget, 200)
            image = bar.grab().toImage()
            seen[name] = [image.pixelColor(x, image.height() // 2) for x in (20, 100, 205, 300)]
        assert len({colour.name() for colour in seen["fine"][:2]}) == 2
        assert seen["fine"][1] != seen["over"][1]
        assert _near(seen["fine"][3], current_theme().base)
    apply_theme(qapp, "light")


def _near(one: QColor, other: QColor) -> bool:
    return max(abs(one.red() - other.red()), abs(one.green() - other.green())) < 6


def test_the_page_has_a_bar_for_each_context(qtbot: QtBot, small_case: Cases) -> None:
    page = BudgetsPage()
    qtbot.addWidget(page)
    page.resize(600, 400)
    with qtbot.waitExposed(page):
        page.show()
    page.show_case(small_case(0))
    bars = [bar for bar in page.findChildren(BudgetBar) if bar.isVisible()]
    assert len(bars) == 8
    page.show_case(None)
    assert not any(bar.isVisible() for bar in page.findChildren(BudgetBar))
    assert scale_of() >= 1


def test_a_narrow_page_cuts_nothing_off(qtbot: QtBot, small_case: Cases) -> None:
    page = BudgetsPage()
    qtbot.addWidget(page)
    page.resize(360, 400)
    with qtbot.waitExposed(page):
        page.show()
    page.show_case(small_case(1))
    QApplication.processEvents()
    inner = page.widget()
    assert inner is not None
    assert inner.width() == page.viewport().width()
    said = [label for label in inner.findChildren(QLabel) if label.isVisible() and label.text()]
    assert any("provider\u00a0901\u00a0>\u00a0900:\u00a0invalid" in label.text() for label in said)
    for part in (*said, *(bar for bar in inner.findChildren(BudgetBar) if bar.isVisible())):
        assert part.mapTo(inner, part.rect().topRight()).x() < inner.width()
    for label in said:
        if label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width())


# --- answers ---------------------------------------------------------------------------------------


def texts(view: AnswersView, column: int) -> dict[str, str]:
    found = {}
    for row, name in enumerate(ROWS):
        item = view.item(row, column)
        assert item is not None
        found[name] = item.text()
    return found


@pytest.fixture
def answers(qtbot: QtBot) -> AnswersView:
    view = AnswersView()
    qtbot.addWidget(view)
    view.resize(700, 300)
    with qtbot.waitExposed(view):
        view.show()
    return view


def test_a_questions_answers_stand_beside_gold(answers: AnswersView, small_case: Cases) -> None:
    case = small_case(0)
    answers.show_answers(case, SUMMARY)
    assert answers.columnCount() == 6
    gold = texts(answers, 1)
    assert gold["Answer"] == case.references[0]
    assert gold["Supporting facts"].split("\n") == [f"[{fact.sentence}] {fact.title}" for fact in case.facts]
    form = texts(answers, 2)
    assert form["Answer"] == f"{case.references[0]} of the town"
    assert form["Answer EM · F1"].startswith("0 · 0.")
    assert form["Facts EM · F1"] == "1 · 1"
    assert form["Cause"] == "form only"
    assert texts(answers, 3)["Answer EM · F1"] == "1 · 1"
    assert texts(answers, 4)["Cause"] == "no context"
    item = answers.item(ROWS.index("Cause"), 4)
    assert item is not None and "too long after 3 retries" in item.toolTip()


def test_facts_that_are_right_wrong_and_not_named(answers: AnswersView, small_case: Cases) -> None:
    case = small_case(1)
    answers.show_answers(case, SUMMARY)
    first, *others = case.facts
    lines = texts(answers, 3)["Supporting facts"].split("\n")
    assert lines[0] == f"✓ [{first.sentence}] {first.title}"
    assert lines[1] == f"✗ [True] {case.files[0].title}", "a boolean id earns nothing, and is seen to be one"
    assert lines[2:] == [f"− [{fact.sentence}] {fact.title}" for fact in others]


def test_tokens_that_were_not_told_are_no_zero(answers: AnswersView, small_case: Cases) -> None:
    answers.show_answers(small_case(0), FUSION)
    assert texts(answers, 3)["Input tokens"] == "not told"
    assert texts(answers, 2)["Input tokens"].replace(",", "").isdigit()
    answers.show_answers(small_case(0), SUMMARY)
    assert texts(answers, 4)["Input tokens"] == "–", "nothing was asked from a context that failed"


def test_choosing_a_column(answers: AnswersView, small_case: Cases) -> None:
    answers.show_answers(small_case(0), JEV)
    told: list[tuple[int, int]] = []
    answers.answer_chosen.connect(lambda generation, repeat: told.append((generation, repeat)))
    answers.choose(0, 1)
    assert told == []
    assert {index.column() for index in answers.selectedIndexes()} == {3}
    answers.selectColumn(4)
    answers.setCurrentCell(0, 5)
    assert told[-1] == (1, 1)
    answers.show_answers(None, None)
    assert answers.columnCount() == 0


# --- methods ---------------------------------------------------------------------------------------


def test_em_comes_first_and_every_share_has_its_denominator(small_overview: Overview) -> None:
    lines = {line.title: line.values for line in method_lines(small_overview)}
    assert next(iter(lines)) == "Answer EM"
    assert lines["Answer EM"] == ("0.833  10/12", "0.583  7/12", "0.750  9/12", "0.833  10/12")
    assert lines["EM, bridge"] == ("0.875  7/8", "0.625  5/8", "0.625  5/8", "1.000  8/8")
    assert lines["Valid / planned"] == ("10/12", "8/12", "10/12", "10/12")
    assert lines["Evidence dropped"] == ("–", "1/12", "–", "–")
    assert lines["Form only"] == ("–", "–", "1/12", "–")
    assert lines["Condition failed"] == ("2/12", "4/12", "2/12", "2/12")
    assert "Not there" not in lines
    for name in ("Answer F1", "Facts EM", "Facts F1", "Joint EM", "Joint F1"):
        assert name in lines
    assert all(value.split("  ")[-1].endswith("/12") for value in lines["Input tokens, provider"])


def test_the_page_says_whether_each_part_held_exactly(qtbot: QtBot, small_overview: Overview) -> None:
    page = MethodsPage()
    qtbot.addWidget(page)
    page.show_overview(
        replace(small_overview, left_out=(LeftOut("c9", "reads untruncated", "file 3 was cut"),))
    )
    text = page.text()
    assert "Predeclared hypothesis: held" in text
    assert "✓ held: jev+summary beats jev  (5/6 − 7/12 = 1/4, asked > 0)" in text
    assert "✓ held: jev+summary within five points of full  (5/6 − 5/6 = 0, asked ≥ −1/20)" in text
    assert "Descriptive only" in text
    assert "Diagnostic" in text
    assert "Left out: c9 (reads untruncated: file 3 was cut)." in text
    assert page.table.columnCount() == 5
    page.show_overview(None)


def test_tokens_of_calls_that_were_never_made(small_overview: Overview) -> None:
    lines = {line.title: line.values for line in method_lines(small_overview)}
    assert [value.split("  ")[-1] for value in lines["Input tokens, local"]] == [
        "12/12",
        "12/12",
        "10/12",
        "10/12",
    ]
    whole = small_overview.aggregate
    summary = whole.methods[2]
    nothing = replace(
        summary,
        all=replace(summary.all, statuses={"no_context": 12}),
        provider=TokenSum(0, 0),
        local=TokenSum(0, 0),
    )
    untold = replace(summary, provider=TokenSum(0, 0))
    changed = replace(whole, methods=(nothing, untold))
    lines = {line.title: line.values for line in method_lines(replace(small_overview, aggregate=changed))}
    assert lines["Input tokens, provider"] == ("–  0/12", "not told  0/12")
    assert lines["Input tokens, local"][0] == "–  0/12"


@pytest.mark.parametrize("width", [320, 560, 900])
def test_methods_are_never_narrower_than_their_words(
    qtbot: QtBot, small_overview: Overview, width: int
) -> None:
    page = MethodsPage()
    qtbot.addWidget(page)
    page.resize(width, 500)
    with qtbot.waitExposed(page):
        page.show()
    page.show_overview(small_overview)
    QApplication.processEvents()
    table = page.table
    header = table.horizontalHeader()
    for column in range(table.columnCount()):
        head = table.horizontalHeaderItem(column)
        assert head is not None
        assert header.sectionSize(column) >= table.fontMetrics().horizontalAdvance(head.text()) + 8
        for row in range(table.rowCount()):
            item = table.item(row, column)
            assert item is not None
            assert header.sectionSize(column) >= QFontMetrics(item.font()).horizontalAdvance(item.text())
    wider = header.length() > table.viewport().width()
    assert table.horizontalScrollBar().isVisible() is wider is (width == 320)
    assert table.verticalScrollBar().maximum() == 0, "its last row is not below the scroll bar"


def test_a_live_run_is_not_called_diagnostic(qtbot: QtBot, small_overview: Overview) -> None:
    page = MethodsPage()
    qtbot.addWidget(page)
    page.show_overview(replace(small_overview, run=replace(small_overview.run, diagnostic_only=False)))
    assert "Diagnostic" not in page.text()
