"""A compaction run from its settings: the parts, live or of the fixture, and the plan that the engine runs.

Owns which parts there are, what is frozen of them in `protocol.json`, and where a live run's keys and
addresses come from. Not here: the folder (`app`), and the run's records (`formats.compaction_records`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gacc_gui.core.compaction import FULL, FUSION, JEV, SUMMARY
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Json, Run
from gacc_gui.core.tokens import Codec
from gacc_gui.formats.compaction_records import items_of
from gacc_gui.formats.corpus import Corpus
from gacc_gui.runner.compaction.contexts import ContextMaker
from gacc_gui.runner.compaction.decisions import LiveDecider
from gacc_gui.runner.compaction.fixture_parts import LeadSummarizer, LexicalDecider, RuleAnswerer
from gacc_gui.runner.compaction.parts import Answerer, Decider, Summarizer
from gacc_gui.runner.compaction.protocol import CompactionProtocol
from gacc_gui.runner.compaction.settings import DEFAULT_DECISION_MODEL, Settings
from gacc_gui.runner.compaction.summaries import LlmAnswerer, LlmSummarizer
from gacc_gui.runner.compaction.system_one import SystemOneClient
from gacc_gui.runner.config_model import EndpointConfig
from gacc_gui.runner.credentials import credentials_of, shown_address
from gacc_gui.runner.endpoint import ModelClient
from gacc_gui.runner.environment import needed
from gacc_gui.runner.events import Waiting
from gacc_gui.runner.parts import Named
from gacc_gui.runner.plan import Plan, Setting
from gacc_gui.runner.prompts import Prompt, load_prompt
from gacc_gui.runner.tries import FREE, Tries

MODEL_KEY: Final = "LLM_API_KEY"
MODEL_URL: Final = "LLM_BASE_URL"
DECISION_KEY: Final = "DECISION_MODEL_API_KEY"
DECISION_MODEL: Final = "DECISION_MODEL_NAME"
DECISION_URL: Final = "DECISION_MODEL_BASE_URL"
DEFAULT_DECISION_URL: Final = "https://api.typesafe.ai"
ANSWER: Final = "compaction-answer"
PROMPTS: Final = (ANSWER, "compaction-summary", "compaction-fusion", "compaction-decision")
SCORER: Final[Mapping[str, Json]] = {"name": "hotpotqa-official, strict sentence ids", "revision": "1"}

Closing = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Method:
    """A method as a run's cells name it."""

    name: str
    revision: str


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a run. `decider` and `summarizer` are None where no method of the run needs them.

    `closing` is awaited at the end, in the loop of the calls.
    """

    decider: Decider | None
    summarizer: Summarizer | None
    answerer: Answerer
    prompts: Mapping[str, Prompt]
    is_live: bool
    closing: Sequence[Closing] = ()
    described: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Json]:
        """Return `parts` of `protocol.json`: names, revisions, models, addresses; no credentials."""
        named: dict[str, Named | None] = {
            "decider": self.decider,
            "summarizer": self.summarizer,
            "answerer": self.answerer,
        }
        return {
            **{
                role: {"name": part.name, "revision": part.revision, **self.described.get(role, {})}
                for role, part in named.items()
                if part is not None
            },
            "scorer": dict(SCORER),
        }

    def prompts_json(self) -> dict[str, Json]:
        """Return `prompts` of `protocol.json`: versions and hashes by name."""
        return {
            name: {"version": prompt.version, "sha256": prompt.hash.removeprefix("sha256:")}
            for name, prompt in self.prompts.items()
        }


def parts_for(
    settings: Settings,
    environment: Mapping[str, str],
    *,
    live: bool,
    codec: Codec,
    on_waiting: Callable[[Waiting], None] | None = None,
    tries: Tries = FREE,
) -> Parts:
    """Return the parts that the methods need. `environment` is looked at for a live run only.

    Nothing is sent. Raises BadUsage, naming the variable, where a key or an address is missing or unsound.
    """
    prompts = {name: load_prompt(name) for name in PROMPTS}
    decides = any(method in (JEV, FUSION) for method in settings.methods)
    summarises = any(method in (SUMMARY, FUSION) for method in settings.methods)
    if not live:
        return Parts(
            LexicalDecider() if decides else None,
            LeadSummarizer(codec.count) if summarises else None,
            RuleAnswerer(),
            prompts,
            is_live=False,
        )
    ways: dict[str, Any] = {"on_waiting": on_waiting, "tries": tries}
    endpoint = _endpoint(settings, environment)
    client = ModelClient(endpoint, credentials_of(endpoint, environment), count_tokens=codec.count, **ways)
    sampling: dict[str, Json] = {
        "model": settings.model,
        "endpoint": shown_address(endpoint.base_urls[0]),
        "temperature": settings.temperature,
        "seed": settings.seed,
        "extra_body": dict(settings.extra_body),
    }
    described: dict[str, dict[str, Json]] = {
        "answerer": {**sampling, "max_tokens": settings.answer_max_tokens},
    }
    closing: list[Closing] = [client.aclose]
    summarizer: LlmSummarizer | None = None
    if summarises:
        alone, beside = prompts["compaction-summary"], prompts["compaction-fusion"]
        described["summarizer"] = dict(sampling)
        revision = _revision(described["summarizer"], alone, beside)
        summarizer = LlmSummarizer(client, alone, beside, settings, "llm", revision)
    decider: LiveDecider | None = None
    if decides:
        prompt = prompts["compaction-decision"]
        deciding = _decision_endpoint(settings, environment)
        asker = SystemOneClient(deciding, credentials_of(deciding, environment), **ways)
        closing.append(asker.aclose)
        described["decider"] = {
            "model": settings.decision_model,
            "endpoint": shown_address(deciding.base_urls[0]),
        }
        revision = _revision(described["decider"], prompt)
        decider = LiveDecider(asker, prompt, "system-one", revision)
    revision = _revision(described["answerer"], prompts[ANSWER])
    answerer = LlmAnswerer(client, settings, "llm", revision)
    return Parts(decider, summarizer, answerer, prompts, True, tuple(closing), described)


def decision_model_of(environment: Mapping[str, str]) -> str:
    """Return the decision model that the environment names, or else the service's latest."""
    return environment.get(DECISION_MODEL, "").strip() or DEFAULT_DECISION_MODEL


