"""Asking again from the window: buttons, commands, the cost before it is paid, cancel, what is shown."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QToolButton
from pytestqt.qtbot import QtBot

from gacc_gui.core.filters import parse
from gacc_gui.core.records import Probe, ProbeAnswer, ProbeVerdict
from gacc_gui.gui.asking import Asker
from gacc_gui.gui.lists.detail_section import DetailSection
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.probing.reask_actions import NOT_BLIND, ReaskActions
from gacc_gui.gui.probing.reask_section import ReaskSection
from gacc_gui.gui.probing.words import NOT_ASKED
from gacc_gui.gui.theme import apply_theme
from gacc_gui.gui.veil import NO_VEIL, Veil
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import CellChoice
from tests.gui.conftest import at_rest

LONG = 60_000
MEMORY, QUESTION = "kelp-backup/keywords/0.1", "kelp-backup-4"
NASTY = "\ufeffa\x00b \u202egnp.exe\u202c <b>x</b>"
OpenWindow = Callable[..., MainWindow]


class Answers(Asker):
    """Answers in place of a person."""

    def __init__(self, says: bool = True) -> None:
        self.says = says
        self.asked: list[str] = []

    def confirm(self, parent: object, title: str, text: str, action: str) -> bool:
        self.asked.append(text)
        return self.says


@pytest.fixture
def database(demo_database: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(demo_database, tmp_path / "demo.db"))


def show(qtbot: QtBot, window: MainWindow, memory: str = MEMORY, question: str = QUESTION) -> ReaskSection:
    """Look at a question under a memory."""
    run, path = window.session.run, window.reads.path
    assert run is not None and path is not None
    with Reader(path) as reader:
        unit = reader.goal_units(run.run.id, query=parse(f'memory-id:"{memory}"'))[0]
    window.session.choose_unit(unit, question)
    qtbot.waitUntil(lambda: window.session.unit is not None and window.session.unit.memory.id == memory)
    at_rest(qtbot, window)
    return window.reask.section


def press(qtbot: QtBot, section: ReaskSection, name: str) -> None:
    qtbot.mouseClick(section.findChild(QToolButton, f"reask_{name}"), Qt.MouseButton.LeftButton)


def rested(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: window.reask.is_idle, timeout=LONG)
    at_rest(qtbot, window)


def test_a_question_is_asked_again_and_its_answers_stand_beside_its_own(
    open_window: OpenWindow, database: Path, qtbot: QtBot
) -> None:
    window = open_window(database)
    section = show(qtbot, window)
    assert section.findings() == (NOT_ASKED,) and section.texts() == ()
    press(qtbot, section, "all")
    assert section.is_busy and not window.is_idle
    assert not section.findChild(QToolButton, "reask_source").isEnabled()
    rested(qtbot, window)
    assert section.findings() == (
        "Right with the tail restored: truncation confirmed.",
        "Wrong with an empty memory: the reader does not know it anyway.",
        "With the same memory right 0 of 2 times: stable.",
    )
    assert section.captions() == (
        "As it was: ✗ incorrect",
        "With the full source: ✓ right",
        "With the same memory: ✗ wrong",
        "With the tail restored: ✓ right",
        "With the missing evidence added: ✓ right",
        "With an empty memory: ✗ wrong",
    )
    assert section.texts() == (
        "not in memory",
        "61.9GiB",
        "not in memory",
        "61.9GiB",
        "61.9GiB",
        "not in memory",
    )
    assert section.told() == "Asked again 5 times." and not section.is_busy

    window.session.choose_question("kelp-backup-1")
    assert section.findings() == (NOT_ASKED,) and section.told() == ""
    window.session.choose_question(QUESTION)
    assert len(section.texts()) == 6
    press(qtbot, section, "proposal")
    rested(qtbot, window)
    assert "With the tail restored (2): ✓ right" in section.captions()


def test_every_text_of_the_section_has_the_room_that_it_takes(
    open_window: OpenWindow, database: Path, qtbot: QtBot
) -> None:
    window = open_window(database)
    window.resize(1920, 1080)
    section = show(qtbot, window, "loan-care/full-context/1/full-context", "loan-care-3")
    press(qtbot, section, "all")
    rested(qtbot, window)
    texts = section.findChild(DetailSection, "detail_reask_answers").text_widgets
    assert [text.geometry().bottom() < text.parentWidget().height() for text in texts] == [True] * 5
    for label in section.findChildren(QLabel):
        if label.isVisible() and label.hasHeightForWidth():
            assert label.height() == label.heightForWidth(label.width()), label.text()


def test_probes_that_are_stored_are_shown_when_the_window_opens(
    open_window: OpenWindow, database: Path, qtbot: QtBot
) -> None:
    first = open_window(database)
    show(qtbot, first)
    first.reask.ask("proposal")
    rested(qtbot, first)
    section = show(qtbot, open_window(database))
    assert section.findings()[0] == "Right with the tail restored: truncation confirmed."


@pytest.mark.slow
def test_a_whole_goal_and_the_listed_failures(open_window: OpenWindow, database: Path, qtbot: QtBot) -> None:
    window = open_window(database)
    section = show(qtbot, window)
    press(qtbot, section, "goal")
    rested(qtbot, window)
    assert section.told().startswith("Asked again 25 times: of 5 causes ")
    assert len(section.texts()) == 6
    window.session.set_query(parse(f'cause:truncation memory-id:"{MEMORY}"'))
    at_rest(qtbot, window)
    press(qtbot, section, "filter")
    rested(qtbot, window)
    assert section.told() == "Nothing is missing: all that makes sense was asked already."


@pytest.mark.slow
def test_commands_and_their_keys(open_window: OpenWindow, database: Path, qtbot: QtBot) -> None:
    window = open_window(database)
    titles = {command.id: command for command in window.commands.all}
    wanted = {"reask-all", "reask-goal", "reask-filter", "reask-cancel", "reask-stable"}
    wanted |= {f"reask-{kind}" for kind in ("source", "retained", "proposal", "evidence", "empty")}
    assert wanted <= set(titles)
    keys = [key for command in window.commands.all for key in command.shortcuts]
    assert len(keys) == len(set(keys))
    section = show(qtbot, window)
    assert not titles["reask-cancel"].enabled() and titles["reask-all"].enabled()
    window.activateWindow()
    window.inspector.goals.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    keys_held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_K, keys_held)
    assert titles["reask-cancel"].enabled() and not titles["reask-all"].enabled()
    enabled = {name: window.commands.action(name).isEnabled() for name in ("reask-cancel", "reask-all")}
    assert enabled == {"reask-cancel": True, "reask-all": False}
    qtbot.waitUntil(lambda: window.reask.is_idle, timeout=LONG)
    assert window.commands.action("reask-all").isEnabled()
    assert not window.commands.action("reask-cancel").isEnabled()
    rested(qtbot, window)
    assert section.captions() == ("As it was: ✗ incorrect", "With the tail restored: ✓ right")
    assert window.commands.run("reask-stable")
    rested(qtbot, window)
    assert section.findings()[-1] == "With the same memory right 0 of 4 times: stable."
    assert "With the same memory (3): ✗ wrong" in section.captions()
    # The key works again.
    qtbot.keyClick(window.inspector.goals.table, Qt.Key.Key_K, keys_held)
    assert section.is_busy
    rested(qtbot, window)
    assert "With the tail restored (2): ✓ right" in section.captions()


@pytest.mark.slow
def test_a_run_whose_parts_are_not_here_says_so(
    open_window: OpenWindow,
    run_document: dict[str, Any],
    run_file: Callable[..., Path],
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    from gacc_gui.app.importing import import_paths

    run_document["run"]["reader"] = {"name": "some-model", "revision": "7"}
    import_paths(tmp_path / "a.db", [run_file(run_document)])
    window = open_window(tmp_path / "a.db")
    section = show(qtbot, window, "m1", "q2")
    press(qtbot, section, "source")
    rested(qtbot, window)
    assert section.told() == (
        "The run 'small' was only imported, and its reader (some-model 7) is not here to be asked again."
    )
    assert section.findings() == (NOT_ASKED,)


@pytest.mark.slow
def test_hostile_answers_are_text(open_window: OpenWindow, database: Path, qtbot: QtBot) -> None:
    from gacc_gui.store.added_rows import append_added

    hostile = [
        Probe(
            f"p{n}",
            MEMORY,
            QUESTION,
            0,
            "source",
            n,
            ProbeAnswer(text, status, error),
            verdict,
            "2026-11-30T00:00:00Z",
            cost=0.25,
            seconds=1.5,
        )
        for n, (text, status, error, verdict) in enumerate(
            (
                (NASTY, "ok", None, ProbeVerdict("correct", "judged")),
                (None, "error", "no reply within 30 s", None),
                ("", "ok", None, ProbeVerdict(None, "refused")),
                ("61.9GiB", "ok", None, ProbeVerdict("incorrect", "judged")),
            )
        )
    ]
    with open_database(database) as store:
        append_added(store, "demo", hostile)
    section = show(qtbot, open_window(database))
    assert section.captions() == (
        "As it was: ✗ incorrect",
        "With the full source: 1 earlier answer not shown",
        "With the full source (2): error · 1.5 s · cost 0.2500",
        "With the full source (3): no verdict, refused · 1.5 s · cost 0.2500",
        "With the full source (4): ✗ called incorrect, though it equals a reference · 1.5 s · cost 0.2500",
    )
    assert section.texts() == ("not in memory", "no reply within 30 s", "61.9GiB")
    with open_database(database) as store:
        store.connection.execute("DELETE FROM probes WHERE attempt > 0")
    assert NASTY in show(qtbot, open_window(database)).texts()


# A command that is acted: what is asked before it costs anything, and how it is stopped.

ACTOR = """
import json, os, sys, time
told = sys.argv[1:]
with open(os.environ["ACTED"], "a") as file:
    file.write(json.dumps(told) + "\\n")
