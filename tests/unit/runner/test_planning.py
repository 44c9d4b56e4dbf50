"""A configuration becomes a plan: its cells, its run's record, its estimate; and real texts go through it."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.errors import BadInput, CodecUnavailable
from gacc_gui.resources import resource
from gacc_gui.runner.call_records import Place
from gacc_gui.runner.config import ConfigError, load_config, parse_config
from gacc_gui.runner.config_model import EvaluationConfig, PartConfig, PriceConfig
from gacc_gui.runner.known import Known
from gacc_gui.runner.plan import Plan, Shard
from gacc_gui.runner.planning import ANSWER_TOKENS, VERDICT_TOKENS, build_plan, estimate
from gacc_gui.runner.prompts import load_prompt
from tests.hotpot_dataset import write_hotpot_dataset

CONTEXTS = [{"id": "c", "text": "alpha beta " * 20}, {"id": "d", "text": "gamma"}]
GOALS = [
    {"id": "g", "context_id": "c", "text": "first"},
    {"id": "h", "context_id": "c", "text": "second"},
    {"id": "i", "context_id": "d", "text": "third"},
]
QUESTIONS = [
    {"id": f"q{goal['id']}{n}", "goal_id": goal["id"], "text": "which?", "references": ["beta"]}
    for goal in GOALS
    for n in range(2)
]
RULES = """
[dataset]
path = "d.json"
[evaluation]
tokenizer = "codepoint"
ratios = ["0.5", "0"]
conditions = ["own-goal", "no-goal", "cross-goal", "full-context"]
[[compressors]]
part = "lead"
[[compressors]]
part = "bm25"
[reader]
part = "rule"
[judge]
part = "exact"
"""
LIVE = """
[dataset]
path = "d.json"
[evaluation]
tokenizer = "codepoint"
ratios = ["0.5", "0"]
conditions = ["own-goal", "no-goal"]
generations = 2
repeats = 3
[[compressors]]
part = "llm-summary"
endpoint = "main"
[reader]
part = "llm"
endpoint = "main"
[judge]
part = "llm"
endpoint = "other"
[endpoints.main]
base_url = "http://127.0.0.1:1/v1"
model = "m"
price = {input = 1.0, output = 2.0}
[endpoints.other]
base_url = "http://127.0.0.1:1/v1"
model = "n"
price = {input = 4.0, output = 0.5}
"""


def write_items(folder: Path, **lists: Any) -> None:
    document = {"format": "gacc-dataset", "format_version": 1, "contexts": CONTEXTS, "goals": GOALS}
    (folder / "d.json").write_text(json.dumps({**document, "questions": QUESTIONS, **lists}))


@pytest.fixture
def rules(tmp_path: Path) -> EvaluationConfig:
    write_items(tmp_path)
    return parse_config(RULES, tmp_path)


@pytest.fixture
def live(tmp_path: Path) -> EvaluationConfig:
    write_items(tmp_path)
    return parse_config(LIVE, tmp_path)


def test_the_cells_of_a_configuration(rules: EvaluationConfig) -> None:
    plan = build_plan(rules)
    cells = [(s.condition, s.compressor.name, s.ratio) for s in plan.settings]
    assert cells[:4] == [
        ("own-goal", "lead", "0.5"),
        ("own-goal", "lead", "0"),
        ("own-goal", "bm25", "0.5"),
        ("own-goal", "bm25", "0"),
    ]
    assert len(cells) == 13
    assert cells[-1] == ("full-context", "full-context", "1")
    assert len({memory.id for memory in plan.memories()}) == 3 * 9 + 2 * 4


def test_the_runs_record_follows_from_the_configuration_alone(rules: EvaluationConfig) -> None:
    run = build_plan(rules).run
    assert run == build_plan(rules, Shard(1, 2)).run
    assert run.id.startswith("d-lead-bm25-")
    assert run.name == "d: lead, bm25"
    assert run.protocol == "gacc-bench"
    assert run.diagnostic_only is True
    assert run.tokenizer == {"name": "codepoint", "revision": "1", "identity_verified": False}
    assert run.reader == {"name": "rule", "revision": "1"}
    configured = run.extra["configuration"]
    assert configured["ratios"] == ["0.5", "0"]
    assert set(configured["compressors"]) == {"lead", "bm25"}
    assert "d.json" not in json.dumps(configured)  # where the dataset lies is nobody's business


def test_another_configuration_is_another_run(rules: EvaluationConfig, tmp_path: Path) -> None:
    first = build_plan(rules).run.id
    more = replace(rules, evaluation=replace(rules.evaluation, repeats=2))
    assert build_plan(more).run.id != first
    write_items(tmp_path, contexts=[{**CONTEXTS[0], "text": "alpha!"}, CONTEXTS[1]])
    assert build_plan(rules).run.id != first
    named = replace(rules, run=replace(rules.run, id="mine", name="my run", created_at="2026-11-29"))
    run = build_plan(named).run
    assert (run.id, run.name, run.created_at) == ("mine", "my run", "2026-11-29")


def test_only_models_that_read_and_judge_real_tokens_are_no_diagnostic(live: EvaluationConfig) -> None:
    assert build_plan(live).run.diagnostic_only is True  # code points are no tokens
    real = replace(live, evaluation=replace(live.evaluation, tokenizer="cl100k_base"))
    run = build_plan(real).run
    assert run.diagnostic_only is False
    assert run.reader is not None
    assert run.reader["model"] == "m"
    assert run.extra["configuration"]["reader"]["prompt"] == load_prompt("llm-reader").hash
    marked = replace(real, run=replace(real.run, diagnostic_only=True))
    assert build_plan(marked).run.diagnostic_only is True
    judged = replace(real, judge=rules_judge(real))
    assert build_plan(judged).run.diagnostic_only is True


def rules_judge(config: EvaluationConfig) -> Any:
    return replace(config.judge, part="normalised", endpoint=None)


def test_rules_cost_nothing(rules: EvaluationConfig) -> None:
    guess = estimate(build_plan(rules), rules)
    assert guess.stages == {"memories": 35, "answers": 70, "verdicts": 70}
    assert (guess.calls, guess.input_tokens, guess.cost, guess.currency) == (0, 0, 0.0, None)
    assert [part.part for part in guess.parts] == ["lead", "bm25", "rule", "exact"]


def test_the_estimate_counts_each_call_once_and_its_tokens(live: EvaluationConfig) -> None:
    guess = estimate(build_plan(live), live)
    # 3 goals × (2 ratios × 2 conditions) × 2 generations; 2 questions × 3 repeats of each.
    assert guess.stages == {"memories": 24, "answers": 144, "verdicts": 144}
    compressor, reader, judge = guess.parts
    # At ratio 0 nobody is called, and no-goal asks once a context: (3 + 2) × 2 generations.
    assert compressor.calls == 10
    assert (reader.calls, judge.calls) == (144, 144)
    assert guess.calls == 298
    overhead = {name: overhead_of(name) for name in ("llm-summary", "llm-reader", "llm-judge")}
    # own-goal: 220 + 5, 220 + 6, 5 + 5; no-goal: 220, 5; each in two generations.
    assert compressor.input_tokens == 2 * (225 + 226 + 10 + 220 + 5) + 10 * overhead["llm-summary"]
    assert compressor.output_tokens == 2 * (110 + 110 + 2 + 110 + 2)
    # Half the memories hold half a source, half hold nothing.
    held = 2 * 2 * 2 * 3 * (110 + 110 + 2)
    assert reader.input_tokens == held + 144 * (6 + overhead["llm-reader"])
    assert reader.output_tokens == 144 * ANSWER_TOKENS
    shown = 4 * 2 * 2 * 3 * (220 + 220 + 5)
    assert judge.input_tokens == shown + 144 * (6 + 4 + ANSWER_TOKENS + overhead["llm-judge"])
    assert judge.output_tokens == 144 * VERDICT_TOKENS
    assert judge.cost == pytest.approx((4 * judge.input_tokens + 0.5 * judge.output_tokens) / 1e6)
    assert guess.cost == pytest.approx(sum(part.cost or 0 for part in guess.parts))
    assert guess.currency == "USD"
    assert json.loads(json.dumps(guess.as_json()))["parts"][2]["model"] == "n"


def overhead_of(name: str) -> int:
    prompt = load_prompt(name)
    return len(prompt.system) + len(prompt.user)


@pytest.mark.parametrize("price", [PriceConfig(), PriceConfig(1.0, None), PriceConfig(1.0, 1.0, None, "EUR")])
def test_an_unknown_price_or_another_currency_makes_the_cost_unknown(
    live: EvaluationConfig, price: PriceConfig
) -> None:
    endpoints = {**live.endpoints, "other": replace(live.endpoints["other"], price=price)}
    config = replace(live, endpoints=endpoints)
    guess = estimate(build_plan(config), config)
    assert guess.cost is None
    assert guess.parts[1].cost is not None


def test_the_shards_estimates_add_up(live: EvaluationConfig) -> None:
    whole = estimate(build_plan(live), live)
    parts = [estimate(build_plan(live, Shard(index, 2)), live) for index in (1, 2)]
    assert sum(part.calls for part in parts) == whole.calls
    assert sum(part.input_tokens for part in parts) == whole.input_tokens


def test_what_cannot_be_planned_is_told(rules: EvaluationConfig, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.json"):
        build_plan(replace(rules, dataset=replace(rules.dataset, path="none.json")))
    with pytest.raises(CodecUnavailable, match="no tokenizer called 'gpt2'"):
        build_plan(replace(rules, evaluation=replace(rules.evaluation, tokenizer="gpt2")))
    write_items(tmp_path, goals=[], questions=[])
    with pytest.raises(BadInput, match="nothing to evaluate"):
        build_plan(rules)


def test_it_is_told_at_the_key_that_names_it(live: EvaluationConfig, tmp_path: Path) -> None:
    def key_of(config: EvaluationConfig) -> str:
        with pytest.raises(ConfigError) as caught:
            build_plan(config)
        return caught.value.problems[0].key

    dataset = live.dataset
    assert key_of(replace(live, dataset=replace(dataset, path="none.json"))) == "dataset.path"
    (tmp_path / "no.json").write_text("no JSON")
    assert key_of(replace(live, dataset=replace(dataset, path="no.json"))) == "dataset.path"
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    columns = {"context": "a", "goal": "b", "question": "c"}
    assert key_of(replace(live, dataset=replace(dataset, path="t.csv", columns=columns))) == "dataset.columns"
    plugin = PartConfig("no_such_module:part")
    assert key_of(replace(live, compressors=(*live.compressors, plugin))) == "compressors[1].part"
    assert key_of(replace(live, judge=plugin)) == "judge.part"
    (tmp_path / "bad.toml").write_text("user = 'Say {{nothing}}'")
    assert key_of(replace(live, reader=replace(live.reader, prompt="bad.toml"))) == "reader.prompt"
    assert key_of(replace(live, reader=replace(live.reader, prompt="none.toml"))) == "reader.prompt"


def test_more_than_can_be_made_is_told_at_its_key(rules: EvaluationConfig) -> None:
    settings = replace(rules.evaluation, generations=1_000, repeats=1_000)
    with pytest.raises(
        ConfigError, match=r"evaluation\.generations: .* answers; a run has at most 10,000,000"
    ):
        build_plan(replace(rules, evaluation=settings))
    settings = replace(rules.evaluation, generations=1_000, repeats=100)
    begun = time.perf_counter()
    guess = estimate(build_plan(replace(rules, evaluation=settings)), rules)
    assert guess.stages == {"memories": 35_000, "answers": 7_000_000, "verdicts": 7_000_000}
    assert time.perf_counter() - begun < 5


def test_of_what_is_known_only_the_rest_is_estimated(live: EvaluationConfig) -> None:
    plan = build_plan(live)
    whole = estimate(plan, live)
    assert estimate(plan, live, Known()) == whole
    assert whole.left == whole.stages
    everything = Known(
        memories={planned.id: True for planned in plan.memories()},
        answers={place: True for place in places_of(plan)},
        verdicts={place: False for place in places_of(plan)},
    )
    rest = estimate(plan, live, everything)
    assert rest.stages == whole.stages
    assert rest.left == {"memories": 0, "answers": 0, "verdicts": 144}
    assert [part.calls for part in rest.parts] == [0, 0, 144]
    assert rest.input_tokens == whole.parts[2].input_tokens


def places_of(plan: Plan) -> list[Place]:
    return [
        (planned.id, question.id, repeat)
        for planned in plan.memories()
        for question in planned.questions
        for repeat in range(plan.repeats)
    ]


@pytest.mark.parametrize("name", [path.name for path in sorted(resource("examples").glob("*.toml"))])
def test_every_example_can_be_planned(name: str) -> None:
    config = load_config(resource("examples") / name)
    guess = estimate(build_plan(config), config)
    assert guess.stages["memories"] > 0
    assert (guess.calls > 0) is config.is_live


def test_real_texts_have_their_evidence_where_it_says(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "hotpotqa" / "hotpot_dev_distractor_60.json"
    write_hotpot_dataset(source, tmp_path / "d.jsonl", contexts=6)
    config = parse_config(RULES.replace("d.json", "d.jsonl").replace("codepoint", "cl100k_base"), tmp_path)
    plan = build_plan(config)
    texts = {context.id: context.text for context in plan.contexts}
    places = {goal.id: goal.context_id for goal in plan.goals}
    assert len(plan.contexts) == 6
    assert len(plan.goals) == 18
    for question in plan.questions:
        for span in question.evidence or ():
            piece = texts[places[question.goal_id]][span["start"] : span["end"]]
            assert piece and piece == piece.strip()
            if question.text.startswith("How does the article"):
                assert question.references == (piece,)
