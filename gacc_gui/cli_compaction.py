"""The commands of the compaction benchmark, thin: `gacc-gui compaction …`.

Owns their arguments and the words for people about them. The same division as in `cli`: what a command does
lives in `app`, what it prints in `commands`, and both are imported by the command that needs them.
"""

from __future__ import annotations

from typing import Any

import click

from gacc_gui.commands.arguments import FILE, WORDS, with_events, with_json
from gacc_gui.commands.database import checked_target
from gacc_gui.commands.untold import AS_ASKED, KEPT, changes


@click.group("compaction", no_args_is_help=False)
def compaction() -> None:
    """The compaction benchmark, step by step."""


@compaction.command("select")
@click.option("--dataset", required=True, type=FILE, metavar="FILE", help="Official JSON, or Parquet.")
@click.option("--output", required=True, type=FILE, metavar="FILE", help="The selection; must be new.")
@click.option("--bridge", type=click.IntRange(min=0), metavar="N", help="Bridge questions (15).")
@click.option("--comparison", type=click.IntRange(min=0), metavar="N", help="Comparison questions (15).")
@click.option("--seed", type=int, metavar="S", help="Decides the order (20261016).")
@with_json
@changes(AS_ASKED)
def _select(
    dataset: str, output: str, bridge: int | None, comparison: int | None, seed: int | None, as_json: bool
) -> int:
    """Select HotpotQA questions by frozen filters, in a seeded order."""
    from gacc_gui.commands.compacting import select

    return select(
        dataset, checked_target(output), bridge=bridge, comparison=comparison, seed=seed, as_json=as_json
    )


@compaction.command("collect")
@click.option("--live", is_flag=True, help="Let a model ask for the reads, which may cost money.")
@click.option("--scripted", is_flag=True, help="Without a model: a script asks for the ten reads.")
@click.option("--dataset", required=True, type=FILE, metavar="FILE", help="Official JSON, or Parquet.")
@click.option("--selection", required=True, type=FILE, metavar="FILE", help="What `select` wrote.")
@click.option("--output", required=True, type=FILE, metavar="FOLDER", help="The corpus; must be new.")
@click.option(
    "--hermes-python",
    type=FILE,
    metavar="PATH",
    help="The Python interpreter that has Hermes; else that of $GACC_HERMES_PYTHON, or of `hermes`.",
)
@click.option("--model", type=WORDS, metavar="NAME", help="Who asks for the reads (qwen3.8-max).")
@click.option(
    "--timeout",
    "seconds",
    type=click.FloatRange(min=1, max=86_400),
    metavar="SECONDS",
    help="What a case may take (900).",
)
@with_json
@changes(AS_ASKED)
def _collect(
    live: bool,
    scripted: bool,
    dataset: str,
    selection: str,
    output: str,
    hermes_python: str | None,
    model: str | None,
    seconds: float | None,
    as_json: bool,
) -> int:
    """Have an agent read the selected questions' articles, and freeze the histories.

    --scripted takes our own reading loop where there is no Hermes, and says so. --live takes LLM_API_KEY and
    LLM_BASE_URL from the environment or from .env.
    """
    from gacc_gui.commands.compacting_collect import collect

    return collect(
        dataset,
        selection,
        checked_target(output),
        live=live,
        scripted=scripted,
        hermes_python=hermes_python,
        model=model,
        seconds=seconds,
        as_json=as_json,
    )


