"""The parts of the window, each made when it is first asked for.

Owns when a part is made, and that nobody who asks ever misses one. Not owned: what is made at once, in which
order the rest follows, and what follows from what parts say (`main_window`); how views are made
(`window_views`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtWidgets import QMainWindow, QMenu, QVBoxLayout, QWidget

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.inspector import Inspector
from gacc_gui.gui.opener import Opener
from gacc_gui.gui.reviews import Reviews
from gacc_gui.gui.session import Session
from gacc_gui.gui.settings import Settings
from gacc_gui.gui.stages import Stages
from gacc_gui.gui.views import Views, groom
from gacc_gui.resources import resource

if TYPE_CHECKING:
    from gacc_gui.gui.asking import Asker
    from gacc_gui.gui.commands import Commands
    from gacc_gui.gui.compaction.compaction_panel import CompactionPanel
    from gacc_gui.gui.exports import Exports
    from gacc_gui.gui.import_view import ImportView
    from gacc_gui.gui.main_window import MainWindow
    from gacc_gui.gui.message_strip import Strip
    from gacc_gui.gui.palette import Palette
    from gacc_gui.gui.probing.reask_actions import ReaskActions
    from gacc_gui.gui.run_actions import RunActions
    from gacc_gui.gui.runner.runner_panel import RunnerPanel
    from gacc_gui.gui.shortcut_sheet import ShortcutSheet
    from gacc_gui.gui.side.audit_panel import AuditPanel
    from gacc_gui.gui.side.figures_view import FiguresView
    from gacc_gui.gui.side.requests_view import RequestsView
    from gacc_gui.gui.start_page import StartPage
    from gacc_gui.gui.window_actions import WindowActions


class WindowParts(QMainWindow):
    """A window whose parts are its properties. `findChild` finds those too that are still to be made."""

    settings: Settings
    session: Session
    opener: Opener
    reads: Background
    counts: Background
    reviews: Reviews
    views: Views
    _given_asker: Asker | None
    _menus: dict[str, QMenu]
    _stages: Stages

    @property
    def inspector(self) -> Inspector:
        """Runs, goals and texts."""
        return cast(Inspector, self.views.view("inspector"))

    @property
    def start_page(self) -> StartPage:
        """What is seen when nothing is open."""
        return cast("StartPage", self.views.view("start"))

    @property
    def imports(self) -> ImportView:
        """Imports and the demonstration, while they run."""
        return cast("ImportView", self.views.view("imports"))

    @property
    def figures(self) -> FiguresView:
        """The figures of each cell."""
        return cast("FiguresView", self.views.view("figures"))

    @property
    def audit(self) -> AuditPanel:
        """The audit of the run."""
        return cast("AuditPanel", self.views.view("audit"))

    @property
    def requests(self) -> RequestsView:
        """What was really sent."""
        return cast("RequestsView", self.views.view("requests"))

    @property
    def runner(self) -> RunnerPanel:
        """Evaluations: configure, start, watch."""
        return cast("RunnerPanel", self.views.view("runner"))

    @property
    def compaction(self) -> CompactionPanel:
        """The cases of a compaction run."""
        return cast("CompactionPanel", self.views.view("compaction"))

    @property
    def _whole(self) -> MainWindow:
        """The window itself, which says what follows from its parts."""
        return cast("MainWindow", self)

    @cached_property
    def asker(self) -> Asker:
        """Whoever asks the person."""
        from gacc_gui.gui.asking import Asker

        return self._given_asker or Asker()

    @cached_property
    def run_actions(self) -> RunActions:
        """What can be done to a run."""
        from gacc_gui.gui.run_actions import RunActions

        actions = RunActions(self, self.session, self.counts, self.asker)
        actions.told.connect(self._whole.tell)
        actions.exports.failed.connect(self._whole.tell_error)
        actions.exports.changed.connect(self._whole._refresh_commands)
        self.add_strip(actions.exports.strip)
        actions.run_deleted.connect(self._whole._on_run_deleted)
        runs = self.inspector.runs
        runs.rename_asked.connect(actions.rename)
        runs.export_asked.connect(actions.export)
        runs.delete_asked.connect(actions.delete)
        return actions

    @cached_property
    def reask(self) -> ReaskActions:
        """Asking questions again."""
        from gacc_gui.gui.probing.reask_actions import ReaskActions

        actions = ReaskActions(self, self.session, self.reads, self.asker)
        actions.told.connect(self._whole.tell)
        actions.changed.connect(self._whole._refresh_commands)
        self.inspector.use_reask(actions)
        return actions

    @cached_property
    def window_actions(self) -> WindowActions:
        """What commands do that concern no single view."""
        from gacc_gui.gui.window_actions import WindowActions

        actions = WindowActions(self, self.session, self.opener, self.settings, self.asker)
        runs = self.inspector.runs
        actions.know_runs(runs.runs)
        runs.runs_read.connect(actions.know_runs)
        return actions

    @cached_property
    def commands(self) -> Commands:
        """All commands, in menus."""
        from gacc_gui.gui.commands import Commands
        from gacc_gui.gui.recent_menu import RecentMenu
        from gacc_gui.gui.window_commands import window_commands

        commands = Commands(self, window_commands(self._whole))
        commands.fill(self._menus)
        recent = RecentMenu(self.settings, self)
        recent.file_chosen.connect(self._whole._on_recent)
        self._menus["File"].insertMenu(commands.action("recent"), recent)
        commands.refresh()
        return commands

    @cached_property
    def command_palette(self) -> Palette:
        """The command palette."""
        from gacc_gui.gui.palette import Palette

        palette = Palette(self)
        palette.command_chosen.connect(self.commands.run)
        palette.closed.connect(self._whole._on_palette_closed)
        groom(palette)
        return palette

    @cached_property
    def shortcut_sheet(self) -> ShortcutSheet:
        """The sheet of shortcuts."""
        from gacc_gui.gui.shortcut_sheet import ShortcutSheet

        sheet = ShortcutSheet(self)
        groom(sheet)
        return sheet

    def _release_workers(self) -> None:
        for background in (self.reads, self.counts):
            background.release()

    def _make_commands(self) -> None:
        assert self.commands

    # --- making ------------------------------------------------------------------------------------

    def _make_sheets(self) -> None:
        from PySide6.QtGui import QIcon

        assert self.command_palette and self.shortcut_sheet
        try:
            self.setWindowIcon(QIcon(str(resource("icons/gacc-gui.svg"))))
        except GaccError:
            pass

    def add_strip(self, strip: Strip) -> None:
        """Have a strip of a part stand under the others, over the views."""
        holder = cast(QWidget, self.views.parentWidget())
        layout = cast(QVBoxLayout, holder.layout())
        layout.insertWidget(layout.indexOf(self.views), strip)

    def _at_work(self) -> Iterator[AuditPanel | ImportView | CompactionPanel | Exports]:
        """The parts that have been made and are to be shut down, but for the runner, which is told more."""
        if self.views.made("audit") is not None:
            yield self.audit
        if self.views.made("imports") is not None:
            yield self.imports
        if self.views.made("compaction") is not None:
            yield self.compaction
        if "run_actions" in self.__dict__:
            yield self.run_actions.exports

    def _may_close(self) -> bool:
        """Ask what a running evaluation is to do, and about decisions that cannot be stored now."""
        may = self.views.made("runner") is None or self.runner.may_close()
        return may and (self.reviews.is_stored or self.reviews.may_close(self, self.asker))

    def complete(self) -> None:
        """Make now what is still to be made."""
        self._stages.finish()

    def findChild(self, *sought: Any, **options: Any) -> Any:
        """Find a part by type and name as Qt does, one that is still to be made, too."""
        found = super().findChild(*sought, **options)
        if found is None and not self._stages.is_done:
            self.complete()
            found = super().findChild(*sought, **options)
        return found

    def findChildren(self, *sought: Any, **options: Any) -> Any:
        """Find all such parts as Qt does, those still to be made, too."""
        self.complete()
        return super().findChildren(*sought, **options)
