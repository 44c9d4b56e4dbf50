"""What of a history is public, and what of a machine is replaced."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.runner.collection.projection import (
    Machine,
    NoHistory,
    public_history,
    public_message,
    without_final_answer,
)

MACHINE = Machine(Path("/tmp/x/workspace"), Path("/tmp/x/agent/home"), Path("/tmp/x"))


def test_paths_and_the_release_are_replaced() -> None:
    text = f"{platform.system()} ({platform.release()}): /tmp/x/workspace/a, /tmp/x/agent/home/.h, /tmp/x/tmp"
    assert MACHINE.removed_from(text) == (
        f"{platform.system()} (some release): /workspace/a, /home/agent/.h, /scratch/tmp"
    )
    value = {"a": ["/tmp/x/workspace", 3, None, {"b": json.dumps({"p": "/tmp/x/agent/home"})}]}
    assert MACHINE.removed_from_value(value) == {"a": ["/workspace", 3, None, {"b": '{"p": "/home/agent"}'}]}


def test_internal_fields_and_reasoning_are_dropped() -> None:
    call = {
        "id": "a",
        "call_id": "a",
        "response_item_id": "fc",
        "type": "function",
        "function": {"name": "read_file", "arguments": '{"path": "/tmp/x/workspace/a"}', "more": 1},
    }
    message = {
        "role": "assistant",
        "content": None,
        "reasoning": "hm",
        "reasoning_details": [],
        "finish_reason": "tool_calls",
        "tool_calls": [call],
    }
    assert public_message(message, MACHINE) == {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": "a",
                "type": "function",
                "function": {"name": "read_file", "arguments": '{"path": "/workspace/a"}'},
            }
        ],
    }
    result = {
        "role": "tool",
        "name": "read_file",
        "tool_name": "read_file",
        "content": "x",
        "tool_call_id": "a",
    }
    assert public_message(result, MACHINE) == {"role": "tool", "content": "x", "tool_call_id": "a"}


def test_content_in_parts_and_half_characters() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b\ud800"}]
    assert public_message({"role": "user", "content": parts}, MACHINE)["content"] == "ab\ufffd"
    assert public_message({"role": "developer", "content": "x"}, MACHINE)["role"] == "system"


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"role": "wizard", "content": "x"},
        {"role": "tool", "content": "x"},
        {"role": "assistant", "tool_calls": "x"},
        {"role": "assistant", "tool_calls": [3]},
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "x", "arguments": {}}}]},
    ],
)
def test_what_is_no_message(message: Any) -> None:
    with pytest.raises(NoHistory, match="message 2 of the agent's history: "):
        public_history([{"role": "user", "content": "a"}, message], None, MACHINE)


def test_the_system_prompt_comes_first_and_once() -> None:
    system = {"role": "system", "content": "s"}
    user = {"role": "user", "content": "u"}
    assert public_history([user], system, MACHINE) == (system, user)
    assert public_history([system, user], {"role": "system", "content": "t"}, MACHINE) == (system, user)
    assert public_history([user], None, MACHINE) == (user,)


def test_the_final_answer_is_left_out() -> None:
    history = [{"role": "user", "content": "u"}, {"role": "tool", "content": "r"}]
    said: list[dict[str, Any]] = [{"role": "assistant", "content": "a"}, {"role": "user", "content": "and?"}]
    assert without_final_answer([*history, *said]) == tuple(history)
    assert without_final_answer(history[:1]) == ()
    unanswered = {"role": "assistant", "content": "", "tool_calls": [{}]}
    assert without_final_answer([*history, unanswered, *said]) == (*history, unanswered)