def plan_for(corpus: Corpus, settings: Settings, codec: Codec, parts: Parts, run: Run) -> Plan:
    """Return the plan over the corpus's sound cases; `run` is the run's record."""
    items = items_of(corpus)
    prompt = parts.prompts[ANSWER]
    maker = ContextMaker(settings, codec, prompt, parts.decider, parts.summarizer)
    cases = {case.id: case for case in corpus.sound_cases}
    return Plan(
        run=run,
        contexts=items.contexts,
        goals=items.goals,
        questions=items.questions,
        settings=tuple(
            Setting(
                _Method(method, method_revision(method, settings, codec, parts)),
                "full-context" if method == FULL else "own-goal",
                "1",
            )
            for method in settings.methods
        ),
        protocol=CompactionProtocol(cases, settings, codec, prompt, parts.answerer, maker),
        generations=settings.generations,
        repeats=settings.answers,
    )


def method_revision(method: str, settings: Settings, codec: Codec, parts: Parts) -> str:
    """Return the start of the hash of all that a method's contexts depend on, beside the case."""
    told: dict[str, Json] = {"prompt": parts.prompts[ANSWER].hash}
    if method != FULL:
        told |= {"codec": codec.revision, "ceiling": settings.ceiling, "reserve": settings.reserve}
        told["group_sentences"] = settings.group_sentences
    if method in (JEV, FUSION) and parts.decider is not None:
        told["decider"] = [parts.decider.name, parts.decider.revision, settings.decision_batch]
    if method in (SUMMARY, FUSION) and parts.summarizer is not None:
        told["summarizer"] = [parts.summarizer.name, parts.summarizer.revision, settings.summary_retries]
    if method == FUSION:
        told["fusion_share"] = str(settings.fusion_share)
    return _digest(told)


def _revision(described: Mapping[str, Json], *prompts: Prompt) -> str:
    """Return a part's revision: its model, and the hash of how it is asked. Where it lives is not its own."""
    told = {name: value for name, value in described.items() if name != "endpoint"}
    return f"{described['model']}+{_digest([told, [prompt.hash for prompt in prompts]])}"


def _digest(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _endpoint(settings: Settings, environment: Mapping[str, str]) -> EndpointConfig:
    needed(environment, MODEL_KEY, f"the key of {settings.model}, which answers and summarises")
    url = needed(environment, MODEL_URL, f"the address of {settings.model}, such as https://host/v1")
    return EndpointConfig(
        name="model",
        base_urls=(_address(MODEL_URL, url),),
        model=settings.model,
        api_key_env=MODEL_KEY,
        concurrency=settings.concurrency,
        timeout_seconds=settings.timeout_seconds,
        max_retries=settings.max_retries,
        max_tokens_field=settings.max_tokens_field,
        omit_temperature=settings.temperature is None,
        extra_body=settings.extra_body,
    )


def _decision_endpoint(settings: Settings, environment: Mapping[str, str]) -> EndpointConfig:
    needed(environment, DECISION_KEY, "the key of the decision model, which ranks for jev")
    url = environment.get(DECISION_URL, "").strip() or DEFAULT_DECISION_URL
    # The SDK adds the path; people write addresses with it.
    root = _address(DECISION_URL, url).rstrip("/").removesuffix("/systemone").removesuffix("/v1")
    if "?" in root:
        raise BadUsage(f"{DECISION_URL}: must hold no parameters")
    return EndpointConfig(
        name="decisions",
        base_urls=(root,),
        model=settings.decision_model,
        api_key_env=DECISION_KEY,
        concurrency=settings.concurrency,
        timeout_seconds=settings.timeout_seconds,
        max_retries=settings.max_retries,
    )


def _address(variable: str, url: str) -> str:
    from gacc_gui.runner.config_schema import sound_address

    try:
        return sound_address(url)
    except ValueError as error:
        # The address is not repeated: it may hold a key.
        raise BadUsage(f"{variable}: {error}") from error
