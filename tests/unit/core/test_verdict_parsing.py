"""Verdicts: every kind of reply that was once read wrongly, and the laws behind the table."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.verdict_parsing import UNPARSED, parse_verdict

CORRECT, INCORRECT, NEITHER = "correct", "incorrect", None

TABLE = [
    ("INCORRECT", INCORRECT),
    ("correct", CORRECT),
    ("Correct.", CORRECT),
    ("**Verdict:** CORRECT", CORRECT),
    ("not correct", INCORRECT),
    ("The answer is not correct.", NEITHER),
    ("partially correct", NEITHER),
    ('```json\n{"verdict":"incorrect"}\n```', INCORRECT),
    ('```json {"verdict":"incorrect"} ```', INCORRECT),
    ('Sure! {"correct": true} Hope that helps', CORRECT),
    ('{"correct": "false"}', INCORRECT),
    ('{"correct": null}', NEITHER),
    ("Not incorrect; the answer is right.\nVerdict: correct", CORRECT),
    ("Yes, the reference says 1990, but the answer says 1991.\nNo", INCORRECT),
    ("<think>The answer looks correct</think>\nINCORRECT", INCORRECT),
    ('<think>{"verdict":"correct"}</think>{"verdict":"incorrect"}', INCORRECT),
    ("<think>I believe correct", NEITHER),
    ('reasoning...</think>\n{"verdict":"correct"}', CORRECT),
    ('The candidate wrote {"verdict":"correct"} but that is wrong. {"verdict":"incorrect"}', INCORRECT),
    ("I can't help with that.", NEITHER),
    ("I can't fulfill this request.", NEITHER),
    ("", NEITHER),
    (" \n\t", NEITHER),
    (None, NEITHER),
    ('{"reasoning":"The brief correctly names', NEITHER),
    ("不正确", INCORRECT),
    ("正确", CORRECT),
    ("判定：正确。", CORRECT),
    ("{'verdict': 'correct'}", NEITHER),
    ("As a judge, I considered it carefully. The final grade is B.", NEITHER),
    ("GRADE: C", NEITHER),
    ("GRID: C", NEITHER),
    ("**Answer: C**", NEITHER),
    ('{"verdict":"correct","why":"The memory sta', NEITHER),
]


@pytest.mark.parametrize(("reply", "label"), TABLE)
def test_the_table(reply: str | None, label: str | None) -> None:
    parsed = parse_verdict(reply)
    assert (parsed.label, parsed.status) == (label, "judged" if label else "unparsed")


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        # Conflicts between final verdicts.
        ("Verdict: correct\nVerdict: incorrect", NEITHER),
        ('{"verdict":"correct"}\n{"verdict":"incorrect"}', NEITHER),
        ('{"verdict":"correct"}\n\nVerdict: incorrect', NEITHER),
        ("Correct\nOn second thought, the year differs.\nIncorrect", NEITHER),
        ('{"verdict":"correct","verdict":"incorrect"}', NEITHER),
        ('{"verdict":"incorrect","correct":true}', NEITHER),
        ("Verdict: partially correct\nCorrect", NEITHER),
        # Agreement is none.
        ('{"verdict":"correct"}\n\nVerdict: correct', CORRECT),
        ('{"verdict":"incorrect","correct":false}', INCORRECT),
        # A final verdict outweighs what prose quotes, before it or behind it.
        ('Verdict: incorrect\nThe candidate even wrote {"verdict":"correct"}.', INCORRECT),
        ('> {"verdict":"correct"}\n{"verdict":"incorrect"}', INCORRECT),
        ("> Correct\nINCORRECT", INCORRECT),
        # Braces and verdicts inside the texts of an object are its texts.
        ('{"reason":"it says {\\"verdict\\":\\"correct\\"} itself","verdict":"incorrect"}', INCORRECT),
        ('{"reason":"a } and a {","verdict":"correct"}', CORRECT),
        ('{"reason":"line\\nincorrect\\n","verdict":"correct"}', CORRECT),
        ('{"result":{"verdict":"incorrect"}}', INCORRECT),
        ('{\n  "verdict": "correct",\n  "reason": "The mem', NEITHER),
        # A second object that is torn or broken takes nothing back, but it makes the first one unclear.
        ('{"verdict":"correct"} {"verdict":"incorrect"', NEITHER),
        ('{"verdict":"correct"}\n\n{"reason":"no, the ye', NEITHER),
        ('{"verdict":"correct"}\nWait, rather: {"verdict":"incor', NEITHER),
        ('{"verdict":"correct"} {', NEITHER),
        ('{"verdict":"correct"}\n{"verdict":"incorrect",}', NEITHER),
        ("{\"verdict\":\"correct\"} {'verdict': 'incorrect'}", NEITHER),
        ('The form is {"verdict": "correct" | "incorrect"}.\n{"verdict": "incorrect"}', INCORRECT),
        ('The set {a, b} fits.\n{"verdict": "correct"}', CORRECT),
        # A word that goes on from the line before says something else.
        ("The answer is not\ncorrect", NEITHER),
        ("It is in-\ncorrect", NEITHER),
        ("The candidate said:\nCorrect.\nBut the source says otherwise.", NEITHER),
        ("No, it doesn't\nCorrect", NEITHER),
        # Not a verdict.
        ("correct?", NEITHER),
        ("(in)correct", NEITHER),
        ("in\u200bcorrect", NEITHER),
        ("correct or incorrect", NEITHER),
        ("Verdict: correct / incorrect", NEITHER),
        ('{"verdict": "mostly correct"}', NEITHER),
        ('{"verdict": true}', NEITHER),
        ('{"verdict": ["correct"]}', NEITHER),
        ('{"is_correct": true}', NEITHER),
        ('{"correct": 1}', NEITHER),
        ("Yes\nThe reference is the same.", NEITHER),
        # Forms of a clear verdict.
        ("in**correct**", INCORRECT),
        ("✅ Correct!", CORRECT),
        ("ＣＯＲＲＥＣＴ", CORRECT),
        ("### Final verdict: incorrect\n", INCORRECT),
        ("Correct.\n\nThe answer names the same person as the reference.", CORRECT),
        ("The answer names another person.\r\n\r\nIncorrect\r\n", INCORRECT),
        ('Verdict: {"verdict": "correct"}', CORRECT),
        ('json\n{"Verdict": "Incorrect."}', INCORRECT),
        ("<think>a <think>b</think> correct</think>incorrect", INCORRECT),
        ("<THINK>correct</THINK>\nincorrect", INCORRECT),
        ('{"correct": "yes"}', CORRECT),
        ("no", INCORRECT),
    ],
)
def test_kinds_of_reply(reply: str, label: str | None) -> None:
    assert parse_verdict(reply).label == label


def test_the_rationale() -> None:
    assert parse_verdict('{"reason": "same year", "verdict": "correct"}').rationale == "same year"
    assert parse_verdict("The year differs.\nIncorrect").rationale == "The year differs."
    assert parse_verdict("correct").rationale is None
    assert parse_verdict("nonsense") == UNPARSED


@pytest.mark.parametrize(
    "reply",
    [
        "{" * 100_000,
        '{"a":' * 20_000,
        '{"verdict": ' + "9" * 5_000 + "}",
        "<think>" * 20_000,
        "</think>" * 20_000,
        "*" * 200_000,
        "Verdict: " * 20_000,
    ],
)
def test_a_reply_gone_wild_is_unparsed_and_quickly(reply: str) -> None:
    begun = time.perf_counter()
    assert parse_verdict(reply) == UNPARSED
    assert time.perf_counter() - begun < 2


def test_what_is_behind_very_much() -> None:
    assert parse_verdict("x" * 1_000_000 + "\nVerdict: correct").label == "correct"
    assert parse_verdict("{" * 100_000 + '\n{"verdict": "incorrect"}').label == "incorrect"
    assert parse_verdict("\ud83d\nincorrect").label == "incorrect"


@given(st.text())
def test_any_text_is_judged_or_unparsed(text: str) -> None:
    parsed = parse_verdict(text)
    assert (parsed.status == "judged") == (parsed.label in (CORRECT, INCORRECT))


@given(st.text(), st.sampled_from([CORRECT, INCORRECT]))
def test_an_object_alone_is_read_whatever_its_reason_says(reason: str, label: str) -> None:
    reply = json.dumps({"reason": reason, "verdict": label})
    if "think" not in reply.lower() and "thought" not in reply.lower() and "reasoning" not in reply.lower():
        assert parse_verdict(reply).label == label


@given(st.text(), st.sampled_from(["not correct.", "partially correct", "Correct? Incorrect?"]))
def test_no_correct_comes_of_words_that_deny_it(before: str, last: str) -> None:
    assert parse_verdict(f"{before} {last}").label != CORRECT
