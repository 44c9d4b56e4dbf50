"""The window: its views, its strips, and how it closes.

Owns what is made at once and what a moment later, which view is seen, and the remembered geometry. What the
views show is theirs; how each is made is `window_views`; what is open is `opener`; what commands exist is
`window_commands`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QByteArray, QEvent, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.collecting import Collector
from gacc_gui.gui.desk import Desk
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.menus import make_menus
from gacc_gui.gui.message_strip import DIAGNOSTIC, Strip
from gacc_gui.gui.opening import Opened, Place
from gacc_gui.gui.panes.exact_copy import settle_clipboard
from gacc_gui.gui.settings import save_settings
from gacc_gui.gui.stages import Stages
from gacc_gui.gui.theme import GRID, slim_scroll_bars
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.gui.view_tabs import ViewTabs
from gacc_gui.gui.views import Views
from gacc_gui.gui.window_parts import WindowParts
from gacc_gui.gui.window_views import ALWAYS, OF_RUN, keys_of, unfit_views, view_makers
from gacc_gui.store.rows import CellChoice, RunSummary

if TYPE_CHECKING:
    from gacc_gui.gui.asking import Asker
    from gacc_gui.gui.side.audit_panel import Target

NOTICE_MS: Final = 8000


class MainWindow(WindowParts):
    """One window on one database.

    Only what the first list needs is made at once. The rest follows in `Stages` as soon as the list is
    painted, or when somebody asks for it (`WindowParts`).
    """

    def __init__(self, desk: Desk, asker: Asker | None = None, keeps_settings: bool = True) -> None:
        """`keeps_settings` False: nothing is remembered when the window closes (pictures, scripts)."""
        super().__init__()
        self.setObjectName("mainWindow")
        desk.setParent(self)
        self.settings, self.session, self.opener = desk.settings, desk.session, desk.opener
        self.reads, self.counts, self.reviews = desk.reads, desk.counts, desk.reviews
        self._given_asker = asker
        self._keeps_settings = keeps_settings
        self._wants_focus = False
        self._collector = Collector(self)
        self._build_ui()
        self._stages = Stages(
            [
                self._release_workers,
                *self.inspector.stages(),
                self._make_commands,
                *self.views.stages(),
                self._make_sheets,
            ],
            self,
        )
        self._connect()
        self._restore_geometry()
        self._show_title()
        if self.opener.path is None:
            self.show_start()
            self._stages.start()
        else:
            self.inspector.goals.expect_run()
            self.show_inspector()
        self._on_view_changed()

    def _build_ui(self) -> None:
        self.setAcceptDrops(True)
        self.resize(1280, 800)
        self.setMinimumSize(960, 600)
        self.banner = Strip("diagnosticBanner", closable=False, parent=self)
        self.strip = Strip("messageStrip", closable=True, parent=self)
        self.views = Views(view_makers(self), self)
        holder = QWidget(self)
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.banner)
        layout.addWidget(self.strip)
        layout.addWidget(self.views, 1)
        self.setCentralWidget(holder)
        self._menus = make_menus(self.menuBar())
        self.tabs = ViewTabs(self)
        self.tabs.show_views(OF_RUN, ALWAYS)
        self.menuBar().setCornerWidget(self.tabs)
        self._where, self._keys = ThemedLabel("text", self), ThemedLabel("muted", self)
        self._where.setContentsMargins(GRID, 0, 0, 0)
        self._keys.setObjectName("viewKeys")
        self._keys.setContentsMargins(0, 0, GRID, 0)
        self.statusBar().addWidget(self._where, 1)
        self.statusBar().addPermanentWidget(self._keys)
        self.statusBar().setSizeGripEnabled(False)
        self._notice_timer = QTimer(self)
        self._notice_timer.setSingleShot(True)
        self._notice_timer.setInterval(NOTICE_MS)

    def _connect(self) -> None:
        self.session.read_failed.connect(self._on_read_failed)
        self.counts.failed.connect(self.tell_error)
        self.session.noticed.connect(self.tell)
        self.session.run_changed.connect(self._on_run_changed)
        self.session.unit_loaded.connect(self._on_unit_loaded)
        self.opener.use_imports(lambda: self.imports)
        self.opener.found.connect(self._on_found)
        self.opener.opened.connect(self._on_opened)
        self.opener.open_failed.connect(self._on_open_failed)
        self.opener.path_changed.connect(self._on_path_changed)
        self.opener.import_started.connect(self._on_import_started)
        self.opener.told.connect(self.tell)
        self.inspector.goals.listed.connect(self._stages.start)
        self._stages.done.connect(self._collector.settle)
        self._notice_timer.timeout.connect(self.strip.clear)
        self.views.currentChanged.connect(self._on_view_changed)
        self.tabs.view_chosen.connect(self.views.show_view)

    @property
    def is_idle(self) -> bool:
        """Whether all parts are made, and nothing is being read, counted or worked out."""
        return (
            self._stages.is_done
            and self.reads.is_idle
            and self.counts.is_idle
            and self.inspector.is_idle
            and not self.imports.is_running
            and self.runner.is_idle
            and self.compaction.is_idle
            and self.reviews.is_stored
            and self.run_actions.exports.is_idle
        )

    # --- views -------------------------------------------------------------------------------------

    def show_start(self) -> None:
        """Show the start page."""
        self.start_page.show_recent(self.settings.recent)
        self.views.show_view("start")

    def show_inspector(self) -> None:
        """Show runs, goals and texts."""
        self.views.show_view("inspector")
        self.inspector.goals.setFocus()
        # The list takes the keyboard when it is there: it may still be read.
        self._wants_focus = self.session.unit is None

    def show_open(self) -> None:
        """Show what is open, or the start page."""
        if self.session.run is not None:
            self.show_inspector()
        else:
            self.show_start()

    def show_figures(self) -> None:
        """Show the figures of each cell."""
        self.views.show_view("figures")

    def show_audit(self) -> None:
        """Show the audit view."""
        self.views.show_view("audit")

    def start_audit(self) -> None:
        """Show the audit view and audit the run."""
        self.show_audit()
        self.audit.start()

    def show_requests(self) -> None:
        """Show the raw requests."""
        self.views.show_view("requests")

    def show_compaction(self) -> None:
        """Show the cases of a compaction run."""
        self.views.show_view("compaction")
        self.compaction.setFocus()

    def show_runner(self) -> None:
        """Show evaluations: configure, start, watch."""
        self.views.show_view("runner")

    def go_to_cells(self, choice: CellChoice) -> None:
        """Look at the goals of some cells."""
        self.session.choose_cells(choice)
        self.show_inspector()

    def go_to_target(self, target: Target) -> None:
        """Look at the row that a failed check is about."""
        run = self.session.run
        if run is not None:
            self.opener.go(Place(run.run.id, target.goal_id, target.question_id, target.memory_id))
            self.show_inspector()

    def go_to_run(self, database: Path, run_id: str) -> None:
        """Look at a run of this or another database."""
        if database == self.opener.path:
            self.opener.go(Place(run_id))
        else:
            self.opener.open_database(database, Place(run_id))
        self.show_inspector()

    def focus_filter(self) -> None:
        """Give the keyboard to the filter."""
        self.show_inspector()
        self.inspector.filter.setFocus()

    def open_palette(self) -> None:
        """Open the command palette."""
        self.command_palette.open(self.commands.all)

    def open_shortcuts(self) -> None:
        """Open the shortcut sheet."""
        self.shortcut_sheet.open(self.commands.all)

    def leave(self) -> None:
        """Close the window."""
        self.close()

    def tell(self, sentence: str) -> None:
        """Tell something that passes."""
        self.strip.tell(sentence)
        self._notice_timer.start()

    def tell_error(self, error: Exception, *, of_reading: bool = False) -> None:
        """Tell a failure; it stays until it is dismissed, one `of_reading` until something is read."""
        self._notice_timer.stop()
        self.strip.tell(str(error), error=True, of_reading=of_reading)

    # --- what others say ---------------------------------------------------------------------------

    def _on_read_failed(self, error: Exception) -> None:
        self.tell_error(error, of_reading=True)

    def _on_recent(self, path: Path) -> None:
        self.opener.open_paths([path])

    def _on_found(self, opened: Opened) -> None:
        self.inspector.know(opened)
        if opened.goals is not None and not self._stages.is_done:
            # Figures and texts are asked for as soon as the run is known: first the list is painted.
            for background in (self.reads, self.counts):
                background.hold()

    def _on_opened(self, opened: Opened) -> None:
        if opened.summary is None:
            if not self._is_busy():
                self.show_start()
            self._stages.start()
        elif self.views.current_name in ("start", "inspector"):
            self.show_inspector()

    def _on_open_failed(self, error: GaccError) -> None:
        if self.session.run is None and not self._is_busy():
            self.show_start()
        self.tell_error(error)
        self._stages.start()

    def _on_import_started(self) -> None:
        self.views.show_view("imports")

    def _is_busy(self) -> bool:
        """Whether a view is seen, or works, that an empty database takes nothing from."""
        importing = self.views.made("imports") is not None and self.imports.is_running
        return importing or self.views.current_name == "runner"

    def _on_run_deleted(self, run_id: str) -> None:
        run = self.session.run
        if run is not None and run.run.id == run_id:
            self.opener.leave_run()
        else:
            self.session.data_changed.emit()

    def _on_palette_closed(self) -> None:
        view = self.views.currentWidget()
        if view is self.inspector:
            self.inspector.goals.setFocus()
        elif view is not None:
            view.setFocus()

    def _on_run_changed(self, _summary: RunSummary | None) -> None:
        self._on_view_changed()
        self._show_title()

    def _on_view_changed(self, _index: int = 0) -> None:
        run, seen = self.session.run, self.views.current_name
        diagnostic = run is not None and run.run.diagnostic_only is True and seen in OF_RUN
        self.banner.tell(DIAGNOSTIC if diagnostic else "")
        self.tabs.follow(seen, enabled=run is not None, unfit=unfit_views(run))
        self._keys.setText(keys_of(seen, self.session.terms))
        self._refresh_commands()

    def _on_unit_loaded(self, view: object) -> None:
        self._refresh_commands()
        # What could not be read before is old.
        self.strip.forget_reading()
        if view is not None and self._wants_focus:
            self._wants_focus = False
            self.inspector.goals.setFocus()

    def _refresh_commands(self) -> None:
        if "commands" in self.__dict__:
            self.commands.refresh()

    def _on_path_changed(self) -> None:
        if self.views.made("runner") is not None:
            self.runner.set_database(self.opener.target)
        self._refresh_commands()
        self._show_title()

    def _show_title(self) -> None:
        path, run = self.opener.path, self.session.run
        name = (run.run.name or run.run.id) if run else path.name if path else ""
        self.setWindowTitle(f"{cell_text(name)} – gacc-gui" if name else "gacc-gui")
        self._where.setText(str(path) if path else "No database is open")

    # --- geometry and the end ----------------------------------------------------------------------

    def _restore_geometry(self) -> None:
        state = self.settings.geometry_of("window")
        if state is not None:
            self.restoreGeometry(QByteArray(state))
        self.inspector.restore_geometry(self.settings)

    def _keep_settings(self) -> None:
        options = self.session.options
        for name in ("mono", "zoom", "linked", "grouped", "as_reviewed"):
            setattr(self.settings, name, getattr(options, name))
        self.settings.keep_geometry("window", bytes(self.saveGeometry().data()))
        self.inspector.keep_geometry(self.settings)
        save_settings(self.settings)

    def shutdown(self) -> None:
        """Stop timers, children and workers, in this order; nothing is delivered then. Can be repeated."""
        self._stages.stop()
        self.opener.shutdown()
        self._notice_timer.stop()
        if self.views.made("runner") is not None:
            self.runner.shutdown(self._keeps_settings)
        for part in self._at_work():
            part.shutdown()
        self.inspector.shutdown()
        for worker in (self.reviews, self.counts, self.reads):
            worker.shutdown()
        self._collector.stop()
        settle_clipboard()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme; a window that nobody sees does not look for new rows."""
        if event.type() == QEvent.Type.PaletteChange:
            self.views.follow_theme()
            if "command_palette" in self.__dict__:
                slim_scroll_bars(self.command_palette)
        if event.type() == QEvent.Type.WindowStateChange:
            self.opener.watch(self.isVisible() and not self.isMinimized())
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Look for new rows while seen."""
        super().showEvent(event)
        self.opener.watch(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Do not look for new rows while hidden."""
        super().hideEvent(event)
        self.opener.watch(False)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the geometry, stop everything, go; what would be lost is asked about."""
        if not self._may_close():
            event.ignore()
            return
        if self._keeps_settings:
            self._keep_settings()
        self.hide()  # an evaluation that is ended may take seconds
        self.shutdown()
        event.accept()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files may be dropped anywhere."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the files that were dropped."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.opener.open_paths(paths)
