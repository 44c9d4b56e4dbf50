"""The commands of the comparison, and its way to a row. Loads the view when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

from gacc_gui.store.rows import RunSummary

if TYPE_CHECKING:
    from gacc_gui.gui.compare.compare_panel import ComparePanel
    from gacc_gui.gui.main_window import MainWindow


class CompareCommands(QObject):
    """What the palette can do with comparisons."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._wanted: tuple[str, int, str] | None = None

    def show_comparison(self) -> None:
        """Show the comparison."""
        self._window.views.show_view("compare")
        self._panel.setFocus()

    def is_seen(self) -> bool:
        """Whether a comparison is seen."""
        panel = self._window.views.made("compare")
        return panel is not None and self._window.views.current_name == "compare" and self._has_one()

    def swap(self) -> None:
        """Have the sides change places."""
        self._panel.swap()

    def copy_command(self) -> None:
        """Copy what prints the comparison."""
        self._panel.copy_command()

    def go_to_row(self, run_id: str, unit: int, question_id: str) -> None:
        """Look at a row in the inspector, of another run too."""
        session = self._window.session
        self._window.show_inspector()
        if session.run is not None and session.run.run.id == run_id:
            session.choose_unit(unit, question_id)
            return
        if self._wanted is None:
            session.run_changed.connect(self._on_run_changed)
        self._wanted = (run_id, unit, question_id)
        session.choose_run(run_id)

    def _on_run_changed(self, run: RunSummary | None) -> None:
        wanted, self._wanted = self._wanted, None
        self._window.session.run_changed.disconnect(self._on_run_changed)
        if wanted is not None and run is not None and run.run.id == wanted[0]:
            # Another run begins without a goal: after all views know that, this one is looked at.
            self._soon = wanted
            from PySide6.QtCore import QTimer

            QTimer.singleShot(0, self, self._on_soon)

    def _on_soon(self) -> None:
        _, unit, question_id = self._soon
        self._window.session.choose_unit(unit, question_id)

    @property
    def _panel(self) -> ComparePanel:
        return cast("ComparePanel", self._window.views.view("compare"))

    def _has_one(self) -> bool:
        return self._panel.comparison is not None
