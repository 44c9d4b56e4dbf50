"""How wide columns are: never wider than their content needs, and shared out fairly where room is short."""

from __future__ import annotations

from collections.abc import Sequence


def share_width(available: int, needed: Sequence[int], least: Sequence[int]) -> list[int]:
    """Share `available` pixels among columns that would like `needed` each and must have `least`.

    Nobody gets more than needed. Where room is short the narrow ones are served first, as the others must
    elide anyway. The sum may exceed `available` where not even the least fits.
    """
    widths = [0] * len(needed)
    left = available
    order = sorted(range(len(needed)), key=lambda place: needed[place])
    for served, place in enumerate(order):
        fair = left // (len(order) - served)
        widths[place] = min(needed[place], max(fair, least[place]))
        left = max(0, left - widths[place])
    return widths
