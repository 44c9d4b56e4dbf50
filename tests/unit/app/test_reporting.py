"""The pages: what they tell, that they need nothing else, and that data is text in them."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app import reporting
from gacc_gui.app.exporting import Exported, export_run
from gacc_gui.core.errors import BadUsage
from tests.conftest import SOURCE

Document = dict[str, Any]
KEY = "sk-TESTSECRET123"
HOSTILE = (
    "<script>alert(1)</script>",
    "</title></style></svg><img src=http://evil.test/x onerror=alert(1)>",
    '" onload="alert(1)" x="',
    "' style='background:url(http://evil.test/y)",
    "-->]]><!-- &lt; &amp; &#60;script&#62;",
    "a\x00b \u202egnp.exe\u202c \u2066x\u2069 a\u200bb",
    "line\u2028separator\u2029and\x85next\r\nlast\rone",
    "\ufeffstart \ufffe \ufdd0 \U0001f9e0 e\u0301\u0301\u0301",
    "w" * 30_000,
    "# heading | cell **bold** `code` [a](http://evil.test)",
    "javascript:alert(1)//%0a",
)
_OURS = """
    html head meta title style body header nav main footer section article h1 h2 h3 h4 p ul li a strong code
    div table thead tbody tr th td bdi span sup mark br figure svg defs pattern path rect line polyline
    polygon circle text figcaption
"""
_TAGS = frozenset(re.findall(r"\w+", _OURS))


class Page(HTMLParser):
    """A page taken apart: its tags with attributes, and its text by the section it stands in."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.html = path.read_text(encoding="utf-8")
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.sections: dict[str, str] = {}
        self.text = ""
        self._heading: str | None = None
        self._in_heading = False
        self._open: list[str] = []
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "h2":
            self._in_heading, self._heading = True, ""

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass
        self._in_heading &= tag != "h2"

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            return
        self.text += data
        if self._in_heading:
            self._heading = (self._heading or "") + data
        elif self._heading is not None:
            self.sections[self._heading] = self.sections.get(self._heading, "") + data

    def row(self, *words: str) -> str:
        """The one table row that has all these words."""
        rows = re.findall(r"<tr.*?</tr>", self.html, re.S)
        found = [row for row in rows if all(word in row for word in words)]
        assert len(found) == 1, found
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", found[0])).split())


def assert_needs_nothing_else(page: Page) -> None:
    assert {tag for tag, _ in page.tags} <= _TAGS | {"title"}
    for tag, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in ("src", "srcset", "action", "data", "xlink:href", "background"), (tag, name)
            if name == "href":
                assert tag == "a" and re.fullmatch(r"#s\d+", value or ""), value
            if name in ("style", "fill") and "url(" in (value or ""):
                assert re.search(r"url\(#gacc-[a-z-]+\)", value or ""), value
    styles = "".join(re.findall(r"<style>.*?</style>", page.html, re.S))
    assert "url(" not in styles and "@import" not in styles and "://" not in styles
    policy = next(a["content"] for tag, a in page.tags if tag == "meta" and "http-equiv" in a)
    assert policy is not None and policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    before = page.html.split("Content-Security-Policy")[0]
    assert "<style" not in before and "<title" not in before  # it holds for all that follows


def page_of(db: Path, run: str = "small", goal: str | None = None) -> Page:
    target = db.parent / "page.html"
    assert export_run(db, run, target, goal).run_id == run
    page = Page(target)
    assert_needs_nothing_else(page)
    return page


WHEN = "2026-11-29T10:00:00Z"


