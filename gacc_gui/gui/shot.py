"""Pictures of the window, made without a screen: for the documentation, for tests, for a report.

Waits for the window to have nothing left to do; nothing here sleeps for a guessed time.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gacc_gui.core.errors import BadUsage, GaccError
from gacc_gui.gui.opening import Place

if TYPE_CHECKING:
    from PySide6.QtGui import QPixmap

VIEWS: Final = (
    "inspector",
    "figures",
    "charts",
    "matrix",
    "compare",
    "review",
    "agreement",
    "audit",
    "requests",
    "compaction",
    "runner",
    "start",
    "palette",
    "shortcuts",
)
PATIENCE_SECONDS: Final = 120.0


def take_shot(
    db_path: Path,
    out: Path,
    *,
    place: Place | None = None,
    view: str | None = None,
    theme: str = "light",
    size: tuple[int, int] = (1280, 800),
) -> None:
    """Render the window on a database into a picture of `size` pixels; the suffix decides the format.

    Raises BadUsage for an unknown view or place, GaccError where the picture cannot be written.
    """
    if view is not None and view not in VIEWS:
        raise BadUsage(f"there is no view {view!r}: only {', '.join(VIEWS)}")
    if not out.parent.is_dir():
        raise BadUsage(f"the folder {out.parent} does not exist")
    # Whoever has a screen, too, gets the same picture, and no window flashes up.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QEvent
    from PySide6.QtWidgets import QApplication

    from gacc_gui.gui.application import create_window, quiet_fonts
    from gacc_gui.gui.review.review_commands import ReviewCommands
    from gacc_gui.gui.settings import Settings
    from gacc_gui.gui.theme import the_application

    app = the_application() if QApplication.instance() else QApplication(sys.argv[:1])
    app.setCursorFlashTime(0)
    quiet_fonts()
    window = create_window(db_path, place=place, settings=Settings(theme=theme))
    failures: list[GaccError] = []
    window.opener.open_failed.connect(failures.append)
    window.reads.failed.connect(failures.append)
    try:
        window.resize(*size)
        window.show()
        _wait(lambda: window.is_idle)
        if not failures and view != "start" and window.opener.path is None:
            raise BadUsage(f"there is no database at {db_path}")
        if failures:
            raise failures[0]
        reviews = ReviewCommands(window)
        shows: dict[str, Callable[[], object]] = {
            "figures": window.show_figures,
            "charts": partial(window.views.show_view, "charts"),
            "matrix": partial(window.views.show_view, "matrix"),
            "compare": partial(window.views.show_view, "compare"),
            "review": reviews.show_queue,
            "agreement": reviews.show_agreement,
            "audit": window.start_audit,
            "requests": window.show_requests,
            "compaction": window.show_compaction,
            "runner": window.show_runner,
            "start": window.show_start,
            "palette": window.open_palette,
            "shortcuts": window.open_shortcuts,
        }
        if view in shows:
            shows[view]()
            _wait(lambda: window.is_idle)
        _write(window.grab(), out)
    finally:
        window.close()
        window.deleteLater()
        # Outside of a running event loop nothing else deletes it.
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _write(picture: QPixmap, out: Path) -> None:
    """Write a picture, whole or not at all. Made in memory: on a full disk libpng would speak to stderr."""
    from PySide6.QtCore import QBuffer, QIODevice

    from gacc_gui.formats.atomic import written_whole

    made = QBuffer()
    made.open(QIODevice.OpenModeFlag.WriteOnly)
    if not picture.save(made, out.suffix.removeprefix(".").upper() or "PNG"):
        raise GaccError(f"{out}: no picture can be written with this suffix")
    with written_whole(out) as part:
        part.write_bytes(made.data().data())


def _wait(done: Callable[[], bool]) -> None:
    """Run the event loop until `done()` holds and stays so through a few quiet rounds."""
    from PySide6.QtCore import QEventLoop, QTimer
    from PySide6.QtWidgets import QApplication

    # Wakes the loop when nothing else does, so that the patience can end.
    pulse = QTimer()
    pulse.start(20)
    deadline = time.monotonic() + PATIENCE_SECONDS
    quiet = 0
    while quiet < 5:
        if time.monotonic() > deadline:
            raise GaccError(f"the window did not come to rest within {PATIENCE_SECONDS:.0f} seconds")
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        QApplication.sendPostedEvents()
        quiet = quiet + 1 if done() else 0
    pulse.stop()
