"""Parts that can wait are made in order, between events, or at once when they are needed."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gacc_gui.gui.stages import Stages


def test_parts_are_made_in_order_one_a_turn(qtbot: QtBot) -> None:
    made: list[str] = []
    stages = Stages([lambda: made.append("a"), lambda: made.append("b")])
    assert not stages.is_done and made == []
    with qtbot.waitSignal(stages.done):
        stages.start()
    assert made == ["a", "b"] and stages.is_done


def test_who_needs_a_part_has_all_made_once(qtbot: QtBot) -> None:
    made: list[str] = []

    def nested() -> None:
        made.append("a")
        stages.finish()

    stages = Stages([nested, lambda: made.append("b")])
    stages.start()
    stages.finish()
    stages.finish()
    assert made == ["a", "b"] and stages.is_done


def test_a_part_that_fails_is_told_and_the_others_follow(qtbot: QtBot) -> None:
    made: list[str] = []

    def fail() -> None:
        raise ValueError("broken")

    stages = Stages([fail, lambda: made.append("b")])
    with qtbot.captureExceptions() as told, qtbot.waitSignal(stages.done):
        stages.start()
    assert made == ["b"]
    assert [str(error) for _, error, _ in told] == ["broken"]


@pytest.mark.parametrize("started", [False, True])
def test_what_is_left_is_left_out_when_the_window_closes(qtbot: QtBot, started: bool) -> None:
    stages = Stages([lambda: pytest.fail("made")])
    if started:
        stages.start()
    stages.stop()
    assert stages.is_done
