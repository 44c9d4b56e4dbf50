"""Settings are checked where they are made, and come back from their JSON as they were."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.errors import BadUsage
from gacc_gui.runner.compaction.settings import Settings, settings_from
from gacc_gui.runner.config_model import LimitsConfig


def test_the_defaults_are_the_predeclared_figures() -> None:
    settings = Settings()
    assert (settings.ceiling, settings.reserve, settings.fusion_share) == (3600, 64, Fraction(2, 5))
    assert (settings.generations, settings.answers, settings.concurrency) == (2, 2, 4)
    assert settings.methods == ("full", "jev", "summary", "jev+summary")
    assert (settings.model, settings.group_sentences, settings.summary_retries) == ("qwen3.8-max", 3, 3)
    assert settings.most == 3536


def test_json_there_and_back() -> None:
    settings = Settings(
        methods=("summary", "full"),
        fusion_share=Fraction(1, 3),
        answers=5,
        temperature=None,
        seed=7,
        extra_body={"enable_thinking": False},
        limits=LimitsConfig(calls=10, tokens=1000),
    )
    written = json.loads(json.dumps(settings.as_json(), allow_nan=False))
    assert settings_from(written) == settings
    assert written["methods"] == ["full", "summary"]
    assert (written["fusion_share"], written["answers"]) == ("1/3", 5)
    assert Settings().as_json()["fusion_share"] == "0.4"
    assert settings_from({}) == Settings()


@given(st.integers(0, 1000))
def test_a_share_is_what_was_written(thousandths: int) -> None:
    for written in (f"{thousandths / 1000}", f"{Decimal(thousandths) / 10}%", thousandths / 1000):
        settings = settings_from({"fusion_share": written})
        assert settings.fusion_share == Fraction(thousandths, 1000)
        assert settings_from(settings.as_json()).fusion_share == settings.fusion_share


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("methods", (), "--methods"),
        ("methods", "jev", "--methods"),
        ("methods", ("jev", "best"), "no method 'best'"),
        ("methods", ("jev", "jev"), "stands twice"),
        ("ceiling", 0, "--ceiling"),
        ("ceiling", 3600.0, "--ceiling"),
        ("ceiling", True, "--ceiling"),
        ("ceiling", 64, "--reserve"),
        ("reserve", -1, "--reserve"),
        ("fusion_share", "x", "--fusion-share"),
        ("fusion_share", "1.1", "--fusion-share"),
        ("fusion_share", -0.1, "--fusion-share"),
        ("fusion_share", float("nan"), "--fusion-share"),
        ("fusion_share", True, "--fusion-share"),
        ("fusion_share", "1e-9999999", "--fusion-share"),
        ("fusion_share", None, "--fusion-share"),
        ("generations", 0, "--generations"),
        ("answers", 0, "--answers"),
        ("answers", "2", "--answers"),
        ("concurrency", 0, "--concurrency"),
        ("group_sentences", 0, "--group-sentences"),
        ("summary_retries", 4, "--summary-retries"),
        ("summary_retries", -1, "--summary-retries"),
        ("model", " ", "--model"),
        ("model", None, "--model"),
        ("decision_model", "a\nb", "--decision-model"),
        ("answer_max_tokens", 0, "--answer-max-tokens"),
        ("decision_batch", 0, "--decision-batch"),
        ("temperature", float("nan"), "--temperature"),
        ("temperature", -1.0, "--temperature"),
        ("temperature", "0", "--temperature"),
        ("seed", -1, "--seed"),
        ("max_tokens_field", "tokens", "--max-tokens-field"),
        ("extra_body", [1], "--extra-body"),
        ("extra_body", {"model": "x"}, "--extra-body: 'model'"),
        ("extra_body", {"temperature": 1}, "--extra-body: 'temperature'"),
        ("extra_body", {"x": float("nan")}, "--extra-body: no JSON"),
        ("extra_body", {"x": object()}, "--extra-body: no JSON"),
        ("timeout_seconds", 0, "--timeout-seconds"),
        ("timeout_seconds", float("inf"), "--timeout-seconds"),
        ("max_retries", -1, "--max-retries"),
        ("limits", LimitsConfig(calls=0), "--max-calls"),
        ("limits", LimitsConfig(money=1.0), "--limits"),
        ("limits", None, "--limits"),
    ],
)
def test_a_bad_value_names_its_option(name: str, value: Any, said: str) -> None:
    with pytest.raises(BadUsage) as caught:
        replace(Settings(), **{name: value})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_credential_in_the_extra_body_is_refused_and_not_repeated() -> None:
    with pytest.raises(BadUsage) as caught:
        Settings(extra_body={"api_key": "abc123def456"})
    assert "abc123" not in str(caught.value)


@pytest.mark.parametrize("value", [{"best": 1}, {"limits": {"money": 1}}, {"limits": 3}, {"answers": None}])
def test_settings_that_are_none_are_refused(value: dict[str, Any]) -> None:
    with pytest.raises(BadUsage):
        settings_from(value)
