"""What the answers to probes mean: whether they confirm the cause of a row, and what else they say.

Owns results, rules and their sentences, so that command, window and report say the same. A row's cause is
what the lookup made of it (`core.causes`); a probe is an experiment on it. Pure.

A **result** is that of one material over all its probes: `right`, `wrong`, `rejected` (never right, and an
answer was judged incorrect although it equals a reference: the judge's doing), `mixed` (right now and then),
or `unknown` (no label was given).
Where the same memory, asked again, gives a right answer, the failure is not stable: no text has to change for
it to go. Otherwise, by cause:

- `truncation`: confirmed by right with the proposal, refuted by wrong; under a budget of 0, which leaves no
  tail, by right or wrong with the evidence.
- `compressor`: confirmed by wrong with the proposal and right with the evidence (or, not asked with that,
  right with the source); refuted by right with the proposal, or by wrong with evidence and source.
- `reader`: confirmed by wrong with the memory again and wrong with the evidence or the source. Given evidence
  is enough by definition; where a reference was only found, right with the proposal or the source refutes.
- `item`: confirmed by wrong with the source, refuted by right.
- `judge`: confirmed where an answer that equals a reference is called incorrect again, or correct this time.
- `correct`: confirmed by right again, refuted by wrong.

`unlocated` and `no-verdict` claim nothing; what the probes point to is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from gacc_gui.core import causes
from gacc_gui.core.causes import answer_equals_reference
from gacc_gui.core.probing import EMPTY, EVIDENCE, PROPOSAL, RETAINED_AGAIN, SOURCE
from gacc_gui.core.records import MATERIALS, Probe, Question

RIGHT: Final = "right"
WRONG: Final = "wrong"
REJECTED: Final = "rejected"
MIXED: Final = "mixed"
UNKNOWN: Final = "unknown"
RESULTS: Final = (RIGHT, WRONG, REJECTED, MIXED, UNKNOWN)

CONFIRMS: Final = "confirms"
REFUTES: Final = "refutes"
UNDECIDED: Final = "undecided"
OUTCOMES: Final = (CONFIRMS, REFUTES, UNDECIDED)


@dataclass(frozen=True, slots=True)
class AskedRow:
    """A row that probes are about: what it came to, and what the rules need of its memory and question."""

    cause: str
    label: str | None
    """The one that counts."""
    references: tuple[str, ...] = ()
    given_evidence: bool = False
    """Whether its evidence was given, not looked for by a reference."""
    nothing_cut: bool = False
    """Whether proposal and retained text are the same: the row itself was asked with the proposal."""
    no_budget: bool = False
    no_memory: bool = False
    """Whether the memory has no text, so that the row can never be asked with it again."""


@dataclass(frozen=True, slots=True)
class Stability:
    """How often the same memory gave a right or a wrong answer, the row itself included."""

    right: int
    wrong: int

    @property
    def is_stable(self) -> bool:
        """Whether it was the same every time."""
        return not (self.right and self.wrong)


@dataclass(frozen=True, slots=True)
class Finding:
    """What the probes of a row say of its cause. `reason` names the rule, a key of SENTENCES.

    `suggests` is the cause they point to instead, where they do; `results` by material, of those asked with;
    `known_anyway`: whether the reader is right with an empty memory; None where that was not asked, or not
    answered. `stability` None: not asked again.
    """

    cause: str
    outcome: str
    reason: str
    suggests: str | None = None
    results: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    known_anyway: bool | None = None
    stability: Stability | None = None

    @property
    def sentence(self) -> str:
        """What is found, in one clause, such as “right with the tail restored: truncation confirmed”."""
        words = SENTENCES[self.reason]
        cause = self.cause.replace("-", " ")
        if self.outcome == CONFIRMS:
            words += f": {cause} confirmed"
        elif self.outcome == REFUTES:
            words += f": {cause} refuted"
        if self.suggests is not None:
            words += f"; points to {self.suggests}"
        return words

    @property
    def notes(self) -> tuple[str, ...]:
        """What else the probes say, a sentence each."""
        notes = []
        if self.known_anyway is not None:
            notes.append(
                "Right with an empty memory: the reader knows it anyway."
                if self.known_anyway
                else "Wrong with an empty memory: the reader does not know it anyway."
            )
        if (found := self.stability) is not None:
            asked = found.right + found.wrong
            every = "stable" if found.is_stable else "not stable"
            notes.append(f"With the same memory right {found.right} of {asked} times: {every}.")
        return tuple(notes)


SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "not-asked": "not asked yet with what would tell",
        "no-label": "asked, and there is no verdict to go by",
        "mixed": "right and wrong by turns with the same text",
        "unstable": "right with the same memory, too, so the failure is not stable",
        "rejected": "the answer equals a reference now, and the judge calls it incorrect",
        "tail-restores": "right with the tail restored",
        "tail-no-help": "wrong even with the tail restored",
        "room-restores": "right with the evidence that a budget of 0 has no room for",
        "room-no-help": "wrong even with the evidence that a budget of 0 has no room for",
        "evidence-restores": "wrong with the proposal, right with the evidence added",
        "source-restores": "wrong with the proposal, right with the source",
        "proposal-says": "right with the proposal, which lacks the evidence as written",
        "proposal-not-asked": "right with the evidence added, and not asked with the proposal",
        "evidence-not-enough": "wrong with the evidence added, right with the source, so it takes more",
        "evidence-no-help": "wrong even with the evidence added",
        "nothing-helps": "wrong with the evidence added, and wrong with the source",
        "reader-unstable": "right with the same memory this time",
        "reader-again": "wrong again with all the evidence in the memory",
        "reader-source": "wrong again, and wrong with the source",
        "reader-again-tail": "wrong again with all the evidence in the memory, right with the tail restored",
        "found-not-enough": "right with more than the memory, in which a reference was found",
        "source-wrong": "wrong even with the source",
        "source-right": "right with the source, which says it in other words than the item",
        "judge-again": "the answer equals a reference, and the judge calls it incorrect again",
        "judge-changed": "the answer equals a reference, and the judge calls it correct this time",
        "no-help": "wrong with whatever was asked with",
        "no-memory": "there is no memory that could be asked with again",
        "answered-right": "there was no verdict; asked again it is right",
        "answered-wrong": "there was no verdict; asked again it is wrong",
        "still-right": "right again with the same memory",
        "no-longer-right": "wrong with the same memory this time",
    }
)
"""The sentence of each reason; what it does to the cause is added by `Finding.sentence`."""


def result_of(probe: Probe, references: Sequence[str] | None) -> str:
    """Return the result of one probe: right, wrong, rejected or unknown."""
    verdict = probe.verdict
    if verdict is None or verdict.status != "judged" or probe.answer.status not in ("ok", "truncated"):
        return UNKNOWN
    if verdict.label == "correct":
        return RIGHT
    if verdict.label != "incorrect":
        return UNKNOWN
    return REJECTED if answer_equals_reference(probe.answer.text, references) else WRONG


def asked_row(
    cause: str,
    label: str | None,
    question: Question,
    proposed: str | None,
    retained: str | None,
    budget: int | None,
) -> AskedRow:
    """Return a row as the rules need it; texts and budget are the memory's."""
    return AskedRow(
        cause,
        label,
        tuple(question.references or ()),
        bool(question.evidence),
        proposed is not None and proposed == retained,
        budget == 0,
        retained is None,
    )


