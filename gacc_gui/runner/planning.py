"""From a configuration to a plan, and what the plan will cost before anything is called.

Owns which cells a configuration asks for, the run's record, and the estimate. Not here: the order and names
of memories (`plan`), making parts (`registry`), doing it (`engine`).
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.budget import budget_for
from gacc_gui.core.records import Json, Question, Run
from gacc_gui.formats.dataset import Dataset, read_dataset
from gacc_gui.formats.json_values import dumps
from gacc_gui.runner.cache import content_hash
from gacc_gui.runner.config import ConfigError, Problem
from gacc_gui.runner.config_model import EvaluationConfig, PartConfig
from gacc_gui.runner.events import STAGES
from gacc_gui.runner.gacc_protocol import GaccProtocol, gacc_protocol_of
from gacc_gui.runner.known import Known
from gacc_gui.runner.parts import Usage
from gacc_gui.runner.plan import Plan, PlannedMemory, Setting, Shard
from gacc_gui.runner.pricing import cost_of
from gacc_gui.runner.registry import NAMES, Parts, identity_of, parts_of, prompt_of, told_at
from gacc_gui.runner.rules import FullContext

if TYPE_CHECKING:
    from gacc_gui.core.tokens import Codec
    from gacc_gui.runner.endpoint import ModelClient

CONFIGURATION: Final = "configuration"
"""The unknown field of the run's record that says what was evaluated, how."""
ANSWER_TOKENS: Final = 32
VERDICT_TOKENS: Final = 64
"""What the estimate takes an answer and a verdict to be long."""
MOST_ANSWERS: Final = 10_000_000
MEMORIES, ANSWERS, VERDICTS = STAGES
NOTHING_KNOWN: Final = Known()
_RULES: Final = frozenset({"rule", "exact", "normalised"})
"""Readers and judges whose figures are diagnostic."""


