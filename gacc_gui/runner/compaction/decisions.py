"""Which groups are useful to the task, asked of a decision model: one yes/no question a group, in batches.

Owns what a request holds, how groups are divided into requests, and that scores are checked whoever made
them. The state of every request holds the task and all evidence, so that a score does not depend on which
groups are asked about together; the question holds the group itself. Not here: sending (`system_one`), and
what is kept by the scores (`fitting`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from gacc_gui.core.compaction import EvidenceFile, Group
from gacc_gui.core.records import Json
from gacc_gui.runner.compaction.parts import DecisionInput, Passage
from gacc_gui.runner.compaction.system_one import SystemOneClient
from gacc_gui.runner.parts import Call, CompressorOutput
from gacc_gui.runner.prompts import Prompt

BATCH_TOKENS: Final = 48_000
"""Of the state with all questions of a request, by our tokenizer.

The API takes some 64,000 by its own (and 33,000 of the state with one question); theirs may find more.
"""
_PER_QUESTION: Final = 64
"""Tokens of a question beside its passage: prompt, name, JSON."""


class BadScoresError(ValueError):
    """Why scores cannot be used, in a sentence."""


@dataclass(frozen=True, slots=True)
class LiveDecider:
    """Asks a System One service."""

    client: SystemOneClient
    prompt: Prompt
    name: str
    revision: str
    batch_tokens: int | None = BATCH_TOKENS

    async def __call__(self, given: DecisionInput) -> CompressorOutput:
        """Return the service's scores."""
        by_id = {passage.id: passage for passage in given.passages}
        questions = {id: question_of(self.prompt, by_id[id]) for id in given.asked}
        completion = await self.client.ask(state_of(given), questions)
        call = completion.call()
        reported: dict[str, Any] = {field.name: getattr(call, field.name) for field in fields(Call)}
        return CompressorOutput(completion.text, completion.status, **reported)


def state_of(given: DecisionInput) -> dict[str, Json]:
    """Return the state: the request, and all evidence by article."""
    articles: list[dict[str, str]] = []
    for passage in given.passages:
        if articles and articles[-1]["title"] == passage.title:
            articles[-1]["text"] += f"\n{passage.text}"
        else:
            articles.append({"title": passage.title, "text": passage.text})
    return {"request": given.task, "evidence": articles}


def question_of(prompt: Prompt, passage: Passage) -> str:
    """Return the question about a passage."""
    return prompt.messages({"title": passage.title, "passage": passage.text})[-1]["content"]


def passages_of(files: Sequence[EvidenceFile], groups: Sequence[Group]) -> tuple[Passage, ...]:
    """Return groups as passages."""
    return tuple(Passage(group.id, files[group.file].title, group.text) for group in groups)


def batches(
    task: str,
    passages: tuple[Passage, ...],
    most: int,
    tokens: int | None,
    count: Callable[[str], int],
) -> Iterator[DecisionInput]:
    """Yield the requests that together ask about every passage once, in order.

    Each asks about at most `most` passages, and has at most about `tokens` tokens; one passage that has more
    by itself is asked about alone.
    """
    whole = DecisionInput(task, passages, ())
    fixed = 0 if tokens is None else count(json.dumps(state_of(whole), ensure_ascii=False))
    asked: list[str] = []
    used = fixed
    for passage in passages:
        cost = 0 if tokens is None else count(f"{passage.title}\n{passage.text}") + _PER_QUESTION
        full = len(asked) >= most or (tokens is not None and used + cost > tokens)
        if asked and full:
            yield replace(whole, asked=tuple(asked))
            asked, used = [], fixed
        asked.append(passage.id)
        used += cost
    if asked:
        yield replace(whole, asked=tuple(asked))


def scores_in(text: str | None, asked: Sequence[str]) -> dict[str, float]:
    """Return the scores in a part's output, one per asked passage, in that order. Raises BadScoresError."""
    try:
        value = json.loads(text or "")
    except (ValueError, RecursionError) as error:
        raise BadScoresError("the scores are no JSON") from error
    if not isinstance(value, dict):
        raise BadScoresError("the scores are no object")
    for id in asked:
        if id not in value:
            raise BadScoresError(f"the group {id} has no score")
        score = value[id]
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise BadScoresError(f"the score of the group {id} is {score!r:.40}, not a finite number")
        if not 0 <= score <= 1:
            raise BadScoresError(f"the score of the group {id} is {score!r:.40}, not from 0 to 1")
    if more := sorted(set(value) - set(asked)):
        raise BadScoresError(f"there is a score for {more[0]!r:.40}, which was not asked about")
    return {id: float(value[id]) for id in asked}
