from __future__ import annotations

import pytest

from gacc_gui.core.flips import MONOTONE, NONMONOTONE, STEADY, masks, turned


def series_flip(*ratios: list[str]) -> str:
    """How a series with these strips at each ratio flips."""
    steps = [[(1, strip) for strip in strips] for strips in ratios]
    right = {strip: masks(strip)[0] for strips in ratios for strip in strips}
    wrong = {strip: masks(strip)[1] for strips in ratios for strip in strips}
    if turned(steps, right, wrong):
        return NONMONOTONE
    return MONOTONE if turned(steps, wrong, right) else STEADY


@pytest.mark.parametrize(
    ("strip", "right", "wrong"), [("✓T–", 0b001, 0b010), ("", 0, 0), ("RJ✓✓", 0b1100, 0b0011)]
)
def test_masks(strip: str, right: int, wrong: int) -> None:
    assert masks(strip) == (right, wrong)


@pytest.mark.parametrize(
    ("strips", "flip"),
    [
        (["TT", "✓T", "✓✓"], "monotone"),
        (["✓T", "TT", "T✓"], "nonmonotone"),  # the first is lost, though the second is gained
        (["✓T", "✓T"], "none"),
        (["✓T", "–T", "✓T"], "none"),  # no verdict says nothing
        (["✓", "–", "R"], "nonmonotone"),  # and hides nothing
        (["✓"], "none"),
        ([], "none"),
    ],
)
def test_series(strips: list[str], flip: str) -> None:
    assert series_flip(*([strip] for strip in strips)) == flip


def test_units_at_one_ratio_are_not_compared() -> None:
    assert series_flip(["✓", "T"]) == "none"
    assert series_flip(["✓T", "T✓"], ["TT"]) == "nonmonotone"


def test_series_are_not_compared_with_each_other() -> None:
    right, wrong = {"✓": 1, "T": 0}, {"✓": 0, "T": 1}
    steps = [[(1, "✓"), (2, "T")], [(2, "✓"), (1, "✓")], [(3, "T"), (2, "T")]]
    assert turned(steps, right, wrong) == {2}
    assert turned(steps, wrong, right) == {2}
    assert turned([], right, wrong) == set()
