"""Which name of a configuration means which part, and the making of parts.

Owns the table of our parts with their options, and the revisions under which parts appear in a run: a
revision covers everything that decides what a part returns. Not here: the parts themselves, and loading
other people's (`plugins`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import Json
from gacc_gui.runner.config import ConfigError, Problem
from gacc_gui.runner.config_model import (
    COMPRESSORS,
    JUDGES,
    READERS,
    EndpointConfig,
    EvaluationConfig,
    PartConfig,
)
from gacc_gui.runner.plugins import entry_points, load_plugin, plugin_problem

if TYPE_CHECKING:
    from gacc_gui.core.tokens import Codec
    from gacc_gui.formats.dataset import Dataset
    from gacc_gui.runner.endpoint import ModelClient
    from gacc_gui.runner.parts import Compressor, Judge, Reader
    from gacc_gui.runner.prompts import Prompt

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "compressor": COMPRESSORS,
    "reader": READERS,
    "judge": JUDGES,
}
"""Our parts, by role."""
PROMPTS: Final[Mapping[tuple[str, str], str]] = {
    ("compressor", "llm-summary"): "llm-summary",
    ("compressor", "llm-extract"): "llm-extract",
    ("reader", "llm"): "llm-reader",
    ("judge", "llm"): "llm-judge",
}
"""The shipped prompt of each part that asks a model."""

_Check = Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_fill(value: Any) -> bool:
    return _is_number(value) and 0 < value <= 10


_STRUCTURED: Final = ("json_schema", "json_object", "none")
_OPTIONS: Final[Mapping[tuple[str, str], Mapping[str, tuple[_Check, str]]]] = {
    ("compressor", "sentences"): {
        "seed": (lambda value: type(value) is int, "a whole number"),
        "fill": (_is_fill, "a number above 0, at most 10"),
    },
    ("compressor", "bm25"): {
        "k1": (lambda value: _is_number(value) and value >= 0, "a number of at least 0"),
        "b": (lambda value: _is_number(value) and 0 <= value <= 1, "a number from 0 to 1"),
        "fill": (_is_fill, "a number above 0, at most 10"),
    },
    ("judge", "llm"): {
        "structured_output": (
            lambda value: value in _STRUCTURED,
            "one of json_schema, json_object and none",
        ),
    },
}
"""The options that our parts take, by role and part: whether a value will do, and what is asked for."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of an evaluation, ready to be called, compressors in the configuration's order."""

    compressors: tuple[Compressor, ...]
    reader: Reader
    judge: Judge


def part_names(role: str) -> tuple[str, ...]:
    """Return what a `part` of a role may be called: ours first, then the installed entry points."""
    others = sorted(set(entry_points(role)) - set(NAMES[role]))
    return (*NAMES[role], *others)


def part_problem(role: str, part: PartConfig) -> tuple[str, str] | None:
    """Return what is wrong with a part's name or options, as (key, sentence), without loading it."""
    if part.part not in NAMES[role]:
        problem = plugin_problem(role, part.part)
        if problem is not None and ":" not in part.part:
            problem = f"{problem}; there are {', '.join(part_names(role))}, and package.module:callable"
        if problem is not None:
            return "part", problem
    elif (problem_of_options := _option_problem(role, part)) is not None:
        return problem_of_options
    if not part.asks_model:
        plain = PartConfig(part.part)
        for name in ("endpoint", "prompt", "temperature", "max_tokens", "seed"):
            if getattr(part, name) != getattr(plain, name):
                hint = "; write options.seed" if (part.part, name) == ("sentences", "seed") else ""
                return name, f"{part.part} asks no model and has no {name}{hint}"
    return None


def _option_problem(role: str, part: PartConfig) -> tuple[str, str] | None:
    allowed = _OPTIONS.get((role, part.part), {})
    for name, value in part.options.items():
        if name not in allowed:
            known = f"it has {', '.join(allowed)}" if allowed else "it has none"
            return f"options.{name}", f"is no option of {part.part}; {known}"
        sound, wanted = allowed[name]
        if not sound(value):
            return f"options.{name}", f"must be {wanted}, not {json.dumps(value, ensure_ascii=False):.40}"
    return None


def parts_of(
    config: EvaluationConfig,
    clients: Mapping[str, ModelClient] | None = None,
    *,
    codec: Codec | None = None,
    dataset: Dataset | None = None,
) -> Parts:
    """Return the parts of a configuration.

    `clients` by endpoint name; without them the parts that ask a model have their names and revisions and
    cannot be called, which is enough for a plan. The codec is loaded, the dataset (for `oracle`) read, where
    they are not given. Raises ConfigError, at the part's key, BadInput or CodecUnavailable.
    """
    if codec is None:
        from gacc_gui.formats.vocabulary import load_codec

        codec = load_codec(config.evaluation.tokenizer)
    maker = _Maker(config, clients or {}, codec, dataset)
    compressors = tuple(
        maker.part("compressor", part, f"compressors[{number}]")
        for number, part in enumerate(config.compressors)
    )
    names = [compressor.name for compressor in compressors]
    if twice := sorted({name for name in names if names.count(name) > 1}):  # plugins may name themselves
        last = len(names) - 1 - names[::-1].index(twice[0])
        raise ConfigError(
            [Problem(f"compressors[{last}].name", f"{twice[0]!r} is another's already; give it another name")]
        )
    return Parts(
        compressors=compressors,
        reader=maker.part("reader", config.reader, "reader"),
        judge=maker.part("judge", config.judge, "judge"),
    )


