"""The three panes together: what they hold, light, tell and how they follow the session and each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from gacc_gui.core.records import Ledger, Question
from gacc_gui.gui.background import Background
from gacc_gui.gui.panes.texts_view import TextsView
from gacc_gui.gui.session import Session
from gacc_gui.gui.theme import apply_theme, contrast, current_theme
from tests.gui.panes.units import make_unit

SENTENCES = [f"Sentence {n} tells of matter {n * 37} in some plain words." for n in range(300)]
SOURCE = "\n".join(SENTENCES)
PROPOSAL = "\n".join(SENTENCES[::10])
CUT = PROPOSAL.index("Sentence 200 ") + 20


@pytest.fixture
def session() -> Session:
    return Session(Background())


@pytest.fixture
def view(qtbot: QtBot, session: Session) -> Iterator[TextsView]:
    view = TextsView(session)
    qtbot.addWidget(view)
    view.resize(900, 400)
    with qtbot.waitExposed(view):
        view.show()
    yield view
    view.shutdown()


def settled(qtbot: QtBot, view: TextsView) -> None:
    qtbot.waitUntil(lambda: view.is_idle, timeout=20_000)
    QApplication.processEvents()


def question(name: str, *quotes: str) -> Question:
    return Question(name, "g1", "?", None, tuple({"quote": quote} for quote in quotes))


QUESTIONS = (
    question("kept", SENTENCES[10]),
    question("behind", SENTENCES[250]),
    question("split", SENTENCES[200]),
    question("omitted", SENTENCES[5]),
    question("absent", "This stands nowhere at all."),
)


def show(qtbot: QtBot, session: Session, view: TextsView, **changes: object) -> None:
    given: dict[str, object] = {"questions": QUESTIONS, "ledger": Ledger(4000, 400, 270, 0, 270, 0)}
    session.show_unit(make_unit(SOURCE, PROPOSAL, PROPOSAL[:CUT], **{**given, **changes}))  # type: ignore[arg-type]
    settled(qtbot, view)


def label(view: TextsView, name: str) -> str:
    found = view.findChild(QLabel, name)
    assert found is not None
    return "" if found.isHidden() else found.text()


def ground_of(view: TextsView, pane: str, rect: QRectF) -> str:
    image = view.pane(pane).viewport().grab().toImage()
    return QColor(image.pixel(int(rect.left()) + 1, int(rect.top()) + 1)).name()


def test_the_panes_have_their_names_and_say_what_to_do(view: TextsView) -> None:
    for name in ("sourcePane", "retainedPane", "tailPane"):
        pane = view.findChild(QPlainTextEdit, name)
        assert pane is not None and pane.text() == "" and pane.accessibleName()
    assert label(view, "sourcePaneEmpty").startswith("Choose a goal")


def test_exact_texts_titles_and_the_cut(qtbot: QtBot, session: Session, view: TextsView) -> None:
    show(qtbot, session, view)
    assert view.pane("source").text() == SOURCE
    assert view.pane("retained").text() == PROPOSAL[:CUT]
    assert view.pane("tail").text() == PROPOSAL[CUT:]
    assert label(view, "retainedPaneFigures").startswith("270/10 tok")
    assert view.pane("retained").shown.display.endswith(view.pane("tail").shown.display.partition("\n")[0])
    (place,) = view.pane("source").spans("cut")
    assert SOURCE[place.start - 20 : place.start] == PROPOSAL[CUT - 20 : CUT]


def test_evidence_is_lit_and_in_view_in_all_three(qtbot: QtBot, session: Session, view: TextsView) -> None:
    show(qtbot, session, view)
    theme = current_theme()
    session.choose_question("split")
    for name in ("source", "retained", "tail"):
        pane = view.pane(name)
        (span,) = pane.spans("evidence")
        rects = pane.rects_of(span.start, span.end)
        assert rects, f"not in view in the {name} pane"
        assert ground_of(view, name, rects[0]) == theme.fate_tint("cut").name()
    session.choose_question("behind")
    assert view.pane("retained").spans("evidence") == []
    assert view.pane("retained").visible_range()[1] == CUT, "the cut is shown where the evidence was lost"
    assert label(view, "retainedPaneNotice") == "The evidence is behind the cut."
    session.choose_question("omitted")
    assert view.pane("source").rects_of(SOURCE.index(SENTENCES[5]), SOURCE.index(SENTENCES[5]) + 5)
    session.choose_question("absent")
    assert "not in the source" in label(view, "sourcePaneNotice")
    session.choose_question(None)
    assert all(not view.pane(name).spans("evidence") for name in ("source", "retained", "tail"))
    assert label(view, "sourcePaneNotice") == ""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_survivors_are_told_from_the_rest(
    qtbot: QtBot, session: Session, view: TextsView, qapp: QApplication, theme: str
) -> None:
    apply_theme(qapp, theme)
    try:
        show(qtbot, session, view)
        session.choose_question(None)
        named = current_theme()
        pane = view.pane("source")
        tail_only = SOURCE.index(SENTENCES[250])
        pane.reveal(tail_only)
        gone, kept = SOURCE.index(SENTENCES[251]), SOURCE.index(SENTENCES[10])
        assert ground_of(view, "source", pane.rects_of(tail_only, tail_only + 8)[0]) == named.tail_only.name()
        assert ground_of(view, "source", pane.rects_of(gone, gone + 8)[0]) == named.base.name()
        roles = {span.role for span in pane.spans("survival") if span.start <= gone < span.end}
        assert roles == {"gone"}
        assert not [span for span in pane.spans("survival") if span.start <= kept < span.end]
        assert contrast(named.gone_text, named.base) >= 4.5
        assert contrast(named.text, named.tail_only) >= 4.5
    finally:
        apply_theme(qapp, "light")


def test_scrolling_is_linked_by_the_place_in_the_source(
    qtbot: QtBot, session: Session, view: TextsView
) -> None:
    show(qtbot, session, view)
    session.choose_question(None)
    source, retained = view.pane("source"), view.pane("retained")
    source.scroll_to(SOURCE.index(SENTENCES[100]))
    assert retained.first_visible() == PROPOSAL.index(SENTENCES[100])
    retained.scroll_to(PROPOSAL.index(SENTENCES[50]))
    assert source.first_visible() == SOURCE.index(SENTENCES[50])
    session.set_options(linked=False)
    retained.scroll_to(PROPOSAL.index(SENTENCES[10]))
    assert source.first_visible() == SOURCE.index(SENTENCES[50])


def test_finding_counts_goes_round_and_marks(qtbot: QtBot, session: Session, view: TextsView) -> None:
    show(qtbot, session, view)
    view.open_find()
    edit = view.findChild(QLineEdit, "findEdit")
    assert edit is not None and edit.isVisible()
    qtbot.keyClicks(edit, "SENTENCE 2")
    settled(qtbot, view)
    counts = [
        sum(text.count("Sentence 2") for text in (p.text(),))
        for p in map(view.pane, ("source", "retained", "tail"))
    ]
    assert label(view, "findCount").endswith(
        f"{sum(counts)}  (source {counts[0]} · retained {counts[1]} · tail {counts[2]})"
    )
    assert [len(view.pane(name).spans("find")) for name in ("source", "retained", "tail")] == counts
    seen = []
    for _ in range(sum(counts)):
        qtbot.keyClick(edit, Qt.Key.Key_Return)
        name = next(n for n in ("source", "retained", "tail") if view.pane(n).spans("find-current"))
        (span,) = view.pane(name).spans("find-current")
        assert view.pane(name).rects_of(span.start, span.end)
        seen.append((name, span.start))
    assert len(set(seen)) == sum(counts)
    view.find_previous()
    edit.setText("nothing like it")
    settled(qtbot, view)
    assert label(view, "findCount") == "not found"
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert not edit.isVisible()
    assert not view.pane("source").spans("find")


def test_tokens_are_shaded_and_numbered_on_from_the_cut(
    qtbot: QtBot, session: Session, view: TextsView
) -> None:
    session.set_options(token_shading=True)
    show(qtbot, session, view)
    assert [s.note for s in view.pane("source").spans("token")[:2]] == ["token 2", "token 4"]
    first = view.pane("tail").spans("token")[0]
    assert first.note == f"token {CUT + 1 + first.start:,}"
    session.set_options(token_shading=False)
    assert not view.pane("source").spans("token")


def test_a_tokenizer_that_cannot_be_had_is_told(qtbot: QtBot, session: Session, view: TextsView) -> None:
    session.set_options(token_shading=True)
    show(qtbot, session, view, tokenizer="some/other-tokenizer")
    assert "Tokens cannot be shown" in label(view, "sourcePaneNotice")
    show(qtbot, session, view, tokenizer=None)
    assert "names no tokenizer" in label(view, "sourcePaneNotice")
    session.set_options(token_shading=False)
    assert "Tokens" not in label(view, "sourcePaneNotice")


def test_hints_and_other_questions_on_demand(qtbot: QtBot, session: Session, view: TextsView) -> None:
    like = SENTENCES[10].replace("plain", "plane")
    show(qtbot, session, view, questions=(question("like", like), QUESTIONS[0], QUESTIONS[1]))
    session.choose_question("like")
    settled(qtbot, view)
    assert not view.pane("source").spans("hint")
    view.show_hints(True)
    settled(qtbot, view)
    (hint,) = view.pane("source").spans("hint")
    assert SOURCE[hint.start : hint.end] == SENTENCES[10]
    assert not view.pane("source").spans("other")
    view.show_others(True)
    assert [span.role for span in view.pane("source").spans("other")] == ["other:retained", "other:tail"]
    view.show_hints(False)
    view.show_others(False)
    assert not view.pane("source").spans("hint") and not view.pane("source").spans("other")


def test_font_zoom_and_invisibles_follow_the_options(qtbot: QtBot, session: Session, view: TextsView) -> None:
    show(qtbot, session, view)
    pane = view.pane("source")
    pane.scroll_to(SOURCE.index(SENTENCES[100]))
    size = pane.font().pointSizeF()
    pane.zoom_asked.emit(2)
    assert session.options.zoom == 2
    assert [view.pane(n).font().pointSizeF() for n in ("source", "retained", "tail")] == [size + 2] * 3
    assert pane.first_visible() == SOURCE.index(SENTENCES[100])
    session.set_options(mono=True, invisibles=True)
    assert pane.fontInfo().fixedPitch()
    assert pane.shown.invisibles and pane.text() == SOURCE
    assert pane.first_visible() == SOURCE.index(SENTENCES[100])


def test_failed_empty_and_whole_memories(qtbot: QtBot, session: Session, view: TextsView) -> None:
    show(qtbot, session, view)
    session.show_unit(make_unit("s", None, None, status="error", error="timeout after 60 s"))
    settled(qtbot, view)
    assert "timeout after 60 s" in label(view, "retainedPaneEmpty")
    assert view.pane("source").text() == "s" and view.pane("tail").text() == ""
    assert not view.pane("source").spans("survival")
    session.show_unit(make_unit("s", "abc", "", budget=0))
    settled(qtbot, view)
    assert "budget is 0" in label(view, "retainedPaneEmpty")
    assert view.pane("tail").text() == "abc"
    session.show_unit(make_unit("s", "abc", "abc"))
    settled(qtbot, view)
    assert "Nothing was cut off" in label(view, "tailPaneEmpty")
    session.show_unit(None)
    settled(qtbot, view)
    assert view.pane("source").text() == ""


def test_markup_in_the_data_stays_text(qtbot: QtBot, session: Session, view: TextsView) -> None:
    source = "<b>bold</b> & <img src=x>"
    session.show_unit(make_unit(source, source, source, evidence=({"quote": "<i>not there</i>"},)))
    settled(qtbot, view)
    assert view.pane("source").text() == source
    assert view.pane("source").document().toPlainText() == source
    found = view.findChild(QLabel, "sourcePaneNotice")
    assert found is not None and found.textFormat() == Qt.TextFormat.PlainText
    assert "<i>not there</i>" in found.text()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_to_look_at(
    qtbot: QtBot, session: Session, view: TextsView, qapp: QApplication, theme: str
) -> None:
    apply_theme(qapp, theme)
    try:
        show(qtbot, session, view)
        session.choose_question("split")
        QApplication.processEvents()
        for name in ("retainedPaneNotice", "retainedPaneFigures", "retainedPaneTitle"):
            found = view.findChild(QLabel, name)
            assert found is not None
            ink, ground = (
                found.palette().color(role)
                for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Window)
            )
            assert contrast(ink, ground) >= 4.5
            assert (ground.lightness() < 128) == current_theme().is_dark
        folder = Path(__file__).resolve().parents[2] / "pictures"
        folder.mkdir(exist_ok=True)
        assert view.grab().save(str(folder / f"panes-{theme}.png"))
    finally:
        apply_theme(qapp, "light")
