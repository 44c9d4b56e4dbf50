"""What an evaluation tells while it runs, and the JSON lines of it (`--events`).

Owns the events' names and fields. Not here: who shows them (`commands.evaluating`, the window), how often.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gacc_gui.core.records import Json

STAGES: Final = ("memories", "answers", "verdicts")


@dataclass(frozen=True, slots=True)
class Planned:
    """What there is to do, per stage; `already` is finished before this session. `estimate`: of all calls."""

    run: str
    stages: Mapping[str, int]
    already: Mapping[str, int]
    estimate: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is: `done` items of `planned` are settled, `failed` of them without a result.

    An item counts as failed, too, where what it needs failed: the answers from a memory that is none.
    """

    stage: str
    done: int
    planned: int
    failed: int = 0


@dataclass(frozen=True, slots=True)
class UsageTotal:
    """What the calls of a role came to, in the whole run. Tokens and cost: None is unknown, not 0.

    Each try is a call. `hits`: proposals from the cache. `unreported` calls of a model told no tokens, those
    without a reply among them; `unpriced` ones have no known cost; the sums hold what is known.
    """

    role: str
    calls: int
    hits: int
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost: float | None
    unreported: int
    unpriced: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call waits: for a rate limit, for a service that asked to be left alone, or for the database."""

    endpoint: str
    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class Unwatched:
    """A limit cannot be watched, because a service does not tell what it used. Told once."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Items failed for one reason. `kind` groups them (role and status); `count` so far in this session."""

    kind: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Paused:
    """No new call is begun until somebody lets it go on."""


@dataclass(frozen=True, slots=True)
class GoneOn:
    """A pause is over."""


@dataclass(frozen=True, slots=True)
class Stopping:
    """No new call is begun; those under way may still finish."""

    reason: str
    under_way: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """The run ended before all was done; it can be resumed."""

    reason: str


@dataclass(frozen=True, slots=True)
class Done:
    """Everything was tried; `failed` items have no result."""

    run: str
    failed: int


Event = (
    Planned
    | Progress
    | UsageTotal
    | Waiting
    | Unwatched
    | Failure
    | Paused
    | GoneOn
    | Stopping
    | Stopped
    | Done
)
Report = Callable[[Event], None]
"""Takes events as they come, in the engine's thread; must return at once."""

_NAMES: Final[Mapping[type, str]] = {
    Planned: "planned",
    Progress: "progress",
    UsageTotal: "usage",
    Waiting: "waiting",
    Unwatched: "unwatched",
    Failure: "error",
    Paused: "paused",
    GoneOn: "resumed",
    Stopping: "stopping",
    Stopped: "stopped",
    Done: "done",
}


def document(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object, `{"event": name, …fields}`."""
    fields = {name: _plain(getattr(event, name)) for name in event.__dataclass_fields__}
    return {"event": _NAMES[type(event)], **fields}


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value