def prompt_of(config: EvaluationConfig, role: str, part: PartConfig) -> Prompt | None:
    """Return the prompt that a part uses, None where it asks no model. Raises BadInput."""
    from gacc_gui.runner.prompts import load_prompt

    if not part.asks_model:
        return None
    own = config.path(part.prompt) if part.prompt is not None else None
    return load_prompt(PROMPTS[role, part.part], own)


def identity_of(config: EvaluationConfig, role: str, part: PartConfig) -> dict[str, Json]:
    """Return everything of the configuration that decides what a part returns, as JSON."""
    identity: dict[str, Json] = {"part": part.part}
    if part.options:
        identity["options"] = dict(part.options)
    if part.part == "sentences":
        identity["options"] = {"seed": config.run.seed, **part.options}
    prompt = prompt_of(config, role, part)
    if prompt is None or part.endpoint is None:
        return identity
    endpoint = config.endpoints[part.endpoint]
    identity |= {
        "model": endpoint.model,
        "served_by": endpoint.service or sorted(endpoint.base_urls),
        "prompt": prompt.hash,
        "temperature": None if endpoint.omit_temperature else part.temperature,
    }
    optional: dict[str, Json] = {
        "max_tokens": part.max_tokens,
        "seed": part.seed,
        "extra_body": dict(endpoint.extra_body) or None,
    }
    return identity | {key: value for key, value in optional.items() if value is not None}


@contextmanager
def told_at(key: str) -> Iterator[None]:
    """Raise ConfigError at a dotted key where the block raises BadInput: what the key names is no good."""
    try:
        yield
    except ConfigError:
        raise
    except BadInput as error:
        raise ConfigError([Problem(key, str(error))]) from error


@dataclass(frozen=True, slots=True)
class _Maker:
    config: EvaluationConfig
    clients: Mapping[str, ModelClient]
    codec: Codec
    dataset: Dataset | None

    def part(self, role: str, part: PartConfig, key: str) -> Any:
        if part.asks_model:
            with told_at(f"{key}.prompt"):
                return self._model_part(role, part)
        if part.part not in NAMES[role]:
            with told_at(f"{key}.part"):
                return load_plugin(
                    role,
                    part.part,
                    name=part.name,
                    revision=part.revision,
                    timeout_seconds=part.timeout_seconds,
                    options=part.options,
                    folder=self.config.folder,
                )
        options = dict(part.options)
        if part.part == "sentences":
            options = {"seed": self.config.run.seed, **options}
        made = self._rule_part(part, options)
        revision = part.revision or _revision(made.revision, options)
        return replace(made, name=part.name or made.name, revision=revision)

    def _rule_part(self, part: PartConfig, options: Mapping[str, Json]) -> Any:
        from gacc_gui.runner import compressors, judges, readers, rules

        match part.part:
            case "lead":
                return rules.Lead(self.codec)
            case "tail":
                return compressors.Tail(self.codec)
            case "sentences":
                return compressors.RandomSentences(self.codec, **options)
            case "bm25":
                return compressors.Bm25(self.codec, **options)
            case "oracle":
                items = self.dataset if self.dataset is not None else _read(self.config)
                evidence = compressors.oracle_evidence(items.contexts, items.goals, items.questions)
                known = hashlib.sha256(repr(sorted(evidence.items(), key=repr)).encode()).hexdigest()[:8]
                own = compressors.Oracle(evidence)
                return replace(own, revision=f"{own.revision} of {known}")
            case "empty":
                return compressors.Empty()
            case "rule":
                return readers.QuotingReader()
            case "exact":
                return rules.ExactJudge()
            case "normalised":
                return judges.NormalisedJudge()
        raise BadInput(f"there is no part {part.part!r}")

    def _model_part(self, role: str, part: PartConfig) -> Any:
        from gacc_gui.runner import llm_parts

        prompt = prompt_of(self.config, role, part)
        endpoint = self.config.endpoints[part.endpoint or ""]
        revision = part.revision or _model_revision(self.config, role, part, endpoint)
        return llm_parts.make_part(
            role,
            part,
            endpoint,
            self.clients.get(endpoint.name),
            prompt,
            name=part.name or part.part,
            revision=revision,
        )


def _revision(own: str, options: Mapping[str, Json]) -> str:
    """Return a rule part's revision with its options: `1, fill=1.2, seed=3`."""
    return ", ".join([own, *(f"{name}={value}" for name, value in sorted(options.items()))])


def _model_revision(config: EvaluationConfig, role: str, part: PartConfig, endpoint: EndpointConfig) -> str:
    """Return a revision that says the model and the prompt's version, and covers the rest by a hash."""
    prompt = prompt_of(config, role, part)
    version = prompt.version if prompt is not None else "?"
    text = json.dumps(identity_of(config, role, part), sort_keys=True, ensure_ascii=False)
    return f"{endpoint.model}, prompt {version}, {hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _read(config: EvaluationConfig) -> Dataset:
    from gacc_gui.formats.dataset import read_dataset

    return read_dataset(
        config.path(config.dataset.path), config.dataset.columns, contexts=config.dataset.contexts
    )
