"""How a chat completions service says that it failed, and what follows: another try, a failed item, a stop.

Owns the kinds of failure and how they are told from statuses, codes and words. Pure. Not here: what comes
with a status of success (`replies`), and waiting and trying again (`endpoint`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.records import Json

EXCERPT: Final = 200
"""Characters of an unusable body that an error quotes."""

# Kinds of failure; `Failure.kind` is one of them, and events count by it.
AUTHENTICATION: Final = "authentication"
QUOTA: Final = "quota"
RATE_LIMITED: Final = "rate limited"
SERVER: Final = "server error"
TIMEOUT: Final = "timeout"
CONNECTION: Final = "connection"
UNREACHABLE: Final = "unreachable"
BAD_RESPONSE: Final = "bad response"
TOO_LONG: Final = "prompt too long"
PARAMETER: Final = "unsupported parameter"
FILTERED: Final = "refused"
BAD_REQUEST: Final = "bad request"

RETRIED: Final = frozenset({RATE_LIMITED, SERVER, TIMEOUT, CONNECTION, UNREACHABLE})
"""Kinds that another attempt may mend."""
STOPPING: Final = frozenset({AUTHENTICATION, QUOTA})
"""Kinds that no further call of the run can escape."""

ADDRESS_HINT: Final = "does the base URL end in /v1?"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

# What says that a prompt was too long, and nothing else: a broader match would swallow other bad requests.
_LONG_CODES: Final = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "context_window_exceeded"}
)
_LONG_WORDS: Final = re.compile(
    r"maximum context length|context (?:size|length|window) (?:has been |is |was )?exceeded"
    r"|exceed(?:s|ed)? (?:the |this |its )?(?:available |maximum |model'?s? )*context"
    r"|(?:larger|longer) than the (?:available |maximum |model'?s? )*context"
    r"|prompt is too long|input is too long|range of input length should be"
    r"|reduce the length of the (?:messages|prompt)"
    r"|(?:prompt|input)[^.]{0,60} exceeds? (?:the )?(?:max|limit)|max_model_len",
    re.IGNORECASE,
)
_QUOTA_CODES: Final = frozenset(
    [
        *("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "arrearage"),
        *("exceeded_current_quota_error", "insufficient_balance", "insufficient_credits", "1113"),
    ]
)
_QUOTA_WORDS: Final = re.compile(
    r"insufficient (?:account )?(?:balance|quota|credits?|funds)|exceeded your current quota"
    r"|out of credits|billing (?:hard )?limit|余额不足|欠费",
    re.IGNORECASE,
)
_KEY_CODES: Final = frozenset({"invalid_api_key", "invalid_authentication_error", "authentication_error"})
_KEY_WORDS: Final = re.compile(
    r"(?:incorrect|invalid|missing|no|expired|revoked) (?:api[ _-]?key|token|credentials)", re.IGNORECASE
)
_FILTER_CODES: Final = frozenset({"content_filter", "content_policy_violation", "data_inspection_failed"})
_FILTER_WORDS: Final = re.compile(
    r"flagged|moderation|content (?:management )?policy|inappropriate content", re.IGNORECASE
)
_PARAMETER_CODES: Final = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
_PARAMETER_WORDS: Final = re.compile(
    r"(?:unsupported|unrecognized|unknown|extra) (?:parameter|argument|value|request argument)"
    r"|extra (?:inputs|fields) (?:are )?not permitted|is not supported (?:with|by|for) this model",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt gave nothing to use. `kind`: one of this module's; `message`: one line."""

    kind: str
    message: str
    retry: bool

    @property
    def stops_run(self) -> bool:
        """Whether every further call would fail alike."""
        return self.kind in STOPPING


