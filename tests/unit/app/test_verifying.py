from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from gacc_gui.app.verifying import CHECKS, Check, Verification, recompute_memory, verify_run
from gacc_gui.core.errors import Interrupted
from gacc_gui.core.records import Cell, Context, Goal, Ledger, Memory, Question, Record, Request, Run
from gacc_gui.core.tokens import CodepointCodec

SOURCE = "The pump failed at 02:14. Ines Okafor closed valve K-7. The tank held 812 litres of brine."
PROPOSAL = "Ines Okafor closed valve K-7. The tank held 812 litres of brine."
RUN = Run("r", tokenizer={"name": "codepoint", "revision": "1", "identity_verified": False})
CONTEXT = Context("c", SOURCE)
GOAL = Goal("g", "c", "Keep who closed what.")
QUESTION = Question("q", "g", "Who closed the valve?", references=("Ines Okafor",))


def memory(ratio: str = "0.5", status: str = "ok", condition: str = "own-goal", **changes: Any) -> Memory:
    """A memory as a faultless run has it, but for `changes`."""
    budget = len(SOURCE) if condition == "full-context" else int(float(ratio) * len(SOURCE))
    text = SOURCE if condition == "full-context" else PROPOSAL
    kept = text[:budget]
    ledger = Ledger(len(SOURCE), len(text), len(kept), budget - len(kept), len(kept), 0)
    right = Memory("m", "g", "g", Cell("c", "1", condition, ratio), budget, 0, text, kept, ledger, status)
    return replace(right, **changes)


class Records:
    """A run at hand, as a reader gives it."""

    def __init__(self, *records: Record) -> None:
        self._records = records

    def check_whole(self) -> None:
        """It is."""

    def records(self, run_id: str) -> Iterator[Record]:
        assert run_id == "r"
        return iter(self._records)


def verify(*records: Record, run: Run = RUN, questions: tuple[Question, ...] = (QUESTION,)) -> Verification:
    return verify_run(Records(run, CONTEXT, GOAL, *questions, *records), "r")


def check(verification: Verification, name: str) -> Check:
    return next(check for check in verification.checks if check.name == name)


def failed(verification: Verification) -> set[str]:
    return {check.name for check in verification.checks if check.ok is False}


def test_a_faultless_run_passes_every_check_that_has_something_to_look_at() -> None:
    found = verify(memory(), Request("x", "compressor", f"{SOURCE}\n\n{GOAL.text}", "m"))
    assert [check.name for check in found.checks] == list(CHECKS)
    assert all(check.ok for check in found.checks)
    assert all(check.checked == 1 and not check.failures for check in found.checks)
    assert found.holds


@pytest.mark.parametrize(
    "field",
    ["source_tokens", "proposed_tokens", "retained_tokens", "unused_budget", "reencoded_tokens"],
)
def test_one_wrong_ledger_number_is_one_failure_with_its_name(field: str) -> None:
    right = memory()
    assert right.ledger is not None
    declared = getattr(right.ledger, field) - 1
    found = verify(replace(right, ledger=replace(right.ledger, **{field: declared})))
    assert failed(found) == {field}
    (example,) = check(found, field).examples
    assert (example.memory_id, example.field) == ("m", field)
    assert (example.declared, example.recomputed) == (declared, declared + 1)


def test_padding_must_be_zero() -> None:
    right = memory()
    assert right.ledger is not None
    found = verify(replace(right, ledger=replace(right.ledger, padding_tokens=3)))
    assert failed(found) == {"padding_tokens"}


def test_a_wrong_budget_is_named_and_does_not_drag_other_checks_along() -> None:
    found = verify(memory(budget=46))
    assert failed(found) == {"budgets"}
    (example,) = check(found, "budgets").examples
    assert (example.declared, example.recomputed) == (46, 45)


def test_a_changed_retained_text_is_shown_where_it_parts() -> None:
    right = memory()
    assert right.retained_text is not None
    found = verify(replace(right, retained_text=right.retained_text[:-5] + "XXXXX"))
    assert failed(found) == {"retained_texts"}
    (example,) = check(found, "retained_texts").examples
    assert "XXXXX" in str(example.declared) and "XXXXX" not in str(example.recomputed)
    assert example.detail == "they differ from character 40 on"


def test_text_beyond_the_budget_is_a_budget_violation_too() -> None:
    found = verify(memory(retained_text=PROPOSAL[:50]))
    assert failed(found) == {"retained_texts", "budget_violations"}
    assert check(found, "budget_violations").examples[0].detail == "5 tokens over the budget"


def test_a_budget_of_zero_keeps_nothing() -> None:
    found = verify(memory("0"))
    assert found.holds and check(found, "retained_texts").checked == 1
    assert failed(verify(memory("0", retained_text="I"))) == {"retained_texts", "budget_violations"}


def test_the_full_context_is_the_source_under_a_budget_of_all_of_it() -> None:
    assert verify(memory("1", condition="full-context")).holds
    assert verify(memory("1", condition="full-context", proposed_text=None)).holds
    shortened = verify(memory("1", condition="full-context", retained_text=SOURCE[:-1]))
    assert failed(shortened) == {"retained_texts"}


def test_what_is_not_declared_is_not_compared() -> None:
    found = verify(memory(ledger=None, budget=None))
    for name in ("budgets", "source_tokens", "retained_tokens", "padding_tokens"):
        assert check(found, name).ok is None
        assert check(found, name).why == "the run declares nothing to compare"
    assert check(found, "retained_texts").ok is True


