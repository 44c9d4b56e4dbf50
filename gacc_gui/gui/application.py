"""The application: makes the window, runs its event loop, and tells what goes wrong.

Owns start-up, the exception hook and the end. `create_window` needs a QApplication and starts no event loop;
`run_window` is what the command line calls.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QLoggingCategory
from PySide6.QtWidgets import QApplication

from gacc_gui.app.locations import is_there
from gacc_gui.core.errors import GaccError
from gacc_gui.gui.desk import Desk
from gacc_gui.gui.opening import Place
from gacc_gui.gui.settings import Settings, load_settings
from gacc_gui.gui.theme import apply_theme, the_application

if TYPE_CHECKING:
    from gacc_gui.gui.asking import Asker
    from gacc_gui.gui.main_window import MainWindow


SWITCH_SECONDS: Final = 0.0001
"""After how long a busy worker thread has to let the GUI thread have the interpreter.

Whenever Qt calls Python code, some fifty times in an ordinary turn of the event loop, this is waited.
With Python's own 5 ms a goal with a source of 1 MB held the window up for 0.3 to 0.6 s, with 0.5 ms for
0.06 s, with this for 0.03 s; the work beside it took a twentieth longer (measured 2026-11, CPython 3.11).
"""


def create_window(
    db_path: Path | str | None,
    *,
    place: Place | None = None,
    settings: Settings | None = None,
    asker: Asker | None = None,
) -> MainWindow:
    """Make the window on a database; a QApplication exists, and no event loop is started here.

    A path where there is no file gives the start page; what is imported then makes the file. With `settings`
    given, they are used and not written back.
    """
    app = the_application()
    quiet_fonts()
    told = None
    if settings is None:
        chosen, told = load_settings()
    else:
        chosen = settings
    sys.setswitchinterval(SWITCH_SECONDS)
    desk = Desk(chosen)
    path = None if db_path is None else Path(db_path)
    missing = path is None or not is_there(path)
    if path is not None and not missing:
        desk.opener.open_database(path, place)
    elif path is not None:
        desk.opener.expect_database(path)
    # Now, while the database is being read.
    from gacc_gui.gui.main_window import MainWindow

    apply_theme(app, chosen.theme)
    window = MainWindow(desk, asker, keeps_settings=settings is None)
    app.aboutToQuit.connect(window.shutdown)
    if told is not None:
        window.tell(told)
    if missing and place is not None and place != Place():
        window.tell_error(GaccError(f"there is no database at {db_path}"))
    return window


def run_window(
    db_path: Path | str | None,
    *,
    run: str | None = None,
    goal: str | None = None,
    question: str | None = None,
) -> int:
    """Open the window at a run, goal and question, and return its exit code when it is closed.

    There is a screen: without one, Qt ends the process.
    """
    from gacc_gui.gui.interrupt import Interrupt

    app = the_application() if QApplication.instance() else QApplication(sys.argv[:1])
    app.setApplicationName("gacc-gui")
    app.setDesktopFileName("gacc-gui")
    window = create_window(db_path, place=Place(run, goal, question))
    hook = ExceptionHook(window)
    interrupt = Interrupt(window)
    window.show()
    try:
        return app.exec()
    finally:
        interrupt.stop()
        hook.restore()
        window.shutdown()


def quiet_fonts() -> None:
    """Keep Qt from naming on stderr every font without support for some script of the data."""
    QLoggingCategory.setFilterRules("qt.text.font.db=false")


class ExceptionHook:
    """Tells what nobody caught: known errors in the window's strip, a bug once per distinct traceback."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._before = sys.excepthook
        self._shown: set[str] = set()
        sys.excepthook = self._on_exception

    def restore(self) -> None:
        """Give the hook back."""
        sys.excepthook = self._before

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            self._window.close()
            return
        if isinstance(error, GaccError):
            self._window.tell_error(error)
            return
        import traceback

        text = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(text)
        where = "".join(traceback.format_tb(trace)) + kind.__name__
        if where not in self._shown:
            self._shown.add(where)
            from gacc_gui.gui.bug_report import BugReport

            BugReport(text, self._window).show()
