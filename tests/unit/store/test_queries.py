from __future__ import annotations

import operator
import random
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.filters import MOST_TERMS, Compare, Match, Query, Words, parse
from gacc_gui.core.records import Answer, Context, Goal, Question, Record, Verdict
from gacc_gui.store.queries import SORTS
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import CellChoice, GoalRow, QuestionRow, UnitView

from .conftest import SOURCE, Store, memory, small_run


def varied_run(seed: int = 3) -> list[Record]:
    """Many cells, repeats, failures and gaps."""
    rng = random.Random(seed)
    records: list[Record] = []
    for c in range(3):
        records.append(
            Context(f"c{c}", SOURCE + "!" * c, None if c else "First", ("ours", None, "theirs")[c])
        )
        for g in (f"c{c} / g2", f"c{c} / g10"):
            records.append(Goal(g, f"c{c}", f"Goal {g} about the pump"))
            for q in range(rng.randint(1, 4)):
                quote = rng.choice(["noon", "812 litres", "nowhere in it", "水泵"])
                records.append(
                    Question(
                        f"{g} q{q}", g, f"Which {rng.choice('abc')}word {q}?", (quote,), ({"quote": quote},)
                    )
                )
    goals = [record for record in records if isinstance(record, Goal)]
    questions = [record for record in records if isinstance(record, Question)]
    for goal in goals:
        for compressor in ("lead", "tail"):
            for ratio in ("0", "0.1", "0.25"):
                if rng.random() < 0.2:
                    continue
                other = next(g for g in goals if g.context_id == goal.context_id and g != goal)
                condition = rng.choice(["own-goal", "cross-goal"])
                shown = other.id if condition == "cross-goal" else goal.id
                record = memory(
                    f"{goal.id} {compressor} {ratio}",
                    goal.id,
                    rng.choice([0, 10, 24, 60]),
                    ratio,
                    compressor=compressor,
                    condition=condition,
                    shown=shown,
                    status=rng.choice(["ok", "ok", "truncated", "error"]),
                    generation=rng.randint(0, 1),
                )
                if rng.random() < 0.2:
                    record = replace(record, retained_text="made up", ledger=None, budget=None)
                records.append(record)
                for question in questions:
                    if question.goal_id != goal.id:
                        continue
                    for repeat in range(rng.randint(0, 2)):
                        key = (record.id, question.id, repeat)
                        if rng.random() < 0.9:
                            records.append(
                                Answer(
                                    *key,
                                    rng.choice(["noon", "unknown", ""]),
                                    rng.choice(["ok", "ok", "error"]),
                                )
                            )
                        if rng.random() < 0.9:
                            label = rng.choice(["correct", "correct", "incorrect", None])
                            status = rng.choice(["judged", "judged", "judged", "refused"])
                            records.append(
                                Verdict(*key, label, status, rng.choice(["so be it", "no, 812", None]))
                            )
    return records


@pytest.fixture
def varied(store: Store) -> Store:
    store.write(varied_run())
    return store


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def passes(query: Query, view: UnitView, row: GoalRow) -> bool:
    """What core.filters says, unit by unit and row by row."""
    positive = [term for term in query.row_terms if not term.negated]
    negative = [term for term in query.row_terms if term.negated]
    if positive and not any(all(meets(term, r) for term in positive) for r in view.rows):
        return False
    if any(meets(term, r) for term in negative for r in view.rows):
        return False
    return all(unit_term(term, view, row) for term in query.unit_terms) and all(
        word(term, view) for term in query.words
    )


def meets(term: Match | Compare, row: QuestionRow) -> bool:
    assert isinstance(term, Match)
    has: dict[str, tuple[str | None, ...]] = {
        "cause": (row.cause,),
        "fate": (row.fate,),
        "flag": row.flags,
        "label": (row.label or "none",),
        "status": (row.status,),
        "answer-status": (row.answer.status if row.answer else "none",),
        "question-id": (row.question.id,),
    }
    return any(value in term.values for value in has[term.key])


