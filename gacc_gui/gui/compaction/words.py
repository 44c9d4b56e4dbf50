"""What the compaction view says of causes, fates, statuses and figures, and whose colour each borrows.

The terms themselves are those of `core.compaction_causes`; here is only how they are put. No Qt here.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from gacc_gui.app.compaction_views import AnswerCell, ContextView
from gacc_gui.core import compaction_causes as causes
from gacc_gui.core.causes import VEIL, VEILED
from gacc_gui.core.compaction import FULL
from gacc_gui.core.compaction_aggregate import MISSING
from gacc_gui.core.terms import CASES
from gacc_gui.gui.lists.words import joined, sentences_of, share_words

CAUSE_NAMES: Final = {
    causes.CORRECT: "correct",
    causes.EVIDENCE_DROPPED: "evidence dropped",
    causes.SUMMARY_LOST: "lost in the summary",
    causes.ANSWERER_MISSED: "answerer missed it",
    causes.FORM: "form only",
    causes.FAILED: "condition failed",
    MISSING: "not there",
    VEILED: "hidden",
}
CAUSE_SENTENCES: Final = {
    causes.CORRECT: "The answer matches the gold answer exactly (EM 1).",
    causes.EVIDENCE_DROPPED: "The selector dropped a group that holds a supporting fact.",
    causes.SUMMARY_LOST: "The summary was made of a supporting fact and does not hold it.",
    causes.ANSWERER_MISSED: "Every supporting fact stood in the context, and the answer is still wrong.",
    causes.FORM: "The answer is right, but not in the form of the gold answer: F1 without EM.",
    causes.FAILED: "There is no answer that counts: it scores zero and stays in the denominator.",
    MISSING: "It was planned and is not there (yet).",
    VEILED: sentences_of(CASES)[VEILED],
}
UNCERTAIN: Final = "Uncertain: a summary may hold a supporting fact in other words."
COLOURS: Final = {
    causes.CORRECT: "correct",
    causes.EVIDENCE_DROPPED: "truncation",
    causes.SUMMARY_LOST: "compressor",
    causes.ANSWERER_MISSED: "reader",
    causes.FORM: "judge",
    causes.FAILED: "no-verdict",
    MISSING: "no-verdict",
    VEILED: VEILED,
}
"""Which of the theme's causes lends its colour."""
LETTERS: Final = {**causes.LETTERS, MISSING: "", VEILED: VEIL}
SHOWN_CAUSES: Final = causes.CAUSES

FATE_WORDS: Final = {
    causes.KEPT: "kept",
    causes.IN_SUMMARY: "in the summary",
    causes.LIKELY: "in the summary, in other words (uncertain)",
    causes.LOST: "lost in the summary",
    causes.DROPPED: "dropped",
    causes.NOWHERE: "names no sentence",
}
FATE_LETTERS: Final = {
    causes.KEPT: "✓",
    causes.IN_SUMMARY: "✓",
    causes.LIKELY: "≈",
    causes.LOST: "S",
    causes.DROPPED: "D",
    causes.NOWHERE: "–",
}
FATE_COLOURS: Final = {
    causes.KEPT: "correct",
    causes.IN_SUMMARY: "correct",
    causes.LIKELY: "unlocated",
    causes.LOST: "compressor",
    causes.DROPPED: "truncation",
    causes.NOWHERE: "no-verdict",
}
FATE_UNDERLAYS: Final = {
    causes.KEPT: "retained",
    causes.IN_SUMMARY: "retained",
    causes.LIKELY: "unlocated",
    causes.LOST: "omitted",
    causes.DROPPED: "tail",
    causes.NOWHERE: "unlocated",
}
"""Which of GACC's fates lends its underlay."""

STATUS_WORDS: Final = {
    "ok": "ok",
    "unparsed": "reply not readable",
    "refused": "refused",
    "truncated": "reply cut short",
    "no_answer": "no answer",
    "error": "the call failed",
    "invalid": "over the ceiling: invalid",
    "no_context": "no context",
    MISSING: "not there",
}

DESCRIPTIVE: Final = "Descriptive only: no test of significance or of equivalence."
DIAGNOSTIC: Final = "Diagnostic: made by rules without a model, comparable with nothing."


def cause_of(cell: AnswerCell) -> str:
    """The name of an answer's cause, or that it is hidden or not there."""
    if cell.is_hidden:
        return VEILED
    return MISSING if cell.cause is None else cell.cause.name


def cause_words(cell: AnswerCell) -> str:
    """An answer's cause in words, with a question mark where it is uncertain."""
    uncertain = cell.cause is not None and cell.cause.is_uncertain
    return CAUSE_NAMES[cause_of(cell)] + ("?" if uncertain else "")


def status_words(status: str) -> str:
    """An answer's status in words; an unknown one stays as it is written."""
    return STATUS_WORDS.get(status, status)


def place_words(generation: int, repeat: int) -> str:
    """Which of a method's answers: counted from 0, as everywhere in files and lists."""
    return f"gen {generation} · answer {repeat}"


def share(value: Fraction | None) -> str:
    """A mean in three decimals, a dash where there is none."""
    return "–" if value is None else share_words(float(value))


def exact(value: Fraction | None) -> str:
    """A figure as the fraction that it is."""
    if value is None:
        return "–"
    words = str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
    return words.replace("-", "−")


def score(value: float) -> str:
    """A score of one answer: 1 and 0 as they are, what is between in three decimals."""
    return f"{value:.0f}" if value in (0, 1) else f"{value:.3f}"


def context_words(context: ContextView) -> str:
    """A context's figures in a line: the tokens of the complete input, groups kept, retries."""
    sent = context.sent
    if sent is None:
        return ""
    groups = len(sent.kept) + len(sent.dropped)
    kept = "" if sent.method == FULL or not groups else f"{len(sent.kept):,} of {groups:,} groups kept"
    retries = (
        f"{sent.retries} {'retry' if sent.retries == 1 else 'retries'} for length" if sent.retries else ""
    )
    return joined((f"complete input {sent.tokens.local:,} tokens", kept, retries))
