"""What probes say of a cause: every rule, as it is written at the head of the module."""

from __future__ import annotations

from itertools import permutations

import pytest

from gacc_gui.core.causes import CAUSES
from gacc_gui.core.probe_findings import (
    CONFIRMS,
    REFUTES,
    SENTENCES,
    UNDECIDED,
    AskedRow,
    asked_row,
    find,
    result_of,
)
from gacc_gui.core.probing import EMPTY, EVIDENCE, PROPOSAL, RETAINED_AGAIN, SOURCE
from gacc_gui.core.records import Probe, ProbeAnswer, ProbeVerdict, Question

KINDS = {"s": SOURCE, "r": RETAINED_AGAIN, "p": PROPOSAL, "e": EVIDENCE, "0": EMPTY}
REFERENCES = ("noon",)


def probe(kind: str, result: str, attempt: int = 0) -> Probe:
    """`+` right, `x` wrong, `!` rejected, `?` no label, `-` no answer."""
    text = {"!": "“Noon.”", "-": None}.get(result, "at ten")
    label = {"+": "correct", "x": "incorrect", "!": "incorrect"}.get(result)
    verdict = None if result == "-" else ProbeVerdict(label, "judged" if label else "unparsed")
    return Probe(
        f"{kind}{attempt}",
        "m",
        "q",
        0,
        KINDS[kind],
        attempt,
        ProbeAnswer(text, "no_answer" if text is None else "ok"),
        verdict,
        "2026-11-30T00:00:00Z",
    )


def probes(written: str) -> list[Probe]:
    """`s+ rx rx` is: right with the source, twice wrong with the same memory."""
    return [probe(word[0], word[1], number) for number, word in enumerate(written.split())]


def row(cause: str, **more: bool) -> AskedRow:
    label = {"correct": "correct", "no-verdict": None}.get(cause, "incorrect")
    return AskedRow(cause, label, REFERENCES, **{"given_evidence": True, **more})


