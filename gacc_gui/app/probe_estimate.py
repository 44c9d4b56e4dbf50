"""What probes will ask and cost, before anything is asked. Owns the sums; prices are the configuration's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.errors import CodecUnavailable
from gacc_gui.runner.parts import Usage
from gacc_gui.runner.planning import ANSWER_TOKENS, VERDICT_TOKENS
from gacc_gui.runner.pricing import cost_of

if TYPE_CHECKING:
    from gacc_gui.app.probe_parts import Service
    from gacc_gui.runner.probing import Ask

_CHARACTERS: Final = 4
"""Bytes a token has, roughly, where there is no tokenizer to count with."""


@dataclass(frozen=True, slots=True)
class ServiceEstimate:
    """What one model will be asked. `cost` None: its price is unknown, which is not free."""

    role: str
    endpoint: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    currency: str | None


@dataclass(frozen=True, slots=True)
class ProbeEstimate:
    """What all models together will be asked: none where the parts are rules or plugins.

    `cost` is None where a price is unknown or currencies differ. An upper bound but for retries and for
    answers longer than an estimate takes them to be: everything is taken to be answered and judged.
    """

    services: tuple[ServiceEstimate, ...]
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    currency: str | None

    def as_json(self) -> dict[str, Any]:
        """Return the estimate as JSON."""
        return {**asdict(self), "services": [asdict(service) for service in self.services]}

    @property
    def sentence(self) -> str:
        """What it comes to, in words."""
        if not self.services:
            return "no model is asked, which costs nothing"
        cost = "unknown" if self.cost is None else f"about {self.cost:.4f} {self.currency or ''}".rstrip()
        models = " and ".join(dict.fromkeys(service.model for service in self.services))
        return (
            f"{self.calls:,} calls of {models}, some {self.input_tokens:,} tokens in and"
            f" {self.output_tokens:,} out, cost {cost}"
        )


def estimate_of(asks: Sequence[Ask], services: Iterable[Service], tokenizer: str | None) -> ProbeEstimate:
    """Return what these probes will cost; tokens by the run's tokenizer, roughly where it is not here."""
    count = _Counter(tokenizer)
    estimates = tuple(_of_service(asks, service, count) for service in services)
    costs = [one.cost for one in estimates]
    currencies = {one.currency for one in estimates}
    priced = all(cost is not None for cost in costs) and len(currencies) <= 1
    return ProbeEstimate(
        estimates,
        sum(one.calls for one in estimates),
        sum(one.input_tokens for one in estimates),
        sum(one.output_tokens for one in estimates),
        float(sum(Decimal(str(cost)) for cost in costs)) if priced else None,
        next(iter(currencies)) if len(currencies) == 1 else None,
    )


def _of_service(asks: Sequence[Ask], service: Service, count: _Counter) -> ServiceEstimate:
    told = count(service.prompt) * len(asks)
    for ask in asks:
        told += count(ask.question.text)
        if service.role == "reader":
            told += count(ask.text)
        else:
            told += count(ask.context.text) + sum(map(count, ask.question.references or ())) + ANSWER_TOKENS
    said = len(asks) * (ANSWER_TOKENS if service.role == "reader" else VERDICT_TOKENS)
    cost = cost_of(Usage(told, said), service.price)
    return ServiceEstimate(
        service.role,
        service.endpoint,
        service.model,
        len(asks),
        told,
        said,
        None if cost is None else float(cost),
        service.price.currency if service.price.known else None,
    )


class _Counter:
    def __init__(self, tokenizer: str | None) -> None:
        self._tokenizer = tokenizer
        self._count: Callable[[str], int] | None = None
        self._counts: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        if text not in self._counts:
            self._counts[text] = self._counter()(text)
        return self._counts[text]

    def _counter(self) -> Callable[[str], int]:
        if self._count is None:
            from gacc_gui.formats.vocabulary import load_codec

            self._count = _roughly
            if self._tokenizer is not None:
                try:
                    self._count = load_codec(self._tokenizer).count
                except CodecUnavailable:
                    pass  # an estimate is rough anyway
        return self._count


def _roughly(text: str) -> int:
    return len(text.encode("utf-8", "replace")) // _CHARACTERS + 1
