from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QTableView
from pytestqt.qtbot import QtBot

from gacc_gui.core.analysis import Source
from gacc_gui.core.records import Answer, Context, Goal, Memory, Question, Verdict
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.detail_area import LOOKING
from gacc_gui.gui.lists.detail_section import CountLabel
from gacc_gui.gui.lists.questions_model import COLUMNS, PLACES, QuestionsModel
from gacc_gui.gui.lists.questions_view import QuestionsView
from gacc_gui.gui.panes.facts import unit_facts
from gacc_gui.gui.panes.unit_marks import UnitMarks, unit_marks
from gacc_gui.gui.session import Session
from gacc_gui.store.rows import QuestionRow, UnitView

Row = Callable[..., QuestionRow]
View = Callable[..., UnitView]
DISPLAY = Qt.ItemDataRole.DisplayRole
NASTY = "\ufeffa\x00b \u202egnp.exe\u202c c\u200bd\r\ne\u00a0f \U0001f9e0 <b>x</b>"


@pytest.fixture
def session(qtbot: QtBot) -> Iterator[Session]:
    background = Background()
    yield Session(background)
    background.shutdown()


@pytest.fixture
def shown(qtbot: QtBot, session: Session) -> QuestionsView:
    view = QuestionsView(session)
    qtbot.addWidget(view)
    view.resize(1400, 400)
    with qtbot.waitExposed(view):
        view.show()
    return view


def texts(model: QuestionsModel, key: str, role: int = DISPLAY) -> list[Any]:
    return [model.data(model.index(row, PLACES[key]), role) for row in range(model.rowCount())]


def test_model_keeps_qts_rules_and_gives_plain_values(unit_view: View) -> None:
    model = QuestionsModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    model.set_view(unit_view())
    model.set_view(None)
    model.set_view(unit_view())
    for place in range(len(COLUMNS)):
        for role in (DISPLAY, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            assert type(model.data(model.index(0, place), role)) is str
    del tester


def test_answers_none_empty_and_odd_are_told_apart(question_row: Row, unit_view: View) -> None:
    def given(name: str, text: str | None, status: str = "ok", **more: Any) -> QuestionRow:
        return question_row(name, answer=Answer("m1", name, 0, text, status, **more))

    model = QuestionsModel()
    model.set_view(
        unit_view(
            question_row("q0", answer=None),
            given("q1", None, "no_answer"),
            given("q2", None, "error", error="refused"),
            given("q3", ""),
            given("q4", "Paris", "truncated"),
            given("q5", '{"text":"Paris","conf":0.9}', unusual=("text",)),
            given("q6", "None"),
            given("q7", "a\nb"),
        )
    )
    assert texts(model, "answer") == [
        "no answer",
        "no answer",
        "no answer · error",
        "“”",
        "Paris · truncated",
        '{"text":"Paris","conf":0.9}',
        "None",
        "a ⏎ b",
    ]
    italic = [font is not None and font.italic() for font in texts(model, "answer", Qt.ItemDataRole.FontRole)]
    assert italic == [True, True, True, False, False, False, False, False]
    assert texts(model, "answer", Qt.ItemDataRole.AccessibleTextRole)[3] == "empty answer"


def test_unknown_verdicts_are_shown_raw_and_said_to_be_unknown(question_row: Row, unit_view: View) -> None:
    def judged(name: str, label: str | None, status: str, counts: str | None, **more: Any) -> QuestionRow:
        return question_row(
            name, verdict=Verdict("m1", name, 0, label, status, **more), label=counts, status=status
        )

    model = QuestionsModel()
    model.set_view(
        unit_view(
            judged("q0", "partial", "judged", None),
            judged("q1", "0.5", "judged", None, unusual=("label",)),
            judged("q2", None, "unparsed", None),
            judged("q3", "correct", "judged", "correct"),
            judged("q4", "correct", "judged", None),
            question_row("q5", verdict=None, label=None),
        )
    )
    assert texts(model, "verdict") == [
        "partial (unknown verdict)",
        "0.5 (unknown verdict)",
        "not parsed",
        "✓",
        "✓ correct, does not count",
        "not judged",
    ]
    assert texts(model, "verdict", Qt.ItemDataRole.AccessibleTextRole)[3] == "✓ correct"


def test_nothing_of_the_data_hides_or_becomes_mark_up(question_row: Row, unit_view: View) -> None:
    model = QuestionsModel()
    model.set_view(unit_view(question_row("q1", text=NASTY, answer=NASTY)))
    shown = texts(model, "question")[0]
    assert shown == "⟨BOM⟩a∅b ⟨RLO⟩gnp.exe⟨PDF⟩ c⟨ZWSP⟩d ⏎ e\u00a0f \U0001f9e0 <b>x</b>"
    assert "&lt;b&gt;" in texts(model, "question", Qt.ItemDataRole.ToolTipRole)[0]


def test_data_shows_an_error_instead_of_raising(question_row: Row, unit_view: View) -> None:
    model = QuestionsModel()
    model.set_view(unit_view(question_row("q1", references=(3,))))
    assert texts(model, "references")[0].startswith("TypeError")


def test_the_table_follows_the_session_and_leads_it(
    qtbot: QtBot, session: Session, shown: QuestionsView, question_row: Row, unit_view: View
) -> None:
    table = shown.findChild(QTableView, "questionsView")
    assert table is shown.table
    session.show_unit(unit_view(*(question_row(f"q{n}") for n in range(4))))
    assert table.currentIndex().row() == 0
    session.choose_question("q2")
    assert table.currentIndex().row() == 2
    assert shown.detail.section("question").texts() == ("What of q2?",)
    with qtbot.waitSignal(session.question_chosen) as chosen:
        table.selectRow(1)
    assert chosen.args == ["q1"]
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_J)
    assert session.question == "q2"
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert session.question == "q3"
    qtbot.keyClick(table, Qt.Key.Key_J)
    assert session.question == "q3"
    qtbot.keyClick(table, Qt.Key.Key_K)
    assert session.question == "q2"
    shown.previous_question()
    assert session.question == "q1"
    shown.next_question()
    assert session.question == "q2"