def find(row: AskedRow, probes: Iterable[Probe]) -> Finding:
    """Return what the probes of a row say, in whatever order they come."""
    by_material: dict[str, list[str]] = defaultdict(list)
    for probe in probes:
        by_material[probe.given].append(result_of(probe, row.references))
    results: dict[str, str] = {
        kind: _together(by_material[kind]) for kind in MATERIALS if kind in by_material
    }
    outcome, reason, suggests = _RULES[row.cause](row, results)
    empty = results.get(EMPTY)
    return Finding(
        row.cause,
        outcome,
        reason,
        suggests if suggests != row.cause else None,
        MappingProxyType(results),
        {RIGHT: True, WRONG: False}.get(empty or ""),
        _stability(row, by_material.get(RETAINED_AGAIN, ())),
    )


def _together(results: Iterable[str]) -> str:
    found = set(results) - {UNKNOWN}
    if not found:
        return UNKNOWN
    if len(found) == 1:
        return found.pop()
    return MIXED if RIGHT in found else REJECTED


def _stability(row: AskedRow, again: Iterable[str]) -> Stability | None:
    said = [result == RIGHT for result in again if result != UNKNOWN]
    if not said:
        return None
    if row.label is not None:
        said.append(row.label == "correct")
    return Stability(sum(said), len(said) - sum(said))


_Ruling = tuple[str, str, str | None]
_Results = Mapping[str, str]


def _unclear(result: str | None) -> _Ruling:
    """Return the ruling where the result that would tell is neither right nor wrong."""
    if result == REJECTED:
        return UNDECIDED, "rejected", causes.JUDGE
    return UNDECIDED, {None: "not-asked", UNKNOWN: "no-label"}.get(result, "mixed"), None


def _is_unstable(results: _Results) -> bool:
    return results.get(RETAINED_AGAIN) in (RIGHT, MIXED)


def _of_proposal(row: AskedRow, results: _Results) -> str | None:
    """Return the result with the proposal; where nothing was cut off, the row's own."""
    result = results.get(PROPOSAL)
    if result is None and row.nothing_cut:
        result = results.get(RETAINED_AGAIN)
        if result is None and row.label == "incorrect":
            return WRONG
    return result


