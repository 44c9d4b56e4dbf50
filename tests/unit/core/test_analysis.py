from __future__ import annotations

from typing import Any

from gacc_gui.core.analysis import Source, evidence_spans, find, memory_rows
from gacc_gui.core.causes import expected_answers
from gacc_gui.core.evidence import Span
from gacc_gui.core.records import Answer, Cell, Memory, Question, Verdict

TEXT = "The pump is off. Ines closed K-7. The tank held 812 litres. Nobody told anybody else."
CELL = Cell("lead", "1", "own-goal", "0.5")


def memory(proposed: str | None = TEXT, retained: str | None = TEXT[:33], **changed: Any) -> Memory:
    given: dict[str, Any] = {"budget": 9, "status": "ok", **changed}
    return Memory("m", "g", "g", CELL, given["budget"], 0, proposed, retained, None, given["status"])


def question(name: str, quote: str | None = None, references: tuple[str, ...] = ("K-7",)) -> Question:
    return Question(name, "g", "?", references, None if quote is None else ({"quote": quote},))


QUESTIONS = [question("q1", "Ines closed"), question("q2", "812 litres"), question("q3", "never said")]


def answer(name: str, text: str | None = "x", status: str = "ok", repeat: int = 0) -> Answer:
    return Answer("m", name, repeat, text, status)


def verdict(name: str, label: str | None, status: str = "judged", repeat: int = 0) -> Verdict:
    return Verdict("m", name, repeat, label, status)


def outcomes(
    m: Memory, questions: list[Question], answers: list[Answer], verdicts: list[Verdict]
) -> list[tuple[Any, ...]]:
    rows = memory_rows(
        find(Source(TEXT), m.proposed_text, m.retained_text, questions),
        [(q.id, expected_answers(q.references)) for q in questions],
        {(a.question_id, a.repeat): (a.status, a.text) for a in answers},
        {(v.question_id, v.repeat): (v.status, v.label) for v in verdicts},
        budget=m.budget,
        status=m.status,
    )
    return [
        (question.id, repeat, *outcome)
        for repeat, found in rows
        for question, outcome in zip(questions, found, strict=True)
    ]


def test_all_questions_are_rows() -> None:
    rows = outcomes(memory(), QUESTIONS, [answer("q1")], [verdict("q1", "incorrect")])
    assert rows == [
        ("q1", 0, "retained", "reader", (), "incorrect", "judged"),
        ("q2", 0, "tail", "no-verdict", (), None, "not_judged"),
        ("q3", 0, "absent", "no-verdict", (), None, "not_judged"),
    ]


def test_without_answers_and_verdicts_there_is_repeat_0() -> None:
    assert {row[1] for row in outcomes(memory(), QUESTIONS, [], [])} == {0}


def test_repeats_are_those_that_occur() -> None:
    rows = outcomes(memory(), QUESTIONS, [answer("q1", repeat=3)], [verdict("q2", "correct", repeat=7)])
    assert [row[:2] for row in rows] == [(q, r) for r in (3, 7) for q in ("q1", "q2", "q3")]
    assert {row[3] for row in rows} == {"no-verdict"}
    assert rows[4][5:] == (None, "judged")  # a verdict without its answer does not count


def test_unsupported_is_a_right_answer_that_nothing_supports() -> None:
    answers = [answer(q.id) for q in QUESTIONS]
    rows = outcomes(memory(), QUESTIONS, answers, [verdict(q.id, "correct") for q in QUESTIONS])
    assert [row[4] for row in rows] == [(), ("unsupported",), ("unsupported",)]
    assert {row[3] for row in rows} == {"correct"}


def test_a_failed_memory_has_no_labels() -> None:
    answers, verdicts = [answer("q1")], [verdict("q1", "correct")]
    for status in ("error", "no_answer"):
        assert outcomes(memory(status=status), QUESTIONS[:1], answers, verdicts)[0][3:] == (
            "no-verdict",
            (),
            None,
            "judged",
        )
    assert outcomes(memory(status="truncated"), QUESTIONS[:1], answers, verdicts)[0][3] == "correct"


