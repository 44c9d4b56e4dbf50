"""Configuration files: TOML ⇄ `EvaluationConfig`, with a sentence at the key for everything that is wrong.

Owns what keys mean together, and the writing. Types and ranges are `config_schema`, the shape of a
configuration `config_model`. Nothing here reads the dataset or opens a connection, and nothing heavy is
imported before a file is read: the window uses it too.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import NOTHING
from gacc_gui.runner.config_model import (
    TOKENIZERS,
    DatasetConfig,
    EndpointConfig,
    EvaluationConfig,
    EvaluationSettings,
    LimitsConfig,
    PartConfig,
    PriceConfig,
    RunConfig,
)

if TYPE_CHECKING:
    from gacc_gui.runner.config_schema import ConfigTable, EndpointTable, PartTable

_LARGEST: Final = 1_000_000
"""Bytes; a longer file is no configuration."""
_OURS: Final[Mapping[str, str]] = {
    "model": "write it as the endpoint's own key",
    "messages": "the prompt makes it",
    "stream": "a reply is read as a whole",
    "stream_options": "a reply is read as a whole",
    "n": "one reply is asked for at a time",
    "max_tokens": "write it at the part",
    "max_completion_tokens": "write max_tokens at the part",
    "temperature": "write it at the part",
    "seed": "write it at the part",
    "response_format": "write options.structured_output at the judge",
}
"""What requests hold by themselves, so that `extra_body` may not, and what to do instead."""
_AT_LINE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_ALWAYS: Final = ("ratios", "conditions", "generations", "repeats", "tokenizer", "part", "path", "model")
"""Keys that are written even where they say what is so anyway."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: `key` dotted (`endpoints.main.concurrency`; empty: the file as a whole), 1-based `line`."""

    key: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.key}: {self.message}" if self.key else self.message


class ConfigError(BadInput):
    """A configuration that cannot be used. `problems`: every fault, in the order of the file."""

    def __init__(self, problems: Sequence[Problem], path: str | None = None) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(map(str, self.problems)), path=path)


def load_config(path: Path | str) -> EvaluationConfig:
    """Return the configuration in a file; what it names is relative to the file's folder.

    Raises ConfigError where it is no configuration, BadInput where the file cannot be read.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise BadInput((error.strerror or str(error)).lower(), path=str(path)) from error
    if len(content) > _LARGEST:
        raise BadInput("the file is too large for a configuration", path=str(path))
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput("the configuration is not UTF-8", path=str(path)) from error
    try:
        return parse_config(text, path.parent)
    except ConfigError as error:
        raise ConfigError(error.problems, str(path)) from error


def parse_config(text: str, folder: Path | str = ".") -> EvaluationConfig:
    """Return the configuration that a TOML text holds. Raises ConfigError with every problem found.

    `folder` is what its paths are relative to.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([_syntax_problem(str(error), text)]) from error
    except RecursionError as error:
        raise ConfigError([Problem("", "the TOML is nested too deeply")]) from error
    from pydantic import ValidationError

    from gacc_gui.runner import config_schema

    try:
        shaped = config_schema.ConfigTable.model_validate(table)
    except ValidationError as error:
        raise ConfigError(_placed(config_schema.faults(error, table), text)) from error
    config = _config(shaped, Path(folder))
    problems = list(check_config(config))
    problems += [
        (config_schema.dotted(("endpoints", name, "base_url")), message)
        for name, endpoint in shaped.endpoints.items()
        if (message := _address_problem(endpoint)) is not None
    ]
    if problems:
        raise ConfigError(_placed(problems, text))
    return config