@dataclass(frozen=True, slots=True)
class PartEstimate:
    """What one part will be asked. Of one without an endpoint, tokens are not counted.

    Tokens by the run's own tokenizer, which a model may not share. `cost` None: the price is unknown, as it
    is of a plugin; our own rules cost nothing.
    """

    role: str
    part: str
    calls: int
    endpoint: str | None = None
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a plan will do: `stages` is all that is planned, `left` what of it has yet to be made.

    `calls`, tokens and `cost` are of the parts that ask a model, all together.
    `cost` is None where any of their prices is unknown, or the currencies differ. An upper bound but for
    retries and answers longer than `ANSWER_TOKENS` and `VERDICT_TOKENS`: compressors may use their whole
    budget, and everything is judged.
    """

    stages: Mapping[str, int]
    left: Mapping[str, int]
    parts: tuple[PartEstimate, ...]
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    currency: str | None

    def as_json(self) -> dict[str, Json]:
        """Return the estimate as JSON."""
        return {**asdict(self), "parts": [asdict(part) for part in self.parts], "stages": dict(self.stages)}


def build_plan(
    config: EvaluationConfig,
    shard: Shard | None = None,
    clients: Mapping[str, ModelClient] | None = None,
) -> Plan:
    """Return what a configuration asks for; reads the dataset, the tokenizer, prompts and plugins.

    `clients` by endpoint name are needed to run the plan where a part asks a model, not to look at it. Raises
    ConfigError, at the key that names what is no good or makes too much of it, or CodecUnavailable.
    """
    from gacc_gui.formats.vocabulary import load_codec

    path, columns = config.path(config.dataset.path), config.dataset.columns
    with told_at("dataset.columns" if columns and path.exists() else "dataset.path"):
        dataset = read_dataset(path, columns, contexts=config.dataset.contexts)
    codec = load_codec(config.evaluation.tokenizer)
    parts = parts_of(config, clients, codec=codec, dataset=dataset)
    plan = Plan(
        run=_run(config, dataset, codec, parts),
        contexts=dataset.contexts,
        goals=dataset.goals,
        questions=dataset.questions,
        settings=tuple(_settings(config, parts)),
        protocol=GaccProtocol(codec, parts.reader, parts.judge),
        generations=config.evaluation.generations,
        repeats=config.evaluation.repeats,
        shard=shard,
    )
    _must_be_feasible(plan)
    return plan


def _must_be_feasible(plan: Plan) -> None:
    most = len(plan.questions) * len(plan.settings) * plan.generations * plan.repeats
    if most > MOST_ANSWERS:
        key = "generations" if plan.generations >= plan.repeats else "repeats"
        raise ConfigError(
            [
                Problem(
                    f"evaluation.{key}",
                    f"{len(plan.questions):,} questions in {len(plan.settings):,} cells, {plan.generations:,}"
                    f" generations and {plan.repeats:,} repeats are {most:,} answers; a run has at most"
                    f" {MOST_ANSWERS:,}",
                )
            ]
        )


def estimate(plan: Plan, config: EvaluationConfig, known: Known | None = None) -> Estimate:
    """Return what the plan will ask and cost, without a call. `config` is what the plan was made of.

    Of what is `known` only what is missing or failed is asked for.
    """
    counter = _Counter(plan, config)
    memories = answers = 0
    if known is None:
        # Every generation asks for the same: one is counted.
        for planned in replace(plan, generations=1).memories():
            memories += plan.generations
            answers += len(planned.questions) * plan.repeats * plan.generations
            counter.add(planned, times=plan.generations)
    else:
        for planned in plan.memories():
            memories += 1
            answers += len(planned.questions) * plan.repeats
            counter.add(planned, known=known)
    parts = counter.parts()
    asking = [part for part in parts if part.endpoint is not None]
    currencies = {part.currency for part in asking}
    costs = [part.cost for part in asking]
    priced = all(cost is not None for cost in costs) and len(currencies) <= 1
    return Estimate(
        stages={"memories": memories, "answers": answers, "verdicts": answers},
        left={stage: counter.left[stage] for stage in STAGES},
        parts=parts,
        calls=sum(part.calls for part in asking),
        input_tokens=sum(part.input_tokens for part in asking),
        output_tokens=sum(part.output_tokens for part in asking),
        cost=float(sum(Decimal(str(cost)) for cost in costs)) if priced else None,
        currency=next(iter(currencies)) if len(currencies) == 1 else None,
    )


def _settings(config: EvaluationConfig, parts: Parts) -> Iterator[Setting]:
    """Yield the cells: by condition, compressor, ratio; `full-context` once."""
    for condition in config.evaluation.conditions:
        if condition == "full-context":
            yield Setting(FullContext(), condition, "1")
            continue
        for compressor in parts.compressors:
            for ratio in config.evaluation.ratios:
                yield Setting(compressor, condition, ratio)


def _run(config: EvaluationConfig, dataset: Dataset, codec: Codec, parts: Parts) -> Run:
    """Return the run's record. It follows from configuration and dataset alone: shards have the same."""
    settings = config.evaluation
    identity: dict[str, Json] = {
        "dataset": dataset.sha256,
        "tokenizer": {"name": codec.name, "revision": codec.revision},
        "ratios": list(settings.ratios),
        "conditions": list(settings.conditions),
        "generations": settings.generations,
        "repeats": settings.repeats,
        "compressors": {
            made.name: {"revision": made.revision, **identity_of(config, "compressor", part)}
            for made, part in zip(parts.compressors, config.compressors, strict=True)
        },
        "reader": _named(parts.reader, identity_of(config, "reader", config.reader)),
        "judge": _named(parts.judge, identity_of(config, "judge", config.judge)),
    }
    name = config.run.name or _default_name(config)
    digest = hashlib.sha256(dumps(identity).encode("utf-8", "surrogatepass")).hexdigest()
    slug = re.sub(r"[^\w.-]+", "-", name.casefold()).strip("-")[:40] or "run"
    is_rule = config.reader.part in _RULES or config.judge.part in _RULES
    return Run(
        id=config.run.id or f"{slug}-{digest[:8]}",
        name=name,
        protocol="gacc-bench",
        created_at=config.run.created_at,
        diagnostic_only=config.run.diagnostic_only or is_rule or not codec.identity_verified,
        tokenizer={
            "name": codec.name,
            "revision": codec.revision,
            "identity_verified": codec.identity_verified,
        },
        reader=_public(config, parts.reader, config.reader),
        judge=_public(config, parts.judge, config.judge),
        extra={CONFIGURATION: identity},
    )


def _default_name(config: EvaluationConfig) -> str:
    names = [part.name or part.part for part in config.compressors] or ["full-context"]
    return f"{Path(config.dataset.path).name.split('.')[0]}: {', '.join(names)}"


def _named(made: Any, identity: Mapping[str, Json]) -> dict[str, Json]:
    return {"name": made.name, "revision": made.revision, **identity}


def _public(config: EvaluationConfig, made: Any, part: PartConfig) -> dict[str, Json]:
    """Return a part as the run's record shows it."""
    shown: dict[str, Json] = {"name": made.name, "revision": made.revision}
    if part.asks_model and part.endpoint is not None:
        shown["model"] = config.endpoints[part.endpoint].model
    return shown


