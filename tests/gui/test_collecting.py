"""Garbage collection while a window lives: in the GUI thread, and not of what lives as long as the window."""

from __future__ import annotations

import gc

from pytestqt.qtbot import QtBot

from gacc_gui.gui.collecting import Collector


class _Cycle:
    def __init__(self) -> None:
        self.itself = self


def test_what_was_there_is_looked_at_again_when_the_last_window_has_stopped(qtbot: QtBot) -> None:
    first, second = Collector(), Collector()
    assert not gc.isenabled()
    first.settle()
    assert gc.get_freeze_count() > 0
    first.stop()
    assert gc.get_freeze_count() > 0, "another window is there"
    second.stop()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    first.settle()
    assert gc.get_freeze_count() == 0, "it has stopped"


def test_garbage_made_later_is_collected(qtbot: QtBot) -> None:
    collector = Collector()
    collector.settle()
    cycle = _Cycle()
    kept = id(cycle)
    del cycle
    gc.collect()
    assert all(id(thing) != kept or not isinstance(thing, _Cycle) for thing in gc.get_objects())
    collector.stop()
