"""The contract diagnostic as a person asks for it: a run per seed in the database, and the figures of each.

Every figure but the counts of calls comes from what is stored: the database is read back, recounted and
audited. The texts and rules are `runner.fixture`, the audit `app.verifying`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.app.metrics import run_metrics
from gacc_gui.app.verifying import CHECKS, verify_run
from gacc_gui.core.errors import BadUsage, GaccError

if TYPE_CHECKING:
    from gacc_gui.core.records import Record
    from gacc_gui.store.evaluations import UnderWay
    from gacc_gui.store.reads import Reader

_VIOLATIONS: Final = "budget_violations"
_EXPOSURES: Final = "compressor_exposures"


@dataclass(frozen=True, slots=True)
class FixtureRun:
    """One seed's outcome. `count_errors` are all figures of the audit that a recount contradicts."""

    id: str
    seed: int
    compressor_calls: int
    reread_compressor_calls: int
    micro: float | None
    macro: float | None
    count_errors: int
    budget_violations: int
    compressor_exposures: int


@dataclass(slots=True)
class _Kept:
    """A sink that only remembers."""

    records: list[Record]

    async def begin(self, call: UnderWay) -> None:
        pass

    async def withdraw(self, request_id: str) -> None:
        pass

    async def add(self, records: Sequence[Record]) -> None:
        self.records.extend(records)


def seeds_of(text: str) -> list[int]:
    """Return the seeds of a list such as `42,43,44`, each once. Raises BadUsage for what is no number."""
    seeds: list[int] = []
    for part in text.split(","):
        try:
            seed = int(part)
        except ValueError as error:
            raise BadUsage(f"a seed is a whole number, not {part.strip()!r:.40}") from error
        if seed not in seeds:
            seeds.append(seed)
    return seeds


def run_fixture(
    database_path: Path, seeds: Sequence[int], progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Evaluate the diagnostic for each seed into the database and return FORMATS.md's JSON document.

    `progress(done, total)` counts seeds. A seed's run that is there already stays as it is, equal in every
    record. Raises GaccError where the stored run of a seed is another one, or the database cannot be used.
    """
    runs = []
    for done, seed in enumerate(seeds, start=1):
        runs.append(asdict(run_seed(database_path, seed)))
        if progress is not None:
            progress(done, len(seeds))
    return {"runs": runs}


def run_seed(database_path: Path, seed: int) -> FixtureRun:
    """Evaluate one seed, read every memory a second time from the cache, and audit what was stored."""
    from gacc_gui.runner.engine import Options, evaluate
    from gacc_gui.runner.fixture import fixture_plan
    from gacc_gui.runner.sink import whole_run
    from gacc_gui.store import search
    from gacc_gui.store.database import open_database
    from gacc_gui.store.reads import Reader

    plan = fixture_plan(seed)
    with open_database(database_path) as database:
        with whole_run(database, plan.protocol.codec.identity_verified) as sink:
            first = evaluate(plan, sink, options=Options(concurrency=1))
        search.build(database, plan.run.id)
    reread = _Kept([])
    second = evaluate(plan, reread, options=Options(concurrency=1))
    with Reader(database_path) as reader:
        _check_equal(reader, plan.run.id, reread.records)
        cells = run_metrics(reader, plan.run.id).cells
        failures = {check.name: check.failures for check in verify_run(reader, plan.run.id).checks}
    return FixtureRun(
        id=plan.run.id,
        seed=seed,
        compressor_calls=first.compressor_calls,
        reread_compressor_calls=second.compressor_calls,
        micro=cells[0].micro.errors_as_wrong,
        macro=cells[0].macro.errors_as_wrong,
        count_errors=sum(failures[name] for name in CHECKS if name not in (_VIOLATIONS, _EXPOSURES)),
        budget_violations=failures[_VIOLATIONS],
        compressor_exposures=failures[_EXPOSURES],
    )


def _check_equal(reader: Reader, run_id: str, reread: Sequence[Record]) -> None:
    """Raise GaccError unless the repeated read gave the stored memories, answers and verdicts again."""
    from gacc_gui.core.records import Answer, Memory, Verdict
    from gacc_gui.store.record_rows import key_of, same

    again = {(type(record), key_of(record)): record for record in reread}
    for record in reader.records(run_id):
        # Requests are left out: a proposal from the cache sends nothing, which is the point of reading again.
        if isinstance(record, Memory | Answer | Verdict):
            repeated = again.get((type(record), key_of(record)))
            if repeated is None or not same(record, repeated):
                raise GaccError(f"the repeated read of {run_id} gave another {type(record).__name__.lower()}")