def unit_term(term: Match | Compare, view: UnitView, row: GoalRow) -> bool:
    state = {"right"} if row.away == 0 else {"failed"}
    if any(r.label is None for r in view.rows):
        state.add("incomplete")
    has: dict[str, Any] = {
        "goal": state,
        "away": row.away,
        "memory-status": view.memory.status,
        "compressor": row.cell.compressor,
        "revision": row.cell.revision,
        "condition": row.cell.condition,
        "ratio": Decimal(row.cell.ratio),
        "budget": row.budget,
        "tail": row.tail_characters,
        "questions": row.questions,
        "correct": row.correct,
        "generation": row.generation,
        "repeat": row.repeat,
        "origin": view.context.origin or "",
        "context-id": view.context.id,
        "goal-id": view.goal.id,
        "memory-id": view.memory.id,
    }
    value = has[term.key]
    if value is None:
        return False
    if isinstance(term, Compare):
        return OPERATORS[term.operator](value, term.value) != term.negated
    values = value if isinstance(value, set) else {str(value)}
    return bool(values & set(term.values)) != term.negated


def word(term: Words, view: UnitView) -> bool:
    texts = [view.goal.text]
    for row in view.rows:
        texts += [row.question.text, *(row.question.references or ())]
        texts += [row.answer.text if row.answer and row.answer.text else ""]
        texts += [row.verdict.rationale if row.verdict and row.verdict.rationale else ""]
    begins = any(part.strip("?,.!").startswith(term.text) for text in texts for part in text.lower().split())
    return begins != term.negated


FILTERS = [
    "",
    "goal:failed",
    "goal:right",
    "goal:incomplete",
    "goal:right,incomplete -goal:right",
    "away:1",
    "away<=1 -away:0",
    "away:1,2",
    "cause:truncation",
    "cause:truncation,reader fate:tail",
    "cause:item -cause:truncation",
    "fate:omitted flag:boundary-unknown",
    "flag:unsupported",
    "-flag:unsupported",
    "flag:unsupported -flag:boundary-unknown",
    "label:none status:refused",
    "label:correct answer-status:ok",
    "answer-status:none",
    "-answer-status:none,error",
    "status:not_judged",
    "memory-status:error",
    "-memory-status:error,no_answer",
    "compressor:lead",
    "-compressor:lead revision:1",
    "condition:cross-goal",
    "ratio<0.25",
    "ratio:0.10",
    "ratio:0,0.25",
    "-ratio>0.1",
    "budget>=10",
    "-budget>=10",
    "-budget:10,24",
    "tail>50",
    "-tail<=50",
    "questions:3 correct>=1",
    "generation:1 repeat:1",
    "origin:ours",
    'origin:""',
    '-origin:"",ours',
    "context-id:c1",
    'goal-id:"c1 / g2"',
    '-goal-id:"c1 / g2","c2 / g10"',
    'memory-id:"c0 / g2 lead 0"',
    'question-id:"c0 / g2 q0"',
    '-question-id:"c0 / g2 q0"',
    'question-id:"c0 / g2 q0" cause:correct',
    'question-id:"c0 / g2 q0","c1 / g10 q0" -cause:no-verdict label:incorrect',
    "question-id:nobody",
    "compressor:nobody",
    "pump",
    "aword",
    "-aword cause:correct",
    "noon -812",
]


@pytest.mark.parametrize("indexed", [False, True])
def test_every_term_means_what_the_filter_language_says(varied: Store, indexed: bool) -> None:
    if indexed:
        varied.index()
    hits = 0
    with Reader(varied.path) as reader:
        everything = list(reader.goal_units("r1"))
        views = {unit: reader.unit_view(unit) for unit in everything}
        rows = {row.unit: row for row in reader.goal_rows(everything)}
        assert len(everything) > 40
        for text in FILTERS:
            query = parse(text)
            expected = {unit for unit in everything if passes(query, views[unit], rows[unit])}
            found = list(reader.goal_units("r1", query=query))
            assert set(found) == expected, text
            assert len(found) == len(expected)
            hits += 0 < len(expected) < len(everything)
    assert hits > 35


