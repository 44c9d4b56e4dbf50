"""What the lists say about causes, fates, flags and statuses, in words for people.

The terms themselves are those of `core.causes`; here is only how they are put.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gacc_gui.core.causes import LETTERS, VEIL, VEILED
from gacc_gui.core.records import LABELS, Cell
from gacc_gui.core.terms import GOALS, Terms

LETTER_OF: Final = {**LETTERS, VEILED: VEIL}
"""What is painted for a cause."""
CAUSE_OF_LETTER: Final = {letter: cause for cause, letter in LETTER_OF.items()}

CAUSE_SENTENCES: Final = {
    "correct": "The judge found the answer correct.",
    "truncation": "The evidence was proposed, but the budget cut it off.",
    "compressor": "The evidence is in the source, and the compressor left it out.",
    "reader": "The evidence was in the memory, and the reader did not use it.",
    "judge": "The answer equals a reference, and the judge called it incorrect.",
    "item": "The given evidence is not in the source: the item is at fault.",
    "unlocated": "There is no evidence that could be looked for.",
    "no-verdict": "No verdict counts for this row.",
    VEILED: "The judge's verdict is hidden until you have decided on this row.",
}

_SENTENCES_OF_CASES: Final = {
    **CAUSE_SENTENCES,
    "correct": "The answer equals the gold answer (EM 1).",
    "compressor": "The evidence is in the source, and the context that was sent does not hold it as written.",
    "reader": "The evidence was in the context that was sent, and the answer is still wrong.",
    "judge": "The answer equals the gold answer, and it is scored as wrong.",
    "no-verdict": "No score counts for this answer: it is zero.",
    VEILED: "The score is hidden until you have decided on this answer.",
}

NO_ROOM: Final = "The budget is 0: nothing could be kept."
NO_BUDGET: Final = "The budget is 0: nothing could be kept, so nothing was proposed."

FATE_SENTENCES: Final = {
    "retained": "in the retained memory",
    "cut": "straddles the cut",
    "tail": "behind the cut, in the tail",
    "omitted": "in the source, not in the proposal",
    "absent": "not in the source",
    "unlocated": "nothing to look for",
}

FLAG_SENTENCES: Final = {
    "unsupported": "Correct, although the memory does not hold the evidence as written.",
    "uncertain": "The proposal paraphrases: it may carry the evidence in other words.",
    "boundary-unknown": "The retained text is no prefix of the proposal: where the cut fell is unknown.",
}

STATUS_WORDS: Final = {
    "ok": "ok",
    "truncated": "truncated",
    "no_answer": "no answer",
    "error": "error",
    "unparsed": "not parsed",
    "refused": "refused",
    VEILED: "hidden",
}

NO_ANSWER: Final = "no answer"
EMPTY_ANSWER: Final = "“”"

_MENTIONED: Final = 20
"""How many wrong questions a strip's description names before it only counts."""


def cause_name(cause: str) -> str:
    """Return a cause as it stands in a cell or a sentence."""
    return "hidden" if cause == VEILED else cause.replace("-", " ")


def sentences_of(terms: Terms) -> Mapping[str, str]:
    """Return what each cause means, in the words of a benchmark."""
    return _SENTENCES_OF_CASES if terms.one_question else CAUSE_SENTENCES


def cause_sentence(cause: str, fate: str, terms: Terms = GOALS) -> str:
    """Say what a cause means of a row whose evidence met this fate; empty for an unknown cause.

    Evidence that was never proposed is lost by truncation only where the budget is 0 (`core.causes`).
    """
    if cause == "truncation" and fate == "omitted":
        return NO_BUDGET
    return sentences_of(terms).get(cause, "")


def status_words(status: str, terms: Terms = GOALS) -> str:
    """Return a status in words; an unknown one stays as it is written."""
    if status in ("judged", "not_judged"):
        return status.replace("judged", terms.judged).replace("_", " ")
    return STATUS_WORDS.get(status, status)


def strip_words(strip: str, correct: int) -> str:
    """Say a strip aloud: “3 of 5 right; question 2 truncation, question 4 reader”."""
    head = f"{correct} of {len(strip)} right"
    wrong = [
        f"question {number} {cause_name(CAUSE_OF_LETTER.get(letter, letter))}"
        for number, letter in enumerate(strip, start=1)
        if CAUSE_OF_LETTER.get(letter) != "correct"
    ]
    if not wrong:
        return head
    more = f", and {len(wrong) - _MENTIONED} more" if len(wrong) > _MENTIONED else ""
    return f"{head}; {', '.join(wrong[:_MENTIONED])}{more}"


def verdict_words(label: str | None, status: str, terms: Terms = GOALS) -> str:
    """Put a verdict as it was given: a label nobody knows is shown raw, and said to be unknown."""
    if label is not None and label not in LABELS:
        return f"{label} (unknown {terms.verdict})"
    if status == "judged" and label is not None:
        return "✓ correct" if label == "correct" else "✗ incorrect"
    return status_words(status, terms)


def cell_words(cell: Cell, terms: Terms = GOALS, *, with_revision: bool = False) -> str:
    """Put a cell in one short line: compressor · condition · ratio, or the method alone."""
    if not terms.by_budget:
        return terms.cell_name(cell, with_revision=with_revision)
    name = f"{cell.compressor} {cell.revision}" if with_revision and cell.revision else cell.compressor
    return f"{name} · {short_condition(cell.condition)} · {cell.ratio}"


def short_condition(condition: str) -> str:
    """Shorten the four known conditions to a word; another one stays whole."""
    return {"own-goal": "own", "no-goal": "no goal", "cross-goal": "cross", "full-context": "full"}.get(
        condition, condition
    )


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return “1 goal”, “12,345 goals”."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def share_words(part: float, whole: float = 1) -> str:
    """Return a share in three decimals; in more where three would say all or nothing of what is neither."""
    if not whole:
        return "–"
    words, decimals = f"{part / whole:.3f}", 3
    while 0 < part < whole and float(words) in (0.0, 1.0) and decimals < 9:
        decimals += 1
        words = f"{part / whole:.{decimals}f}"
    return words


def joined(parts: Sequence[str]) -> str:
    """Join what is there with the separator of the whole window, skipping what is empty."""
    return " · ".join(part for part in parts if part)
