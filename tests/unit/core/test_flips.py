from __future__ import annotations

import pytest

from gacc_gui.core.flips import MONOTONE, NONMONOTONE, STEADY, Masks, masks, turned


def series_flip(steps: list[tuple[int, Masks]]) -> str:
    lost, gained = turned(steps)
    return NONMONOTONE if lost else MONOTONE if gained else STEADY


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
    assert series_flip([(rank, masks(strip)) for rank, strip in enumerate(strips)]) == flip


def test_units_at_one_ratio_are_not_compared() -> None:
    assert series_flip([(0, masks("✓")), (0, masks("T"))]) == "none"
    assert turned([(0, masks("✓T")), (0, masks("T✓")), (1, masks("TT"))]) == (0b11, 0)
