"""The commands of charts and matrix. Loads neither before it is asked for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from gacc_gui.gui.charts.charts_panel import ChartsPanel
    from gacc_gui.gui.main_window import MainWindow


class ChartCommands(QObject):
    """What the palette can do with charts."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def show_charts(self) -> None:
        """Show the charts of the run."""
        self._window.views.show_view("charts")
        self._window.views.view("charts").setFocus()

    def show_matrix(self) -> None:
        """Show the goal's questions over all cells."""
        self._window.views.show_view("matrix")
        self._window.views.view("matrix").setFocus()

    def has_chart(self) -> bool:
        """Whether a chart is seen that can be written to a file."""
        panel = self._window.views.made("charts")
        return (
            panel is not None
            and self._window.views.current_name == "charts"
            and cast("ChartsPanel", panel).chart is not None
        )

    def export_chart(self) -> None:
        """Ask where the chart is to be written."""
        cast("ChartsPanel", self._window.views.view("charts")).export()

    def filter_lost(self) -> None:
        """List the goals of which a question was right at a smaller budget and is wrong at a larger one."""
        from gacc_gui.core.filters import parse

        self._window.session.set_query(parse("flip:nonmonotone"))
        self._window.show_inspector()
