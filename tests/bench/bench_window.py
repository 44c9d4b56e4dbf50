"""The window on a full-size database: start, choosing a goal, filtering, the longest block, memory.

    python tests/bench/bench_window.py DB [--rounds 5]

- start: from process start to the first painted goals list, against an empty PySide6 window's first paint,
  child processes in turn; in wall time, and in processor time, which a busy machine disturbs less;
- choosing a goal with a source of 1,000,000 characters, of English, of Chinese, of sentences with emoji, and
  without a break, and one of 5,000,000 of English: until all three panes have painted, and the longest time
  the event loop did not turn meanwhile; the same longest time for what is done with such texts: other
  questions, hits, marks, sizes, scrolling, the budget, another view and back;
- filter text to list updated with its first rows, and the same for each order;
- resident memory after a walk through runs, goals and filters.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parent))
from generate import WORDS
from side_by_side import report

FILTERS = (
    "bridge",
    "cause:truncation",
    "goal:failed away:1",
    "compressor:extract-1 ratio<=0.05",
    "harbour fate:cut",
    "flip:nonmonotone",
    "",
)
EMOJI = (
    "\U0001f9e0",
    "\U0001f469\u200d\U0001f4bb",
    "\u2764\ufe0f",
    "\U0001f44d\U0001f3fd",
    "\U0001f600\U0001f600",
)
FOUND = {"prose": WORDS[0], "unbroken": "aaaa", "chinese": "年", "emoji": EMOJI[0], "prose5": WORDS[0]}
"""The large texts, each with what is looked for in it."""
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


def _has_list(window: object) -> bool:
    table = window.inspector.goals.table  # type: ignore[attr-defined]
    return table.model().known_row(0) is not None


def _until(app: object, done: Callable[[], bool], patience: float = 120.0, turns: int = 0) -> float:
    """Turn the event loop until `done()`, at least `turns` times; return the longest turn in seconds."""
    longest = 0.0
    deadline = time.perf_counter() + patience
    while turns > 0 or not done():
        turns -= 1
        start = time.perf_counter()
        app.processEvents()  # type: ignore[attr-defined]
        longest = max(longest, time.perf_counter() - start)
        time.sleep(0.0005)
        if time.perf_counter() > deadline:
            raise TimeoutError("the window did not come to rest")
    return longest


def _english(rng: random.Random, number: int) -> str:
    return " ".join(rng.choices(WORDS, k=14)).capitalize() + f" {number}.\n"


def _with_emoji(rng: random.Random, number: int) -> str:
    return (
        " ".join(rng.choices(WORDS, k=9)).capitalize()
        + f" {number} {rng.choice(EMOJI)}{rng.choice(EMOJI)}.\n"
    )


def _chinese(rng: random.Random, number: int) -> str:
    first, second = ("".join(chr(rng.randrange(0x4E00, 0x9FA6)) for _ in range(n)) for n in (9, 12))
    return f"{first}，“{number}年”{second}{rng.choice('。。！？…')}" + ("\n" if number % 9 == 0 else "")


def _sentences(make: Callable[[random.Random, int], str], size: int) -> list[str]:
    rng = random.Random(5)
    sentences: list[str] = []
    while size > 0:
        sentences.append(make(rng, len(sentences)))
        size -= len(sentences[-1])
    return sentences


def _big_run(folder: Path) -> Path:
    """Write a run with the large texts, each with two questions: one of the middle, one of the beginning."""
    large: list[tuple[str, str, tuple[str, str]]] = []
    for name, make, size in (
        ("prose", _english, 1_000_000),
        ("chinese", _chinese, 1_000_000),
        ("emoji", _with_emoji, 1_000_000),
        ("prose5", _english, 5_000_000),
    ):
        sentences = _sentences(make, size)
        evidence = (sentences[len(sentences) // 2].strip(), sentences[10].strip())
        large.append((name, "".join(sentences), evidence))
    large.append(("unbroken", "a" * 1_000_000, ("a" * 80, "a" * 3000)))
    document: dict[str, object] = {
        "format": "gacc-run",
        "format_version": 1,
        "run": {"id": "big", "name": "big", "protocol": "gacc-bench", "diagnostic_only": True,
                "tokenizer": {"name": "codepoint", "revision": "1"}},
    }  # fmt: skip
    contexts, goals, questions, memories, answers, verdicts = [], [], [], [], [], []
    for cid, text, evidences in large:
        proposed = text[: len(text) // 2]
        contexts.append({"id": cid, "text": text})
        goals.append({"id": f"g-{cid}", "context_id": cid, "text": f"keep {cid}"})
        memories.append(
            {"id": f"m-{cid}", "goal_id": f"g-{cid}", "condition": "own-goal", "shown_goal_id": f"g-{cid}",
             "compressor": {"name": "lead", "revision": "1"}, "ratio": "0.4", "budget": len(text) * 4 // 10,
             "generation": 0, "proposed_text": proposed, "retained_text": proposed[: len(text) * 4 // 10],
             "status": "ok", "error": None}
        )  # fmt: skip
        for number, evidence in enumerate(evidences):
            question = f"q{number}-{cid}"
            questions.append(
                {"id": question, "goal_id": f"g-{cid}", "text": "which?", "references": [evidence],
                 "evidence": [{"quote": evidence}]}
            )  # fmt: skip
            key = {"memory_id": f"m-{cid}", "question_id": question, "repeat": 0}
            answers.append({**key, "text": "none", "status": "ok", "error": None})
            verdicts.append({**key, "label": "incorrect", "status": "judged"})
    document |= {"contexts": contexts, "goals": goals, "questions": questions, "memories": memories,
                 "answers": answers, "verdicts": verdicts}  # fmt: skip
    path = folder / "big.json"
    path.write_text(json.dumps(document))
    return path


def walk(db: Path) -> None:
    """Open, filter and browse in this process; print the figures as JSON."""
    from PySide6.QtWidgets import QApplication

    from gacc_gui.app.importing import import_paths
    from gacc_gui.gui.application import create_window
    from gacc_gui.gui.session import Session
    from gacc_gui.gui.settings import Settings
    from gacc_gui.gui.theme import apply_theme
    from gacc_gui.store.reads import Reader

    app = QApplication([])
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / "big.db"
        import_paths(big, [_big_run(Path(folder))])
        with Reader(big) as reader:
            units = {name: reader.find_unit("big", goal_id=f"g-{name}") for name in FOUND}
        window = create_window(big, settings=Settings())
        window.resize(1920, 1080)
        window.show()
        _until(app, lambda: window.is_idle)
        session: Session = window.session
        for name in (*FOUND, *FOUND):
            session.show_unit(None)
            _until(app, lambda: window.is_idle)
            start = time.perf_counter()
            session.choose_unit(units[name])
            longest = _until(app, lambda: session.unit is not None)
            for pane in ("sourcePane", "retainedPane", "tailPane"):
                pane_widget = window.findChild(object, pane)
                getattr(pane_widget, "viewport", lambda p=pane_widget: p)().repaint()
            figures[f"goal_{name}_painted"] = time.perf_counter() - start
            longest = max(longest, _until(app, lambda: window.is_idle))
            figures[f"goal_{name}_settled"] = time.perf_counter() - start
            former = figures.get(f"goal_{name}_longest_block", 0.0)
            figures[f"goal_{name}_longest_block"] = max(former, longest)
        for name, word in FOUND.items():
            session.choose_unit(units[name])
            _until(app, lambda: _is_settled(window))
            for theme, mono in (("light", False), ("dark", True)):
                apply_theme(app, theme)
                session.set_options(mono=mono)
                _until(app, lambda: _is_settled(window))
                for act, block in _blocks_of_reading(app, window, word):
                    figures[f"read_{name}_{theme}{'_mono' if mono else ''} {act} block"] = block
            session.show_unit(None)
        apply_theme(app, "light")
        window.close()
    window = create_window(db, settings=Settings())
    window.resize(1280, 800)
    window.show()
    _until(app, lambda: window.is_idle and _has_list(window))
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
        browse_block = max(browse_block, _until(app, lambda: window.is_idle))
    figures["browse_longest_block"] = browse_block
    figures["resident_mb"] = _resident_mb()
    figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    window.close()
    print(json.dumps(figures))


def _is_settled(window: object) -> bool:
    panes = map(window.inspector.texts.pane, ("source", "retained", "tail"))  # type: ignore[attr-defined]
    return window.is_idle and all(pane.is_loaded for pane in panes)  # type: ignore[attr-defined]


def _blocks_of_reading(app: object, window: object, word: str) -> Iterator[tuple[str, float]]:
    """Do what a reader does with a unit's texts; yield each act with the longest single turn it takes."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QLineEdit, QSlider

    inspector, session = window.inspector, window.session  # type: ignore[attr-defined]
    texts, show_view = inspector.texts, window.views.show_view  # type: ignore[attr-defined]
    source = texts.pane("source")
    bar = source.verticalScrollBar()
    slider = inspector.side.findChild(QSlider, "budgetSlider")
    key, control = QTest.keyClick, Qt.KeyboardModifier.ControlModifier

    def find() -> None:
        texts.open_find()
        texts.findChild(QLineEdit, "findEdit").setText(word)

    acts: list[tuple[str, Callable[[], object]]] = [
        ("next question", lambda: session.step_question(1)),
        ("question before", lambda: session.step_question(-1)),
        ("find", find),
        *[("hit", texts.find_next)] * 20,
        ("find closed", lambda: key(texts.findChild(QLineEdit, "findEdit"), Qt.Key.Key_Escape)),
        ("invisibles", lambda: session.set_options(invisibles=True)),
        ("no invisibles", lambda: session.set_options(invisibles=False)),
        ("tokens", lambda: session.set_options(token_shading=True)),
        ("scroll to end, tokens", lambda: bar.setValue(bar.maximum())),
        ("scroll to middle, tokens", lambda: bar.setValue(bar.maximum() // 2)),
        ("no tokens", lambda: session.set_options(token_shading=False)),
        ("scroll to end", lambda: bar.setValue(bar.maximum())),
        ("Ctrl+Home", lambda: key(source, Qt.Key.Key_Home, control)),
        ("Ctrl+End", lambda: key(source, Qt.Key.Key_End, control)),
        *[("resize", lambda size=size: window.resize(*size)) for size in ((1500, 900), (1920, 1080))],  # type: ignore[attr-defined]
        *[("budget", lambda at=at: slider.setValue(slider.maximum() * at // 10)) for at in (1, 5, 10, 8)],
        ("other view", lambda: show_view("figures")),
        ("back", lambda: show_view("inspector")),
    ]
    longest: dict[str, float] = {}
    for act, do in acts:
        start = time.perf_counter()
        do()
        took = time.perf_counter() - start
        # Several turns, as painting follows some milliseconds later.
        took = max(took, _until(app, lambda: _is_settled(window), turns=20))
        longest[act] = max(longest.get(act, 0.0), took)
    yield from longest.items()


def _list_again(app: object, window: object, ask: Callable[[], object]) -> tuple[float, float]:
    """Ask for another list; return seconds until it is there with its first rows, and the longest block."""
    listed: list[float] = []
    goals = window.inspector.goals  # type: ignore[attr-defined]
    goals.listed.connect(lambda: listed.append(time.perf_counter()))
    start = time.perf_counter()
    ask()
    block = max(time.perf_counter() - start, _until(app, lambda: bool(listed)))
    took = listed[0] - start
    block = max(block, _until(app, lambda: window.is_idle))  # type: ignore[attr-defined]
    return took, block


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


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
