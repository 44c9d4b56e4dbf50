"""Commands that mean something else in each view: finding, going on to what failed, walking the parts.

Owns which view a command goes to. What it does there is the view's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gacc_gui.gui.view_parts import step_in
from gacc_gui.gui.window_views import unfit_views

if TYPE_CHECKING:
    from gacc_gui.gui.compaction.compaction_panel import CompactionPanel
    from gacc_gui.gui.main_window import MainWindow


class ViewKeys(QObject):
    """Asks the view that is seen; the inspector, where that has no such thing."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def is_in_compaction(self) -> bool:
        """Whether the view of compaction runs is seen, and shows one."""
        window = self._window
        return window.views.current_name == "compaction" and window.compaction.overview is not None

    def find(self) -> None:
        """Open the find bar over the texts."""
        if self.is_in_compaction():
            self._window.compaction.step_find(0)
        else:
            self._window.views.show_view("inspector")
            self._window.inspector.texts.open_find()

    def find_next(self) -> None:
        """Go to the next hit."""
        if self.is_in_compaction():
            self._window.compaction.step_find(1)
        else:
            self._window.inspector.texts.find_next()

    def find_previous(self) -> None:
        """Go to the hit before."""
        if self.is_in_compaction():
            self._window.compaction.step_find(-1)
        else:
            self._window.inspector.texts.find_previous()

    def next_part(self) -> None:
        """Give the keyboard to the next part."""
        self._step_part(1)

    def previous_part(self) -> None:
        """Give the keyboard to the part before."""
        self._step_part(-1)

    def _step_part(self, step: int) -> None:
        view = self._window.views.currentWidget()
        if self.is_in_compaction():
            self._window.compaction.step_part(step)
        elif view is self._window.inspector:
            self._window.inspector.step_part(step)
        elif view is not None:
            step_in(view, step)

    def next_failing(self) -> None:
        """Go to the next goal, or answer of a case, that is not right."""
        if self.is_in_compaction():
            self._window.compaction.table.step_failing(1)
        else:
            self._window.inspector.goals.next_failing()

    def previous_failing(self) -> None:
        """Go to the one before that is not right."""
        if self.is_in_compaction():
            self._window.compaction.table.step_failing(-1)
        else:
            self._window.inspector.goals.previous_failing()

    def filter(self) -> None:
        """Give the keyboard to the filter."""
        if self.is_in_compaction():
            self._window.compaction.list.filter.setFocus()
        else:
            self._window.focus_filter()

    # --- of compaction runs alone ------------------------------------------------------------------

    def has_compaction(self) -> bool:
        """Whether the chosen run is one of the compaction benchmark."""
        run = self._window.session.run
        return run is not None and not unfit_views(run)

    def toggle_sent(self) -> None:
        """Show what was sent word for word, or again the evidence."""
        self._compaction().toggle_sent()

    def toggle_reply(self) -> None:
        """Show the raw reply of the chosen answer, or again the evidence."""
        self._compaction().toggle_reply()

    def next_fact(self) -> None:
        """Go to the next supporting fact."""
        self._compaction().step_fact(1)

    def previous_fact(self) -> None:
        """Go to the supporting fact before."""
        self._compaction().step_fact(-1)

    def show_cases(self) -> None:
        """Show the cases of a compaction run, and the chosen one."""
        self._window.show_compaction()
        self._window.compaction.show_page("Case")

    def show_methods(self) -> None:
        """Show what the methods come to."""
        self._compaction().show_page("Methods")

    def show_budgets(self) -> None:
        """Show the budgets of the case."""
        self._compaction().show_page("Budgets")

    def _compaction(self) -> CompactionPanel:
        if self._window.views.current_name != "compaction":
            self._window.show_compaction()
        return self._window.compaction
