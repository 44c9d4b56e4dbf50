"""What the window says about probes, in words for people. What they mean is `core.probe_findings`'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.probe_findings import MIXED, REJECTED, RIGHT, UNKNOWN, WRONG, result_of
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.lists.words import counted, joined, status_words

if TYPE_CHECKING:
    from gacc_gui.core.records import Probe

TITLES: Final = {
    "source": "Source",
    "retained": "Memory",
    "proposal": "Proposal",
    "evidence": "Evidence",
    "empty": "Empty",
}
"""Of each material, a word for its button."""
GIVEN: Final = {
    "source": "the full source",
    "retained": "the same memory",
    "proposal": "the tail restored",
    "evidence": "the missing evidence added",
    "empty": "an empty memory",
}
"""What takes the memory's place, behind “with”."""
RESULT_WORDS: Final = {
    RIGHT: "✓ right",
    WRONG: "✗ wrong",
    REJECTED: "✗ called incorrect, though it equals a reference",
    MIXED: "right and wrong by turns",
    UNKNOWN: "no verdict",
}
NOT_ASKED: Final = "Not asked again yet. What changes when the memory does tells what the failure is due to."
HIDDEN: Final = (
    "What this {0.row} came to when it was asked again would tell {0.the_verdict}: it is hidden until you "
    "have decided on it."
)
"""Of a row that is hidden from a reviewer (`gui.veil`), whether it was asked again or not."""
EVERYTHING: Final = "everything that makes sense"


def probe_caption(probe: Probe, references: Sequence[str] | None, attempts: int, terms: Terms = GOALS) -> str:
    """Return what stands above a probe's answer; `attempts`: how many there are of its kind."""
    result = result_of(probe, references)
    words = RESULT_WORDS[result]
    if result == UNKNOWN:
        words = _why_unknown(probe, terms)
    attempt = f" ({probe.attempt + 1})" if attempts > 1 else ""
    given = GIVEN.get(probe.given, probe.given)
    return joined([f"With {given}{attempt}: {words}", seconds_words(probe.seconds), cost_words(probe.cost)])


def _why_unknown(probe: Probe, terms: Terms) -> str:
    if probe.answer.status not in ("ok", "truncated"):
        return status_words(probe.answer.status)
    if probe.verdict is None:
        return f"not {terms.judged}"
    return f"no {terms.verdict}, {status_words(probe.verdict.status, terms)}"


def seconds_words(seconds: float | None) -> str:
    """Return a time; rules take none worth telling."""
    return "" if seconds is None or seconds < 0.05 else f"{seconds:.1f} s"


def cost_words(cost: float | None) -> str:
    """Return a cost; nothing where it is not known, or nothing was paid."""
    return "" if cost is None else f"cost {cost:.4f}"


def confirm_words(ahead: Mapping[str, Any]) -> str:
    """Return what is asked before models are called."""
    planned, rows = int(ahead.get("planned", 0)), int(ahead.get("rows", 0))
    words = f"{counted(rows, 'row')}, asked {counted(planned, 'time')}: {ahead.get('sentence', '')}."
    if ahead.get("capped"):
        words += f"\n\nThere are more failures: only the first {rows:,} are asked again."
    return f"{words}\n\nThe services are called for this, and what they charge is charged."


def end_words(document: Mapping[str, Any]) -> str:
    """Return what a session of probes came to, in one line."""
    probes, rows = document.get("probes") or [], document.get("rows") or []
    if not probes and not rows:
        return "Nothing is missing: all that makes sense was asked already."
    outcomes = [row.get("outcome") for row in rows]
    told = [
        f"{outcomes.count(outcome):,} {words}"
        for outcome, words in (("confirms", "confirmed"), ("refutes", "refuted"), ("undecided", "undecided"))
        if outcomes.count(outcome)
    ]
    words = f"Asked again {counted(len(probes), 'time')}"
    if len(rows) > 1:
        words += f": of {counted(len(rows), 'cause')} {', '.join(told)}"
    if document.get("capped"):
        words += "; there are more failures than were asked for"
    return f"{words}."