def with_people(document: Document) -> Document:
    """Two reviewers and three probes on the row q2 (its evidence is behind the cut) and a review of q3."""
    row = {"memory_id": "m1", "question_id": "q2", "repeat": 0, "created_at": WHEN}
    document["reviews"] = [
        {"id": "v1", **row, "decision": "incorrect", "cause": "reader", "reviewer": "Ben"},
        {"id": "v2", **row, "decision": "correct", "reviewer": "Ada", "note": "as good",
         "tags": ["x"], "blind": True},
        {"id": "v3", **row, "question_id": "q3", "decision": "unclear", "reviewer": "Ada"},
    ]  # fmt: skip
    judged = {"label": "correct", "status": "judged"}
    document["probes"] = [
        {"id": "p1", **row, "with": "proposal", "attempt": 0, "seconds": 0.25, "cost": 0.001, "live": True,
         "answer": {"text": "812 litres", "status": "ok"}, "verdict": judged},
        {"id": "p2", **row, "with": "empty", "attempt": 0, "answer": {"text": "unknown", "status": "ok"},
         "verdict": judged | {"label": "incorrect"}},
    ]  # fmt: skip
    return document


def test_a_page_tells_what_was_run_and_the_figures_with_their_denominators(
    run_document: Document, imported: Callable[[Document], Path]
) -> None:
    page = page_of(imported(run_document))
    assert page.text.index("Diagnostic run.") < page.text.index("Micro is the share")
    facts = page.sections["What was run"]
    assert "codepoint 1 (declared not verified; not verified by us)" in facts
    assert "rule 1" in facts and "exact 1" in facts
    assert "1 context, 1 goal, 3 questions, 3 answers" in facts
    figures = page.row("lead", ">0.333<")
    assert figures == "lead 1 own-goal 0.5 1 3 0 3 0.333 0.333 – 0 1 0 0 0.000 0.000 –"
    assert page.row("lead", ">2<", ">0.5<") == "lead 1 own-goal 0.5 1 2 0 0 0 0 0 0 0"
    assert page.html.count("<svg") >= 3
    assert "None." in page.sections["Goals one question away"]
    assert page.row("CC0-1.0") == "ours CC0-1.0 1"
    assert "diagnostic run" in page.sections["What this does not show"]
    assert "could not be verified" in page.sections["What this does not show"]
    assert "not comparable with the benchmark's tables" in page.sections["Notes"]
    assert "Reviews" not in page.sections and "Probes" not in page.sections


def test_a_failure_shows_source_cut_and_tail(
    run_document: Document, imported: Callable[[Document], Path]
) -> None:
    run_document["memories"][0]["retained_text"] = SOURCE[:78]
    page = page_of(imported(run_document))
    detail = page.sections["Failures in detail"]
    assert "1 goal under a memory with a question that failed so." in detail
    boundary = "✂ token 81 of 163, character 78 of 163, inside “Okaf|or”"
    assert boundary in detail
    retained, tail = detail.split(boundary)
    assert retained.rstrip().endswith(SOURCE[:78]) and tail.lstrip().startswith(SOURCE[78:95])
    assert '<mark class="tail">812 litres</mark><sup><bdi>tail</bdi></sup>' in page.html
    assert '<mark class="retained">' not in page.html.split("Failures in detail</h2>")[1].split("</p>", 1)[1]


def test_reviews_stand_beside_what_was_judged_and_probes_say_what_they_confirm(
    run_document: Document, imported: Callable[[Document], Path]
) -> None:
    db = imported(with_people(run_document))
    page = page_of(db)
    assert page.row("lead", "as judged", ">0.333<").startswith("lead 1 own-goal 0.5 as judged 1 3 0 3 0.333")
    reviewed = page.row("lead", "as reviewed", ">0.667<")
    assert reviewed.startswith("lead 1 own-goal 0.5 as reviewed 2 2 1 3 0.667 1.000 – 0 1 1 0 0.000 –")
    told = page.row("How much did the tank hold?", "Ada: correct")
    assert "incorrect (truncation)" in told and "correct (correct)" in told
    assert "Ben: incorrect (reader), 2026-11-29T10:00:00Z; Ada: correct, “as good”, #x, blind, 2026" in told
    reviews = page.sections["Reviews"]
    assert "2 rows with a decision. Reviewers disagree on 1; the latest decision counts." in reviews
    assert "There is no corrected Micro" in reviews
    probe = page.row("How much did the tank hold?", "with the tail restored", "How much")
    assert "proposal: right (live, 0.2 s, cost 0.001); empty: wrong" in probe
    assert "Right with the tail restored: truncation confirmed." in probe
    detail = page.sections["Failures in detail"]
    assert "Review: Ada: correct" in detail and "Probe: Right with the tail restored" in detail

    export_run(db, "small", db.parent / "x.md")
    text = (db.parent / "x.md").read_text(encoding="utf-8")
    assert "| lead | 1 | own-goal | 0.5 | as reviewed | 2 | 2 | 1 | 3 | 0.667 | 1.000 |" in text
    assert "truncation confirmed" in text and "## Reviews" in text
    assert "Reviewers decided on 2 rows. Where that changes a figure, the" in text


