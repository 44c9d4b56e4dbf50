"""The commands about reviewers' decisions, thin: `review` and `agreement`. The same division as in `cli`."""

from __future__ import annotations

import click

from gacc_gui.commands.arguments import WORDS, with_json
from gacc_gui.commands.database import database_path, open_reader, with_database
from gacc_gui.commands.untold import AS_ASKED, changes


@click.command("review")
@click.argument("run_name", metavar="RUN", type=WORDS)
@click.option("--memory", required=True, type=WORDS, metavar="ID", help="The memory of the row.")
@click.option("--question", required=True, type=WORDS, metavar="ID", help="Its question.")
@click.option("--repeat", type=click.IntRange(min=0), default=0, show_default=True, metavar="N")
@click.option(
    "--decision",
    required=True,
    type=click.Choice(["correct", "incorrect", "unclear", "clear"]),
    help="clear takes back what this reviewer decided before.",
)
@click.option("--cause", type=WORDS, metavar="CAUSE", help="What made it incorrect, if not what we found.")
@click.option("--note", type=WORDS, metavar="TEXT")
@click.option("--tag", "tags", multiple=True, type=WORDS, metavar="TAG", help="May be given several times.")
@click.option("--reviewer", required=True, type=WORDS, metavar="NAME", help="Who decides.")
@with_database
@with_json
@changes(AS_ASKED)
def review(
    run_name: str,
    memory: str,
    question: str,
    repeat: int,
    decision: str,
    cause: str | None,
    note: str | None,
    tags: tuple[str, ...],
    reviewer: str,
    as_json: bool,
) -> int:
    """Decide on a verdict. The judge's own stays; `metrics --as reviewed` shows what comes of it."""
    from gacc_gui.app.reviewing import Decision
    from gacc_gui.commands.reviewing import add

    given = Decision(memory, question, repeat, decision, reviewer, cause, note, tags)
    return add(database_path(), run_name, given, as_json)


@click.command("agreement")
@click.argument("run_name", metavar="RUN", type=WORDS)
@with_database
@with_json
def agreement(run_name: str, as_json: bool) -> int:
    """How far the judge and the reviewers agree, and what sampled reviews say of the whole run."""
    from gacc_gui.commands.reviewing import show_agreement

    with open_reader() as reader:
        return show_agreement(reader, run_name, as_json)
