"""`runs`, `metrics` and `questions`: what the database holds, as JSON or as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gacc_gui import terminal
from gacc_gui.app import listing
from gacc_gui.core.records import Cell

if TYPE_CHECKING:
    from gacc_gui.core.metrics import CellMetrics, Shares
    from gacc_gui.core.reviewing import ReviewedRow
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import QuestionResult, RunSummary


def list_runs(reader: Reader, as_json: bool) -> int:
    """List the runs."""
    runs = listing.runs(reader)
    if as_json:
        terminal.write_json({"runs": [_run(summary) for summary in runs]})
    elif not runs:
        terminal.say("the database holds no run yet: `gacc-gui import FILE` reads one")
    else:
        terminal.write_table(
            ("id", "name", "goals", "questions", "answers", "tokenizer", "created", "note"),
            (
                (
                    summary.run.id,
                    summary.run.name,
                    f"{summary.goals:,}",
                    f"{summary.questions:,}",
                    f"{summary.answers:,}",
                    f"{(summary.run.tokenizer or {}).get('name', '–')}{' ✓' * summary.identity_verified}",
                    summary.run.created_at,
                    "diagnostic only" if summary.run.diagnostic_only else "",
                )
                for summary in runs
            ),
            right={"goals", "questions", "answers"},
        )
    return 0


def _run(summary: RunSummary) -> dict[str, Any]:
    run = summary.run
    return {
        "id": run.id,
        "name": run.name,
        "protocol": run.protocol,
        "created_at": run.created_at,
        "diagnostic_only": run.diagnostic_only,
        "goals": summary.goals,
        "questions": summary.questions,
        "answers": summary.answers,
        "identity": {"declared": summary.identity_declared, "verified": summary.identity_verified},
    }


def show_metrics(reader: Reader, run_name: str, by: str | None, as_json: bool, reviewed: bool = False) -> int:
    """Show the figures of a run, as judged or as reviewed."""
    from gacc_gui.app.metrics import run_metrics
    from gacc_gui.core.terms import terms_of

    run_id = reader.resolve_run(run_name)
    decisions = None
    if reviewed:
        from gacc_gui.app.reviewing import reviewed_of

        decisions = reviewed_of(reader, run_id)
    metrics = run_metrics(reader, run_id, by_origin=by == "origin", reviewed=decisions)
    head: dict[str, Any] = {"run": run_id}
    if decisions is not None:
        head |= {"as": "reviewed", "reviewed": decisions.counting, "conflicts": decisions.conflicts}
    if as_json:
        cells = [_cell_figures(cell, by) for cell in metrics.cells]
        terminal.write_json({**head, "cells": cells, "warnings": list(metrics.warnings)})
        return 0
    terms = terms_of(next(one.run.protocol for one in reader.runs() if one.run.id == run_id))
    headings = [terms.compressor, *(("condition", "ratio") if terms.by_budget else ()), *([by] if by else ())]
    headings += [terms.micro, "right", terms.judged, f"no {terms.verdict}"]
    headings += [] if terms.one_question else ["Macro", "all right", "goals"]
    headings += ["missing", "causes"]
    rows = []
    for cell in metrics.cells:
        row: list[Any] = [f"{cell.cell.compressor} {cell.cell.revision}"]
        row += [cell.cell.condition, cell.cell.ratio] if terms.by_budget else []
        row += [cell.origin] if by else []
        row += [
            _policies(cell.micro),
            f"{cell.correct:,}/{cell.questions:,}",
            f"{cell.judged:,}",
            f"{cell.questions - cell.judged:,}",
            *(() if terms.one_question else (_policies(cell.macro), cell.right_goals, cell.goals)),
            cell.missing_goals,
            ", ".join(f"{cause} {n:,}" for cause, n in cell.causes.items() if cause != "correct"),
        ]
        rows.append(row)
    terminal.write_table(
        headings, rows, right={*headings} - {terms.compressor, "condition", "causes", "origin"}
    )
    figures = terms.micro if terms.one_question else f"{terms.micro} and Macro"
    terminal.write_text(f"{figures}: errors counted as wrong (errors excluded).")
    if decisions is not None:
        count = terminal.counted(decisions.counting, terms.row)
        verb = "counts" if decisions.counting == 1 else "count"
        terminal.write_text(f"As reviewed: {count} {verb} as reviewers decided.")
    for warning in metrics.warnings:
        terminal.say(f"note: {warning}")
    return 0


def _policies(shares: Shares) -> str:
    return f"{terminal.share(shares.errors_as_wrong)} ({terminal.share(shares.errors_excluded)})"


def _cell_figures(cell: CellMetrics, by: str | None) -> dict[str, Any]:
    figures = {
        **_cell(cell.cell),
        "contexts": cell.contexts,
        "goals": cell.goals,
        "questions": cell.questions,
        "judged": cell.judged,
        "correct": cell.correct,
        "incomplete_goals": cell.incomplete_goals,
        "missing_goals": cell.missing_goals,
        "right_goals": cell.right_goals,
        "micro": _shares(cell.micro),
        "macro": _shares(cell.macro),
        "micro_ci95": cell.micro_ci95,
        "macro_ci95": cell.macro_ci95,
        "macro_ci95_method": cell.macro_ci95_method,
        "causes": dict(cell.causes),
        "unsupported": cell.unsupported,
        "unsupported_share": cell.unsupported_share,
    }
    return {**figures, "origin": cell.origin} if by else figures


def _shares(shares: Shares) -> dict[str, float | None]:
    return {"errors_as_wrong": shares.errors_as_wrong, "errors_excluded": shares.errors_excluded}


def _cell(cell: Cell) -> dict[str, str]:
    return {
        "compressor": cell.compressor,
        "revision": cell.revision,
        "condition": cell.condition,
        "ratio": cell.ratio,
    }


def list_questions(reader: Reader, run_name: str, as_json: bool, reviewed: bool = False) -> int:
    """List every row of a run; with reviewers' decisions, and what stands with them, if asked for."""
    run_id = reader.resolve_run(run_name)
    rows = listing.question_results(reader, run_id)
    headings: tuple[str, ...] = _QUESTION_HEADINGS
    document, line = _question, _question_line
    if reviewed:
        from gacc_gui.app.reviewing import reviewed_of

        said = {row.judged.row: row for row in reviewed_of(reader, run_id).rows}
        headings = (*headings, *_REVIEW_HEADINGS)

        def document(row: QuestionResult) -> dict[str, Any]:
            return _question(row) | _review(row, said.get((row.memory_id, row.question_id, row.repeat)))

        def line(row: QuestionResult) -> tuple[Any, ...]:
            found = _review(row, said.get((row.memory_id, row.question_id, row.repeat)))
            return *_question_line(row), *(found[name] for name in _REVIEW_FIELDS)

    if as_json:
        terminal.write_json_stream({"run": run_id}, "questions", map(document, rows))
    else:
        # One line a row, as it comes: a table would have to know every row's width first.
        terminal.write_lines(headings, map(line, rows))
    return 0


