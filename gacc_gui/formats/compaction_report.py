"""REPORT.md of a compaction run: what was run, what it came to, what failed, and what it does not show.

Owns the layout and the words. The figures are `core.compaction_aggregate`'s. Texts from data are escaped:
they show as they are, and are no markup. The same run gives the same text: it holds no date or place of ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from gacc_gui.core.compaction import FULL, RESULT_STATUSES, SCORES
from gacc_gui.core.compaction_aggregate import (
    HYPOTHESIS,
    MISSING,
    POLICY,
    Aggregate,
    Figures,
    HypothesisPart,
    TokenSum,
)
from gacc_gui.core.records import Memory, Verdict
from gacc_gui.formats.compaction_folder import CompactionRun, aggregate_of, local_tokens
from gacc_gui.formats.report import escaped, table

LIMITS: Final = (
    "The questions are a filtered subset that represents neither HotpotQA nor anything else.",
    "They are public: models may have seen them, and their answers, in training.",
    "Nothing here is a test of equivalence or of significance; “within five points” is a description.",
    "Fewer input tokens are not less cost: making a context costs calls of its own, and prices differ.",
    "Hermes only collected the histories; nothing was measured of Hermes.",
    "Nothing follows for agents at large.",
)
_LABELS: Final = {
    "em": "EM",
    "f1": "F1",
    "sp_em": "SP EM",
    "sp_f1": "SP F1",
    "joint_em": "joint EM",
    "joint_f1": "joint F1",
}
_MEANINGS: Final = {
    "unparsed": "the reply is not the object that was asked for",
    "refused": "the model would not answer",
    "truncated": "the reply was cut off",
    "no_answer": "the reply was empty",
    "error": "the call failed",
    "invalid": "the provider counted more input than the ceiling",
    "no_context": "the context could not be made",
    MISSING: "it is not in the run",
}
_MOST_FAILURES: Final = 50


def report_text(run: CompactionRun, failed: Sequence[str] = ()) -> str:
    """Return the report of a run; `failed` are the checks of its validation that did not hold."""
    return "\n".join(_lines(run, aggregate_of(run), failed)) + "\n"


def _lines(run: CompactionRun, figures: Aggregate, failed: Sequence[str]) -> Iterator[str]:
    protocol = run.protocol
    if protocol.get("mode") == "fixture":
        yield "> **Diagnostic run: no language model was asked.** Decisions, summaries and answers are made"
        yield "> by rules. Its figures check that the benchmark works; nothing compares with them."
        yield ""
    elif run.run.diagnostic_only:
        yield "> **Diagnostic run.** Its figures check that the benchmark works; nothing compares with them."
        yield ""
    yield f"# {escaped(run.run.name or run.run.id)}"
    yield ""
    yield from _em(figures)
    yield "## What was run"
    yield ""
    yield from table(("", ""), _identities(run), right=())
    yield ""
    yield "## Methods"
    yield ""
    yield from _methods(figures)
    yield "## The predeclared hypothesis"
    yield ""
    yield from _hypothesis(figures)
    yield "## By type of question"
    yield ""
    yield from _by_type(figures)
    yield "## What failed"
    yield ""
    yield from _checks(failed)
    yield from _altered(protocol)
    yield from _failures(run, figures)
    yield "## Cases left out"
    yield ""
    yield from _left_out(protocol)
    yield "## Budgets"
    yield ""
    yield from _budgets(run)
    yield "## Downstream input tokens"
    yield ""
    yield from _downstream(figures)
    yield "## What this does not show"
    yield ""
    yield from (f"- {limit}" for limit in LIMITS)
    yield ""
    yield "## Where the data comes from"
    yield ""
    yield from _data(run)


def _em(figures: Aggregate) -> Iterator[str]:
    for method in figures.methods:
        em = method.all.scores["em"]
        yield (
            f"- **{escaped(method.method)}: answer EM {_share(em)}** ({_fraction(em)};"
            f" {method.all.valid:,} valid of {method.all.planned:,} planned answers to"
            f" {method.all.questions:,} question{'' if method.all.questions == 1 else 's'})"
        )
    held = figures.hypothesis.held
    said = {True: "held", False: "did not hold", None: "cannot be decided"}[held]
    yield f"- The predeclared hypothesis **{said}**."
    yield ""


def _identities(run: CompactionRun) -> Iterator[tuple[str, str]]:
    protocol = run.protocol
    planned = run.planned
    yield "run", escaped(run.run.id)
    yield "created", _or(run.run.created_at)
    yield "mode", _or(protocol.get("mode"))
    yield "made with", f"gacc-gui {_or(protocol.get('version'))}"
    for name, part in sorted(_mapping(protocol.get("parts")).items()):
        yield escaped(name), _identity(part)
    tokenizer = _mapping(run.run.tokenizer)
    yield "tokenizer", _identity({name: tokenizer.get(name) for name in ("name", "revision")})
    yield "histories", _collection(_mapping(protocol.get("data")))
    for name, value in sorted(_mapping(protocol.get("prompts")).items()):
        yield f"prompt {escaped(name)}", _identity(value)
    for name, value in sorted(_mapping(protocol.get("hashes")).items()):
        yield f"SHA-256 of {escaped(name)}", _or(value)
    yield (
        "planned",
        f"{len(planned.cases):,} questions × {len(planned.methods)} methods × {planned.generations}"
        f" generations = {planned.contexts:,} contexts; × {planned.repeats} answers ="
        f" {planned.answers:,} answers",
    )
    for name, value in sorted(_mapping(protocol.get("settings")).items()):
        if value not in (None, {}, []):
            yield f"setting {escaped(name)}", escaped(_words(value))


def _collection(data: Mapping[str, Any]) -> str:
    """Return who collected the histories; a script in a model's place is no secret."""
    agent = " ".join(str(data[name]) for name in ("agent", "agent_version") if data.get(name))
    how = data.get("collection")
    model = data.get("collection_model")
    told = [
        f"collected by {agent}" if agent else "",
        f"{how}" if how else "",
        f"model {model}" if model else "",
    ]
    return _or(", ".join(part for part in told if part))


