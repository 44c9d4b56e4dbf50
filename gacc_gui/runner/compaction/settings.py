"""What a compaction run is set to do: every figure and name that `protocol.json` freezes.

Owns the defaults, the bounds, and the JSON form. Not here: where credentials and addresses come from
(`environment`), and what becomes of the settings (`protocol`, `parts`). Imports nothing heavy.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from gacc_gui.core.compaction import METHODS
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import NOTHING, Json
from gacc_gui.formats.redaction import redacted_value
from gacc_gui.runner.config_model import LimitsConfig

DEFAULT_MODEL: Final = "qwen3.8-max"
DEFAULT_DECISION_MODEL: Final = "jev-latest"
_SHARE: Final = re.compile(
    r"([0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20}|[0-9](?:\.[0-9]{1,20})?e-[0-9]{1,2})\s*(%)?|([0-9]{1,20})/([0-9]{1,20})"
)
_RESERVED: Final = frozenset(
    {"model", "messages", "stream", "n", "temperature", "seed", "max_tokens", "max_completion_tokens"}
)
"""Fields of a request that no extra body may set: what is frozen is what is sent."""
_TOKENS_FIELDS: Final = ("max_tokens", "max_completion_tokens")
_NO_LIMITS: Final = LimitsConfig()
_LIMITS: Final = ("calls", "tokens")
_BOUNDS: Final[Mapping[str, tuple[int, int]]] = {
    "ceiling": (1, 100_000_000),
    "reserve": (0, 100_000_000),
    "generations": (1, 1_000),
    "answers": (1, 1_000),
    "concurrency": (1, 1_000),
    "group_sentences": (1, 10_000),
    "summary_retries": (0, 3),
    "answer_max_tokens": (1, 10_000_000),
    "decision_batch": (1, 10_000),
    "max_retries": (0, 100),
}
"""The whole numbers among the settings, with the least and the most that each may be."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run. Raises BadUsage, naming the option, for a value that makes no sense.

    `ceiling` and `reserve` in local tokens, for the complete answer input; `fusion_share` of the space for
    evidence, exact, that `jev+summary` may fill with whole groups. `generations` contexts are made per
    question and method, `answers` given to each. `concurrency` requests are under way at a time.
    `group_sentences`: the most sentences of a group. `summary_retries`: for length, at most 3.
    `decision_batch`: the most groups that one decision request asks about. `temperature` None sends none;
    `seed` likewise: generations and answers count on from it. `max_tokens_field` is how the service of
    `model` calls it; `extra_body` is added to every request of `model`. `timeout_seconds` of one attempt,
    `max_retries` of a call that a service failed. `limits`: where the run stops cleanly.
    """

    methods: tuple[str, ...] = METHODS
    ceiling: int = 3600
    reserve: int = 64
    fusion_share: Fraction = Fraction(2, 5)
    generations: int = 2
    answers: int = 2
    concurrency: int = 4
    group_sentences: int = 3
    summary_retries: int = 3
    model: str = DEFAULT_MODEL
    decision_model: str = DEFAULT_DECISION_MODEL
    answer_max_tokens: int = 1024
    decision_batch: int = 64
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens_field: str = _TOKENS_FIELDS[0]
    extra_body: Mapping[str, Json] = NOTHING
    timeout_seconds: float = 120.0
    max_retries: int = 4
    limits: LimitsConfig = _NO_LIMITS

    def __post_init__(self) -> None:
        _set(self, "methods", _methods(self.methods))
        for name, (least, most) in _BOUNDS.items():
            _whole(name, getattr(self, name), least, most)
        if self.reserve >= self.ceiling:
            raise BadUsage(f"--reserve: {self.reserve} tokens leave nothing of a ceiling of {self.ceiling}")
        _set(self, "fusion_share", _share(self.fusion_share))
        for name in ("model", "decision_model"):
            _set(self, name, _name(name, getattr(self, name)))
        _set(self, "temperature", _number("temperature", self.temperature, 0.0, 10.0, optional=True))
        if self.seed is not None:
            _whole("seed", self.seed, 0, 2**63 - 1)
        _set(self, "timeout_seconds", _number("timeout_seconds", self.timeout_seconds, 0.001, 86_400.0))
        if self.max_tokens_field not in _TOKENS_FIELDS:
            raise BadUsage(f"{option('max_tokens_field')}: one of {', '.join(_TOKENS_FIELDS)}")
        _check_body(self.extra_body)
        _check_limits(self.limits)

    @property
    def most(self) -> int:
        """The local tokens that a compressed answer input may have: the ceiling less the reserve."""
        return self.ceiling - self.reserve

    def as_json(self) -> dict[str, Json]:
        """Return the settings for `protocol.json`; `settings_from` reads them back."""
        special = ("methods", "fusion_share", "extra_body", "limits")
        return {
            **{field.name: getattr(self, field.name) for field in fields(self) if field.name not in special},
            "methods": list(self.methods),
            "fusion_share": _written(self.fusion_share),
            "extra_body": dict(self.extra_body),
            "limits": {
                name: getattr(self.limits, name) for name in _LIMITS if getattr(self.limits, name) is not None
            },
        }


def settings_from(value: Mapping[str, Any]) -> Settings:
    """Read what `Settings.as_json` wrote. Raises BadUsage, naming the option, for anything else.

    What is absent has its default, so that an older file can be read.
    """
    given = dict(value)
    known = {field.name for field in fields(Settings)}
    if unknown := sorted(set(given) - known):
        raise BadUsage(f"{option(unknown[0])}: there is no such setting")
    if isinstance(given.get("methods"), list):
        given["methods"] = tuple(given["methods"])
    if "limits" in given:
        limits = given["limits"]
        if not isinstance(limits, Mapping) or set(limits) - set(_LIMITS):
            raise BadUsage(f"--limits: only {' and '.join(_LIMITS)} can be limited")
        given["limits"] = LimitsConfig(**limits)
    return Settings(**given)


def option(name: str) -> str:
    """Return how a setting is called on the command line."""
    return "--" + name.replace("_", "-")


def _set(settings: Settings, name: str, value: object) -> None:
    object.__setattr__(settings, name, value)


def _methods(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        raise BadUsage(f"--methods: a list of {', '.join(METHODS)}, not {value!r:.80}")
    for name in value:
        if name not in METHODS:
            raise BadUsage(f"--methods: there is no method {name!r:.40}; there are {', '.join(METHODS)}")
    if len(set(value)) != len(value):
        raise BadUsage("--methods: a method stands twice")
    return tuple(method for method in METHODS if method in value)


def _whole(name: str, value: Any, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise BadUsage(f"{option(name)}: a whole number from {least:,} to {most:,}, not {value!r:.40}")


def _number(name: str, value: Any, least: float, most: float, *, optional: bool = False) -> float | None:
    if value is None and optional:
        return None
    ok = type(value) in (int, float) and math.isfinite(value) and least <= value <= most
    if not ok:
        raise BadUsage(f"{option(name)}: a number from {least:g} to {most:g}, not {value!r:.40}")
    return float(value)


def _name(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise BadUsage(f"{option(name)}: the name of a model, not {value!r:.40}")
    return value.strip()


def _share(value: Any) -> Fraction:
    bad = BadUsage(f"--fusion-share: a decimal from 0 to 1, such as 0.4, not {value!r:.40}")
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal | Fraction):
        raise bad
    if isinstance(value, Fraction):
        share = value
    else:
        match = _SHARE.fullmatch((repr(value) if isinstance(value, float) else str(value)).strip())
        if match is None:
            raise bad
        number, percent, numerator, denominator = match.groups()
        if number is not None:
            share = Fraction(Decimal(number)) / (100 if percent else 1)
        elif int(denominator):
            share = Fraction(int(numerator), int(denominator))
        else:
            raise bad
    if not 0 <= share <= 1:
        raise bad
    return share


def _written(share: Fraction) -> str:
    """Return a share as a decimal where it is one, else as a fraction."""
    decimal = Decimal(share.numerator) / Decimal(share.denominator)
    return format(decimal.normalize(), "f") if Fraction(decimal) == share else f"{share}"


def _check_body(value: Any) -> None:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise BadUsage(f"--extra-body: a JSON object, not {value!r:.80}")
    if taken := sorted(_RESERVED & set(value)):
        raise BadUsage(f"--extra-body: {taken[0]!r} is set by the benchmark")
    try:
        json.dumps(value if isinstance(value, dict) else dict(value), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadUsage(f"--extra-body: no JSON: {error}") from error
    if redacted_value(dict(value)) != dict(value):
        # Whatever was written is not repeated: it may be the key.
        raise BadUsage("--extra-body: holds what looks like a credential; keys come from the environment")


def _check_limits(value: Any) -> None:
    if not isinstance(value, LimitsConfig) or value.money is not None or value.concurrency is not None:
        raise BadUsage(f"--limits: only {' and '.join(_LIMITS)} can be limited")
    for name in _LIMITS:
        if (most := getattr(value, name)) is not None:
            _whole(f"max_{name}", most, 1, 10**15)
