"""Large texts in the window: choosing a goal that has one, and what a reader does with it.

    python tests/bench/bench_texts.py

Sources of 1,000,000 characters, of English, of Chinese, of sentences with emoji, and without a break, and one
of 5,000,000 of English. Printed, in seconds: until all three panes have painted, until all is marked, and the
longest time the event loop did not turn meanwhile, the worse of two visits; the same longest time for what is
done with such texts: other questions, hits, marks, sizes, scrolling, the budget, another view and back.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parent))
from generate import WORDS
from side_by_side import longest_turn, timed

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from gacc_gui.gui.main_window import MainWindow

EMOJI = (
    "\U0001f9e0",
    "\U0001f469\u200d\U0001f4bb",
    "\u2764\ufe0f",
    "\U0001f44d\U0001f3fd",
    "\U0001f600\U0001f600",
)
FOUND = {"prose": WORDS[0], "unbroken": "aaaa", "chinese": "年", "emoji": EMOJI[0], "prose5": WORDS[0]}
"""The large texts, each with what is looked for in it."""


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


def _is_settled(window: MainWindow) -> bool:
    panes = map(window.inspector.texts.pane, ("source", "retained", "tail"))
    return window.is_idle and all(pane.is_loaded for pane in panes)


def _blocks_of_reading(app: QApplication, window: MainWindow, word: str) -> Iterator[tuple[str, float]]:
    """Do what a reader does with a unit's texts; yield each act with the longest single turn it takes."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QLineEdit, QSlider

    inspector, session = window.inspector, window.session
    texts, show_view = inspector.texts, window.views.show_view
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
        *[("resize", lambda size=size: window.resize(*size)) for size in ((1500, 900), (1920, 1080))],
        *[("budget", lambda at=at: slider.setValue(slider.maximum() * at // 10)) for at in (1, 5, 10, 8)],
        ("other view", lambda: show_view("figures")),
        ("back", lambda: show_view("inspector")),
    ]
    longest: dict[str, float] = {}
    for act, do in acts:
        # Several turns, as painting follows some milliseconds later.
        took = max(timed(do), longest_turn(app, lambda: _is_settled(window), turns=20))
        longest[act] = max(longest.get(act, 0.0), took)
    yield from longest.items()


def main() -> None:
    """Measure and print."""
    from PySide6.QtWidgets import QApplication

    from gacc_gui.app.importing import import_paths
    from gacc_gui.gui.application import create_window
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
        longest_turn(app, lambda: window.is_idle)
        session = window.session
        for name in (*FOUND, *FOUND):
            session.show_unit(None)
            longest_turn(app, lambda: window.is_idle)
            start = time.perf_counter()
            session.choose_unit(units[name])
            longest = longest_turn(app, lambda: session.unit is not None)
            for pane in ("sourcePane", "retainedPane", "tailPane"):
                pane_widget = window.findChild(object, pane)
                getattr(pane_widget, "viewport", lambda p=pane_widget: p)().repaint()
            figures[f"goal_{name}_painted"] = time.perf_counter() - start
            longest = max(longest, longest_turn(app, lambda: window.is_idle))
            figures[f"goal_{name}_settled"] = time.perf_counter() - start
            former = figures.get(f"goal_{name}_longest_block", 0.0)
            figures[f"goal_{name}_longest_block"] = max(former, longest)
        for name, word in FOUND.items():
            session.choose_unit(units[name])
            longest_turn(app, lambda: _is_settled(window))
            for theme, mono in (("light", False), ("dark", True)):
                apply_theme(app, theme)
                session.set_options(mono=mono)
                longest_turn(app, lambda: _is_settled(window))
                for act, block in _blocks_of_reading(app, window, word):
                    figures[f"read_{name}_{theme}{'_mono' if mono else ''} {act} block"] = block
            session.show_unit(None)
        apply_theme(app, "light")
        window.close()
    for name, value in figures.items():
        print(f"{name}: {value:.3f}")


if __name__ == "__main__":
    main()