def test_the_page_of_one_goal(run_document: Document, imported: Callable[[Document], Path]) -> None:
    document = with_people(run_document)
    document["goals"].append({"id": "g2", "context_id": "c1", "text": "Another goal."})
    document["questions"].append({"id": "q9", "goal_id": "g2", "text": "Only there?", "references": ["pump"]})
    other = copy.deepcopy(document["memories"][0]) | {"id": "m2", "goal_id": "g2", "shown_goal_id": "g2"}
    document["memories"].append(other)
    db = imported(document)
    page = page_of(db, goal="g1")
    assert "Goal g1 of the run a small run, over the context “Pump”." in page.text
    matrix = page.sections["Questions over all memories"]
    assert "lead 1 · own-goal · 0.5" in matrix and "What did the repair cost?" in matrix
    assert page.row("lead", "as judged", ">0.333<")
    assert SOURCE.split("Ines")[0] in page.sections["The source"]
    assert "Only there?" not in page.text
    assert page.sections["Failing memories in detail"].count("Memory and truncated tail") == 1
    assert "Reviews" in page.sections and "Probes" in page.sections

    nothing = page_of(db, goal="g2")
    assert "Reviews" not in nothing.sections and "Only there?" in nothing.text
    with pytest.raises(BadUsage, match="no goal 'g7'"):
        export_run(db, "small", db.parent / "y.html", "g7")
    with pytest.raises(BadUsage, match="a goal alone is exported to"):
        export_run(db, "small", db.parent / "y.md", "g1")
    assert not list(db.parent.glob("y.*"))


