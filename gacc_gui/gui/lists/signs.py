"""What stands beside letters of causes: decisions of people, and what is hidden from a reviewer.

Owns which mark a question's square has and what is said of it. Painting is `strip`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gacc_gui.core.causes import CORRECT, LETTERS, VEIL
from gacc_gui.core.reviewing import strip_with
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.lists.words import cause_name, joined
from gacc_gui.gui.veil import NO_VEIL, Veil

if TYPE_CHECKING:
    from gacc_gui.core.reviewing import ReviewedRow
    from gacc_gui.gui.session import Session
    from gacc_gui.store.rows import Decided

Marks = Mapping[int, bool]
"""By a question's place: whether the decision makes another row of it than the judge did."""


@dataclass(frozen=True, slots=True)
class Signs:
    """The decisions on a run's rows by unit and place, and the veil over some of them."""

    decided: Mapping[int, Mapping[int, ReviewedRow]] = field(default_factory=dict)
    veil: Veil = NO_VEIL
    terms: Terms = GOALS

    def strip(self, unit: int, strip: str) -> str:
        """Return a strip as it is to be seen."""
        return self.veil.over_strip(unit, strip)

    def as_counted(self, unit: int, strip: str) -> str:
        """Return a strip with the causes as reviewed, as it is to be seen."""
        return self.strip(unit, strip_with(strip, self.decided.get(unit, {}).values()))

    def of(self, unit: int, place: int) -> ReviewedRow | None:
        """Return what was decided on a question, where that may be seen."""
        return dict(self._seen(unit)).get(place)

    def marks(self, unit: int) -> Marks:
        """Return the marks of a unit's squares; a hidden one has none."""
        return {place: row.differs for place, row in self._seen(unit)}

    def lines(self, unit: int) -> Iterator[tuple[int, str]]:
        """Yield what people decided on a unit's questions: the place, and a sentence."""
        for place, row in sorted(self._seen(unit)):
            yield place, decided_words(row, self.terms)

    def _seen(self, unit: int) -> list[tuple[int, ReviewedRow]]:
        rows = self.decided.get(unit)
        if not rows:
            return []
        hidden = self.veil.places(unit)
        return [(place, row) for place, row in rows.items() if place not in hidden]


NO_SIGNS = Signs()


def signs_of(session: Session) -> Signs:
    """Return the signs of the session's run."""
    reviewed = session.reviewed
    decided: dict[int, dict[int, ReviewedRow]] = {}
    for row in reviewed.rows if reviewed is not None else ():
        decided.setdefault(row.judged.unit, {})[row.judged.place] = row
    return Signs(decided, session.veil, session.terms)


def decided_in(session: Session) -> Decided | None:
    """Return what the goals list is to know of decisions: where they count, or the filter asks for them.

    And what it is not to know, of verdicts and of decisions.
    """
    from gacc_gui.core.filters import REVIEW_KEYS

    rows = session.reviewed.rows if session.reviewed is not None else ()
    counts, hidden = session.options.as_reviewed, session.veil.hidden()
    if not (counts or any(term.key in REVIEW_KEYS for term in session.query.row_terms)):
        rows = ()
    if not rows and not hidden:
        return None
    from gacc_gui.store.rows import Decided

    return Decided(rows, counts, hidden)


def decided_words(row: ReviewedRow, terms: Terms = GOALS) -> str:
    """Say the judge's verdict and the decision that counts: “judge incorrect, truncation; Ada correct”."""
    from gacc_gui.gui.lists.plain import cell_text

    decides = row.standing.decides
    judge = _labelled(row.judged.label, row.judged.cause, terms)
    said = decides.decision if decides.decision != row.label else _labelled(row.label, row.cause, terms)
    conflict = "reviewers disagree" if row.standing.conflict else ""
    return joined((f"{terms.judge} {judge}; {cell_text(decides.reviewer, 40)} {said}", conflict))


def _labelled(label: str | None, cause: str, terms: Terms) -> str:
    if label is None:
        return f"no {terms.verdict}"
    return label if label == "correct" else f"{label}, {cause_name(cause)}"


def known_right(strip: str) -> tuple[int, int]:
    """Return how many questions of a strip are seen to be right, and how many are hidden."""
    return strip.count(LETTERS[CORRECT]), strip.count(VEIL)


def numbered(lines: Iterable[tuple[int, str]]) -> list[str]:
    """Return what was decided on questions as lines."""
    return [f"question {place + 1}: {words}" for place, words in lines]
