"""Whether an agent's model was asked to think, or thought: in the configuration, the requests, the responses.

Owns the names under which services know thinking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gacc_gui.core.records import Json
from gacc_gui.runner.collection.agents import Report
from gacc_gui.runner.collection.wire import Exchange

_SWITCHES: Final = (
    "think",
    "thinking",
    "enable_thinking",
    "reasoning",
    "reasoning_effort",
    "thinking_config",
)
_INSIDE: Final = ("extra_body", "chat_template_kwargs", "options", "generation_config")
"""Fields of a request in which some services are told."""
_OFF: Final = (None, False, 0, "", "none", "off", "disabled", "disable")
_TEXTS: Final = ("reasoning", "reasoning_content", "reasoning_details", "thinking")
_TAG: Final = re.compile(r"<(think|thinking|reasoning)>\s*+(?!</\1>)\S", re.IGNORECASE)


def thinking_faults(report: Report, exchanges: Sequence[Exchange]) -> Iterator[str]:
    """Tell every sign of thinking."""
    config = report.reasoning_config
    if not (isinstance(config, Mapping) and config.get("enabled") is False):
        yield f"it is not configured off ({config!r:.80})"
    for number, exchange in enumerate(exchanges, start=1):
        for name in _switched_on(exchange.request):
            yield f"request {number} asks for it ({name})"
        if (sign := _thought(exchange)) is not None:
            yield f"response {number} has it ({sign})"
    for message in report.messages:
        if any(isinstance(text := message.get(name), str) and text.strip() for name in _TEXTS):
            yield "the agent's history holds reasoning"
            return


def _switched_on(request: Mapping[str, Json]) -> Iterator[str]:
    for name in _SWITCHES:
        if name in request and not _is_off(request[name]):
            yield name
    for name in _INSIDE:
        inner = request.get(name)
        if isinstance(inner, Mapping):
            yield from (f"{name}.{found}" for found in _switched_on(inner))


def _is_off(value: Json) -> bool:
    if isinstance(value, Mapping):
        if value.get("enabled") is False or value.get("exclude_thinking") is True:
            return True
        said = [
            value[name]
            for name in ("enabled", "type", "effort", "budget_tokens", "thinking_budget")
            if name in value
        ]
        return bool(said) and all(map(_is_off, said))
    return (
        isinstance(value, str | bool | int | float | None)
        and (value.lower() if isinstance(value, str) else value) in _OFF
    )


def _thought(exchange: Exchange) -> str | None:
    content = ""
    for value in exchange.response_objects():
        for choice in value.get("choices") or ():
            for part in ("message", "delta"):
                message = choice.get(part) if isinstance(choice, dict) else None
                if not isinstance(message, dict):
                    continue
                for name in _TEXTS:
                    if message.get(name):
                        return name
                if isinstance(message.get("content"), str):
                    content += message["content"]
        tokens = _reasoning_tokens(value)
        if tokens:
            return f"{tokens} reasoning tokens"
    return "a tag in the text" if _TAG.search(content) else None


def _reasoning_tokens(value: Mapping[str, Json]) -> int:
    usage = value.get("usage")
    details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
    tokens = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return tokens if type(tokens) is int else 0
