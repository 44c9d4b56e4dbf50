"""The charts of a run: which there are, what each is made of, and their export as CSV and SVG.

Owns what is read for which chart. Figures and shapes are `core`'s, SELECTs the store's; pictures are the
window's. Evidence is read some contexts at a time (`evidence_places`, `evidence_needs`), or all at once by
`run_charts` for reports.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gacc_gui.core.causes import CAUSES
from gacc_gui.core.cell_order import condition_order
from gacc_gui.core.chart_figures import causes_chart, compressor_names, ratio_chart, size_chart
from gacc_gui.core.charts import Chart, NoChart, Table, Target
from gacc_gui.core.errors import BadUsage, CodecUnavailable
from gacc_gui.core.evidence_charts import PlaceCount, place_chart, survival_chart
from gacc_gui.core.evidence_needs import DECILES
from gacc_gui.core.heat_figures import heat_chart
from gacc_gui.core.ledger_figures import CellLedger, ledger_chart
from gacc_gui.core.metrics import CellMetrics, GoalFacts, UnitCounts, cell_metrics
from gacc_gui.core.records import Cell, Run
from gacc_gui.core.terms import GOALS, Terms, terms_of
from gacc_gui.store.rows import CellChoice

if TYPE_CHECKING:
    from gacc_gui.core.evidence_needs import MemoryNeeds, Places
    from gacc_gui.core.tokens import Codec
    from gacc_gui.store.reads import Reader

TITLES: Final[Mapping[str, str]] = {
    "ratio": "Micro and Macro by ratio",
    "survival": "Evidence survival by budget",
    "causes": "Causes by cell",
    "heat": "Goals × cells",
    "places": "Place of the evidence",
    "sizes": "Macro by questions per goal",
    "ledger": "Token ledger by cell",
}
"""The charts of a run by key, in their order."""
METHOD_TITLES: Final[Mapping[str, str]] = {
    "scores": "Scores by method",
    "kinds": "Answer EM by type of question",
    "tokens": "Input tokens against the ceiling",
}
"""Those of a compaction run that are `app.method_charting`'s."""
_TITLES_OF_CASES: Final[Mapping[str, str]] = {
    **METHOD_TITLES,
    "causes": "Causes by method",
    "heat": "Cases × methods",
    "places": TITLES["places"],
}
"""The charts of a compaction run: it has no ratios, no cut and one question a case."""
_OF_VERDICTS: Final = frozenset(("ratio", "survival", "causes", "heat", "sizes", "scores", "kinds"))


