"""What follows from a chart: going to its rows, and writing it to a file.

Files are written in a worker; `.png` is drawn here, `.svg` and `.csv` are `app.charting`'s.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject

from gacc_gui.core.charts import Chart, Target
from gacc_gui.formats.targets import refuse_database
from gacc_gui.gui.lists.goals_head import as_judged
from gacc_gui.gui.theme import current_theme
from gacc_gui.store.rows import CellChoice

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gacc_gui.gui.main_window import MainWindow
    from gacc_gui.store.reads import Reader


AS_JUDGED: Final = "Charts count {0}, and so does the list now (Ctrl+J)."


class ChartActions(QObject):
    """For one window."""

    def __init__(self, window: MainWindow, parent: QWidget) -> None:
        super().__init__(parent)
        self._window = window

    def go(self, target: Target) -> None:
        """List the rows of a mark: as judged, which is how it counts them."""
        from gacc_gui.core.filters import parse

        session = self._window.session
        told = [target.wider] if target.wider else []
        if session.options.as_reviewed and session.reviewed is not None and session.reviewed.rows:
            session.set_options(as_reviewed=False)
            told.insert(0, AS_JUDGED.format(as_judged(session.terms)))
        if told:
            session.noticed.emit(" ".join(told))
        session.choose_cells(CellChoice(target.compressor, target.revision, target.condition, target.ratio))
        session.set_query(parse(target.filter))
        self._window.show_inspector()

    def export(self, chart: Chart) -> None:
        """Ask for a file and write the chart to it; the suffix decides the form."""
        window, run = self._window, self._window.session.run
        name = (run.run.name or run.run.id) if run is not None else "run"
        suggestion = re.sub(r"[^\w.-]+", "-", f"{name}-{chart.key}").strip("-.") or "chart"
        target = window.asker.chart_target(window, f"{suggestion}.png")
        if target is not None:
            if target.suffix.lower() == ".png":
                # Qt's types are made in the GUI thread alone: see `qt_names`.
                import gacc_gui.gui.charts.picture  # noqa: F401

            work = partial(_write, chart, target, current_theme().is_dark)
            window.counts.request("charts.export", work, self._on_exported)

    def _on_exported(self, target: Path) -> None:
        self._window.tell(f"Exported to {target}.")


def _write(chart: Chart, target: Path, dark: bool, reader: Reader) -> Path:
    refuse_database(target, reader.path)
    if target.suffix.lower() == ".png":
        from gacc_gui.gui.charts.picture import write_picture

        write_picture(chart, target, dark=dark)
    else:
        from gacc_gui.app.charting import write_chart

        write_chart(chart, target)
    return target