TRUNCATION = [
    ("p+", CONFIRMS, "tail-restores", None),
    ("p+ rx s+ e+ 0x", CONFIRMS, "tail-restores", None),
    ("px", REFUTES, "tail-no-help", None),
    ("px ex sx", REFUTES, "tail-no-help", "reader"),
    ("px e+", REFUTES, "tail-no-help", "reader"),
    ("px e!", REFUTES, "tail-no-help", "judge"),
    ("p!", UNDECIDED, "rejected", "judge"),
    ("p?", UNDECIDED, "no-label", None),
    ("p-", UNDECIDED, "no-label", None),
    ("p+ px", UNDECIDED, "mixed", None),
    ("p! px", UNDECIDED, "rejected", "judge"),
    ("p+ r+", UNDECIDED, "unstable", "reader"),
    ("p+ rx r+", UNDECIDED, "unstable", "reader"),
    ("s+ ex", UNDECIDED, "not-asked", None),
    ("0x", UNDECIDED, "not-asked", None),
]
COMPRESSOR = [
    ("px e+", CONFIRMS, "evidence-restores", None),
    ("px e+ s+ rx 0x", CONFIRMS, "evidence-restores", None),
    ("px s+", CONFIRMS, "source-restores", None),
    ("p+", REFUTES, "proposal-says", "truncation"),
    ("p+ e+", REFUTES, "proposal-says", "truncation"),
    ("e+", UNDECIDED, "proposal-not-asked", None),
    ("p? e+", UNDECIDED, "no-label", None),
    ("px ex s+", UNDECIDED, "evidence-not-enough", None),
    ("px ex sx", REFUTES, "nothing-helps", "reader"),
    ("px ex", UNDECIDED, "evidence-no-help", None),
    ("px ex s!", UNDECIDED, "evidence-no-help", "judge"),
    ("px e! s!", UNDECIDED, "rejected", "judge"),
    ("px e? s?", UNDECIDED, "no-label", None),
    ("px e+ ex", UNDECIDED, "mixed", None),
    ("px e+ r+", UNDECIDED, "unstable", "reader"),
    ("px", UNDECIDED, "not-asked", None),
]
READER = [
    ("rx ex", CONFIRMS, "reader-again", None),
    ("rx ex px s+", CONFIRMS, "reader-again", None),
    ("rx ex p+ s+", CONFIRMS, "reader-again-tail", None),
    ("rx sx", CONFIRMS, "reader-source", None),
    ("rx ex px sx", CONFIRMS, "reader-source", None),
    ("r+", CONFIRMS, "reader-unstable", None),
    ("rx rx r+ ex", CONFIRMS, "reader-unstable", None),
    ("rx", UNDECIDED, "not-asked", None),
    ("sx", UNDECIDED, "not-asked", None),
    ("r?", UNDECIDED, "no-label", None),
    ("r!", UNDECIDED, "rejected", "judge"),
    ("rx r! ex", UNDECIDED, "rejected", "judge"),
]
ITEM = [
    ("sx", CONFIRMS, "source-wrong", None),
    ("sx px rx", CONFIRMS, "source-wrong", None),
    ("s+", REFUTES, "source-right", None),
    ("s+ px", REFUTES, "source-right", "compressor"),
    ("s+ p+", REFUTES, "source-right", "truncation"),
    ("s!", UNDECIDED, "rejected", "judge"),
    ("rx", UNDECIDED, "not-asked", None),
]
JUDGE = [
    ("r!", CONFIRMS, "judge-again", None),
    ("r+", CONFIRMS, "judge-changed", None),
    ("rx s!", CONFIRMS, "judge-again", None),
    ("rx", UNDECIDED, "no-help", None),
    ("0x", UNDECIDED, "not-asked", None),
]
UNLOCATED = [
    ("p+ rx", UNDECIDED, "tail-restores", "truncation"),
    ("px s+", UNDECIDED, "source-restores", "compressor"),
    ("px sx", UNDECIDED, "source-wrong", "reader"),
    ("r+ p+", UNDECIDED, "unstable", "reader"),
    ("rx", UNDECIDED, "not-asked", None),
]
NO_VERDICT = [
    ("r+", UNDECIDED, "answered-right", None),
    ("rx", UNDECIDED, "answered-wrong", None),
    ("r-", UNDECIDED, "no-label", None),
    ("s+", UNDECIDED, "not-asked", None),
]
CORRECT = [
    ("r+ r+", CONFIRMS, "still-right", None),
    ("rx", REFUTES, "no-longer-right", None),
    ("r+ rx", UNDECIDED, "mixed", None),
    ("0+", UNDECIDED, "not-asked", None),
]
TABLE = [
    (cause, *case)
    for cause, cases in (
        ("truncation", TRUNCATION),
        ("compressor", COMPRESSOR),
        ("reader", READER),
        ("item", ITEM),
        ("judge", JUDGE),
        ("unlocated", UNLOCATED),
        ("no-verdict", NO_VERDICT),
        ("correct", CORRECT),
    )
    for case in cases
]


@pytest.mark.parametrize(("cause", "written", "outcome", "reason", "suggests"), TABLE)
def test_what_probes_say(cause: str, written: str, outcome: str, reason: str, suggests: str | None) -> None:
    found = find(row(cause), probes(written))
    assert (found.outcome, found.reason, found.suggests) == (outcome, reason, suggests)
    assert found.cause == cause
    for order in list(permutations(probes(written)))[:24]:
        assert find(row(cause), order) == found


def test_every_cause_has_cases_and_every_sentence_its_use() -> None:
    assert {case[0] for case in TABLE} == set(CAUSES)
    used = {case[3] for case in TABLE} | {"room-restores", "room-no-help", "found-not-enough", "no-memory"}
    assert used == set(SENTENCES)


@pytest.mark.parametrize(
    ("written", "outcome", "reason", "suggests"),
    [
        ("rx ex s+", REFUTES, "found-not-enough", "compressor"),
        ("rx ex p+ s+", REFUTES, "found-not-enough", "truncation"),
        ("rx ex px sx", CONFIRMS, "reader-source", None),
        ("rx ex", CONFIRMS, "reader-again", None),
    ],
)
def test_a_reference_that_was_only_found_is_a_guess(
    written: str, outcome: str, reason: str, suggests: str | None
) -> None:
    found = find(row("reader", given_evidence=False), probes(written))
    assert (found.outcome, found.reason, found.suggests) == (outcome, reason, suggests)


