"""The command that compares, thin: `gacc-gui compare A B`. The same division as in `cli`."""

from __future__ import annotations

import click

from gacc_gui.commands.arguments import WORDS, with_json
from gacc_gui.commands.database import open_reader, with_database


@click.command("compare")
@click.argument("a", metavar="A", type=WORDS)
@click.argument("b", metavar="B", type=WORDS)
@with_database
@with_json
def compare(a: str, b: str, as_json: bool) -> int:
    """Compare two runs, or cells of theirs, over the questions both were asked.

    A and B are each RUN, or RUN:compressor=NAME,ratio=R,condition=C,revision=V,generation=N with any of
    these. Fixed is what is wrong in A and right in B.
    """
    from gacc_gui.commands.comparing import show_comparison

    with open_reader() as reader:
        return show_comparison(reader, a, b, as_json)
