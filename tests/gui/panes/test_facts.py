"""Titles, cut labels and empty states say what is known and never more."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gacc_gui.core.records import Ledger
from gacc_gui.gui.panes.facts import unit_facts
from gacc_gui.gui.panes.pane_labels import FiguresLabel
from tests.gui.panes.units import make_unit

LEDGER = Ledger(1230, 391, 256, 0, 256, 0)


def test_titles_carry_the_declared_counts() -> None:
    facts = unit_facts(make_unit("source", "the television", "the televi", budget=308, ledger=LEDGER))
    assert facts.source.figures == "1,230 tok · 6 chars"
    assert facts.retained.figures == "256/308 tok · 10 chars"
    assert facts.tail.figures == "135 tok · 4 chars"
    assert facts.tail.text == "sion"
    assert facts.retained.foot == facts.tail.head
    assert facts.tail.head == "✂ token 256 of 391, character 10, inside “televi|sion”"


def test_what_is_not_declared_is_unavailable_and_not_0() -> None:
    facts = unit_facts(make_unit("source", "abc def", "abc ", budget=None))
    assert facts.source.figures.startswith("tokens unavailable")
    assert facts.retained.figures == "–/– tok, use unavailable · 4 chars"
    assert facts.tail.figures == "tokens unavailable · 3 chars"
    assert (facts.source.short, facts.retained.short, facts.tail.short) == ("– tok", "–/– tok", "– tok")
    assert "token not declared" in facts.tail.head


def test_figures_give_way_to_a_short_form(qtbot: QtBot) -> None:
    label = FiguresLabel()
    qtbot.addWidget(label)
    label.show_figures("–/100 tok, use unavailable · 12 chars", "–/100 tok")
    for form in ("–/100 tok, use unavailable · 12 chars", "–/100 tok, use unavailable", "–/100 tok"):
        label.resize(label.fontMetrics().horizontalAdvance(form), 20)
        assert label.shown() == form


def test_a_split_character_is_named() -> None:
    facts = unit_facts(make_unit("s", "hello \U0001f9e0!", "hello \ufffd"))
    assert facts.boundary is not None and facts.boundary.splits_character
    assert "splits the character \U0001f9e0 U+1F9E0" in facts.tail.head
    assert facts.tail.text == "\U0001f9e0!"
    assert facts.retained.text == "hello \ufffd"


def test_the_first_character_of_a_word_may_be_the_split_one() -> None:
    facts = unit_facts(make_unit("s", "to Łódź", "to \ufffd"))
    assert facts.tail.head.endswith("splits the character Ł U+0141, beginning “Łódź”")


def test_a_replacement_character_of_the_proposal_is_no_split() -> None:
    facts = unit_facts(make_unit("s", "\ufffd漢字", "\ufffd"))
    assert facts.boundary is not None and not facts.boundary.splits_character


def test_empty_states_say_why() -> None:
    assert "budget is 0" in unit_facts(make_unit("s", "abc", "", budget=0)).retained.empty
    assert "proposed nothing" in unit_facts(make_unit("s", "", "", budget=3)).retained.empty
    assert "before the first character" in unit_facts(make_unit("s", "abc", "", budget=3)).retained.empty
    assert "fits in the budget" in unit_facts(make_unit("s", "abc", "abc")).tail.empty
    assert unit_facts(make_unit("", "abc", "abc")).source.empty
    failed = unit_facts(make_unit("s", None, None, status="error", error="HTTP 500 <b>"))
    assert failed.failed and "HTTP 500 <b>" in failed.retained.empty
    assert unit_facts(make_unit("s", "abc", "ab", status="truncated")).retained.notice


def test_an_unknown_boundary_is_told() -> None:
    facts = unit_facts(make_unit("s", "abc def", "xyz", ledger=LEDGER))
    assert facts.boundary is None
    assert facts.tail.title == "Proposal" and facts.tail.text == "abc def"
    assert "Boundary unknown" in facts.retained.notice and "Boundary unknown" in facts.tail.notice
    assert not facts.tail.head and not facts.retained.foot


def test_data_in_labels_cannot_break_the_line() -> None:
    facts = unit_facts(make_unit("s", "ab\u202ecd", "ab"))
    assert "\n" not in facts.tail.head and "\u202e" not in facts.tail.head
