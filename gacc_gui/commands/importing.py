"""`import`: what became of each file, as JSON or in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gacc_gui import terminal
from gacc_gui.core.errors import BadInput

if TYPE_CHECKING:
    from gacc_gui.app.import_report import FileReport, ImportReport
    from gacc_gui.app.importing import Progress

_SHOWN = 20
"""Quarantined lines, conflicts and repairs told per file in plain text; JSON has them all."""
_INDENT = 2
"""Columns, of what is told of a file below its own line."""


def import_files(database: Path, paths: Sequence[str], as_id: str | None, as_json: bool, events: bool) -> int:
    """Import files and folders."""
    from gacc_gui.app.import_report import exit_code
    from gacc_gui.app.importing import import_paths

    progress = terminal.Progress("import", events)

    def step(at: Progress) -> None:
        progress(at.done, at.total, at.phase)

    try:
        report = import_paths(
            database, paths, as_id=as_id, progress=step, rows_ready=lambda: progress.event("rows_ready")
        )
    finally:
        progress.close()
    code = exit_code(report)
    if code == 2:
        raise BadInput(_why_nothing_landed(report))
    for file in report.files:
        for name, reason in file.changed:
            terminal.say(f"{file.path}/{name}: {reason}")
    if as_json:
        terminal.write_json(report.to_json())
    else:
        for file in report.files:
            _tell(file)
    progress.event("done", exit=code)
    return code


def _why_nothing_landed(report: ImportReport) -> str:
    reasons = [file.error for file in report.files if file.error is not None]
    for file in report.files:
        if file.error is None and file.quarantined:
            first = file.quarantined[0]
            line = "" if first.line is None else f"line {first.line}: "
            reasons.append(f"{file.path}: {line}{first.reason}")
    return "; ".join(reasons) or "no file holds a run"


def _tell(file: FileReport) -> None:
    if file.error is not None:
        terminal.say(f"gacc-gui: {file.error}")
    if not file.runs:
        return
    counts = [f"{_sum(file.added)} added", f"{_sum(file.already)} already there"]
    problems = (
        ("repaired", file.repaired),
        ("quarantined", file.quarantined),
        ("in conflict", file.conflicts),
    )
    counts += [f"{len(items):,} {what}" for what, items in problems if items]
    terminal.write_text(f"{file.path}: run {', '.join(file.runs)}: {', '.join(counts)}")
    lines = [f"repaired: {sentence}" for sentence in file.repaired]
    lines += [
        f"quarantined: {'' if item.line is None else f'line {item.line}: '}{item.reason}"
        for item in file.quarantined
    ]
    for item in file.conflicts:
        key = " / ".join(map(str, item.key))
        lines.append(f"conflict: {item.kind} {key} differs in {', '.join(item.fields)}; the stored one stays")
    for line in lines[:_SHOWN]:
        terminal.write_text(line, indent=_INDENT)
    if len(lines) > _SHOWN:
        terminal.write_text(f"… and {len(lines) - _SHOWN:,} more; --json tells all", indent=_INDENT)


def _sum(counts: Mapping[str, int] | None) -> str:
    return f"{sum((counts or {}).values()):,}"
