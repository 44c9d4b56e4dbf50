"""How wide columns are: never wider than their content needs, and shared out fairly where room is short."""

from __future__ import annotations

from collections.abc import Sequence


def share_width(available: int, needed: Sequence[int], least: Sequence[int]) -> list[int]:
    """Share `available` pixels among columns that would like `needed` each and must have `least`.

    Nobody gets more than needed. Everybody has the least first; what is left goes to the narrow ones first,
    as the others must elide anyway. The sum may exceed `available` where not even the least fits.
    """
    widths = [min(need, least[place]) for place, need in enumerate(needed)]
    left = max(0, available - sum(widths))
    order = sorted(range(len(needed)), key=lambda place: needed[place])
    for served, place in enumerate(order):
        more = min(needed[place] - widths[place], left // (len(order) - served))
        widths[place] += more
        left -= more
    return widths
