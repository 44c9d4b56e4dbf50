"""The token ledger of each cell as a chart: what was proposed, what the cut retained, what stayed unused.

Owns the chart. The sums are the store's, of what the ledgers declare; a recount is `verify`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gacc_gui.core.chart_figures import cell_values, ordered
from gacc_gui.core.charts import BarChart, Chart, Layer, NoChart, Table, cell_names, target_of
from gacc_gui.core.records import Cell


@dataclass(frozen=True, slots=True)
class CellLedger:
    """Declared tokens of a cell's memories, summed over those that declare all that is summed."""

    cell: Cell
    memories: int
    counted: int
    """Memories whose ledger gives proposed, retained and unused tokens."""
    proposed: int
    retained: int
    unused: int


def ledger_chart(ledgers: Sequence[CellLedger]) -> Chart:
    """Return the tokens of each cell, a memory on average: retained, cut off, unused."""
    key, title = "ledger", "Token ledger by cell"
    by_cell = {ledger.cell: ledger for ledger in ledgers if ledger.counted}
    drawn = [by_cell[cell] for cell in ordered(by_cell)]
    if not drawn:
        return NoChart(key, title, "No memory of these cells declares its tokens.")

    names = cell_names(ledger.cell for ledger in drawn)

    def layer(name: str, role: str, tokens: Callable[[CellLedger], int]) -> Layer:
        return Layer(
            name,
            "",
            role,
            tuple(tokens(ledger) / ledger.counted for ledger in drawn),
            tuple(
                f"{names[ledger.cell]}: {name} {tokens(ledger) / ledger.counted:,.1f} tokens a memory"
                f" ({tokens(ledger):,} in {ledger.counted:,} memories)"
                for ledger in drawn
            ),
            tuple(target_of(ledger.cell) for ledger in drawn),
        )

    without = sum(ledger.memories - ledger.counted for ledger in ledgers)
    left_out = f" {without:,} memories without a ledger are left out." if without else ""
    return BarChart(
        key=key,
        title=title,
        caption="Mean over the memories of a cell, as declared: retained + cut off is what was proposed."
        f" Memories: {sum(ledger.counted for ledger in drawn):,}.{left_out}",
        bar_title="",
        size_title="Tokens a memory",
        labels=tuple(names[ledger.cell] for ledger in drawn),
        layers=(
            layer("retained", "kept", lambda ledger: ledger.retained),
            layer("cut off", "tail", lambda ledger: ledger.proposed - ledger.retained),
            layer("unused budget", "unused", lambda ledger: ledger.unused),
        ),
        across=True,
        table=Table(
            ("compressor", "revision", "condition", "ratio", "memories", "memories_with_ledger",
             "proposed_tokens", "retained_tokens", "cut_tokens", "unused_budget"),
            tuple(
                (*cell_values(led.cell), led.memories, led.counted, led.proposed, led.retained,
                 led.proposed - led.retained, led.unused)
                for led in drawn
            ),
        ),
    )  # fmt: skip