if "--dry-run" in told:
    ahead = {"live": True, "planned": 4, "rows": 2, "capped": True}
    print(json.dumps({**ahead, "sentence": "4 calls of big, cost 1.5000 USD"}))
    sys.exit(0)
def tell(**event):
    print(json.dumps(event), file=sys.stderr, flush=True)
tell(event="progress", stage="probes", done=1, planned=4, failed=0)
if os.environ.get("ACTED_WAITS"):
    tell(event="waiting", endpoint="main", seconds=30, reason="busy")
    time.sleep(60)
rows = [{"outcome": "confirms"}, {"outcome": "undecided"}]
print(json.dumps({"probes": [{}] * 4, "rows": rows, "reason": None}))
"""


@pytest.fixture
def acted(
    open_window: OpenWindow, database: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., tuple[ReaskActions, MainWindow, Answers]]]:
    """Actions of a window whose command is acted."""
    monkeypatch.setenv("ACTED", str(tmp_path / "acted.jsonl"))
    (tmp_path / "actor.py").write_text(ACTOR, encoding="utf-8")
    made: list[ReaskActions] = []

    def make(says: bool = True) -> tuple[ReaskActions, MainWindow, Answers]:
        window, answers = open_window(database), Answers(says)
        show(qtbot, window)
        program = (sys.executable, str(tmp_path / "actor.py"))
        actions = ReaskActions(window, window.session, window.reads, answers, program)
        window.inspector.questions.detail.put_after("reviewers", actions.section)
        actions.look()
        made.append(actions)
        return actions, window, answers

    yield make
    for actions in made:
        actions.shutdown()


def commands(tmp_path: Path) -> list[list[str]]:
    return [json.loads(line) for line in (tmp_path / "acted.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_models_are_asked_only_after_the_cost_was_shown(acted: Any, qtbot: QtBot, tmp_path: Path) -> None:
    actions, _, answers = acted(says=False)
    actions.ask_goal()
    qtbot.waitUntil(lambda: actions.is_idle, timeout=LONG)
    (text,) = answers.asked
    assert text.startswith("2 rows, asked 4 times: 4 calls of big, cost 1.5000 USD.")
    assert "only the first 2" in text and "what they charge is charged" in text
    assert actions.section.told() == "Nothing was asked." and not actions.section.is_busy
    assert [("--dry-run" in words, "--live" in words) for words in commands(tmp_path)] == [(True, False)]

    answers.says = True
    with qtbot.waitSignal(actions.told, timeout=LONG) as told:
        actions.ask_goal()
    assert told.args == ["Asked again 4 times: of 2 causes 1 confirmed, 1 undecided."]
    asked = commands(tmp_path)[-1]
    assert asked[2:8] == ["probe", "--goal", "kelp-backup", "--memory", MEMORY, "--repeat"]
    assert {"--live", "--all-kinds", "--missing", "--json", "--events"} <= set(asked)
    assert asked[-2:] == ["--", "demo"]


def test_the_failures_that_are_listed_are_those_of_filter_and_cells(
    acted: Any, qtbot: QtBot, tmp_path: Path
) -> None:
    actions, window, _ = acted(says=False)
    window.session.set_query(parse("cause:truncation kelp"))
    window.session.choose_cells(CellChoice("keywords", None, "own-goal", "0.1"))
    at_rest(qtbot, window)
    actions.ask_filter()
    qtbot.waitUntil(lambda: actions.is_idle, timeout=LONG)
    words = commands(tmp_path)[0]
    text = words[words.index("--filter") + 1]
    assert text == 'cause:truncation kelp compressor:"keywords" condition:"own-goal" ratio:"0.1"'
    assert len(parse(text).terms) == 5 and "--as" not in words

    window.session.set_options(as_reviewed=True)
    at_rest(qtbot, window)
    actions.ask_filter()
    qtbot.waitUntil(lambda: actions.is_idle, timeout=LONG)
    words = commands(tmp_path)[-1]
    assert words[words.index("--filter") + 2 :][:2] == ["--as", "reviewed"]


def test_nothing_is_asked_that_would_tell_a_hidden_row(
    open_window: OpenWindow, database: Path, qtbot: QtBot
) -> None:
    window = open_window(database)
    section = show(qtbot, window)
    unit = window.session.unit
    assert unit is not None
    window.session.set_veil(Veil({unit.unit: {0: (MEMORY, unit.rows[0].question.id, 0)}}))
    for ask in (window.reask.ask_goal, window.reask.ask_filter):
        section.show_rest()
        ask()
        assert window.reask.is_idle and section.told() == NOT_BLIND
    window.session.set_veil(NO_VEIL)
    window.session.set_query(parse("fate:retained goal:right"))
    window.reask.ask_filter()
    rested(qtbot, window)
    assert section.told() != NOT_BLIND


@pytest.mark.slow
def test_asking_can_be_cancelled(acted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTED_WAITS", "1")
    actions, _, _ = acted()
    section = actions.section
    actions.ask()
    qtbot.waitUntil(lambda: section.told() == "Waiting 30 s for main", timeout=LONG)
    actions.ask("source")  # one at a time
    actions.cancel()
    assert section.told() == "Stopping…"
    qtbot.waitUntil(lambda: actions.is_idle, timeout=LONG)
    assert section.told() == "Stopped." and not section.is_busy


@pytest.mark.slow
def test_the_window_closes_while_it_is_asked(
    acted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACTED_WAITS", "1")
    actions, _, _ = acted()
    actions.ask()
    qtbot.waitUntil(lambda: actions.section.told() == "Waiting 30 s for main", timeout=LONG)
    actions.shutdown()
    assert actions.is_idle


def test_nothing_is_asked_without_a_question(open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window(None)
    window.complete()
    assert not window.reask.can_ask() and not window.reask.can_ask_filter()
    window.reask.ask()
    window.reask.ask_goal()
    window.reask.ask_filter()
    assert window.reask.is_idle and window.reask.section.isHidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.slow
def test_the_narrowest_detail_has_room(
    open_window: OpenWindow, database: Path, qtbot: QtBot, qapp: Any, theme: str
) -> None:
    window = open_window(database)
    window.resize(1280, 800)
    section = show(qtbot, window)
    try:
        apply_theme(qapp, theme)
        section.show_busy("Asking: 3 of 20", 3, 20)
        detail = window.inspector.questions.detail
        assert detail.widget().width() <= detail.viewport().width()
        for button in section.findChildren(QToolButton):
            if button.objectName().startswith("reask_"):
                words = button.fontMetrics().horizontalAdvance(button.text())
                assert words <= button.width(), button.text()
    finally:
        section.show_rest()
        apply_theme(qapp, "light")
