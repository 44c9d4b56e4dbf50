from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.records import Answer, Memory, Verdict
from gacc_gui.formats.json_values import Literal
from gacc_gui.formats.quick_reading import QUICK
from gacc_gui.formats.record_reading import BadRecord, record_from
from gacc_gui.formats.record_writing import json_object
from tests.unit.formats.made_runs import ANSWER, BY_KIND, MEMORY, VERDICT

ANSWER_OBJECT = {
    "memory_id": "m",
    "question_id": "q",
    "repeat": 0,
    "text": "t",
    "status": "ok",
    "error": None,
}
MEMORY_OBJECT: dict[str, Any] = {
    "id": "m",
    "goal_id": "g",
    "condition": "own-goal",
    "shown_goal_id": "g",
    "compressor": {"name": "lead", "revision": "1"},
    "ratio": "0.1",
    "budget": 3,
    "generation": 0,
    "proposed_text": "abc",
    "retained_text": "ab",
    "ledger": {
        "source_tokens": 30,
        "proposed_tokens": 3,
        "retained_tokens": 2,
        "unused_budget": 1,
        "reencoded_tokens": 2,
        "padding_tokens": 0,
    },
    "status": "ok",
    "error": None,
}


def refused(kind: str, value: dict[str, Any]) -> str:
    with pytest.raises(BadRecord) as caught:
        record_from(kind, value)
    return str(caught.value)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["answer", "verdict", "memory"]).flatmap(
        lambda kind: {"answer": ANSWER, "verdict": VERDICT, "memory": MEMORY}[kind].map(lambda v: (kind, v))
    )
)
def test_the_quick_way_gives_what_the_careful_one_gives(made: tuple[str, dict[str, Any]]) -> None:
    kind, value = made
    quick = QUICK[kind][0](dict(value))
    if quick is not None:
        assert quick == record_from(kind, value)[0]


_WRONG = st.sampled_from([None, 1, 1.5, True, "", "x", [], {}, -1, 2**63, ["a"], {"name": 1}])


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["answer", "memory", "verdict"]), st.data())
def test_the_quick_way_takes_nothing_that_the_schema_refuses(kind: str, data: Any) -> None:
    base = {
        "answer": ANSWER_OBJECT,
        "memory": MEMORY_OBJECT,
        "verdict": {
            "memory_id": "m",
            "question_id": "q",
            "repeat": 0,
            "label": "correct",
            "status": "judged",
            "rationale": "r",
            "raw_reply": "w",
        },
    }[kind]
    value = {**base, data.draw(st.sampled_from(sorted(base))): data.draw(_WRONG)}
    quick = QUICK[kind][0](dict(value))
    try:
        careful = record_from(kind, value)[0]
    except BadRecord:
        careful = None
    assert quick is None or quick == careful


def test_ordinary_records_take_the_quick_way() -> None:
    assert isinstance(QUICK["answer"][0](dict(ANSWER_OBJECT)), Answer)
    assert isinstance(QUICK["memory"][0](dict(MEMORY_OBJECT)), Memory)
    bare = {"memory_id": "m", "question_id": "q", "repeat": 0, "label": None, "status": "judged"}
    assert isinstance(QUICK["verdict"][0](bare), Verdict)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(BY_KIND)).flatmap(lambda kind: BY_KIND[kind].map(lambda value: (kind, value))))
def test_a_record_is_written_as_it_was_read(made: tuple[str, dict[str, Any]]) -> None:
    kind, value = made
    record, _ = record_from(kind, value)
    assert json_object(record) == value
    assert record_from(kind, json_object(record))[0] == record


