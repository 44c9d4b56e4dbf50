"""`compare`: two runs or cells over the questions both were asked, as JSON or as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gacc_gui import terminal

if TYPE_CHECKING:
    from gacc_gui.app.compared_reviews import ReviewedCells
    from gacc_gui.app.comparing import Comparison
    from gacc_gui.core.comparison import CellComparison, Difference
    from gacc_gui.core.records import Cell
    from gacc_gui.core.terms import Terms
    from gacc_gui.store.reads import Reader


def show_comparison(reader: Reader, a: str, b: str, as_json: bool) -> int:
    """Compare two selections."""
    from gacc_gui.app.comparing import compare

    comparison = compare(reader, a, b)
    if as_json:
        terminal.write_json(_document(comparison))
    else:
        _tell(comparison)
    return 0


def _document(comparison: Comparison) -> dict[str, Any]:
    accounts = comparison.accounts
    return {
        "a": comparison.a.text,
        "b": comparison.b.text,
        "differs": [{"name": one.name, "a": one.a, "b": one.b} for one in comparison.differs],
        "matched": accounts.matched,
        "only_a": accounts.only_a,
        "only_b": accounts.only_b,
        "texts_differ": len(accounts.texts_differ),
        "refused": {"a": accounts.refused_a, "b": accounts.refused_b},
        "cells": [
            _figures(cell) | _reviewed(reviewed)
            for cell, reviewed in zip(comparison.cells, comparison.reviewed, strict=True)
        ],
        "cells_only_a": [_cell(cell) for cell in accounts.cells_only_a],
        "cells_only_b": [_cell(cell) for cell in accounts.cells_only_b],
        "warnings": list(comparison.notes),
    }


def _figures(cell: CellComparison) -> dict[str, Any]:
    return {
        "a": _cell(cell.a),
        "b": _cell(cell.b),
        "contexts": cell.contexts,
        "goals": cell.goals,
        "pairs": cell.pairs,
        **cell.buckets,
        "micro": _difference(cell.micro),
        "macro": {
            **_difference(cell.macro),
            "fixed_goals": cell.goal_test.fixed,
            "broken_goals": cell.goal_test.broken,
            "mcnemar_p": cell.goal_test.p,
        },
    }


def _reviewed(reviewed: ReviewedCells | None) -> dict[str, Any]:
    """Return the figures as reviewed; nothing where nobody has decided on a row of the pair."""
    if reviewed is None:
        return {}
    figures = _figures(reviewed.figures)
    return {
        "as_reviewed": {"decided": reviewed.decided, "micro": figures["micro"], "macro": figures["macro"]}
    }


def _difference(figure: Difference) -> dict[str, Any]:
    return {"a": figure.a, "b": figure.b, "difference": figure.difference, "ci95": figure.ci95}


def _cell(cell: Cell) -> dict[str, str]:
    return {
        "compressor": cell.compressor,
        "revision": cell.revision,
        "condition": cell.condition,
        "ratio": cell.ratio,
    }


def _tell(comparison: Comparison) -> None:
    from gacc_gui.app.difference_words import told_differences

    terms = comparison.terms
    accounts = comparison.accounts
    terminal.write_text(f"A: {comparison.a.text}")
    terminal.write_text(f"B: {comparison.b.text}")
    terminal.write_text(
        f"{terminal.counted(accounts.matched, 'pair')} · only in A {accounts.only_a:,}"
        f" · only in B {accounts.only_b:,} · questions whose texts differ {len(accounts.texts_differ):,}"
    )
    if comparison.differs:
        terminal.write_text()
        told = told_differences(comparison.differs, terms)
        terminal.write_table(("differs", "A", "B"), ((name, one.a, one.b) for name, one in told))
    if comparison.cells:
        terminal.write_text()
        headings = ("A", "B", "pairs", "both right", "fixed", "broken", "both wrong", "unlabelled")
        rows = [
            (
                *(_named(one, terms) for one in (cell.a, cell.b)),
                *(f"{n:,}" for n in (cell.pairs, *cell.buckets.values())),
            )
            for cell in comparison.cells
        ]
        terminal.write_table(headings, rows, right=set(headings[2:]))
        terminal.write_text()
        figures = terms.micro if terms.one_question else f"{terms.micro}/Macro"
        terminal.write_table(
            (*_FIGURES[:6], f"{figures} A", *_FIGURES[6:], f"{terms.goal}s", "p"),
            [
                row
                for cell, reviewed in zip(comparison.cells, comparison.reviewed, strict=True)
                for row in (
                    *_rows(cell, f", as {terms.judged}" if reviewed else "", terms),
                    *(_rows(reviewed.figures, ", as reviewed", terms) if reviewed else ()),
                )
            ],
        )
        terminal.write_text(_CASES if terms.one_question else _GOALS)
    for note in comparison.notes:
        terminal.say(f"note: {note}")


_FIGURES = ("A", "B", "", "A right", "B right", "of", "B", "B − A", "95 %")
_GOALS = (
    "Errors counted as wrong. Intervals: bootstrap over contexts. goals: fixed, broken; p: McNemar's"
    " exact test on them, two-sided."
)
_CASES = (
    "What failed counts zero. Intervals: bootstrap over cases. cases: better, worse in B by the EM of their"
    " answers; p: exact sign test on them, two-sided."
)


def _rows(cell: CellComparison, kind: str, terms: Terms) -> list[tuple[Any, ...]]:
    test = cell.goal_test
    # Without a goal that differs there is nothing to test, and no interval says how sure that is.
    p = "–" if test.p is None or not test.fixed + test.broken else f"{test.p:.3g}"
    tested = f"+{test.fixed} −{test.broken}", p
    counts = cell.right_a, cell.right_b, cell.pairs
    names = _named(cell.a, terms), _named(cell.b, terms)
    if terms.one_question:
        return [(*names, f"{terms.micro}{kind}", *counts, *_shown(cell.micro), *tested)]
    return [
        (*names, f"{terms.micro}{kind}", *counts, *_shown(cell.micro), "", ""),
        (
            "",
            "",
            f"Macro{kind}",
            cell.right_goals_a,
            cell.right_goals_b,
            cell.goals,
            *_shown(cell.macro),
            *tested,
        ),
    ]


def _shown(figure: Difference) -> tuple[str, str, str, str]:
    from gacc_gui.app.difference_words import interval_words, signed

    return (
        terminal.share(figure.a),
        terminal.share(figure.b),
        signed(figure.difference),
        interval_words(figure.ci95),
    )


def _named(cell: Cell, terms: Terms) -> str:
    parts = (cell.compressor, cell.revision, *((cell.condition, cell.ratio) if terms.by_budget else ()))
    return " ".join(part for part in parts if part)
