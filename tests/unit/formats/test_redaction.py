from __future__ import annotations

import json
from dataclasses import replace

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
from gacc_gui.formats.redaction import redacted, redacted_words, without_credentials

KEY = "sk-TESTSECRET123"
KEYS = (
    "ghp_" + "TESTSECRET" * 3 + "012345",
    "gho_" + "TESTSECRET" * 3 + "012345",
    "github_pat_11ABC_" + "TESTSECRET" * 5,
    "hf_" + "TESTSECRET" * 3 + "abcd",
    "AKIA" + "TESTSECRET" + "012345",
    "xoxb-123456789012-TESTSECRET",
    "xoxp-1-TESTSECRET",
    "xoxa-2-TESTSECRET",
    "AIza" + "TESTSECRET" * 3 + "abcde",
)
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
        *KEYS,
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
        "ghp_ and github_pat_ are how tokens begin, hf_hub_download is a name",
        "AKIA, AKIA0123456789ABCDEFG and xAKIA0123456789ABCDEF",
        "xoxo-and-hugs, xoxb-not-a-number, AIzarate",
        "the password: hunter2",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redacted(text) == text


said_with_key = ProbeVerdict("correct", "judged", f"as {KEY} says", f"correct: as {KEY} says")


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
        Review("v", "m", "q", 0, "unclear", f"Ada {KEYS[0]}", WHEN),
        Run("r", f"a run with {KEYS[3]}"),
        Probe("p", "m", "q", 0, "empty", 0, ProbeAnswer("a", "ok"), said_with_key, WHEN),
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


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("password: hunter2", "password: [removed]"),
        ("Password=hunter2, they say", "Password=[removed], they say"),
        ("db_password='correct horse' fails", "db_password='[removed]' fails"),
        ('{"passwd": "a b"}', '{"passwd": "[removed]"}'),
        ("?pwd=x&n=1", "?pwd=[removed]&n=1"),
        ("the password is in the source, a passphrase is not", None),
    ],
)
def test_passwords_that_people_and_failing_services_tell(text: str, clean: str | None) -> None:
    clean = text if clean is None else clean
    assert redacted_words(text) == clean and redacted_words(clean) == clean
    assert redacted(text) == text
    review = Review("v", "m", "q", 0, "unclear", text, WHEN, note=text, tags=(text,))
    assert without_credentials(review)[0] == replace(review, reviewer=clean, note=clean, tags=(clean,))
    answer = Answer("m", "q", 0, text, "error", text)
    assert without_credentials(answer)[0] == replace(answer, error=clean)
    measured = (Context("c", text), Verdict("m", "q", 0, "correct", "judged", text, text))
    assert all(without_credentials(record) == (record, ()) for record in measured)


def test_texts_that_are_measured_are_left() -> None:
    for record in (
        Answer("m", "q", 0, KEY, "ok"),
        Context("c", KEY),
        *(Context("c", key) for key in KEYS),
        Verdict("m", "q", 0, "correct", "judged", KEY),
        Probe("p", "m", "q", 0, "empty", 0, ProbeAnswer(KEY, "ok"), ProbeVerdict("correct", "judged"), WHEN),
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
