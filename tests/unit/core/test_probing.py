"""What takes the memory's place."""

from __future__ import annotations

import pytest

from gacc_gui.core.analysis import Source
from gacc_gui.core.probing import (
    EMPTY,
    EVIDENCE,
    NO_EVIDENCE,
    NO_PROPOSAL,
    NO_RETAINED,
    NOT_IN_SOURCE,
    PROPOSAL,
    RETAINED_AGAIN,
    SOURCE,
    Material,
    material,
)
from gacc_gui.core.records import Cell, Memory, Question

TEXT = (
    "Ada closed valve K-7 at noon.\nThe tank held 812 LITRES. The repair cost 4,150 euros.\n水泵在中午停了。"
)


def memory(proposed: str | None = TEXT, retained: str | None = TEXT[:30]) -> Memory:
    return Memory("m", "g", "g", Cell("lead", "1", "own-goal", "0.5"), 9, 0, proposed, retained, None, "ok")


def question(*quotes: str, references: tuple[str, ...] | None = None) -> Question:
    return Question("q", "g", "What?", references, tuple({"quote": quote} for quote in quotes) or None)


def given(kind: str, asked: Question | None = None, **texts: str | None) -> Material:
    return material(kind, memory(**texts), asked or question(), Source(TEXT))


def test_source_retained_proposal_and_nothing() -> None:
    assert given(SOURCE).text == TEXT
    assert given(RETAINED_AGAIN).text == TEXT[:30]
    assert given(PROPOSAL, proposed="something else").text == "something else"
    assert given(EMPTY).text == ""


def test_a_failed_memory_has_neither_text_nor_tail() -> None:
    failed = {"proposed": None, "retained": None}
    assert given(PROPOSAL, **failed) == Material(PROPOSAL, None, NO_PROPOSAL)
    assert given(RETAINED_AGAIN, **failed) == Material(RETAINED_AGAIN, None, NO_RETAINED)
    assert given(EVIDENCE, question("noon"), **failed) == Material(EVIDENCE, None, NO_RETAINED)
    assert given(SOURCE, **failed).text == TEXT and given(EMPTY, **failed).text == ""


def test_an_empty_memory_is_no_missing_one() -> None:
    none_left = {"proposed": "", "retained": ""}
    assert given(RETAINED_AGAIN, **none_left).text == "" and given(PROPOSAL, **none_left).text == ""
    assert given(EVIDENCE, question("at noon"), **none_left).text == "at noon"


def test_only_missing_evidence_is_added_each_on_its_line_and_as_the_source_words_it() -> None:
    asked = question("valve K-7", "the  tank held 812 litres", "4,150 euros", "水泵")
    made = given(EVIDENCE, asked)
    assert made.added == ("The tank held 812 LITRES", "4,150 euros", "水泵")
    assert made.text == TEXT[:30] + "The tank held 812 LITRES\n4,150 euros\n水泵"
    assert given(EVIDENCE, asked, retained=TEXT[:29]).text == f"{TEXT[:29]}\n" + "\n".join(made.added)


def test_evidence_in_the_memory_adds_nothing() -> None:
    made = given(EVIDENCE, question("Ada closed valve K-7"))
    assert made == Material(EVIDENCE, TEXT[:30])


def test_a_span_that_is_cut_is_added_whole() -> None:
    asked = Question("q", "g", "What?", ("812",), ({"start": 24, "end": 40},))
    assert given(EVIDENCE, asked).added == (TEXT[24:40],)


def test_the_same_words_twice_are_added_once() -> None:
    assert given(EVIDENCE, question("4,150 euros", "4,150 euros")).added == ("4,150 euros",)


def test_one_reference_is_enough() -> None:
    asked = question(references=("4,150 euros", "812 litres", "nowhere"))
    assert given(EVIDENCE, asked, proposed=TEXT[:58], retained=TEXT[:30]).added == ("812 LITRES",)
    assert given(EVIDENCE, question(references=("noon", "812 litres"))).added == ()
    assert given(EVIDENCE, question(references=("812 litres", "4,150 euros"))).added == ("812 LITRES",)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (question(references=("yes",)), NO_EVIDENCE),
        (question(references=("Grace",)), NO_EVIDENCE),
        (question(), NO_EVIDENCE),
        (question("Grace opened it"), NOT_IN_SOURCE),
    ],
)
def test_evidence_that_is_not_located(asked: Question, why: str) -> None:
    assert given(EVIDENCE, asked) == Material(EVIDENCE, None, why)


def test_of_several_pieces_those_in_the_source_are_added() -> None:
    assert given(EVIDENCE, question("Grace opened it", "4,150 euros")).added == ("4,150 euros",)


def test_a_memory_that_is_no_prefix_of_its_proposal() -> None:
    made = given(EVIDENCE, question("812 LITRES", "4,150 euros"), retained="It cost 4,150 euros.")
    assert made.text == "It cost 4,150 euros.\n812 LITRES"


def test_another_kind_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="'nothing'"):
        given("nothing")