class Units:
    """The counted units of a run as one array of numbers, which become `UnitCounts` when gone through.

    60,000 objects that live on cost a garbage collection of the window's thread 50 ms (measured 2026-11).
    """

    __slots__ = ("_cells", "_contexts", "_goals", "_numbers")

    def __init__(self, units: Iterable[UnitCounts]) -> None:
        cells: dict[Cell, int] = {}
        goals: dict[str, int] = {}
        contexts: dict[str, int] = {}
        self._numbers = array("q")
        for unit in units:
            self._numbers.extend(
                (
                    cells.setdefault(unit.cell, len(cells)),
                    goals.setdefault(unit.goal_id, len(goals)),
                    contexts.setdefault(unit.context_id, len(contexts)),
                    unit.questions,
                    unit.judged,
                    unit.correct,
                    unit.unsupported,
                    *unit.causes,
                )
            )
        self._cells, self._goals, self._contexts = list(cells), list(goals), list(contexts)

    def of(self, chosen: Collection[Cell]) -> Iterator[UnitCounts]:
        """The units of some cells, in file order."""
        wanted = {number for number, cell in enumerate(self._cells) if cell in chosen}
        width = 7 + len(CAUSES)
        for at in range(0, len(self._numbers), width):
            if self._numbers[at] in wanted:
                numbers = self._numbers[at : at + width]
                yield UnitCounts(
                    cell=self._cells[numbers[0]],
                    goal_id=self._goals[numbers[1]],
                    context_id=self._contexts[numbers[2]],
                    questions=numbers[3],
                    judged=numbers[4],
                    correct=numbers[5],
                    unsupported=numbers[6],
                    causes=tuple(numbers[7:]),
                )


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What all charts but those of evidence are made of."""

    run: Run
    cells: tuple[CellMetrics, ...]
    units: Units
    goals: tuple[GoalFacts, ...]
    goal_texts: Mapping[str, str]
    ledgers: tuple[CellLedger, ...]
    contexts: tuple[int, ...]
    """Keys for `evidence_places` and `evidence_needs`."""

    def chosen(self, choice: CellChoice) -> tuple[CellMetrics, ...]:
        """The figures of some cells."""
        return tuple(m for m in self.cells if is_chosen(m.cell, choice))


@dataclass(frozen=True, slots=True)
class PlaceFigures:
    """What the chart of places is made of."""

    counts: tuple[PlaceCount, ...]
    questions: tuple[tuple[str, ...], ...]
    """Ids in each tenth of the source."""
    not_placed: int


def is_chosen(cell: Cell, choice: CellChoice) -> bool:
    """Whether a cell is one of those chosen."""
    return all(
        getattr(choice, field) in (None, getattr(cell, field))
        for field in ("compressor", "revision", "condition", "ratio")
    )


def titles_of(terms: Terms) -> Mapping[str, str]:
    """Return the charts that a run of a benchmark has, in their order."""
    return _TITLES_OF_CASES if terms.one_question else TITLES


def first_key(figures: RunFigures) -> str:
    """Return the chart that a run is first seen by: the first that shows something."""
    keys = list(titles_of(terms_of(figures.run.protocol)))
    if keys[0] == "ratio" and isinstance(ratio_chart(figures.cells), NoChart):
        return "causes"
    return keys[0]


def run_figures(reader: Reader, run_id: str) -> RunFigures:
    """Read the figures of a run. Raises BadUsage for an unknown run, StoreError where reading fails."""
    from gacc_gui.store import chart_reads

    cells, goals = reader.cells(run_id), reader.goal_facts(run_id)
    units = Units(reader.unit_counts(run_id))
    run = next((summary.run for summary in reader.runs() if summary.run.id == run_id), None)
    if run is None:
        raise BadUsage(f"there is no run {run_id!r}")
    return RunFigures(
        run=run,
        cells=cell_metrics(units.of(set(cells)), goals, cells=cells).cells,
        units=units,
        goals=tuple(goals),
        # The task is the same in every case: a case is known by its question.
        goal_texts=reader.on_run(
            run_id,
            chart_reads.question_texts if terms_of(run.protocol).one_question else chart_reads.goal_texts,
        ),
        ledgers=tuple(reader.on_run(run_id, chart_reads.ledgers)),
        contexts=tuple(reader.on_run(run_id, chart_reads.context_keys)),
    )


def figure_chart(
    figures: RunFigures,
    key: str,
    choice: CellChoice,
    *,
    shows_away: bool = False,
    hidden: Collection[tuple[str, Cell]] = (),
) -> Chart:
    """Return one of the charts `ratio`, `causes`, `heat`, `sizes` and `ledger` of some cells.

    `shows_away` and `hidden`, goals and cells that a reviewer is not to know, are about the heat map.
    """
    cells = figures.chosen(choice)
    terms = terms_of(figures.run.protocol)
    names = [m.cell for m in cells]
    match key:
        case "ratio":
            return ratio_chart(cells)
        case "causes":
            return causes_chart(cells, terms)
        case "heat":
            units = figures.units.of(set(names))
            texts = figures.goal_texts
            return heat_chart(units, names, texts, shows_away=shows_away, hidden=hidden, terms=terms)
        case "sizes":
            return size_chart(figures.units.of(set(names)), figures.goals, names, choice.ratio)
        case "ledger":
            return ledger_chart([one for one in figures.ledgers if is_chosen(one.cell, choice)])
    raise BadUsage(f"there is no chart {key!r}: only {', '.join(TITLES)}")


def run_codec(run: Run) -> Codec:
    """Load the tokenizer that a run declares. Raises CodecUnavailable in a plain sentence."""
    from gacc_gui.formats.vocabulary import load_codec

    name = (run.tokenizer or {}).get("name")
    if not isinstance(name, str) or not name:
        raise CodecUnavailable("the run names no tokenizer, so budgets cannot be counted")
    return load_codec(name)


def evidence_needs(
    reader: Reader, run: Run, contexts: Sequence[int], choice: CellChoice
) -> list[MemoryNeeds]:
    """Return what the evidence of these contexts' memories needs. Raises CodecUnavailable."""
    from gacc_gui.store import chart_reads

    codec = run_codec(run)
    return reader.on_run(
        run.id,
        lambda connection, run_key: chart_reads.needs(connection, run_key, contexts, choice, codec),
    )


def evidence_places(reader: Reader, run_id: str, contexts: Sequence[int]) -> Places:
    """Return where the evidence of these contexts' questions lies in their sources."""
    from gacc_gui.store import chart_reads

    return reader.on_run(run_id, lambda connection, _: chart_reads.places(connection, contexts))


def place_figures(reader: Reader, run_id: str, found: Iterable[Places]) -> PlaceFigures:
    """Count a run's rows by where their evidence lies, as found for all its contexts."""
    from gacc_gui.store import chart_reads

    deciles: dict[int, int] = {}
    ids: list[list[str]] = [[] for _ in range(DECILES)]
    not_placed = 0
    for places in found:
        deciles.update(places.deciles)
        not_placed += places.not_placed
        for tenth, id_ in places.ids:
            ids[tenth].append(id_)
    counts = reader.on_run(
        run_id, lambda connection, run_key: chart_reads.place_counts(connection, run_key, deciles)
    )
    return PlaceFigures(tuple(counts), tuple(map(tuple, ids)), not_placed)


