"""The signs of thinking, by whatever name a service knows it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gacc_gui.runner.collection.agents import Report
from gacc_gui.runner.collection.thinking import thinking_faults
from gacc_gui.runner.collection.wire import Exchange

OFF = Report((), True, reasoning_config={"enabled": False})


def faults(request: dict[str, Any], response: Any = "") -> list[str]:
    text = response if isinstance(response, str) else json.dumps(response)
    return list(thinking_faults(OFF, [Exchange(request, 200, text)]))


@pytest.mark.parametrize(
    "request_body",
    [
        {},
        {"reasoning_effort": "none", "think": False, "enable_thinking": False},
        {"reasoning": None, "thinking": {"type": "disabled"}},
        {"reasoning": {"enabled": False, "effort": "high"}},
        {"reasoning": {"effort": "none"}},
        {"extra_body": {"think": False, "thinking": {"budget_tokens": 0}}},
        {"chat_template_kwargs": {"enable_thinking": False}},
    ],
)
def test_off(request_body: dict[str, Any]) -> None:
    assert faults(request_body) == []


@pytest.mark.parametrize(
    ("request_body", "name"),
    [
        ({"reasoning_effort": "low"}, "reasoning_effort"),
        ({"think": True}, "think"),
        ({"thinking": {"type": "enabled", "budget_tokens": 100}}, "thinking"),
        ({"thinking": {}}, "thinking"),
        ({"reasoning": {"effort": "medium"}}, "reasoning"),
        ({"extra_body": {"enable_thinking": True}}, "extra_body.enable_thinking"),
        ({"chat_template_kwargs": {"thinking": True}}, "chat_template_kwargs.thinking"),
        ({"thinking": ["on"]}, "thinking"),
    ],
)
def test_asked_for(request_body: dict[str, Any], name: str) -> None:
    assert faults(request_body) == [f"request 1 asks for it ({name})"]


@pytest.mark.parametrize(
    ("response", "sign"),
    [
        ({"choices": [{"message": {"content": "a", "reasoning": "hm"}}]}, "reasoning"),
        ({"choices": [{"message": {"reasoning_details": [{"text": "hm"}]}}]}, "reasoning_details"),
        ({"choices": [{"message": {"content": "<think>\nhm</think> a"}}]}, "a tag in the text"),
        ({"usage": {"completion_tokens_details": {"reasoning_tokens": 9}}}, "9 reasoning tokens"),
        (
            'data: {"choices": [{"delta": {"content": "<thi"}}]}\n\n'
            'data: {"choices": [{"delta": {"content": "nk>hm"}}]}\n\n',
            "a tag in the text",
        ),
        ('data: {"choices": [{"delta": {"reasoning_content": "h"}}]}\n\n', "reasoning_content"),
    ],
)
def test_seen(response: Any, sign: str) -> None:
    assert faults({}, response) == [f"response 1 has it ({sign})"]


@pytest.mark.parametrize(
    "response",
    [
        {"choices": [{"message": {"content": "a", "reasoning": None, "reasoning_content": ""}}]},
        {"choices": [{"message": {"content": "<think>\n\n</think> a"}}]},
        {"choices": None, "usage": {"completion_tokens_details": {"reasoning_tokens": 0}}},
        {"choices": ["x"], "usage": None},
        "no JSON",
    ],
)
def test_not_seen(response: Any) -> None:
    assert faults({}, response) == []


def test_the_agents_own_word() -> None:
    for config in (None, {}, {"enabled": True}, {"effort": "none"}):
        (fault,) = thinking_faults(Report((), True, reasoning_config=config), [])
        assert fault.startswith("it is not configured off")
    history = Report(
        ({"role": "assistant", "reasoning_content": "hm"},), True, reasoning_config={"enabled": False}
    )
    assert list(thinking_faults(history, [])) == ["the agent's history holds reasoning"]