def check_config(config: EvaluationConfig) -> Iterator[tuple[str, str]]:
    """Yield what does not fit together in a configuration, as (dotted key, sentence)."""
    from gacc_gui.runner.registry import part_problem

    settings = config.evaluation
    for key, values in (("ratios", settings.ratios), ("conditions", settings.conditions)):
        if twice := sorted({value for value in values if values.count(value) > 1}):
            yield f"evaluation.{key}", f"{twice[0]} stands there twice"
    if settings.tokenizer not in TOKENIZERS:
        yield "evaluation.tokenizer", f"there is no {settings.tokenizer!r}; there are {', '.join(TOKENIZERS)}"
    if not config.compressors and set(settings.conditions) != {"full-context"}:
        yield "compressors", "at least one compressor is needed ([[compressors]])"
    names: dict[str, int] = {}
    for key, role, part in _keyed_parts(config):
        if problem := part_problem(role, part):
            yield f"{key}.{problem[0]}", problem[1]
        if part.asks_model and part.endpoint is None:
            yield f"{key}.endpoint", f"{part.part} asks a model, so it needs one of [endpoints]"
        if part.endpoint is not None and part.endpoint not in config.endpoints:
            there = ", ".join(config.endpoints) or "none"
            yield f"{key}.endpoint", f"there is no endpoint {part.endpoint!r} (there are: {there})"
        if role == "compressor":
            called = part.name or part.part
            if called == "full-context":
                yield f"{key}.name", "that is what the condition's own compressor is called"
            if called in names:
                other = f"compressors[{names[called]}]"
                yield f"{key}.name", f"{called!r} is {other} already; give one of them another name"
            names.setdefault(called, int(key[len("compressors[") : -1]))
    for name, endpoint in config.endpoints.items():
        for field in endpoint.extra_body:
            if field in _OURS:
                from gacc_gui.runner.config_schema import dotted

                yield (
                    dotted(("endpoints", name, "extra_body", field)),
                    f"must not stand there; {_OURS[field]}",
                )
    yield from _limit_problems(config)


def _limit_problems(config: EvaluationConfig) -> Iterator[tuple[str, str]]:
    if config.limits.money is None:
        return
    used = {part.endpoint: None for _, part in config.parts if part.endpoint in config.endpoints}
    prices = {name: config.endpoints[name].price for name in used if name is not None}
    for name, price in prices.items():
        if not price.known:
            yield "limits.money", f"the price of endpoint {name!r} is unknown, so its cost cannot be limited"
    if len({price.currency for price in prices.values()}) > 1:
        yield "limits.money", "the endpoints' prices are in different currencies"


def _keyed_parts(config: EvaluationConfig) -> Iterator[tuple[str, str, PartConfig]]:
    for number, part in enumerate(config.compressors):
        yield f"compressors[{number}]", "compressor", part
    yield "reader", "reader", config.reader
    yield "judge", "judge", config.judge


def to_toml(config: EvaluationConfig) -> str:
    """Return a configuration as TOML, without what is so anyway; `parse_config` gives an equal one back."""
    import tomlkit

    document = tomlkit.document()
    _fill(document, _written(config))
    return tomlkit.dumps(document)


