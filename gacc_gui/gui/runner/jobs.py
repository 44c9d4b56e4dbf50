"""Evaluations that were asked for here, each in a folder of its own, so that a later window finds them again.

Owns the folder's files: what was asked (`job.json`), the configuration it was asked with, the events of the
command (its stderr) and its document (its stdout). Not here: the process (`run_process`), the order in which
jobs run (`run_queue`), and the rows, which are in the database. Nothing here holds a credential: the command
reads it from its environment.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from gacc_gui.app.locations import data_folder
from gacc_gui.core.errors import GaccError

STATES: Final = ("waiting", "running", "finished", "failed", "stopped", "lost")
"""`failed`: the command refused or could not go on, and said why. `lost`: it ended without a word."""


@dataclass(frozen=True, slots=True)
class Job:
    """One evaluation. `config` is the TOML file; `database` where its rows go; `shard` as typed, `1/3`.

    `run`: its run id, None until it is known; `resume`: the database has it already. `pid` and `started`
    (seconds since the epoch, as the system tells) name its process, None when it has none. `stopping`: a
    person asked the running process to stop. `reason`: why it ended, for people. `done`, `planned` (None: not
    known) and `failed` count its items when it last ended.
    """

    id: str
    name: str
    database: str
    config: str
    created_at: str
    live: bool = False
    shard: str | None = None
    state: str = "waiting"
    run: str | None = None
    resume: bool = False
    pid: int | None = None
    started: float | None = None
    stopping: bool = False
    reason: str | None = None
    done: int = 0
    planned: int | None = None
    failed: int = 0

    @property
    def arguments(self) -> list[str]:
        """What a person would type behind `gacc-gui` for it."""
        return [
            *("--db", self.database, "run", "gacc", self.config),
            *(["--live"] if self.live else []),
            *(["--shard", self.shard] if self.shard else []),
            *(["--resume", self.run] if self.resume and self.run else []),
        ]

    @property
    def can_resume(self) -> bool:
        """Whether there is something left that could be done."""
        return self.state in ("stopped", "failed", "lost") or (self.state == "finished" and self.failed > 0)

    @property
    def command_line(self) -> str:
        """What a person would type for it."""
        return shlex.join(["gacc-gui", *self.arguments])


def jobs_folder() -> Path:
    """Where the folders of jobs are."""
    return data_folder() / "evaluations"


def folder_of(job: Job) -> Path:
    """Where a job's files are."""
    return jobs_folder() / job.id


def events_file(job: Job) -> Path:
    """What its command says while it runs: JSON lines, and lines for people."""
    return folder_of(job) / "events.jsonl"


def result_file(job: Job) -> Path:
    """The document that its command writes at its end."""
    return folder_of(job) / "result.json"


def is_there(database: Path, run_id: str | None) -> bool:
    """Whether a database has a run, which is then gone on with; of one that cannot be read, no."""
    from gacc_gui.store.reads import Reader

    if run_id is None or not database.exists():
        return False
    try:
        with Reader(database) as reader:
            return reader.resolve_run(run_id) == run_id
    except GaccError:
        return False


def new_job(
    name: str,
    database: Path,
    live: bool,
    config: Path | None = None,
    run: str | None = None,
    shard: str | None = None,
) -> Job:
    """Return a waiting job with a folder of its own. Raises OSError where that cannot be made.

    Without a file, its configuration is to be written to the path it names.
    """
    now = datetime.now(UTC)
    stem = now.strftime("%Y%m%d-%H%M%S")
    number = 1
    while True:
        job_id = stem if number == 1 else f"{stem}-{number}"
        job = Job(
            id=job_id,
            name=name,
            database=str(database),
            config=str(config or jobs_folder() / job_id / "configuration.toml"),
            created_at=now.isoformat(timespec="seconds"),
            live=live,
            shard=shard,
            run=run,
        )
        try:
            folder_of(job).mkdir(parents=True)
        except FileExistsError:
            number += 1
            continue
        return job


def keep(job: Job) -> None:
    """Write down how a job stands, whole or not at all. Raises OSError."""
    path = folder_of(job) / "job.json"
    partial = path.with_name(f"job.json.{os.getpid()}.partial")
    partial.write_text(json.dumps(asdict(job), indent=1), encoding="utf-8")
    partial.replace(path)


def forget(job: Job) -> None:
    """Remove a job's folder; the rows in the database stay."""
    shutil.rmtree(folder_of(job), ignore_errors=True)


def kept_jobs() -> list[Job]:
    """Return the jobs that were written down, oldest first; what cannot be read is passed over."""
    found = []
    try:
        folders = sorted(jobs_folder().iterdir())
    except OSError:
        return []
    for folder in folders:
        try:
            values = json.loads((folder / "job.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        job = _job(values)
        if job is not None and job.id == folder.name:
            found.append(job)
    return found


def _job(values: Any) -> Job | None:
    if not isinstance(values, dict):
        return None
    known = {item.name for item in fields(Job)}
    try:
        job = Job(**{name: value for name, value in values.items() if name in known})
    except TypeError:
        return None
    texts = (job.id, job.name, job.database, job.config, job.created_at, job.state)
    if not all(isinstance(one, str) for one in texts) or job.state not in STATES:
        return None
    if not isinstance(job.pid, int | None) or not isinstance(job.started, int | float | None):
        return replace(job, pid=None, started=None)
    return job