_QUESTION_FIELDS = (
    "memory_id",
    "goal_id",
    "question_id",
    "generation",
    "repeat",
    "compressor",
    "revision",
    "condition",
    "ratio",
    "fate",
    "cause",
    "flags",
    "label",
    "status",
)
"""What the JSON document has of a row, in its order."""

_QUESTION_HEADINGS = ("memory", "question", "repeat", "fate", "cause", "label", "status", "flags")


_REVIEW_FIELDS = ("reviewed_label", "reviewed_cause", "review_decision", "reviewer")
_REVIEW_HEADINGS = ("label as reviewed", "cause as reviewed", "decision", "reviewer")


def _review(row: QuestionResult, said: ReviewedRow | None) -> dict[str, Any]:
    """What stands of a row with reviewers' decisions, named as in exported tables."""
    decides = said.standing.decides if said else None
    return {
        "reviewed_label": said.label if said else row.label,
        "reviewed_cause": said.cause if said else row.cause,
        "review_decision": decides.decision if decides else None,
        "reviewer": decides.reviewer if decides else None,
        "reviews": len(said.standing.reviews) if said else 0,
        "review_conflict": said is not None and said.standing.conflict,
    }


def _question(row: QuestionResult) -> dict[str, Any]:
    # Flags are a set; sorted, so that two documents can be compared as they are.
    return {name: getattr(row, name) for name in _QUESTION_FIELDS} | {"flags": sorted(row.flags)}


def _question_line(row: QuestionResult) -> tuple[Any, ...]:
    flags = " ".join(sorted(row.flags))
    return (
        row.memory_id,
        row.question_id,
        row.repeat,
        row.fate,
        row.cause,
        row.label,
        row.status,
        flags,
    )