def _fill(table: MutableMapping[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if isinstance(value, dict):
            table[key] = _new_table(value)
        elif isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
            import tomlkit

            tables = tomlkit.aot()
            for entry in value:
                tables.append(_new_table(entry))
            table[key] = tables
        else:
            table[key] = value


def _new_table(values: Mapping[str, Any]) -> MutableMapping[str, Any]:
    import tomlkit

    # A table that holds nothing but tables needs no heading of its own.
    table = tomlkit.table(bool(values) and all(isinstance(inner, dict) for inner in values.values()))
    _fill(table, values)
    return table


def _written(config: EvaluationConfig) -> dict[str, Any]:
    """Return the tables of a configuration as a file says them: without what is so anyway."""
    endpoints = {}
    for name, endpoint in config.endpoints.items():
        table = _table(endpoint, without=("name", "base_urls", "price"))
        urls = endpoint.base_urls
        address = {"base_url": urls[0]} if len(urls) == 1 else {"base_urls": list(urls)}
        price = _table(endpoint.price)
        endpoints[name] = {**address, **table, **({"price": price} if price else {})}
    whole = {
        "run": _table(config.run),
        "dataset": _table(config.dataset),
        "evaluation": _table(config.evaluation),
        "compressors": [_table(part) for part in config.compressors],
        "reader": _table(config.reader),
        "judge": _table(config.judge),
        "endpoints": endpoints,
        "limits": _table(config.limits),
    }
    return {key: value for key, value in whole.items() if value}


def _table(thing: Any, without: Sequence[str] = ()) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for field in fields(thing):
        value = getattr(thing, field.name)
        if field.name in without or value is None:
            continue
        if field.default is MISSING or value != field.default or field.name in _ALWAYS:
            table[field.name] = _plain(value)
    return table


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return _table(value)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    return value


def _config(shaped: ConfigTable, folder: Path) -> EvaluationConfig:
    columns = shaped.dataset.columns
    return EvaluationConfig(
        run=RunConfig(**shaped.run.model_dump()),
        dataset=DatasetConfig(
            path=shaped.dataset.path,
            columns=columns.model_dump(exclude_none=True) if columns is not None else NOTHING,
            contexts=shaped.dataset.contexts,
        ),
        evaluation=EvaluationSettings(
            ratios=tuple(shaped.evaluation.ratios),
            conditions=tuple(shaped.evaluation.conditions),
            generations=shaped.evaluation.generations,
            repeats=shaped.evaluation.repeats,
            tokenizer=shaped.evaluation.tokenizer,
        ),
        compressors=tuple(_part(part) for part in shaped.compressors),
        reader=_part(shaped.reader),
        judge=_part(shaped.judge),
        endpoints={name: _endpoint(name, table) for name, table in shaped.endpoints.items()},
        limits=LimitsConfig(**shaped.limits.model_dump()),
        folder=folder,
    )


def _part(table: PartTable) -> PartConfig:
    return PartConfig(**{**table.model_dump(), "options": table.options or NOTHING})


def _endpoint(name: str, table: EndpointTable) -> EndpointConfig:
    values = table.model_dump(exclude={"base_url", "base_urls", "price"})
    urls = table.base_urls if table.base_urls is not None else [table.base_url or ""]
    values["extra_body"] = table.extra_body or NOTHING
    return EndpointConfig(
        name=name, base_urls=tuple(urls), price=PriceConfig(**table.price.model_dump()), **values
    )


def _address_problem(endpoint: EndpointTable) -> str | None:
    if endpoint.base_url is None and endpoint.base_urls is None:
        return "is missing"
    if endpoint.base_url is not None and endpoint.base_urls is not None:
        return "stands there beside base_urls; one of them is enough"
    return None


def _syntax_problem(message: str, text: str) -> Problem:
    match = _AT_LINE.search(message)
    reason = _AT_LINE.sub("", message)
    reason = f"{reason[:1].lower()}{reason[1:]}"
    if match is None or match.group(1) is None:
        return Problem("", f"at the end of the file: {reason}", text.count("\n") + 1)
    return Problem("", f"line {match.group(1)}, column {match.group(2)}: {reason}", int(match.group(1)))


def _placed(problems: Iterator[tuple[str, str]] | Sequence[tuple[str, str]], text: str) -> list[Problem]:
    """Return the problems with the lines they are at, in the order of the file."""
    lines = _key_lines(text)
    placed = [Problem(key, message, _line_of(key, lines)) for key, message in problems]
    return sorted(placed, key=lambda problem: problem.line or _LARGEST)


def _line_of(key: str, lines: Mapping[str, int]) -> int | None:
    """Return the line of a key, or of the table that it is missing from."""
    while key and key not in lines:
        key = key[: max(key.rfind("."), key.rfind("["), 0)]
    return lines.get(key)


_HEADING: Final = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_ASSIGNMENT: Final = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+))*)\s*="""
)


def _key_lines(text: str) -> dict[str, int]:
    """Return the 1-based line of every key and table of a sound TOML text, by dotted key.

    No TOML parser at hand tells positions. Keys inside inline tables are found at the line of the table.
    """
    lines: dict[str, int] = {}
    table, fence = "", ""
    for number, line in enumerate(text.split("\n"), start=1):
        if fence:  # inside a text of several lines
            fence = "" if line.count(fence) % 2 else fence
            continue
        if (heading := _HEADING.match(line)) and "=" not in heading.group(2):
            table = re.sub(r"\s*\.\s*", ".", heading.group(2))
            if heading.group(1) == "[[":
                count = sum(1 for key in lines if re.fullmatch(re.escape(table) + r"\[\d+\]", key))
                table = f"{table}[{count}]"
            else:
                table = _inside_last(table, lines)
            lines.setdefault(table, number)
        elif assignment := _ASSIGNMENT.match(line):
            key = re.sub(r"\s*\.\s*", ".", assignment.group(1))
            lines.setdefault(f"{table}.{key}" if table else key, number)
            fence = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
    return lines


def _inside_last(table: str, lines: Mapping[str, int]) -> str:
    """Return a heading such as `compressors.options` with the number of the table it belongs to."""
    first, dot, rest = table.partition(".")
    count = sum(1 for key in lines if re.fullmatch(re.escape(first) + r"\[\d+\]", key))
    return f"{first}[{count - 1}].{rest}" if dot and count else table