@pytest.mark.parametrize(
    ("kind", "change", "reason"),
    [
        ("answer", {"memory_id": 1}, "memory_id is a number (1), not text"),
        ("answer", {"memory_id": ""}, "memory_id is empty"),
        ("answer", {"memory_id": None}, "memory_id is null (null), not text"),
        ("answer", {"repeat": True}, "repeat is a boolean (true), not an integer"),
        ("answer", {"repeat": -1}, "repeat is out of range: -1"),
        ("answer", {"repeat": 1.0}, "repeat is a number (1.0), not an integer"),
        ("answer", {"status": "fine"}, 'status is "fine", not ok, truncated, no_answer or error'),
        ("memory", {"budget": -1}, "budget is out of range: -1"),
        ("memory", {"budget": 2**63}, "budget is out of range"),
        ("memory", {"generation": None}, "generation is null (null), not an integer"),
        ("memory", {"condition": "their-goal"}, 'condition is "their-goal", not own-goal'),
        ("memory", {"ratio": "a tenth"}, "a ratio must be a decimal number, not 'a tenth'"),
        ("memory", {"ratio": True}, "ratio is a boolean (true), not a decimal"),
        ("memory", {"ratio": None}, "ratio is null (null), not a decimal"),
        ("memory", {"ratio": -0.1}, "must not be negative"),
        ("memory", {"compressor": {"revision": "1"}}, "compressor.name is missing"),
        ("memory", {"compressor": "lead"}, 'compressor is text ("lead"), not an object'),
        ("memory", {"proposed_text": None}, "proposed_text is null although the status is ok"),
        ("memory", {"proposed_text": 5}, "proposed_text is a number (5), not text"),
        ("memory", {"ledger": {"source_tokens": "9"}}, 'ledger.source_tokens is text ("9"), not an integer'),
    ],
)
def test_reasons(kind: str, change: dict[str, Any], reason: str) -> None:
    base = ANSWER_OBJECT if kind == "answer" else MEMORY_OBJECT
    assert reason in refused(kind, {**base, **change})


def test_reasons_of_questions() -> None:
    question = {"id": "q", "goal_id": "g", "text": "t"}
    assert (
        refused("question", {**question, "references": ["a", 1]}) == "references[1] is a number (1), not text"
    )
    assert (
        refused("question", {**question, "evidence": [{"start": 1}]})
        == "evidence[0] needs start and end, or a quote"
    )
    assert "evidence[0].end" in refused("question", {**question, "evidence": [{"start": 1, "end": True}]})
    assert refused("question", {**question, "evidence": ["x"]}) == 'evidence[0] is text ("x"), not an object'


def test_missing_texts_are_allowed_where_the_memory_failed() -> None:
    value = {
        name: item for name, item in MEMORY_OBJECT.items() if name not in ("proposed_text", "retained_text")
    }
    record, _ = record_from("memory", {**value, "status": "error", "error": "timeout"})
    assert isinstance(record, Memory)
    assert record.proposed_text is None
    assert "proposed_text is missing although" in refused("memory", value)


@pytest.mark.parametrize(
    ("given", "text", "unusual"),
    [
        ({"text": "Paris", "conf": 0.9}, '{"text":"Paris","conf":0.9}', ("text",)),
        (["Paris"], '["Paris"]', ("text",)),
        (42, "42", ("text",)),
        (False, "false", ("text",)),
        (None, None, ()),
        ("", "", ()),
    ],
)
def test_an_answer_that_is_no_text_is_kept(given: Any, text: str | None, unusual: tuple[str, ...]) -> None:
    value = {**ANSWER_OBJECT, "text": given}
    record, _ = record_from("answer", value)
    assert isinstance(record, Answer)
    assert (record.text, record.unusual) == (text, unusual)
    assert json_object(record) == value


@pytest.mark.parametrize(("label", "kept"), [("B", "B"), ("partial", "partial"), (0.5, "0.5"), (1, "1")])
def test_an_unknown_label_is_kept_with_a_warning(label: Any, kept: str) -> None:
    value = {"memory_id": "m", "question_id": "q", "repeat": 0, "label": label, "status": "judged"}
    record, warnings = record_from("verdict", value)
    assert isinstance(record, Verdict)
    assert record.label == kept
    assert warnings == (f"the label {kept} is not known: it is kept and does not count",)
    assert json_object(record) == value


@pytest.mark.parametrize(
    ("ratio", "canonical"),
    [
        ("0.10", "0.1"),
        (0.1, "0.1"),
        (1, "1"),
        ("1E-1", "0.1"),
        (Literal("1E-1"), "0.1"),
        (Literal("0.290"), "0.29"),
    ],
)
def test_equal_decimals_are_one_ratio(ratio: Any, canonical: str) -> None:
    record, _ = record_from("memory", {**MEMORY_OBJECT, "ratio": ratio})
    assert isinstance(record, Memory)
    assert record.cell.ratio == canonical
    assert Decimal(record.cell.ratio) == Decimal(canonical)
