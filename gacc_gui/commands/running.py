"""`demo` and `run fixture`: evaluations by rules, offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gacc_gui import terminal

if TYPE_CHECKING:
    from gacc_gui.runner.events import Event


def demo(database: Path | None, as_json: bool, events: bool) -> Path:
    """Make the demonstration's database and return its path."""
    from gacc_gui.app.demo import make_demo
    from gacc_gui.runner.events import Progress

    progress = terminal.Progress("demo", events)

    def step(event: Event) -> None:
        if isinstance(event, Progress) and event.stage != "verdicts":
            progress(event.done, event.planned, event.stage)

    try:
        document = make_demo(database, step)
    finally:
        progress.close()
    progress.event("rows_ready", runs=document["runs"])
    if as_json:
        terminal.write_json(document)
    else:
        terminal.say(f"the demonstration is in {document['db']}")
    progress.event("done", exit=0)
    return Path(document["db"])


def fixture(database: Path, seeds: str, output: str | None, as_json: bool) -> int:
    """Run the contract diagnostic for each seed; 1 where it does not come out as the contract says."""
    from gacc_gui.app.fixture import run_fixture, seeds_of

    progress = terminal.Progress("run fixture")
    try:
        document = run_fixture(database, seeds_of(seeds), lambda done, total: progress(done, total, "seeds"))
    finally:
        progress.close()
    if output is not None:
        from gacc_gui.app.fixture_files import write_fixture

        write_fixture(Path(output), database, document)
    runs = document["runs"]
    if as_json:
        terminal.write_json(document)
    else:
        headings = ("run", "calls", "again", "Micro", "Macro", "count errors", "over budget", "exposures")
        terminal.write_table(
            headings,
            (
                (
                    run["id"],
                    run["compressor_calls"],
                    run["reread_compressor_calls"],
                    terminal.share(run["micro"]),
                    terminal.share(run["macro"]),
                    run["count_errors"],
                    run["budget_violations"],
                    run["compressor_exposures"],
                )
                for run in runs
            ),
            right={*headings} - {"run"},
        )
        terminal.write_text("Diagnostic only: these figures are not comparable with the benchmark's tables.")
    return 0 if all(_as_promised(run) for run in runs) else 1


def _as_promised(run: dict[str, Any]) -> bool:
    audits = ("reread_compressor_calls", "count_errors", "budget_violations", "compressor_exposures")
    return run["compressor_calls"] == 4 and not any(run[name] for name in audits)
