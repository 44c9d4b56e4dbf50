"""What a chat completions service replied with a status of success: a completion, or what it is instead.

Owns the reading of bodies as services really send them: web pages, errors with status 200, content as a list,
reasoning in three places, missing usage. Pure: bytes in, frozen values out. Not here: statuses of failure
(`failures`), and sending (`endpoint`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gacc_gui.core.records import Json
from gacc_gui.runner.failures import (
    ADDRESS_HINT,
    BAD_RESPONSE,
    EXCERPT,
    FILTERED,
    RETRIED,
    SERVER,
    STOPPING,
    TOO_LONG,
    Failure,
    error_of,
    excerpt,
    kind_of_error,
    repaired,
)
from gacc_gui.runner.parts import Usage

_MOST_TOKENS: Final = 10**12
"""A call that reports more reports nonsense."""
_CUT_SHORT: Final = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_FILTER_REASONS: Final = frozenset({"content_filter", "safety", "sensitive", "recitation", "refusal"})
_BROKEN_OFF: Final = frozenset({"error", "abort", "aborted", "cancelled", "insufficient_system_resource"})
_REASONING_PARTS: Final = frozenset({"thinking", "reasoning", "reasoning_content"})
_OPEN: Final = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_CLOSE: Final = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reply:
    """What one body says.

    `status`: `ok`, `truncated`, `no_answer`, `refused` or `error`. `text` is what may be used of it; with
    `error` it is the part that came before a service broke off. `reasoning` never is an answer. `error` is
    a sentence for every status but `ok` and `truncated`; `failure` says how an attempt failed.
    """

    status: str
    text: str | None = None
    reasoning: str | None = None
    finish_reason: str | None = None
    usage: Usage | None = None
    model: str | None = None
    error: str | None = None
    failure: Failure | None = None


def failed(failure: Failure) -> Reply:
    """Return what a failure comes to as a reply: nothing to use."""
    status = "refused" if failure.kind == FILTERED else "error"
    return Reply(status, error=failure.message, failure=failure)


def read_reply(body: bytes, content_type: str) -> Reply:
    """Return what a body that came with a status of success says."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        return _unusable(_why_no_json(body, content_type, error), retry=_is_torn(body, content_type))
    if not isinstance(value, dict):
        return _unusable(_quoted("the reply is no completion", body, content_type), retry=False)
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return _failed_inside(value, body, content_type)
    message = choices[0].get("message")
    if not isinstance(message, dict):
        return _unusable(_quoted("the reply's choice holds no message", body, content_type), retry=False)
    reply = _read_choice(value, choices[0], message)
    if reply is None:
        return _unusable(_quoted("the content is of no known form", body, content_type), retry=False)
    return reply


def split_reasoning(text: str) -> tuple[str | None, str | None]:
    """Return (answer, reasoning) of a content that may begin with its reasoning in tags.

    The answer is None where the reasoning never ends. A template may have eaten the opening tag; a closing
    tag in quotes is a text's own.
    """
    reasoning: list[str] = []
    while opened := _OPEN.match(text):
        closed = _CLOSE.search(text, opened.end())
        if closed is None:
            return None, "\n".join([*reasoning, text[opened.end() :].strip()])
        reasoning.append(text[opened.end() : closed.start()].strip())
        text = text[closed.end() :].lstrip()
    orphan = _CLOSE.search(text)
    if orphan and not re.search(r"<(?:think|thinking|thought|reasoning)>", text[: orphan.start()], re.I):
        before, after = text[: orphan.start()][-1:], text[orphan.end() :][:1]
        if before not in ("`", '"', "'") and after not in ("`", '"', "'"):
            reasoning.append(text[: orphan.start()].strip())
            text = text[orphan.end() :].lstrip()
    return text, "\n".join(reasoning) or None


def read_usage(value: Json) -> Usage | None:
    """Return the token counts a reply reports; None where it reports none. A count that is no whole number
    of at least 0 is not reported.
    """
    if not isinstance(value, dict):
        return None
    details = value.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    for name in ("prompt_cache_hit_tokens", "cached_tokens"):
        cached = cached if cached is not None else _count(value.get(name))
    usage = Usage(_count(value.get("prompt_tokens")), _count(value.get("completion_tokens")), cached)
    return None if usage == Usage() else usage


def _read_choice(
    body: Mapping[str, Json], choice: Mapping[str, Json], message: Mapping[str, Json]
) -> Reply | None:
    """Return what a choice says, or None where its content is no text of any form."""
    content, reasoning, refusal = _content_of(message)
    if content is _ODD:
        return None
    text: str | None = None
    if isinstance(content, str):
        text, inline = split_reasoning(repaired(content))
        reasoning = "\n".join(part for part in (reasoning, inline) if part) or None
    if text is not None and not text.strip():
        text = None
    finish, model = choice.get("finish_reason"), body.get("model")
    finish = finish if isinstance(finish, str) else None
    reply = Reply(
        status="ok",
        text=text,
        reasoning=reasoning,
        finish_reason=finish,
        usage=read_usage(body.get("usage")),
        model=model if isinstance(model, str) else None,
    )
    reason = (finish or "").lower()
    if reason in _BROKEN_OFF:
        return _broken(reply, SERVER, f"the service broke off: finish reason {finish!r}")
    if isinstance(body.get("error"), dict):
        code, words, _ = error_of(body)
        return _broken(reply, SERVER, f"the reply holds an error: {words or code}")
    if refusal:
        return replace(reply, status="refused", text=None, error=f"the model refused: {refusal[:EXCERPT]}")
    if reason in _FILTER_REASONS:
        if text is not None:
            return _broken(reply, FILTERED, f"the service cut the answer: finish reason {finish!r}")
        withheld = f"the service withheld the answer: finish reason {finish!r}"
        return replace(reply, status="refused", error=withheld)
    if text is None:
        return replace(
            reply, status="no_answer", error=_why_no_answer(body, finish, bool(reasoning), message)
        )
    return replace(reply, status="truncated") if reason in _CUT_SHORT else reply


