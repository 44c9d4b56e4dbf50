"""What the charts view has a worker do: read figures, make charts. Holds no widget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.store.rows import CellChoice

if TYPE_CHECKING:
    from gacc_gui.app.charting import PlaceFigures, RunFigures
    from gacc_gui.core.charts import Chart
    from gacc_gui.core.evidence_needs import MemoryNeeds, Places
    from gacc_gui.core.records import Run
    from gacc_gui.core.terms import Terms
    from gacc_gui.gui.veil import Veil
    from gacc_gui.store.reads import Reader


HIDDEN: Final = "Hidden (?), as long as {0.a_row} that it counts is hidden until you have decided on it."


def is_veiled(key: str, terms: Terms) -> bool:
    """Whether a chart tells of single rows, or of so few that it would: every one of a compaction run's."""
    return key == "heat" or terms.one_question


def hidden_words(key: str, veil: Veil, terms: Terms) -> str:
    """Return what is said in the place of a chart that counts hidden rows; empty where it may be seen.

    The others have “?” where something is hidden (`make_figure_chart`, `read_method_charts`).
    """
    counts_hidden = terms.one_question and key in ("causes", "places") and veil.hidden()
    return HIDDEN.format(terms) if counts_hidden else ""


def read_figures(run_id: str, reader: Reader) -> RunFigures:
    """Read the figures of a run."""
    from gacc_gui.app.charting import run_figures

    return run_figures(reader, run_id)


def rest(_reader: Reader) -> None:
    """Do nothing: the GUI thread makes some of Qt's types between two of these (`qt_names`)."""


def load_drawing(_reader: Reader) -> None:
    """Load what draws the charts, once all of Qt's types are made."""
    # Here, in the worker: pyqtgraph takes a quarter of a second, and the window turns on meanwhile.
    import gacc_gui.gui.charts.chart_view  # noqa: F401


def read_needs(
    figures: RunFigures, choice: CellChoice, reader: Reader, contexts: Sequence[int]
) -> list[MemoryNeeds]:
    """Read what the evidence of some contexts' memories needs."""
    from gacc_gui.app.charting import evidence_needs

    return evidence_needs(reader, figures.run, contexts, choice)


def read_places(run_id: str, reader: Reader, contexts: Sequence[int]) -> Places:
    """Read where the evidence of some contexts' questions lies."""
    from gacc_gui.app.charting import evidence_places

    return evidence_places(reader, run_id, contexts)


def count_places(run_id: str, found: list[Places], reader: Reader) -> PlaceFigures:
    """Count the rows by where their evidence lies."""
    from gacc_gui.app.charting import place_figures

    return place_figures(reader, run_id, found)


def make_survival_chart(needs: list[MemoryNeeds], cells: Any, in_tokens: bool, _reader: Reader) -> Chart:
    """Make the chart of evidence survival."""
    from gacc_gui.core.evidence_charts import survival_chart

    return survival_chart(needs, cells, in_tokens=in_tokens)


def make_places_chart(places: PlaceFigures, choice: CellChoice, _reader: Reader) -> Chart:
    """Make the chart of places."""
    from gacc_gui.app.charting import places_chart

    return places_chart(places, choice)


def read_method_charts(run: Run, veil: Veil, reader: Reader) -> tuple[Veil, Mapping[str, Chart]]:
    """Read the charts of a compaction run's methods, by key; what is hidden, by the veil, is hidden there."""
    from gacc_gui.app.compaction_viewing import overview
    from gacc_gui.app.method_charting import charts_of
    from gacc_gui.gui.compaction.veiling import veiled_overview

    found = veiled_overview(overview(reader, run), veil)
    return veil, {chart.key: chart for chart in charts_of(run, found)}


def make_figure_chart(
    figures: RunFigures,
    key: str,
    choice: CellChoice,
    shows_away: bool,
    veil: Veil,
    _reader: Reader,
) -> Chart:
    """Make one of the charts of counted figures; what is hidden is hidden there."""
    from gacc_gui.app.charting import figure_chart

    return figure_chart(figures, key, choice, shows_away=shows_away, hidden=veil.chart_places())
