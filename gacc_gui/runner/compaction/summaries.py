"""Summaries and answers by a chat model: what each is sent, and how long a reply it may give.

Owns the messages of a summary and of another try at one, and the reply's length. The answerer sends the
answer input as it is. Not here: sending (`runner.endpoint`), whether a summary fits (`contexts`), and reading
an answer (`core.answer_reading`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final

from gacc_gui.core.records import Json
from gacc_gui.runner.compaction.parts import AnswerInput, SummaryInput
from gacc_gui.runner.compaction.settings import Settings
from gacc_gui.runner.completions import Completion
from gacc_gui.runner.endpoint import ModelClient
from gacc_gui.runner.parts import Call, CompressorOutput, ReaderOutput
from gacc_gui.runner.prompts import Prompt

PROVIDER_TOKENS: Final = "provider_input_tokens"
"""In a call's details: the service's own count of the input, where it told one."""
_WORDS_PER_TOKEN: Final = 0.75


def reply_tokens(tokens: int) -> int:
    """Return the most tokens that a summary's reply may have, for a space of so many.

    Services count otherwise than our tokenizer; whether it fits is counted here afterwards.
    """
    return tokens + tokens // 2 + 32


@dataclass(frozen=True, slots=True)
class LlmSummarizer:
    """Asks a chat model for a summary; with a wording of its own where something is kept beside it."""

    client: ModelClient
    alone: Prompt
    beside: Prompt
    settings: Settings
    name: str
    revision: str

    async def __call__(self, given: SummaryInput) -> CompressorOutput:
        """Return the model's summary, without white space around it."""
        prompt = self.beside if given.kept else self.alone
        values: dict[str, Json] = {
            "task": given.task,
            "kept": given.kept,
            "evidence": given.evidence,
            "tokens": given.tokens,
            "words": max(1, int(given.tokens * _WORDS_PER_TOKEN)),
        }
        messages = prompt.messages(values)
        if given.last is not None:
            # Not the summary itself: what was made of the evidence is no part of what there is to summarise.
            again = prompt.again({**values, "over": given.last.over})
            messages[-1]["content"] += f"\n\n{again}"
        completion = await self.client.complete(
            messages,
            max_tokens=reply_tokens(given.tokens),
            temperature=self.settings.temperature or 0.0,
            seed=_seed(self.settings, given.variant),
        )
        text = None if completion.text is None else completion.text.strip()
        return CompressorOutput(text or None, _status(completion), **_reported(completion))


@dataclass(frozen=True, slots=True)
class LlmAnswerer:
    """Asks a chat model for an answer."""

    client: ModelClient
    settings: Settings
    name: str
    revision: str

    async def __call__(self, given: AnswerInput) -> ReaderOutput:
        """Return the model's reply, as it wrote it."""
        completion = await self.client.complete(
            given.messages,
            max_tokens=self.settings.answer_max_tokens,
            temperature=self.settings.temperature or 0.0,
            seed=_seed(self.settings, given.variant),
        )
        reported = _reported(completion)
        if (counted := _input_tokens(completion)) is not None:
            reported["details"] = {**reported["details"], PROVIDER_TOKENS: counted}
        return ReaderOutput(completion.text, _status(completion), **reported)


def _seed(settings: Settings, variant: int) -> int | None:
    """Return a call's seed: with the same one, repeats of a call would be no repeats."""
    return None if settings.seed is None else settings.seed + variant


def _input_tokens(completion: Completion) -> int | None:
    """Return the count in the last reply: the call's usage sums up all attempts."""
    return None if completion.status == "error" else completion.input_tokens


def _status(completion: Completion) -> str:
    """Return the status of a memory or an answer. What a model refuses to write is no answer."""
    return "no_answer" if completion.status == "refused" else completion.status


def _reported(completion: Completion) -> dict[str, Any]:
    call = completion.call()
    reported: dict[str, Any] = {field.name: getattr(call, field.name) for field in fields(Call)}
    if completion.status == "refused":
        reported["details"] = {**completion.details, "refused": True}
    return reported
