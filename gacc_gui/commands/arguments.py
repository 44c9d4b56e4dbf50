"""What is typed on the command line: words and names of files, whatever the locale makes of their bytes.

Owns the options that many commands share, too.
"""

from __future__ import annotations

import os
from typing import Any, Final

import click


class Words(click.ParamType):
    """Text that was typed: UTF-8 whatever the locale says, and what is no UTF-8 replaced."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text."""
        return os.fsencode(value).decode("utf-8", "replace")


class File(click.ParamType):
    """The name of a file or folder; the empty one would be the current folder."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name as it was typed."""
        if not value:
            self.fail("a file needs a name", param, ctx)
        return value


WORDS: Final = Words()
FILE: Final = File()

with_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
with_events = click.option("--events", is_flag=True, hidden=True)
with_labels = click.option(
    "--as",
    "labels",
    type=click.Choice(["judged", "reviewed"]),
    default="judged",
    show_default=True,
    help="Whose labels count: the judge's alone, or reviewers' where they decided.",
)
