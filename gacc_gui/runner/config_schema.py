"""The shape of a configuration file as pydantic types, and what is said where a file has another.

Owns types, ranges and unknown keys. What keys mean together (an endpoint that is not there) is `config`'s,
and so is everything that can be read without pydantic: this module is imported where a file is read.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError

from gacc_gui.core.budget import canonical_ratio
from gacc_gui.core.errors import GaccError
from gacc_gui.formats.redaction import redacted, redacted_value

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEY_LENGTH: Final = 20
"""Letters and digits without an underscore, this many: no name of a variable, but a key."""
_PARAMETERS: Final = ("api-version", "api_version", "version", "deployment", "model", "region", "location")
"""What an address may be asked with. Anything else may be a credential, whatever it is called."""
_PARAMETER_VALUE: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
MOST_REPLY_TOKENS: Final = 10_000_000
MOST_TIMES: Final = 1_000
"""Generations, or repeats: each times everything else."""


def _ratio(value: Any) -> str:
    try:
        ratio = canonical_ratio(value)
    except GaccError as error:
        raise ValueError(str(error)) from error
    if ratio not in ("0", "1") and not ratio.startswith("0."):
        raise ValueError(f"a ratio lies between 0 and 1, not {ratio}")
    return ratio


def _variable(value: str) -> str:
    is_key = len(value) >= _KEY_LENGTH and "_" not in value and any(c.isdigit() for c in value)
    if is_key or not _VARIABLE.fullmatch(value):
        # Whatever was written is not repeated: it may be the key.
        raise ValueError("must be the name of an environment variable that holds the key, never the key")
    return value


def _without_credentials(value: Any) -> Any:
    if redacted_value(value) != value:
        raise ValueError("holds what looks like a credential; keys come from the environment (api_key_env)")
    return value


def sound_address(value: str) -> str:
    """Return a service's address. Raises ValueError for what is none, or holds what may be a credential.

    The message repeats nothing of the address.
    """
    from urllib.parse import parse_qsl, urlsplit

    _without_credentials(value)
    if any(
        character.isspace() or not character.isprintable() or character in '"<>\\^`{|}' for character in value
    ):
        raise ValueError("must be an address without spaces, such as https://host/v1")
    try:
        parts = urlsplit(value)
        port_is_sound = parts.port is None or parts.port > 0
    except ValueError:
        port_is_sound = False
    if not port_is_sound or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an address such as https://host/v1")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a user or a password; keys come from the environment (api_key_env)")
    if "#" in value:
        raise ValueError("must not hold a fragment (#)")
    for name, given in parse_qsl(parts.query.replace(";", "&"), keep_blank_values=True):
        # Neither is repeated: one of them may be a key.
        if name.lower() not in _PARAMETERS or not _PARAMETER_VALUE.fullmatch(given):
            raise ValueError(
                f"may hold no parameters but {', '.join(_PARAMETERS)}, each with a short value: others may be"
                " credentials; keys come from the environment (api_key_env)"
            )
    return value


def _different(urls: list[str]) -> list[str]:
    from urllib.parse import urlsplit

    seen: set[tuple[str, str, str, str]] = set()
    for url in urls:
        parts = urlsplit(url)
        same = (parts.scheme, parts.netloc.casefold(), parts.path.rstrip("/"), parts.query)
        if same in seen:
            raise ValueError(f"{url} stands there twice")
        seen.add(same)
    return urls


def _line(value: str) -> str:
    if not value.strip() or any(ord(character) < 32 for character in value):
        raise ValueError("must be one line of text that is not empty")
    return value


def _whole_text(value: Any) -> Any:
    if type(value).__name__ in ("datetime", "date", "time"):
        return value.isoformat()  # TOML has dates of its own; a created_at may be written as one
    return value


Line = Annotated[str, AfterValidator(_line)]
Count = Annotated[int, Field(ge=1, lt=2**63)]
Times = Annotated[int, Field(ge=1, le=MOST_TIMES)]
Seed = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Money = Annotated[float, Field(ge=0)]
Free = Annotated[dict[str, JsonValue], AfterValidator(_without_credentials)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class RunTable(_Table):
    """`[run]`."""

    id: Line | None = None
    name: Line | None = None
    created_at: Annotated[Line | None, BeforeValidator(_whole_text)] = None
    seed: Seed = 0
    diagnostic_only: bool = False


class ColumnsTable(_Table):
    """`[dataset.columns]`."""

    context: Line
    goal: Line
    question: Line
    context_id: Line | None = None
    title: Line | None = None
    origin: Line | None = None
    license: Line | None = None
    goal_id: Line | None = None
    question_id: Line | None = None
    references: Line | None = None
    evidence: Line | None = None


class DatasetTable(_Table):
    """`[dataset]`."""

    path: Line
    columns: ColumnsTable | None = None
    contexts: Count | None = None


class EvaluationTable(_Table):
    """`[evaluation]`."""

    ratios: list[Annotated[Any, AfterValidator(_ratio)]] = Field(default=["0.1", "0.25", "0.5"], min_length=1)
    conditions: list[Literal["own-goal", "no-goal", "cross-goal", "full-context"]] = Field(
        default=["own-goal"], min_length=1
    )
    generations: Times = 1
    repeats: Times = 1
    tokenizer: Line = "cl100k_base"


class PartTable(_Table):
    """A compressor, the reader, the judge."""

    part: Line
    name: Line | None = None
    revision: Line | None = None
    endpoint: Line | None = None
    prompt: Line | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    max_tokens: Annotated[int, Field(ge=1, le=MOST_REPLY_TOKENS)] | None = None
    seed: Seed | None = None
    timeout_seconds: Seconds = 60.0
    options: Free = {}


class PriceTable(_Table):
    """`[endpoints.NAME.price]`."""

    input: Money | None = None
    output: Money | None = None
    cached_input: Money | None = None
    currency: Line = "USD"


class EndpointTable(_Table):
    """`[endpoints.NAME]`."""

    base_url: Annotated[str, AfterValidator(sound_address)] | None = None
    base_urls: (
        Annotated[
            list[Annotated[str, AfterValidator(sound_address)]],
            Field(min_length=1),
            AfterValidator(_different),
        ]
        | None
    ) = None
    model: Line
    api_key_env: Annotated[str, AfterValidator(_variable)] | None = None
    service: Line | None = None
    concurrency: Annotated[int, Field(ge=1, le=10_000)] = 4
    requests_per_minute: Count | None = None
    tokens_per_minute: Count | None = None
    timeout_seconds: Seconds = 120.0
    max_retries: Annotated[int, Field(ge=0, le=100)] = 4
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    omit_temperature: bool = False
    extra_body: Free = {}
    price: PriceTable = PriceTable()


class LimitsTable(_Table):
    """`[limits]`."""

    calls: Annotated[int, Field(ge=0)] | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None
    money: Money | None = None
    concurrency: Annotated[int, Field(ge=1, le=10_000)] | None = None


class ConfigTable(_Table):
    """A whole file."""

    dataset: DatasetTable
    compressors: list[PartTable] = []
    reader: PartTable
    judge: PartTable
    run: RunTable = RunTable()
    evaluation: EvaluationTable = EvaluationTable()
    endpoints: dict[Line, EndpointTable] = {}
    limits: LimitsTable = LimitsTable()


def faults(error: ValidationError, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every fault as (dotted key, sentence without the key)."""
    seen: set[str] = set()
    for fault in error.errors(include_url=False, include_context=True):
        key = dotted(_place(fault["loc"], given, missing=fault["type"] == "missing"))
        if key not in seen:  # of a union's branches the first is told
            seen.add(key)
            yield key, _sentence(fault)


