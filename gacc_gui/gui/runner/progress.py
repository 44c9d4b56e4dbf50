"""How far a running evaluation is, folded from the events that its command prints.

Owns what each event adds, the rate and the time left. Not here: where events come from (`run_process`), and
how they are shown. Events of another version may lack fields or hold others: what does not fit is passed
over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

STAGES: Final = ("memories", "answers", "verdicts")
ROLES: Final = ("compressor", "reader", "judge")
WINDOW_SECONDS: Final = 60.0
"""The rate is that of the last minute."""
SHORT_WAIT_SECONDS: Final = 1.0
"""What is left of a wait is not told from there on."""
STEADY_SECONDS: Final = 3.0
"""Earlier than that after the first progress no rate is told."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: items done (failed ones among them) of those planned; `planned` None: not yet known."""

    done: int = 0
    planned: int | None = None
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a role has used; a count or cost that the service did not tell is None, which is not 0."""

    calls: int = 0
    hits: int = 0
    """Proposals that came from the cache, without a call."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost: float | None = None
    unreported: int = 0
    """Calls of which no tokens were told."""
    unpriced: int = 0
    """Calls whose cost is unknown."""

    @property
    def asked_model(self) -> bool:
        """Whether any call was one of a model, which has tokens and a cost, if unknown ones."""
        return bool(self.input_tokens or self.output_tokens or self.cost or self.unreported or self.unpriced)


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """Errors of one kind, and one of them as it was told."""

    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A wait that was announced: `until` on the clock that `take` was given."""

    endpoint: str
    reason: str
    until: float


@dataclass(slots=True)
class RunProgress:
    """Everything known of one evaluation. `take` events in the order they were printed."""

    run: str | None = None
    stages: dict[str, Stage] = field(default_factory=dict)
    usage: dict[str, Usage] = field(default_factory=dict)
    errors: dict[str, ErrorKind] = field(default_factory=dict)
    waiting: dict[str, Waiting] = field(default_factory=dict)
    estimate: Mapping[str, Any] | None = None
    is_paused: bool = False
    stopping: str | None = None
    """Why no new call is begun any more, while those under way finish."""
    stopped: str | None = None
    """Why the command ended before all was done."""
    is_done: bool = False
    messages: deque[str] = field(default_factory=lambda: deque(maxlen=50))
    """What the command said to people."""
    _samples: deque[tuple[float, int]] = field(default_factory=deque)

    def take(self, event: Mapping[str, Any], now: float) -> None:
        """Add an event that arrived at `now` (seconds of any steady clock)."""
        name = event.get("event")
        run = event.get("run")
        if isinstance(run, str) and run:
            self.run = run
        if name == "planned":
            self._take_plan(event)
        elif name == "progress":
            self._take_progress(event, now)
        elif name == "usage":
            self._take_usage(event)
        elif name == "error":
            kind, count = str(event.get("kind")), _count(event.get("count")) or 0
            self.errors[kind] = ErrorKind(count, str(event.get("example") or ""))
        elif name == "waiting":
            seconds = event.get("seconds")
            endpoint = str(event.get("endpoint") or "")
            wait = float(seconds) if isinstance(seconds, int | float) else 0.0
            self.waiting[endpoint] = Waiting(endpoint, str(event.get("reason") or ""), now + wait)
        elif name in ("paused", "resumed"):
            self.is_paused = name == "paused"
            self._samples.clear()
        elif name == "stopping":
            self.is_paused = False
            self.stopping = str(event.get("reason") or "it stops")
        elif name == "stopped":
            self.stopped = str(event.get("reason") or "it was stopped")
        elif name == "done":
            self.is_done = True

    def say(self, line: str) -> None:
        """Add a line that the command said to people."""
        self.messages.append(line.removeprefix("gacc-gui: "))

    def started_again(self) -> None:
        """Forget how the command before ended: it goes on."""
        self.stopped = self.stopping = None
        self.is_done = self.is_paused = False
        self.errors.clear()
        self.waiting.clear()
        self._samples.clear()

    @property
    def currency(self) -> str:
        """What costs are counted in; empty where it is not known."""
        currency = self.estimate.get("currency") if self.estimate is not None else None
        return currency if isinstance(currency, str) else ""

    @property
    def done(self) -> int:
        """Items that are done, over all stages."""
        return sum(stage.done for stage in self.stages.values())

    @property
    def planned(self) -> int | None:
        """Items that are planned, over all stages; None while any is unknown."""
        planned = [stage.planned for stage in self.stages.values()]
        return sum(one for one in planned if one is not None) if planned and None not in planned else None

    @property
    def failed(self) -> int:
        """Items that failed, over all stages."""
        return sum(stage.failed for stage in self.stages.values())

    def rate(self, now: float) -> float | None:
        """Items a second over the last minute; None while it is too early to tell."""
        if not self._samples:
            return None
        first_at, first_done = self._samples[0]
        seconds = now - first_at
        return (self.done - first_done) / seconds if seconds >= STEADY_SECONDS else None

    def seconds_left(self, now: float) -> float | None:
        """About how long it will take; None while it cannot be told."""
        rate, planned = self.rate(now), self.planned
        if not rate or planned is None:
            return None
        return max(0, planned - self.done) / rate

    def waits(self, now: float) -> list[Waiting]:
        """The waits that are not over soon."""
        return [one for one in self.waiting.values() if one.until > now + SHORT_WAIT_SECONDS]

    def _take_plan(self, event: Mapping[str, Any]) -> None:
        stages, already = event.get("stages"), event.get("already")
        for stage, planned in stages.items() if isinstance(stages, Mapping) else ():
            done = _count(already.get(stage)) if isinstance(already, Mapping) else None
            self.stages[str(stage)] = Stage(done or 0, _count(planned))
        estimate = event.get("estimate")
        self.estimate = estimate if isinstance(estimate, Mapping) else None

    def _take_progress(self, event: Mapping[str, Any], now: float) -> None:
        name = str(event.get("stage"))
        before = self.stages.get(name, Stage())
        planned = _count(event.get("planned"))
        self.stages[name] = Stage(
            _count(event.get("done")) or 0,
            before.planned if planned is None else planned,
            _count(event.get("failed")) or 0,
        )
        self._samples.append((now, self.done))
        while len(self._samples) > 2 and self._samples[1][0] < now - WINDOW_SECONDS:
            self._samples.popleft()

    def _take_usage(self, event: Mapping[str, Any]) -> None:
        cost = event.get("cost")
        self.usage[str(event.get("role"))] = Usage(
            _count(event.get("calls")) or 0,
            _count(event.get("hits")) or 0,
            _count(event.get("input_tokens")),
            _count(event.get("output_tokens")),
            _count(event.get("cached_tokens")),
            float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
            _count(event.get("unreported")) or 0,
            _count(event.get("unpriced")) or 0,
        )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def duration(seconds: float) -> str:
    """Return a length of time as a person says it: `40 s`, `12 min`, `3 h 05 min`."""
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02d} min"
