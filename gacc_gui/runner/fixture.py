"""The contract diagnostic: per seed two small sources, four goals, twelve questions, and three rules.

Owns its texts and its parts. Everything follows from the seed by SHA-256, so that a seed means the same run
everywhere. The budget always ends inside each goal's last field: a sound engine answers two questions of
three and no goal whole. Diagnostic only: nothing here is comparable with the benchmark's tables.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.records import Context, Goal, Question, Run
from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.runner.gacc_protocol import GaccProtocol
from gacc_gui.runner.parts import (
    CompressorInput,
    CompressorOutput,
    ReaderInput,
    ReaderOutput,
)
from gacc_gui.runner.plan import Plan, Setting
from gacc_gui.runner.rules import NOT_IN_MEMORY, ExactJudge

_RATIO: Final = "0.19"
"""Of 234 code points: 44, the last of them inside the third field of a line of 50."""
_HEADING: Final = "manifest of the harbour office"
_PORTS: Final = ("Tromsø", "Gdynia", "Málaga", "Lisboa", "Odense", "Aarhus", "上海洋山港区", "Ørland")
"""Six code points each: every source has the same length, and not every one of them is ASCII."""
_FIELDS: Final = ("port", "crates", "seal")
_SOURCES: Final = {"a": "KLMN", "b": "PQRS"}
"""Each source's lots begin with letters of its own: no two goals are alike."""
_LOTS: Final = 4
_GOAL_LOTS: Final = (1, 3)
"""Which of a source's four lots somebody asks about."""

_FIELD: Final = re.compile(r"(\w+)=([^;.\n]+)[;.]")
_ASKED: Final = re.compile(r"What is the (\w+) of ")


@dataclass(frozen=True, slots=True)
class MatchingLine:
    """Proposes the first line that contains the goal; nothing where it is shown none."""

    name: str = "matching-line"
    revision: str = "1"

    def __call__(self, given: CompressorInput) -> CompressorOutput:
        """Return the line."""
        lines = given.context.splitlines()
        return CompressorOutput(next((line for line in lines if given.goal and given.goal in line), ""))


@dataclass(frozen=True, slots=True)
class FieldReader:
    """Parses the fields that a memory holds whole, with the mark that ends them, and answers from those."""

    name: str = "whole-fields"
    revision: str = "1"

    def __call__(self, given: ReaderInput) -> ReaderOutput:
        """Return the field's value, or `NOT_IN_MEMORY`."""
        asked = _ASKED.match(given.question)
        fields = dict(_FIELD.findall(given.memory))
        return ReaderOutput(fields.get(asked.group(1), NOT_IN_MEMORY) if asked else NOT_IN_MEMORY)


def fixture_plan(seed: int) -> Plan:
    """Return the diagnostic's evaluation for a seed; any whole number will do."""
    codec, reader, judge = CodepointCodec(), FieldReader(), ExactJudge()
    contexts = [Context(source, _source(seed, source), title=f"Manifest {source}") for source in _SOURCES]
    goals: list[Goal] = []
    questions: list[Question] = []
    for context in contexts:
        for lot in _GOAL_LOTS:
            goal = Goal(f"{context.id}{lot}", context.id, _lot_name(seed, context.id, lot))
            goals.append(goal)
            questions.extend(_questions(goal, context.text))
    return Plan(
        run=Run(
            id=f"fixture-{seed}",
            name=f"Contract diagnostic, seed {seed}",
            protocol="gacc-bench",
            # When these rules were fixed. The run is a function of its seed: made again, it is the same run.
            created_at="2026-11-20T00:00:00Z",
            diagnostic_only=True,
            tokenizer={"name": codec.name, "revision": codec.revision, "identity_verified": False},
            reader={"name": reader.name, "revision": reader.revision},
            judge={"name": judge.name, "revision": judge.revision},
        ),
        contexts=contexts,
        goals=goals,
        questions=questions,
        settings=[Setting(MatchingLine(), "own-goal", _RATIO)],
        protocol=GaccProtocol(codec, reader, judge),
    )


def _source(seed: int, source: str) -> str:
    lines = [_HEADING]
    for lot in range(_LOTS):
        port = _PORTS[_number(seed, source, lot, "port") % len(_PORTS)]
        crates = _number(seed, source, lot, "crates") % 10_000
        seal = _number(seed, source, lot, "seal") % 16**8
        name = _lot_name(seed, source, lot)
        lines.append(f"{name}: port={port}; crates={crates:04}; seal={seal:08x}.")
    return "\n".join(lines)


def _lot_name(seed: int, source: str, lot: int) -> str:
    return f"lot {_SOURCES[source][lot]}{_number(seed, source, lot, 'name') % 1_000:03}"


def _questions(goal: Goal, source: str) -> Iterator[Question]:
    line = source.index(goal.text)
    for field in _FIELDS:
        match = next(m for m in _FIELD.finditer(source, line) if m.group(1) == field)
        yield Question(
            id=f"{goal.id}-{field}",
            goal_id=goal.id,
            text=f"What is the {field} of {goal.text}?",
            references=(match.group(2),),
            evidence=({"start": match.start(2), "end": match.end(2)},),
        )


def _number(seed: int, *what: object) -> int:
    text = "/".join(map(str, (seed, *what)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