def test_columns_are_never_wider_than_needed_and_fit(
    qtbot: QtBot, session: Session, shown: QuestionsView, question_row: Row, unit_view: View
) -> None:
    table = shown.table
    session.show_unit(unit_view(question_row("q1", text="short?", references=("x",), answer="y")))
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0)
    assert table.columnWidth(PLACES["question"]) < 100
    assert table.isColumnHidden(PLACES["flags"])
    session.show_unit(
        unit_view(question_row("q1", text="long " * 90, answer="long " * 90, flags=("unsupported",)))
    )
    assert not table.isColumnHidden(PLACES["flags"])
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0)
    assert not table.horizontalHeader().sectionsClickable()
    assert not table.isColumnHidden(PLACES["verdict"])
    shown.resize(640, 300)
    assert table.isColumnHidden(PLACES["flags"]) and table.isColumnHidden(PLACES["rationale"])
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0)


def test_the_verdict_goes_before_the_texts_do(
    qtbot: QtBot, session: Session, shown: QuestionsView, question_row: Row, unit_view: View
) -> None:
    table = shown.table
    verdict = Verdict("m1", "q1", 0, "a verdict of a great many words", "judged")
    answer = Answer("m1", "q1", 0, "an answer of a few words", "ok")
    row = question_row("q1", text="long " * 90, references=("long " * 9,), answer=answer, verdict=verdict)
    session.show_unit(unit_view(row))
    assert not table.isColumnHidden(PLACES["verdict"])
    shown.resize(620, 300)
    assert table.isColumnHidden(PLACES["verdict"])
    assert min(table.columnWidth(PLACES[key]) for key in ("question", "references", "answer")) >= 60
    shown.resize(520, 300)
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0)
    shown.resize(1400, 300)
    assert not table.isColumnHidden(PLACES["verdict"])


def test_what_to_do_where_there_is_nothing(session: Session, shown: QuestionsView, unit_view: View) -> None:
    assert not shown.table.isVisible()
    session.show_unit(unit_view())
    assert shown.table.isVisible()
    session.show_unit(unit_view(unit=2, rows=()))
    assert not shown.table.isVisible()


