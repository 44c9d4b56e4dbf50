"""Takes credentials out of what is stored: keys, bearer tokens, passwords in addresses.

Owns the patterns and which fields are looked at: requests, errors, what a failed judge and the judge of a
probe said, reviewers' names, notes and tags, the name and settings of a run, its probes, unknown fields. The
texts that are measured (sources, memories, answers) are never touched: they must stay what was evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from gacc_gui.core.records import (
    NOTHING,
    Answer,
    Json,
    Memory,
    Probe,
    ProbeAnswer,
    ProbeVerdict,
    Record,
    Request,
    Review,
    Run,
    Verdict,
)
from gacc_gui.formats.json_values import dumps

AnyRecord = TypeVar("AnyRecord", bound=Record)

REMOVED: Final = "[removed]"

# Each needs a digit in the secret or a telling name before it: “bearer bonds” and “sk-learn” are words.
_SECRETS: Final = tuple(
    (telling, re.compile(pattern, flags))
    for telling, pattern, flags in (
        (
            ("authorization",),
            r"""((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+)[^\s"'\\,;]+""",
            re.I,
        ),
        (("bearer",), r"(\bbearer\s+)(?=[^\s\"'\\,;]*\d)[A-Za-z0-9._~+/=-]{8,}", re.I),
        (("sk-",), r"((?<![A-Za-z0-9]))sk-(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{8,}", 0),
        # GitHub, Hugging Face, AWS, Slack, Google: their keys begin so and are long.
        (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"((?<![A-Za-z0-9_]))gh[pousr]_[A-Za-z0-9]{20,}", 0),
        (("github_pat_",), r"((?<![A-Za-z0-9_]))github_pat_[A-Za-z0-9_]{20,}", 0),
        (("hf_",), r"((?<![A-Za-z0-9_]))hf_[A-Za-z0-9]{20,}", 0),
        (("akia",), r"((?<![A-Za-z0-9_]))AKIA[0-9A-Z]{16}(?![A-Za-z0-9])", 0),
        (("xox",), r"((?<![A-Za-z0-9_]))xox[abeprs]-(?=[A-Za-z0-9-]*\d)[A-Za-z0-9-]{8,}", 0),
        (("aiza",), r"((?<![A-Za-z0-9_]))AIza[A-Za-z0-9_-]{30,}", 0),
        (
            # Exactly what the pattern asks for: it takes its time, and texts are full of keys and tokens.
            tuple(
                first + joint + last
                for first, last in (
                    ("api", "key"),
                    ("access", "token"),
                    ("auth", "token"),
                    ("client", "secret"),
                )
                for joint in ("", "_", "-")
            ),
            r"""((?:[?&]|\b)(?:x[_-])?(?:api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret)["']?\s*[:=]\s*["']?)"""
            r"""(?!\[removed\])[^\s"'\\&,;<>{}]{6,}""",
            re.I,
        ),
        (("://",), r"""(://[^/\s:@"'\\]+:)[^/\s@"'\\]+(?=@)""", 0),
    )
)
"""What a text holds, in small letters, wherever the pattern can match, and the pattern: most hold none."""

_PASSWORD: Final = re.compile(
    r"""((?:\b|_)(?:password|passwd|passphrase|pwd)["']?\s*[:=]\s*(["'])?)(?!\[removed\])"""
    r"""(?(2)[^"'\r\n]+|[^\s"'\\&,;<>{}]+)""",
    re.I,
)
"""Only in what people and failing services write: a source may tell of passwords, and stays as it is."""
_WORDS: Final = frozenset(["error", "note", "tags", "reviewer", "name"])
"""Fields that people and failing services write."""

_ITEMS: Final = (Answer, Memory)  # a tuple that is there: a union is made anew at each call
_SECRET_NAMES: Final = frozenset(
    [
        "authorization",
        "proxyauthorization",
        "apikey",
        "xapikey",
        "accesstoken",
        "authtoken",
        "clientsecret",
        "cookie",
        "setcookie",
        "password",
        "secretkey",
    ]
)


