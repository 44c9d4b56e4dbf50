"""`delete`, `rename` and `export`: what is done with a whole run."""

from __future__ import annotations

from pathlib import Path

from gacc_gui import terminal


def delete(database: Path, run_name: str, as_json: bool) -> int:
    """Delete a run."""
    from gacc_gui.app.managing import delete_run

    run_id = delete_run(database, run_name)
    if as_json:
        terminal.write_json({"deleted": run_id})
    else:
        terminal.say(f"deleted {run_id}")
    return 0


def rename(database: Path, run_name: str, name: str, as_json: bool) -> int:
    """Rename a run."""
    from gacc_gui.app.managing import rename_run

    run_id = rename_run(database, run_name, name)
    if as_json:
        terminal.write_json({"renamed": run_id, "name": name})
    else:
        terminal.say(f"{run_id} is now called {name}")
    return 0


def export(database: Path, run_name: str, target: str, goal: str | None, as_json: bool, events: bool) -> int:
    """Write a run, or one goal of it, to a file."""
    from gacc_gui.app.exporting import export_run

    progress = terminal.Progress("export", events)
    try:
        exported = export_run(database, run_name, target, goal, progress)
    finally:
        progress.close()
    for notice in exported.notices:
        terminal.say(f"note: {notice}")
    if as_json:
        found = {"exported": exported.run_id, "to": target, "notices": list(exported.notices)}
        terminal.write_json(found if goal is None else {**found, "goal": goal})
    else:
        what = exported.run_id if goal is None else f"the goal {goal} of {exported.run_id}"
        terminal.say(f"{what} is in {target}")
    return 0