@compaction.command("run")
@click.option("--corpus", type=FILE, metavar="FILE", help="The corpus.json that `collect` froze.")
@click.option("--tokenizer", type=FILE, metavar="FILE", help="The tokenizer.json that tokens are counted by.")
@click.option("--output", type=FILE, metavar="FOLDER", help="The run's folder; must be new.")
@click.option("--resume", type=FILE, metavar="FOLDER", help="Go on with a run that is not finished.")
@click.option("--live", is_flag=True, help="Ask models, which may cost money; again for --resume.")
@click.option("--fixture", is_flag=True, help="Follow rules that ask no model: diagnostic figures.")
@click.option("--dry-run", is_flag=True, help="Say what it would do, and call nothing.")
@click.option("--methods", type=WORDS, metavar="A,B…", help="Of full, jev, summary, jev+summary (all).")
@click.option("--ceiling", type=int, metavar="N", help="Tokens of a compressed answer input (3600).")
@click.option("--reserve", type=int, metavar="N", help="Tokens of it that are kept free (64).")
@click.option("--fusion-share", type=WORDS, metavar="F", help="Share for whole groups in jev+summary (0.4).")
@click.option("--generations", type=int, metavar="N", help="Contexts per question and method (2).")
@click.option("--answers", type=int, metavar="N", help="Answers to each context (2).")
@click.option("--concurrency", type=int, metavar="N", help="Requests at a time (4).")
@click.option("--group-sentences", type=int, metavar="N", help="Sentences of a group (3).")
@click.option("--summary-retries", type=int, metavar="N", help="Of a summary that is too long (3, the most).")
@click.option("--decision-batch", type=int, metavar="N", help="Groups that a request asks about (64).")
@click.option("--model", type=WORDS, metavar="NAME", help="Who summarises and answers (qwen3.8-max).")
@click.option("--decision-model", type=WORDS, metavar="NAME", help="Who ranks ($DECISION_MODEL_NAME).")
@click.option("--temperature", type=float, metavar="T", help="Of summaries and answers (0).")
@click.option("--omit-temperature", is_flag=True, default=None, help="Send none: the service's own.")
@click.option("--seed", type=int, metavar="S", help="Sent with summaries and answers; repeats count on.")
@click.option("--extra-body", type=WORDS, metavar="JSON", help="Added to each request of --model: an object.")
@click.option("--max-tokens-field", type=WORDS, metavar="NAME", help="max_tokens or max_completion_tokens.")
@click.option("--answer-max-tokens", type=int, metavar="N", help="The longest reply to a question (1024).")
@click.option("--timeout", "timeout_seconds", type=float, metavar="S", help="Of one attempt (120 seconds).")
@click.option("--max-retries", type=int, metavar="N", help="Of a call that a service failed (4).")
@click.option("--max-calls", type=int, metavar="N", help="Stop when so many calls were made, in all.")
@click.option("--max-tokens", type=int, metavar="N", help="Stop when so many tokens were used, in all.")
@with_json
@with_events
@changes(KEPT)
def _run(
    corpus: str | None,
    tokenizer: str | None,
    output: str | None,
    resume: str | None,
    live: bool,
    fixture: bool,
    dry_run: bool,
    as_json: bool,
    events: bool,
    **given: Any,
) -> int:
    """Make every method's contexts, have them answered, and score the answers.

    --live takes LLM_API_KEY, LLM_BASE_URL, DECISION_MODEL_API_KEY and, where they are set,
    DECISION_MODEL_NAME and DECISION_MODEL_BASE_URL from the environment or from .env. Ctrl+C lets the calls
    under way finish, twice gives them up; --resume goes on later.
    """
    from gacc_gui.commands.compacting_run import run

    return run(
        corpus=corpus,
        tokenizer=tokenizer,
        output=output and checked_target(output),
        resume=resume,
        live=live,
        fixture=fixture,
        dry_run=dry_run,
        given=given,
        as_json=as_json,
        events=events,
    )


@compaction.command("report")
@click.argument("folder", type=FILE, metavar="FOLDER")
@click.option("--output", type=FILE, metavar="FOLDER", help="Write and compare them there instead.")
@with_json
@changes(AS_ASKED)
def _report(folder: str, output: str | None, as_json: bool) -> int:
    """Make a finished run's aggregate.json and REPORT.md anew from its data.

    What is missing is written; what is there is compared, and never overwritten. Exit 1 where it differs.
    """
    from gacc_gui.commands.compacting_report import report

    return report(folder, output and checked_target(output), as_json)
