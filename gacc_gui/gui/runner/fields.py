"""What the form of a configuration shows: each key with its words, and how its value is written in an edit.

Owns the way between a TOML value and the text of an edit. An edit that cannot be understood becomes a text in
the TOML, so that the configuration's own check says at the key what is wrong. Not here: widgets
(`field_edit`), and what is allowed (`runner.config`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from gacc_gui.gui.runner.document import Key
from gacc_gui.runner.config_model import COMPRESSORS, JUDGES, READERS, TOKENIZERS


class Kind(Enum):
    """How a value is edited."""

    TEXT = auto()
    PATH = auto()
    NUMBER = auto()
    LIST = auto()
    """A list of texts, with commas or line breaks between."""
    TABLE = auto()
    """A table in one line: JSON, or `name = value` with commas between where values are plain."""
    CHOICE = auto()
    """A text, with some that are offered."""
    TOGGLES = auto()
    """A list of some of a few texts."""
    FLAG = auto()


@dataclass(frozen=True, slots=True)
class Field:
    """One key, relative to its table. `empty`: what an empty edit means, shown in it in grey."""

    key: Key
    title: str
    kind: Kind = Kind.TEXT
    hint: str = ""
    empty: str = ""
    choices: tuple[str, ...] = ()
    is_wide: bool = False


ADDRESS: Final = "base_url"
ADDRESSES: Final = "base_urls"
CONDITIONS: Final = ("own-goal", "no-goal", "cross-goal", "full-context")

RUN: Final = (
    Field(
        ("name",),
        "Name",
        hint="How the run is called in lists",
        empty="made of what is evaluated",
        is_wide=True,
    ),
    Field(("seed",), "Seed", Kind.NUMBER, "Of the parts that choose at random", "0"),
)
DATASET: Final = (
    Field(
        ("path",),
        "File",
        Kind.PATH,
        "A gacc-dataset or gacc-run (.json, .jsonl, .gz), or a table (.csv, .tsv, .parquet); a relative path "
        "is relative to the configuration's folder",
        "a dataset",
        is_wide=True,
    ),
    Field(("contexts",), "Contexts", Kind.NUMBER, "Only the first so many contexts", "all"),
)
COLUMNS: Final = Field(
    ("columns",),
    "Columns",
    Kind.TABLE,
    "For a table: which column is what. context, goal and question are needed; also references, evidence, "
    "title, origin, license, context_id, goal_id, question_id",
    "context = text, goal = aim, question = question",
    is_wide=True,
)
CELLS: Final = (
    Field(("ratios",), "Ratios", Kind.LIST, "Budgets as shares of the source", "0.1, 0.25, 0.5"),
    Field(("tokenizer",), "Tokenizer", Kind.CHOICE, "Counts every budget", TOKENIZERS[0], TOKENIZERS),
    Field(
        ("conditions",),
        "Conditions",
        Kind.TOGGLES,
        "Which goal the compressor is shown: the question's own, none, or another of the same context; "
        "full-context needs no compressor",
        choices=CONDITIONS,
        is_wide=True,
    ),
    Field(("generations",), "Generations", Kind.NUMBER, "Memories made of each context", "1"),
    Field(("repeats",), "Repeats", Kind.NUMBER, "How often each memory is read", "1"),
)
PART_NAME: Final = Field(("name",), "Called", hint="How the run's cells name it", empty="as the part is")
PART_REVISION: Final = Field(("revision",), "Revision", hint="What the run records", empty="the part's own")
ENDPOINT_OF_PART: Final = Field(("endpoint",), "Endpoint", Kind.CHOICE, "One of the endpoints below")
MODEL_PART: Final = (
    Field(("max_tokens",), "Most tokens", Kind.NUMBER, "Of one reply", "the part's own choice"),
    Field(("temperature",), "Temperature", Kind.NUMBER, "0 to 2", "0"),
    Field(("seed",), "Seed", Kind.NUMBER, "Sent with each request", "none"),
    Field(
        ("prompt",),
        "Prompt",
        Kind.PATH,
        "A file of your own instead of the shipped prompt",
        "the shipped one",
        is_wide=True,
    ),
)
PART_TIMEOUT: Final = Field(
    ("timeout_seconds",), "Timeout, s", Kind.NUMBER, "Of one call of the plugin", "60"
)
PART_OPTIONS: Final = Field(
    ("options",), "Options", Kind.TABLE, "Keyword arguments of the part", "none", is_wide=True
)
ENDPOINT: Final = (
    Field(
        (ADDRESS,),
        "Addresses",
        Kind.LIST,
        "Base URL; several with commas share the calls",
        "https://host/v1",
        is_wide=True,
    ),
    Field(("model",), "Model", empty="the service's name of it"),
    Field(
        ("api_key_env",),
        "Key variable",
        hint="The environment variable that holds the key; the key itself is never written down",
        empty="no key is sent",
    ),
    Field(("concurrency",), "Calls at a time", Kind.NUMBER, "Over all addresses", "4"),
    Field(("timeout_seconds",), "Timeout, s", Kind.NUMBER, "Of one attempt", "120"),
    Field(("requests_per_minute",), "Calls a minute", Kind.NUMBER, empty="no limit"),
    Field(("tokens_per_minute",), "Tokens a minute", Kind.NUMBER, empty="no limit"),
    Field(("max_retries",), "Retries", Kind.NUMBER, "After the first attempt", "4"),
    Field(
        ("max_tokens_field",),
        "Limit is sent as",
        Kind.CHOICE,
        "How the service calls the most tokens of a reply",
        "max_tokens",
        ("max_tokens", "max_completion_tokens"),
    ),
    Field(("price", "input"), "Price, input", Kind.NUMBER, "Per million tokens", "unknown"),
    Field(("price", "output"), "Price, output", Kind.NUMBER, "Per million tokens", "unknown"),
    Field(("price", "cached_input"), "Price, cached", Kind.NUMBER, "Per million cached tokens", "as input"),
    Field(("price", "currency"), "Currency", empty="USD"),
    Field(("extra_body",), "Extra body", Kind.TABLE, "Added to every request", "none", is_wide=True),
    Field(("omit_temperature",), "No temperature is sent", Kind.FLAG, "Some models refuse one"),
)
LIMITS: Final = (
    Field(("calls",), "Calls", Kind.NUMBER, "The run stops cleanly there", "no limit"),
    Field(("tokens",), "Tokens", Kind.NUMBER, "Input and output together", "no limit"),
    Field(("money",), "Money", Kind.NUMBER, "In the prices' currency", "no limit"),
    Field(("concurrency",), "At a time", Kind.NUMBER, "Memories under way", "as endpoints allow"),
)
OFFERED_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "compressor": COMPRESSORS,
    "reader": READERS,
    "judge": JUDGES,
}


def part_field(role: str) -> Field:
    """The field that chooses a part."""
    return Field(
        ("part",),
        "Part",
        Kind.CHOICE,
        "One of ours, package.module:callable, or a plugin's entry point",
        "a part",
        OFFERED_PARTS[role],
    )


_WHOLE: Final = re.compile(r"[+-]?\d+")
_DECIMAL: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NAME: Final = re.compile(r"[\w.-]+")
_PAIR: Final = re.compile(r"\s*([\w.-]+)\s*[=:]\s*(.*?)\s*")


def shown(field: Field, value: Any) -> str:
    """Return the text of the edit for a value of the TOML; empty for None."""
    if value is None:
        return ""
    if field.kind is Kind.LIST and isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, Mapping):
        if value and all(map(_is_plain, value.values())) and all(map(_NAME.fullmatch, value)):
            return ", ".join(f"{name} = {_written(one)}" for name, one in value.items())
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, bool | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def understood(field: Field, text: str) -> Any:
    """Return the TOML value that a text in the edit means; None for an empty one: the key goes."""
    text = text.strip()
    if not text:
        return None
    if field.kind is Kind.NUMBER:
        return _number(text)
    if field.kind is Kind.LIST:
        values = [one for one in re.split(r"[,\n]\s*|\s+", text) if one]
        return values
    if field.kind is Kind.TABLE:
        return _table(text)
    return text


def _number(text: str) -> Any:
    plain = text.replace("_", "").replace(" ", "").replace("\u202f", "")
    if _WHOLE.fullmatch(plain) and len(plain) < 19:
        return int(plain)
    return float(plain) if _DECIMAL.fullmatch(plain) else text


def _table(text: str) -> Any:
    if text.startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return value if isinstance(value, dict) else text
    pairs = [_PAIR.fullmatch(one) for one in text.split(",")]
    found = {pair[1]: _plain(pair[2]) for pair in pairs if pair is not None}
    return found if len(found) == len(pairs) else text


def _plain(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    return _number(text)


def _is_plain(value: Any) -> bool:
    """Whether a value means itself when it stands behind its name."""
    if isinstance(value, str) and (
        not value or value != value.strip() or any(sign in value for sign in ",=:{}")
    ):
        return False
    return isinstance(value, str | int | float) and _plain(_written(value)) == value


def _written(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def addresses(urls: Sequence[str]) -> tuple[str, Any]:
    """Return the key and value for one address or several."""
    return (ADDRESS, urls[0]) if len(urls) == 1 else (ADDRESSES, list(urls))
