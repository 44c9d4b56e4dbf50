"""The text pane: the exact text back, marks on the right pixels, long texts without a pause."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gacc_gui.gui.panes.exact_copy import exact_mime
from gacc_gui.gui.panes.spans import CUT_HERE, GONE, Span, evidence_role
from gacc_gui.gui.panes.text_pane import TextPane
from gacc_gui.gui.theme import current_theme

HOSTILE = [
    "\U0001f9e0 answer: Paris",
    "\ufeffParis x",
    "\ufffe\u65e5",
    "a\r\nb\rc\n\r\nd",
    "a\u2028b\u2029c\ufdd0d\ufdd1",
    "nul \x00 zero\u200bwidth nbsp\xa0 end ",
    "abc \u202egnp.exe\u202c def",
    "",
    "\n",
    "trailing\n",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 e\u0301 \ufffd",
    "שלום abc עולם 123",
]


@pytest.fixture
def pane(qtbot: QtBot) -> TextPane:
    pane = TextPane()
    qtbot.addWidget(pane)
    pane.resize(400, 300)
    with qtbot.waitExposed(pane):
        pane.show()
    return pane


def loaded(pane: TextPane, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: pane.shown.display == "" or pane.is_loaded, timeout=20_000)


def colours_in(pane: TextPane, rect: QRectF) -> set[str]:
    image: QImage = pane.viewport().grab().toImage()
    ratio = image.devicePixelRatio()
    inner = rect.adjusted(1, 1, -1, -1)
    return {
        QColor(image.pixel(int(x * ratio), int(y * ratio))).name()
        for x in range(int(inner.left()), int(inner.right()) + 1)
        for y in range(int(inner.top()), int(inner.bottom()) + 1)
    }


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("invisibles", [False, True])
def test_text_selection_and_copy_are_exact(
    pane: TextPane, qapp: QApplication, text: str, invisibles: bool
) -> None:
    pane.set_invisibles(invisibles)
    pane.set_text(text, head="✂ a label", foot="✂ another")
    assert pane.text() == text
    pane.selectAll()
    assert pane.selected_text() == text
    pane.copy()
    if text:
        assert qapp.clipboard().text() == text
    for start in range(len(text)):
        for end in range(start + 1, min(len(text), start + 5) + 1):
            pane.select(start, end)
            assert pane.selected_range() == (start, end)
            assert pane.createMimeDataFromSelection().text() == text[start:end]


@settings(deadline=None, max_examples=60)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_copied_reads_back_equal(text: str) -> None:
    assert exact_mime(text).text() == text


def test_the_document_holds_the_display_text_position_for_position(pane: TextPane) -> None:
    for text in HOSTILE:
        pane.set_text(text)
        document = pane.document()
        assert document.characterCount() - 1 == len(pane.shown.display.encode("utf-16-le")) // 2
        for offset, character in enumerate(text):
            if character.isalnum():
                at = pane.shown.to_display(offset)
                shown = document.characterAt(at)
                expected = character if character <= "\uffff" else None
                assert expected is None or shown == expected


@pytest.mark.parametrize("fate", ["retained", "tail", "cut", "omitted"])
def test_evidence_lies_under_exactly_its_letters(pane: TextPane, fate: str) -> None:
    text = "\U0001f9e0 one two \r\nthree \ufeff four five"
    start = text.index("three")
    pane.set_text(text)
    pane.set_spans("evidence", [Span(start, start + 5, evidence_role(fate))])
    (rect,) = pane.rects_of(start, start + 5)
    tint = current_theme().fate_tint(fate).name()
    assert tint in colours_in(pane, rect)
    assert current_theme().fate_colour(fate).name() in colours_in(pane, rect)
    (before,) = pane.rects_of(text.index("one"), text.index("one") + 3)
    (after,) = pane.rects_of(text.index("four"), text.index("four") + 4)
    assert tint not in colours_in(pane, before) | colours_in(pane, after)


def test_letters_that_are_gone_are_grey_beside_lit_ones(pane: TextPane) -> None:
    text = "mmmm MMMM"
    pane.set_text(text)
    pane.set_spans("survival", [Span(5, 9, GONE)])
    pane.set_spans("evidence", [Span(0, 5, evidence_role("tail"))])
    (gone,), (lit,) = pane.rects_of(5, 9), pane.rects_of(0, 4)
    assert current_theme().gone_text.name() in colours_in(pane, gone)
    assert current_theme().text.name() not in colours_in(pane, gone)
    assert current_theme().text.name() in colours_in(pane, lit)


def test_marks_in_right_to_left_text_cover_only_their_letters(pane: TextPane) -> None:
    text = "abc שלום def"
    pane.set_text(text)
    word = pane.rects_of(4, 8)
    first, last = pane.rects_of(4, 5), pane.rects_of(7, 8)
    assert len(word) == len(first) == len(last) == 1
    assert first[0].left() > last[0].left()
    assert word[0].left() <= last[0].left() and first[0].right() <= word[0].right() + 0.5


def test_the_cut_is_a_line_across_the_pane(pane: TextPane) -> None:
    pane.set_text("some text", foot="✂ token 3 of 5")
    image = pane.viewport().grab().toImage()
    line = current_theme().cut_line.name()
    middle = image.width() - 20
    assert line in {QColor(image.pixel(middle, y)).name() for y in range(image.height())}
    pane.set_text("some text")
    image = pane.viewport().grab().toImage()
    assert line not in {QColor(image.pixel(middle, y)).name() for y in range(image.height())}


def test_the_place_of_the_cut_is_an_upright_line(pane: TextPane) -> None:
    pane.set_text("some text")
    pane.set_spans("cut", [Span(4, 4, CUT_HERE)])
    (rect,) = pane.rects_of(4, 4)
    assert current_theme().cut_line.name() in colours_in(pane, rect.adjusted(-2, 0, 2, 0))


def test_a_million_characters_without_a_break(pane: TextPane, qtbot: QtBot) -> None:
    text = "a" * 1_000_000
    start = time.perf_counter()
    pane.set_text(text)
    QApplication.processEvents()
    shown = time.perf_counter() - start
    loaded(pane, qtbot)
    assert pane.text() == text
    assert shown < 2.0, "the target is 0.5 s on a quiet machine"
    start = time.perf_counter()
    pane.resize(500, 300)
    QApplication.processEvents()
    assert time.perf_counter() - start < 1.0
    pane.select(3_999, 4_001)
    assert pane.selected_text() == "aa"
    pane.selectAll()
    assert pane.selected_text() == text


def test_what_is_beyond_the_loaded_part_is_revealed_when_it_comes(pane: TextPane, qtbot: QtBot) -> None:
    text = "".join(f"Line {number} of a long text.\n" for number in range(40_000))
    pane.set_text(text)
    assert not pane.is_loaded
    start = text.index("Line 39000 ")
    pane.reveal(start, start + 10)
    loaded(pane, qtbot)
    low, high = pane.visible_range()
    assert low <= start < high
    assert pane.rects_of(start, start + 10)


class CountingPane(TextPane):
    """Counts how often it is painted."""

    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        CountingPane.painted += 1
        super().paintEvent(event)


def test_what_is_loaded_below_the_view_paints_nothing_again(qtbot: QtBot) -> None:
    pane = CountingPane()
    qtbot.addWidget(pane)
    pane.resize(400, 300)
    pane.set_text("word " * 400_000)
    with qtbot.waitExposed(pane):
        pane.show()
    ranges: list[int] = []
    pane.verticalScrollBar().rangeChanged.connect(lambda _low, high: ranges.append(high))
    CountingPane.painted = 0
    loaded(pane, qtbot)
    assert len(ranges) > 20, "the scroll bar follows"
    assert CountingPane.painted <= 5


def test_marks_that_overlap_in_a_long_line_are_painted_as_they_cover(pane: TextPane) -> None:
    pane.set_text("m" * 9_000)
    pane.set_spans("evidence", [Span(at, at + 80, evidence_role("tail")) for at in range(4_010, 4_100)])
    pane.reveal(4_010, 4_200)
    tint = current_theme().fate_tint("tail").name()
    for at, is_lit in ((4_008, False), (4_010, True), (4_100, True), (4_178, True), (4_179, False)):
        (rect,) = pane.rects_of(at, at + 1)
        assert (tint in colours_in(pane, rect)) == is_lit


def test_reveal_moves_only_what_is_out_of_view(pane: TextPane, qtbot: QtBot) -> None:
    text = "".join(f"Paragraph {n} " + "with many words " * 40 + "\n" for n in range(200))
    pane.set_text(text)
    loaded(pane, qtbot)
    for number in (150, 20, 199, 0):
        start = text.index(f"Paragraph {number} ")
        pane.reveal(start, start + 12)
        rects = pane.rects_of(start, start + 12)
        assert rects and 0 <= rects[0].top() < pane.viewport().height()
        value = pane.verticalScrollBar().value()
        pane.reveal(start, start + 12)
        assert pane.verticalScrollBar().value() == value


def test_the_top_of_the_view_is_told_and_set(pane: TextPane) -> None:
    text = "".join(f"Paragraph {n} " + "with many words " * 40 + "\n" for n in range(100))
    pane.set_text(text, head="✂ label")
    assert pane.first_visible() == 0
    start = text.index("Paragraph 50 ")
    pane.scroll_to(start)
    assert pane.first_visible() == start
    pane.scroll_to(start + 300)
    assert 0 <= start + 300 - pane.first_visible() < 80


def test_twenty_thousand_marks_cost_what_is_in_view(pane: TextPane) -> None:
    text = "word " * 40_000
    pane.set_text(text)
    pane.set_spans("find", [Span(at, at + 4, "find") for at in range(0, len(text), 10)])
    start = time.perf_counter()
    pane.viewport().repaint()
    assert time.perf_counter() - start < 0.5
    (rect,) = pane.rects_of(10, 14)
    assert current_theme().find.name() in colours_in(pane, rect)


def test_the_keyboard_walks_and_selects(pane: TextPane, qtbot: QtBot) -> None:
    pane.set_text("\U0001f9e0 Paris")
    pane.setFocus()
    qtbot.keyClick(pane, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(pane, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(pane, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert pane.selected_text() == "\U0001f9e0 "


def test_assistive_technology_reads_the_text(pane: TextPane) -> None:
    from PySide6.QtGui import QAccessible

    pane.setAccessibleName("Source text")
    pane.set_text("the words")
    interface = QAccessible.queryAccessibleInterface(pane)
    assert interface.text(QAccessible.Text.Name) == "Source text"
    assert interface.textInterface().text(0, 9) == "the words"
