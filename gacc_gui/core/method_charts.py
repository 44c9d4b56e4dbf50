"""What a compaction run's methods come to, as bars: scores with the gap to `full`, EM by type, input tokens.

Owns which figures stand where and their words. The figures are `core.compaction_aggregate`'s, those that the
window and REPORT.md show; how bars are drawn is `core.method_svg`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from gacc_gui.core.causes import VEIL
from gacc_gui.core.charts import Bar, Group, MethodChart, Target
from gacc_gui.core.compaction import FULL
from gacc_gui.core.compaction_aggregate import Aggregate, Figures, MethodFigures, TokenSum
from gacc_gui.core.completion import quote
from gacc_gui.core.records import NOTHING

SCORES: Final[Mapping[str, str]] = {"em": "Answer EM", "f1": "Answer F1", "joint_f1": "Joint F1"}
"""The scores that are drawn, with their titles."""
Scored = tuple[str, str | None]
"""A method, and the type of questions that a figure of it is about; None: all."""
_LONGEST_FILTER: Final = 20_000
_ZEROS: Final = "Whatever is not ok counts zero, in its place among those planned"


def method_charts(
    figures: Aggregate,
    ceiling: int | None,
    reserve: int | None,
    cases: Mapping[str, Sequence[str]] = NOTHING,
    hidden: Collection[Scored] = (),
) -> tuple[MethodChart, ...]:
    """Return the charts of a run; `ceiling` and `reserve` are its protocol's, in tokens (None: none).

    `cases`: the ids of the cases of each type, for the way to their answers. `hidden`: whose scores are not
    to be told, as some are hidden from a reviewer who is to decide first.
    """
    charts = [_scores(figures, hidden)]
    if kinds := sorted({kind for method in figures.methods for kind in method.by_kind}):
        charts.append(_kinds(figures, kinds, cases, hidden))
    charts.append(_tokens(figures.methods, ceiling, reserve))
    return tuple(charts)


def _scores(figures: Aggregate, hidden: Collection[Scored]) -> MethodChart:
    failures = _failures([method for method in figures.methods if (method.method, None) not in hidden])
    found: list[tuple[Scored, Figures]] = [((m.method, None), m.all) for m in figures.methods]
    return MethodChart(
        "scores",
        "Scores by method",
        f"{_ZEROS}{failures}. Repeats are averaged within a question, then questions equally.",
        "mean over questions",
        "score",
        f"gap to {FULL}",
        tuple(Group(title, tuple(_score_bars(found, name, hidden))) for name, title in SCORES.items()),
        1.0,
    )


def _kinds(
    figures: Aggregate,
    kinds: Sequence[str],
    cases: Mapping[str, Sequence[str]],
    hidden: Collection[Scored],
) -> MethodChart:
    groups = []
    for kind in kinds:
        found: list[tuple[Scored, Figures]] = [
            ((m.method, kind), m.by_kind[kind]) for m in figures.methods if kind in m.by_kind
        ]
        questions = max(some.questions for _, some in found)
        title = f"{kind}: {questions:,} question{'' if questions == 1 else 's'}"
        groups.append(Group(title, tuple(_score_bars(found, "em", hidden, _filter_of(cases.get(kind, ()))))))
    caption = f"{_ZEROS}. A difference between few questions says little."
    return MethodChart(
        "kinds", "Answer EM by type of question", caption, "mean over questions of the type", "answer EM",
        f"gap to {FULL}", tuple(groups), 1.0,
    )  # fmt: skip


def _filter_of(cases: Sequence[str]) -> str | None:
    """Return the filter that leaves these cases; None where they would make it too long."""
    asked = f"goal-id:{','.join(map(quote, cases))}"
    return asked if cases and len(asked) <= _LONGEST_FILTER else None


def _score_bars(
    found: Sequence[tuple[Scored, Figures]], name: str, hidden: Collection[Scored], shown: str | None = ""
) -> Iterator[Bar]:
    full = next(
        (figures.scores[name] for one, figures in found if one[0] == FULL and one not in hidden), None
    )
    for (method, kind), figures in found:
        score = figures.scores[name]
        if (method, kind) in hidden:
            yield Bar(method, None, 0.0, figures.planned, f"{VEIL} hidden until you have decided")
            continue
        if score is None:
            yield Bar(method, None, 0.0, figures.planned, "no figure")
            continue
        of = f"{figures.planned:,} answers"
        if name == "em":  # 0 or 1 for each answer: the sum is a count
            of = f"{_count(score * figures.planned)} of {of}"
        else:
            of = f"mean of {of}"
        difference = None if full is None or method == FULL else score - full
        against = "" if difference is None else f" · {_signed(difference)} against {FULL}"
        rest = 0.0 if difference is None else max(0.0, float(-difference))
        words = f"{float(score):.3f} · {of}{against}"
        target = None if shown is None else Target(compressor=method, filter=shown)
        yield Bar(method, float(score), rest, figures.planned, words, target)


def _signed(value: Fraction) -> str:
    return f"{float(value):+.3f}".replace("-", "−")


def _count(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):,.2f}"


def _failures(methods: Sequence[MethodFigures]) -> str:
    failed = [
        f"{method.method} {method.all.planned - method.all.valid:,} of {method.all.planned:,} answers"
        for method in methods
        if method.all.valid < method.all.planned
    ]
    if not methods:
        return ""
    return f": {', '.join(failed)}" if failed else ": here every planned answer is ok"


def _tokens(methods: Sequence[MethodFigures], ceiling: int | None, reserve: int | None) -> MethodChart:
    groups = [_token_group("Counted locally", [(m, m.local) for m in methods], ceiling)]
    if any(method.provider.inputs for method in methods):
        told = [(method, method.provider) for method in methods]
        groups.append(_token_group("Told by the provider", told, ceiling))
    sizes = [bar.size or 0.0 for group in groups for bar in group.bars]
    caption = "The mean of the complete answer inputs whose count is known; making the contexts is not in it."
    if ceiling is not None:
        held = f", of which {reserve:,} are held in reserve" if reserve else ""
        caption += f" The ceiling of a compressed method is {ceiling:,} tokens{held}; {FULL} has none."
    return MethodChart(
        "tokens",
        "Input tokens against the ceiling",
        caption,
        "tokens an answer input",
        "mean input",
        "free up to the ceiling",
        tuple(groups),
        max([*sizes, ceiling or 0, 1]) * 1.02,
        None if ceiling is None else (ceiling, f"ceiling {ceiling:,}"),
    )


def _token_group(title: str, found: Sequence[tuple[MethodFigures, TokenSum]], ceiling: int | None) -> Group:
    bars = []
    for method, tokens in found:
        of = f"{tokens.inputs:,} of {method.all.planned:,} inputs"
        mean = tokens.mean
        if mean is None:
            bars.append(Bar(method.method, None, 0.0, 0, f"not known · {of}"))
            continue
        words = f"{round(mean):,} · {of}"
        rest = 0.0
        if ceiling is not None and method.method != FULL:
            rest = max(0.0, ceiling - float(mean))
            words += f" · {float(mean) / ceiling:.0%} of the ceiling" if ceiling else ""
        bars.append(
            Bar(method.method, float(mean), rest, tokens.inputs, words, Target(compressor=method.method))
        )
    return Group(title, tuple(bars))
