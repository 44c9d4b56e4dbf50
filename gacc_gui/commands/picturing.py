"""`shot` and the window itself: what is checked before Qt is loaded."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Final

from gacc_gui import terminal
from gacc_gui.app.listing import open_reader
from gacc_gui.core.errors import BadUsage, GaccError

_SIZE: Final = re.compile(r"([1-9][0-9]{1,4})[x×]([1-9][0-9]{1,4})", re.IGNORECASE)
_LARGEST: Final = 8192


def open_window(database: Path, run: str | None, goal: str | None, question: str | None) -> int:
    """Open the window at a place and return its exit code when it is closed.

    A database that is not there gives the start page, unless a place in it was asked for. Raises GaccError
    where there is no screen.
    """
    check_screen()
    if database.exists() or run or goal or question:
        _check_place(database, run, goal, question)
    from gacc_gui.gui.application import run_window

    return run_window(database, run=run, goal=goal, question=question)


def check_screen() -> None:
    """Raise GaccError where there is no screen to open the window on."""
    # Qt would abort the process, with a core dump and words about plugins.
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in names):
        raise GaccError(
            "there is no screen to open the window on: `gacc-gui shot` draws it into a picture,"
            " `gacc-gui demo --no-window` makes the demonstration without it"
        )


def shot(
    database: Path,
    out: str,
    place: tuple[str | None, str | None, str | None],
    view: str | None,
    theme: str,
    size: str,
) -> int:
    """Render the window at a place (run, goal, question) to a picture."""
    width, height = _size_of(size)
    if view != "start":
        _check_place(database, *place)
    from gacc_gui.gui.opening import Place
    from gacc_gui.gui.shot import take_shot

    take_shot(database, Path(out), place=Place(*place), view=view, theme=theme, size=(width, height))
    terminal.say(f"{out}: {width}×{height}")
    return 0


def _check_place(database: Path, run: str | None, goal: str | None, question: str | None) -> None:
    """Raise GaccError, in a sentence for the terminal, unless the place is there."""
    with open_reader(database) as reader:
        if run or goal or question:
            from gacc_gui.gui.opening import Place, open_place

            open_place(reader, Place(run, goal, question))


def _size_of(text: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise BadUsage(f"a size is written as 1280x800, not {text!r:.40}")
    width, height = int(match.group(1)), int(match.group(2))
    if max(width, height) > _LARGEST:
        raise BadUsage(f"a picture is at most {_LARGEST} pixels wide and high, not {text}")
    return width, height
