"""Counterfactual re-asks as a person asks for them: looked ahead to, asked, stored, explained.

Owns one session of making probes: each is stored with its requests in one transaction as soon as it is done,
so that nothing is lost when it is stopped. Probes enter no figure: metrics, causes and audits know nothing of
them. Not here: which probes those are, and their cost (`probe_planning`), asking (`runner.probing`), what the
results mean (`core.probe_findings`).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.app.evaluation_session import Telling
from gacc_gui.app.probe_parts import Connecting
from gacc_gui.app.probe_planning import NothingMissing, ProbePlan, ProbeRequest, planned
from gacc_gui.app.probe_rows import probes_by_row, row_for_rules
from gacc_gui.core.errors import BadUsage, StoreError
from gacc_gui.core.probe_findings import AskedRow, Finding, find, result_of
from gacc_gui.core.records import Probe, Record, Request
from gacc_gui.formats.record_writing import json_object
from gacc_gui.runner.accounting import Account
from gacc_gui.runner.asking import Asking
from gacc_gui.runner.call_records import RequestIds
from gacc_gui.runner.config_model import LimitsConfig
from gacc_gui.runner.control import Control
from gacc_gui.runner.events import Done, Planned, Progress, Report, Stopped, Stopping, Waiting
from gacc_gui.runner.known import Known
from gacc_gui.runner.probing import PROBE, Ask, failed, make_probe
from gacc_gui.runner.sink import LOCKED_SECONDS, TELL_SECONDS
from gacc_gui.runner.tries import tries_of
from gacc_gui.runner.workers import Workers

if TYPE_CHECKING:
    from sqlite3 import Connection

    from gacc_gui.store.database import Database
    from gacc_gui.store.evaluations import UnderWay
    from gacc_gui.store.reads import Reader

STAGE: Final = "probes"
"""What events call them."""
_NO_LIMITS: Final = LimitsConfig()
_AGAIN_SECONDS: Final = 0.5
_BUSY_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class ProbedRow:
    """A row that was asked again, and what all its stored probes say of it."""

    place: tuple[str, str, int]
    asked: AskedRow
    finding: Finding

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        finding = self.finding
        stability = finding.stability
        return {
            "memory_id": self.place[0],
            "question_id": self.place[1],
            "repeat": self.place[2],
            "label": self.asked.label,
            "cause": finding.cause,
            "outcome": finding.outcome,
            "suggests": finding.suggests,
            "finding": finding.sentence,
            "notes": list(finding.notes),
            "results": dict(finding.results),
            "known_anyway": finding.known_anyway,
            "stability": None
            if stability is None
            else {"right": stability.right, "wrong": stability.wrong, "stable": stability.is_stable},
        }


@dataclass(frozen=True, slots=True)
class ProbeOutcome:
    """How a session ended. `probes` are those that were made in it, each with its result; `planned` so many.

    `reason` is why it stopped before all were asked; `interrupted`: somebody asked; `refused`: a service lets
    no call succeed. `failed` probes came to no label. `calls` by role, each try one.
    """

    head: Mapping[str, Any]
    planned: int
    probes: tuple[tuple[Probe, str], ...]
    rows: tuple[ProbedRow, ...]
    failed: int
    reason: str | None
    interrupted: bool
    refused: bool
    calls: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON."""
        return {
            **self.head,
            "state": "finished" if self.reason is None else "stopped",
            "reason": self.reason,
            "planned": self.planned,
            "failed": self.failed,
            "calls": dict(self.calls),
            "probes": [{**json_object(probe), "result": result} for probe, result in self.probes],
            "rows": [row.as_json() for row in self.rows],
        }


def look_ahead(database_path: Path, run: str, request: ProbeRequest) -> dict[str, Any]:
    """Return what a request would ask and cost, as JSON, without a call; nothing is written.

    Raises as `ask_again` does, but for missing keys.
    """
    from gacc_gui.store.reads import Reader

    with Reader(database_path) as reader:
        try:
            plan = planned(reader, reader.resolve_run(run), request, None)
        except NothingMissing as nothing:
            return {**nothing.head, "planned": 0, "rows": 0, "sentence": str(nothing)}
    return {
        **plan.head(),
        "planned": len(plan.asks),
        "rows": len(plan.chosen.rows),
        "sentence": plan.estimate.sentence,
    }


def ask_again(
    database_path: Path, run: str, request: ProbeRequest, *, live: bool = False, report: Report | None = None
) -> ProbeOutcome:
    """Ask again, store every probe as it comes, and return what they say.

    Signals are obeyed in the main thread (see `runner.control`). Raises BadUsage where the request makes no
    sense, the run's parts are not here, another process asks models what is missing, too (both would pay for
    the same), or a model would be asked without `live`: the sentence has the cost;
    StoreError where the database fails on the way: what was committed is kept.
    """
    from gacc_gui.runner.run_lock import only_one
    from gacc_gui.store.database import open_database
    from gacc_gui.store.reads import Reader

    account, control = Account(), Control()
    telling = Telling(report, account)
    with ExitStack() as held, Reader(database_path) as reader:
        run_id = reader.resolve_run(run)
        if live and request.missing:
            held.enter_context(only_one(database_path, run_id, "asked again"))
        connecting = Connecting(telling, tries_of(account, control)) if live else None
        try:
            plan = planned(reader, run_id, request, connecting)
        except NothingMissing as nothing:
            telling(Planned(run_id, {STAGE: 0}, {STAGE: 0}, nothing.head["estimate"]))
            telling.close()
            telling(Done(run_id, 0))
            return ProbeOutcome(nothing.head, 0, (), (), 0, None, False, False, {})
        if plan.parts.live and not live:
            raise BadUsage(f"this asks models: {plan.estimate.sentence}; --live says that it may")
        account.limits = plan.parts.limits
        account.asking = frozenset(service.role for service in plan.parts.services)
        if account.limits != _NO_LIMITS:
            account.remember(reader.on_run(run_id, _probe_requests))
        telling(Planned(run_id, {STAGE: len(plan.asks)}, {STAGE: 0}, plan.estimate.as_json()))
        with open_database(database_path, create=False, busy_seconds=_BUSY_SECONDS) as database:
            session = _Session(plan, database, account, control, telling)
            try:
                asyncio.run(session.run())
            except StoreError as error:
                telling.close()
                probes = f"{len(plan.asks):,} {'probe' if len(plan.asks) == 1 else 'probes'}"
                raise StoreError(f"{error}; of {probes} {len(session.made):,} are stored") from error
        outcome = session.outcome(reader)
    telling.close()
    telling(Done(run_id, outcome.failed) if outcome.reason is None else Stopped(outcome.reason))
    return outcome


