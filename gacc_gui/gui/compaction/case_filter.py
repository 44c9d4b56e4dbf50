"""The filter over cases: words of the question or the gold answer, and `type:`, `cause:`, `METHOD:` terms.

`cause:dropped` keeps the cases with such an answer by any method, `jev:dropped` by that one; `right` and
`wrong` are understood beside the causes, as are their letters. An answer that is hidden from a reviewer is
none of them. A minus in front turns a term round. No Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from gacc_gui.app.compaction_views import AnswerCell, CaseRow
from gacc_gui.core import compaction_causes as causes
from gacc_gui.core.folding import fold
from gacc_gui.gui.compaction.words import LETTERS, cause_of

CAUSE_KEYS: Final = ("cause", "any")
RIGHT: Final = "right"
WRONG: Final = "wrong"
SHORT: Final = {
    "correct": causes.CORRECT,
    "dropped": causes.EVIDENCE_DROPPED,
    "lost": causes.SUMMARY_LOST,
    "missed": causes.ANSWERER_MISSED,
    "form": causes.FORM,
    "failed": causes.FAILED,
}
"""What causes are called in a filter, beside their whole names and letters."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or a key with its value, folded."""

    key: str
    value: str
    negated: bool = False


def parse(text: str) -> tuple[Term, ...]:
    """Read a filter; every text is one."""
    terms = []
    for word in text.split():
        negated = len(word) > 1 and word.startswith("-")
        folded = fold(word.removeprefix("-") if negated else word)
        key, colon, value = folded.partition(":")
        terms.append(Term(key, value, negated) if colon and key and value else Term("", folded, negated))
    return tuple(terms)


def chosen(cases: Iterable[CaseRow], terms: tuple[Term, ...]) -> list[CaseRow]:
    """Return the cases that every term holds for, in their order."""
    return [case for case in cases if all(_holds(case, term) is not term.negated for term in terms)]


def _holds(case: CaseRow, term: Term) -> bool:
    if term.key == "type":
        return fold(case.kind).startswith(term.value)
    if term.key == "id":
        return fold(case.id) == term.value
    if term.key:
        cells = _cells(case, term.key)
        test = _test(term.value)
        if cells is not None and test is not None:
            return any(map(test, cells))
        return _contains(case, f"{term.key}:{term.value}")
    return _contains(case, term.value)


def _cells(case: CaseRow, key: str) -> list[AnswerCell] | None:
    methods = [method for method in case.cells if key in CAUSE_KEYS or fold(method) == key]
    return [cell for method in methods for cell in case.cells[method]] if methods else None


def _test(value: str) -> Callable[[AnswerCell], bool] | None:
    if value == RIGHT:
        return lambda cell: cell.em == 1
    if value == WRONG:
        return lambda cell: cell.em != 1 and not cell.is_hidden
    for name in causes.CAUSES:
        known = {fold(name), fold(LETTERS[name]), *(short for short, one in SHORT.items() if one == name)}
        if value in known:
            return lambda cell: cause_of(cell) == name
    return None


def _contains(case: CaseRow, folded: str) -> bool:
    return any(folded in fold(text) for text in (case.question, case.id, case.kind, *case.references))
