"""What of a source survives, where the cut falls in it, and which places correspond."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.boundary import stored_boundary
from gacc_gui.core.errors import Interrupted
from gacc_gui.gui.panes.source_map import Links, SourceMap, map_source

ONE = "The first sentence stands here."
TWO = "A second one follows it."
THREE = "The third sentence is the last one."
SOURCE = f"{ONE} {TWO}\n\n{THREE}\n"


def mapped(source: str, proposal: str, b: int) -> SourceMap:
    return map_source(source, proposal, proposal[:b], stored_boundary(proposal, proposal[:b]))


def cut_out(source: str, ranges: tuple[tuple[int, int], ...]) -> list[str]:
    return [source[start:end].strip() for start, end in ranges]


def test_retained_tail_and_gone() -> None:
    proposal = f"{THREE} {ONE}"
    found = mapped(SOURCE, proposal, len(THREE) + 1)
    assert cut_out(SOURCE, found.gone) == [TWO, ""]
    assert cut_out(SOURCE, found.tail_only) == [ONE]
    assert found.cut in (0, SOURCE.index(THREE) + len(THREE))


def test_the_cut_inside_a_sentence_is_placed_in_the_source() -> None:
    proposal = f"{THREE} {TWO}"
    b = len(THREE) + 1 + TWO.index("one")
    found = mapped(SOURCE, proposal, b)
    assert found.cut is not None and SOURCE[found.cut :].startswith("one follows it.")
    assert cut_out(SOURCE, found.tail_only) == ["one follows it."]


def test_a_lead_is_one_prefix() -> None:
    found = mapped(SOURCE, SOURCE, 40)
    assert (found.cut, found.gone) == (40, ())
    assert found.retained.to_pane(17) == 17
    assert found.tail.to_pane(45) == 5
    assert found.tail.to_source(5) == 45


def test_sentences_inside_others_count() -> None:
    found = mapped(SOURCE, f"Notes: {TWO}", 200)
    assert cut_out(SOURCE, found.gone) == [ONE, THREE]
    part = mapped(SOURCE, "third sentence is the last", 200)
    assert cut_out(SOURCE, part.gone) == [f"{ONE} {TWO}\n\nThe", "one."]
    folded = mapped(SOURCE, f"{ONE.upper()}", 200)
    assert cut_out(SOURCE, folded.gone) == [f"{TWO}\n\n{THREE}"]


def test_a_sentence_of_the_tail_that_is_retained_elsewhere_is_retained() -> None:
    proposal = f"Title: {ONE}\n{ONE}"
    found = mapped(SOURCE, proposal, len(f"Title: {ONE}"))
    assert found.tail_only == ()


def test_without_a_boundary_both_texts_are_looked_up() -> None:
    found = map_source(SOURCE, f"{ONE} {TWO}", THREE, None)
    assert cut_out(SOURCE, found.tail_only) == [f"{ONE} {TWO}"]
    assert found.cut is None
    assert found.retained.to_pane(SOURCE.index(THREE)) == 0


def test_nothing_corresponds() -> None:
    assert Links().to_pane(3) is None
    assert mapped(SOURCE, "", 0).gone == ((0, len(SOURCE)),)
    assert not mapped("", "abc", 1).gone


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from([ONE, TWO, THREE, "Ä.", "漢字。"]), max_size=8), st.integers(0, 60), st.data()
)
def test_stretches_are_ordered_and_apart(sentences: list[str], b: int, data: st.DataObject) -> None:
    source = " ".join(sentences)
    proposal = " ".join(data.draw(st.permutations(sentences)))
    found = mapped(source, proposal, min(b, len(proposal)))
    edges = sorted([*found.gone, *found.tail_only])
    assert all(first[1] <= second[0] for first, second in pairwise(edges))
    assert all(0 <= start < end <= len(source) for start, end in edges)
    assert found.cut is None or 0 <= found.cut <= len(source)


def test_large_texts_take_the_short_way() -> None:
    sentences = [f"Sentence number {n} tells of item {n * 7919 % 10007} at length." for n in range(6000)]
    source = "\n".join(sentences)
    proposal = " ".join(f"Re: {sentence}" for sentence in sentences[::6])
    found = mapped(source, proposal, len(proposal) // 2)
    gone = sum(end - start for start, end in found.gone)
    assert 0.8 < gone / len(source) < 0.87


def test_a_map_that_is_wanted_no_more_ends_wherever_it_is() -> None:
    sentences = [f"Sentence number {n} tells of item {n * 7919 % 10007} at length." for n in range(40)]
    source, proposal = "\n".join(sentences), " ".join(f"Re: {sentence}" for sentence in sentences[::2])
    asked: list[int] = []

    def give_way() -> None:
        asked.append(1)
        if len(asked) == end:
            raise Interrupted("enough")

    end = 0
    whole = map_source(source, proposal, proposal, stored_boundary(proposal, proposal), give_way)
    assert whole.gone == mapped(source, proposal, len(proposal)).gone
    calls = len(asked)
    assert calls > 100
    for end in (1, calls // 2, calls):
        asked.clear()
        with pytest.raises(Interrupted):
            map_source(source, proposal, proposal, stored_boundary(proposal, proposal), give_way)
        assert len(asked) == end