def _broken(reply: Reply, kind: str, message: str) -> Reply:
    """Return a reply whose text is at most a beginning."""
    failure = Failure(kind, message, kind in RETRIED)
    return replace(reply, status="error", error=message, failure=failure)


_ODD: Final = object()


def _content_of(message: Mapping[str, Json]) -> tuple[Json, str | None, str | None]:
    """Return (content, reasoning, refusal); the content is a text, None, or `_ODD`: no text of any form."""
    reasoning = [
        value
        for name in ("reasoning_content", "reasoning")
        if isinstance(value := message.get(name), str) and value
    ]
    refused = message.get("refusal")
    refusal = refused if isinstance(refused, str) and refused else None
    content = message.get("content")
    if content is None or isinstance(content, str):
        return content, repaired("\n".join(dict.fromkeys(reasoning))) or None, refusal
    if not isinstance(content, list):
        return _ODD, None, None
    texts: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
            continue
        if not isinstance(part, dict):
            return _ODD, None, None
        kind = part.get("type")
        if kind in _REASONING_PARTS:
            reasoning += _texts_of([part.get(name) for name in ("thinking", "reasoning", "text")])
        elif kind == "refusal" and isinstance(part.get("refusal"), str):
            refusal = part["refusal"]
        elif isinstance(part.get("text"), str) and kind in (None, "text", "output_text"):
            texts.append(part["text"])
    joined = "".join(texts) if texts else None
    return joined, repaired("\n".join(dict.fromkeys(reasoning))) or None, refusal


def _texts_of(values: Sequence[Json]) -> list[str]:
    """Return the texts among values, and those of the parts that stand there in lists."""
    texts: list[str] = []
    for value in values:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list):
            texts += [
                part["text"] for part in value if isinstance(part, dict) and isinstance(part.get("text"), str)
            ]
    return texts


def _why_no_answer(
    body: Mapping[str, Json], finish: str | None, reasoned: bool, message: Mapping[str, Json]
) -> str:
    usage = body.get("usage")
    used = total = None
    if isinstance(usage, dict):
        total = _count(usage.get("completion_tokens"))
        details = usage.get("completion_tokens_details")
        used = _count(details.get("reasoning_tokens")) if isinstance(details, dict) else None
    ending = f"finish reason {finish!r}" if finish else "no finish reason"
    if reasoned or used:
        share = (
            f"{used if used is not None else 'an unknown number'} of {total} tokens"
            if total is not None
            else "it all"
        )
        return f"no answer: reasoning used {share} ({ending})"
    if message.get("tool_calls") or message.get("function_call"):
        return f"no answer: the model called a tool ({ending})"
    return f"no answer: the content is empty ({ending})"


def _failed_inside(value: Mapping[str, Json], body: bytes, content_type: str) -> Reply:
    """Read a success without choices: an error that came with the wrong status, or nothing of use."""
    code, message, _ = error_of(value)
    if message is None and code is None:
        return _unusable(_quoted("the reply holds no choices", body, content_type), retry=False)
    status = int(code) if code and re.fullmatch("[45][0-9][0-9]", code) else 200
    kind = kind_of_error(status, {}, code, message, is_page=False) if status != 200 or code else BAD_RESPONSE
    words = _quoted("the reply is an error", body, content_type)
    if kind in STOPPING:
        return _unusable(message or words, retry=False, kind=kind)
    return _unusable(
        words, retry=kind in RETRIED, kind=kind if kind in (TOO_LONG, FILTERED) else BAD_RESPONSE
    )


def _unusable(message: str, *, retry: bool, kind: str = BAD_RESPONSE) -> Reply:
    return failed(Failure(kind, message, retry))


def _why_no_json(body: bytes, content_type: str, error: Exception) -> str:
    if not body.strip():
        return f"bad response: the body is empty ({content_type or 'no content type'})"
    if isinstance(error, UnicodeDecodeError):
        return _quoted("the body is not UTF-8", body, content_type)
    if isinstance(error, RecursionError):
        return _quoted("the body is nested too deep", body, content_type)
    return _quoted("the body is no JSON", body, content_type)


def _is_torn(body: bytes, content_type: str) -> bool:
    """Whether the body may be the beginning of a completion: then the connection is to blame."""
    return not body.strip() or (body.lstrip()[:1] == b"{" and "html" not in content_type.lower())


def _quoted(what: str, body: bytes, content_type: str) -> str:
    kind = content_type or "no content type"
    return f"bad response: {what} ({kind}); {ADDRESS_HINT} It begins: {excerpt(body)}"


def _count(value: Json) -> int | None:
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None
