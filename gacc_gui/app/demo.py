"""The demonstration: the bundled texts, evaluated offline by the ordinary engine into a fresh database.

Owns which cells are filled and where the database goes. The texts, the reader's rules and the story of the
slips are `resources/demo`; the parts are `runner.rules` and `runner.slips`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.app.locations import fresh_database
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Context, Goal, Question, Run
from gacc_gui.resources import resource

if TYPE_CHECKING:
    from gacc_gui.runner.events import Report
    from gacc_gui.runner.plan import Plan
    from gacc_gui.runner.rules import ReadingRule

RUN_ID: Final = "demo"
RATIOS: Final = ("0.1", "0.25", "0.5")
DATASET: Final = "demo/demo.gacc-dataset.json"
READER_RULES: Final = "demo/reader-rules.json"

_OTHER_CONDITIONS_AT: Final = "0.25"
_SEED: Final = 1202
"""Of the slips: chosen so that every cause of a failure is there to be seen."""
_WRITTEN: Final = "2026-11-30T00:00:00Z"
"""When texts and rules were fixed. The run follows from them alone: made again, it is the same run."""


def make_demo(database_path: Path | None = None, report: Report | None = None) -> dict[str, Any]:
    """Evaluate the demonstration and return `{"db": path, "runs": [id]}`.

    Without a path, the database gets a name of its own in the user's data folder. Raises BadUsage where the
    given file exists: the demonstration touches nobody's database.
    """
    from gacc_gui.runner.engine import Options, evaluate
    from gacc_gui.runner.sink import whole_run
    from gacc_gui.store import search
    from gacc_gui.store.database import open_database

    path = fresh_database("demo") if database_path is None else database_path
    if path.exists():
        raise BadUsage(f"{path} exists; the demonstration makes a database of its own and needs a new name")
    plan = demo_plan()
    try:
        with open_database(path) as database:
            with whole_run(database, plan.protocol.codec.identity_verified) as sink:
                evaluate(plan, sink, report=report, options=Options(concurrency=1))
            search.build(database, plan.run.id)
    except BaseException:
        # Ours, and worth nothing by halves. SQLite leaves its side files where the disk is full.
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        raise
    return {"db": str(path), "runs": [plan.run.id]}


def demo_plan() -> Plan:
    """Return the demonstration's evaluation. Raises CodecUnavailable where the vocabulary is missing."""
    from gacc_gui.formats.dataset import read_item_records
    from gacc_gui.formats.items import Parsed
    from gacc_gui.formats.vocabulary import load_codec
    from gacc_gui.runner.gacc_protocol import GaccProtocol
    from gacc_gui.runner.plan import Plan, Setting
    from gacc_gui.runner.rules import ExactJudge, FullContext, Keywords, Lead, Openings, PatternReader
    from gacc_gui.runner.slips import CarelessReader, MoodyJudge, Slips, UnsteadyCompressor

    codec, slips = load_codec("cl100k_base"), Slips(_SEED)
    items = read_item_records(resource(DATASET))  # one bad record would refuse the whole document
    records = [item.record for item in items if isinstance(item, Parsed)]
    keywords = UnsteadyCompressor(Keywords(codec), slips)
    compressors = (
        UnsteadyCompressor(Lead(codec), slips),
        UnsteadyCompressor(Openings(codec), slips),
        keywords,
    )
    settings = [Setting(compressor, "own-goal", ratio) for compressor in compressors for ratio in RATIOS]
    settings += [Setting(keywords, name, _OTHER_CONDITIONS_AT) for name in ("no-goal", "cross-goal")]
    settings.append(Setting(FullContext(), "full-context", "1"))
    reader = CarelessReader(PatternReader(_reading_rules()), slips)
    judge = MoodyJudge(ExactJudge(), slips)
    return Plan(
        run=Run(
            id=RUN_ID,
            name="Demonstration: rule parts, three ratios",
            protocol="gacc-bench",
            created_at=_WRITTEN,
            diagnostic_only=True,
            tokenizer={
                "name": codec.name,
                "revision": codec.revision,
                "identity_verified": codec.identity_verified,
            },
            reader={"name": reader.name, "revision": reader.revision},
            judge={"name": judge.name, "revision": judge.revision},
        ),
        contexts=[record for record in records if isinstance(record, Context)],
        goals=[record for record in records if isinstance(record, Goal)],
        questions=[record for record in records if isinstance(record, Question)],
        settings=settings,
        protocol=GaccProtocol(codec, reader, judge),
    )


def _reading_rules() -> dict[str, ReadingRule]:
    from gacc_gui.runner.rules import ReadingRule

    document = json.loads(resource(READER_RULES).read_text(encoding="utf-8"))
    return {
        rule["question"]: ReadingRule(
            re.compile(rule["pattern"]),
            re.compile(rule["misread"]) if "misread" in rule else None,
            rule.get("says"),
        )
        for rule in document["rules"]
    }
