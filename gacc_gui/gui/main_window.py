"""The window: its views, its strips, and how it closes.

Owns the switch between the start page, the inspector and the other views, and the remembered geometry. What
the views show is theirs; what is open is `opener`; what commands exist is `window_commands`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QHideEvent, QIcon, QShowEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.asking import Asker
from gacc_gui.gui.background import Background
from gacc_gui.gui.collecting import Collector
from gacc_gui.gui.commands import Commands
from gacc_gui.gui.import_view import ImportView
from gacc_gui.gui.inspector import Inspector
from gacc_gui.gui.message_strip import DIAGNOSTIC, Strip
from gacc_gui.gui.opener import Opener
from gacc_gui.gui.opening import Opened, Place
from gacc_gui.gui.palette import Palette
from gacc_gui.gui.run_actions import RunActions
from gacc_gui.gui.session import Session
from gacc_gui.gui.settings import Settings, save_settings
from gacc_gui.gui.shortcut_sheet import ShortcutSheet
from gacc_gui.gui.side.audit_panel import AuditPanel, Target
from gacc_gui.gui.side.figures_view import FiguresView
from gacc_gui.gui.side.requests_view import RequestsView
from gacc_gui.gui.start_page import StartPage
from gacc_gui.gui.theme import GRID, slim_scroll_bars
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.gui.view_tabs import ViewTabs
from gacc_gui.gui.window_actions import WindowActions
from gacc_gui.gui.window_commands import window_commands
from gacc_gui.resources import resource
from gacc_gui.store.rows import CellChoice, RunSummary

NOTICE_MS: Final = 8000
KEYS: Final = "N P failing goals · J K questions · Ctrl+F find · Ctrl+Shift+P commands · ? keys"


class MainWindow(QMainWindow):
    """One window on one database."""

    def __init__(self, settings: Settings, asker: Asker | None = None, keeps_settings: bool = True) -> None:
        """`keeps_settings` False: nothing is remembered when the window closes (pictures, scripts)."""
        super().__init__()
        self.setObjectName("mainWindow")
        self.settings = settings
        self._keeps_settings = keeps_settings
        self._wants_focus = False
        self._collector = Collector(self)
        self.reads = Background(None, self)
        self.counts = Background(None, self)
        self.session = Session(self.reads, self)
        self.session.set_options(
            mono=settings.mono, zoom=settings.zoom, linked=settings.linked, grouped=settings.grouped
        )
        self._build_ui()
        asker = asker or Asker()
        self.opener = Opener(self.session, self.reads, self.counts, self.imports, settings, self)
        self.run_actions = RunActions(self, self.session, self.counts, asker)
        self.window_actions = WindowActions(self, self.session, self.opener, settings, asker)
        self.commands = Commands(self, window_commands(self))
        self.commands.fill(self.menuBar())
        titles = ("Inspector", "Figures", "Audit", "Requests")
        self.tabs.show_views(dict(zip(titles, self._run_views, strict=True)))
        self._connect()
        self._restore_geometry()
        self.show_start()
        self._show_title()
        slim_scroll_bars(self)

    def _build_ui(self) -> None:
        self.setAcceptDrops(True)
        self.resize(1280, 800)
        self.setMinimumSize(960, 600)
        try:
            self.setWindowIcon(QIcon(str(resource("icons/gacc-gui.svg"))))
        except GaccError:
            pass
        self.banner = Strip("diagnosticBanner", closable=False, parent=self)
        self.strip = Strip("messageStrip", closable=True, parent=self)
        self.start_page = StartPage(self)
        self.inspector = Inspector(self.session, self.reads, self.counts, self)
        self.imports = ImportView(self)
        self.figures = FiguresView(self.session, self.counts, self)
        self.audit = AuditPanel(self.session, self.counts, self)
        self.requests = RequestsView(self.session, self.reads, self)
        self.views = QStackedWidget(self)
        self._run_views = (self.inspector, self.figures, self.audit, self.requests)
        for view in (self.start_page, self.imports, *self._run_views):
            self.views.addWidget(view)
        holder = QWidget(self)
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.banner)
        layout.addWidget(self.strip)
        layout.addWidget(self.views, 1)
        self.setCentralWidget(holder)
        self.tabs = ViewTabs(self)
        self.menuBar().setCornerWidget(self.tabs)
        for edit in self.findChildren(QLineEdit):
            # Files fall through to the window instead of becoming the text of an edit.
            edit.setAcceptDrops(False)
        self.command_palette = Palette(self)
        self.shortcut_sheet = ShortcutSheet(self)
        self._where = QLabel(self)
        self._where.setTextFormat(Qt.TextFormat.PlainText)
        self._where.setContentsMargins(GRID, 0, 0, 0)
        hint = ThemedLabel("muted", self)
        hint.setText(KEYS)
        hint.setContentsMargins(0, 0, GRID, 0)
        self.statusBar().addWidget(self._where, 1)
        self.statusBar().addPermanentWidget(hint)
        self.statusBar().setSizeGripEnabled(False)
        self._notice_timer = QTimer(self)
        self._notice_timer.setSingleShot(True)
        self._notice_timer.setInterval(NOTICE_MS)

    def _connect(self) -> None:
        for background in (self.reads, self.counts):
            background.failed.connect(self.tell_error)
        self.session.noticed.connect(self.tell)
        self.session.run_changed.connect(self._on_run_changed)
        self.session.unit_loaded.connect(self._on_unit_loaded)
        self.opener.opened.connect(self._on_opened)
        self.opener.open_failed.connect(self._on_open_failed)
        self.opener.path_changed.connect(self._show_title)
        self.opener.import_started.connect(self._on_import_started)
        self.opener.told.connect(self.tell)
        self.run_actions.told.connect(self.tell)
        self.run_actions.run_deleted.connect(self._on_run_deleted)
        self.start_page.open_requested.connect(self.window_actions.ask_files)
        self.start_page.demo_requested.connect(self.opener.start_demo)
        self.start_page.recent_chosen.connect(self._on_recent)
        self.imports.closed.connect(self._on_import_closed)
        runs = self.inspector.runs
        runs.rename_asked.connect(self.run_actions.rename)
        runs.export_asked.connect(self.run_actions.export)
        runs.delete_asked.connect(self.run_actions.delete)
        runs.runs_read.connect(self.window_actions.know_runs)
        self.figures.cells_chosen.connect(self._on_cells_chosen)
        self.audit.target_chosen.connect(self._on_audit_target)
        self.command_palette.command_chosen.connect(self.commands.run)
        self.command_palette.closed.connect(self._on_palette_closed)
        self._notice_timer.timeout.connect(self.strip.clear)
        self.views.currentChanged.connect(self._on_view_changed)
        self.tabs.view_chosen.connect(self.views.setCurrentWidget)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being read, counted or worked out."""
        return (
            self.reads.is_idle
            and self.counts.is_idle
            and self.inspector.texts.is_idle
            and not self.imports.is_running
        )

    # --- views -------------------------------------------------------------------------------------

    def show_start(self) -> None:
        """Show the start page."""
        self.start_page.show_recent(self.settings.recent)
        self.views.setCurrentWidget(self.start_page)

    def show_inspector(self) -> None:
        """Show runs, goals and texts."""
        self.views.setCurrentWidget(self.inspector)
        self.inspector.goals.setFocus()
        # The list takes the keyboard when it is there: it may still be read.
        self._wants_focus = self.session.unit is None

    def show_figures(self) -> None:
        """Show the figures of each cell."""
        self.views.setCurrentWidget(self.figures)

    def show_audit(self) -> None:
        """Show the audit view."""
        self.views.setCurrentWidget(self.audit)

    def start_audit(self) -> None:
        """Show the audit view and audit the run."""
        self.show_audit()
        self.audit.start()

    def show_requests(self) -> None:
        """Show the raw requests."""
        self.views.setCurrentWidget(self.requests)

    def focus_filter(self) -> None:
        """Give the keyboard to the filter."""
        self.show_inspector()
        self.inspector.filter.setFocus()

    def find_in_texts(self) -> None:
        """Open the find bar over the texts."""
        self.views.setCurrentWidget(self.inspector)
        self.inspector.texts.open_find()

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

    def tell_error(self, error: Exception) -> None:
        """Tell a failure; it stays until it is dismissed."""
        self._notice_timer.stop()
        self.strip.tell(str(error), error=True)

    # --- what others say ---------------------------------------------------------------------------

    def _on_opened(self, opened: Opened) -> None:
        if opened.summary is None:
            if not self.imports.is_running:
                self.show_start()
        elif self.views.currentWidget() is self.start_page:
            self.show_inspector()

    def _on_open_failed(self, error: GaccError) -> None:
        if self.session.run is None and not self.imports.is_running:
            self.show_start()
        self.tell_error(error)

    def _on_import_started(self) -> None:
        self.views.setCurrentWidget(self.imports)

    def _on_import_closed(self) -> None:
        if self.session.run is not None:
            self.show_inspector()
        else:
            self.show_start()

    def _on_recent(self, path: str) -> None:
        self.opener.open_paths([Path(path)])

    def _on_run_deleted(self, run_id: str) -> None:
        if self.session.run is not None and self.session.run.run.id == run_id:
            self.session.show_run(None)
            self.opener.go(Place())
        self.session.data_changed.emit()

    def _on_cells_chosen(self, choice: CellChoice) -> None:
        self.session.choose_cells(choice)
        self.show_inspector()

    def _on_audit_target(self, target: Target) -> None:
        run = self.session.run
        if run is not None:
            self.opener.go(Place(run.run.id, target.goal_id, target.question_id, target.memory_id))
            self.show_inspector()

    def _on_palette_closed(self) -> None:
        view = self.views.currentWidget()
        if view is self.inspector:
            self.inspector.goals.setFocus()
        elif view is not None:
            view.setFocus()

    def _on_run_changed(self, _summary: RunSummary | None) -> None:
        self._on_view_changed()
        self.commands.refresh()
        self._show_title()

    def _on_view_changed(self, _index: int = 0) -> None:
        run = self.session.run
        shows_run = self.views.currentWidget() in self._run_views
        diagnostic = run is not None and run.run.diagnostic_only is True
        self.banner.tell(DIAGNOSTIC if diagnostic and shows_run else "")
        self.tabs.follow(self.views.currentWidget(), enabled=run is not None)

    def _on_unit_loaded(self, view: object) -> None:
        self.commands.refresh()
        if view is not None and self._wants_focus:
            self._wants_focus = False
            self.inspector.goals.setFocus()

    def _show_title(self) -> None:
        path, run = self.opener.path, self.session.run
        name = (run.run.name or run.run.id) if run else path.name if path else ""
        self.setWindowTitle(f"{name} – gacc-gui" if name else "gacc-gui")
        self._where.setText(str(path) if path else "No database is open")

    # --- geometry and the end ----------------------------------------------------------------------

    def _restore_geometry(self) -> None:
        state = self.settings.geometry_of("window")
        if state is not None:
            self.restoreGeometry(QByteArray(state))
        self.inspector.restore_geometry(self.settings)

    def _keep_settings(self) -> None:
        options = self.session.options
        self.settings.mono, self.settings.zoom = options.mono, options.zoom
        self.settings.linked, self.settings.grouped = options.linked, options.grouped
        self.settings.keep_geometry("window", bytes(self.saveGeometry().data()))
        self.inspector.keep_geometry(self.settings)
        save_settings(self.settings)

    def shutdown(self) -> None:
        """Stop timers, children and workers, in this order; nothing is delivered then. Can be repeated."""
        self.opener.watch(False)
        self._notice_timer.stop()
        self.audit.shutdown()
        self.imports.shutdown()
        self.inspector.texts.shutdown()
        for background in (self.counts, self.reads):
            background.shutdown()
        self._collector.stop()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme; a window that nobody sees does not look for new rows."""
        if event.type() == QEvent.Type.ApplicationPaletteChange:
            slim_scroll_bars(self)
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
        """Remember the geometry, stop everything, go."""
        if self._keeps_settings:
            self._keep_settings()
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
