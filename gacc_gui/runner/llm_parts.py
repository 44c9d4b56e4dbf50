"""Parts that ask a model: compressors, a reader and a judge, each a prompt and a client.

Owns what each puts into its prompt, how long a reply it asks for, and what becomes of a completion. Prompts
are files (`prompts`), the names and revisions come from the configuration (`registry`). Not here: sending
(`endpoint`), and reading a verdict (`core.verdict_parsing`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import LABELS, Json
from gacc_gui.core.verdict_parsing import parse_verdict
from gacc_gui.runner.completions import Completion
from gacc_gui.runner.config_model import EndpointConfig, PartConfig
from gacc_gui.runner.endpoint import ModelClient
from gacc_gui.runner.parts import (
    Call,
    CompressorInput,
    CompressorOutput,
    JudgeInput,
    JudgeOutput,
    ReaderInput,
    ReaderOutput,
)
from gacc_gui.runner.prompts import Prompt

STRUCTURED_OUTPUTS: Final = ("json_schema", "json_object", "none")
"""How a judge asks for its JSON object; what a service offers differs. The reply is read strictly anyway."""

_READER_TOKENS: Final = 256
_JUDGE_TOKENS: Final = 512
_WORDS_PER_TOKEN: Final = 0.75
_VERDICT_SCHEMA: Final[Mapping[str, Json]] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "verdict": {"type": "string", "enum": list(LABELS)}},
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}


def reply_tokens(role: str, part: PartConfig, budget: int = 0) -> int:
    """Return the most tokens that a part lets a model reply with.

    Where the configuration does not say, a compressor may exceed its budget by half: models count otherwise
    than our tokenizer, and what is too long is cut.
    """
    if part.max_tokens is not None:
        return part.max_tokens
    if role == "compressor":
        return budget + budget // 2 + 32
    return _READER_TOKENS if role == "reader" else _JUDGE_TOKENS


def make_part(
    role: str,
    part: PartConfig,
    endpoint: EndpointConfig,
    client: ModelClient | None,
    prompt: Prompt | None,
    *,
    name: str,
    revision: str,
) -> LlmCompressor | LlmReader | LlmJudge:
    """Return a part of a role. Without a client it has its name and revision, and cannot be called."""
    if prompt is None:
        raise BadUsage(f"{part.part} has no prompt")
    asker = _Asker(client, endpoint, prompt, part, role)
    if role == "compressor":
        return LlmCompressor(asker, name, revision)
    if role == "reader":
        return LlmReader(asker, name, revision)
    return LlmJudge(asker, name, revision, str(part.options.get("structured_output", STRUCTURED_OUTPUTS[0])))


@dataclass(frozen=True, slots=True)
class _Asker:
    """A prompt with a client and the settings of its calls."""

    client: ModelClient | None
    endpoint: EndpointConfig
    prompt: Prompt
    part: PartConfig
    role: str

    async def ask(
        self,
        values: Mapping[str, Json],
        *,
        budget: int = 0,
        response_format: Mapping[str, Json] | None = None,
    ) -> Completion:
        if self.client is None:
            raise BadUsage(f"endpoint {self.endpoint.name!r} is not connected")
        return await self.client.complete(
            self.prompt.messages(values),
            max_tokens=reply_tokens(self.role, self.part, budget),
            temperature=self.part.temperature,
            seed=self.part.seed,
            response_format=response_format,
        )


@dataclass(frozen=True, slots=True)
class LlmCompressor:
    """Asks for a memory. It is shown the source, the goal (or none) and the budget, and nothing else."""

    asker: _Asker
    name: str
    revision: str

    async def __call__(self, given: CompressorInput) -> CompressorOutput:
        """Return the model's memory, as it wrote it."""
        completion = await self.asker.ask(
            {
                "source": given.context,
                "goal": given.goal,
                "budget": given.budget,
                "words": max(1, int(given.budget * _WORDS_PER_TOKEN)),
            },
            budget=given.budget,
        )
        return CompressorOutput(completion.text, _text_status(completion), **_reported(completion))


@dataclass(frozen=True, slots=True)
class LlmReader:
    """Asks a question about a memory. It is shown these two, and nothing else."""

    asker: _Asker
    name: str
    revision: str

    async def __call__(self, given: ReaderInput) -> ReaderOutput:
        """Return the model's answer, as it wrote it."""
        completion = await self.asker.ask({"memory": given.memory, "question": given.question})
        return ReaderOutput(completion.text, _text_status(completion), **_reported(completion))


@dataclass(frozen=True, slots=True)
class LlmJudge:
    """Asks whether an answer is right. It is shown JSON strings, so that no answer can pass for a verdict."""

    asker: _Asker
    name: str
    revision: str
    structured_output: str = STRUCTURED_OUTPUTS[0]

    async def __call__(self, given: JudgeInput) -> JudgeOutput:
        """Return the model's verdict. A reply without a clear one has none; a cut one is not read at all."""
        completion = await self.asker.ask(
            {
                "source": given.source,
                "question": given.question,
                "references": list(given.references),
                "answer": given.answer,
            },
            response_format=_response_format(self.structured_output),
        )
        reported = _reported(completion)
        if completion.status != "ok":
            status = _verdict_status(completion)
            return JudgeOutput(None, status, raw_reply=completion.text, **reported)
        verdict = parse_verdict(completion.text)
        return JudgeOutput(
            verdict.label,
            verdict.status,
            rationale=verdict.rationale,
            raw_reply=completion.text,
            **reported,
        )


def _response_format(structured_output: str) -> Mapping[str, Json] | None:
    if structured_output == "json_schema":
        schema = {"name": "verdict", "strict": True, "schema": _VERDICT_SCHEMA}
        return {"type": "json_schema", "json_schema": schema}
    return {"type": "json_object"} if structured_output == "json_object" else None


def _text_status(completion: Completion) -> str:
    """Return the status of a memory or an answer. What a model refuses to write is no answer."""
    return "no_answer" if completion.status == "refused" else completion.status


def _verdict_status(completion: Completion) -> str:
    if completion.status == "no_answer":
        # Reasoning that ate the whole reply was cut short; an empty reply is no verdict.
        return (
            "truncated"
            if (completion.finish_reason or "").lower() in ("length", "max_tokens")
            else "unparsed"
        )
    return completion.status


def _reported(completion: Completion) -> dict[str, Any]:
    call = completion.call()
    return {field.name: getattr(call, field.name) for field in fields(Call)}
