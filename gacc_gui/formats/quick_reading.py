"""JSON objects into records, the quick way: only what is ordinary of the three kinds that make up a file.

It takes only objects that `formats.schema` takes too, and builds the record that `formats.record_reading`
builds. Explicit and repetitive for speed: measured 2026-11, one answer costs 1.6 µs here and 25 µs there.
Each function takes the whole object of a record with exactly the ordinary fields (without `record`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

from gacc_gui.core.budget import canonical_ratio
from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import (
    CONDITIONS,
    MEMORY_STATUSES,
    NOTHING,
    VERDICT_STATUSES,
    Answer,
    Cell,
    Ledger,
    Memory,
    Record,
    Verdict,
)
from gacc_gui.formats.record_reading import FINISHED, LEDGER_FIELDS

_LEDGER_SET: Final = frozenset(LEDGER_FIELDS)
_CELL_SET: Final = frozenset({"name", "revision"})
_MAX: Final = 2**63
_NO_ERROR: Final = ("error",)
_ONLY_STR: Final = {str}
_ONLY_INT: Final = {int}
_ledger_fields: Final = itemgetter(*LEDGER_FIELDS)
_memory_fields: Final = itemgetter(
    "id",
    "goal_id",
    "shown_goal_id",
    "budget",
    "generation",
    "proposed_text",
    "retained_text",
    "status",
    "error",
)


@lru_cache(maxsize=1024)
def _is_canonical(ratio: str) -> bool:
    try:
        return canonical_ratio(ratio) == ratio
    except BadInput:
        return False


def quick_answer(value: dict[str, Any]) -> Answer | None:
    """Return the record if the object is an ordinary answer; else None."""
    unusual: tuple[str, ...] = ()
    if "error" in value:
        if len(value) != 6:
            return None
    elif len(value) == 5:
        unusual = _NO_ERROR
    else:
        return None
    try:
        memory = value["memory_id"]
        question = value["question_id"]
        repeat = value["repeat"]
        text = value["text"]
        status = value["status"]
    except KeyError:
        return None
    error = value.get("error")
    if (
        type(memory) is str
        and memory
        and type(question) is str
        and question
        and type(repeat) is int
        and 0 <= repeat < _MAX
        and (type(text) is str or text is None)
        and status in MEMORY_STATUSES
        and (error is None or type(error) is str)
    ):
        return Answer(memory, question, repeat, text, status, error, NOTHING, unusual)
    return None


def quick_verdict(value: dict[str, Any]) -> Verdict | None:
    """Return the record if the object is an ordinary verdict with a known label; else None."""
    rationale = value.get("rationale")
    raw_reply = value.get("raw_reply")
    # A null in place of either is counted by `len` and not by the sum: not ordinary.
    if len(value) != 5 + (rationale is not None) + (raw_reply is not None):
        return None
    try:
        memory = value["memory_id"]
        question = value["question_id"]
        repeat = value["repeat"]
        label = value["label"]
        status = value["status"]
    except KeyError:
        return None
    if (
        type(memory) is str
        and memory
        and type(question) is str
        and question
        and type(repeat) is int
        and 0 <= repeat < _MAX
        and (label == "correct" or label == "incorrect" or label is None)
        and status in VERDICT_STATUSES
        and (type(rationale) is str or rationale is None)
        and (type(raw_reply) is str or raw_reply is None)
    ):
        return Verdict(memory, question, repeat, label, status, rationale, raw_reply, NOTHING, ())
    return None


def quick_memory(value: dict[str, Any]) -> Memory | None:
    """Return the record if the object is an ordinary finished memory with a canonical ratio; else None."""
    if len(value) != 13:
        return None
    try:
        compressor, ledger = value["compressor"], value["ledger"]
        if compressor.keys() != _CELL_SET or ledger.keys() != _LEDGER_SET:
            return None
        name, revision, condition, ratio = (
            compressor["name"],
            compressor["revision"],
            value["condition"],
            value["ratio"],
        )
        counts = _ledger_fields(ledger)
        id, goal, shown, budget, generation, proposed, retained, status, error = _memory_fields(value)
    except (KeyError, AttributeError):
        return None
    texts = (id, goal, name, ratio, proposed, retained, revision)
    numbers = (budget, generation, *counts)
    if (
        set(map(type, texts)) == _ONLY_STR
        and all(texts[:4])
        and set(map(type, numbers)) == _ONLY_INT
        and min(numbers) >= 0
        and max(numbers) < _MAX
        and (shown is None or (type(shown) is str and shown))
        and condition in CONDITIONS
        and status in FINISHED
        and error is None
        and _is_canonical(ratio)
    ):
        cell = Cell(name, revision, condition, ratio)
        return Memory(
            id, goal, shown, cell, budget, generation, proposed, retained, Ledger(*counts), status, error
        )
    return None


QUICK: Final[Mapping[str, tuple[Callable[[dict[str, Any]], Record | None], int]]] = {
    "answer": (quick_answer, 0),
    "verdict": (quick_verdict, 0),
    "memory": (quick_memory, 2 + 6),
}
"""Per kind, the quick way and the number of keys nested inside an ordinary object."""
