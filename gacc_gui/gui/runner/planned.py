"""What a dry run answered, as words and rows. Not here: counting it, which the command does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gacc_gui.gui.runner.words import shown_cost, shown_count

PLAN_TITLES: Final = ("Asked", "Model", "Calls", "Tokens in", "Tokens out", "Cost")
PLAN_WORDS: Final = ("Model",)


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan as it is shown: a sentence, a row per part, the id and name of the run."""

    words: str
    rows: tuple[tuple[str, ...], ...]
    run: str | None = None
    name: str | None = None


def planned_of(document: Mapping[str, Any]) -> Planned:
    """Return what the document of a dry run says."""
    estimate, stages = document.get("estimate"), document.get("planned")
    if not isinstance(estimate, Mapping):
        return Planned("The plan could not be read.", ())
    told = (
        [f"{count:,} {stage}" for stage, count in stages.items() if isinstance(count, int)]
        if isinstance(stages, Mapping)
        else []
    )
    words = [", ".join(told)] if told else []
    calls = estimate.get("calls")
    if calls:
        tokens = (estimate.get("input_tokens") or 0) + (estimate.get("output_tokens") or 0)
        words.append(f"at most {calls:,} calls of models with about {tokens:,} tokens")
        cost = _cost(estimate.get("cost"), estimate.get("currency"))
        words.append("the cost is unknown: not every price is" if cost == "unknown" else f"about {cost}")
    else:
        words.append("no model is called")
    parts = estimate.get("parts")
    rows = (
        [_row(part) for part in parts if isinstance(part, Mapping)] if isinstance(parts, list | tuple) else []
    )
    run, name = (one if isinstance(one := document.get(key), str) else None for key in ("run", "name"))
    return Planned(" · ".join(words) + ".", tuple(rows), run, name)


def _row(part: Mapping[str, Any]) -> tuple[str, ...]:
    who = " ".join(str(part[key]) for key in ("role", "part") if part.get(key))
    calls = _count(part.get("calls"))
    who = who[:1].upper() + who[1:]
    if not part.get("endpoint"):
        return who, "", calls, "", "", ""
    cost = _cost(part.get("cost"), part.get("currency"))
    tokens = (_count(part.get(key)) for key in ("input_tokens", "output_tokens"))
    return who, f"{part.get('model')} at {part['endpoint']}", calls, *tokens, cost


def _count(value: Any) -> str:
    return shown_count(value if isinstance(value, int) else None)


def _cost(cost: Any, currency: Any) -> str:
    known = isinstance(cost, int | float) and not isinstance(cost, bool)
    return shown_cost(float(cost) if known else None, currency=currency if isinstance(currency, str) else "")
