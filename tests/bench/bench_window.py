"""The window on a full-size database: start, filtering, the longest block, memory.

    python tests/bench/bench_window.py DB [--rounds 5]

- start: from process start to the first painted goals list, against an empty PySide6 window's first paint,
  child processes in turn; in wall time, and in processor time, which a busy machine disturbs less;
- filter text to list updated with its first rows, and the same for each order;
- resident memory after a walk through runs, goals and filters.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parent))
from side_by_side import longest_turn, report, resident_mb

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from gacc_gui.gui.main_window import MainWindow

FILTERS = (
    "bridge",
    "cause:truncation",
    "goal:failed away:1",
    "compressor:extract-1 ratio<=0.05",
    "harbour fate:cut",
    "flip:nonmonotone",
    "",
)
SORTS = ("correct", "tail", "goal", "cell", "budget", "away")


EMPTY = """
from PySide6.QtWidgets import QApplication, QMainWindow

class Window(QMainWindow):
    painted = False
    def paintEvent(self, event):
        self.painted = True

app = QApplication([])
window = Window()
window.resize(1280, 800)
window.show()
while not window.painted:
    app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
tell()
"""

FIRST_LIST = """
from PySide6.QtWidgets import QApplication
from gacc_gui.gui.application import create_window
from gacc_gui.gui.lists.goals_table import GoalsTable
from gacc_gui.gui.settings import Settings

class Painted:
    yes = False
    by_table = GoalsTable.paintEvent

# No event filter: asking for the viewport would cost more than the painting.
def paint_event(table, event):
    Painted.by_table(table, event)
    Painted.yes = table.model().known_row(0) is not None

GoalsTable.paintEvent = paint_event
app = QApplication([])
window = create_window(sys.argv[1], settings=Settings())
window.show()
while not Painted.yes:
    app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
tell()
window.close()
"""

STARTS = """
import os, sys, time

def tell():
    fields = open("/proc/self/stat").read().rsplit(")", 1)[1].split()
    started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
    wall = time.clock_gettime(time.CLOCK_BOOTTIME) - started
    print(wall, time.thread_time(), time.process_time())

from PySide6.QtCore import QEventLoop
"""
"""What both children begin with. `tell` prints seconds since the process's start, by the kernel's account,
and those of the processor: the GUI thread's, and all threads'."""


def start_once(program: str, db: Path) -> tuple[float, float, float]:
    """Run a start in a process of its own; return wall, GUI thread's and whole processor time in seconds."""
    done = subprocess.run(
        [sys.executable, "-c", STARTS + program, str(db)], check=True, stdout=subprocess.PIPE, text=True
    )
    wall, gui, everything = map(float, done.stdout.split())
    return wall, gui, everything


def _has_list(window: MainWindow) -> bool:
    table = window.inspector.goals.table
    return table.model().known_row(0) is not None


def walk(db: Path) -> None:
    """Open, filter and browse in this process; print the figures as JSON."""
    from PySide6.QtWidgets import QApplication

    from gacc_gui.gui.application import create_window
    from gacc_gui.gui.settings import Settings

    app = QApplication([])
    figures: dict[str, float] = {}
    window = create_window(db, settings=Settings())
    window.resize(1280, 800)
    window.show()
    longest_turn(app, lambda: window.is_idle and _has_list(window))
    goals = window.inspector.goals
    edit = window.inspector.filter
    for text in FILTERS:
        took, block = _list_again(app, window, lambda text=text: (edit.line.setText(text), edit.apply_now()))
        figures[f"filter {text!r}"], figures[f"filter {text!r} block"] = took, block
    for key in SORTS:
        took, block = _list_again(app, window, lambda key=key: goals.sort_by(key, key == "tail"))
        figures[f"sort {key}"], figures[f"sort {key} block"] = took, block
    for kind in ("filter", "sort"):
        named = [name for name in figures if name.startswith(f"{kind} ")]
        figures[f"{kind}_worst"] = max(figures[name] for name in named if not name.endswith("block"))
        figures[f"{kind}_longest_block"] = max(figures[name] for name in named if name.endswith("block"))
    browse_block = 0.0
    for _ in range(60):
        goals.next_failing()
        browse_block = max(browse_block, longest_turn(app, lambda: window.is_idle))
    figures["browse_longest_block"] = browse_block
    figures["resident_mb"] = resident_mb()
    figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    window.close()
    print(json.dumps(figures))


def _list_again(app: QApplication, window: MainWindow, ask: Callable[[], object]) -> tuple[float, float]:
    """Ask for another list; return seconds until it is there with its first rows, and the longest block."""
    listed: list[float] = []
    goals = window.inspector.goals
    goals.listed.connect(lambda: listed.append(time.perf_counter()))
    start = time.perf_counter()
    ask()
    block = max(time.perf_counter() - start, longest_turn(app, lambda: bool(listed)))
    took = listed[0] - start
    block = max(block, longest_turn(app, lambda: window.is_idle))
    return took, block


def _child(kind: str, db: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, str(db), "--child", kind], check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


def main() -> None:
    """Run the rounds, or, as a child, one of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("db", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", choices=("walk",))
    args = parser.parse_args()
    if args.child:
        walk(args.db)
        return
    rounds = [(start_once(EMPTY, args.db), start_once(FIRST_LIST, args.db)) for _ in range(args.rounds)]
    for place, what in enumerate(("wall", "processor, GUI thread", "processor, all threads")):
        report(
            f"start to first painted goals list, {what}",
            2,
            [a[place] for a, _ in rounds],
            [b[place] for _, b in rounds],
        )
    for name, value in _child("walk", args.db).items():
        print(f"{name}: {value:.3f}" if "mb" not in name else f"{name}: {value:,.0f}")


if __name__ == "__main__":
    main()