def spoilt(value: Any, text: str) -> Any:
    """Put a text behind every text of data, but for what must be one of some words."""
    kept = (
        "format",
        "protocol",
        "created_at",
        "condition",
        "ratio",
        "label",
        "status",
        "decision",
        "with",
        "role",
    )
    if isinstance(value, dict):
        return {
            name: item if name in kept or name.endswith("id") else spoilt(item, text)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [spoilt(item, text) for item in value]
    return f"{value} {text}" if isinstance(value, str) and value not in ("reader",) else value


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_show_as_text(
    run_document: Document, imported: Callable[[Document], Path], text: str
) -> None:
    document = spoilt(with_people(run_document), text)
    for kind in ("contexts", "goals", "questions", "memories"):
        for record in document[kind]:
            record["id"] += "" if len(text) > 1_000 else text
            for name in ("goal_id", "context_id", "shown_goal_id"):
                if name in record:
                    record[name] += "" if len(text) > 1_000 else text
    for kind in ("answers", "verdicts", "reviews", "probes", "requests"):
        for record in document[kind]:
            for name in ("memory_id", "question_id"):
                if name in record:
                    record[name] += "" if len(text) > 1_000 else text
    memory = document["memories"][0]
    memory["retained_text"] = memory["proposed_text"][:90]
    db = imported(document)
    goal = document["goals"][0]["id"]
    for page in (page_of(db), page_of(db, goal=goal)):
        for character in "\x00\u202e\u202c\u2066\u2069\u200b\u2028\u2029\x85\ufeff":
            assert character not in page.html
        assert "<script" not in page.html and "<img" not in page.html
        assert page.text.count("Memory and truncated tail") == 1
        visible = re.sub(r"\s+", " ", page.text)
        if text.isascii() and text.isprintable() and len(text) < 1_000:
            assert visible.count(text) > 15
    assert len(page.html) < 2_000_000


def test_caps_are_told(
    run_document: Document, imported: Callable[[Document], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "NEAR_MISSES", 2)
    base = run_document["memories"][0]
    document = {**run_document, "memories": [], "answers": [], "verdicts": []}
    for number in range(7):
        name = f"n{number}"
        document["memories"].append(copy.deepcopy(base) | {"id": name, "generation": number})
        document["requests"] = []
        for question, label in (("q1", "correct"), ("q2", "correct"), ("q3", "incorrect")):
            row = {"memory_id": name, "question_id": question, "repeat": 0}
            document["answers"].append({**row, "text": "y" * 5_000, "status": "ok", "error": None})
            document["verdicts"].append({**row, "label": label, "status": "judged"})
    page = page_of(imported(document))
    assert "The first 2 of 7." in page.sections["Goals one question away"]
    assert "7 goals under a memory with a question that failed so; 3 of them" in page.text
    assert "… and 3,000 characters more" in page.text


@pytest.mark.parametrize("ending", ["html", "md", "csv", "parquet", "json", "jsonl"])
def test_no_export_holds_a_credential(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path], ending: str
) -> None:
    document = with_people(run_document)
    document["run"]["reader"]["headers"] = {"Authorization": f"Bearer {KEY}"}
    document["run"]["judge"]["revision"] = f"https://host/?api_key={KEY}"
    document["answers"][1] |= {"status": "error", "error": f"401 for {KEY}"}
    document["requests"][0]["content"] = f"POST /?api_key={KEY}"
    document["reviews"][0]["note"] = f"key was {KEY}"
    db = imported(document)
    target = tmp_path / f"x.{ending}"
    export_run(db, "small", target)
    assert KEY.encode() not in target.read_bytes()
    if ending != "html":
        return
    assert export_run(db, "small", target, "g1").run_id == "small"
    assert KEY.encode() not in target.read_bytes()


@pytest.mark.parametrize("ending", ["html", "md", "csv", "parquet", "jsonl"])
def test_what_was_evaluated_leaves_whole_or_without_a_credential_and_it_is_told(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path], ending: str
) -> None:
    run_document["contexts"][0]["origin"] = f"from {KEY}"
    run_document["contexts"][0]["text"] = SOURCE.replace("The tank", f"The key {KEY} and the tank")
    proposal = SOURCE.replace("812 litres", f"812 litres, {KEY} and all")
    run_document["memories"][0] |= {"proposed_text": proposal, "retained_text": proposal[:112]}
    run_document["questions"][1]["text"] = f"What of {KEY}?"
    run_document["answers"][1]["text"] = f"It is {KEY}"
    target = tmp_path / f"x.{ending}"
    exported = export_run(imported(run_document), "small", target)
    if ending == "jsonl":
        assert exported.notices[-1].startswith("texts that were evaluated are exported as they are")
        assert "context c1" in exported.notices[-1] and "memory m1" in exported.notices[-1]
        return
    assert KEY.encode() not in target.read_bytes() and b"TESTSECRET" not in target.read_bytes()
    assert exported != Exported("small", ()) and "removed" in exported.notices[0]
    if ending == "html":
        assert "[removed]" in Page(target).sections["Failures in detail"]


def test_a_chart_says_which_cells_it_shows(
    run_document: Document, imported: Callable[[Document], Path]
) -> None:
    base = run_document["memories"][0]
    for number in range(50):
        for condition in ("own-goal", "no-goal"):
            name = f"{condition}-{number}"
            memory = copy.deepcopy(base) | {"id": name, "condition": condition}
            memory["compressor"] = {"name": f"c{number:02}", "revision": "1"}
            run_document["memories"].append(memory)
    page = page_of(imported(run_document))
    assert "51 of 101 cells: condition own-goal." in page.sections["Charts"]
