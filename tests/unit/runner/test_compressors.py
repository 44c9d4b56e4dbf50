"""The rule compressors: what they choose, and that they keep to the budget."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.records import Context, Goal, Question
from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.formats.vocabulary import load_codec
from gacc_gui.runner.cache import content_hash
from gacc_gui.runner.compressors import Bm25, Empty, Oracle, RandomSentences, Tail, oracle_evidence
from gacc_gui.runner.parts import CompressorInput

POINTS = CodepointCodec()
SOURCE = (
    "# Pump\nThe night shift found the pump off. Valve K-7 was closed at 02:14. "
    "The tank held 812 litres.\n# Costs\nThe repair cost 4,150 euros. Nobody told the day shift."
)


def told(goal: str | None = None, budget: int = 60, context: str = SOURCE) -> CompressorInput:
    return CompressorInput(context, goal, budget)


def test_tail_is_the_end_of_the_source_exactly() -> None:
    assert Tail(POINTS)(told(budget=26)).text == SOURCE[-26:]
    assert Tail(POINTS)(told(budget=10_000)).text == SOURCE
    assert Tail(POINTS)(told(context="")).text == ""


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab 漢字🧠é\n.שלום", max_size=60), st.integers(1, 40))
def test_tail_fits_and_is_a_suffix_whatever_the_characters(text: str, budget: int) -> None:
    codec = load_codec("cl100k_base")
    proposed = Tail(codec)(told(budget=budget, context=text)).text or ""
    assert text.endswith(proposed)
    assert codec.count(proposed) <= budget


def test_sentences_are_a_sample_that_depends_on_the_seed_and_fits() -> None:
    texts = {RandomSentences(POINTS, seed)(told(budget=80)).text for seed in range(8)}
    assert len(texts) > 1
    assert all(text and len(text) <= 80 for text in texts)
    assert RandomSentences(POINTS, 3)(told()) == RandomSentences(POINTS, 3)(told(goal="anything"))
    whole = RandomSentences(POINTS, 3)(told(budget=1_000)).text or ""
    assert whole.split("\n")[:3] == [
        "# Pump",
        "The night shift found the pump off.",
        "Valve K-7 was closed at 02:14.",
    ]


def test_where_no_sentence_fits_one_is_left_to_be_cut() -> None:
    assert RandomSentences(POINTS)(told(budget=3)).text
    assert RandomSentences(POINTS)(told(context=" \n ")).text == ""


def test_bm25_ranks_by_the_goal_and_keeps_the_order_of_the_source() -> None:
    assert Bm25(POINTS)(told("What did the repair cost?", 40)).text == "# Costs\nThe repair cost 4,150 euros."
    both = Bm25(POINTS)(told("repair euros, valve closed", 75)).text
    assert both == "Valve K-7 was closed at 02:14.\n# Costs\nThe repair cost 4,150 euros."


def test_bm25_of_a_goal_that_shares_no_word_and_of_no_goal() -> None:
    assert Bm25(POINTS)(told("zebras")).text == ""
    assert Bm25(POINTS)(told(None)).text
    assert Bm25(POINTS)(told("pump", context="")).text == ""


def test_bm25_knows_chinese() -> None:
    source = "阀门在两点关闭。水箱里有八百升水。修理费用很高。"
    assert Bm25(POINTS)(told("水箱的水", 12, source)).text == "水箱里有八百升水。"


def test_fill_writes_more_than_the_budget() -> None:
    assert len(Bm25(POINTS, fill=3.0)(told(None, 40)).text or "") > 60


def test_empty_proposes_nothing() -> None:
    assert Empty()(told()).text == ""


def test_the_oracle_knows_where_the_evidence_is() -> None:
    contexts = [Context("c", SOURCE)]
    goals = [Goal("g", "c", "the night"), Goal("h", "c", "the money")]
    at = SOURCE.index("Valve")
    questions = [
        Question("q1", "g", "When?", ("02:14",), ({"start": at, "end": at + 30},)),
        Question("q2", "g", "Which?", ("K-7",), ({"quote": "valve k-7  WAS closed"},)),
        Question("q3", "h", "How much?", ("4,150 euros", "a lot")),
        Question("q4", "h", "Was it?", ("yes",)),
    ]
    evidence = oracle_evidence(contexts, goals, questions)
    oracle = Oracle(evidence)
    assert oracle(told("the night")).text == "Valve K-7 was closed at 02:14."
    assert oracle(told("the money")).text == "4,150 euros"
    assert oracle(told(None)).text == "Valve K-7 was closed at 02:14.\n4,150 euros"
    assert oracle(told("another goal")).text == ""
    assert "upper bound" in oracle.revision
    assert set(evidence) == {(content_hash(SOURCE), goal) for goal in ("the night", "the money", None)}


@pytest.mark.parametrize("part", [Tail(POINTS), RandomSentences(POINTS), Bm25(POINTS), Oracle({}), Empty()])
@pytest.mark.parametrize("source", ["", " ", "\x00", "…", "one", "a" * 5_000, "#", "# \n# "])
@pytest.mark.parametrize("goal", [None, "", "one"])
def test_odd_sources_are_no_error(part: object, source: str, goal: str | None) -> None:
    assert part(CompressorInput(source, goal, 5)).status == "ok"  # type: ignore[operator]
