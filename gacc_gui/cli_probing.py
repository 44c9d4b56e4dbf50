"""The command `probe`, thin: questions asked once more. The same division as in `cli`."""

from __future__ import annotations

from pathlib import Path

import click

from gacc_gui.commands.arguments import FILE, WORDS, with_events, with_json, with_labels
from gacc_gui.commands.database import database_path, with_database
from gacc_gui.commands.untold import KEPT, changes


@click.command("probe")
@click.argument("run_name", metavar="RUN", type=WORDS)
@click.option("--memory", type=WORDS, metavar="ID", help="The memory of the question, or of the goal.")
@click.option("--question", type=WORDS, metavar="ID", help="The question to ask again.")
@click.option("--goal", type=WORDS, metavar="ID", help="All questions of this goal.")
@click.option(
    "--filter", "filter_text", type=WORDS, metavar="TEXT", help="All failures that the filter leaves."
)
@click.option("--repeat", type=click.IntRange(min=0), metavar="N", help="Only this repeat; of a question 0.")
@click.option(
    "--with",
    "kinds",
    multiple=True,
    type=click.Choice(["source", "retained", "proposal", "evidence", "empty"]),
    help="What takes the memory's place. May be given several times.",
)
@click.option("--all-kinds", is_flag=True, help="Ask with each of them that makes sense.")
@click.option(
    "--times", type=click.IntRange(1, 1000), default=1, show_default=True, metavar="K", help="How often each."
)
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    metavar="N",
    help="At most so many rows.",
)
@with_labels
@click.option("--missing", is_flag=True, help="Only what a row lacks of K answers that were judged.")
@click.option(
    "--config", type=FILE, metavar="CONFIG.toml", help="The run's configuration, if it is not stored."
)
@click.option("--live", is_flag=True, help="Let it ask models, which may cost money.")
@click.option("--dry-run", is_flag=True, help="Say what it would ask and cost, and call nothing.")
@with_database
@with_json
@with_events
@changes(KEPT)
def probe(
    run_name: str,
    memory: str | None,
    question: str | None,
    goal: str | None,
    filter_text: str | None,
    repeat: int | None,
    kinds: tuple[str, ...],
    all_kinds: bool,
    times: int,
    most: int,
    labels: str,
    missing: bool,
    config: str | None,
    live: bool,
    dry_run: bool,
    as_json: bool,
    events: bool,
) -> int:
    """Ask a question again, of the run's own reader and judge, with another text for a memory.

    The answers confirm or refute the cause of the failure. They are stored beside the run and count in no
    figure.
    """
    from gacc_gui.app.probe_planning import ProbeRequest
    from gacc_gui.app.probe_rows import Selection
    from gacc_gui.commands import probing

    if bool(kinds) == all_kinds:
        raise click.UsageError(
            "--with says what takes the memory's place, or --all-kinds that everything does"
        )
    selection = Selection(memory, question, goal, filter_text, repeat, most, labels == "reviewed")
    request = ProbeRequest(
        selection, tuple(dict.fromkeys(kinds)), times, Path(config) if config else None, missing
    )
    if dry_run:
        return probing.dry_run(database_path(), run_name, request, as_json)
    return probing.ask(database_path(), run_name, request, live=live, as_json=as_json, events=events)
