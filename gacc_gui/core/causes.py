"""Fates, causes and flags: their names, their order, and how a row gets its cause.

Wordless: what a cause is called in front of a person is for the window and the command line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from gacc_gui.core.folding import fold

RETAINED: Final = "retained"
CUT: Final = "cut"
TAIL: Final = "tail"
OMITTED: Final = "omitted"
ABSENT: Final = "absent"
UNLOCATED: Final = "unlocated"
FATES: Final = (RETAINED, CUT, TAIL, OMITTED, ABSENT, UNLOCATED)
"""From best to worst."""

CORRECT: Final = "correct"
TRUNCATION: Final = "truncation"
COMPRESSOR: Final = "compressor"
READER: Final = "reader"
JUDGE: Final = "judge"
ITEM: Final = "item"
NO_VERDICT: Final = "no-verdict"
CAUSES: Final = (CORRECT, TRUNCATION, COMPRESSOR, READER, JUDGE, ITEM, UNLOCATED, NO_VERDICT)

LETTERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        CORRECT: "✓",
        TRUNCATION: "T",
        COMPRESSOR: "C",
        READER: "R",
        JUDGE: "J",
        ITEM: "I",
        UNLOCATED: "U",
        NO_VERDICT: "–",
    }
)
"""The letter that stands for a cause wherever its colour does."""

VEILED: Final = "veiled"
VEIL: Final = "?"
"""No cause: what stands in a cause's place, and its letter, while a reviewer is to decide without it."""

UNSUPPORTED: Final = "unsupported"
UNCERTAIN: Final = "uncertain"
BOUNDARY_UNKNOWN: Final = "boundary-unknown"
FLAGS: Final = (UNSUPPORTED, UNCERTAIN, BOUNDARY_UNKNOWN)

UNSUPPORTED_FATES: Final = frozenset({CUT, TAIL, OMITTED, ABSENT})
FAILED: Final = frozenset({"no_answer", "error"})
"""Statuses of a memory or an answer that leave nothing to judge."""

_BY_FATE: Final = {
    RETAINED: READER,
    CUT: TRUNCATION,
    TAIL: TRUNCATION,
    OMITTED: COMPRESSOR,
    ABSENT: ITEM,
    UNLOCATED: UNLOCATED,
}


def counting_label(
    label: str | None, verdict_status: str | None, answer_status: str | None, memory_status: str
) -> str | None:
    """Return the label if it counts, else None. A status of None means that there is no such record."""
    if (
        verdict_status == "judged"
        and label in ("correct", "incorrect")
        and answer_status in ("ok", "truncated")
        and memory_status not in FAILED
    ):
        return label
    return None


def cause_of(label: str | None, fate: str, *, equals_reference: bool, budget: int | None) -> str:
    """Return the cause of a row from its fate, the counting label and whether the answer is a reference."""
    if label is None:
        return NO_VERDICT
    if label == "correct":
        return CORRECT
    if equals_reference:
        return JUDGE
    if fate == OMITTED and budget == 0:
        return TRUNCATION
    return _BY_FATE[fate]


def veiled_strip(strip: str, places: Collection[int]) -> str:
    """Return a unit's strip, a letter a question, without the letters of these places."""
    return "".join(VEIL if place in places else letter for place, letter in enumerate(strip))


def normal_answer(text: str) -> str:
    """Return the form in which answers and references are compared.

    NFKC, case folding, folding of white space; then outer punctuation (categories P*) and white space are
    stripped as long as there is any.
    """
    folded = fold(text)
    if folded.isascii():
        return folded.strip(_OUTER_ASCII)
    start, end = 0, len(folded)
    while start < end and _is_outer(folded[start]):
        start += 1
    while start < end and _is_outer(folded[end - 1]):
        end -= 1
    return folded[start:end]


def expected_answers(references: Iterable[str] | None) -> frozenset[str]:
    """Return the references in the form in which answers are compared; never the empty one."""
    return frozenset(map(normal_answer, references or ())) - {""}


def _is_outer(character: str) -> bool:
    if character.isalnum():
        return False
    return character.isspace() or unicodedata.category(character)[0] == "P"


_OUTER_ASCII: Final = "".join(filter(_is_outer, map(chr, range(128))))


def answer_equals_reference(answer: str | None, references: Iterable[str] | None) -> bool:
    """Whether an answer equals any of the references in normal form; an empty form never does."""
    return answer is not None and normal_answer(answer) in expected_answers(references)
