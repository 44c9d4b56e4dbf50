"""What a reply says where it is an object with answer and facts, and what it scored, in words for people.

Owns these words. How a reply is read is `core.answer_reading`, what it scores the benchmark's. No Qt here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from gacc_gui.core.records import Answer, Json, Verdict
from gacc_gui.core.terms import Terms
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.words import joined

if TYPE_CHECKING:
    from gacc_gui.core.answer_reading import ReadAnswer

_SCORES: Final = {
    "Answer EM": "em",
    "F1": "f1",
    "facts EM": "sp_em",
    "facts F1": "sp_f1",
    "joint EM": "joint_em",
    "joint F1": "joint_f1",
}


def said_in(answer: Answer | None, terms: Terms) -> ReadAnswer | None:
    """Return what a reply says, where replies are such objects and this one is sound."""
    if not terms.one_question or answer is None or not answer.text:
        return None
    from gacc_gui.core.answer_reading import read_answer

    read = read_answer(answer.text)
    return read if read.is_read else None


def fact_words(read: ReadAnswer) -> str:
    """The supporting facts that a reply names, each as “[sentence id] title”; or that it names none.

    An id is put as it stands in the reply: only a whole number names a sentence.
    """
    pairs = [fact for fact in read.facts or () if isinstance(fact, list)]
    told = [
        f"[{cell_text(json.dumps(sentence, ensure_ascii=False))}] {cell_text(str(title))}"
        for title, sentence in pairs
    ]
    return f"Supporting facts named: {', '.join(told) or 'none'}"


def score_words(verdict: Verdict) -> str:
    """What an answer scored, as far as its record says so."""
    scores: Json = verdict.extra.get("scores")
    if not isinstance(scores, Mapping):
        return ""
    return joined([f"{name} {_score(scores[key])}" for name, key in _SCORES.items() if key in scores])


def _score(value: Json) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "?"
    return f"{value:.0f}" if value in (0, 1) else f"{value:.3f}"