@pytest.mark.parametrize(
    ("written", "outcome", "reason"),
    [
        ("e+ px", CONFIRMS, "room-restores"),
        ("s+", CONFIRMS, "room-restores"),
        ("ex s+", REFUTES, "room-no-help"),
        ("px", UNDECIDED, "not-asked"),
        ("e!", UNDECIDED, "rejected"),
    ],
)
def test_under_a_budget_of_0_there_is_no_tail(written: str, outcome: str, reason: str) -> None:
    found = find(row("truncation", no_budget=True), probes(written))
    assert (found.outcome, found.reason) == (outcome, reason)


def test_where_nothing_was_cut_the_row_itself_was_asked_with_the_proposal() -> None:
    whole = row("compressor", nothing_cut=True)
    assert find(whole, probes("e+")).reason == "evidence-restores"
    assert find(whole, probes("s+ rx")).outcome == CONFIRMS
    assert find(row("item", nothing_cut=True), probes("s+")).suggests == "compressor"


def test_what_is_said() -> None:
    found = find(row("truncation"), probes("p+ rx 0x"))
    assert found.sentence == "right with the tail restored: truncation confirmed"
    assert found.results == {"retained": "wrong", "proposal": "right", "empty": "wrong"}
    assert found.known_anyway is False
    assert found.stability is not None and (found.stability.right, found.stability.wrong) == (0, 2)
    assert found.notes == (
        "Wrong with an empty memory: the reader does not know it anyway.",
        "With the same memory right 0 of 2 times: stable.",
    )
    refuted = find(row("compressor"), probes("p+ rx"))
    assert refuted.sentence.endswith(
        "which lacks the evidence as written: compressor refuted; points to truncation"
    )
    assert find(row("truncation"), probes("s+")).sentence == "not asked yet with what would tell"


def test_the_same_memory_asked_several_times() -> None:
    found = find(row("truncation"), probes("rx r+ rx r? r-"))
    assert found.stability is not None and (found.stability.right, found.stability.wrong) == (1, 3)
    assert not found.stability.is_stable and "not stable" in found.notes[0]
    assert find(row("truncation"), probes("p+")).stability is None
    unlabelled = find(row("no-verdict"), probes("r+ r+"))
    assert unlabelled.stability is not None and unlabelled.stability.is_stable


@pytest.mark.parametrize(("written", "known"), [("0+", True), ("0x", False), ("0?", None), ("px", None)])
def test_whether_it_is_known_anyway(written: str, known: bool | None) -> None:
    assert find(row("reader"), probes(written)).known_anyway is known


def test_the_result_of_one_probe() -> None:
    assert [result_of(probe("p", sign), REFERENCES) for sign in "+x!?-"] == [
        "right",
        "wrong",
        "rejected",
        "unknown",
        "unknown",
    ]
    assert result_of(probe("p", "!"), None) == "wrong"


def test_a_label_that_nobody_knows_is_no_result() -> None:
    odd = Probe(
        "x", "m", "q", 0, SOURCE, 0, ProbeAnswer("a", "ok"), ProbeVerdict("partial", "judged"), "2026-11-30"
    )
    assert result_of(odd, REFERENCES) == "unknown"


def test_a_row_for_the_rules() -> None:
    asked = Question("q", "g", "When?", ("noon",), ({"quote": "noon"},))
    assert asked_row("reader", None, asked, "a", "a", 0) == AskedRow(
        "reader", None, ("noon",), True, True, True
    )
    bare = Question("q", "g", "When?")
    assert asked_row("item", "incorrect", bare, None, None, None) == AskedRow(
        "item", "incorrect", no_memory=True
    )


def test_a_row_whose_memory_failed_is_not_said_to_wait_for_an_answer() -> None:
    failed = row("no-verdict", no_memory=True)
    assert find(failed, ()).reason == "not-asked"
    found = find(failed, probes("s+ 0x"))
    assert (found.outcome, found.suggests) == (UNDECIDED, None)
    assert found.sentence == "there is no memory that could be asked with again"
