from __future__ import annotations

import json

import pytest

from gacc_gui.core.records import (
    Answer,
    Context,
    Probe,
    ProbeAnswer,
    ProbeVerdict,
    Record,
    Request,
    Review,
    Run,
    Verdict,
)
from gacc_gui.formats.redaction import redacted, without_credentials

KEY = "sk-TESTSECRET123"
WHEN = "2026-11-29T10:00:00Z"


@pytest.mark.parametrize(
    "text",
    [
        f"key {KEY}.",
        f"Authorization: Bearer {KEY}",
        f'{{"authorization": "Bearer {KEY}"}}',
        "Authorization: Basic dXNlcjpTRUNSRVQ=SECRET",
        f"GET https://host/v1?api_key={KEY}&n=1",
        "https://host/?api_key=TESTSECRET",
        'x-api-key: "TESTSECRET"',
        "https://user:TESTSECRET@host/v1",
        "sk-proj-abc_TESTSECRET1-def",
    ],
)
def test_credentials_are_removed(text: str) -> None:
    clean = redacted(text)
    assert "SECRET" not in clean
    assert "[removed]" in clean
    assert redacted(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "bearer bonds and sk-learn-contrib",
        "the task-4711-report and a risk-2024-assessment",
        "see https://host/v1?n=1 and mail someone@example.org",
        "api key rotation is described below",
        "10:30@noon",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(
    "record",
    [
        Request(
            "x", "reader", f"Authorization: Bearer {KEY}", extra={"headers": {"X-Api-Key": "TESTSECRET"}}
        ),
        Answer("m", "q", 0, None, "error", f"401 for https://host/?api_key={KEY}"),
        Run(
            "r",
            reader={"name": "x", "url": f"https://h/?api_key={KEY}"},
            top_level={"password": "TESTSECRET"},
        ),
        Review("v", "m", "q", 0, "unclear", "Ada", WHEN, note=f"sent with {KEY}", tags=(KEY, "a")),
        Probe(
            "p",
            "m",
            "q",
            0,
            "source",
            0,
            ProbeAnswer(None, "error", f"401 for https://host/?api_key={KEY}"),
            ProbeVerdict(None, "error", None, json.dumps({"authorization": f"Bearer {KEY}"})),
            WHEN,
            {"name": "x", "api_key": "TESTSECRET"},
            unusual=("verdict.raw_reply",),
        ),
    ],
)
def test_records_keep_no_credential(record: Record) -> None:
    clean, notes = without_credentials(record)
    assert "SECRET" not in repr(clean)
    assert notes
    assert all(note.endswith(": a credential was removed") for note in notes)
    assert without_credentials(clean) == (clean, ())


def test_texts_that_are_measured_are_left() -> None:
    for record in (
        Answer("m", "q", 0, KEY, "ok"),
        Context("c", KEY),
        Verdict("m", "q", 0, "correct", "judged", KEY),
        Probe(
            "p", "m", "q", 0, "empty", 0, ProbeAnswer(KEY, "ok"), ProbeVerdict("correct", "judged", KEY), WHEN
        ),
    ):
        assert without_credentials(record) == (record, ())


def test_what_a_failed_judge_said_and_unknown_fields() -> None:
    verdict = Verdict(
        "m", "q", 0, None, "error", None, f"401: {KEY}", extra={"headers": {"Authorization": KEY}}
    )
    clean, notes = without_credentials(verdict)
    assert clean == Verdict(
        "m", "q", 0, None, "error", None, "401: [removed]", {"headers": {"Authorization": "[removed]"}}
    )
    assert len(notes) == 2


def test_json_inside_a_text_stays_json() -> None:
    content = json.dumps(
        [{"role": "user", "content": f'{{"authorization": "Bearer {KEY}"}}\nAuthorization: Bearer abc"'}]
    )
    clean, notes = without_credentials(Request("x", "reader", content, unusual=("content",)))
    assert isinstance(clean, Request)
    assert json.loads(clean.content)[0]["role"] == "user"
    assert KEY not in clean.content
    assert notes
