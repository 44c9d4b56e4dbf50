"""The command line: every command of `gacc-gui`, thin; those of a subject of their own are in `cli_…` beside.

Owns arguments, words for people, the shape of stdout and the exit codes:
0 done; 1 a check did not hold; 2 bad usage or bad input (one line on stderr); 3 finished with failed items;
130 interrupted. What a command does lives in `app` (and `gui` for the window), what it prints in `commands`;
both are imported by the command that needs them, so that `--help` and the reading commands start at once.

With the hidden option `--events`, `import`, `demo` and `run gacc` report on stderr as JSON lines, for the
window that runs them as child processes; other lines there are messages for people:

    {"event": "progress", "phase": "rows", "done": n, "total": n or null}
    {"event": "rows_ready", "runs": [id, …]}   committed, and can be shown; the search index may follow
    {"event": "done", "exit": code}            the last line of a command that did its work

`run gacc` has events of its own: `runner.events`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from gacc_gui import __version__, terminal
from gacc_gui.cli_compaction import compaction
from gacc_gui.cli_comparing import compare
from gacc_gui.cli_probing import probe
from gacc_gui.cli_reviewing import agreement, review
from gacc_gui.commands.arguments import FILE, WORDS, with_events, with_json, with_labels
from gacc_gui.commands.database import (
    checked_target,
    database_path,
    given_database,
    is_database_error,
    open_reader,
    with_database,
)
from gacc_gui.commands.untold import AS_ASKED, KEPT, changes
from gacc_gui.core.errors import GaccError, is_interruption

DONE, CHECK_FAILED, BAD_INPUT, FAILED_ITEMS, INTERRUPTED = 0, 1, 2, 3, 130


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. An exception that escapes is a bug."""
    terminal.prepare_streams()
    try:
        code = _group.main(args=arguments, prog_name="gacc-gui", standalone_mode=False) or DONE
        terminal.finish_stdout()
        return code
    except BaseException as error:
        if is_interruption(error):
            terminal.say("gacc-gui: interrupted")
            return INTERRUPTED
        if isinstance(error, click.ClickException):
            terminal.say(f"gacc-gui: {error.format_message()}")
        elif isinstance(error, GaccError):
            terminal.say(f"gacc-gui: {error}")
        elif isinstance(error, OSError):  # a file or folder that we have no better words for
            terminal.say_os_error(error)
        elif is_database_error(error):  # what SQLite says of a file that we have no better words for
            terminal.say(f"gacc-gui: the database cannot be read: {error}")
        else:
            raise
        return BAD_INPUT


