"""`compaction collect`: who read the files, and for each case whether every check held."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gacc_gui import terminal
from gacc_gui.core.errors import BadUsage

if TYPE_CHECKING:
    from gacc_gui.app.compaction_collecting import Collection
    from gacc_gui.core.compaction import Case

_FAILED_ITEMS = 3


def collect(
    dataset: str,
    selection: str,
    output: str,
    *,
    live: bool,
    scripted: bool,
    hermes_python: str | None,
    model: str | None,
    seconds: float | None,
    as_json: bool,
) -> int:
    """Collect the selected cases into a new folder; exit 3 where a case failed a check."""
    from gacc_gui.app.compaction_collecting import DEFAULT_SECONDS, Live, collect_corpus
    from gacc_gui.runner.compaction.settings import DEFAULT_MODEL
    from gacc_gui.runner.environment import read_environment

    if live == scripted:
        raise BadUsage("say --live to let a model ask for the reads, or --scripted to do without one")
    if scripted and model is not None:
        raise BadUsage("--model goes with --live: a scripted collection has no model")
    progress = terminal.Progress("collect")

    def tell(done: int, total: int, case: Case | None) -> None:
        if case is not None and not case.is_sound:
            progress.close()
            failed = next(check for check in case.checks if not check.ok)
            terminal.say(f"{case.id}: {failed.name}: {failed.found}")
        progress(done, total, "cases")

    try:
        collection = collect_corpus(
            Path(dataset),
            Path(selection),
            Path(output),
            hermes_python=None if hermes_python is None else Path(hermes_python),
            environment=os.environ,
            live=Live(model or DEFAULT_MODEL, read_environment(Path())) if live else None,
            seconds=DEFAULT_SECONDS if seconds is None else seconds,
            progress=tell,
        )
    finally:
        progress.close()
    if as_json:
        _write_json(collection, output)
    else:
        _write_text(collection, output)
    corpus = collection.corpus
    return 0 if len(corpus.sound_cases) == len(corpus.cases) else _FAILED_ITEMS


def _write_json(collection: Collection, output: str) -> None:
    corpus = collection.corpus
    provenance = corpus.provenance
    terminal.write_json(
        {
            "output": output,
            "agent": {"name": provenance.agent, "version": provenance.agent_version},
            "mode": provenance.mode,
            "model": provenance.model,
            "corpus_sha256": corpus.sha256,
            "cases": [
                {
                    "id": case.id,
                    "type": case.kind,
                    "ok": case.is_sound,
                    "requests": requests,
                    "checks": [
                        {"name": check.name, "ok": check.ok, "found": check.found} for check in case.checks
                    ],
                }
                for case, requests in zip(corpus.cases, collection.requests, strict=True)
            ],
        }
    )


def _write_text(collection: Collection, output: str) -> None:
    corpus = collection.corpus
    provenance = corpus.provenance
    rows = [
        (case.id, case.kind, f"{requests:,}", f"{sum(check.ok for check in case.checks)}", _failed(case))
        for case, requests in zip(corpus.cases, collection.requests, strict=True)
    ]
    terminal.write_table(
        ("case", "type", "requests", "checks held", "failed"), rows, right={"requests", "checks held"}
    )
    who = "a script" if provenance.model is None else provenance.model
    terminal.write_text(
        f"{len(corpus.sound_cases):,} of {len(corpus.cases):,} cases passed every check; read by"
        f" {provenance.agent} {provenance.agent_version}, asked by {who}, written to {output}"
    )


def _failed(case: Case) -> str:
    return "; ".join(f"{check.name}: {check.found}" for check in case.checks if not check.ok)
