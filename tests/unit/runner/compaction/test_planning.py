"""A run's parts and plan, and whole runs of them in the engine: of the fixture, and live over loopback."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from gacc_gui.app.compaction_checks import CompactionAudit
from gacc_gui.core.compaction import FULL, JEV, METHODS, SUMMARY
from gacc_gui.core.compaction_values import context_from, result_from
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Answer, Memory, Record, Request, Verdict
from gacc_gui.formats.compaction_records import run_of
from gacc_gui.formats.corpus import Corpus
from gacc_gui.formats.hf_tokenizer import HfCodec, load_tokenizer
from gacc_gui.runner.compaction.planning import (
    DECISION_KEY,
    DECISION_URL,
    MODEL_KEY,
    MODEL_URL,
    Parts,
    decision_model_of,
    method_revision,
    parts_for,
    plan_for,
)
from gacc_gui.runner.compaction.settings import Settings
from gacc_gui.runner.engine import Options, Tally, evaluate
from gacc_gui.store.evaluations import UnderWay
from tests.compaction_tokenizer import small_tokenizer
from tests.servers.odd_server import Answer as Reply
from tests.servers.odd_server import OddServer, Received, completion
from tests.servers.system_one import SystemOneServer, refused_key

KEYS = {MODEL_KEY: "llm-0123456789-secret", DECISION_KEY: "ts-0123456789-secret"}
EVERYWHERE = {**KEYS, MODEL_URL: "http://127.0.0.1:9/v1", DECISION_URL: "http://127.0.0.1:9"}


@pytest.fixture(scope="module")
def hf(tmp_path_factory: pytest.TempPathFactory) -> HfCodec:
    return load_tokenizer(small_tokenizer(tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"))


@dataclass
class Kept:
    """A sink that remembers."""

    records: list[Record] = field(default_factory=list)

    async def withdraw(self, request_id: str) -> None:
        """Nothing was noted."""

    async def begin(self, call: UnderWay) -> None:
        pass

    async def add(self, records: Sequence[Record]) -> None:
        self.records += records

    def of(self, kind: type) -> list[Any]:
        return [record for record in self.records if isinstance(record, kind)]


def protocol_document(corpus: Corpus, settings: Settings, codec: HfCodec, parts: Parts) -> dict[str, Any]:
    return {
        "id": "r",
        "name": "r",
        "created_at": "2026-11-20T10:00:00Z",
        "diagnostic_only": not parts.is_live,
        "settings": settings.as_json(),
        "tokenizer": {"name": codec.name, "revision": codec.revision, "identity_verified": False},
        "parts": parts.as_json(),
        "prompts": parts.prompts_json(),
        "cases": [case.id for case in corpus.sound_cases],
    }


def run(
    corpus: Corpus, settings: Settings, codec: HfCodec, environment: Mapping[str, str] | None = None
) -> tuple[Kept, Tally]:
    parts = parts_for(settings, environment or {}, live=environment is not None, codec=codec)
    document = protocol_document(corpus, settings, codec, parts)
    plan = plan_for(corpus, settings, codec, parts, run_of(document))
    sink = Kept()
    options = Options(concurrency=settings.concurrency, closing=parts.closing)
    return sink, evaluate(plan, sink, options=options)


def audited(sink: Kept, codec: HfCodec) -> dict[str, bool | None]:
    return {check.name: check.ok for check in CompactionAudit(sink.records, codec).checks()}


def test_a_run_of_the_fixture_is_complete_and_sound(corpus: Corpus, hf: HfCodec) -> None:
    settings = Settings(ceiling=2500)
    sink, tally = run(corpus, settings, hf)
    assert tally.stopped is None and tally.failed_items == 0
    memories = sink.of(Memory)
    assert len(memories) == 4 * 2 * 2 and len(sink.of(Answer)) == len(sink.of(Verdict)) == 4 * 2 * 2 * 2
    for memory in memories:
        tokens = context_from(memory.extra["compaction"]).tokens
        assert memory.cell.compressor == FULL or tokens.local + 64 <= 2500
    failed = {name: ok for name, ok in audited(sink, hf).items() if ok is False}
    assert not failed


def test_the_same_settings_give_the_same_run(corpus: Corpus, hf: HfCodec) -> None:
    settings = Settings(ceiling=2500, concurrency=1, generations=1, answers=1)
    first, _ = run(corpus, settings, hf)
    second, _ = run(corpus, settings, hf)
    assert first.records == second.records


def test_gold_reaches_neither_selector_nor_summarizer(corpus: Corpus, hf: HfCodec) -> None:
    planted = replace(
        corpus,
        cases=tuple(
            replace(case, gold=replace(case.gold, answers=("CANARY",), facts=(("CANARY title", 3),)))
            for case in corpus.cases
        ),
    )
    sink, _ = run(planted, Settings(ceiling=2500, generations=1, answers=1), hf)
    requests = sink.of(Request)
    assert {request.role for request in requests} == {"compressor", "reader"}
    assert not any("CANARY" in repr(request) for request in requests)
    assert {verdict.label for verdict in sink.of(Verdict)} == {"incorrect"}


def chat(received: Received) -> Reply:
    """Summarise with the first sentences, answer with a name; the first summary is too long."""
    text = received.prompt
    if "supporting_facts" in text:
        reply = {"answer": "Luc Ferrand II", "supporting_facts": [["Tirrin Orchard 1", 0]]}
        return completion(json.dumps(reply), usage={"prompt_tokens": 2400, "completion_tokens": 20})
    return completion("# Velm\n[0] A summary." + (" long" * 4000 if "too long" not in text else ""))


def test_a_live_run_over_loopback(corpus: Corpus, hf: HfCodec) -> None:
    settings = Settings(ceiling=2500, generations=1, answers=2)
    with OddServer(chat) as model, SystemOneServer() as decider:
        environment = {**KEYS, MODEL_URL: model.url, DECISION_URL: f"{decider.url}/v1/"}
        sink, tally = run(corpus, settings, hf, environment)
        assert model.most_at_once <= 4
    assert tally.stopped is None and tally.failed_items == 0
    for memory in sink.of(Memory):
        context = context_from(memory.extra["compaction"])
        assert context.retries == (1 if memory.cell.compressor in (SUMMARY, "jev+summary") else 0)
    assert {result_from(verdict.extra).provider_input_tokens for verdict in sink.of(Verdict)} == {2400}
    steps = sorted(
        str(request.extra.get("step")) for request in sink.of(Request) if request.role == "compressor"
    )
    assert steps == ["decide-1"] * 4 + ["summary-1"] * 4 + ["summary-2"] * 4
    written = repr(sink.records)
    assert not any(key in written for key in KEYS.values())
    asked = [received.headers.get("authorization") for received in model.received]
    assert set(asked) == {f"Bearer {KEYS[MODEL_KEY]}"}
    failed = {name: ok for name, ok in audited(sink, hf).items() if ok is False}
    assert not failed


def test_too_many_tokens_by_the_service_s_count_invalidate(corpus: Corpus, hf: HfCodec) -> None:
    settings = Settings(ceiling=2500, generations=1, answers=1, methods=(FULL, SUMMARY))
    reply = json.dumps({"answer": "x", "supporting_facts": []})
    counted = {"prompt_tokens": 2501, "completion_tokens": 1}
    with OddServer(completion(reply, usage=counted)) as model:
        sink, tally = run(corpus, settings, hf, {**EVERYWHERE, MODEL_URL: model.url})
    assert tally.stopped is None
    by_method = {
        verdict.memory_id.split("/")[1]: result_from(verdict.extra).status for verdict in sink.of(Verdict)
    }
    assert by_method == {FULL: "ok", SUMMARY: "invalid"}


def test_a_refused_key_stops_the_run(corpus: Corpus, hf: HfCodec) -> None:
    settings = Settings(generations=1, answers=1, methods=(JEV,), concurrency=1)
    with SystemOneServer(refused_key()) as decider:
        sink, tally = run(corpus, settings, hf, {**EVERYWHERE, DECISION_URL: decider.url})
    assert tally.refused and "DECISION_MODEL_API_KEY was refused" in (tally.stopped or "")
    assert len(decider.received) == 1
    (request,) = sink.of(Request)
    assert request.extra["output"]["status"] == "error"


@pytest.mark.parametrize(
    ("without", "methods", "said"),
    [
        (MODEL_KEY, METHODS, "LLM_API_KEY is not set"),
        (MODEL_URL, METHODS, "LLM_BASE_URL is not set"),
        (DECISION_KEY, METHODS, "DECISION_MODEL_API_KEY is not set"),
        (DECISION_KEY, (JEV,), "DECISION_MODEL_API_KEY is not set"),
        (DECISION_KEY, (FULL, SUMMARY), None),
        (DECISION_URL, METHODS, None),
    ],
)
def test_what_a_live_run_needs(hf: HfCodec, without: str, methods: tuple[str, ...], said: str | None) -> None:
    environment = {name: value for name, value in EVERYWHERE.items() if name != without}
    settings = Settings(methods=methods)
    if said is None:
        assert parts_for(settings, environment, live=True, codec=hf).is_live
        return
    with pytest.raises(BadUsage, match=said):
        parts_for(settings, environment, live=True, codec=hf)
    assert not parts_for(settings, environment, live=False, codec=hf).is_live


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (MODEL_URL, "localhost:80"),
        (MODEL_URL, "https://user:secretword1@host/v1"),
        (MODEL_URL, "https://host/v1?api_key=secretword1"),
        (DECISION_URL, "ftp://host"),
        (DECISION_URL, "https://host?version=secretword1"),
        (MODEL_KEY, "secretword1\u00e9"),
    ],
)
def test_an_unsound_address_or_key_is_refused_and_not_repeated(hf: HfCodec, name: str, value: str) -> None:
    with pytest.raises(BadUsage) as caught:
        parts_for(Settings(), {**EVERYWHERE, name: value}, live=True, codec=hf)
    assert name in str(caught.value) and "secretword1" not in str(caught.value)


def test_what_is_frozen_of_the_parts(hf: HfCodec) -> None:
    parts = parts_for(Settings(), EVERYWHERE, live=True, codec=hf)
    frozen = parts.as_json()
    assert frozen["answerer"]["model"] == "qwen3.8-max"
    assert frozen["answerer"]["endpoint"] == "http://127.0.0.1:9/v1"
    assert frozen["decider"]["endpoint"] == "http://127.0.0.1:9"
    assert not any(key in json.dumps([frozen, parts.prompts_json()]) for key in KEYS.values())
    assert set(parts.prompts_json()) == {
        "compaction-answer",
        "compaction-summary",
        "compaction-fusion",
        "compaction-decision",
    }
    fixture = parts_for(Settings(methods=(FULL,)), {}, live=False, codec=hf).as_json()
    assert set(fixture) == {"answerer", "scorer"}


def test_a_revision_changes_with_what_a_context_depends_on_and_nothing_else(hf: HfCodec) -> None:
    def revisions(**changed: Any) -> dict[str, str]:
        settings = Settings(**changed)
        parts = parts_for(settings, EVERYWHERE, live=True, codec=hf)
        return {method: method_revision(method, settings, hf, parts) for method in METHODS}

    plain = revisions()
    assert len(set(plain.values())) == 4
    for changed, which in [
        ({"ceiling": 3000}, METHODS[1:]),
        ({"group_sentences": 2}, METHODS[1:]),
        ({"fusion_share": "0.5"}, METHODS[3:]),
        ({"decision_model": "jev-2"}, (METHODS[1], METHODS[3])),
        ({"model": "other"}, METHODS[2:]),
        ({"temperature": 0.7}, METHODS[2:]),
        ({"concurrency": 9, "generations": 1, "answers": 9, "max_retries": 1}, ()),
    ]:
        now = revisions(**changed)
        assert {method for method in METHODS if now[method] != plain[method]} == set(which), changed


def test_the_environment_names_the_decision_model() -> None:
    assert decision_model_of({}) == decision_model_of({"DECISION_MODEL_NAME": " "}) == "jev-latest"
    assert decision_model_of({"DECISION_MODEL_NAME": "jev-1.13"}) == "jev-1.13"