def _probe_requests(connection: Connection, run_key: int) -> list[Request]:
    from gacc_gui.store import record_reads

    where = f"requests.run_key = ? AND json_extract(requests.extra, '$.{PROBE}') IS NOT NULL"
    return list(record_reads.requests(connection, where, (run_key,)))


# One session.


async def _no_note(_call: UnderWay) -> None:
    """A probe that a crash takes away leaves nothing: the run itself misses nothing."""


async def _no_note_back(_request_id: str) -> None:
    """There is none."""


async def _nothing_kept(_records: Sequence[Record]) -> None:
    """Probes are handed over whole."""


@dataclass(slots=True)
class _Session:
    plan: ProbePlan
    database: Database
    account: Account
    control: Control
    telling: Telling
    calls: Asking = field(init=False)
    made: list[Probe] = field(default_factory=list)
    failures: int = 0
    waits: bool = False
    """Whether it was told that another program holds the database."""

    async def run(self) -> None:
        control = self.control
        self.calls = Asking(
            self.account, control, RequestIds(), _no_note, _no_note_back, _nothing_kept, Known()
        )
        control.when_changed(self._on_control)
        workers: Workers[Ask, Ask] = Workers(control, self._make, self._make)
        self._tell()
        with ExitStack() as stack:
            if threading.current_thread() is threading.main_thread():
                stack.enter_context(control.signals())
            try:
                asks = self.plan.asks
                await workers.work_through(asks, min(self.plan.parts.concurrency, len(asks)))
            finally:
                self.calls.close()
                for close in self.plan.parts.closing:
                    await close()

    def outcome(self, reader: Reader) -> ProbeOutcome:
        left = len(self.plan.asks) - len(self.made)
        reason = None
        if left or self.calls.refused or self.account.cut_short:
            reason = self.control.reason or self.account.refusal() or "not everything was asked"
        references = {one.row.question.id: one.row.question.references for one in self.plan.chosen.rows}
        order = {ask.id: number for number, ask in enumerate(self.plan.asks)}
        self.made.sort(key=lambda probe: order[probe.id])
        return ProbeOutcome(
            head=self.plan.head(),
            planned=len(self.plan.asks),
            probes=tuple((probe, result_of(probe, references[probe.question_id])) for probe in self.made),
            rows=tuple(self._rows(reader)),
            failed=self.failures,
            reason=reason,
            interrupted=self.control.interrupted,
            refused=self.calls.refused,
            calls=dict(self.calls.made),
        )

    def _rows(self, reader: Reader) -> Iterator[ProbedRow]:
        run_id, chosen = self.plan.run.id, self.plan.chosen.rows
        stored: dict[tuple[str, str, int], list[Probe]] = {}
        for memory_id in dict.fromkeys(one.view.memory.id for one in chosen):
            stored.update(probes_by_row(reader.probes(run_id, memory_id)))
        for one in chosen:
            if probes := stored.get(one.place):
                asked = row_for_rules(one.row, one.view.memory)
                yield ProbedRow(one.place, asked, find(asked, probes))

    async def _make(self, ask: Ask) -> None:
        records = await make_probe(ask, self.plan.parts.asker, self.calls)
        probe = (await self._store(records))[-1]
        assert isinstance(probe, Probe)
        self.made.append(probe)
        self.failures += failed(probe)
        self._tell()

    async def _store(self, records: Sequence[Record]) -> Sequence[Record]:
        """Store a probe with its requests, all or none, and return them as stored.

        Waits while another program holds the database.
        """
        from gacc_gui.formats.redaction import without_credentials
        from gacc_gui.store.added_rows import append_added
        from gacc_gui.store.database import is_busy

        clean: list[Any] = [without_credentials(record)[0] for record in records]
        begun = monotonic()
        while True:
            try:
                stored = append_added(self.database, self.plan.run.id, clean)
            except StoreError as error:
                left = LOCKED_SECONDS - (monotonic() - begun)
                if not is_busy(error) or left < 0:
                    raise
                if not self.waits and left < LOCKED_SECONDS - TELL_SECONDS:
                    self.waits = True
                    self.telling(Waiting("database", left, "another program holds the database"))
            else:
                self.waits = False
                return stored
            await asyncio.sleep(_AGAIN_SECONDS)

    def _tell(self) -> None:
        self.telling(Progress(STAGE, len(self.made), len(self.plan.asks), self.failures))

    def _on_control(self) -> None:
        if self.control.stopping:
            self.telling(Stopping(self.control.reason or "", self.account.under_way))
