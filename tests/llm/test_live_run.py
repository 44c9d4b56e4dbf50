"""A whole evaluation by a real model: summary, reader and judge, over HTTP, into the database, and verified.

What the model says is its own affair: these tests look at statuses, ledgers and usage, never at scores.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gacc_gui.core.records import ANSWER_STATUSES, VERDICT_STATUSES, Answer, Memory, Verdict
from gacc_gui.store.reads import Reader
from tests.conftest import CommandLine

pytestmark = [pytest.mark.llm, pytest.mark.timeout(900)]

DATASET = {
    "format": "gacc-dataset",
    "format_version": 1,
    "contexts": [
        {
            "id": "pump",
            "text": "The night shift found the pump off. Valve K-7 was closed at 02:14 by Ines Okafor."
            " The tank held 812 litres. Nobody told the day shift. The repair cost 4,150 euros.",
        },
        {
            "id": "ferry",
            "text": "The ferry to Brask leaves at 07:40 from pier 9. Tickets cost 12 crowns."
            " Dogs travel free. In winter the last boat back leaves at 16:05.",
        },
    ],
    "goals": [
        {"id": "g1", "context_id": "pump", "text": "What happened to the valve in the night."},
        {"id": "g2", "context_id": "ferry", "text": "When the boats leave."},
    ],
    "questions": [
        {"id": "q1", "goal_id": "g1", "text": "Who closed the valve?", "references": ["Ines Okafor"]},
        {"id": "q2", "goal_id": "g1", "text": "How much did the tank hold?", "references": ["812 litres"]},
        {"id": "q3", "goal_id": "g2", "text": "When does the ferry leave?", "references": ["07:40"]},
    ],
}


def configuration(url: str) -> str:
    return f"""
[run]
id = "live"
[dataset]
path = "dataset.json"
[evaluation]
ratios = ["0.5"]
[[compressors]]
part = "llm-summary"
endpoint = "local"
[reader]
part = "llm"
endpoint = "local"
max_tokens = 16
[judge]
part = "llm"
endpoint = "local"
max_tokens = 96
[endpoints.local]
base_url = "{url}"
service = "llama.cpp"
model = "gemma-3-270m"
concurrency = 2
timeout_seconds = 300
max_retries = 1
"""


def test_an_evaluation_by_a_real_model(cli: CommandLine, model_url: str) -> None:
    (cli.folder / "dataset.json").write_text(json.dumps(DATASET), encoding="utf-8")
    (cli.folder / "live.toml").write_text(configuration(model_url), encoding="utf-8")
    database = cli.folder / "live.db"

    refused = cli("--db", database, "run", "gacc", "live.toml", expect=2)
    assert "--live" in refused.err and not database.exists()

    done = cli("--db", database, "run", "gacc", "live.toml", "--live", "--json", expect=None, timeout=800)
    assert done.code in (0, 3), done.err  # a small model may give no verdict
    assert done.json["state"] == "finished"
    assert done.json["calls"]["compressor"] == 2 and done.json["calls"]["reader"] == 3
    _look_at_the_ledger(database)
    _look_at_the_requests(database)

    cli("--db", database, "verify", "live")
    (cell,) = cli("--db", database, "metrics", "live", "--json").json["cells"]
    assert (cell["goals"], cell["questions"], cell["missing_goals"]) == (2, 3, 0)
    assert cell["micro"]["errors_as_wrong"] is not None

    again = cli(
        "--db", database, "run", "gacc", "live.toml", "--live", "--resume", "live", "--json", expect=None
    )
    assert again.json["calls"].get("compressor", 0) == again.json["calls"].get("reader", 0) == 0


def _look_at_the_ledger(database: Path) -> None:
    with Reader(database) as reader:
        records = list(reader.records("live"))
    memories = [record for record in records if isinstance(record, Memory)]
    assert len(memories) == 2
    for memory in memories:
        assert memory.status in ("ok", "truncated"), memory
        assert memory.ledger is not None and memory.budget is not None
        assert memory.ledger.retained_tokens == min(memory.ledger.proposed_tokens or 0, memory.budget) > 0
        assert memory.cell.compressor == "llm-summary" and "gemma-3-270m" in memory.cell.revision
    answers = [record for record in records if isinstance(record, Answer)]
    assert len(answers) == 3 and {answer.status for answer in answers} <= set(ANSWER_STATUSES) - {"error"}
    verdicts = [record for record in records if isinstance(record, Verdict)]
    assert {verdict.status for verdict in verdicts} <= set(VERDICT_STATUSES) - {"error"}
    assert all((verdict.status == "judged") == (verdict.label is not None) for verdict in verdicts)


def _look_at_the_requests(database: Path) -> None:
    with Reader(database) as reader:
        requests = reader.requests("live")
    assert {request.role for request in requests} == {"compressor", "reader", "judge"}
    for request in requests:
        told = request.extra
        assert told["usage"]["input_tokens"] > 0 and told["usage"]["output_tokens"] > 0
        assert told["finish_reason"] in ("stop", "length")
        assert told["latency_seconds"] > 0
        assert [attempt["status"] for attempt in told["attempts"]] == [200]
        assert json.loads(told["reply"])["object"] == "chat.completion"
        sent = json.loads(request.content)
        assert sent["model"] == "gemma-3-270m" and sent["temperature"] == 0
