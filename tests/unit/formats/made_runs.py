"""Run documents and records made by hypothesis, with unknown fields, nulls and absences."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
COUNTS = st.integers(0, 2**63 - 1)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
UNKNOWN = st.dictionaries(st.text('abcxyz ☃"\\', min_size=1, max_size=4).map("x-".__add__), JSON, max_size=2)
RATIOS = st.sampled_from(["0", "0.1", "0.25", "0.29", "1", "0.0625"])


@st.composite
def objects(draw: Any, required: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    """An object with its required fields, some of its optional ones, and unknown ones."""
    value = {name: draw(strategy) for name, strategy in required.items()}
    for name, strategy in optional.items():
        if draw(st.booleans()):
            value[name] = draw(strategy)
    return {**value, **draw(UNKNOWN)}


IDENTITY = objects({}, {"name": TEXT, "revision": st.none() | TEXT})
RUN = objects(
    {"id": IDS},
    {
        "name": st.none() | TEXT,
        "protocol": TEXT,
        "created_at": TEXT,
        "diagnostic_only": st.none() | st.booleans(),
        "tokenizer": st.none() | IDENTITY,
        "reader": IDENTITY,
        "judge": st.none() | IDENTITY,
    },
)
CONTEXT = objects({"id": IDS, "text": TEXT}, {"title": st.none() | TEXT, "origin": TEXT, "license": TEXT})
GOAL = objects({"id": IDS, "context_id": IDS, "text": TEXT}, {})
EVIDENCE = objects({"start": st.integers(0, 9), "end": st.integers(0, 9)}, {}) | objects({"quote": TEXT}, {})
QUESTION = objects(
    {"id": IDS, "goal_id": IDS, "text": TEXT},
    {
        "references": st.none() | st.lists(TEXT, max_size=2),
        "evidence": st.none() | st.lists(EVIDENCE, max_size=2),
    },
)
LEDGER = objects(
    {},
    {
        name: st.none() | COUNTS
        for name in (
            "source_tokens",
            "proposed_tokens",
            "retained_tokens",
            "unused_budget",
            "reencoded_tokens",
            "padding_tokens",
        )
    },
)
COMPRESSOR = objects({"name": IDS}, {"revision": TEXT})
_MEMORY_OPTIONAL = {
    "shown_goal_id": st.none() | IDS,
    "budget": st.none() | COUNTS,
    "generation": COUNTS,
    "ledger": st.none() | LEDGER,
    "error": JSON,
}
CONDITIONS = st.sampled_from(["own-goal", "no-goal", "cross-goal", "full-context"])
_MEMORY_REQUIRED = {
    "id": IDS,
    "goal_id": IDS,
    "condition": CONDITIONS,
    "compressor": COMPRESSOR,
    "ratio": RATIOS,
}
MEMORY = objects(
    {
        **_MEMORY_REQUIRED,
        "proposed_text": TEXT,
        "retained_text": TEXT,
        "status": st.sampled_from(["ok", "truncated"]),
    },
    _MEMORY_OPTIONAL,
) | objects(
    {**_MEMORY_REQUIRED, "status": st.sampled_from(["no_answer", "error"])},
    {**_MEMORY_OPTIONAL, "proposed_text": st.none() | TEXT, "retained_text": st.none() | TEXT},
)
ANSWER = objects(
    {
        "memory_id": IDS,
        "question_id": IDS,
        "status": st.sampled_from(["ok", "truncated", "no_answer", "error"]),
    },
    {"repeat": COUNTS, "text": JSON, "error": JSON},
)
VERDICT = objects(
    {
        "memory_id": IDS,
        "question_id": IDS,
        "status": st.sampled_from(["judged", "unparsed", "refused", "truncated", "error", "not_judged"]),
    },
    {
        "repeat": COUNTS,
        "label": st.sampled_from(["correct", "incorrect", None]) | JSON,
        "rationale": JSON,
        "raw_reply": JSON,
    },
)
REQUEST = objects(
    {
        "id": IDS,
        "role": st.sampled_from(["compressor", "reader", "judge"]),
        "content": TEXT | JSON.filter(lambda v: v is not None),
    },
    {"memory_id": st.none() | IDS},
)
SECONDS = st.floats(0, 1e9) | st.integers(0, 2**40)
TIME = st.sampled_from(["2026-11-20T10:00:00Z", "2026-11-20T10:00:00.123456+01:00", "2026-11-20"])
_REVIEW_REQUIRED: dict[str, Any] = {
    "id": IDS,
    "memory_id": IDS,
    "question_id": IDS,
    "decision": st.sampled_from(["correct", "incorrect", "unclear", "clear"]),
    "reviewer": IDS.filter(str.strip),
    "created_at": TIME,
}
_REVIEW_OPTIONAL: dict[str, Any] = {
    "repeat": COUNTS,
    "cause": st.none(),
    "note": st.none() | TEXT,
    "tags": st.lists(TEXT, max_size=2),
    "blind": st.none() | st.booleans(),
    "sample": st.none() | st.dictionaries(TEXT, JSON, max_size=2),
}
REVIEW = objects(_REVIEW_REQUIRED, _REVIEW_OPTIONAL) | objects(
    {**_REVIEW_REQUIRED, "decision": st.just("incorrect")},
    {**_REVIEW_OPTIONAL, "cause": st.sampled_from(["reader", "judge", "item"])},
)
PROBE = objects(
    {
        "id": IDS,
        "memory_id": IDS,
        "question_id": IDS,
        "with": st.sampled_from(["source", "retained", "proposal", "evidence", "empty"]),
        "answer": objects(
            {"status": st.sampled_from(["ok", "truncated", "no_answer", "error"])},
            {"text": JSON, "error": JSON},
        ),
        "created_at": TIME,
    },
    {
        "repeat": COUNTS,
        "attempt": COUNTS,
        "verdict": st.none()
        | objects(
            {"status": st.sampled_from(["judged", "unparsed", "error"])},
            {"label": JSON, "rationale": JSON, "raw_reply": JSON},
        ),
        "reader": st.none() | IDENTITY,
        "judge": st.none() | IDENTITY,
        "live": st.none() | st.booleans(),
        "usage": st.none() | st.dictionaries(TEXT, JSON, max_size=2),
        "cost": st.none() | SECONDS,
        "seconds": st.none() | SECONDS,
        "requests": st.lists(IDS, max_size=2),
    },
)
BY_KIND = {
    "run": RUN,
    "context": CONTEXT,
    "goal": GOAL,
    "question": QUESTION,
    "memory": MEMORY,
    "answer": ANSWER,
    "verdict": VERDICT,
    "request": REQUEST,
    "review": REVIEW,
    "probe": PROBE,
}


@st.composite
def documents(draw: Any) -> dict[str, Any]:
    """A gacc-run document; its records need not refer to each other."""
    document = {
        "format": "gacc-run",
        "format_version": 1,
        **draw(UNKNOWN),
        "run": draw(RUN),
    }
    for name, kind in (
        ("contexts", "context"),
        ("goals", "goal"),
        ("questions", "question"),
        ("memories", "memory"),
        ("answers", "answer"),
        ("verdicts", "verdict"),
    ):
        document[name] = draw(st.lists(BY_KIND[kind], max_size=2))
    for name, kind in (("requests", "request"), ("reviews", "review"), ("probes", "probe")):
        if draw(st.booleans()):
            document[name] = draw(st.lists(BY_KIND[kind], max_size=2))
    return document