@click.group(
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@with_database
@click.option(
    "--run",
    "run_name",
    type=WORDS,
    metavar="RUN",
    help="Open the window at this run (an id or a unique name).",
)
@click.option("--goal", type=WORDS, metavar="ID", help="… at this goal.")
@click.option("--question", type=WORDS, metavar="ID", help="… at this question.")
@click.version_option(__version__, prog_name="gacc-gui")
@click.pass_context
def _group(context: click.Context, run_name: str | None, goal: str | None, question: str | None) -> int:
    """See why a context-compression run failed: what was kept, what was cut, what was answered.

    Without a command, the window opens.
    """
    if context.invoked_subcommand is not None:
        if run_name or goal or question:
            raise click.UsageError("--run, --goal and --question open the window and go with no command")
        return DONE
    return _open_window(database_path(), run_name, goal, question)


def _open_window(path: Path, run_name: str | None, goal: str | None, question: str | None) -> int:
    from gacc_gui.commands.picturing import open_window

    return open_window(path, run_name, goal, question)


@_group.command("import")
@click.argument("paths", metavar="PATH…", nargs=-1, required=True, type=FILE)
@click.option("--as", "as_id", type=WORDS, metavar="ID", help="Import the one run of PATH under another id.")
@with_database
@with_json
@with_events
@changes("what could be imported is in the database")
def _import(paths: tuple[str, ...], as_id: str | None, as_json: bool, events: bool) -> int:
    """Read run files (gacc-run: .json, .jsonl, .gz, folders) and compaction runs into the database."""
    from gacc_gui.commands.importing import import_files

    return import_files(database_path(), paths, as_id, as_json, events)


@_group.command("runs")
@with_database
@with_json
def _runs(as_json: bool) -> int:
    """List the runs of the database."""
    from gacc_gui.commands.reading import list_runs

    with open_reader() as reader:
        return list_runs(reader, as_json)


@_group.command("metrics")
@click.argument("run_name", metavar="RUN", type=WORDS)
@click.option("--by", type=click.Choice(["origin"]), help="Split each cell by the contexts' origin.")
@with_labels
@with_database
@with_json
def _metrics(run_name: str, by: str | None, labels: str, as_json: bool) -> int:
    """Micro, Macro, intervals and causes of every cell of a run."""
    from gacc_gui.commands.reading import show_metrics

    with open_reader() as reader:
        return show_metrics(reader, run_name, by, as_json, reviewed=labels == "reviewed")


@_group.command("questions")
@click.argument("run_name", metavar="RUN", type=WORDS)
@with_labels
@with_database
@with_json
def _questions(run_name: str, labels: str, as_json: bool) -> int:
    """Every row of a run with its fate and its cause."""
    from gacc_gui.commands.reading import list_questions

    with open_reader() as reader:
        return list_questions(reader, run_name, as_json, reviewed=labels == "reviewed")


@_group.command("verify")
@click.argument("run_name", metavar="RUN", type=WORDS)
@click.option(
    "--tokenizer", type=FILE, metavar="FILE", help="The tokenizer.json that a compaction run counted with."
)
@with_database
@with_json
def _verify(run_name: str, tokenizer: str | None, as_json: bool) -> int:
    """Recount budgets, ledgers and retained texts; look for leaks of questions and references.

    A compaction run's contexts, scores and figures are checked against its protocol. Exit 1 if a check fails.
    """
    from gacc_gui.commands.auditing import verify

    with open_reader() as reader:
        return verify(reader, run_name, as_json, tokenizer)


@_group.command("lint")
@click.argument("what", metavar="DATASET-OR-RUN", type=FILE)
@with_database
@with_json
def _lint(what: str, as_json: bool) -> int:
    """Find faults of the items in a file or folder, or in a run of the database."""
    from gacc_gui.commands.auditing import lint

    return lint(what, database_path(), as_json)


@_group.command("delete")
@click.argument("run_name", metavar="RUN", type=WORDS)
@with_database
@with_json
@changes(AS_ASKED)
def _delete(run_name: str, as_json: bool) -> int:
    """Delete a run from the database."""
    from gacc_gui.commands.changing import delete

    return delete(database_path(), run_name, as_json)


@_group.command("rename")
@click.argument("run_name", metavar="RUN", type=WORDS)
@click.argument("name", metavar="NAME", type=WORDS)
@with_database
@with_json
@changes(AS_ASKED)
def _rename(run_name: str, name: str, as_json: bool) -> int:
    """Give a run another name; its id stays."""
    from gacc_gui.commands.changing import rename

    return rename(database_path(), run_name, name, as_json)


@_group.command("export")
@click.argument("run_name", metavar="RUN", type=WORDS)
@click.option(
    "--to",
    "target",
    type=FILE,
    metavar="FILE",
    required=True,
    help=".json .jsonl (each also .gz) .csv .parquet .md .html",
)
@click.option("--goal", type=WORDS, metavar="ID", help="Only this goal, as a page to hand on (.html).")
@with_database
@with_json
@with_events
@changes(AS_ASKED)
def _export(run_name: str, target: str, goal: str | None, as_json: bool, events: bool) -> int:
    """Write a run to a file; its suffix says how."""
    from gacc_gui.commands.changing import export

    return export(database_path(), run_name, checked_target(target), goal, as_json, events)


@_group.command("demo")
@click.option("--no-window", is_flag=True, help="Make the database and do not open it.")
@with_database
@with_json
@with_events
@changes(AS_ASKED)
def _demo(no_window: bool, as_json: bool, events: bool) -> int:
    """Evaluate the bundled demonstration, offline, and open it."""
    from gacc_gui.commands.running import demo

    if not no_window:
        from gacc_gui.commands.picturing import check_screen

        check_screen()  # before anything is made, and before the document
    path = demo(given_database(), as_json, events)
    return DONE if no_window else _open_window(path, None, None, None)


@_group.group("run", no_args_is_help=False)
def _run() -> None:
    """Evaluate."""


@_run.command("fixture")
@click.option("--seeds", default="42", show_default=True, metavar="N,N…", help="Seeds, a run for each.")
@click.option(
    "--output", type=FILE, metavar="FILE", help="Write the report to FILE too; to .jsonl, the runs."
)
@with_database
@with_json
@changes(AS_ASKED)
def _fixture(seeds: str, output: str | None, as_json: bool) -> int:
    """Run the contract diagnostic: never comparable with a real evaluation."""
    from gacc_gui.commands.running import fixture

    return fixture(database_path(), seeds, output and checked_target(output), as_json)


@_run.command("gacc")
@click.argument("config", metavar="CONFIG.toml", type=FILE)
@click.option("--live", is_flag=True, help="Let it ask models, which may cost money.")
@click.option("--dry-run", is_flag=True, help="Say what it would do and cost, and call nothing.")
@click.option("--resume", metavar="RUN", type=WORDS, help="Go on with this run: what is missing or failed.")
@click.option("--shard", metavar="I/N", type=WORDS, help="Only this part of the run, such as 1/3.")
@with_database
@with_json
@with_events
@changes(KEPT)
def _gacc(
    config: str,
    live: bool,
    dry_run: bool,
    resume: str | None,
    shard: str | None,
    as_json: bool,
    events: bool,
) -> int:
    """Run the evaluation that a configuration describes.

    Ctrl+C lets the calls under way finish, twice gives them up; --resume goes on later.
    """
    from gacc_gui.commands import evaluating

    if dry_run:
        return evaluating.dry_run(database_path(), config, resume=resume, shard=shard, as_json=as_json)
    return evaluating.evaluate(
        database_path(), config, live=live, resume=resume, shard=shard, as_json=as_json, events=events
    )


@_run.command("endpoint")
@click.argument("config", metavar="CONFIG.toml", type=FILE)
@click.argument("name", metavar="ENDPOINT", type=WORDS)
@click.option("--live", is_flag=True, help="Let it make the call, which may cost money.")
@with_json
def _endpoint(config: str, name: str, live: bool, as_json: bool) -> int:
    """Check with one small call that an endpoint of a configuration answers."""
    from gacc_gui.commands.checking import check_endpoint

    return check_endpoint(config, name, live, as_json)


@_group.group("score", no_args_is_help=False)
def _score() -> None:
    """Score what others predicted."""


@_score.command("hotpotqa")
@click.option("--gold", required=True, type=FILE, metavar="FILE", help="Official JSON, or Parquet.")
@click.option("--predictions", required=True, type=FILE, metavar="FILE", help='{"answer": {…}, "sp": {…}}')
@click.option(
    "--official-ids",
    is_flag=True,
    help="Credit sentence ids as the official script does: true and 1.0 are 1.",
)
@with_json
def _hotpotqa(gold: str, predictions: str, official_ids: bool, as_json: bool) -> int:
    """Score a HotpotQA submission with the official metrics.

    A sentence id that is a boolean, a decimal or a text earns nothing.
    """
    from gacc_gui.commands.scoring import score_hotpotqa

    return score_hotpotqa(gold, predictions, official_ids, as_json)


_group.add_command(compaction)
_group.add_command(compare)
_group.add_command(review)
_group.add_command(agreement)
_group.add_command(probe)


@_group.command("shot")
@click.option("--out", type=FILE, metavar="FILE.png", required=True, help="The picture to write.")
@click.option("--run", "run_name", type=WORDS, metavar="RUN")
@click.option("--goal", type=WORDS, metavar="ID")
@click.option("--question", type=WORDS, metavar="ID")
@click.option("--view", type=WORDS, metavar="NAME")
@click.option("--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True)
@click.option("--size", metavar="WxH", default="1280x800", show_default=True)
@with_database
@changes(AS_ASKED)
def _shot(
    out: str,
    run_name: str | None,
    goal: str | None,
    question: str | None,
    view: str | None,
    theme: str,
    size: str,
) -> int:
    """Render the window to a picture, without a screen."""
    from gacc_gui.commands.picturing import shot

    return shot(database_path(), checked_target(out), (run_name, goal, question), view, theme, size)
