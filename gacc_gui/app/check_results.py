"""What an audit says: checks with their outcomes, and examples of what failed.

Owns the shapes, and how failures are tallied. The checks themselves are `app.verifying`'s and
`app.compaction_checks`'.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MAX_EXAMPLES: Final = 50
"""Examples kept per check; the number of failures is always whole."""


@dataclass(frozen=True, slots=True)
class Example:
    """One failure: where it is, and what was declared against what was found. Long texts are excerpts."""

    memory_id: str | None
    field: str
    declared: int | str | bool | None = None
    recomputed: int | str | bool | None = None
    request_id: str | None = None
    question_id: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check. `ok` None: it could not run, and `why` says why not."""

    name: str
    ok: bool | None
    checked: int
    failures: int
    examples: tuple[Example, ...] = ()
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """The audit of a run."""

    run_id: str
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether no check failed."""
        return all(check.ok is not False for check in self.checks)


@dataclass(slots=True)
class Tally:
    """Gathers the outcome of one check."""

    checked: int = 0
    failures: int = 0
    examples: list[Example] = field(default_factory=list)
    why: str | None = None

    def count(self, failure: Example | None) -> None:
        """Take the outcome for one thing that was checked."""
        self.checked += 1
        if failure is not None:
            self.fail(failure)

    def fail(self, failure: Example) -> None:
        """Take a failure of something that was counted already."""
        self.failures += 1
        if len(self.examples) < MAX_EXAMPLES:
            self.examples.append(failure)

    def outcome(self, name: str, nothing: str) -> Check:
        """The check's result; `nothing` says why there was nothing to look at."""
        ok = None if self.checked == 0 else self.failures == 0
        why = (self.why or nothing) if ok is None else None
        return Check(name, ok, self.checked, self.failures, tuple(self.examples), why)
