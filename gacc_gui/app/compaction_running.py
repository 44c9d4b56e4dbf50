"""A compaction run as a person asks for it: begun in a folder of its own, gone on with, finished.

Owns the folder's life. It appears with the run's inputs, frozen; while the run goes it holds `work.db`, our
ordinary database, which resumption, caps and locks are those of. When everything was tried the results are
written from it, `validation.json` last, and it goes. Not here: what is frozen (`compaction_freezing`), the
session (`evaluation_session`), the methods (`runner.compaction`), the results (`compaction_reporting`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.app import compaction_freezing as freezing
from gacc_gui.app import compaction_work as work_files
from gacc_gui.app.compaction_checks import CONTENT
from gacc_gui.app.compaction_freezing import Inputs
from gacc_gui.app.evaluation_session import Outcome, Session, Telling
from gacc_gui.core.errors import BadInput, BadUsage, GaccError
from gacc_gui.core.records import Json
from gacc_gui.formats.compaction_folder import (
    CORPUS_FILE,
    PROTOCOL_FILE,
    REPORT_FILE,
    VALIDATION_FILE,
    WORK_FILE,
)

if TYPE_CHECKING:
    from gacc_gui.core.records import Run
    from gacc_gui.formats.hf_tokenizer import HfCodec
    from gacc_gui.runner.accounting import Account
    from gacc_gui.runner.compaction.planning import Parts
    from gacc_gui.runner.compaction.settings import Settings
    from gacc_gui.runner.config_model import LimitsConfig
    from gacc_gui.runner.control import Control
    from gacc_gui.runner.engine import Tally
    from gacc_gui.runner.events import Report
    from gacc_gui.runner.plan import Plan

_FILES: Final = "files"
"""The stage in which the results are written."""
_NEEDED: Final[Mapping[str, type]] = {
    "id": str,
    "name": str,
    "created_at": str,
    "diagnostic_only": bool,
    "mode": str,
    "settings": dict,
    "tokenizer": dict,
    "parts": dict,
    "prompts": dict,
    "hashes": dict,
    "cases": list,
}
"""What a protocol must hold to be gone on with."""


@dataclass(frozen=True, slots=True)
class CompactionOutcome:
    """How a session of a compaction run ended. Where `session.state` is finished, the folder has its results.

    `left_out` are the cases that were not evaluated: id, check, reason; `altered` those that are evaluated
    and are not what their row in the dataset said. `failed_checks` of its validation; None: it has none.
    """

    folder: Path
    live: bool
    session: Outcome
    left_out: tuple[Mapping[str, Json], ...]
    altered: tuple[str, ...] = ()
    failed_checks: tuple[str, ...] | None = None

    @property
    def holds(self) -> bool:
        """Whether no check failed but that cases are altered, which is told before anything else."""
        return not set(self.failed_checks or ()) - {CONTENT}

    @property
    def report(self) -> Path:
        """Where the report is, once the run is finished."""
        return self.folder / REPORT_FILE

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON."""
        return {
            "folder": str(self.folder),
            "live": self.live,
            **self.session.as_json(),
            "left_out": [dict(case) for case in self.left_out],
            "altered": list(self.altered),
            "failed_checks": None if self.failed_checks is None else list(self.failed_checks),
        }