def test_the_detail_shows_all_that_is_known_and_copies_it_exactly(
    qtbot: QtBot, session: Session, shown: QuestionsView, question_row: Row, unit_view: View
) -> None:
    row = question_row(
        "q1",
        question=Question("q1", "g1", NASTY, ("Paris", "the city"), ({"quote": "Paris"}, {"quote": "rains"})),
        answer=Answer("m1", "q1", 0, NASTY, "ok"),
        verdict=Verdict("m1", "q1", 0, "partial", "judged", "because", '{"verdict":"partial"}'),
        flags=("uncertain",),
        label=None,
        cause="no-verdict",
    )
    session.show_unit(unit_view(row))
    detail = shown.detail
    assert detail.section("question").texts() == (NASTY,)
    assert detail.section("references").texts() == ("Paris", "the city")
    assert detail.section("answer").texts() == (NASTY,)
    assert detail.section("verdict").texts() == ("partial", "because")
    assert detail.section("reply").texts() == ('{"verdict":"partial"}',)
    assert detail.section("evidence").texts() == ("Paris", "rains")
    assert [caption.split(":")[0] for caption in detail.section("evidence").captions()] == ["tail", "omitted"]
    assert "paraphrase" in detail.section("cause").captions()[1]
    assert not detail.section("error").isVisible()

    answer = detail.section("answer").text_widgets[0]
    answer.setFocus()
    qtbot.keyClick(answer, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(answer, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == NASTY
    QApplication.clipboard().clear()
    detail.section("answer").copy()
    assert QApplication.clipboard().text() == NASTY


def test_a_budget_of_0_is_said_to_be_the_cause(
    session: Session, shown: QuestionsView, question_row: Row, unit_view: View
) -> None:
    lost, cut = question_row("q1", fate="omitted"), question_row("q2", fate="tail")
    session.show_unit(unit_view(lost, cut))
    said = shown.detail.section("cause").captions()[0]
    assert said == (
        "Truncation. The budget is 0: nothing could be kept, so nothing was proposed."
        " Evidence: in the source, not in the proposal."
    )
    session.choose_question("q2")
    assert "the budget cut it off" in shown.detail.section("cause").captions()[0]
    causes = [shown.model.index(row, PLACES["cause"]) for row in (0, 1)]
    told = [str(shown.model.data(index, Qt.ItemDataRole.ToolTipRole)) for index in causes]
    assert "The budget is 0" in told[0] and "The budget is 0" not in told[1]


def test_the_detail_has_the_whole_goal(
    session: Session, shown: QuestionsView, question_row: Row, unit_view: View
) -> None:
    text = NASTY + "\n" + "goal " * 2000
    view = unit_view(question_row("q1"), goal=Goal("g1", "c1", text), shown_goal=Goal("g1", "c1", text))
    session.show_unit(view)
    section = shown.detail.section("goal")
    assert section.texts() == (text,)
    section.copy()
    assert QApplication.clipboard().text() == text
    other = Goal("g2", "c1", "another goal")
    session.show_unit(replace(view, unit=7, shown_goal=other))
    assert section.texts() == (text, "another goal")
    assert section.captions()[1] == "The compressor was shown this one instead: g2"


def test_a_long_id_ends_with_an_ellipsis(
    session: Session, shown: QuestionsView, question_row: Row, unit_view: View
) -> None:
    session.show_unit(unit_view(question_row("Q" * 300)))
    label = shown.detail.section("question").findChild(CountLabel)
    assert label.text() == "Q" * 300
    assert label.shown().endswith("Q…") and len(label.shown()) < 100


def test_the_detail_tells_no_answer_from_an_empty_one_and_shows_errors(
    session: Session, shown: QuestionsView, question_row: Row, unit_view: View
) -> None:
    failed = Answer("m1", "q1", 0, None, "error", "the reader's server closed the connection")
    memory = Memory(
        "m1", "g1", "g1", unit_view().memory.cell, 3, 0, None, None, None, "error", "out of memory"
    )
    session.show_unit(unit_view(question_row("q1", answer=failed, verdict=None, label=None), memory=memory))
    detail = shown.detail
    assert detail.section("answer").captions() == ("No answer was given.",)
    assert detail.section("error").texts() == ("out of memory", "the reader's server closed the connection")
    session.show_unit(unit_view(question_row("q1", answer=Answer("m1", "q1", 0, "", "ok")), unit=2))
    assert detail.section("answer").captions() == ("The answer is empty.",)
    assert not detail.section("error").isVisible()


def test_a_reply_of_a_million_characters_without_a_break_does_not_freeze(
    qtbot: QtBot, session: Session, shown: QuestionsView, question_row: Row, unit_view: View
) -> None:
    reply = "x" * 1_000_000
    verdict = Verdict("m1", "q1", 0, "correct", "judged", "", reply)
    session.show_unit(unit_view(question_row("q1", verdict=verdict)))
    widget = shown.detail.section("reply").text_widgets[0]
    assert widget.text() == reply
    assert 50 < widget.height() < 600


def test_evidence_in_long_texts_is_what_the_panes_find(
    qtbot: QtBot, session: Session, shown: QuestionsView, question_row: Row, unit_view: View
) -> None:
    def long_view(unit: int, *quotes: str) -> UnitView:
        asked = [Question(f"q{n}", "g1", "?", None, ({"quote": quote},)) for n, quote in enumerate(quotes)]
        text = f"{unit_view().context.text} {'漢' * 120_000}"
        rows = [question_row(question.id, question=question) for question in asked]
        return unit_view(*rows, unit=unit, context=Context("c1", text))

    def found(view: UnitView) -> UnitMarks:
        return unit_marks(view, unit_facts(view), Source(view.context.text))

    section = shown.detail.section("evidence")
    label = section.findChild(CountLabel)
    one, other = long_view(1, "Paris", "rains"), long_view(2, "capital", "Paris")
    session.show_unit(one)
    assert section.isVisible() and section.texts() == () and label.text() == ""
    qtbot.waitUntil(lambda: label.text() == LOOKING)
    shown.detail.know(found(other))
    assert section.texts() == () and label.text() == LOOKING, "another unit's evidence is not shown"
    shown.detail.know(found(one))
    assert section.texts() == ("Paris",) and label.text() == "1 piece"
    assert section.captions()[0].startswith("tail:")
    session.choose_question("q1")
    assert section.texts() == ("rains",) and section.captions()[0].startswith("omitted:")
    session.show_unit(other)
    assert section.texts() == () and label.text() == "", "nor what was there before"
    shown.detail.know(found(other))
    assert section.texts() == ("Paris",)  # q1 again
    session.show_unit(unit_view(unit=3))
    assert section.texts() == ("Paris",), "short texts are searched at once"
    session.show_unit(None)
    shown.detail.know(found(one))
    assert not section.isVisible()
