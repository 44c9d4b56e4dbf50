"""What a compaction run comes to: each method's figures, and whether the predeclared hypothesis held.

Owns the exact arithmetic: repeats are averaged within a question, then questions equally; whatever failed,
was invalid or is missing counts zero. All in rationals, since 0.80 - 0.75 in floats is more than 0.05. Not
here: what an answer scores (`core.hotpot_scores`), where results come from (`formats.compaction_folder`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from gacc_gui.core.compaction import FULL, FUSION, JEV, METHODS, SCORES, SUMMARY
from gacc_gui.core.records import Json

MARGIN: Final = Fraction(5, 100)
"""How far below `full` the fusion may be, inclusive."""
MISSING: Final = "missing"
"""The status of an answer that was planned and is not there."""
HYPOTHESIS: Final = (
    "jev+summary beats both compressed baselines, jev and summary, in answer EM,"
    " and is within five points of full"
)
POLICY: Final = "repeats averaged within a question, then questions equally; whatever is not ok counts zero"
_LARGEST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """What was to be done: every case with every method, so many generations, each answered so often."""

    cases: tuple[str, ...]
    methods: tuple[str, ...]
    generations: int
    repeats: int

    @property
    def answers_per_question(self) -> int:
        """The answers of one method to one question."""
        return self.generations * self.repeats

    @property
    def contexts(self) -> int:
        """All contexts."""
        return len(self.cases) * len(self.methods) * self.generations

    @property
    def answers(self) -> int:
        """All answers."""
        return self.contexts * self.repeats


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One answer with its scores, each from 0 to 1. `status`: see `core.compaction.RESULT_STATUSES`.

    `kind` is the question's type. Tokens are those of the answer's input: the provider's count and the local
    one, None where there is none.
    """

    case: str
    kind: str
    method: str
    generation: int
    repeat: int
    status: str
    scores: Mapping[str, float]
    provider_tokens: int | None = None
    local_tokens: int | None = None

    @property
    def is_valid(self) -> bool:
        """Whether its scores count; otherwise it counts zero."""
        return self.status == "ok"


@dataclass(frozen=True, slots=True)
class TokenSum:
    """Tokens of the inputs that a count is known of, and how many these are."""

    inputs: int
    total: int

    @property
    def mean(self) -> Fraction | None:
        """Tokens per input; None without one."""
        return Fraction(self.total, self.inputs) if self.inputs else None

    def as_json(self) -> dict[str, Json]:
        """Return the sum as JSON."""
        return {"inputs": self.inputs, "total": self.total, "mean": figure(self.mean)}


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over questions; `valid` of `planned` answers count with their scores, the others with zero.

    `statuses` counts the answers by status, without zeros; `scores` has a mean per `core.compaction.SCORES`,
    None without a question.
    """

    questions: int
    planned: int
    valid: int
    statuses: Mapping[str, int]
    scores: Mapping[str, Fraction | None]

    def as_json(self) -> dict[str, Json]:
        """Return the figures as JSON."""
        return {
            "questions": self.questions,
            "planned": self.planned,
            "valid": self.valid,
            "statuses": dict(self.statuses),
            "metrics": {name: _float(value) for name, value in self.scores.items()},
            "exact": {name: _written(value) for name, value in self.scores.items()},
        }


@dataclass(frozen=True, slots=True)
class MethodFigures:
    """A method's figures over all questions and by type; `provider` and `local` count downstream input."""

    method: str
    all: Figures
    by_kind: Mapping[str, Figures]
    provider: TokenSum
    local: TokenSum

    def as_json(self) -> dict[str, Json]:
        """Return the figures as JSON."""
        return {
            **self.all.as_json(),
            "by_type": {kind: figures.as_json() for kind, figures in self.by_kind.items()},
            "input_tokens": {"provider": self.provider.as_json(), "local": self.local.as_json()},
        }


