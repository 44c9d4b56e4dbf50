"""The commands of the compaction benchmark, thin: `gacc-gui compaction …`.

Owns their arguments and the words for people about them. The same division as in `cli`: what a command does
lives in `app`, what it prints in `commands`, and both are imported by the command that needs them.
"""

from __future__ import annotations

import click

from gacc_gui.commands.arguments import FILE, WORDS, with_json


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
def _select(
    dataset: str, output: str, bridge: int | None, comparison: int | None, seed: int | None, as_json: bool
) -> int:
    """Select HotpotQA questions by frozen filters, in a seeded order."""
    from gacc_gui.commands.compacting import select

    return select(dataset, output, bridge=bridge, comparison=comparison, seed=seed, as_json=as_json)


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
        output,
        live=live,
        scripted=scripted,
        hermes_python=hermes_python,
        model=model,
        seconds=seconds,
        as_json=as_json,
    )