def _methods(figures: Aggregate) -> Iterator[str]:
    headings = ("method", *_LABELS.values(), "valid", "planned")
    rows = ((escaped(method.method), *_scores(method.all)) for method in figures.methods)
    yield from table(headings, rows, right=range(1, len(headings)))
    yield ""
    yield f"Policy: {POLICY}. EM and F1 are of the answer, SP of the supporting facts."
    yield ""


def _scores(figures: Figures) -> tuple[str, ...]:
    shares = (_share(figures.scores[name]) for name in SCORES)
    return (*shares, f"{figures.valid:,}", f"{figures.planned:,}")


def _hypothesis(figures: Aggregate) -> Iterator[str]:
    found = figures.hypothesis
    yield f"{escaped(HYPOTHESIS)}. Descriptive only; five points are inclusive."
    yield ""
    headings = ("part", "jev+summary", "compared with", "difference", "holds")
    yield from table(headings, map(_part, found.parts), right=(1, 2, 3))
    yield ""
    if found.missing:
        names = ", ".join(map(escaped, found.missing))
        yield f"It **cannot be decided**: there is no figure of {names}."
    else:
        yield f"It **{'held' if found.held else 'did not hold'}**."
    yield ""


def _part(part: HypothesisPart) -> tuple[str, ...]:
    holds = {True: "yes", False: "no", None: "cannot be decided"}[part.holds]
    difference = part.difference
    written = "–" if difference is None else f"{float(difference):+.4f} ({_fraction(difference)})"
    return (
        part.name,
        _share(part.left[1]),
        f"{escaped(part.right[0])} {_share(part.right[1])}",
        written,
        holds,
    )


def _by_type(figures: Aggregate) -> Iterator[str]:
    headings = ("type", "method", "questions", *_LABELS.values(), "valid", "planned")
    rows = (
        (escaped(kind), escaped(method.method), f"{some.questions:,}", *_scores(some))
        for kind in sorted({kind for method in figures.methods for kind in method.by_kind})
        for method in figures.methods
        if (some := method.by_kind.get(kind)) is not None
    )
    yield from table(headings, rows, right=range(2, len(headings)))
    yield ""


def _checks(failed: Sequence[str]) -> Iterator[str]:
    if failed:
        names = ", ".join(map(escaped, failed))
        yield f"**Checks that did not hold: {names}.** `validation.json` says where."
        yield ""


def _altered(protocol: Mapping[str, Any]) -> Iterator[str]:
    if altered := protocol.get("altered"):
        yield "Cases whose question, gold or articles are not those of their row in the dataset:"
        yield ""
        yield from (f"- case {_or(case)}" for case in altered)
        yield ""


def _failures(run: CompactionRun, figures: Aggregate) -> Iterator[str]:
    kinds = [
        status
        for status in (*RESULT_STATUSES, MISSING)
        if status != "ok" and any(status in method.all.statuses for method in figures.methods)
    ]
    if not kinds:
        yield "Nothing: every planned answer is valid."
        yield ""
        return
    headings = ("answers", *(escaped(method.method) for method in figures.methods), "meaning")
    rows = (
        (
            escaped(kind),
            *(f"{method.all.statuses.get(kind, 0):,}" for method in figures.methods),
            _MEANINGS[kind],
        )
        for kind in kinds
    )
    yield from table(headings, rows, right=range(1, len(figures.methods) + 1))
    yield ""
    reasons = Counter(_reasons(run))
    if reasons:
        yield "Reasons that were given:"
        yield ""
        told = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        for (method, reason), count in told[:_MOST_FAILURES]:
            yield f"- {escaped(method)}, {count:,} ×: {escaped(reason)}"
        if len(told) > _MOST_FAILURES:
            yield f"- … and {len(told) - _MOST_FAILURES:,} more"
        yield ""


