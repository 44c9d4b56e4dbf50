"""Whether an endpoint of a configuration answers: one small call, of which nothing is kept."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.errors import BadUsage

if TYPE_CHECKING:
    from gacc_gui.runner.completions import Completion
    from gacc_gui.runner.config_model import EndpointConfig

MOST_TOKENS: Final = 16
_MESSAGE: Final = "Reply with the word OK."


@dataclass(frozen=True, slots=True)
class EndpointCheck:
    """What the call came to. `ok`: the service answered, if with no more than a cut text.

    `text` is its answer, `error` a sentence where there is none, without credentials; counts are None where
    the service tells none; `attempts` were made until then.
    """

    endpoint: str
    model: str
    ok: bool
    text: str | None
    error: str | None
    seconds: float
    attempts: int
    input_tokens: int | None
    output_tokens: int | None

    def as_json(self) -> dict[str, Any]:
        """Return the check as JSON."""
        return asdict(self)


def check_endpoint(config_path: Path, name: str, live: bool) -> EndpointCheck:
    """Ask one endpoint of a configuration for a word. BadUsage: without `live`, or for an unknown name."""
    from gacc_gui.runner.config import load_config

    config = load_config(config_path)
    if name not in config.endpoints:
        there = ", ".join(config.endpoints) or "none"
        raise BadUsage(f"there is no endpoint {name!r} in {config_path} (there are: {there})")
    if not live:
        raise BadUsage("one small call is made, which may cost money: --live says that it may")
    return asyncio.run(_checked(config.endpoints[name]))


async def _checked(endpoint: EndpointConfig) -> EndpointCheck:
    from gacc_gui.runner.endpoint import ModelClient
    from gacc_gui.runner.parts import RunStopped

    async with ModelClient(endpoint) as client:
        try:
            completion = await client.complete(
                [{"role": "user", "content": _MESSAGE}], max_tokens=MOST_TOKENS
            )
        except RunStopped as error:
            return EndpointCheck(endpoint.name, endpoint.model, False, None, str(error), 0.0, 1, None, None)
    return _check_of(endpoint, completion)


def _check_of(endpoint: EndpointConfig, completion: Completion) -> EndpointCheck:
    usage = completion.usage
    return EndpointCheck(
        endpoint=endpoint.name,
        model=endpoint.model,
        ok=completion.status != "error",
        text=completion.text,
        error=completion.error,
        seconds=round(completion.latency_seconds, 3),
        attempts=len(completion.attempts),
        input_tokens=usage.input_tokens if usage is not None else None,
        output_tokens=usage.output_tokens if usage is not None else None,
    )
