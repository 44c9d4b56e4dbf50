"""What is kept of a call: one request record, under an id that tells its item and which try it was.

Owns the ids and the fields of these records. Not here: when calls are made (`engine`), and where the records
go (`sink`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from gacc_gui.core.records import Json, Question, Request
from gacc_gui.runner.parts import Call, CompressorInput, JudgeInput, ReaderInput

Place = tuple[str, str, int]
"""Memory, question and repeat of a row."""

INTERRUPTED = "interrupted: the program ended before a reply was kept"


class RequestIds:
    """Gives each call an id of its own: `memory/compressor`, `memory/question/repeat/reader`, tries `…/2`.

    Where an item takes several calls, each has its step: `memory/compressor/summary-1`.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def new(
        self,
        role: str,
        memory_id: str,
        question: Question | None = None,
        repeat: int = 0,
        step: str | None = None,
    ) -> str:
        """Return the id of the next try of an item's call."""
        place = [memory_id, role] if question is None else [memory_id, question.id, str(repeat), role]
        if step is not None:
            place.append(step)
        first = name = "/".join(place)
        number = 1
        while name in self._taken:
            number += 1
            name = f"{first}/{number}"
        self._taken.add(name)
        return name


def request_of(
    request_id: str,
    memory_id: str,
    given: CompressorInput | ReaderInput | JudgeInput,
    output: Call,
    question: Question | None = None,
    repeat: int = 0,
) -> Request:
    """Record a call: what was sent, word for word, and what came back.

    For a part that sends nothing anywhere, the sent text is its input's texts in their order, a blank line
    between; nothing else, so that whatever `verify` finds in a compressor's request was in its input.
    """
    extra: dict[str, Json] = {}
    texts: tuple[str | None, ...]
    match given:
        case CompressorInput(context, goal, budget):
            role, texts = "compressor", (context, goal)
            extra["budget"] = budget
        case ReaderInput(memory, asked):
            role, texts = "reader", (memory, asked)
        case JudgeInput(source, asked, references, answer):
            role, texts = "judge", (source, asked, *references, answer)
    if question is not None:
        extra["question_id"], extra["repeat"] = question.id, repeat
    extra |= reported(output)
    sent = output.sent if output.sent is not None else "\n\n".join(text for text in texts if text is not None)
    return Request(request_id, role, sent, memory_id, extra=extra)


def reported(output: Call) -> dict[str, Json]:
    """Return what a part reports of a call, for the request's record: each only where it is told."""
    extra: dict[str, Json] = {}
    if output.reply is not None:
        extra["reply"] = output.reply
    if output.usage is not None:
        extra["usage"] = {name: n for name, n in asdict(output.usage).items() if n is not None}
    for name in ("finish_reason", "latency_seconds", "cost"):
        if (value := getattr(output, name)) is not None:
            extra[name] = value
    if output.attempts:
        extra["attempts"] = [_without_none(asdict(attempt)) for attempt in output.attempts]
        if output.error is not None:
            extra["error"] = output.error
    if output.details:
        extra["details"] = dict(output.details)
    return extra


def interrupted_request(
    request_id: str, role: str, memory_id: str, question_id: str | None, repeat: int | None, started_at: str
) -> Request:
    """Record a call that was under way when the program ended: what it sent is not known, nor what came."""
    extra: dict[str, Json] = {"started_at": started_at, "error": INTERRUPTED}
    if question_id is not None:
        extra |= {"question_id": question_id, "repeat": repeat}
    return Request(request_id, role, "", memory_id, extra=extra)


def _without_none(fields: dict[str, Any]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value is not None}
