"""How each view of the window is made, and what follows from what happens in it.

One function a view. Each imports its view itself: most are not needed before the first list is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QWidget

from gacc_gui.core.terms import COMPACTION, Terms

if TYPE_CHECKING:
    from gacc_gui.gui.main_window import MainWindow
    from gacc_gui.store.rows import RunSummary

OF_RUN: Final = {
    "inspector": "Inspector",
    "figures": "Figures",
    "charts": "Charts",
    "matrix": "Matrix",
    "compare": "Compare",
    "review": "Review",
    "audit": "Audit",
    "requests": "Requests",
    "compaction": "Compaction",
}
"""The views of a run, with their titles."""
ALWAYS: Final = {"runner": "Runner"}
"""The views that need no run."""

_EVERYWHERE: Final = "F6 next part · Ctrl+Shift+P commands · ? keys"
_GOALS: Final = "N P failing {0.unit}s · J K questions"
_CASES: Final = "N P failing {0.unit}s"
_KEYS: Final = {
    "inspector": f"{_GOALS} · Ctrl+F find",
    "matrix": _GOALS,
    "requests": _GOALS,
    "compaction": "N P failing answers · Ctrl+, Ctrl+. facts · Ctrl+F find",
}
"""Keys that do something in a view, where the view itself does not say so."""


def keys_of(view: str, terms: Terms) -> str:
    """The keys that are told below a view."""
    told = _KEYS.get(view, "")
    if terms.one_question:
        told = told.replace(_GOALS, _CASES)
    told = told.format(terms)
    return f"{told} · {_EVERYWHERE}" if told else _EVERYWHERE


def unfit_views(run: RunSummary | None) -> tuple[str, ...]:
    """The views that show nothing of a run."""
    protocol = run.run.protocol if run is not None else None
    return () if protocol == COMPACTION else ("compaction",)


def view_makers(window: MainWindow) -> dict[str, Callable[[], QWidget]]:
    """The views of a window by name, each with what makes it."""
    makers = {
        "inspector": _inspector,
        "start": _start_page,
        "imports": _imports,
        "figures": _figures,
        "charts": _charts,
        "matrix": _matrix,
        "compare": _compare,
        "review": _review,
        "audit": _audit,
        "requests": _requests,
        "runner": _runner,
        "compaction": _compaction,
    }
    return {name: partial(make, window) for name, make in makers.items()}


def _inspector(window: MainWindow) -> QWidget:
    from gacc_gui.gui.inspector import Inspector

    return Inspector(window.session, window.reads, window.counts, window)


def _start_page(window: MainWindow) -> QWidget:
    from gacc_gui.gui.start_page import StartPage

    def on_recent(path: str) -> None:
        window.opener.open_paths([Path(path)])

    page = StartPage(window)
    page.open_requested.connect(window.window_actions.ask_files)
    page.demo_requested.connect(window.opener.start_demo)
    page.runner_requested.connect(window.show_runner)
    page.recent_chosen.connect(on_recent)
    return page


def _imports(window: MainWindow) -> QWidget:
    from gacc_gui.gui.import_view import ImportView

    view = ImportView(window)
    view.rows_ready.connect(window.opener.look_for_rows)
    view.finished.connect(window.opener.open_imported)
    view.closed.connect(window.show_open)
    return view


def _figures(window: MainWindow) -> QWidget:
    from gacc_gui.gui.side.figures_view import FiguresView

    view = FiguresView(window.session, window.counts, window)
    view.cells_chosen.connect(window.go_to_cells)
    return view


def _charts(window: MainWindow) -> QWidget:
    from gacc_gui.gui.charts.chart_actions import ChartActions
    from gacc_gui.gui.charts.charts_panel import ChartsPanel

    panel = ChartsPanel(window.session, window.counts, window)
    actions = ChartActions(window, panel)
    panel.target_chosen.connect(actions.go)
    panel.export_asked.connect(actions.export)
    return panel


def _matrix(window: MainWindow) -> QWidget:
    from gacc_gui.gui.matrix.matrix_view import MatrixView

    view = MatrixView(window.session, window.reads, window)
    view.unit_entered.connect(window.show_inspector)
    return view


def _review(window: MainWindow) -> QWidget:
    from gacc_gui.gui.review.review_commands import ReviewCommands
    from gacc_gui.gui.review.review_panel import ReviewPanel

    panel = ReviewPanel(window.session, window.reads, window.counts, window.reviews, window.settings, window)
    panel.failed.connect(window.tell_error)
    panel.inspect_asked.connect(ReviewCommands(window).go_to_row)
    window.inspector.headline.said.connect(panel.show_headline)
    panel.show_headline(window.inspector.headline.lines())
    # Over all views: decisions wait wherever one looks meanwhile.
    window.add_strip(panel.held_up)
    return panel


def _compare(window: MainWindow) -> QWidget:
    from gacc_gui.gui.compare.compare_commands import CompareCommands
    from gacc_gui.gui.compare.compare_panel import ComparePanel

    panel = ComparePanel(window.session, window.reads, window.counts, window)
    panel.row_chosen.connect(CompareCommands(window).go_to_row)
    return panel


def _audit(window: MainWindow) -> QWidget:
    from gacc_gui.gui.side.audit_panel import AuditPanel

    panel = AuditPanel(window.session, window.counts, window)
    panel.target_chosen.connect(window.go_to_target)
    return panel


def _requests(window: MainWindow) -> QWidget:
    from gacc_gui.gui.side.requests_view import RequestsView

    return RequestsView(window.session, window.reads, window)


def _compaction(window: MainWindow) -> QWidget:
    from gacc_gui.gui.compaction.compaction_panel import CompactionPanel

    panel = CompactionPanel(window.session, window.reads, window.counts, window)
    panel.inspect_asked.connect(window.show_inspector)
    return panel


def _runner(window: MainWindow) -> QWidget:
    from gacc_gui.core.errors import GaccError
    from gacc_gui.gui.runner.runner_panel import RunnerPanel

    def on_failed(sentence: str) -> None:
        window.tell_error(GaccError(sentence))

    panel = RunnerPanel(window.asker, window)
    panel.run_chosen.connect(window.go_to_run)
    panel.rows_expected.connect(window.opener.expect_rows)
    panel.told.connect(window.tell)
    panel.failed.connect(on_failed)
    panel.set_database(window.opener.target)
    panel.find_running()
    return panel
