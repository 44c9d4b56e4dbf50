"""From what an agent kept and sent to what may be shown: public chat messages, and no trace of a machine.

Owns which fields are public, what stands for this machine's paths and system, and where the final answer
begins. Not here: whether the history is any good (`checks`): nothing is mended here.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from gacc_gui.core.records import Json
from gacc_gui.formats.corpus import message_fault
from gacc_gui.formats.json_values import dumps, mended

WORKSPACE: Final = "/workspace"
HOME: Final = "/home/agent"
SCRATCH: Final = "/scratch"
RELEASE: Final = "(some release)"


class NoHistory(Exception):
    """Why messages are no public history, in words."""


class Machine:
    """Replaces what tells of this machine in texts: the folders of a case, and the system's release."""

    def __init__(self, workspace: Path, home: Path, scratch: Path) -> None:
        # The innermost first: the scratch folder holds the others.
        named = ((workspace, WORKSPACE), (home, HOME), (scratch, SCRATCH))
        pairs: dict[str, str] = {}
        for path, name in named:
            for written in (str(path), os.path.realpath(path)):
                pairs[written] = name
                pairs[dumps(written)[1:-1]] = name  # inside a JSON text
        if release := platform.release():
            pairs[f"({release})"] = RELEASE
        self._pairs = tuple(pairs.items())

    def removed_from(self, text: str) -> str:
        """Return a text with fixed names instead."""
        for written, name in self._pairs:
            text = text.replace(written, name)
        return text

    def removed_from_value(self, value: Json) -> Json:
        """Return a JSON value with fixed names in all its texts."""
        if isinstance(value, str):
            return self.removed_from(value)
        if isinstance(value, Mapping):
            return {key: self.removed_from_value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.removed_from_value(item) for item in value]
        return value


def public_message(message: Mapping[str, Json], machine: Machine) -> Mapping[str, Json]:
    """Return what is public of a message: role, content, calls, and the call that a result answers.

    Raises NoHistory where what is left is no chat message.
    """
    role = message.get("role")
    public: dict[str, Json] = {
        "role": "system" if role == "developer" else role,
        "content": machine.removed_from(_text(message.get("content"))),
    }
    if calls := message.get("tool_calls"):
        public["tool_calls"] = [_call(call, machine) for call in calls] if isinstance(calls, list) else calls
    if role == "tool":
        public["tool_call_id"] = message.get("tool_call_id")
    if (fault := message_fault(public)) is not None:
        raise NoHistory(fault)
    return public


def public_history(
    messages: Sequence[Mapping[str, Json]], system: Mapping[str, Json] | None, machine: Machine
) -> tuple[Mapping[str, Json], ...]:
    """Return a history's public messages, the system prompt first where there is one.

    Raises NoHistory, naming the message, where one is no chat message.
    """
    public: list[Mapping[str, Json]] = []
    own = bool(messages) and messages[0].get("role") in ("system", "developer")
    all_messages = list(messages) if own or system is None else [system, *messages]
    for number, message in enumerate(all_messages, start=1):
        try:
            public.append(public_message(message, machine))
        except NoHistory as error:
            raise NoHistory(f"message {number} of the agent's history: {error}") from None
    return tuple(public)


def without_final_answer(history: Sequence[Mapping[str, Json]]) -> tuple[Mapping[str, Json], ...]:
    """Return a history up to its last tool call or result; what the agent said after that is left out."""
    end = len(history)
    while end and history[end - 1]["role"] != "tool" and not history[end - 1].get("tool_calls"):
        end -= 1
    return tuple(history[:end])


def _text(content: Json) -> str:
    """Return a message's text. Content in parts, as some services want it, is joined."""
    if isinstance(content, str):
        return mended(content)
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return mended("".join(part for part in parts if isinstance(part, str)))
    return ""


def _call(call: Json, machine: Machine) -> Json:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return None
    arguments = function.get("arguments")
    return {
        "id": call.get("id"),
        "type": "function",
        "function": {
            "name": function.get("name"),
            "arguments": machine.removed_from(mended(arguments)) if isinstance(arguments, str) else arguments,
        },
    }
