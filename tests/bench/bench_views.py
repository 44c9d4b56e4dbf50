"""The views on a full-size database: how long one call and one turn of the event loop hold the window up.

    python tests/bench/bench_views.py DB [--rounds 3] [--only WORD]

For each thing a person does: the call that begins it, and the longest turn of the event loop until the
window is at rest, each on the wall and of the processor by the GUI thread, which other programs disturb less;
the time to rest; and the longer of call and turn against the first paint of an empty PySide6 window, in the
same run (processor, GUI thread, from the process's start). Every round has a new window; shown is the median
of rounds, within a round the worst of what is done several times.

Decisions of a reviewer are written: to a copy of the database, which is removed afterwards.

Target: nothing over 50 ms on the wall; 30 ms of the processor leave a margin for a slower machine. A chart
that is drawn again, from its figures to its pixels in one call, may take 200 ms on the wall.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parent))
from bench_window import EMPTY, FILTERS, SORTS, start_once
from side_by_side import PAUSE, resident_mb

VIEWS = ("figures", "charts", "matrix", "compare", "review", "audit", "requests", "runner", "inspector")
MOST_WALL, MOST_PROCESSOR, MOST_REDRAW = 0.050, 0.030, 0.200
REDRAW = "drawn again"


@dataclass(frozen=True)
class Took:
    """Seconds, on the wall and of the processor by this thread."""

    wall: float = 0.0
    processor: float = 0.0

    def __str__(self) -> str:
        return f"{1000 * self.wall:5.0f} {1000 * self.processor:5.0f}"


@dataclass(frozen=True)
class Done:
    """What an action took: its call, the longest turn that followed, and the seconds until rest."""

    call: Took
    turn: Took
    rest: float


def timed(work: Callable[[], object]) -> Took:
    """Time one call."""
    wall, processor = time.perf_counter(), time.thread_time()
    work()
    return Took(time.perf_counter() - wall, time.thread_time() - processor)


class Desk:
    """A window on the database, and what its actions took."""

    def __init__(self, app: Any, db: Path, only: str) -> None:
        from gacc_gui.gui.application import create_window
        from gacc_gui.gui.settings import Settings

        self.app, self._only = app, only
        self.window: Any = create_window(db, settings=Settings(reviewer="bench"))
        self.window.resize(1920, 1080)
        self.window.show()
        self.took: dict[str, Done] = {}
        self.settle()

    def settle(self, patience: float = 120.0) -> Took:
        """Turn the event loop until nothing is read any more and all is painted; return the longest turn.

        Between turns, too, an event waits where a worker does not let the interpreter go: that counts.
        """
        wall = processor = 0.0
        deadline = time.perf_counter() + patience
        quiet = 0
        while quiet < 8:
            turn = timed(self.app.processEvents)
            wall, processor = max(wall, turn.wall), max(processor, turn.processor)
            paused = timed(partial(time.sleep, PAUSE))
            wall = max(wall, paused.wall - PAUSE)  # the interpreter was not to be had
            quiet = quiet + 1 if self.window.is_idle else 0
            if time.perf_counter() > deadline:
                raise TimeoutError("the window did not come to rest")
        return Took(wall, processor)

    def do(self, name: str, action: Callable[[], object]) -> None:
        """Do something and keep what it took, under the worst of that name."""
        if self._only not in name:
            action()
            self.settle()
            return
        begun = time.perf_counter()
        done = Done(timed(action), self.settle(), time.perf_counter() - begun)
        before = self.took.get(name)
        if before is None or _longest(done) > _longest(before):
            self.took[name] = done


def _longest(done: Done) -> float:
    return max(done.call.processor, done.turn.processor)


# --- what a person does ----------------------------------------------------------------------------


def views(desk: Desk) -> None:
    """Show each view for the first time, and again."""
    show = desk.window.views.show_view
    for name in VIEWS:
        desk.do(f"view {name}, first", partial(show, name))
    for name in VIEWS:
        desk.do(f"view {name}, again", partial(show, name))


def lists(desk: Desk) -> None:
    """Choose all cells, filter, sort, browse; slide the budget; open what lies over the window."""
    from gacc_gui.store.rows import CellChoice

    window = desk.window
    inspector = window.inspector
    desk.do("cells: all", partial(window.session.choose_cells, CellChoice()))

    def filter_by(text: str) -> None:
        inspector.filter.line.setText(text)
        inspector.filter.apply_now()

    for text in FILTERS:
        desk.do(f"filter {text!r}", partial(filter_by, text))
    for key in SORTS:
        desk.do(f"sort by {key}", partial(inspector.goals.sort_by, key, key == "tail"))
    for _ in range(20):
        desk.do("goal: next failing", inspector.goals.next_failing)
    for _ in range(4):
        desk.do("question: next", partial(window.session.step_question, 1))
    desk.do("detail: closed", partial(inspector.questions.detail.setVisible, False))
    desk.do("detail: opened", partial(inspector.questions.detail.setVisible, True))
    desk.do("side panel: closed", inspector.toggle_side)
    desk.do("side panel: opened", inspector.toggle_side)
    slider = inspector.side.what_if.slider
    for part in range(11):
        desk.do("what if: budget moved", partial(slider.setValue, slider.maximum() * part // 10))
    desk.do("palette: opened", window.open_palette)
    desk.do("palette: closed", inspector.goals.setFocus)
    desk.do("shortcut sheet: opened", window.open_shortcuts)
    desk.do("shortcut sheet: closed", window.shortcut_sheet.close_sheet)
    for _ in range(2):
        desk.do("theme: switched", window.window_actions.toggle_theme)
    desk.do("window: smaller", partial(window.resize, 1280, 800))
    desk.do("window: larger", partial(window.resize, 1920, 1080))


def themes(desk: Desk) -> None:
    """Switch the theme when every view has been seen."""
    for name in VIEWS:
        desk.window.views.show_view(name)
        desk.settle()
        desk.do(f"theme: switched in {name}", desk.window.window_actions.toggle_theme)


def review(desk: Desk) -> None:
    """Draw each kind of queue, look at rows, decide on them, see the agreement."""
    from gacc_gui.core.reviewing import CLEAR
    from gacc_gui.gui.review.queue_bar import KIND_WORDS

    panel = desk.window.views.view("review")
    desk.window.views.show_view("review")
    desk.settle()
    for kind in KIND_WORDS:
        panel.bar.kind.setCurrentIndex(panel.bar.kind.findData(kind))
        desk.do(f"review: queue {kind}", panel.bar.start.click)
        if panel.page.state is None or panel.page.card is None:
            continue
        state = panel.page.state
        for decision in ("correct", "incorrect", "unclear"):
            desk.do("review: decided", partial(panel.page.decide, decision))
            desk.do("review: decision taken back", partial(panel.page.decide, CLEAR))
            panel.page.decide(decision)
            desk.settle()
            desk.do("review: next card", lambda state=state: panel.page._go(state.next()))
    desk.do("review: agreement", partial(panel.show_page, "Agreement"))
    desk.do("review: queue again", partial(panel.show_page, "Queue"))


def compare(desk: Desk) -> None:
    """Walk rows, filter them, choose other cells, compare the whole run with itself."""
    from gacc_gui.core.selector import Selector
    from gacc_gui.gui.compare.offers import Chosen

    panel = desk.window.views.view("compare")
    desk.window.views.show_view("compare")
    desk.settle()
    for _ in range(10):
        desk.do("compare: next row", partial(panel.step, 1))
    for number in range(1, 5):
        desk.do("compare: bucket", partial(panel._buckets.choose, number))
    desk.do("compare: bucket", partial(panel._buckets.choose, 0))
    desk.do("compare: sides swapped", panel.swap)
    run = desk.window.session.run.run.id
    whole = Chosen(run, Selector())
    desk.do("compare: whole run", partial(panel.compare, whole, whole))
    cells = panel.findChild(object, "compareCellPairs")
    for place in (3, 1, 40, 0):
        item = cells.topLevelItem(place)
        if item is not None:
            desk.do("compare: another pair of cells", partial(cells.setCurrentItem, item))


def matrix(desk: Desk) -> None:
    """Walk goals in the matrix."""
    view = desk.window.views.view("matrix")
    desk.window.views.show_view("matrix")
    desk.settle()
    for _ in range(5):
        desk.do("matrix: next goal", view.next_goal)
    desk.do("matrix: next that is lost", view.next_lost)


def charts(desk: Desk) -> None:
    """Show each chart of the cells it begins with and of all, draw it again, zoom."""
    from gacc_gui.app.charting import TITLES

    panel = desk.window.views.view("charts")
    desk.window.views.show_view("charts")
    desk.settle()

    def choose_all() -> None:
        for field in ("compressor", "condition", "ratio"):
            panel.field(field).value_chosen.emit(field, None)

    def draw() -> None:
        panel.view.show_chart(panel.chart)
        desk.app.processEvents()
        panel.view.area.viewport().repaint()

    def zoom() -> None:
        panel.view.zoom(0.5)
        panel.view.area.viewport().repaint()

    for key in TITLES:
        desk.do(f"chart {key}, first", partial(panel.show_key, key))
        if key != "survival":
            desk.do(f"chart {key}, all cells", choose_all)
        if panel.chart is None:
            print(f"no chart {key}: {panel.sentence()}")
            continue
        desk.do(f"chart {key}, {REDRAW} to its pixels", draw)
        desk.do(f"chart {key}, zoomed", zoom)
        desk.do(f"chart {key}, whole again", panel.view.show_whole)


PARTS = (views, lists, review, compare, matrix, charts, themes)


# --- figures ---------------------------------------------------------------------------------------


def _median(took: list[Done]) -> Done:
    def middle(value: Callable[[Done], float]) -> float:
        return statistics.median(map(value, took))

    return Done(
        Took(middle(lambda one: one.call.wall), middle(lambda one: one.call.processor)),
        Took(middle(lambda one: one.turn.wall), middle(lambda one: one.turn.processor)),
        middle(lambda one: one.rest),
    )


def _measured(app: Any, db: Path, only: str) -> tuple[dict[str, Done], float]:
    """Do everything once in a new window; return what it took, and the megabytes that are resident."""
    desk = Desk(app, db, only)
    try:
        for part in PARTS:
            part(desk)
        resident = resident_mb()
    finally:
        desk.window.close()
    return desk.took, resident


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("db", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="measure only what has this in its name")
    args = parser.parse_args()

    from PySide6.QtWidgets import QApplication

    empty = statistics.median(start_once(EMPTY, args.db)[1] for _ in range(3))
    app = QApplication(sys.argv[:1])
    rounds: list[dict[str, Done]] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(args.rounds):
            # A new copy each round: what the round before decided would be skipped.
            copy = Path(shutil.copy(args.db, folder))
            took, resident = _measured(app, copy, args.only)
            rounds.append(took)
    print(f"first paint of an empty window: {1000 * empty:.0f} ms of the processor, GUI thread")
    print(f"{'':40} {'call, ms':>11} {'turn, ms':>11} {'to rest':>8}  longest")
    print(f"{'':40} {'wall':>5} {'proc':>5} {'wall':>5} {'proc':>5} {'wall':>8}  / empty")
    for name in rounds[0]:
        done = _median([took[name] for took in rounds])
        wall, longest = max(done.call.wall, done.turn.wall), _longest(done)
        most = MOST_REDRAW if REDRAW in name else MOST_WALL
        mark = "  OVER" if wall > most else "  over 30 ms" if longest > MOST_PROCESSOR and most < 0.1 else ""
        line = f"{name:40} {done.call} {done.turn} {1000 * done.rest:8,.0f}  {longest / empty:6.2f}"
        print(line + mark)
    print(f"resident: {resident:,.0f} MB")


if __name__ == "__main__":
    main()