@pytest.mark.parametrize("status", ["error", "no_answer"])
def test_a_failed_memory_has_only_its_budget_recounted(status: str) -> None:
    found = verify(memory(status=status, proposed_text=None, retained_text=None, ledger=None, error="lost"))
    assert found.holds
    assert check(found, "budgets").checked == 1
    assert check(found, "retained_texts").checked == 0


def test_a_retained_text_that_grows_when_encoded_again_violates_nothing() -> None:
    from gacc_gui.formats.vocabulary import load_codec

    codec = load_codec("cl100k_base")
    source = "\u05e9\u05dc\u05d5\u05dd"  # four letters whose cut after three tokens re-encodes to four
    ids = codec.encode(source)
    budget = 3
    kept = codec.decode(ids[:budget])
    ledger = Ledger(len(ids), len(ids), budget, 0, codec.count(kept), 0)
    right = Memory("m", "g", "g", Cell("c", "1", "own-goal", "0.75"), budget, 0, source, kept, ledger, "ok")
    assert (len(ids), codec.count(kept)) == (4, 4)
    recount = recompute_memory(codec, right, source)
    assert recount.over_budget == 0
    assert all(figure.agrees for figure in recount.figures)


def test_an_unknown_tokenizer_leaves_the_recounts_undone_and_says_why() -> None:
    run = replace(RUN, tokenizer={"name": "our-own-tokenizer", "revision": "9"})
    right = memory()
    assert right.ledger is not None
    found = verify(
        replace(right, ledger=replace(right.ledger, padding_tokens=1, retained_tokens=99)), run=run
    )
    assert check(found, "budgets").ok is None
    assert "our-own-tokenizer" in str(check(found, "budgets").why)
    assert failed(found) == {"padding_tokens", "budget_violations"}


def test_no_tokenizer_at_all() -> None:
    found = verify(memory(), run=replace(RUN, tokenizer=None))
    assert check(found, "tokenizer_identity").ok is None
    assert check(found, "tokenizer_identity").why == "the run declares no tokenizer"
    assert found.holds


def test_a_claim_of_identity_that_is_not_ours_fails() -> None:
    tokenizer = {"name": "codepoint", "revision": "1", "identity_verified": True}
    found = verify(memory(), run=replace(RUN, tokenizer=tokenizer))
    assert failed(found) == {"tokenizer_identity"}
    other = {"name": "cl100k_base", "revision": "sha256:" + "0" * 64}
    found = verify(run=replace(RUN, tokenizer=other))
    assert failed(found) == {"tokenizer_identity"}
    assert check(found, "tokenizer_identity").examples[0].declared == "sha256:" + "0" * 64


@pytest.mark.parametrize("claim", [{}, {"identity_verified": True}, {"revision": None}, {"revision": ""}])
def test_a_name_without_a_revision_is_no_identity(claim: dict[str, Any]) -> None:
    found = verify(run=replace(RUN, tokenizer={"name": "cl100k_base", **claim}))
    identity = check(found, "tokenizer_identity")
    assert identity.ok is None and not identity.failures
    assert "declares no revision" in str(identity.why)
    assert found.holds


def test_an_exposure_names_request_memory_and_question() -> None:
    content = f"{SOURCE}\n\n{GOAL.text}\n\nThey will ask: who closed  the VALVE?"
    found = verify(memory(), Request("x", "compressor", content, "m"))
    assert failed(found) == {"compressor_exposures"}
    (example,) = check(found, "compressor_exposures").examples
    assert (example.request_id, example.memory_id, example.question_id) == ("x", "m", "q")
    assert example.recomputed == "Who closed the valve?"


def test_only_compressors_must_not_see_questions() -> None:
    found = verify(memory(), Request("x", "reader", QUESTION.text, "m"), Request("y", "judge", "Ines", "m"))
    assert check(found, "compressor_exposures").ok is None
    assert "no requests to compressors" in str(check(found, "compressor_exposures").why)


def test_failures_are_counted_beyond_the_examples() -> None:
    wrong = [replace(memory(budget=1), id=f"m{i}") for i in range(300)]
    found = check(verify(*wrong), "budgets")
    assert (found.checked, found.failures, len(found.examples)) == (300, 300, 50)


def test_it_says_how_far_it_is_and_stops_when_asked() -> None:
    many = [replace(memory(), id=f"m{i}") for i in range(300)]
    said: list[tuple[int, int | None, str]] = []
    records = Records(RUN, CONTEXT, GOAL, QUESTION, *many)
    verify_run(records, "r", progress=lambda *step: said.append(step))
    assert said[-1] == (300, None, "memories")
    with pytest.raises(Interrupted):
        verify_run(records, "r", cancelled=lambda: True)


def test_recompute_gives_every_figure_beside_the_declared_one() -> None:
    recount = recompute_memory(CodepointCodec(), memory(), SOURCE)
    assert {figure.field: figure.recomputed for figure in recount.figures} == {
        "budget": 45,
        "source_tokens": 90,
        "proposed_tokens": 64,
        "retained_tokens": 45,
        "unused_budget": 0,
        "reencoded_tokens": 45,
        "padding_tokens": 0,
        "retained_text": PROPOSAL[:45],
    }