def test_the_judge_is_at_fault_when_the_answer_is_a_reference() -> None:
    rows = outcomes(memory(), QUESTIONS[:1], [answer("q1", "“k-7”.")], [verdict("q1", "incorrect")])
    assert rows[0][3] == "judge"
    rows = outcomes(memory(), QUESTIONS[:1], [answer("q1", None)], [verdict("q1", "incorrect")])
    assert rows[0][3] == "reader"


def test_omitted_under_a_budget_of_0_is_truncation() -> None:
    wrong = ([answer("q2")], [verdict("q2", "incorrect")])
    assert outcomes(memory("", "", budget=0), QUESTIONS[1:2], *wrong)[0][2:4] == ("omitted", "truncation")
    assert outcomes(memory("", "", budget=1), QUESTIONS[1:2], *wrong)[0][2:4] == ("omitted", "compressor")
    assert outcomes(memory("", "", budget=None), QUESTIONS[1:2], *wrong)[0][2:4] == ("omitted", "compressor")


def test_every_row_of_an_unknown_boundary_says_so() -> None:
    other = memory(TEXT, "Ines closed K-7, somebody said")
    rows = outcomes(other, QUESTIONS, [answer("q1")], [verdict("q1", "correct")])
    assert [row[4] for row in rows] == [("boundary-unknown",)] * 3
    rows = outcomes(other, QUESTIONS[1:2], [answer("q2")], [verdict("q2", "correct")])
    assert rows[0][4] == ("unsupported", "boundary-unknown")


def test_only_a_compressors_paraphrase_is_uncertain() -> None:
    wrong = ([answer("q2")], [verdict("q2", "incorrect")])
    talk = "Somebody shut a valve. A tank was not empty. Ines closed K-7."
    assert outcomes(memory(talk, talk), QUESTIONS[1:2], *wrong)[0][3:5] == ("compressor", ("uncertain",))
    half = "Somebody shut a valve. INES  closed K-7"
    assert outcomes(memory(half, half), QUESTIONS[1:2], *wrong)[0][3:5] == ("compressor", ())
    assert outcomes(memory("", ""), QUESTIONS[1:2], *wrong)[0][3:5] == ("compressor", ())
    assert outcomes(memory(talk, talk), QUESTIONS[:1], *wrong)[0][4] == ()


def test_what_the_texts_say_is_the_same_whoever_answered() -> None:
    findings = find(Source(TEXT), TEXT, TEXT[:33], QUESTIONS)
    assert findings == (("retained", "tail", "absent"), True, False)
    assert find(Source(TEXT), TEXT, TEXT[:33], []).fates == ()
    assert find(Source(TEXT), None, None, QUESTIONS[:1]) == (("omitted",), True, False)
    assert find(Source(TEXT), "A valve was shut.", "A valve", QUESTIONS[:1]).is_paraphrase


def test_a_proposal_is_looked_at_once_however_many_goals_got_it() -> None:
    source = Source(TEXT)
    first = source.proposal("Somebody shut a valve.")
    assert source.proposal("Somebody shut a valve.") is first and first.is_paraphrase
    assert source.proposal(TEXT) is not first and not source.proposal(TEXT).is_paraphrase
    long = "x" * 9_000_000
    source.proposal(long)
    source.proposal("another")  # what is remembered has a bound
    assert source.proposal("Somebody shut a valve.") is not first


def test_spans_for_the_panes() -> None:
    source = Source("K-7 here, k-7 there")
    item = Question(
        "q", "g", "?", None, ({"start": 10, "end": 13}, {"quote": "K-7"}, {"start": 5, "end": 99})
    )
    shown = evidence_spans(item, source, memory("a K-7 b k-7", "a K-7"))
    assert [(p.fate, p.source, p.proposal, p.retained) for p in shown] == [
        ("retained", (Span(10, 13),), (Span(2, 5), Span(8, 11)), ()),
        ("retained", (Span(0, 3), Span(10, 13)), (Span(2, 5), Span(8, 11)), ()),
        ("absent", (), (), ()),
    ]
    (shown_elsewhere, *_) = evidence_spans(item, source, memory("a k-7", "the K-7"))
    assert (shown_elsewhere.proposal, shown_elsewhere.retained) == ((Span(2, 5),), (Span(4, 7),))