def places_chart(figures: PlaceFigures, choice: CellChoice) -> Chart:
    """Return the chart of places for some cells."""
    selection = Target(choice.compressor, choice.revision, choice.condition, choice.ratio)
    counts = (count for count in figures.counts if is_chosen(count.cell, choice))
    return place_chart(counts, figures.questions, selection, figures.not_placed)


SURVIVAL_CELLS: Final = 12
"""Cells whose proposals one chart of evidence survival shows at most."""

_MOST: Final = {"ratio": 36, "survival": 4, "causes": 48, "sizes": 12, "ledger": 48}
"""Cells that a chart shows at first: with more, lines and bars cannot be told apart."""


def first_choice(key: str, cells: Iterable[Cell]) -> CellChoice:
    """Return which cells a chart shows before anybody chose: all, where it can show them.

    Else those of the first condition, then of one ratio (the middle one), or, of
    evidence survival, whose cells are told apart by their ratios, of one compressor.
    """
    chosen, choice = list(cells), CellChoice()
    most = _MOST.get(key)
    if most is None:
        return choice
    if len(chosen) > most:
        conditions = sorted({cell.condition for cell in chosen}, key=condition_order)
        choice = replace(choice, condition=conditions[0] if len(conditions) > 1 else None)
        chosen = [cell for cell in chosen if is_chosen(cell, choice)]
    if key == "survival" and len(chosen) > most:
        compressor, revision = next(iter(compressor_names(chosen)))
        return replace(choice, compressor=compressor, revision=revision)
    ratios = sorted({cell.ratio for cell in chosen}, key=float)
    if key == "sizes" and len(chosen) > most and len(ratios) > 1:
        choice = replace(choice, ratio=ratios[len(ratios) // 2])
    return choice


def too_many(cells: Collection[Cell]) -> str | None:
    """Say why evidence survival of these cells is not one chart; None where it is."""
    if len(cells) <= SURVIVAL_CELLS:
        return None
    return (
        f"These are {len(cells):,} cells, and each has two curves: one chart shows at most {SURVIVAL_CELLS}."
        " Choose a compressor, condition or ratio."
    )


def as_judged(chart: Chart, decided: int, terms: Terms = GOALS) -> Chart:
    """Return a chart of a run that says it is as judged, where reviewers have decided on some rows.

    Charts of fates and tokens depend on no verdict and stay as they are.
    """
    if not decided or isinstance(chart, NoChart) or chart.key not in _OF_VERDICTS:
        return chart
    rows = f"1 {terms.row}" if decided == 1 else f"{decided:,} {terms.row}s"
    words = f"As {terms.judged}; reviewers have decided on {rows} of this run."
    return replace(chart, caption=f"{words} {chart.caption}")


def run_charts(reader: Reader, run_id: str) -> Iterator[Chart]:
    """Yield every chart of a run as it is made, for a report; one that cannot be made says why.

    Each shows the cells of its `first_choice`.
    """
    from gacc_gui.app.reviewing import reviewed_of

    figures = run_figures(reader, run_id)
    decided = len(reviewed_of(reader, run_id).rows)
    for key in TITLES:
        yield as_judged(_run_chart(reader, figures, key), decided)


def _run_chart(reader: Reader, figures: RunFigures, key: str) -> Chart:
    choice = first_choice(key, (m.cell for m in figures.cells))
    match key:
        case "survival":
            try:
                needs = evidence_needs(reader, figures.run, figures.contexts, choice)
            except CodecUnavailable as error:
                return NoChart(key, TITLES[key], no_tokenizer(error))
            return survival_chart(needs, figures.chosen(choice))
        case "places":
            found = evidence_places(reader, figures.run.id, figures.contexts)
            return places_chart(place_figures(reader, figures.run.id, [found]), choice)
    return figure_chart(figures, key, choice)


def no_tokenizer(error: CodecUnavailable) -> str:
    """Say why there is no evidence survival: budgets cannot be counted."""
    return f"Budgets cannot be counted in tokens: {error}."


def table_of(chart: Chart) -> Table:
    """Return the figures of a chart. Raises BadUsage where there is none."""
    if isinstance(chart, NoChart):
        raise BadUsage(f"{chart.title}: {chart.reason}")
    return chart.table


def write_chart(chart: Chart, target: Path) -> None:
    """Write a chart to `.svg`, or its figures to `.csv`; whole or not at all.

    Raises BadUsage for another suffix or a chart that there is none of, GaccError where writing fails.
    """
    table = table_of(chart)
    match target.suffix.lower():
        case ".csv":
            from gacc_gui.formats.chart_table import write_table

            write_table(target, table.columns, table.rows)
        case ".svg":
            from gacc_gui.core.chart_svg import svg_of
            from gacc_gui.formats.atomic import written_whole

            with written_whole(target) as part:
                part.write_text(svg_of(chart), encoding="utf-8")
        case suffix:
            raise BadUsage(f"a chart is exported to .png, .svg or .csv, not to {suffix or 'this'}")
