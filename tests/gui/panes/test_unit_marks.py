"""Evidence parted at the cut into what each pane shows."""

from __future__ import annotations

from gacc_gui.core.analysis import Source
from gacc_gui.core.records import Question
from gacc_gui.gui.panes.facts import unit_facts
from gacc_gui.gui.panes.unit_marks import QuestionMarks, as_others, hint_spans, unit_marks
from gacc_gui.store.rows import UnitView
from tests.gui.panes.units import make_unit

SOURCE = "The bridge opened in 1932. It was painted green. Nobody knows why."


def marks_of(view: UnitView) -> QuestionMarks:
    marks = unit_marks(view, unit_facts(view), Source(view.context.text))
    return marks.questions[view.rows[0].question.id]


def test_each_fate_has_its_role_in_each_pane() -> None:
    proposal = "It was painted green. The bridge opened in 1932."
    evidence = ({"quote": "The bridge opened in 1932."}, {"quote": "It was painted green."})
    found = marks_of(make_unit(SOURCE, proposal, proposal[:31], evidence=evidence))
    assert [(SOURCE[s.start : s.end], s.role) for s in found.source] == [
        ("The bridge opened in 1932.", "evidence:cut"),
        ("It was painted green.", "evidence:retained"),
    ]
    assert [(proposal[s.start : s.end], s.role) for s in found.retained] == [
        ("It was painted green.", "evidence:retained"),
        ("The bridg", "evidence:cut"),
    ]
    assert [(proposal[31:][s.start : s.end], s.role) for s in found.tail] == [
        ("e opened in 1932.", "evidence:cut")
    ]
    assert found.retained_note == "Of 2 pieces, 1 split by the cut."
    assert found.lost == ("The bridge opened in 1932.",)


def test_a_split_character_belongs_to_both_sides() -> None:
    source = "say hello \U0001f9e0 now"
    proposal, retained = "hello \U0001f9e0 now", "hello \ufffd"
    found = marks_of(make_unit(source, proposal, retained, evidence=({"quote": "\U0001f9e0 now"},)))
    assert [(s.start, s.end) for s in found.retained] == [(6, 7)]
    assert [(s.start, s.end) for s in found.tail] == [(0, 5)]


def test_absent_and_unlocated_are_told() -> None:
    absent = marks_of(make_unit(SOURCE, SOURCE, SOURCE, evidence=({"quote": "It was painted blue."},)))
    assert absent.source_note == "The evidence is not in the source: “It was painted blue.”"
    assert not absent.source and not absent.retained_note
    outside = marks_of(make_unit(SOURCE, SOURCE, SOURCE, evidence=({"start": 5, "end": 5000},)))
    assert "outside" in outside.source_note
    unlocated = marks_of(make_unit(SOURCE, SOURCE, SOURCE))
    assert unlocated.source_note.startswith("No evidence to look for")


def test_an_unknown_boundary_looks_in_both_texts() -> None:
    view = make_unit(SOURCE, "It was painted green.", "green, it was", evidence=({"quote": "painted green"},))
    found = marks_of(view)
    assert not found.retained
    assert [(s.start, s.end, s.role) for s in found.tail] == [(7, 20, "evidence:tail")]


def test_others_are_the_same_places_with_faint_roles() -> None:
    found = marks_of(make_unit(SOURCE, SOURCE, SOURCE, evidence=({"quote": "painted green"},)))
    assert [s.role for s in as_others(found).source] == ["other:retained"]
    assert [(s.start, s.end) for s in as_others(found).tail] == [(s.start, s.end) for s in found.tail]


def test_hints_tell_their_score_and_are_withheld_where_numbers_differ() -> None:
    lost = ("The bridge over the river opened in 1932.",)
    (hint,) = hint_spans(lost, "So: the bridge over that river opened in 1932, they say.")
    assert hint.role == "hint" and "of 100" in hint.note
    assert hint_spans(lost, "So: the bridge over the river opened in 1937, they say.") == ()


def test_each_question_is_marked_once() -> None:
    questions = tuple(Question(f"q{n}", "g1", "?", None, ({"quote": "painted"},)) for n in range(3))
    view = make_unit(SOURCE, SOURCE, SOURCE, questions=questions)
    marks = unit_marks(view, unit_facts(view), Source(SOURCE))
    assert set(marks.questions) == {"q0", "q1", "q2"}
