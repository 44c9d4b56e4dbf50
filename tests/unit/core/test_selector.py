from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Cell
from gacc_gui.core.selector import Selector, select, split_run, written

CELLS = [
    Cell("lead", "1", "own-goal", "0.1"),
    Cell("lead", "1", "own-goal", "0.25"),
    Cell("lead, a,b", "sha256:1,2", "own-goal", "0.1"),
    Cell("openings", "", "no-goal", "0"),
]


def test_the_longest_known_run_is_meant() -> None:
    known = ["a", "a:b", "a:compressor=x", "a,b"]
    assert split_run("a", known) == ("a", None)
    assert split_run("a:b", known) == ("a:b", None)
    assert split_run("a:b:ratio=1", known) == ("a:b", "ratio=1")
    assert split_run("a:compressor=x", known) == ("a:compressor=x", None)
    assert split_run("a:compressor=y", known) == ("a", "compressor=y")
    assert split_run("a,b:ratio=1", known) == ("a,b", "ratio=1")
    assert split_run("b:ratio=1", known) == ("b", None)


def test_fields_in_any_order_and_values_with_commas() -> None:
    assert select(None, CELLS, [0]) == Selector()
    assert select("ratio=0.10,compressor=lead", CELLS, [0]) == Selector("lead", ratio="0.1")
    assert select("ratio=1E-1", CELLS, [0]).ratio == "0.1"
    assert select("compressor=lead, a,b,revision=sha256:1,2,ratio=.1", CELLS, [0]) == Selector(
        "lead, a,b", "sha256:1,2", None, "0.1"
    )
    assert select("generation=01", CELLS, [0, 1]) == Selector(generation=1)
    assert select("revision=,condition=no-goal", CELLS, [0]) == Selector(revision="", condition="no-goal")
    assert select("compressor=lead", CELLS, [0]).chosen(CELLS) == CELLS[:2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "made of compressor"),
        ("lead", "not 'lead'"),
        ("compressor=lead,", "not ''"),
        ("compressor=lead,rato=0.1", "not 'rato'"),
        ("Compressor=lead", "not 'Compressor'"),
        ("compressor=lead,compressor=lead", "twice"),
        ("compressor=lea", "no compressor 'lea'; it has lead"),
        ("compressor=nix,ratio=0.1", "no compressor 'nix'"),
        ("ratio=0.3", "no ratio '0.3'; it has 0.1, 0.25, 0"),
        ("ratio=x", "decimal"),
        ("ratio=-0.1", "negative"),
        ("ratio=0.1;compressor=lead", "decimal"),
        ("generation=1", "no generation '1'; it has 0"),
        ("generation=-1", "no generation"),
        ("generation=" + "9" * 5000, "no generation"),
        ("compressor=lead,condition=no-goal", "no cell of the run is"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(BadUsage, match=words):
        select(text, CELLS, [0])


VALUE = st.text(st.sampled_from("a,=:b 1"), max_size=6)


@given(st.lists(st.tuples(VALUE, VALUE), min_size=1, max_size=4), st.data())
def test_what_is_written_is_read_back(names: list[tuple[str, str]], data: st.DataObject) -> None:
    cells = [Cell(name, revision, "own-goal", "0.5") for name, revision in names]
    cell = data.draw(st.sampled_from(cells))
    selector = Selector(cell.compressor, cell.revision, cell.condition, cell.ratio, 0)
    run, rest = split_run(written("r:1", selector), ["r", "r:1"])
    assert run == "r:1"
    try:
        assert cell in select(rest, cells, [0]).chosen(cells)
    except BadUsage:
        # A name that goes on like a selection is the longer one that is known; then the rest makes no sense.
        assert any(other.compressor.startswith(cell.compressor + ",") for other in cells) or any(
            other.revision.startswith(cell.revision + ",") for other in cells
        )