class _Counter:
    """Adds up what each part will be told and will answer."""

    def __init__(self, plan: Plan, config: EvaluationConfig) -> None:
        self._plan = plan
        self._config = config
        protocol = gacc_protocol_of(plan)
        self._count = protocol.codec.count
        self._reader, self._judge = ("reader", protocol.reader_part.name), ("judge", protocol.judge_part.name)
        self._counts: dict[str, int] = {}
        self._hashes = {context.id: content_hash(context.text) for context in plan.contexts}
        self._made: set[tuple[Json, ...]] = set()
        names = dict.fromkeys(setting.compressor.name for setting in plan.settings)
        names.pop(FullContext().name, None)
        self._compressors = dict(zip(names, config.compressors, strict=False))
        roles = [("compressor", name) for name in self._compressors]
        self._keys = [*roles, self._reader, self._judge]
        self.left: Counter[str] = Counter()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._input: Counter[tuple[str, str]] = Counter()
        self._output: Counter[tuple[str, str]] = Counter()
        self._overhead = {key: self._prompt_tokens(key) for key in self._keys}

    def add(self, planned: PlannedMemory, times: int = 1, known: Known = NOTHING_KNOWN) -> None:
        """Count what of a memory, and of everything that is asked of it, is not known, so many times."""
        source = self._tokens(planned.context.text)
        budget = budget_for(planned.setting.ratio, source)
        memories = 0 if known.memories.get(planned.id, False) else times
        self.left[MEMORIES] += memories
        self._add_memory(planned, source, budget, memories)
        for question in planned.questions:
            places = [(planned.id, question.id, repeat) for repeat in range(self._plan.repeats)]
            answers = times * sum(not known.answers.get(place, False) for place in places)
            verdicts = times * sum(not known.verdicts.get(place, False) for place in places)
            self.left[ANSWERS] += answers
            self.left[VERDICTS] += verdicts
            asked = self._tokens(question.text)
            self._ask(self._reader, budget + asked, ANSWER_TOKENS, answers)
            told = source + asked + self._references(question) + ANSWER_TOKENS
            self._ask(self._judge, told, VERDICT_TOKENS, verdicts)

    def _add_memory(self, planned: PlannedMemory, source: int, budget: int, times: int) -> None:
        key = ("compressor", planned.setting.compressor.name)
        goal = planned.shown_goal.text if planned.shown_goal is not None else None
        # As the protocol's cache has it: the same proposal is asked for once.
        proposal = (key, self._hashes[planned.context.id], goal, budget, planned.generation)
        if budget == 0 or key[1] not in self._compressors or proposal in self._made:
            return
        self._made.add(proposal)
        told = source + (self._tokens(goal) if goal is not None else 0)
        self._ask(key, told, budget, times)

    def _ask(self, key: tuple[str, str], told: int, said: int, times: int) -> None:
        self._calls[key] += times
        self._input[key] += times * (self._overhead[key] + told)
        self._output[key] += times * said

    def parts(self) -> tuple[PartEstimate, ...]:
        """Return what was counted, by part."""
        return tuple(self._estimate(key) for key in self._keys)

    def _estimate(self, key: tuple[str, str]) -> PartEstimate:
        plain = PartEstimate(key[0], key[1], self._calls[key])
        part = self._part(key)
        if not part.asks_model or part.endpoint is None:
            return replace(plain, cost=0.0) if part.part in NAMES[key[0]] else plain
        endpoint = self._config.endpoints[part.endpoint]
        usage = Usage(self._input[key], self._output[key])
        cost = cost_of(usage, endpoint.price)
        return replace(
            plain,
            endpoint=endpoint.name,
            model=endpoint.model,
            input_tokens=self._input[key],
            output_tokens=self._output[key],
            cost=None if cost is None else float(cost),
            currency=endpoint.price.currency if endpoint.price.known else None,
        )

    def _part(self, key: tuple[str, str]) -> PartConfig:
        if key[0] == "compressor":
            return self._compressors[key[1]]
        return self._config.reader if key[0] == "reader" else self._config.judge

    def _prompt_tokens(self, key: tuple[str, str]) -> int:
        prompt = prompt_of(self._config, key[0], self._part(key))
        return 0 if prompt is None else self._count(prompt.system) + self._count(prompt.user)

    def _references(self, question: Question) -> int:
        return sum(self._tokens(reference) for reference in question.references or ())

    def _tokens(self, text: str) -> int:
        if text not in self._counts:
            self._counts[text] = self._count(text)
        return self._counts[text]