def test_as_many_terms_and_values_as_a_filter_has(varied: Store) -> None:
    text = "pump " * (MOST_TERMS - 2) + "-cause:item goal:" + ",".join(["failed"] * 2_000)
    with Reader(varied.path) as reader:
        found = set(reader.goal_units("r1", query=parse(text)))
        assert found == set(reader.goal_units("r1", query=parse("pump -cause:item goal:failed"))) != set()


def test_a_choice_of_cells(varied: Store) -> None:
    with Reader(varied.path) as reader:
        units = list(reader.goal_units("r1"))
        for choice in (
            CellChoice(compressor="lead"),
            CellChoice(condition="own-goal", ratio="0.1"),
            CellChoice("tail", "1", "cross-goal", "0"),
            CellChoice(revision="9"),
        ):
            found = reader.goal_units("r1", choice)
            wanted = [
                row.unit
                for row in reader.goal_rows(units)
                if all(
                    getattr(choice, name) in (None, getattr(row.cell, name))
                    for name in ("compressor", "revision", "condition", "ratio")
                )
            ]
            assert list(found) == wanted
            assert len(list(reader.unit_counts("r1", choice))) == len(wanted)


def natural(text: str) -> list[tuple[int, int | str]]:
    return [(0, int(part)) if part.isdigit() else (1, part) for part in re.split(r"(\d+)", text) if part]


def test_orders(varied: Store) -> None:
    keys: dict[str, Callable[[GoalRow], Any]] = {
        "goal": lambda row: natural(row.goal_text.lower()),
        "goal-id": lambda row: natural(row.goal_id),
        "context": lambda row: natural((row.context_title or row.context_id).lower()),
        "cell": lambda row: (
            row.cell.compressor,
            row.cell.revision,
            row.cell.condition,
            Decimal(row.cell.ratio),
        ),
        "correct": lambda row: row.correct,
        "ratio": lambda row: Decimal(row.cell.ratio),
        "questions": lambda row: row.questions,
    }
    with Reader(varied.path) as reader:
        units = sorted(reader.goal_units("r1"))
        rows = reader.goal_rows(units)

        def got(sort: str, descending: bool = False, grouped: bool = False) -> list[int]:
            return list(reader.goal_units("r1", sort=sort, descending=descending, grouped=grouped))

        for sort, key in keys.items():
            assert got(sort) == [row.unit for row in sorted(rows, key=key)], sort
            backwards = sorted(rows, key=key, reverse=True)  # ties stay in file order
            assert got(sort, True) == [row.unit for row in backwards], sort
        away = sorted(rows, key=lambda row: (row.away == 0, row.away))
        assert got("away") == [row.unit for row in away]
        assert got("away", True) == [
            row.unit for row in sorted(rows, key=lambda row: (row.away == 0, -row.away))
        ]
        for sort, field in (("budget", "budget"), ("tail", "tail_tokens")):
            for descending in (False, True):
                found = {row.unit: getattr(row, field) for row in rows}
                values = [found[unit] for unit in got(sort, descending)]
                present = [value for value in values if value is not None]
                assert None in values and present == sorted(present, reverse=descending)
                assert values == present + [None] * (len(values) - len(present))
        contexts = {row.unit: row.context_id for row in rows}
        for sort in SORTS:
            grouped = [contexts[unit] for unit in got(sort, grouped=True)]
            assert grouped == sorted(grouped), sort
            assert sorted(got(sort, True, True)) == units
        with pytest.raises(BadUsage, match="cannot be ordered by 'colour'"):
            got("colour")


def test_units_of_another_run_never_appear(varied: Store, another: Callable[[str], Any]) -> None:
    varied.write(small_run(), another("r2"))
    with Reader(varied.path) as reader:
        first, second = reader.goal_units("r1"), reader.goal_units("r2")
        assert not set(first) & set(second)
        assert len(second) == 4
        for text in ("goal:failed", "-compressor:lead", "pump", "-question-id:q1", "memory-status:ok"):
            assert set(reader.goal_units("r2", query=parse(text))) <= set(second)
