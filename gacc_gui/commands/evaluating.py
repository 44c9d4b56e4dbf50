"""`run gacc`: an evaluation by a configuration, planned, run, resumed.

Owns the words; what is done lives in `app.evaluating`.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui import terminal
from gacc_gui.commands.run_telling import RunTelling, exit_code

if TYPE_CHECKING:
    from gacc_gui.app.evaluation_session import Outcome

_BAD_INPUT: Final = 2


def dry_run(database: Path, config: str, *, resume: str | None, shard: str | None, as_json: bool) -> int:
    """Say what a configuration would do and cost; of a run to be resumed, what is left of it."""
    from gacc_gui.app.evaluating import look_ahead

    with _plugins_off_stdout():
        document = look_ahead(Path(config), shard, database_path=database, resume=resume)
    if as_json:
        terminal.write_json(document)
        return 0
    estimate = document["estimate"]
    terminal.write_text(f"run {document['run']}: {document['name']}")
    terminal.write_text("planned: " + _stages(document["planned"]))
    if document["resume"]:
        terminal.write_text("left: " + _stages(document["left"]))
    headings = ("role", "part", "endpoint", "model", "calls", "input tokens", "output tokens", "cost")
    terminal.write_table(
        headings,
        [_part_row(part) for part in estimate["parts"]],
        right={"calls", "input tokens", "output tokens", "cost"},
    )
    if document["live"]:
        terminal.write_text(
            f"asks models: {estimate['calls']:,} calls, {estimate['input_tokens']:,} tokens in,"
            f" {estimate['output_tokens']:,} out, cost {_money(estimate['cost'], estimate['currency'])};"
            " run it with --live"
        )
    else:
        terminal.write_text("asks no model, costs nothing")
    for sentence in document["missing"]:
        terminal.say(f"gacc-gui: {sentence}")
    return 0


def _stages(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {stage}" for stage, count in counts.items())


def evaluate(
    database: Path,
    config: str,
    *,
    live: bool,
    resume: str | None,
    shard: str | None,
    as_json: bool,
    events: bool,
) -> int:
    """Run a configuration, and return the exit code of how it ended."""
    from gacc_gui.app.evaluating import run_evaluation

    telling = RunTelling("run gacc", events)
    try:
        with _plugins_off_stdout():
            outcome = run_evaluation(
                database, Path(config), live=live, resume=resume, shard=shard, report=telling
            )
    finally:
        telling.close()
    code = exit_code(outcome)
    if as_json and code != _BAD_INPUT:
        terminal.write_json(outcome.as_json())
    _say_how_it_ended(outcome)
    return code


@contextlib.contextmanager
def _plugins_off_stdout() -> Iterator[None]:
    """Send what plugins print to stderr, what they or their libraries write to descriptor 1 as well.

    Stdout has one document. Afterwards it has a descriptor of its own; 1 stays stderr's, for threads that are
    left behind and buffers that are written out when the program ends.
    """
    out = sys.stdout
    out.flush()
    try:
        kept = os.dup(out.fileno())
    except OSError:  # not a file: nobody else can write to it
        kept = None
    if kept is not None:
        os.dup2(sys.stderr.fileno(), out.fileno())
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        if kept is not None:
            with contextlib.suppress(OSError, ValueError):
                out.flush()  # what a plugin wrote to it by another name
            sys.stdout = os.fdopen(kept, "w", encoding=out.encoding, errors=out.errors, closefd=False)


def _say_how_it_ended(outcome: Outcome) -> None:
    calls = sum(outcome.calls.values())
    made = f"{calls:,} calls, {outcome.cache_hits:,} proposals from the cache"
    if outcome.reason is not None:
        goes_on = f"gacc-gui run gacc … --resume {outcome.run!r} goes on"
        terminal.say(f"gacc-gui: stopped: {outcome.reason}; {made}; {goes_on}")
    elif outcome.failed:
        terminal.say(
            f"the run {outcome.run} is finished: {made}; {outcome.failed:,} items failed,"
            f" which --resume {outcome.run!r} tries again"
        )
    else:
        terminal.say(f"the run {outcome.run} is finished: {made}")


def _part_row(part: dict[str, Any]) -> tuple[Any, ...]:
    asks = part["endpoint"] is not None
    return (
        part["role"],
        part["part"],
        part["endpoint"],
        part["model"],
        f"{part['calls']:,}",
        f"{part['input_tokens']:,}" if asks else None,
        f"{part['output_tokens']:,}" if asks else None,
        _money(part["cost"], part["currency"]) if asks else None,
    )


def _money(cost: float | None, currency: str | None) -> str:
    return "unknown" if cost is None else f"{cost:.4f} {currency or ''}".strip()
