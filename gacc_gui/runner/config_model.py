"""What an evaluation is configured to do: frozen, complete, and checked by whoever made it.

Owns the shape and the defaults; one class per table of the TOML file, one field per key. Not here: reading
and writing TOML (`config`), and what becomes of it (`planning`, `registry`). Imports nothing heavy: the
window reads it.

Nothing here holds a credential: an endpoint names the environment variable that does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gacc_gui.core.records import NOTHING, Json

MODEL_COMPRESSORS: Final = ("llm-summary", "llm-extract")
RULE_COMPRESSORS: Final = ("lead", "tail", "sentences", "bm25", "oracle", "empty")
COMPRESSORS: Final = (*RULE_COMPRESSORS, *MODEL_COMPRESSORS)
READERS: Final = ("rule", "llm")
JUDGES: Final = ("exact", "normalised", "llm")
MODEL_PARTS: Final = frozenset({*MODEL_COMPRESSORS, "llm"})
"""Our parts that ask a model, and so need an endpoint. A name that is none of ours is a plugin's."""

TOKENIZERS: Final = ("cl100k_base", "codepoint")
DEFAULT_CONCURRENCY: Final = 4


@dataclass(frozen=True, slots=True)
class RunConfig:
    """`[run]`: how the run is called. `id` None: made of what is evaluated (`planning.run_id`).

    `seed` of the parts that choose at random. `created_at` an ISO 8601 text or None; it is part of the run's
    record, so shards need the same.
    """

    id: str | None = None
    name: str | None = None
    created_at: str | None = None
    seed: int = 0
    diagnostic_only: bool = False
    """True marks the run as diagnostic; False leaves it to the parts (rules are always diagnostic)."""


@dataclass(frozen=True, slots=True)
class DatasetConfig:
    """`[dataset]`: what is evaluated. `path` as written, relative to the configuration's folder.

    A `gacc-dataset` or `gacc-run` (`.json`, `.jsonl`, also `.gz`), or a table (`.parquet`, `.csv`) with
    `columns`: what it is for us (`formats.table_dataset.COLUMNS`) → the column's name. `contexts`: only the
    first so many.
    """

    path: str
    columns: Mapping[str, str] = NOTHING
    contexts: int | None = None


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """`[evaluation]`: which cells are filled, how often. Ratios are canonical (`core.budget`).

    `full-context` makes one cell, whatever the compressors and ratios.
    """

    ratios: tuple[str, ...] = ("0.1", "0.25", "0.5")
    conditions: tuple[str, ...] = ("own-goal",)
    generations: int = 1
    repeats: int = 1
    tokenizer: str = "cl100k_base"


@dataclass(frozen=True, slots=True)
class PartConfig:
    """`[[compressors]]`, `[reader]`, `[judge]`: one part.

    `part` is a name of ours, `package.module:callable`, or an entry point's name. `name` and `revision`: what
    the run records (None: what the part says). `endpoint` names one of `[endpoints]`; it, `prompt` (a file of
    one's own instead of the shipped one), `temperature`, `max_tokens` (None: the part's own choice, a
    compressor's from its budget) and `seed` are for the parts that ask a model. `timeout_seconds` bounds one
    call of a plugin. `options` are keyword arguments of the part.
    """

    part: str
    name: str | None = None
    revision: str | None = None
    endpoint: str | None = None
    prompt: str | None = None
    temperature: float = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    timeout_seconds: float = 60.0
    options: Mapping[str, Json] = NOTHING

    @property
    def asks_model(self) -> bool:
        """Whether it is one of our parts that send requests to an endpoint."""
        return self.part in MODEL_PARTS


@dataclass(frozen=True, slots=True)
class PriceConfig:
    """`[endpoints.NAME.price]`: money per million tokens. None is unknown, which is not free.

    `cached_input` None: cached tokens cost what others do.
    """

    input: float | None = None
    output: float | None = None
    cached_input: float | None = None
    currency: str = "USD"

    @property
    def known(self) -> bool:
        """Whether a cost can be told."""
        return self.input is not None and self.output is not None


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """`[endpoints.NAME]`: a service that speaks the chat completions protocol, at one or several addresses.

    `api_key_env` names the environment variable with the key (None: no key is sent). `concurrency` calls are
    under way at a time, over all addresses; the rates are per minute, None without a limit. `max_retries`
    after the first attempt. `max_tokens_field` is how the service calls it; `omit_temperature` sends none.
    `extra_body` is added to every request. `service` stands for the addresses in the run's identity, so that
    a run may be resumed while the same service has moved; None: the addresses do.
    """

    name: str
    base_urls: tuple[str, ...]
    model: str
    api_key_env: str | None = None
    service: str | None = None
    concurrency: int = DEFAULT_CONCURRENCY
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout_seconds: float = 120.0
    max_retries: int = 4
    max_tokens_field: str = "max_tokens"
    omit_temperature: bool = False
    extra_body: Mapping[str, Json] = NOTHING
    price: PriceConfig = PriceConfig()


@dataclass(frozen=True, slots=True)
class LimitsConfig:
    """`[limits]`: where a run stops cleanly; None without a limit.

    `tokens` input and output together; `money` in the prices' currency, for which every endpoint needs a
    price. `concurrency`: memories under way at a time (None: what the endpoints allow).
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    concurrency: int | None = None


@dataclass(frozen=True, slots=True)
class EvaluationConfig:
    """A whole configuration.

    `folder` is what relative paths are relative to; it is no part of the TOML, nor of what two configurations
    have in common.
    """

    dataset: DatasetConfig
    compressors: tuple[PartConfig, ...]
    reader: PartConfig
    judge: PartConfig
    run: RunConfig = RunConfig()
    evaluation: EvaluationSettings = EvaluationSettings()
    endpoints: Mapping[str, EndpointConfig] = NOTHING
    limits: LimitsConfig = LimitsConfig()
    folder: Path = field(default=Path(), compare=False)

    def path(self, written: str) -> Path:
        """Return the path that a path of the file means."""
        return self.folder / written

    @property
    def parts(self) -> tuple[tuple[str, PartConfig], ...]:
        """Every part with its role: `compressor`, `reader`, `judge`."""
        return (
            *(("compressor", part) for part in self.compressors),
            ("reader", self.reader),
            ("judge", self.judge),
        )

    @property
    def is_live(self) -> bool:
        """Whether any part asks a model, so that a run needs `--live`."""
        return any(part.asks_model for _, part in self.parts)

    @property
    def concurrency(self) -> int:
        """How many memories are under way at a time."""
        if self.limits.concurrency is not None:
            return self.limits.concurrency
        used = {part.endpoint for _, part in self.parts if part.endpoint is not None}
        allowed = [self.endpoints[name].concurrency for name in used if name in self.endpoints]
        return max([DEFAULT_CONCURRENCY, *allowed])
