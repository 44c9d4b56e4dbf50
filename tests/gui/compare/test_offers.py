from __future__ import annotations

from gacc_gui.core.records import Cell, Run
from gacc_gui.core.selector import Selector
from gacc_gui.gui.compare.offers import (
    UNPAIRED,
    Chosen,
    RunOffers,
    first_pair,
    nothing_words,
    offers_of,
    unpaired_words,
)
from gacc_gui.store.rows import CellChoice, RunSummary

CELLS = [Cell(name, "1", "own-goal", ratio) for name in ("lead", "openings") for ratio in ("0.1", "0.5")]


def run(run_id: str, cells: list[Cell]) -> RunOffers:
    summary = RunSummary(Run(run_id), 1, 1, 1, None, False, True)
    return RunOffers(summary, tuple(cells), tuple(offers_of(cells)))


def test_all_cells_those_of_one_compressor_and_each() -> None:
    titles = [offer.title for offer in offers_of(CELLS)]
    assert titles == [
        "all 4 cells",
        "lead · own · all 2 ratios",
        "lead · own · 0.1",
        "lead · own · 0.5",
        "openings · own · all 2 ratios",
        "openings · own · 0.1",
        "openings · own · 0.5",
    ]
    assert [offer.title for offer in offers_of(CELLS[:1])] == ["lead · own · 0.1"]
    two = [*CELLS, Cell("lead", "2", "own-goal", "0.1")]
    assert "lead 2 · own · 0.1" in [offer.title for offer in offers_of(two)]
    for offer in offers_of(two):
        assert offer.selector.chosen(two)


def test_a_comparison_begins_with_two_compressors() -> None:
    here = run("r", CELLS)
    lead = Chosen("r", Selector("lead", None, "own-goal", "0.1"))
    openings = Chosen("r", Selector("openings", None, "own-goal", "0.1"))
    assert first_pair([here], "r", CellChoice()) == (lead, openings)
    half = first_pair([here], "r", CellChoice(compressor="openings", ratio="0.5"))
    assert half is not None and (half[0].selector.ratio, half[1].selector.compressor) == ("0.5", "lead")


def test_or_with_another_run_or_not_at_all() -> None:
    one, other = run("r", CELLS[:1]), run("s", CELLS)
    assert first_pair([one, other], "r", CellChoice()) == (Chosen("r", Selector()), Chosen("s", Selector()))
    assert first_pair([one], "r", CellChoice()) is None
    assert first_pair([one, run("s", [])], "r", CellChoice()) is None
    assert first_pair([], None, CellChoice()) is None
    ratios = first_pair([run("r", CELLS[:2])], "r", CellChoice())
    assert ratios is not None and (ratios[0].selector.ratio, ratios[1].selector.ratio) == ("0.1", "0.5")


def test_why_there_is_nothing_to_compare() -> None:
    one, none, whole = run("one", CELLS[:1]), run("none", []), run("whole", CELLS)
    assert "has one cell, and there is no other run." in nothing_words([one], "one")
    assert "has one cell, and no other run has any." in nothing_words([one, none], "one")
    for runs in ([none], [none, one, whole]):
        assert nothing_words(runs, "none").startswith("The open run has no cells")
    assert unpaired_words([one, none], "one", "none").startswith("B has no cells")
    assert unpaired_words([one, none], "none", "none").startswith("A and B have no cells")
    assert unpaired_words([one, whole], "one", "whole") == UNPAIRED
    assert [offer.title for offer in offers_of([])] == ["no cells"]
