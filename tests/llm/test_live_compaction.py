"""A whole compaction run by a real model: summaries and answers over HTTP, decisions by a loopback service.

What the model says is its own affair: these tests look at statuses, counts and files, never at scores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.compaction import METHODS, RESULT_STATUSES
from gacc_gui.formats.corpus import read_corpus
from tests.compaction_cases import write_corpus
from tests.compaction_service import DECISION_KEY, KEY, Inputs
from tests.conftest import CommandLine
from tests.servers.system_one import SystemOneServer

pytestmark = [pytest.mark.llm, pytest.mark.timeout(900)]


def shorten(corpus: Path) -> None:
    """Leave two articles of the case: what a real model reads on a busy machine takes its time."""
    read = read_corpus(corpus)
    (case,) = read.cases
    kept = {f"call_{number}" for number in (3, 8)}

    def left(message: Mapping[str, Any]) -> dict[str, Any]:
        calls = [call for call in message.get("tool_calls", ()) if call["id"] in kept]
        return {**message, "tool_calls": calls} if calls else dict(message)

    trajectory = tuple(left(one) for one in case.trajectory if one.get("tool_call_id", "call_3") in kept)
    short = replace(case, files=(case.files[2], case.files[7]), trajectory=trajectory)
    corpus.unlink()
    write_corpus(corpus, replace(read, cases=(short,), content_sha256={}))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_compaction_run_by_a_real_model(cli: CommandLine, model_url: str) -> None:
    inputs, folder = Inputs(cli.folder, cases=1), cli.folder / "run"
    shorten(inputs.corpus)
    # One at a time: what two requests begin with alike is then worked through once.
    small = ("--generations", 1, "--ceiling", 780, "--group-sentences", 1, "--concurrency", 1)
    patient = ("--answer-max-tokens", 48, "--timeout", 300, "--max-retries", 1, "--model", "gemma-3-270m")
    with SystemOneServer() as decisions:
        cli.environment |= {
            "LLM_API_KEY": KEY,
            "LLM_BASE_URL": model_url,
            "DECISION_MODEL_API_KEY": DECISION_KEY,
            "DECISION_MODEL_BASE_URL": decisions.url,
        }
        begun = inputs.begin("run", *small, *patient, "--json", mode="--live")
        stopped = cli(*begun, "--max-calls", 5, expect=3, timeout=800)
        assert stopped.json["state"] == "stopped"
        resume = ("compaction", "run", "--resume", "run", "--live", "--max-calls", 1_000, "--json")
        done = cli(*resume, expect=None, timeout=800)
    assert done.code in (0, 3), done.err  # a small model hardly ever answers in the form that is asked for
    assert done.json["state"] == "finished" and not (folder / "work.db").exists()

    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert len(results) == len(METHODS) * 2
    assert {result["status"] for result in results} <= set(RESULT_STATUSES) - {"error", "invalid"}
    assert all(result["em"] == 0 for result in results if result["status"] != "ok")
    aggregate = json.loads((folder / "aggregate.json").read_text(encoding="utf-8"))
    for method in METHODS:
        figures = aggregate["methods"][method]
        assert figures["planned"] == 2
        assert figures["valid"] == sum(r["method"] == method and r["status"] == "ok" for r in results)

    contexts = lines(folder / "contexts.jsonl")
    assert len(contexts) == len(METHODS)
    for context in contexts:
        if context["status"] == "ok" and context["method"] != "full":
            tokens = context["tokens"]
            assert tokens["local"] <= tokens["ceiling"] - tokens["reserve"]
    requests = lines(folder / "requests.jsonl")
    asked = [request for request in requests if request["role"] == "reader"]
    assert asked and all(request["usage"]["input_tokens"] > 0 for request in asked)
    assert done.json["usage"][0]["calls"] + done.json["usage"][1]["calls"] == len(requests)
    text = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    assert KEY not in text and DECISION_KEY not in text
