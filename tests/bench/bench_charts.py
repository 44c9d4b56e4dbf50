"""Charts and matrix on a full-size database: until each is there, its redraw, the longest block, memory.

    python tests/bench/bench_charts.py DB [--rounds 5]

- first: from asking for the view to its first chart painted, pyqtgraph's import in the worker included;
- per chart, in milliseconds: until it is painted after it was chosen, the longest time the event loop did not
  turn meanwhile, one redraw from its figures to its pixels (median), and one repaint after a zoom (median);
- the matrix: until a goal is painted; filter `flip:nonmonotone` to units.

Targets: no redraw over 200 ms, no block over 50 ms.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@dataclass(frozen=True)
class Took:
    """Seconds, on the wall and of the processor by this thread: other programs disturb only the first."""

    wall: float = 0.0
    processor: float = 0.0

    def __str__(self) -> str:
        return f"{1000 * self.wall:,.0f} ms ({1000 * self.processor:.0f} of the processor)"


def _timed(work: Callable[[], object]) -> Took:
    wall, processor = time.perf_counter(), time.thread_time()
    work()
    return Took(time.perf_counter() - wall, time.thread_time() - processor)


def _longer(*took: Took) -> Took:
    return Took(max(one.wall for one in took), max(one.processor for one in took))


def _settled(app: Any, window: Any, patience: float = 120.0) -> Took:
    """Turn the event loop until nothing is read any more and all is painted; return the longest turn."""
    longest = Took()
    deadline = time.perf_counter() + patience
    quiet = 0
    while quiet < 5:
        longest = _longer(longest, _timed(app.processEvents))
        time.sleep(0.0005)
        quiet = quiet + 1 if window.is_idle else 0
        if time.perf_counter() > deadline:
            raise TimeoutError("the window did not come to rest")
    return longest


def _redraw(app: Any, panel: Any) -> Took:
    """Draw the shown chart again from its figures and paint it."""

    def draw() -> None:
        panel.view.show_chart(panel.chart)
        app.processEvents()
        panel.view.area.viewport().repaint()

    return _timed(draw)


def _zoomed(app: Any, panel: Any) -> Took:
    """Zoom in by a half and paint."""
    panel.view.show_whole()
    app.processEvents()

    def zoom() -> None:
        panel.view.zoom(0.5)
        panel.view.area.viewport().repaint()

    return _timed(zoom)


def _median(took: list[Took]) -> Took:
    return Took(statistics.median(one.wall for one in took), statistics.median(one.processor for one in took))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("db", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()

    from PySide6.QtWidgets import QApplication

    from gacc_gui.core.filters import parse
    from gacc_gui.gui.application import create_window
    from gacc_gui.gui.settings import Settings
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import CellChoice

    app = QApplication(sys.argv[:1])
    window = create_window(args.db, settings=Settings())
    window.resize(1920, 1080)
    window.show()
    _settled(app, window)
    panel: Any = window.views.view("charts")
    begun = time.perf_counter()
    block = _longer(_timed(lambda: window.views.show_view("charts")), _settled(app, window))
    print(f"first chart: {1000 * (time.perf_counter() - begun):,.0f} ms, longest block {block}")
    from gacc_gui.gui.charts.charts_panel import KEYS

    def choose(key: str, widest: bool) -> None:
        panel.show_key(key)
        if widest and key != "survival":
            for field in ("compressor", "condition", "ratio"):
                panel.field(field).value_chosen.emit(field, None)

    for widest in (False, True):
        print("all cells" if widest else "cells shown at first")
        for key in KEYS:
            begun = time.perf_counter()
            block = _longer(_timed(partial(choose, key, widest)), _settled(app, window))
            there = time.perf_counter() - begun
            if panel.chart is None:
                print(f"  {key}: {panel.sentence()}")
                continue
            redraw = _median([_redraw(app, panel) for _ in range(args.rounds)])
            zoom = _median([_zoomed(app, panel) for _ in range(args.rounds)])
            print(f"  {key}: there {1000 * there:,.0f} ms, longest block {block},", end=" ")
            print(f"redraw {redraw}, zoomed {zoom}")
    begun = time.perf_counter()
    block = _longer(_timed(lambda: window.views.show_view("matrix")), _settled(app, window))
    print(f"matrix: {1000 * (time.perf_counter() - begun):,.0f} ms, longest block {block}")
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - not a path of ours
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    print(f"resident: {resident:,.0f} MB")
    run = window.session.run.run.id  # type: ignore[union-attr]
    window.close()
    with Reader(args.db) as reader:
        took = []
        for _ in range(args.rounds):
            begun = time.perf_counter()
            units = reader.goal_units(run, CellChoice(), parse("flip:nonmonotone"))
            took.append(time.perf_counter() - begun)
        print(f"filter flip:nonmonotone: {1000 * statistics.median(took):.0f} ms, {len(units):,} units")


if __name__ == "__main__":
    main()