def _reasons(run: CompactionRun) -> Iterator[tuple[str, str]]:
    methods = {memory.id: memory.cell.compressor for memory in run.memories}
    yield from ((memory.cell.compressor, memory.error) for memory in run.memories if memory.error)
    yield from ((methods[answer.memory_id], answer.error) for answer in run.answers if answer.error)
    for verdict in run.verdicts:
        if _is_failed(verdict) and verdict.rationale:
            yield methods[verdict.memory_id], verdict.rationale


def _is_failed(verdict: Verdict) -> bool:
    return verdict.extra.get("result") != "ok"


def _left_out(protocol: Mapping[str, Any]) -> Iterator[str]:
    left = protocol.get("left_out") or []
    if not left:
        yield "None: every case passed every check of its collection."
    for case in left:
        yield f"- case {_or(case.get('id'))}: {_or(case.get('check'))}: {_or(case.get('reason'))}"
    yield ""


def _budgets(run: CompactionRun) -> Iterator[str]:
    settings = _mapping(run.protocol.get("settings"))
    yield (
        "The complete answer input of a compressed method has a ceiling of"
        f" {settings.get('ceiling', 0):,} tokens, of which {settings.get('reserve', 0):,} are held in"
        f" reserve; `{FULL}` has none. Local counts:"
    )
    yield ""
    headings = ("method", "contexts", "failed", "least", "mean", "most", "retries for length")
    by_method: dict[str, list[Memory]] = {method: [] for method in run.planned.methods}
    for memory in run.memories:
        by_method.setdefault(memory.cell.compressor, []).append(memory)
    rows = (_budget(method, memories) for method, memories in by_method.items())
    yield from table(headings, rows, right=range(1, len(headings)))
    yield ""


def _budget(method: str, memories: Iterable[Memory]) -> tuple[str, ...]:
    some = list(memories)
    made = [memory for memory in some if memory.status in ("ok", "truncated")]
    counts = [count for memory in made if (count := local_tokens(memory)) is not None]
    told = (_mapping(memory.extra.get("compaction")).get("retries") for memory in some)
    retries = sum(again for again in told if type(again) is int)
    sizes = ("–", "–", "–")
    if counts:
        sizes = (f"{min(counts):,}", f"{sum(counts) / len(counts):,.1f}", f"{max(counts):,}")
    return (escaped(method), f"{len(some):,}", f"{len(some) - len(made):,}", *sizes, f"{retries:,}")


def _downstream(figures: Aggregate) -> Iterator[str]:
    yield "Of the answer calls only: what making the contexts took is not in it."
    yield ""
    headings = ("method", "told by the provider", "mean", "total", "counted locally", "mean", "total")
    rows = (
        (escaped(method.method), *_tokens(method.provider), *_tokens(method.local))
        for method in figures.methods
    )
    yield from table(headings, rows, right=range(1, len(headings)))
    yield ""


def _tokens(tokens: TokenSum) -> tuple[str, ...]:
    mean = tokens.mean
    return (f"{tokens.inputs:,}", "–" if mean is None else f"{float(mean):,.1f}", f"{tokens.total:,}")


def _data(run: CompactionRun) -> Iterator[str]:
    sources = sorted({(context.origin or "", context.license or "") for context in run.contexts})
    for origin, license in sources:
        count = sum((one.origin or "", one.license or "") == (origin, license) for one in run.contexts)
        yield f"- {count:,} cases: origin {_or(origin)}, licence {_or(license)}"
    yield ""
    yield "HotpotQA (Yang et al., 2018) is published under CC BY-SA 4.0; its articles are from Wikipedia,"
    yield "whose text is under CC BY-SA too. Whoever passes these texts on names the source and keeps the"
    yield "licence."


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _identity(value: Any) -> str:
    if not isinstance(value, Mapping):
        return _or(value)
    first = [str(value[name]) for name in ("name", "revision") if value.get(name)]
    rest = [
        f"{name} {_words(item)}"
        for name, item in value.items()
        if name not in ("name", "revision") and item not in (None, "", [], {})
    ]
    return escaped(", ".join([" ".join(first), *rest] if first else rest)) or "–"


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_words(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, value))
    if value is None or isinstance(value, bool):
        return {True: "yes", False: "no", None: "–"}[value]
    return str(value)


def _or(value: Any) -> str:
    return "–" if value is None or value == "" else escaped(str(value))


def _share(value: Fraction | None) -> str:
    return "–" if value is None else f"{float(value):.4f}"


def _fraction(value: Fraction | None) -> str:
    return "–" if value is None else f"{value.numerator}/{value.denominator}"
