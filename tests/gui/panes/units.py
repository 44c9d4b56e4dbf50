"""Units for the tests of the panes, made by hand."""

from __future__ import annotations

from gacc_gui.core.analysis import Source, find, memory_rows
from gacc_gui.core.records import Cell, Context, Goal, Ledger, Memory, Question, Run
from gacc_gui.store.rows import QuestionRow, UnitView


def make_unit(
    source: str,
    proposed: str | None,
    retained: str | None,
    *,
    evidence: tuple[dict[str, object], ...] = (),
    questions: tuple[Question, ...] | None = None,
    budget: int | None = 10,
    ledger: Ledger | None = None,
    status: str = "ok",
    error: str | None = None,
    tokenizer: str | None = "codepoint",
) -> UnitView:
    """A unit whose one question needs `evidence`, unless `questions` are given."""
    if questions is None:
        questions = (Question("q1", "g1", "What?", ("nothing",), evidence or None),)
    cell = Cell("lead", "1", "own-goal", "0.1")
    memory = Memory("m1", "g1", "g1", cell, budget, 0, proposed, retained, ledger, status, error)
    findings = find(Source(source), proposed, retained, questions)
    asked = [(question.id, frozenset[str]()) for question in questions]
    ((_, results),) = memory_rows(findings, asked, {}, {}, budget=budget, status=status)
    rows = tuple(
        QuestionRow(question, None, None, 0, found.fate, found.cause, found.flags, None, found.status)
        for question, found in zip(questions, results, strict=True)
    )
    run = Run("r1", tokenizer=None if tokenizer is None else {"name": tokenizer})
    goal = Goal("g1", "c1", "goal")
    return UnitView(1, run, Context("c1", source), goal, goal, memory, 0, rows, identity_verified=False)
