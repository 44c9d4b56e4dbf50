"""The commands of the compaction benchmark, thin: `gacc-gui compaction …`.

Owns their arguments and the words for people about them. The same division as in `cli`: what a command does
lives in `app`, what it prints in `commands`, and both are imported by the command that needs them.
"""

from __future__ import annotations

import click

from gacc_gui.commands.arguments import FILE, with_json


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
