"""The charts view: which chart, of which cells, and its way back to the rows.

Owns what is read when, and what is shown meanwhile. Figures are `app.charting`'s, made in a worker; drawing,
pointing and keys are `chart_view`'s, which is imported once the worker has loaded pyqtgraph.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from gacc_gui.core.errors import CodecUnavailable, GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.charts import chart_reading as reading
from gacc_gui.gui.charts.chart_fields import ChartFields
from gacc_gui.gui.charts.chart_list import ChartList
from gacc_gui.gui.lists.cell_chooser import with_value
from gacc_gui.gui.lists.cell_field import CellField
from gacc_gui.gui.overlay import toggle_button
from gacc_gui.gui.session import Session
from gacc_gui.gui.side.section import remark
from gacc_gui.gui.theme import GRID, HALF, UI_POINTS, slim_scroll_bars, ui_font
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.store.rows import CellChoice, RunSummary

if TYPE_CHECKING:
    from gacc_gui.app.charting import PlaceFigures, RunFigures
    from gacc_gui.app.reviewing import Reviewed
    from gacc_gui.core.charts import Chart
    from gacc_gui.core.evidence_needs import MemoryNeeds, Places
    from gacc_gui.gui.charts.chart_view import ChartView
    from gacc_gui.gui.charts.evidence_pass import EvidencePass
    from gacc_gui.gui.veil import Veil

CHANNEL: Final = "charts"


class ChartsPanel(QWidget):
    """The charts of a run. It reads only while it is seen.

    Signals: target_chosen(core.charts.Target): look at these rows; export_asked(Chart).
    """

    target_chosen = Signal(object)
    export_asked = Signal(object)

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chartsPanel")
        self._session = session
        self._background = background
        self._stale = True
        self._figures: RunFigures | None = None
        self._places: PlaceFigures | None = None
        self._needs: dict[CellChoice, list[MemoryNeeds]] = {}
        self._choices: dict[str, CellChoice] = {}
        self._methods: tuple[Veil, Mapping[str, Chart]] | None = None
        self._run_id = session.run.run.id if session.run is not None else None
        self._is_first = True
        """Whether nobody has chosen a chart of this run yet."""
        self._chart: Chart | None = None
        self._made: Chart | None = None
        self._drawn_under = session.veil
        self._view: ChartView | None = None
        self._pass: EvidencePass | None = None
        self._build_ui()
        self._connect()
        self._say_no_run()

    def _build_ui(self) -> None:
        from gacc_gui.app.charting import TITLES

        self._list = ChartList(TITLES, self)
        self._title = ThemedLabel("text", self)
        self._title.setFont(ui_font(UI_POINTS + 3))
        self._fields = ChartFields(self)
        self._tokens = toggle_button("Budget in tokens", self)
        self._away = toggle_button("Questions away", self)
        self._whole = toggle_button("Whole chart", self)
        self._whole.setCheckable(False)
        self._whole.setToolTip("Undo the zoom")
        self._export = toggle_button("Export…", self)
        self._export.setCheckable(False)
        self._export.setToolTip("Write the chart as PNG or SVG, or its figures as CSV")
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._title, 1)
        for button in (self._tokens, self._away, self._whole, self._export):
            head.addWidget(button)
        self._words = remark(self, role="text")
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._caption = remark(self)
        self._caption.setObjectName("chartCaption")
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._words)
        column = QVBoxLayout()
        column.setSpacing(GRID)
        column.addLayout(head)
        for part in (self._fields, self._stack, self._caption):
            column.addWidget(part, 1 if part is self._stack else 0)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(HALF, GRID, 2 * GRID, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self._list)
        layout.addLayout(column, 1)
        self.setFocusProxy(self._list)

    def _connect(self) -> None:
        self._list.key_chosen.connect(self._on_chart_changed)
        self._list.itemActivated.connect(self._on_list_activated)
        self._fields.value_chosen.connect(self._on_value_chosen)
        for button in (self._tokens, self._away):
            button.toggled.connect(self._show)
        self._whole.clicked.connect(self._on_whole)
        self._export.clicked.connect(self.export)
        self._session.run_changed.connect(self._on_run_changed)
        self._session.data_changed.connect(self._forget)
        self._session.reviewed_changed.connect(self._on_reviewed)
        self._session.veil_changed.connect(self._on_veil)

    @property
    def key(self) -> str:
        """Which chart is shown."""
        return self._list.key

    @property
    def chart(self) -> Chart | None:
        """The chart that is shown; None while it is made."""
        return self._chart

    @property
    def view(self) -> ChartView | None:
        """Where it is drawn; None before the first one was."""
        return self._view

    @property
    def choice(self) -> CellChoice:
        """The cells that the chart shows."""
        return self._choices.get(self.key, CellChoice())

    def field(self, name: str) -> CellField:
        """The drop-down of compressor, revision, condition or ratio."""
        return self._fields.field(name)

    def sentence(self) -> str:
        """What is said instead of a chart; empty where one is shown."""
        return self._words.text() if self._stack.currentWidget() is self._words else ""

    def show_key(self, key: str) -> None:
        """Show another chart."""
        self._list.show_key(key)

    def export(self) -> None:
        """Ask where the chart is to be written."""
        if self._chart is not None:
            self.export_asked.emit(self._chart)

    # --- reading -----------------------------------------------------------------------------------

    def _on_run_changed(self, summary: RunSummary | None) -> None:
        run_id = summary.run.id if summary is not None else None
        if run_id != self._run_id:
            self._run_id = run_id
            self._choices.clear()
            self._is_first = True
        elif self._figures is not None:
            return
        self._forget()

    def _forget(self) -> None:
        self._cancel()
        self._background.forget(CHANNEL)
        self._figures = self._places = self._methods = None
        self._needs.clear()
        self._stale = True
        if self.isVisible():
            self._read()

    def _read(self) -> None:
        from gacc_gui.app.charting import titles_of

        self._stale = False
        run = self._session.run
        self._list.show_titles(titles_of(self._session.terms))
        if run is None:
            self._say_no_run()
            return
        if self._stack.currentWidget() is self._words:  # a chart stays until there is a new one
            self._say("Counting…")
        self._background.request(
            CHANNEL, partial(reading.read_figures, run.run.id), self._on_figures, self._on_failed
        )

    def _on_figures(self, figures: RunFigures) -> None:
        from gacc_gui.app.charting import first_choice, first_key

        self._figures = figures
        if self._is_first:
            self._list.begin_with(first_key(figures))
        for key in self._list.keys:
            if not any(m for m in figures.chosen(self._choices.get(key, CellChoice()))):
                self._choices.pop(key, None)
            self._choices.setdefault(key, first_choice(key, (m.cell for m in figures.cells)))
        self._load()

    def _load(self, _done: None = None) -> None:
        """Load what draws the charts, in steps; then show one."""
        from gacc_gui.gui.charts.qt_names import make_some

        if self._view is not None:
            self._show()
        elif make_some():
            self._background.request(CHANNEL, reading.load_drawing, self._show, self._on_failed)
        else:
            self._background.request(CHANNEL, reading.rest, self._load, self._on_failed)

    def _on_failed(self, error: GaccError) -> None:
        from gacc_gui.app.charting import no_tokenizer

        self._say(no_tokenizer(error) if isinstance(error, CodecUnavailable) else str(error))

    def _cancel(self) -> None:
        if self._pass is not None:
            self._pass.cancel()
            self._pass.deleteLater()
            self._pass = None

    # --- showing -----------------------------------------------------------------------------------

    def _show(self, _done: None = None) -> None:
        """Show the chosen chart of the chosen cells: make it first."""
        from gacc_gui.app.charting import METHOD_TITLES, too_many

        self._cancel()
        self._chart = None
        self._export.setEnabled(False)
        figures = self._figures
        self._tokens.setVisible(self.key == "survival" and figures is not None)
        by_questions = not self._session.terms.one_question
        self._away.setVisible(self.key == "heat" and figures is not None and by_questions)
        if figures is None:
            self._title.setText(self._list.title)
            return
        # Charts of the methods show all of them beside each other.
        self._fields.setVisible(self.key not in METHOD_TITLES)
        self._fields.show_cells([m.cell for m in figures.cells], self.choice, self._session.terms)
        choice, veil = self.choice, self._session.veil
        self._drawn_under = veil
        match self.key:
            case key if hidden := reading.hidden_words(key, veil, self._session.terms):
                self._background.forget(CHANNEL)
                self._say(hidden)
            case key if key in METHOD_TITLES:
                self._show_methods(figures)
            case "survival" if why := too_many([m.cell for m in figures.chosen(choice)]):
                self._say(why)
            case "survival" if choice not in self._needs:
                self._begin(figures, partial(reading.read_needs, figures, choice), self._on_needs)
            case "places" if self._places is None:
                self._begin(figures, partial(reading.read_places, figures.run.id), self._on_places)
            case "survival":
                work = partial(
                    reading.make_survival_chart,
                    self._needs[choice],
                    figures.chosen(choice),
                    self._tokens.isChecked(),
                )
                self._background.request(CHANNEL, work, self._on_chart, self._on_failed)
            case "places":
                assert self._places is not None
                work = partial(reading.make_places_chart, self._places, choice)
                self._background.request(CHANNEL, work, self._on_chart)
            case key:
                work = partial(reading.make_figure_chart, figures, key, choice, self._away.isChecked(), veil)
                self._background.request(CHANNEL, work, self._on_chart, self._on_failed)

    def _show_methods(self, figures: RunFigures) -> None:
        if self._methods is None or self._methods[0] != self._session.veil:
            work = partial(reading.read_method_charts, figures.run, self._session.veil)
            self._background.request(CHANNEL, work, self._on_methods, self._on_failed)
        elif chart := self._methods[1].get(self.key):
            self._on_chart(chart)
        else:
            self._say("No question of this run has a type.")

    def _on_methods(self, found: tuple[Veil, Mapping[str, Chart]]) -> None:
        self._methods = found
        self._show()

    def _begin(self, figures: RunFigures, read: Any, done: Any) -> None:
        from gacc_gui.gui.charts.evidence_pass import EvidencePass

        self._say("Looking for the evidence…")
        self._pass = EvidencePass(self._background, CHANNEL, self)
        self._pass.progressed.connect(self._on_progressed)
        self._pass.finished.connect(done)
        self._pass.failed.connect(self._on_failed)
        self._pass.start(figures.contexts, read)

    def _on_progressed(self, done: int, total: int) -> None:
        self._words.setText(f"Looking for the evidence: {done:,} of {total:,} contexts…")

    def _on_needs(self, found: list[list[MemoryNeeds]]) -> None:
        while len(self._needs) >= 4:
            self._needs.pop(next(iter(self._needs)))
        self._needs[self.choice] = [memory for part in found for memory in part]
        self._show()

    def _on_places(self, found: list[Places]) -> None:
        figures = self._figures
        if figures is not None:
            work = partial(reading.count_places, figures.run.id, found)
            self._background.request(CHANNEL, work, self._on_place_figures, self._on_failed)

    def _on_place_figures(self, places: PlaceFigures) -> None:
        self._places = places
        self._show()

    def _on_reviewed(self, reviewed: Reviewed | None) -> None:
        from gacc_gui.app.charting import as_judged

        decided = len(reviewed.rows) if reviewed is not None else 0
        if self._made is not None and self._chart is not None:
            self._chart = as_judged(self._made, decided, self._session.terms)
            self._caption.setText(getattr(self._chart, "caption", ""))

    def _on_veil(self, _veil: Veil | None = None) -> None:
        another = self._drawn_under != self._session.veil
        if another and self.isVisible() and reading.is_veiled(self.key, self._session.terms):
            self._show()

    def _on_chart(self, chart: Chart) -> None:
        from gacc_gui.core.charts import NoChart
        from gacc_gui.gui.charts.chart_view import ChartView

        if isinstance(chart, NoChart):
            self._say(chart.reason)
            return
        if self._view is None:
            self._view = ChartView(self)
            self._view.target_chosen.connect(self.target_chosen)
            self._stack.addWidget(self._view)
            slim_scroll_bars(self._view)
        self._made = self._chart = chart
        self._title.setText(chart.title)
        self._on_reviewed(self._session.reviewed)
        self._view.show_chart(chart, self._session.terms)
        self._stack.setCurrentWidget(self._view)
        self._export.setEnabled(True)
        self._whole.setEnabled(True)

    def _say_no_run(self) -> None:
        self._fields.show_cells((), CellChoice(), self._session.terms)
        for button in (self._tokens, self._away):
            button.setVisible(False)
        self._say("No run is open. Open run files first.")

    def _say(self, words: str) -> None:
        self._chart = None
        self._title.setText(self._list.title)
        self._words.setText(words)
        self._caption.setText("")
        self._stack.setCurrentWidget(self._words)
        self._export.setEnabled(False)
        self._whole.setEnabled(False)

    # --- what the person does ----------------------------------------------------------------------

    def _on_chart_changed(self) -> None:
        self._is_first = False
        self._show()

    def _on_list_activated(self) -> None:
        if self._view is not None and self._stack.currentWidget() is self._view:
            self._view.setFocus()

    def _on_value_chosen(self, name: str, value: str | None) -> None:
        if self._figures is not None:
            cells = [m.cell for m in self._figures.cells]
            self._choices[self.key] = with_value(self.choice, name, value, cells)
            self._show()

    def _on_whole(self) -> None:
        if self._view is not None:
            self._view.show_whole()

    def showEvent(self, event: QShowEvent) -> None:
        """Read what changed while the view was hidden."""
        super().showEvent(event)
        if self._stale:
            self._read()
        else:
            self._on_veil()
