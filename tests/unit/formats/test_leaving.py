from __future__ import annotations

from dataclasses import dataclass, replace

from gacc_gui.core.records import Answer, Cell, Context, Memory, Request, Run, Verdict
from gacc_gui.formats.leaving import Scan
from gacc_gui.formats.redaction import credential_places, redacted

KEY = "sk-TESTSECRET123"
BEARER = f"Authorization: Bearer {KEY}"
MEMORY = Memory("m1", "g1", None, Cell("lead", "1", "no-goal", "1"), 9, 0, "the whole", "the", None, "ok")


def test_the_places_are_what_redaction_removes() -> None:
    for text in (KEY, BEARER, f"x ?api_key={KEY}&y=1", "https://me:hunter2@host/", "nothing", f"{KEY} {KEY}"):
        at, kept = 0, []
        for start, end in credential_places(text):
            kept.append(text[at:start])
            at = end
        rest = "[removed]".join([*kept, text[at:]])
        assert rest == redacted(text), text
        assert credential_places(rest) == []


def test_records_lose_credentials_and_measured_texts_stay_and_are_told() -> None:
    records = [
        Run("r1", reader={"name": "x", "headers": {"authorization": KEY}}),
        Context("c1", f"the source says {KEY}"),
        replace(MEMORY, proposed_text=f"{KEY} and more", retained_text=f"{KEY} and"),
        Answer("m1", "q1", 0, "fine", "error", error=f"401 {BEARER}"),
        Verdict("m1", "q1", 0, "correct", "judged", rationale=f"as {KEY} says"),
        Request("x1", "reader", f"GET /?api_key={KEY}"),
    ]
    scan = Scan()
    left = list(scan.records(iter(records)))
    assert KEY not in repr([left[0], left[3], left[5]])
    assert (left[1], left[2], left[4]) == (records[1], records[2], records[4])
    removed, kept = scan.notices
    assert removed == "3 credentials were removed"
    assert kept.endswith("context c1, memory m1, verdict of memory m1, question q1, repeat 0")


def test_nothing_found_is_nothing_told() -> None:
    scan = Scan()
    records = [
        Run("r1"),
        MEMORY,
        *(Answer("m1", f"q{n}", 0, "bearer bonds, sk-learn", "ok") for n in range(200)),
    ]
    assert list(scan.records(records)) == records
    assert scan.notices == ()


@dataclass(frozen=True)
class Row:
    name: str
    texts: tuple[str | None, ...]
    count: int | None = None


def test_rows_lose_them_wherever_they_are() -> None:
    rows = [Row(f"n{n}", ("a", None), n) for n in range(100)]
    rows[70] = Row(KEY, ("a", None, f"b {BEARER}"), 70)
    scan = Scan()
    left = list(scan.items(iter(rows)))
    assert left[70] == Row("[removed]", ("a", None, "b Authorization: Bearer [removed]"), 70)
    assert left[:70] + left[71:] == rows[:70] + rows[71:]
    assert scan.notices == ("2 credentials were removed",)
    assert Scan().item({"a": [KEY]}) == {"a": ["[removed]"]}