def dotted(place: tuple[int | str, ...]) -> str:
    """Return a place as a key is written: `compressors[1].part`, `endpoints."two words".model`."""
    text = ""
    for step in place:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            bare = step if re.fullmatch(r"[A-Za-z0-9_-]+", step) else json.dumps(step, ensure_ascii=False)
            text += f".{bare}" if text else bare
    return text


def _place(location: tuple[Any, ...], given: Any, missing: bool) -> tuple[int | str, ...]:
    """Return the part of pydantic's location that exists; it also names branches and validators."""
    place: list[int | str] = []
    for number, step in enumerate(location):
        if (isinstance(given, Mapping) and step in given) or (
            isinstance(given, list) and isinstance(step, int) and step < len(given)
        ):
            given = given[step]
        elif not (missing and number == len(location) - 1):
            continue
        place.append(step)
    return tuple(place)


def _sentence(fault: Any) -> str:
    given, context = fault["input"], fault.get("ctx", {})
    match fault["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is no key here" + _suggestion(fault["loc"])
        case "value_error":
            return str(context["error"])
        case "greater_than_equal":
            return f"must be at least {context['ge']:g}"
        case "less_than_equal":
            return f"must be at most {context['le']:,.12g}"
        case "greater_than":
            return f"must be more than {context['gt']:g}"
        case "less_than":
            return f"must be less than {context['lt']:g}"
        case "too_short":
            return "must not be empty"
        case "literal_error":
            return f"must be one of {context['expected'].replace(chr(39), '')}, not {_shown(given)}"
        case "finite_number":
            return "must be a finite number"
    wanted = {
        "string_type": "text",
        "int_type": "a whole number",
        "float_type": "a number",
        "bool_type": "true or false",
        "list_type": "a list",
        "dict_type": "a table",
        "model_type": "a table",
        "model_attributes_type": "a table",
    }.get(fault["type"])
    if wanted is None:
        return redacted(fault["msg"][:1].lower() + fault["msg"][1:])
    return f"must be {wanted}, not {_shown(given)}"


def _suggestion(location: tuple[int | str, ...]) -> str:
    """Return `; did you mean …?` for a misspelt key, among the keys of its table."""
    table: type[BaseModel] | None = ConfigTable
    names_follow = False  # the keys of [endpoints] are names
    for step in location[:-1]:
        if names_follow or not isinstance(step, str):
            names_follow = False
        elif table is not None:
            field = table.model_fields.get(step)
            annotation = field.annotation if field is not None else None
            names_follow = get_origin(annotation) is dict
            table = _table_in(annotation)
    if table is None:
        return ""
    close = difflib.get_close_matches(str(location[-1]), table.model_fields, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _table_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _table_in(inner))), None)


def _shown(value: Any) -> str:
    text = json.dumps(redacted_value(value), ensure_ascii=False, default=str)
    return text if len(text) <= 40 else f"{text[:40]}…"