def read_failure(http_status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """Return what a status of failure means. `headers` with lower-case names."""
    kind_of_body = headers.get("content-type", "")
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    code, message, parameter = error_of(value)
    told = message or excerpt(body)
    words = f"HTTP {http_status}: {told}" if told else f"HTTP {http_status} without a word"
    if value is None and told:
        words = f"HTTP {http_status} ({kind_of_body or 'no content type'}): {told}"
    kind = kind_of_error(http_status, headers, code, message, is_page="html" in kind_of_body.lower())
    if kind == PARAMETER:
        words = f"{words}{_parameter_hint(parameter, message)}"
    elif http_status == 404 and kind == BAD_REQUEST and "model" not in told.lower():
        words = f"{words}; {ADDRESS_HINT}"
    return Failure(kind, words, kind in RETRIED and headers.get("x-should-retry") != "false")


def repaired(text: str) -> str:
    """Return the text with lone surrogates, which neither UTF-8 nor a database holds, as U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def excerpt(body: bytes) -> str:
    """Return the first characters of a body in one line."""
    return " ".join(repaired(body[: 8 * EXCERPT].decode("utf-8", "replace")).split())[:EXCERPT]


def error_of(value: Json) -> tuple[str | None, str | None, str | None]:
    """Return (code, message, parameter) of an error body: wrapped in `error`, bare, or in a list."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return None, None, None
    inner = value.get("error", value.get("errors"))
    if isinstance(inner, list) and inner:
        inner = inner[0]
    if isinstance(inner, str):
        inner = {"message": inner, "code": value.get("code")}
    if not isinstance(inner, dict):
        inner = value
    message = next((inner[name] for name in ("message", "msg", "detail") if inner.get(name)), None)
    if message is not None and not isinstance(message, str):
        message = json.dumps(message, ensure_ascii=False)
    names = [inner.get("code"), inner.get("type"), value.get("code"), inner.get("status")]
    codes = [str(name) for name in names if isinstance(name, str | int) and not isinstance(name, bool)]
    known = _QUOTA_CODES | _KEY_CODES | _LONG_CODES | _FILTER_CODES | _PARAMETER_CODES
    code = next((name for name in codes if name.lower() in known), codes[0] if codes else None)
    parameter = inner.get("param")
    line = " ".join(repaired(message).split())[: 2 * EXCERPT] if message else None
    return code, line, parameter if isinstance(parameter, str) else None


def kind_of_error(
    http_status: int, headers: Mapping[str, str], code: str | None, message: str | None, *, is_page: bool
) -> str:
    """Return the kind of an error; `headers` with lower-case names, `is_page` for a web page as its body."""
    name, words = (code or "").lower(), message or ""
    if name in _LONG_CODES or (http_status != 429 and _LONG_WORDS.search(words)):
        return TOO_LONG
    # Some services say “quota” of a limit per minute, and then say when to come again.
    passing = http_status == 429 and ("retry-after" in headers or "retry in" in words.lower())
    if http_status == 402 or name in _QUOTA_CODES or (_QUOTA_WORDS.search(words) and not passing):
        return QUOTA
    if name in _FILTER_CODES or (http_status in (400, 403) and _FILTER_WORDS.search(words)):
        return FILTERED
    if http_status == 401 or name in _KEY_CODES or (http_status == 400 and _KEY_WORDS.search(words)):
        return AUTHENTICATION
    if http_status == 403:
        return BAD_REQUEST if is_page else AUTHENTICATION
    if http_status == 429:
        return RATE_LIMITED
    if http_status >= 500 or http_status in (408, 409) or headers.get("x-should-retry") == "true":
        return SERVER
    if name in _PARAMETER_CODES or (http_status in (400, 422) and _PARAMETER_WORDS.search(words)):
        return PARAMETER
    return BAD_REQUEST if http_status >= 400 else BAD_RESPONSE


def _parameter_hint(parameter: str | None, message: str | None) -> str:
    told = parameter or message or ""
    if "max_tokens" in told or "max_completion_tokens" in told:
        return "; set max_tokens_field of the endpoint to the other name"
    if "temperature" in told:
        return "; set omit_temperature of the endpoint to true"
    if "response_format" in told:
        return "; choose another structured_output for the judge"
    return ""
