"""The commands of re-asking, for menus and palette. What they do is `ReaskActions`'."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from gacc_gui.core.records import MATERIALS
from gacc_gui.gui.commands import Command
from gacc_gui.gui.probing.words import GIVEN

if TYPE_CHECKING:
    from gacc_gui.gui.probing.reask_actions import ReaskActions

_KEYS: Final = {"proposal": ("Ctrl+Shift+K",)}


def reask_commands(actions: ReaskActions) -> list[Command]:
    """Declare the commands of asking again."""
    one = actions.can_ask

    def asks(kind: str) -> Callable[[], None]:
        return partial(actions.ask, kind)

    return [
        Command(
            "reask-all",
            "Ask again with all that makes sense",
            "Run",
            actions.ask,
            ("Ctrl+K",),
            one,
            separated=True,
        ),
        *(
            Command(
                f"reask-{kind}",
                f"Ask again with {GIVEN[kind]}",
                "Run",
                asks(kind),
                _KEYS.get(kind, ()),
                one,
            )
            for kind in MATERIALS
        ),
        Command(
            "reask-stable",
            "Ask again three times with the same memory",
            "Run",
            actions.ask_stability,
            (),
            one,
        ),
        Command("reask-goal", "Ask the whole goal again", "Run", actions.ask_goal, (), one),
        Command(
            "reask-filter",
            "Ask the listed failures again",
            "Run",
            actions.ask_filter,
            (),
            actions.can_ask_filter,
        ),
        Command("reask-cancel", "Stop asking again", "Run", actions.cancel, (), actions.can_cancel),
    ]
