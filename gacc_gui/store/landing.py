"""What became of the records of one import: counts, and each record that did not simply land."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from gacc_gui.core.records import Record


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another record under the same key is already stored, and stays."""

    kind: str
    key: tuple[str | int, ...]
    line: int | None
    stored: Record
    incoming: Record


@dataclass(frozen=True, slots=True)
class Waiting:
    """A record whose parent is not there; it is kept and lands when the parent arrives."""

    kind: str
    key: tuple[str | int, ...]
    line: int | None
    parent_kind: str
    parent_id: str

    @property
    def reason(self) -> str:
        """What is missing, in words."""
        return f"{self.parent_kind} {self.parent_id!r} is not there"


@dataclass(frozen=True, slots=True)
class Refused:
    """A record that contradicts what is there, such as an answer to a question of another goal."""

    kind: str
    key: tuple[str | int, ...]
    line: int | None
    reason: str


@dataclass(slots=True)
class Landing:
    """The tally of one import. `added`, `already` and `superseded` count records by kind."""

    run_id: str
    new_run: bool
    added: Counter[str] = field(default_factory=Counter)
    already: Counter[str] = field(default_factory=Counter)
    superseded: Counter[str] = field(default_factory=Counter)
    conflicts: list[Conflict] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
