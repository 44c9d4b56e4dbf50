"""One session of an evaluation in an open database, of whatever benchmark: begun, run, ended, told.

Owns what of a run is known when a session begins, how its end is noted, and how often events are passed on.
Not here: what may begin (`evaluating`, `compaction_running`), and doing it (`runner.engine`).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.errors import GaccError, StoreError
from gacc_gui.core.records import Json, Request

if TYPE_CHECKING:
    from gacc_gui.runner.accounting import Account
    from gacc_gui.runner.control import Control
    from gacc_gui.runner.engine import Tally
    from gacc_gui.runner.events import Event, Report, UsageTotal
    from gacc_gui.runner.plan import Plan
    from gacc_gui.store.database import Database

_TELL_SECONDS: Final = 0.1
_USAGE_SECONDS: Final = 1.0


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


@dataclass(slots=True)
class Session:
    """One evaluation in an open database, from its first commit to its last."""

    database: Database
    plan: Plan
    account: Account
    control: Control
    telling: Telling
    goes_on: str
    """What goes on with it, such as `--resume 'run'`."""
    closing: Sequence[Callable[[], Awaitable[None]]] = ()
    state: str = ""
    appender: Any = field(init=False)

    def __post_init__(self) -> None:
        from gacc_gui.store.appending import RunAppender

        self.appender = RunAppender(self.database)

    @contextmanager
    def begun(self, configuration: str) -> Iterator[None]:
        """Begin the session, and note that it stopped where the block raises."""
        from gacc_gui.runner.events import Stopped
        from gacc_gui.store.database import is_busy
        from gacc_gui.store.evaluations import STOPPED

        self.appender.begin(self.plan.run, self.plan.protocol.codec.identity_verified, configuration)
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
                    f"{error}; what was committed is kept, and {self.goes_on} goes on"
                ) from error
            raise

    def evaluate(self, concurrency: int, estimate: Mapping[str, Json] | None = None) -> Tally:
        """Run what is missing, and note how it ended, last of all; `tell_end` follows."""
        from gacc_gui.runner.engine import Options, evaluate
        from gacc_gui.runner.resume import interrupted_calls, known_of
        from gacc_gui.runner.sink import DurableSink
        from gacc_gui.store import evaluations, record_reads
        from gacc_gui.store.evaluations import FINISHED, STOPPED

        connection, run_id = self.database.connection, self.plan.run.id
        known = known_of(connection, run_id)
        self.account.hits = evaluations.cache_hits(connection, run_id)
        where = (
            "requests.run_key = (SELECT run_key FROM runs WHERE id = ?)"
            " AND json_extract(requests.extra, '$.probe') IS NULL"  # what was asked again is no part of it
        )
        self.account.remember(record_reads.requests(connection, where, (run_id,)))
        self.account.remember(evaluations.kept(connection, run_id))
        interrupted = list(interrupted_calls(connection, run_id))
        self.account.remember(interrupted)
        lost: list[Request] = [call for call in interrupted if call.memory_id in known.memories]
        if lost:
            self.appender.append(lost)
        options = Options(
            concurrency=concurrency,
            account=self.account,
            control=self.control,
            obey_signals=threading.current_thread() is threading.main_thread(),
            closing=self.closing,
            estimate=estimate,
        )
        sink = DurableSink(self.appender, self.database, self.telling)
        tally = evaluate(self.plan, sink, known=known, report=self.telling, options=options)
        self.state = FINISHED if tally.stopped is None else STOPPED
        self.appender.end(self.state, tally.stopped)
        self.telling.close()
        return tally

    def tell_end(self, tally: Tally) -> None:
        """Tell how the session ended; the last event of it."""
        from gacc_gui.runner.events import Done, Stopped

        if tally.stopped is None:
            self.telling(Done(self.plan.run.id, tally.failed_items))
        else:
            self.telling(Stopped(tally.stopped))

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


class Telling:
    """Passes events on, progress some ten times a second, with the usage every second."""

    def __init__(self, report: Report | None, account: Account) -> None:
        self._report = report
        self._account = account
        self._told: dict[str, float] = {}
        self._held: dict[str, Event] = {}
        self._later: asyncio.TimerHandle | None = None
        self._is_warned = False

    def __call__(self, event: Event) -> None:
        """Take an event; the last one of a kind is never lost, only late."""
        from gacc_gui.runner.events import Failure, Progress

        if self._report is None:
            return
        self._warn()
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
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                self._tell_held()  # before and after the calls nobody would tell it later
            else:
                self._later = loop.call_later(_TELL_SECONDS, self._tell_held)
        if now - self._told.get("", 0.0) >= _USAGE_SECONDS:
            self._told[""] = now
            self._tell_usage()

    def close(self) -> None:
        """Pass on what was held back, and the usage."""
        self._warn()
        self._tell_held()
        self._tell_usage()

    def _warn(self) -> None:
        from gacc_gui.runner.events import Unwatched

        reason = self._account.unwatched
        if self._report is not None and reason is not None and not self._is_warned:
            self._is_warned = True
            self._report(Unwatched(reason))

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
