"""What stands above the compaction view: the methods' EM as scored and, where there is any, as reviewed.

Of a method with an answer that is hidden from a reviewer there is no figure, as in the methods' table.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from gacc_gui.app.compaction_views import Overview
from gacc_gui.core.causes import VEIL
from gacc_gui.core.terms import CASES
from gacc_gui.gui.compaction.methods_page import hypothesis_words
from gacc_gui.gui.compaction.words import DESCRIPTIVE, exact, share
from gacc_gui.gui.headline import AS_REVIEWED
from gacc_gui.gui.lists.words import counted, joined

if TYPE_CHECKING:
    from gacc_gui.app.reviewing import Reviewed


def headline_words(found: Overview, *, is_judged: bool = False) -> str:
    """The methods' EM, each beside its denominator, and whether the hypothesis held.

    `is_judged`: reviewers decided otherwise or not, and their figures stand beside these.
    """
    methods = [
        _em_words(found, method.method, method.all.scores["em"], method.all.planned)
        for method in found.aggregate.methods
    ]
    diagnostic = "diagnostic" if found.is_diagnostic else ""
    hypothesis = f"hypothesis {hypothesis_words(found)}"
    title = f"EM as {CASES.judged}" if is_judged else "Answer EM"
    return joined((diagnostic, title, *methods, hypothesis, DESCRIPTIVE.partition(":")[0].lower()))


def reviewed_words(found: Overview, reviewed: Reviewed | None) -> str:
    """The methods' shares of right answers with reviewers' decisions; empty where nobody decided anything.

    The hypothesis was declared of the scores, which no decision changes.
    """
    if reviewed is None or not reviewed.rows:
        return ""
    methods = []
    for method in found.aggregate.methods:
        em, planned = method.all.scores["em"], method.all.planned
        of_it = [row for row in reviewed.rows if row.judged.cell.compressor == method.method]
        more = sum((row.label == "correct") - (row.judged.label == "correct") for row in of_it)
        share_now = em + Fraction(more, planned) if em is not None and planned else em
        methods.append(_em_words(found, method.method, share_now, planned))
    return joined((AS_REVIEWED, *methods, f"{counted(len(reviewed.rows), CASES.row)} reviewed"))


def _em_words(found: Overview, method: str, em: Fraction | None, planned: int) -> str:
    if found.hides(method):
        return f"{method} {VEIL}"
    right = exact(em * planned) if em is not None else "–"
    return f"{method} {share(em)} {right}/{planned}"