def _truncation(row: AskedRow, results: _Results) -> _Ruling:
    if _is_unstable(results):
        return UNDECIDED, "unstable", causes.READER
    evidence = results.get(EVIDENCE)
    if row.no_budget:
        result = evidence or results.get(SOURCE)
        if result == RIGHT:
            return CONFIRMS, "room-restores", None
        return (REFUTES, "room-no-help", causes.READER) if result == WRONG else _unclear(result)
    result = results.get(PROPOSAL)
    if result == RIGHT:
        return CONFIRMS, "tail-restores", None
    if result != WRONG:
        return _unclear(result)
    if REJECTED in (evidence, results.get(SOURCE)):
        return REFUTES, "tail-no-help", causes.JUDGE
    return REFUTES, "tail-no-help", causes.READER if evidence in (RIGHT, WRONG) else None


def _compressor(row: AskedRow, results: _Results) -> _Ruling:
    if _is_unstable(results):
        return UNDECIDED, "unstable", causes.READER
    proposal, evidence, source = _of_proposal(row, results), results.get(EVIDENCE), results.get(SOURCE)
    if proposal == RIGHT:
        return REFUTES, "proposal-says", causes.TRUNCATION
    if evidence == RIGHT:
        if proposal is None:
            return UNDECIDED, "proposal-not-asked", None
        return (CONFIRMS, "evidence-restores", None) if proposal == WRONG else _unclear(proposal)
    if evidence == WRONG:
        if source == RIGHT:
            return UNDECIDED, "evidence-not-enough", None
        if source == WRONG:
            return REFUTES, "nothing-helps", causes.READER
        return UNDECIDED, "evidence-no-help", causes.JUDGE if source == REJECTED else None
    if evidence is None and source == RIGHT and proposal == WRONG:
        return CONFIRMS, "source-restores", None
    return _unclear(evidence)


def _reader(row: AskedRow, results: _Results) -> _Ruling:
    # All evidence is retained, so that nothing is added to it: both are the memory, asked again.
    again = {results[kind] for kind in (RETAINED_AGAIN, EVIDENCE) if kind in results}
    if again & {RIGHT, MIXED}:
        return CONFIRMS, "reader-unstable", None
    proposal, source = results.get(PROPOSAL), results.get(SOURCE)
    if REJECTED in again or WRONG not in again:
        return _unclear(REJECTED if REJECTED in again else UNKNOWN if again else None)
    if not row.given_evidence and RIGHT in (proposal, source):
        return REFUTES, "found-not-enough", causes.TRUNCATION if proposal == RIGHT else causes.COMPRESSOR
    if source == WRONG:
        return CONFIRMS, "reader-source", None
    if EVIDENCE not in results:
        return _unclear(source)
    return CONFIRMS, "reader-again-tail" if proposal == RIGHT else "reader-again", None


def _item(row: AskedRow, results: _Results) -> _Ruling:
    source, proposal = results.get(SOURCE), _of_proposal(row, results)
    if source == WRONG:
        return CONFIRMS, "source-wrong", None
    if source != RIGHT:
        return _unclear(source)
    suggests = {RIGHT: causes.TRUNCATION, WRONG: causes.COMPRESSOR}.get(proposal or "")
    return REFUTES, "source-right", suggests


def _judge(_row: AskedRow, results: _Results) -> _Ruling:
    again = results.get(RETAINED_AGAIN)
    if REJECTED in results.values():
        return CONFIRMS, "judge-again", None
    if again in (RIGHT, MIXED):
        return CONFIRMS, "judge-changed", None
    return _unclear(again) if again != WRONG else (UNDECIDED, "no-help", None)


def _unlocated(row: AskedRow, results: _Results) -> _Ruling:
    if _is_unstable(results):
        return UNDECIDED, "unstable", causes.READER
    proposal, source = _of_proposal(row, results), results.get(SOURCE)
    if proposal == RIGHT:
        return UNDECIDED, "tail-restores", causes.TRUNCATION
    if source == RIGHT and proposal == WRONG:
        return UNDECIDED, "source-restores", causes.COMPRESSOR
    if source == WRONG:
        return UNDECIDED, "source-wrong", causes.READER
    return _unclear(source)


def _no_verdict(row: AskedRow, results: _Results) -> _Ruling:
    again = results.get(RETAINED_AGAIN)
    if again is None and row.no_memory and results:
        return UNDECIDED, "no-memory", None
    if again == RIGHT:
        return UNDECIDED, "answered-right", None
    return (UNDECIDED, "answered-wrong", None) if again == WRONG else _unclear(again)


def _correct(_row: AskedRow, results: _Results) -> _Ruling:
    again = results.get(RETAINED_AGAIN)
    if again == RIGHT:
        return CONFIRMS, "still-right", None
    return (REFUTES, "no-longer-right", None) if again == WRONG else _unclear(again)


_RULES: Final[Mapping[str, Callable[[AskedRow, _Results], _Ruling]]] = MappingProxyType(
    {
        causes.CORRECT: _correct,
        causes.TRUNCATION: _truncation,
        causes.COMPRESSOR: _compressor,
        causes.READER: _reader,
        causes.JUDGE: _judge,
        causes.ITEM: _item,
        causes.UNLOCATED: _unlocated,
        causes.NO_VERDICT: _no_verdict,
    }
)
