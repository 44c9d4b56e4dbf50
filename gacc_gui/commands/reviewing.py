"""`review` and `agreement`: one decision stored, and what all decisions say of the judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui import terminal
from gacc_gui.core.agreement import JUDGE_SAYS, KAPPA_METHOD, REVIEWER_SAYS
from gacc_gui.core.sample_estimates import METHOD as ESTIMATE_METHOD

if TYPE_CHECKING:
    from gacc_gui.app.agreement import Agreement, SampleEstimates
    from gacc_gui.app.reviewing import Decision
    from gacc_gui.core.agreement import AgreementFigures
    from gacc_gui.core.sample_estimates import Estimate
    from gacc_gui.core.terms import Terms
    from gacc_gui.store.reads import Reader

_EVERYBODY: Final = "(what counts)"
_IDLE: Final = "the row has no answer, or no memory to answer from: no label can make it count"


def add(database: Path, run_name: str, decision: Decision, as_json: bool) -> int:
    """Store a decision and say what the row is now."""
    from gacc_gui.app.reviewing import add_review
    from gacc_gui.formats.record_writing import json_object

    added = add_review(database, run_name, decision)
    row = added.row
    if as_json:
        document = {
            "review": json_object(added.review),
            "as_judged": added.judged and {"label": added.judged.label, "cause": added.judged.cause},
            "as_reviewed": added.judged and {"label": added.label, "cause": added.cause},
            "conflict": row is not None and row.standing.conflict,
            "counts": not added.idle,
            "notes": [_IDLE] if added.idle else [],
        }
        terminal.write_json(document)
        if added.idle:
            terminal.say(f"note: {_IDLE}")
        return 0
    said = "takes back" if decision.decision == "clear" else f"{decision.decision}:"
    terminal.say(
        f"{added.review.reviewer}: {said} memory {decision.memory_id}, question {decision.question_id},"
        f" repeat {decision.repeat}"
    )
    if added.idle:
        terminal.say(f"note: {_IDLE}")
    elif row is not None and row.standing.conflict:
        terminal.say("note: reviewers disagree on this row; the latest decision counts")
    return 0


def show_agreement(reader: Reader, run_name: str, as_json: bool) -> int:
    """Show how far judge and reviewers agree."""
    from gacc_gui.app.agreement import agreement_of
    from gacc_gui.app.reviewing import absent_warning
    from gacc_gui.core.terms import terms_of

    found = agreement_of(reader, reader.resolve_run(run_name))
    terms = terms_of(next(one.run.protocol for one in reader.runs() if one.run.id == found.run_id))
    if as_json:
        terminal.write_json(_document(found))
    elif not found.reviewed:
        terminal.say(f"no {terms.row} of this run has been reviewed yet: `gacc-gui review` decides on one")
    else:
        _tell(found, terms)
    if not as_json:
        for warning in absent_warning(found.absent):
            terminal.say(f"note: {warning}")
    return 0


def _document(found: Agreement) -> dict[str, Any]:
    from gacc_gui.app.reviewing import absent_warning

    corrected = found.corrected
    return {
        "run": found.run_id,
        "rows": found.rows,
        "reviewed": found.reviewed,
        "conflicts": found.conflicts,
        "methods": {"kappa": KAPPA_METHOD, "estimates": ESTIMATE_METHOD},
        "reviewers": [
            {"reviewer": each.reviewer, "blind": each.blind, "coverage": each.coverage}
            | _figures(each.figures, JUDGE_SAYS)
            for each in found.reviewers
        ],
        "pooled": {"blind": found.pooled.blind, "coverage": found.pooled.coverage}
        | _figures(found.pooled.figures, JUDGE_SAYS),
        "between_reviewers": [
            {"a": pair.first, "b": pair.second} | _figures(pair.figures, REVIEWER_SAYS)
            for pair in found.pairs
        ],
        "samples": [_sample(sample) for sample in found.samples],
        "corrected_micro": corrected
        and {
            **_estimate(corrected.micro),
            "as_judged": corrected.micro_as_judged,
            "queue": corrected.queue,
            "reviewed": corrected.reviewed,
            "rows": corrected.population + corrected.unanswered,
        },
        "corrected_micro_reason": found.corrected_reason,
        "warnings": absent_warning(found.absent),
    }


def _figures(figures: AgreementFigures, first: Sequence[str]) -> dict[str, Any]:
    return {
        "reviewed": figures.rows,
        "confusion": _matrix(figures.confusion, first),
        "both_labelled": figures.both_labelled,
        "agreement": figures.agreement,
        "kappa": figures.kappa,
        "kappa_ci95": figures.kappa_ci95,
        "sensitivity": figures.sensitivity,
        "specificity": figures.specificity,
        "balanced_accuracy": figures.balanced_accuracy,
    }


def _matrix(confusion: Mapping[tuple[str, str], float], first: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What the first says → what the second says → rows."""
    return {a: {b: confusion.get((a, b), 0) for b in REVIEWER_SAYS} for a in first}


