"""What stands beside a corpus: `collection.jsonl` (how each case was collected), `cases.jsonl` (its filters).

Owns the shape of their lines. They hold no credential and no path of a machine: whoever makes a line sees to
it. A line of `collection.jsonl`:

    {"id", "agent", "agent_version", "mode", "model", "session", "usage", "compaction", "reasoning_config",
     "sources": [{"path", "sha256", "sha256_before", "sha256_after"}, …],
     "wire": [{"request", "status", "response"}, …], "checks": [{"name", "ok", "found"}, …]}

`wire` has the bodies of every chat completion in order; a streamed response is its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

from gacc_gui.core.compaction import CollectionCheck, EvidenceFile
from gacc_gui.core.hotpot_records import HotpotQuestion
from gacc_gui.core.hotpot_selection import structural_checks
from gacc_gui.core.records import Json
from gacc_gui.formats.hotpot_selection import SelectedCase
from gacc_gui.formats.json_values import dumps

CORPUS: Final = "corpus.json"
COLLECTION: Final = "collection.jsonl"
CASES: Final = "cases.jsonl"


@dataclass(frozen=True, slots=True)
class WireBodies:
    """A request's body and the text of the response's; `status` is None where none came."""

    request: Mapping[str, Json]
    status: int | None
    response: str


@dataclass(frozen=True, slots=True)
class CollectionRecord:
    """How a case was collected. `before` and `after` are the workspace's files with their SHA-256."""

    id: str
    agent: str
    agent_version: str
    mode: str
    model: str | None
    files: Sequence[EvidenceFile]
    before: Mapping[str, str]
    after: Mapping[str, str]
    wire: Sequence[WireBodies]
    checks: Sequence[CollectionCheck]
    session: str | None = None
    usage: Mapping[str, Json] = field(default_factory=dict)
    compaction: Mapping[str, Json] = field(default_factory=dict)
    reasoning_config: Json = None

    def as_json(self) -> dict[str, Json]:
        """Return the line's object."""
        return {
            "id": self.id,
            "agent": self.agent,
            "agent_version": self.agent_version,
            "mode": self.mode,
            "model": self.model,
            "session": self.session,
            "usage": dict(self.usage),
            "compaction": dict(self.compaction),
            "reasoning_config": self.reasoning_config,
            "sources": [
                {
                    "path": file.path,
                    "sha256": file.sha256,
                    "sha256_before": self.before.get(file.path),
                    "sha256_after": self.after.get(file.path),
                }
                for file in self.files
            ],
            "wire": [asdict(bodies) for bodies in self.wire],
            "checks": [asdict(check) for check in self.checks],
        }


def collection_text(records: Iterable[CollectionRecord]) -> str:
    """Return the text of `collection.jsonl`."""
    return "".join(dumps(record.as_json()) + "\n" for record in records)


def cases_text(cases: Iterable[tuple[SelectedCase, HotpotQuestion]]) -> str:
    """Return the text of `cases.jsonl`: selected cases with the questions that they are."""
    lines = (
        {
            "id": case.id,
            "type": case.kind,
            "order": case.order,
            "content_sha256": case.content_sha256,
            "checks": [asdict(check) for check in structural_checks(question)],
        }
        for case, question in cases
    )
    return "".join(dumps(line) + "\n" for line in lines)
