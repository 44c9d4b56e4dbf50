"""The audit of a run as a job for a worker: the checks of `verify` and the faults of `lint`.

Holds no widget: whoever started it looks at `progress` now and then, and sets `cancel`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gacc_gui.app.linting import Linting
    from gacc_gui.app.verifying import Verification
    from gacc_gui.store.reads import Reader


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found."""

    run_id: str
    verification: Verification
    linting: Linting


@dataclass(slots=True)
class AuditJob:
    """One audit, from the outside: its run, how far it is, and the way to stop it."""

    run_id: str
    progress: tuple[int, int | None, str] = (0, None, "starting")
    cancel: threading.Event = field(default_factory=threading.Event)

    def work(self, reader: Reader) -> Audit:
        """Check everything. Raises Interrupted where it was cancelled."""
        from gacc_gui.app.linting import lint_run
        from gacc_gui.app.verifying import verify_run

        verification = verify_run(reader, self.run_id, self._note, self.cancel.is_set)
        return Audit(self.run_id, verification, lint_run(reader, self.run_id))

    def _note(self, done: int, total: int | None, phase: str) -> None:
        self.progress = (done, total, phase)
