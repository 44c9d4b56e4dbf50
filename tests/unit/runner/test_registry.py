"""Parts by name: which there are, and that a revision covers what decides the part's output."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import Context, Goal, Question
from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.formats.dataset import Dataset
from gacc_gui.runner.config_model import (
    JUDGES,
    READERS,
    RULE_COMPRESSORS,
    DatasetConfig,
    EndpointConfig,
    EvaluationConfig,
    PartConfig,
    RunConfig,
)
from gacc_gui.runner.parts import CompressorInput
from gacc_gui.runner.registry import Parts, identity_of, part_names, part_problem, parts_of

DATASET = Dataset(
    (Context("c", "alpha beta. gamma"),),
    (Goal("g", "c", "goal"),),
    (Question("q", "g", "?", ("gamma",)),),
)
ENDPOINT = EndpointConfig("main", ("http://a/v1", "http://b/v1"), "some-model")


def config(*compressors: PartConfig, **more: Any) -> EvaluationConfig:
    given: dict[str, Any] = {
        "reader": PartConfig("rule"),
        "judge": PartConfig("exact"),
        "endpoints": {"main": ENDPOINT},
        **more,
    }
    return EvaluationConfig(DatasetConfig("d.json"), compressors, **given)


def parts(configuration: EvaluationConfig) -> Parts:
    return parts_of(configuration, codec=CodepointCodec(), dataset=DATASET)


def test_every_rule_part_by_its_name() -> None:
    made = parts(config(*(PartConfig(name) for name in RULE_COMPRESSORS)))
    assert [compressor.name for compressor in made.compressors] == list(RULE_COMPRESSORS)
    for compressor in made.compressors:
        output = compressor(CompressorInput("alpha beta. gamma", "goal", 8))
        assert output.status == "ok"  # type: ignore[union-attr]
    assert (made.reader.name, made.judge.name) == ("rule", "exact")
    assert parts(config(judge=PartConfig("normalised"))).judge.name == "normalised"


def test_every_model_part_by_its_name_before_there_is_a_client() -> None:
    asking = {"endpoint": "main"}
    made = parts(
        config(
            PartConfig("llm-summary", **asking),
            PartConfig("llm-extract", name="mine", **asking),
            reader=PartConfig("llm", **asking),
            judge=PartConfig("llm", **asking),
        )
    )
    assert [compressor.name for compressor in made.compressors] == ["llm-summary", "mine"]
    assert (made.reader.name, made.judge.name) == ("llm", "llm")
    assert made.reader.revision.startswith("some-model, prompt 1, ")
    assert made.reader.revision != made.judge.revision


@pytest.mark.parametrize(
    "changed",
    [
        config(PartConfig("llm-summary", endpoint="main", temperature=0.5)),
        config(PartConfig("llm-summary", endpoint="main", max_tokens=9)),
        config(PartConfig("llm-summary", endpoint="main", seed=1)),
        config(PartConfig("llm-extract", endpoint="main")),
        config(
            PartConfig("llm-summary", endpoint="main"), endpoints={"main": replace(ENDPOINT, model="other")}
        ),
        config(
            PartConfig("llm-summary", endpoint="main"),
            endpoints={"main": replace(ENDPOINT, base_urls=("http://c/v1",))},
        ),
        config(
            PartConfig("llm-summary", endpoint="main"),
            endpoints={"main": replace(ENDPOINT, extra_body={"top_k": 1})},
        ),
        config(
            PartConfig("llm-summary", endpoint="main"),
            endpoints={"main": replace(ENDPOINT, omit_temperature=True)},
        ),
    ],
)
def test_a_model_parts_revision_covers_what_decides_its_reply(changed: EvaluationConfig) -> None:
    (before,) = parts(config(PartConfig("llm-summary", endpoint="main"))).compressors
    (after,) = parts(changed).compressors
    assert before.revision != after.revision


def test_a_revision_does_not_depend_on_speed_price_or_the_order_of_addresses() -> None:
    part = PartConfig("llm-summary", endpoint="main")
    other = replace(
        ENDPOINT, base_urls=ENDPOINT.base_urls[::-1], concurrency=9, timeout_seconds=1.0, api_key_env="OTHER"
    )
    (before,) = parts(config(part)).compressors
    (after,) = parts(config(part, endpoints={"main": other})).compressors
    assert before.revision == after.revision


def test_a_service_stands_for_its_addresses() -> None:
    part = PartConfig("llm-summary", endpoint="main")
    revisions = set()
    for url in ("http://a/v1", "http://b/v1"):
        endpoint = replace(ENDPOINT, base_urls=(url,), service="the cluster")
        revisions.add(parts(config(part, endpoints={"main": endpoint})).compressors[0].revision)
    assert len(revisions) == 1


def test_ones_own_prompt_is_part_of_the_revision(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("user = '{{source}}{{goal}}'\nuser_without_goal = '{{source}}'")
    part = PartConfig("llm-summary", endpoint="main", prompt="own.toml")
    here = config(part, folder=tmp_path)
    (own,) = parts(here).compressors
    assert own.revision.startswith("some-model, prompt own, ")
    assert identity_of(here, "compressor", part)["prompt"].startswith("sha256:")
    with pytest.raises(BadInput, match=r"own\.toml"):
        parts(config(part, folder=tmp_path / "elsewhere"))


def test_rule_parts_revisions_name_their_options() -> None:
    made = parts(
        config(
            PartConfig("sentences"),
            PartConfig("sentences", name="other", options={"seed": 2, "fill": 1.5}),
            PartConfig("bm25", options={"k1": 1.2}),
            PartConfig("lead", revision="mine"),
            PartConfig("oracle"),
            run=RunConfig(seed=7),
        )
    )
    assert [compressor.revision for compressor in made.compressors[:4]] == [
        "1, seed=7",
        "1, fill=1.5, seed=2",
        "1, k1=1.2",
        "mine",
    ]
    assert made.compressors[4].revision.startswith("1, upper bound of ")


def test_names_that_are_offered_and_refused() -> None:
    assert part_names("compressor")[:2] == ("lead", "tail")
    assert part_names("reader")[:2] == READERS
    assert part_names("judge")[:3] == JUDGES
    assert part_problem("reader", PartConfig("lead")) is not None  # a compressor is no reader
    assert part_problem("reader", PartConfig("module:part")) is None
    assert part_problem("judge", PartConfig("llm", endpoint="e", options={"structured_output": "no"})) == (
        "options.structured_output",
        'must be one of json_schema, json_object and none, not "no"',
    )


@pytest.mark.parametrize("name", ["lead", "sentences", "module:part"])
@pytest.mark.parametrize(
    "more", [{"endpoint": "main"}, {"prompt": "p"}, {"temperature": 0.5}, {"max_tokens": 5}, {"seed": 5}]
)
def test_what_is_for_models_is_refused_elsewhere(name: str, more: dict[str, Any]) -> None:
    (key,) = more
    problem = part_problem("compressor", PartConfig(name, **more))
    assert problem is not None
    assert problem[0] == key
    assert problem[1].startswith(f"{name} asks no model and has no {key}")
    assert ("options.seed" in problem[1]) is (name == "sentences" and key == "seed")


def test_two_plugins_that_call_themselves_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "twins.py").write_text(
        "class A:\n    name = 'twin'\n    def __call__(self, given): ...\nclass B(A): ..."
    )
    with pytest.raises(BadInput, match=r"compressors\[1\]\.name: 'twin' is another's already"):
        parts(config(PartConfig("twins:A"), PartConfig("twins:B"), folder=tmp_path))