def redacted(text: str) -> str:
    """Return the text with every credential in it replaced by `[removed]`."""
    small = text.lower()
    for telling, pattern in _SECRETS:
        if any(word in small for word in telling):
            text = pattern.sub(rf"\1{REMOVED}", text)
    return text


def redacted_words(text: str) -> str:
    """Return what a person or a failing service wrote without credentials, and without passwords it tells."""
    return _PASSWORD.sub(rf"\1{REMOVED}", redacted(text))


def credential_places(text: str) -> list[tuple[int, int]]:
    """Return where a text holds credentials: half-open places, in order, none within another."""
    small = text.lower()
    found = sorted(
        (match.end(1), match.end())
        for telling, pattern in _SECRETS
        if any(word in small for word in telling)
        for match in pattern.finditer(text)
        if text[match.end(1) : match.end()] != REMOVED
    )
    places: list[tuple[int, int]] = []
    for start, end in found:
        if places and start < places[-1][1]:
            places[-1] = places[-1][0], max(places[-1][1], end)
        else:
            places.append((start, end))
    return places


def redacted_value(value: Json, of_text: Callable[[str], str] = redacted) -> Json:
    """Return a JSON value with the credentials in its texts, and the values of telling names, replaced.

    `of_text` cleans a text.
    """
    if isinstance(value, str):
        return of_text(value)
    if isinstance(value, Mapping):
        return {
            key: REMOVED if _tells(key) and isinstance(item, str) and item else redacted_value(item, of_text)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [redacted_value(item, of_text) for item in value]
    return value


def without_credentials(record: AnyRecord) -> tuple[AnyRecord, tuple[str, ...]]:
    """Return the record without credentials, and one sentence per field that held one."""
    names = _names(record)
    if not names:
        return record, ()
    changed: dict[str, Any] = {}
    for name in names:
        value = getattr(record, name)
        if value:
            clean = _clean(value, name, record.unusual)
            if clean != value:
                changed[name] = clean
    if not changed:
        return record, ()
    return replace(record, **changed), tuple(f"{name}: a credential was removed" for name in changed)


def _names(record: Record) -> tuple[str, ...]:
    """Return the fields that are looked at; none of an ordinary record, of which there are very many."""
    looked_at: tuple[str, ...] = ()
    if isinstance(record, Verdict):
        if record.status != "judged":
            looked_at = ("rationale", "raw_reply")
    elif isinstance(record, _ITEMS):
        looked_at = ("error",) if record.error else ()
    elif isinstance(record, Run):
        return ("name", "tokenizer", "reader", "judge", "extra", "top_level")
    elif isinstance(record, Request):
        looked_at = ("content",)
    elif isinstance(record, Review):
        looked_at = ("reviewer", "note", "tags", "sample")
    elif isinstance(record, Probe):
        looked_at = ("answer", "verdict", "reader", "judge", "usage")
    return looked_at if record.extra is NOTHING else (*looked_at, "extra")


def _clean(value: Any, name: str, unusual: tuple[str, ...]) -> Any:
    if isinstance(value, ProbeAnswer | ProbeVerdict):
        inner = _names_inside(value)
        return replace(
            value,
            **{
                each: _clean(words, f"{name}.{each}", unusual)
                for each in inner
                if (words := getattr(value, each)) is not None
            },
        )
    of_text = redacted_words if name.rpartition(".")[2] in _WORDS else redacted
    if isinstance(value, tuple):
        return tuple(redacted_value(value, of_text))
    if name in unusual:
        return dumps(redacted_value(json.loads(value), of_text))
    return redacted_value(value, of_text)


def _names_inside(item: ProbeAnswer | ProbeVerdict) -> tuple[str, ...]:
    # A probe is no evaluated row: what its judge said need not stay as it is.
    return ("error",) if isinstance(item, ProbeAnswer) else ("rationale", "raw_reply")


def _tells(name: str) -> bool:
    return name.lower().replace("-", "").replace("_", "") in _SECRET_NAMES
