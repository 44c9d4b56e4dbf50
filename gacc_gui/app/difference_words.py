"""How differences of figures are written, on the command line and in the window alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gacc_gui.core.run_differences import Differing
    from gacc_gui.core.statistics import Interval
    from gacc_gui.core.terms import Terms

NO_SPREAD: Final = "no spread"
"""Instead of an interval of no width, which would look like certainty."""


def signed(value: float | None) -> str:
    """Return a difference with its sign, or a dash where there is none.

    Three decimals, or as many as it takes: what is not nought is never written as nought.
    """
    if value is None:
        return "–"
    decimals = 3
    while value and not float(f"{value:.{decimals}f}") and decimals < 9:
        decimals += 1
    return f"{value:+.{decimals}f}".replace("-", "−")


def interval_words(ci95: Interval | None) -> str:
    """Return an interval of a difference, or a dash where there is none.

    Where every context says the same, resampling them cannot tell how sure that is: no interval then.
    """
    if ci95 is None:
        return "–"
    return f"{signed(ci95[0])} … {signed(ci95[1])}" if ci95[0] != ci95[1] else NO_SPREAD


def told_differences(differs: Sequence[Differing], terms: Terms) -> Iterator[tuple[str, Differing]]:
    """Yield what is to be told of what differs, under the names that it has in this benchmark.

    Condition and ratio follow from the method where they tell no cells apart.
    """
    called = {"compressor": terms.compressor, "reader": terms.reader, "judge": terms.judge}
    for one in differs:
        if terms.by_budget or one.name not in ("condition", "ratio"):
            yield called.get(one.name, one.name), one
