"""The page of a compaction run and of one of its cases: REPORT.md's sections, causes, cases, failures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.compaction_reporting import finish_folder
from gacc_gui.app.exporting import export_run
from gacc_gui.app.importing import import_paths
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Memory, Run
from tests.compaction_cases import small_corpus
from tests.compaction_run import small_folder, small_run_records
from tests.unit.app.test_reporting import KEY, Page, assert_needs_nothing_else

EVIL = "<script>alert(1)</script> </td>|**x** \u202egnp.exe"


def database(folder: Path, records: list[Any]) -> Path:
    corpus = small_corpus(2)
    made = small_folder(folder / "run", records, corpus)
    finish_folder(made, records)
    report = import_paths(folder / "a.db", [made])
    assert report.files[0].error is None, report.files[0].error
    return folder / "a.db"


@pytest.fixture
def records() -> list[Any]:
    return list(small_run_records(corpus=small_corpus(2)))


def exported(db: Path, case: str | None = None) -> Page:
    target = db.parent / "page.html"
    export_run(db, "small", target, case)
    page = Page(target)
    assert_needs_nothing_else(page)
    return page


def test_a_run_tells_what_its_report_tells_and_more(tmp_path: Path, records: list[Any]) -> None:
    page = exported(database(tmp_path, records))
    assert page.text.index("Diagnostic run: no language model was asked.") < page.text.index("answer EM")
    for heading in (
        "What was run", "Methods", "Charts", "Causes of the answers", "Cases", "The predeclared hypothesis",
        "By type of question", "What failed", "Failures in detail", "What this does not show",
        "Where the data comes from",
    ):  # fmt: skip
        assert page.sections[heading].strip(), heading
    assert "jev: answer EM 0.3750 (3/8; 4 valid of 8 planned answers to 2 questions)" in page.text
    charts = page.sections["Charts"]
    assert "0.375 · 3 of 8 answers · −0.375 against full" in charts and "ceiling 900" in charts
    assert "jev 4 of 8 answers" in charts and "8 of 8 inputs · 92% of the ceiling" in charts
    causes = page.sections["Causes of the answers"]
    assert "evidence dropped" in causes and "condition failed" in causes
    assert "CC BY-SA 4.0" in page.sections["Where the data comes from"]
    assert "agents at large" in page.sections["What this does not show"]
    export_run(tmp_path / "a.db", "small", tmp_path / "x.md")
    assert (tmp_path / "x.md").read_bytes() == (tmp_path / "run" / "REPORT.md").read_bytes()


def test_one_case(tmp_path: Path, records: list[Any]) -> None:
    db = database(tmp_path, records)
    page = exported(db, "case-1")
    case = page.sections["The case"]
    for method in ("full", "jev", "summary", "jev+summary"):
        assert f"{method}, generation 0: as sent" in case
    assert "Gold: " in case and "Supporting facts: fact 1: " in case
    assert "Methods" not in page.sections and page.sections["What this does not show"]
    assert page.text.index("Diagnostic run") < page.text.index("Case case-1 of the run")
    with pytest.raises(BadUsage, match="no goal 'case-9'"):
        export_run(db, "small", tmp_path / "y.html", "case-9")


def test_hostile_texts_and_credentials(tmp_path: Path, records: list[Any]) -> None:
    def marked(record: Any) -> Any:
        if isinstance(record, Run):
            return replace(record, name=f"{EVIL} {KEY}_x")
        if isinstance(record, Memory) and record.error:
            return replace(record, error=f"{EVIL}")
        return record

    db = database(tmp_path, [marked(record) for record in records])
    for case in (None, "case-1"):
        page = exported(db, case)
        assert "<script" not in page.html and "\u202e" not in page.html
        assert KEY not in page.html and "TESTSECRET" not in page.html and "[removed]" in page.text
        assert "<script>alert(1)</script> </td>|**x** U+202Egnp.exe" in page.text
    export_run(db, "small", tmp_path / "x.md")
    assert "TESTSECRET" not in (tmp_path / "x.md").read_text(encoding="utf-8")
