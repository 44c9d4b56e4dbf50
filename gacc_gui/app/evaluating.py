"""An evaluation as a person asks for it: a configuration, run to its end, or as far as it goes, and resumed.

Owns what may begin (`--live`, a run that is here already, a configuration that differs). The session in the
database is `evaluation_session`'s, what is made of a configuration `runner.planning`'s, doing it
`runner.engine`'s.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.app.evaluation_session import Outcome, Session, Telling
from gacc_gui.core.errors import BadInput, BadUsage

if TYPE_CHECKING:
    from gacc_gui.runner.config_model import EvaluationConfig
    from gacc_gui.runner.endpoint import ModelClient
    from gacc_gui.runner.engine import Tally
    from gacc_gui.runner.events import Report
    from gacc_gui.runner.known import Known
    from gacc_gui.runner.plan import Plan, Shard
    from gacc_gui.runner.tries import Tries
    from gacc_gui.store.database import Database

_BUSY_SECONDS: Final = 5.0


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
    from gacc_gui.runner.control import Control
    from gacc_gui.runner.gacc_protocol import with_stored_proposals
    from gacc_gui.runner.planning import build_plan, estimate
    from gacc_gui.runner.resume import proposal_of
    from gacc_gui.runner.run_lock import only_one
    from gacc_gui.runner.tries import tries_of
    from gacc_gui.store.database import open_database

    config = load_config(config_path)
    if config.is_live and not live:
        raise BadUsage(f"{config_path} asks models, which may cost money: --live says that it may")
    account = Account(config.limits, frozenset(role for role, part in config.parts if part.asks_model))
    control = Control()
    telling = Telling(report, account)
    clients = _clients(config, telling, tries_of(account, control))
    plan = build_plan(config, _shard(shard), clients)
    plan = replace(plan, run=without_credentials(plan.run)[0])
    run_id = plan.run.id if resume is None else _resolved(database_path, resume)
    with only_one(database_path, run_id), open_database(database_path, create=resume is None) as database:
        if resume is None:
            _must_be_new(database, run_id)
        else:
            plan = _continued(database.connection, plan, run_id)
        plan = with_stored_proposals(plan, partial(proposal_of, database.connection))
        closing_clients = tuple(client.aclose for client in clients.values())
        session = Session(database, plan, account, control, telling, f"--resume {run_id!r}", closing_clients)
        with session.begun(redacted(to_toml(config))):
            tally = session.evaluate(config.concurrency, estimate(plan, config).as_json())
        session.tell_end(tally)
        _index(database, run_id, tally)
    return session.outcome(tally)


def _shard(text: str | None) -> Shard | None:
    from gacc_gui.runner.plan import shard_of

    return None if text is None else shard_of(text)


def _clients(config: EvaluationConfig, telling: Telling, tries: Tries) -> dict[str, ModelClient]:
    used = {part.endpoint for _, part in config.parts if part.endpoint is not None}
    if not used:
        return {}
    from gacc_gui.runner.endpoint import ModelClient

    return {
        name: ModelClient(config.endpoints[name], on_waiting=telling, tries=tries) for name in sorted(used)
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