@dataclass(frozen=True, slots=True)
class HypothesisPart:
    """One comparison: `holds` where `left` is at least, or with `strict` more than, `right` - `margin`.

    A figure is None, and so is `holds`, where its method was not run.
    """

    name: str
    left: tuple[str, Fraction | None]
    right: tuple[str, Fraction | None]
    margin: Fraction
    strict: bool

    @property
    def difference(self) -> Fraction | None:
        """Left minus right."""
        left, right = self.left[1], self.right[1]
        return None if left is None or right is None else left - right

    @property
    def holds(self) -> bool | None:
        """Whether it held; None where it cannot be decided."""
        difference = self.difference
        if difference is None:
            return None
        return difference > -self.margin if self.strict else difference >= -self.margin

    def as_json(self) -> dict[str, Json]:
        """Return the part as JSON."""
        return {
            "name": self.name,
            "left": {"method": self.left[0], "em": figure(self.left[1])},
            "right": {"method": self.right[0], "em": figure(self.right[1])},
            "difference": figure(self.difference),
            "margin": figure(self.margin),
            "margin_included": not self.strict,
            "holds": self.holds,
        }


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The predeclared hypothesis. `missing` are the methods for want of which it cannot be decided."""

    parts: tuple[HypothesisPart, ...]
    missing: tuple[str, ...]

    @property
    def held(self) -> bool | None:
        """Whether every part held; None where a method is missing."""
        return None if self.missing else all(part.holds for part in self.parts)

    def as_json(self) -> dict[str, Json]:
        """Return the hypothesis as JSON."""
        return {
            "statement": HYPOTHESIS,
            "held": self.held,
            "decidable": not self.missing,
            "missing_methods": list(self.missing),
            "parts": [part.as_json() for part in self.parts],
            "note": "descriptive only: no test of significance or equivalence",
        }


@dataclass(frozen=True, slots=True)
class Aggregate:
    """All methods of a run, in the order they are planned."""

    planned: PlannedRun
    methods: tuple[MethodFigures, ...]
    hypothesis: Hypothesis = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hypothesis", hypothesis(self.methods))

    def as_json(self) -> dict[str, Json]:
        """Return what `aggregate.json` holds beside its format."""
        return {
            "planned": {
                "cases": len(self.planned.cases),
                "methods": list(self.planned.methods),
                "generations": self.planned.generations,
                "repeats": self.planned.repeats,
                "contexts": self.planned.contexts,
                "answers": self.planned.answers,
            },
            "policy": POLICY,
            "methods": {method.method: method.as_json() for method in self.methods},
            "hypothesis": self.hypothesis.as_json(),
        }


def exact(score: float) -> Fraction:
    """Return the rational a score was computed as: the nearest one with a small denominator.

    Scores are quotients of counts of words and sentences; a float that is no such quotient stands for itself.
    """
    given = Fraction(score)
    near = given.limit_denominator(_LARGEST)
    return near if abs(near - given) < Fraction(1, 10**14) else given


def figure(value: Fraction | None) -> dict[str, Json] | None:
    """Return a figure as JSON: a float to read, and the exact fraction `n/d`."""
    if value is None:
        return None
    return {"value": _float(value), "exact": _written(value)}


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _written(value: Fraction | None) -> str | None:
    return None if value is None else f"{value.numerator}/{value.denominator}"


def aggregate(answers: Iterable[ScoredAnswer], planned: PlannedRun, kinds: Mapping[str, str]) -> Aggregate:
    """Aggregate a run's answers. `kinds` gives each planned case's question type.

    An answer beyond the plan (an unknown case, a repeat too many) is left out.
    """
    by_method: dict[str, dict[tuple[str, int, int], ScoredAnswer]] = {name: {} for name in planned.methods}
    for answer in answers:
        if answer.method in by_method:
            by_method[answer.method][answer.case, answer.generation, answer.repeat] = answer
    return Aggregate(
        planned, tuple(_method(name, by_method[name], planned, kinds) for name in planned.methods)
    )


def _method(
    method: str,
    answers: Mapping[tuple[str, int, int], ScoredAnswer],
    planned: PlannedRun,
    kinds: Mapping[str, str],
) -> MethodFigures:
    there = [
        answers.get((case, generation, repeat))
        for case in planned.cases
        for generation in range(planned.generations)
        for repeat in range(planned.repeats)
    ]
    by_kind = {
        kind: _figures([case for case in planned.cases if kinds.get(case) == kind], answers, planned)
        for kind in sorted({kinds[case] for case in planned.cases if case in kinds})
    }
    return MethodFigures(
        method,
        _figures(planned.cases, answers, planned),
        by_kind,
        _tokens(answer.provider_tokens for answer in there if answer is not None),
        _tokens(answer.local_tokens for answer in there if answer is not None),
    )


def _figures(
    cases: Sequence[str], answers: Mapping[tuple[str, int, int], ScoredAnswer], planned: PlannedRun
) -> Figures:
    statuses: Counter[str] = Counter()
    totals = dict.fromkeys(SCORES, Fraction(0))
    for case in cases:
        for generation in range(planned.generations):
            for repeat in range(planned.repeats):
                answer = answers.get((case, generation, repeat))
                statuses[MISSING if answer is None else answer.status] += 1
                if answer is not None and answer.is_valid:
                    for name in SCORES:
                        totals[name] += exact(answer.scores[name])
    # Every question has as many answers, so that the mean of the questions' means is the mean of all.
    count = len(cases) * planned.answers_per_question
    scores = {name: total / count if count else None for name, total in totals.items()}
    return Figures(len(cases), count, statuses["ok"], dict(sorted(statuses.items())), scores)


def _tokens(counts: Iterable[int | None]) -> TokenSum:
    known = [count for count in counts if count is not None]
    return TokenSum(len(known), sum(known))


def hypothesis(methods: Sequence[MethodFigures]) -> Hypothesis:
    """Decide the predeclared hypothesis by the methods' answer EM."""
    em = {method.method: method.all.scores["em"] for method in methods}
    fusion = (FUSION, em.get(FUSION))
    parts = (
        HypothesisPart("beats jev", fusion, (JEV, em.get(JEV)), Fraction(0), strict=True),
        HypothesisPart("beats summary", fusion, (SUMMARY, em.get(SUMMARY)), Fraction(0), strict=True),
        HypothesisPart("within five points of full", fusion, (FULL, em.get(FULL)), MARGIN, strict=False),
    )
    return Hypothesis(parts, tuple(name for name in METHODS if em.get(name) is None))