def _sample(sample: SampleEstimates) -> dict[str, Any]:
    return {
        "queue": sample.queue,
        "method": sample.method,
        "reviewer": sample.reviewer,
        "sampled": sample.sampled,
        "reviewed": sample.reviewed,
        "unclear": sample.unclear,
        "population": sample.population,
        "unanswered": sample.unanswered,
        "reason": sample.reason,
        "confusion": None if sample.confusion is None else _matrix(sample.confusion, JUDGE_SAYS),
        "agreement": _estimate(sample.agreement),
        "kappa": sample.kappa,
        "micro_as_judged": sample.micro_as_judged,
        "corrected_micro": _estimate(sample.micro),
        "corrected_micro_reason": sample.reason or sample.micro_reason,
    }


def _estimate(found: Estimate | None) -> Any:
    return found and {"value": found.value, "ci95": found.ci95}


def _tell(found: Agreement, terms: Terms) -> None:
    terminal.write_table(
        (
            f"{terms.judge} against",
            "reviewed",
            "coverage",
            "agreement",
            "kappa",
            "95 %",
            "balanced",
            "unclear",
            "blind",
        ),
        (
            (
                each.reviewer or _EVERYBODY,
                f"{each.figures.rows:,}",
                terminal.share(each.coverage),
                *_shares(each.figures),
                sum(n for (_, said), n in each.figures.confusion.items() if said == "unclear"),
                each.blind,
            )
            for each in (*found.reviewers, found.pooled)
        ),
        right={"reviewed", "coverage", "agreement", "kappa", "95 %", "balanced", "unclear", "blind"},
    )
    for pair in found.pairs:
        agreed, kappa, interval, _ = _shares(pair.figures)
        terminal.write_text(
            f"{pair.first} and {pair.second}: {terminal.counted(pair.figures.rows, terms.row)},"
            f" agreement {agreed}, kappa {kappa} ({interval})"
        )
    if found.corrected is not None and found.corrected.micro is not None:
        corrected, micro = found.corrected, found.corrected.micro
        terminal.write_text(
            f"corrected {terms.micro} {terminal.share(micro.value)} ({_interval(micro.ci95)}), as"
            f" {terms.judged} {terminal.share(corrected.micro_as_judged)};"
            f" {terminal.counted(corrected.reviewed, terms.row)} reviewed of the queue {corrected.queue}"
        )
    else:
        terminal.write_text(f"no corrected {terms.micro}: {found.corrected_reason}")
    if found.conflicts:
        rows = terminal.counted(found.conflicts, terms.row)
        terminal.say(f"note: reviewers disagree on {rows}; the latest decision counts")


def _shares(figures: AgreementFigures) -> tuple[str, str, str, str]:
    interval = figures.kappa_ci95
    return (
        terminal.share(figures.agreement),
        terminal.share(figures.kappa),
        "–" if interval is None else _interval(interval),
        terminal.share(figures.balanced_accuracy),
    )


def _interval(interval: tuple[float, float]) -> str:
    return " to ".join(map(terminal.share, interval))
