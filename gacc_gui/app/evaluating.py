"""An evaluation as a person asks for it: a configuration, run to its end, or as far as it goes, and resumed.

Owns what may begin (`--live`, a run that is here already, a configuration that differs) and how a session
ends in the database. What is made of a configuration is `runner.planning`'s, doing it `runner.engine`'s.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.errors import BadInput, BadUsage, GaccError, StoreError
from gacc_gui.core.records import Request

if TYPE_CHECKING:
    from gacc_gui.runner.accounting import Account
    from gacc_gui.runner.config_model import EvaluationConfig
    from gacc_gui.runner.endpoint import ModelClient
    from gacc_gui.runner.engine import Tally
    from gacc_gui.runner.events import Event, Report, UsageTotal
    from gacc_gui.runner.known import Known
    from gacc_gui.runner.plan import Plan, Shard
    from gacc_gui.store.database import Database

_TELL_SECONDS: Final = 0.1
_USAGE_SECONDS: Final = 1.0
_BUSY_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a session ended. `state` as in `store.evaluations`; `failed` items are without a result.

    `reason` is why it stopped; `interrupted`: somebody asked; `refused`: a service lets no call succeed.
    `calls` by role, in this session; `usage` of the whole run.
    """

    run: str
    state: str
    reason: str | None
    interrupted: bool
    refused: bool
    failed: int
    calls: Mapping[str, int]
    cache_hits: int
    usage: tuple[UsageTotal, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON."""
        return {
            "run": self.run,
            "state": self.state,
            "reason": self.reason,
            "failed": self.failed,
            "calls": dict(self.calls),
            "cache_hits": self.cache_hits,
            "usage": [
                {name: getattr(total, name) for name in total.__dataclass_fields__} for total in self.usage
            ],
        }


def look_ahead(
    config_path: Path,
    shard: str | None = None,
    *,
    database_path: Path | None = None,
    resume: str | None = None,
) -> dict[str, Any]:
    """Return what a configuration would do and cost, as JSON, without a call.

    `resume` names a run of the database, of which only what is missing or failed counts; nothing is written.
    `missing` says what has to be there before it can run. Raises GaccError where it cannot be planned, or
    where the run would not be gone on with.
    """
    from gacc_gui.runner.config import load_config
    from gacc_gui.runner.planning import build_plan, estimate

    config = load_config(config_path)
    plan, known = build_plan(config, _shard(shard)), None
    if resume is not None:
        if database_path is None:
            raise BadUsage("a run is resumed in a database")
        plan, known = _what_is_known(database_path, plan, resume)
    ahead = estimate(plan, config, known).as_json()
    return {
        "run": plan.run.id,
        "name": plan.run.name,
        "live": config.is_live,
        "resume": resume is not None,
        "shard": None if plan.shard is None else str(plan.shard),
        "planned": ahead.pop("stages"),
        "left": ahead.pop("left"),
        "estimate": ahead,
        "missing": list(_missing(config)),
    }


def _what_is_known(database_path: Path, plan: Plan, resume: str) -> tuple[Plan, Known]:
    """Return the plan under the stored run's record, and what of the run is stored; only reads."""
    from gacc_gui.formats.redaction import without_credentials
    from gacc_gui.runner.resume import known_of
    from gacc_gui.store import database
    from gacc_gui.store.reads import Reader

    with Reader(database_path) as reader:
        run_id = reader.resolve_run(resume)
    plan = replace(plan, run=without_credentials(plan.run)[0])
    with (
        database.plain_errors(database_path),
        closing(database.connect(database_path, "rw", _BUSY_SECONDS)) as connection,
    ):
        connection.execute("PRAGMA query_only = ON")
        return _continued(connection, plan, run_id), known_of(connection, run_id)


def _missing(config: EvaluationConfig) -> Iterator[str]:
    """Yield a sentence, at its key, for each key of a service that is not there."""
    import os

    from gacc_gui.runner.credentials import credentials_of

    for name in sorted({part.endpoint for _, part in config.parts if part.endpoint is not None}):
        try:
            credentials_of(config.endpoints[name], os.environ)
        except BadUsage as error:
            yield str(error)


def run_evaluation(
    database_path: Path,
    config_path: Path,
    *,
    live: bool = False,
    resume: str | None = None,
    shard: str | None = None,
    report: Report | None = None,
) -> Outcome:
    """Evaluate a configuration into the database; `resume` names a run to go on with, by id or unique name.

    Signals are obeyed in the main thread (see `runner.control`). Raises BadUsage without `live` where models
    would be asked, and where the run is here and was not to be resumed; BadInput where a resumed run was
    configured otherwise, naming the differences; StoreError where the database fails on the way: what was
    committed is kept, and can be resumed.
    """
    from gacc_gui.formats.redaction import redacted, without_credentials
    from gacc_gui.runner.accounting import Account
    from gacc_gui.runner.config import load_config, to_toml
    from gacc_gui.runner.gacc_protocol import with_stored_proposals
    from gacc_gui.runner.planning import build_plan
    from gacc_gui.runner.resume import proposal_of
    from gacc_gui.runner.run_lock import only_one
    from gacc_gui.store.database import open_database

    config = load_config(config_path)
    if config.is_live and not live:
        raise BadUsage(f"{config_path} asks models, which may cost money: --live says that it may")
    account = Account(config.limits, frozenset(role for role, part in config.parts if part.asks_model))
    telling = _Telling(report, account)
    clients = _clients(config, telling, account)
    plan = build_plan(config, _shard(shard), clients)
    plan = replace(plan, run=without_credentials(plan.run)[0])
    run_id = plan.run.id if resume is None else _resolved(database_path, resume)
    with only_one(database_path, run_id), open_database(database_path, create=resume is None) as database:
        if resume is None:
            _must_be_new(database, run_id)
        else:
            plan = _continued(database.connection, plan, run_id)
        plan = with_stored_proposals(plan, partial(proposal_of, database.connection))
        session = _Session(database, plan, account, telling, clients)
        with session.begun(redacted(to_toml(config))):
            tally = session.evaluate(config)
        _index(database, run_id, tally)
    return session.outcome(tally)


def _shard(text: str | None) -> Shard | None:
    from gacc_gui.runner.plan import shard_of

    return None if text is None else shard_of(text)


def _clients(config: EvaluationConfig, telling: _Telling, account: Account) -> dict[str, ModelClient]:
    used = {part.endpoint for _, part in config.parts if part.endpoint is not None}
    if not used:
        return {}
    from gacc_gui.runner.endpoint import ModelClient

    return {
        name: ModelClient(config.endpoints[name], on_waiting=telling, may_try_again=account.may_try_again)
        for name in sorted(used)
    }


def _must_be_new(database: Database, run_id: str) -> None:
    if database.connection.execute("SELECT 1 FROM runs WHERE id = ?", (run_id,)).fetchone():
        raise BadUsage(
            f"the run {run_id!r} is in {database.path} already; --resume {run_id!r} goes on with it,"
            " and another run.id in the configuration begins another"
        )


def _resolved(database_path: Path, resume: str) -> str:
    from gacc_gui.store.database import open_database
    from gacc_gui.store.reads import Reader

    # A start that was killed at once leaves a file without our tables; one just now may be making them.
    with open_database(database_path, create=False), Reader(database_path) as reader:
        return reader.resolve_run(resume)


def _continued(connection: sqlite3.Connection, plan: Plan, run_id: str) -> Plan:
    """Return the plan under the record of the stored run, which must have been configured alike."""
    from gacc_gui.runner.planning import CONFIGURATION
    from gacc_gui.runner.resume import differences
    from gacc_gui.store import record_reads

    stored = next(record_reads.runs(connection, "id = ?", (run_id,)), None)
    if stored is None:
        raise BadUsage(f"there is no run {run_id!r}")
    if CONFIGURATION not in stored.extra:
        raise BadUsage(f"the run {stored.id!r} was made by no configuration, so nothing can be added to it")
    told = differences(stored, plan.run)
    if told:
        raise BadInput(
            f"the configuration is not that of the run {stored.id!r}, which goes on only as it began: "
            + "; ".join(told)
        )
    return replace(plan, run=stored)


def _index(database: Database, run_id: str, tally: Tally) -> None:
    """Build the search index, which only speeds up what works without it."""
    from gacc_gui.store import search

    if not tally.interrupted:
        search.build(database, run_id)


@dataclass(slots=True)
class _Session:
    """One evaluation in an open database, from its first commit to its last."""

    database: Database
    plan: Plan
    account: Account
    telling: _Telling
    clients: Mapping[str, ModelClient]
    state: str = ""
    appender: Any = field(init=False)

    def __post_init__(self) -> None:
        from gacc_gui.store.appending import RunAppender

        self.appender = RunAppender(self.database)

    @contextmanager
    def begun(self, toml: str) -> Iterator[None]:
        """Begin the session, and note that it stopped where the block raises."""
        from gacc_gui.runner.events import Stopped
        from gacc_gui.store.database import is_busy
        from gacc_gui.store.evaluations import STOPPED

        self.appender.begin(self.plan.run, self.plan.protocol.codec.identity_verified, toml)
        try:
            yield
        except BaseException as error:
            if not (isinstance(error, StoreError) and is_busy(error)):
                try:
                    self.appender.end(STOPPED, str(error) or type(error).__name__)
                except GaccError:
                    pass  # the database is what failed; the state it has says the same: not finished
            self.telling.close()
            self.telling(Stopped(str(error) or type(error).__name__))
            if isinstance(error, StoreError):
                raise StoreError(
                    f"{error}; what was committed is kept, and --resume {self.plan.run.id!r} goes on"
                ) from error
            raise

    def evaluate(self, config: EvaluationConfig) -> Tally:
        """Run what is missing, and note how it ended, last of all."""
        from gacc_gui.runner.engine import Options, evaluate
        from gacc_gui.runner.events import Done, Stopped
        from gacc_gui.runner.planning import estimate
        from gacc_gui.runner.resume import interrupted_calls, known_of
        from gacc_gui.runner.sink import DurableSink
        from gacc_gui.store import evaluations, record_reads
        from gacc_gui.store.evaluations import FINISHED, STOPPED

        connection, run_id = self.database.connection, self.plan.run.id
        known = known_of(connection, run_id)
        self.account.hits = evaluations.cache_hits(connection, run_id)
        where = "requests.run_key = (SELECT run_key FROM runs WHERE id = ?)"
        self.account.remember(record_reads.requests(connection, where, (run_id,)))
        self.account.remember(evaluations.kept(connection, run_id))
        interrupted = list(interrupted_calls(connection, run_id))
        self.account.remember(interrupted)
        lost: list[Request] = [call for call in interrupted if call.memory_id in known.memories]
        if lost:
            self.appender.append(lost)
        options = Options(
            concurrency=config.concurrency,
            account=self.account,
            obey_signals=threading.current_thread() is threading.main_thread(),
            closing=tuple(client.aclose for client in self.clients.values()),
            estimate=estimate(self.plan, config).as_json(),
        )
        sink = DurableSink(self.appender, self.database, self.telling)
        tally = evaluate(self.plan, sink, known=known, report=self.telling, options=options)
        self.state = FINISHED if tally.stopped is None else STOPPED
        self.appender.end(self.state, tally.stopped)
        self.telling.close()
        if tally.stopped is None:
            self.telling(Done(run_id, tally.failed_items))
        else:
            self.telling(Stopped(tally.stopped))
        return tally

    def outcome(self, tally: Tally) -> Outcome:
        """Return how the session ended."""
        return Outcome(
            run=self.plan.run.id,
            state=self.state,
            reason=tally.stopped,
            interrupted=tally.interrupted,
            refused=tally.refused,
            failed=tally.failed_items,
            calls=dict(tally.calls),
            cache_hits=tally.cache_hits,
            usage=tuple(self.account.totals()),
        )


class _Telling:
    """Passes events on, progress some ten times a second, with the usage every second."""

    def __init__(self, report: Report | None, account: Account) -> None:
        self._report = report
        self._account = account
        self._told: dict[str, float] = {}
        self._held: dict[str, Event] = {}
        self._later: asyncio.TimerHandle | None = None

    def __call__(self, event: Event) -> None:
        """Take an event; the last one of a kind is never lost, only late."""
        from gacc_gui.runner.events import Failure, Progress

        if self._report is None:
            return
        if not isinstance(event, Progress | Failure):
            self._report(event)
            return
        name = event.stage if isinstance(event, Progress) else event.kind
        now = monotonic()
        self._held[name] = event
        if now - self._told.get(name, 0.0) >= _TELL_SECONDS:
            self._told[name] = now
            self._report(self._held.pop(name))
        elif self._later is None:
            self._later = asyncio.get_running_loop().call_later(_TELL_SECONDS, self._tell_held)
        if now - self._told.get("", 0.0) >= _USAGE_SECONDS:
            self._told[""] = now
            self._tell_usage()

    def close(self) -> None:
        """Pass on what was held back, and the usage."""
        self._tell_held()
        self._tell_usage()

    def _tell_held(self) -> None:
        self._later = None
        held, self._held = self._held, {}
        for name, event in held.items():
            self._told[name] = monotonic()
            if self._report is not None:
                self._report(event)

    def _tell_usage(self) -> None:
        if self._report is None:
            return
        for total in self._account.totals():
            if total.calls or total.hits:
                self._report(total)
