"""`verify` and `lint`: what does not hold, as JSON or in words. Both end with 1 where something does not."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui import terminal
from gacc_gui.app.listing import open_reader
from gacc_gui.core.errors import BadUsage

if TYPE_CHECKING:
    from gacc_gui.app.linting import Linting
    from gacc_gui.app.verifying import Check, Example
    from gacc_gui.store.reads import Reader

_ALWAYS: Final = ("memory_id", "field", "declared", "recomputed")
_SHOWN: Final = 5
"""Examples per check in plain text; JSON has more."""


def verify(reader: Reader, run_name: str, as_json: bool, tokenizer: str | None = None) -> int:
    """Audit a run; `tokenizer` is the file to recount a compaction run with."""
    from gacc_gui.app.verifying import verify_run

    run_id = reader.resolve_run(run_name)
    progress = terminal.Progress(f"verify {run_id}")
    try:
        file = None if tokenizer is None else Path(tokenizer)
        verification = verify_run(reader, run_id, progress, tokenizer=file)
    finally:
        progress.close()
    if as_json:
        terminal.write_json({"run": run_id, "checks": [_check(check) for check in verification.checks]})
    else:
        terminal.write_table(
            ("check", "outcome", "checked", "failures", "why"),
            (
                (
                    check.name,
                    {True: "ok", False: "FAILED", None: "not run"}[check.ok],
                    f"{check.checked:,}",
                    f"{check.failures:,}",
                    check.why or "",
                )
                for check in verification.checks
            ),
            right={"checked", "failures"},
        )
        for check in verification.checks:
            for example in check.examples[:_SHOWN]:
                terminal.write_text(f"{check.name}: {_told(example)}")
            if check.failures > _SHOWN:
                terminal.write_text(f"{check.name}: {check.failures:,} in all")
    if all(check.ok is None for check in verification.checks):
        terminal.say("note: no check could run, so that nothing was verified")
    return 0 if verification.holds else 1


def _check(check: Check) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "name": check.name,
        "ok": check.ok,
        "checked": check.checked,
        "failures": check.failures,
        "examples": [_example(example) for example in check.examples],
    }
    if check.ok is None:
        figures["why"] = check.why
    return figures


def _example(example: Example) -> dict[str, Any]:
    return {name: value for name, value in asdict(example).items() if name in _ALWAYS or value is not None}


def _told(example: Example) -> str:
    places = (
        ("memory", example.memory_id),
        ("request", example.request_id),
        ("question", example.question_id),
    )
    where = ", ".join(f"{kind} {name}" for kind, name in places if name) or "the run"
    if example.request_id:
        return f"{where}: {example.detail}: {example.recomputed}"
    if example.recomputed is None:
        return f"{where}: {example.detail}"
    told = f"{where}: {example.field} is {example.declared}, recounted {example.recomputed}"
    return f"{told} ({example.detail})" if example.detail else told


def lint(what: str, database: Path, as_json: bool) -> int:
    """Look for faults of the items of a file, a folder, or a run."""
    from gacc_gui.app.linting import lint_path, lint_run

    path = Path(what)
    if path.exists():
        return _report("file", what, lint_path(path), as_json)
    if not database.exists():
        raise BadUsage(f"there is no file {what}, and no database at {database} that could hold such a run")
    with open_reader(database) as reader:
        if not any(what in (summary.run.id, summary.run.name) for summary in reader.runs()):
            raise BadUsage(f"there is neither a file nor a run {what!r}")
        run_id = reader.resolve_run(what)
        return _report("run", run_id, lint_run(reader, run_id), as_json)


def _report(kind: str, name: str, found: Linting, as_json: bool) -> int:
    if as_json:
        faults = [
            {"kind": fault.kind, "where": fault.where, "detail": fault.message} for fault in found.faults
        ]
        terminal.write_json(
            {kind: name, "faults": faults, "counts": found.counts, "items": dict(found.items)}
        )
    else:
        for fault in found.faults:
            terminal.write_text(f"{fault.where}: {fault.kind}: {fault.message}")
        items = ", ".join(_count(n, kind) for kind, n in found.items.items())
        terminal.write_text(f"{_count(len(found.faults), 'fault')} in {items}")
    return 1 if found.faults else 0


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