@dataclass(frozen=True, slots=True)
class _Work:
    """All that a run is gone on with. `settings` with the limits of this session."""

    inputs: Inputs
    settings: Settings
    tokenizer: Path
    codec: HfCodec
    parts: Parts
    account: Account
    control: Control
    telling: Telling
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Keys, which may stand in no file."""

    def protocol(self, name: str) -> dict[str, Json]:
        """Return the protocol of a new run of it."""
        codec = self.codec
        return freezing.protocol_of(
            self.inputs,
            name=name,
            live=self.parts.is_live,
            settings=self.settings.as_json(),
            tokenizer={
                "name": codec.name,
                "revision": codec.revision,
                "identity_verified": codec.identity_verified,
            },
            parts=self.parts.as_json(),
            prompts=self.parts.prompts_json(),
        )

    def plan(self, run: Run) -> Plan:
        """Return the plan of the run with this record."""
        from gacc_gui.formats.redaction import without_credentials
        from gacc_gui.runner.compaction.planning import plan_for

        clean = without_credentials(run)[0]
        return plan_for(self.inputs.corpus, self.settings, self.codec, self.parts, clean)


def run_compaction(
    corpus: Path,
    tokenizer: Path,
    output: Path,
    settings: Settings,
    *,
    live: bool = False,
    report: Report | None = None,
) -> CompactionOutcome:
    """Begin a run in a new folder, and take it as far as it goes.

    Raises BadUsage where something has the folder's name or a key is missing, BadInput or CodecUnavailable
    where an input cannot be used, GaccError where the folder cannot be written: what was committed is kept,
    and `resume_compaction` goes on.
    """
    from gacc_gui.formats.new_file import refuse_existing
    from gacc_gui.formats.new_folder import make_new_folder

    refuse_existing(output)
    inputs = freezing.read_inputs(corpus)
    work = _work(inputs, tokenizer, settings, live, report)
    protocol = work.protocol(output.resolve().name.encode("utf-8", "replace").decode())
    files = {PROTOCOL_FILE: freezing.protocol_bytes(protocol), **inputs.files}
    make_new_folder(output, {**files, work_files.BEGUN_FILE: work_files.begun_with(tokenizer).encode()})
    return _go_on(output, protocol, work)


def resume_compaction(
    folder: Path,
    *,
    tokenizer: Path | None = None,
    live: bool = False,
    fixture: bool = False,
    limits: LimitsConfig | None = None,
    report: Report | None = None,
) -> CompactionOutcome:
    """Go on with a run that is not finished: what is missing or failed, or only its results.

    `tokenizer`: by default where it was last time; its hash decides. `live` has to be said again. `limits` in
    place of those that the run began with. Raises as `run_compaction` does, BadUsage where the folder is
    finished or none of a run, and BadInput, naming the differences, where it would not go on as it began.
    """
    from gacc_gui.runner.compaction.settings import settings_from

    protocol = _protocol_of(folder)
    freezing.refuse_mode(protocol.get("mode"), folder, live=live, fixture=fixture)
    freezing.refuse_edited(folder, protocol, work_files.stored_protocol(folder))
    freezing.refuse_missing(folder, protocol)
    inputs = freezing.read_inputs(folder / CORPUS_FILE)
    freezing.refuse_changed_inputs(folder, inputs, protocol)
    settings = settings_from(protocol["settings"])
    if limits is not None:
        settings = replace(settings, limits=limits)
    path = work_files.last_tokenizer(folder) if tokenizer is None else tokenizer
    work = _work(inputs, path, settings, live, report)
    freezing.refuse_other_run(protocol, work.protocol(""), folder)
    return _go_on(folder, protocol, work)


def look_ahead(corpus: Path, tokenizer: Path, settings: Settings, *, live: bool = False) -> dict[str, Any]:
    """Return what a run would do, as JSON, without a call and without a folder.

    `calls` by step: at least and at most, retries of a failing service apart. `missing` says what has to be
    there before it can run.
    """
    from gacc_gui.app.compaction_estimating import planned_calls

    inputs = freezing.read_inputs(corpus)
    missing: list[str] = []
    endpoints: list[Json] = []
    try:
        work = _work(inputs, tokenizer, settings, live, None)
        described = work.parts.as_json().values()
        endpoints = [part["endpoint"] for part in described if isinstance(part, dict) and "endpoint" in part]
    except BadUsage as error:
        if not live:
            raise
        missing.append(str(error))
        work = _work(inputs, tokenizer, settings, False, None)
    contexts = len(inputs.corpus.sound_cases) * len(settings.methods) * settings.generations
    return {
        "live": live,
        "cases": len(inputs.corpus.sound_cases),
        "left_out": inputs.left_out,
        "altered": list(inputs.altered),
        "methods": list(settings.methods),
        "contexts": contexts,
        "answers": contexts * settings.answers,
        "calls": planned_calls(inputs.corpus, settings, work.codec, work.parts),
        "endpoints": list(dict.fromkeys(endpoints)),
        "missing": missing,
    }


def _work(inputs: Inputs, tokenizer: Path, settings: Settings, live: bool, report: Report | None) -> _Work:
    from gacc_gui.formats.hf_tokenizer import load_tokenizer
    from gacc_gui.runner.accounting import Account
    from gacc_gui.runner.compaction.planning import DECISION_KEY, MODEL_KEY, parts_for
    from gacc_gui.runner.control import Control
    from gacc_gui.runner.environment import read_environment
    from gacc_gui.runner.tries import tries_of

    codec = load_tokenizer(tokenizer)
    account = Account(settings.limits, frozenset({"compressor", "reader"} if live else ()))
    control = Control()
    telling = Telling(report, account)
    environment = read_environment(Path.cwd()) if live else {}
    parts = parts_for(
        settings,
        environment,
        live=live,
        codec=codec,
        on_waiting=telling,
        tries=tries_of(account, control),
    )
    secrets = tuple(environment[name].strip() for name in (MODEL_KEY, DECISION_KEY) if environment.get(name))
    return _Work(inputs, settings, tokenizer, codec, parts, account, control, telling, secrets)


def _go_on(folder: Path, protocol: Mapping[str, Any], work: _Work) -> CompactionOutcome:
    from gacc_gui.formats.compaction_records import run_of
    from gacc_gui.runner.run_lock import only_one
    from gacc_gui.store.database import open_database

    plan = work.plan(run_of(protocol))
    goes_on = f"gacc-gui compaction run --resume {folder}{' --live' if work.parts.is_live else ''}"
    path = folder / WORK_FILE
    with only_one(path, plan.run.id):
        _refuse_finished(folder)  # another process may have been quicker
        with open_database(path, create=True) as database:
            session = Session(
                database, plan, work.account, work.control, work.telling, goes_on, work.parts.closing
            )
            tally = _evaluate(session, work)
            outcome = session.outcome(tally)
        failed: tuple[str, ...] | None = None
        if tally.stopped is None:
            try:
                failed = _finish(folder, plan.run.id, work)
            except GaccError as error:
                raise GaccError(f"{error}; what was committed is kept, and {goes_on} goes on") from error
        session.tell_end(tally)
    inputs = work.inputs
    return CompactionOutcome(
        folder, work.parts.is_live, outcome, tuple(inputs.left_out), inputs.altered, failed
    )


def _evaluate(session: Session, work: _Work) -> Tally:
    """Take a run as far as it goes; where an earlier session tried everything, nothing is done."""
    from gacc_gui.runner.engine import Tally
    from gacc_gui.runner.resume import known_of
    from gacc_gui.store import evaluations
    from gacc_gui.store.evaluations import FINISHED

    connection, run_id = session.database.connection, session.plan.run.id
    before = next((one for one in evaluations.evaluations(connection) if one.run_id == run_id), None)
    if before is not None and before.state == FINISHED:
        session.state = FINISHED
        known = known_of(connection, run_id)
        kinds = (known.memories, known.answers, known.verdicts)
        return Tally(failed_items=sum(not done for items in kinds for done in items.values()))
    configuration = work_files.begun_with(work.tokenizer)
    with session.begun(configuration):
        return session.evaluate(work.settings.concurrency)


def _finish(folder: Path, run_id: str, work: _Work) -> tuple[str, ...]:
    """Write the results, and remove what they were written from. Returns the checks that failed."""
    from gacc_gui.app.compaction_reporting import finish_folder
    from gacc_gui.runner.events import Progress
    from gacc_gui.store.reads import Reader

    work.telling(Progress(_FILES, 0, 1))
    work_files.remove_parts(folder)
    with Reader(folder / WORK_FILE) as reader:
        records = list(reader.records(run_id))
    finished = finish_folder(folder, records, codec=work.codec, secrets=work.secrets)
    work.telling(Progress(_FILES, 1, 1))
    work_files.remove_work(folder)
    return finished.failed


def _protocol_of(folder: Path) -> dict[str, Any]:
    """Return the protocol of a folder whose run is not finished."""
    from gacc_gui.formats.compaction_reading import read_protocol
    from gacc_gui.runner.run_lock import only_one

    if not (folder / PROTOCOL_FILE).is_file():
        raise BadUsage(f"{folder} is no folder of a compaction run: there is no {PROTOCOL_FILE} in it")
    protocol = read_protocol(folder)
    if _is_finished(folder) and work_files.has_leftovers(folder):
        with only_one(folder / WORK_FILE, str(protocol.get("id"))):  # what a killed process left behind
            work_files.remove_work(folder)
            work_files.remove_parts(folder)
    _refuse_finished(folder)
    if missing := [name for name in _NEEDED if not isinstance(protocol.get(name), _NEEDED[name])]:
        raise BadInput(f"there is no sound {missing[0]}", path=str(folder / PROTOCOL_FILE))
    return protocol


def _is_finished(folder: Path) -> bool:
    return (folder / VALIDATION_FILE).is_file()


def _refuse_finished(folder: Path) -> None:
    if _is_finished(folder):
        raise BadUsage(f"{folder} is finished, and nothing is ever overwritten; see {REPORT_FILE} in it")
