"""What is open: a database and a place in it; files that are imported into it; new rows that appear in it.

Owns the way from a file a person gives to the session. Not owned: which view is seen meanwhile (the window).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from gacc_gui.app.watching import Found, Watch
from gacc_gui.core.errors import BadUsage, GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.opening import Opened, Place, is_database
from gacc_gui.gui.session import Session
from gacc_gui.gui.settings import Settings
from gacc_gui.store.rows import RunSummary

if TYPE_CHECKING:
    from gacc_gui.gui.import_view import ImportView
    from gacc_gui.store.reads import Reader

POLL_MS: Final = 1000

FileIdentity = tuple[int, int]


class Opener(QObject):
    """Signals: found(Opened), before the session looks there; opened(Opened), after; open_failed(GaccError);

    path_changed(); import_started(); told(sentence).
    """

    found = Signal(object)
    opened = Signal(object)
    open_failed = Signal(object)
    path_changed = Signal()
    import_started = Signal()
    told = Signal(object)

    def __init__(
        self,
        session: Session,
        reads: Background,
        counts: Background,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._reads = reads
        self._counts = counts
        self._imports: Callable[[], ImportView] | None = None
        self._settings = settings
        self._new: Path | None = None
        self._news = ""
        """What is told when the database is there."""
        self._watch: Watch | None = None
        self._file: FileIdentity | None = None
        self._opening = False
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self.look_for_rows)
        session.data_changed.connect(self._on_data_changed)

    def use_imports(self, imports: Callable[[], ImportView]) -> None:
        """Say where files are imported; the view may be made when it is asked for."""
        self._imports = imports

    @property
    def path(self) -> Path | None:
        """The database that is open."""
        return self._reads.path

    @property
    def target(self) -> Path:
        """The database that new rows go into: the open one, or the one that they make."""
        from gacc_gui.app.locations import default_database

        return self.path or self._new or default_database()

    def expect_database(self, path: Path) -> None:
        """Have rows that come while nothing is open make a database at `path`, where there is none yet."""
        self._new = path

    def open_database(self, path: Path, place: Place | None = None, *, or_first: bool = False) -> None:
        """Look at a database, at a place in it or at its first run, which also does for a lost `or_first`."""
        self._session.show_run(None)
        self._new = None
        self._news = ""
        self._watch_file(path)
        try:
            self._file = file_identity(path)
        except OSError:
            self._file = None  # the read that follows tells why
        for background in (self._reads, self._counts):
            background.open(path)
        self.path_changed.emit()
        self._opening = True
        self.go(place or Place(), or_first=or_first)

    def go(self, place: Place, *, or_first: bool = False) -> None:
        """Look at a place in the open database; `or_first`: at its first run if that is not there."""
        work = partial(_place, self._watch, place, self._session.options.grouped, or_first)
        self._reads.request("opener.place", work, self._on_place, self._on_failed)

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open what a person gives: a database is looked at, run files are imported into the open one."""
        imports = self._free_imports()
        if imports is None:
            return
        self._look_at_file()
        databases = [path for path in paths if is_database(path)]
        if databases:
            self.open_database(databases[0])
            return
        for path in paths:
            self._settings.remember_file(path)
        imports.import_files(self.target, paths)
        self.import_started.emit()

    def start_demo(self) -> None:
        """Evaluate the demonstration into a fresh database, and open that."""
        imports = self._free_imports()
        if imports is not None:
            imports.run_demo()
            self.import_started.emit()

    def _free_imports(self) -> ImportView | None:
        assert self._imports is not None, "nobody said where files are imported"
        imports = self._imports()
        if imports.is_running:
            self.told.emit("Something is being imported already.")
            return None
        return imports

    def expect_rows(self, database: Path, run_id: str) -> None:
        """Look at a run that is being written, unless something is open."""
        if self.path is None and database.exists():
            self.open_database(database, Place(run_id))

    def watch(self, seen: bool) -> None:
        """Look for new rows now and then, while the window is seen."""
        if seen:
            self._poll.start()
        else:
            self._poll.stop()

    def look_for_rows(self) -> None:
        """Have the views read again if somebody has written since the last look."""
        watch = self._watch
        if self._look_at_file() and watch is not None:
            self._counts.request("opener.watch", partial(_look, watch), self._on_look, self._on_look_failed)

    def shutdown(self) -> None:
        """Look at nothing any more. Can be repeated."""
        self._poll.stop()
        self._watch_file(None)

    def _watch_file(self, path: Path | None) -> None:
        if self._watch is not None:
            self._watch.close()
        self._watch = Watch(path) if path is not None else None

    def _look_at_file(self) -> bool:
        """Whether the open database is still the file that was opened; if not, follow and tell."""
        path = self.path
        if path is None:
            return False
        try:
            found = file_identity(path)
        except OSError:
            # Not to be reached now: whoever reads tells.
            return True
        if found == self._file:
            return True
        if found is None:
            self._close()
            self.open_failed.emit(GaccError(f"{path} is gone: it was deleted or moved while it was open."))
            return False
        self._open_other(path)
        return False

    def _open_other(self, path: Path) -> None:
        """Look at what stands in the file now, and tell.

        All connections are closed first: the number of pages is in memory that they share, and through them
        a larger database would seem damaged (measured 2026-11, SQLite 3.40).
        """
        run = self._session.run
        place = Place(run.run.id) if run is not None else None
        self._session.show_run(None)
        self._watch_file(None)
        left = [self._reads, self._counts]

        def let_go() -> None:
            left.pop()
            if not left and self.path is None:
                self.open_database(path, place, or_first=True)
                self._news = f"{path} was replaced by another file, which is shown now."

        for background in (self._reads, self._counts):
            background.let_go(let_go)

    def _close(self) -> None:
        """Look at no database."""
        self._session.show_run(None)
        self._file = None
        self._watch_file(None)
        for background in (self._reads, self._counts):
            background.open(None)
        self.path_changed.emit()
        self._session.data_changed.emit()

    def _on_place(self, opened: Opened) -> None:
        self._opening = False
        if self.path is not None:
            self._settings.remember_file(self.path)
        self.found.emit(opened)
        if opened.summary is None or opened.summary != self._session.run:
            self._session.show_run(opened.summary)
        if opened.unit is not None:
            self._session.choose_unit(opened.unit, opened.question_id)
        self.opened.emit(opened)
        if self._news:
            self.told.emit(self._news)
            self._news = ""

    def _on_failed(self, error: GaccError) -> None:
        if self._opening:
            self._opening = False
            self._watch_file(None)
            for background in (self._reads, self._counts):
                background.open(None)
            self.path_changed.emit()
        self.open_failed.emit(error)

    def _on_look(self, found: Found) -> None:
        path = self.path
        if path is None:
            return
        if found.replaced:
            self._open_other(path)
            return
        if not found.written:
            return
        if found.file_changed:
            for background in (self._reads, self._counts):
                background.renew()
        self._counts.request("opener.reload", _runs, partial(self._reload, found), self._on_look_failed)

    def _on_look_failed(self, _error: GaccError) -> None:
        # A locked database is looked at again a second later; other failures show when somebody reads.
        pass

    def _reload(self, found: Found, summaries: Sequence[RunSummary]) -> None:
        if self._watch is not None:
            self._watch.take(found)
        run = self._session.run
        if run is None:
            self._session.data_changed.emit()
            self.go(Place())
            return
        same = next((summary for summary in summaries if summary.run.id == run.run.id), None)
        if same is None:
            self.told.emit(f"The run {run.run.name or run.run.id} was deleted by another program.")
            self.leave_run()
        else:
            self._session.data_changed.emit()
            self._session.show_run(same)

    def leave_run(self) -> None:
        """The shown run is gone: look at the first of those that are left."""
        self._session.show_run(None)
        self.go(Place())
        self._session.data_changed.emit()

    def _on_data_changed(self) -> None:
        unit = self._session.unit
        if unit is not None:
            self._session.choose_unit(unit.unit, self._session.question)

    def open_imported(self, runs: Sequence[str], database: str | None) -> None:
        """Look at what an import has landed: `runs` in `database`, None being the one that is open."""
        target = Path(database) if database else self.target
        if not target.exists():
            return
        place = Place(run=runs[0] if runs else None)
        if target != self.path:
            self.open_database(target, place)
            return
        self._session.data_changed.emit()
        if runs:
            self.go(place)


def file_identity(path: Path) -> FileIdentity | None:
    """Which file stands at a path: device and number; None for none. Raises OSError if that is not known."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def _place(watch: Watch | None, place: Place, grouped: bool, or_first: bool, reader: Reader) -> Opened:
    from gacc_gui.gui.opening import open_place

    if watch is not None:
        watch.begin()
    try:
        return open_place(reader, place, grouped)
    except BadUsage:
        if not or_first:
            raise
        return open_place(reader, Place(), grouped)


def _runs(reader: Reader) -> Sequence[RunSummary]:
    return reader.runs()


def _look(watch: Watch, _reader: Reader) -> Found:
    return watch.look()
