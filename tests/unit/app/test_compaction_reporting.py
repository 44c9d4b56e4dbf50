"""A run's folder is finished once, and its figures are made anew from what is in it."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.compaction_reporting import FOLDER_CHECKS, finish_folder, rebuild_report
from gacc_gui.core.errors import BadInput, BadUsage
from gacc_gui.core.records import Answer, Context, Memory, Question, Request, Run
from tests.compaction_cases import small_corpus
from tests.compaction_run import small_folder, small_run_records

CORPUS = small_corpus(2)
RECORDS = small_run_records(corpus=CORPUS, as_engine=True)
FILES = {
    *("protocol.json", "corpus.json", "collection.jsonl", "cases.jsonl", "contexts.jsonl", "requests.jsonl"),
    *("results.json", "aggregate.json", "REPORT.md", "validation.json"),
}


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    return small_folder(tmp_path / "run", RECORDS, CORPUS)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = small_folder(tmp_path_factory.mktemp("made") / "run", RECORDS, CORPUS)
    finish_folder(folder, RECORDS)
    return folder


@pytest.fixture
def finished(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "finished")


def strict(path: Path) -> Any:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def checks(folder: Path) -> dict[str, Any]:
    return {check["name"]: check for check in strict(folder / "validation.json")["checks"]}


def test_a_finished_folder_is_complete_and_says_so(finished: Path) -> None:
    assert {path.name for path in finished.iterdir()} == FILES
    validation = strict(finished / "validation.json")
    assert validation["holds"] is True
    assert list(checks(finished))[: len(FOLDER_CHECKS)] == list(FOLDER_CHECKS)
    assert {check["ok"] for check in validation["checks"]} == {True, None}
    assert checks(finished)["token_counts"]["why"]
    assert validation["files"].keys() == FILES - {"validation.json"}


def test_aggregate_counts_everything_planned(finished: Path) -> None:
    told = strict(finished / "aggregate.json")
    assert told["planned"]["answers"] == 4 * 2 * 2 * 2
    jev = told["methods"]["jev"]
    assert (jev["valid"], jev["planned"], jev["metrics"]["em"], jev["exact"]["em"]) == (4, 8, 0.375, "3/8")
    assert jev["statuses"] == {"error": 1, "invalid": 1, "ok": 4, "refused": 1, "unparsed": 1}
    assert jev["input_tokens"]["provider"]["inputs"] == 7
    assert jev["input_tokens"]["local"]["inputs"] == 8
    assert told["hypothesis"]["held"] is True
    assert all(math.isfinite(value) for value in jev["metrics"].values())


def test_a_folder_is_finished_once(finished: Path) -> None:
    with pytest.raises(BadUsage, match="finished already"):
        finish_folder(finished, RECORDS)


def test_what_an_interrupted_finishing_left_is_written_anew(begun: Path) -> None:
    (begun / "contexts.jsonl").write_text("{}\n", encoding="utf-8")
    (begun / "REPORT.md").write_text("half", encoding="utf-8")
    assert finish_folder(begun, RECORDS).holds


def test_a_changed_input_and_a_secret_are_told(begun: Path) -> None:
    (begun / "collection.jsonl").write_text('{"authorization": "Bearer abcdef123456"}\n', encoding="utf-8")
    with (begun / "corpus.json").open("a", encoding="utf-8") as file:
        file.write("\n")
    done = finish_folder(begun, RECORDS)
    failed = {check.name: [one.field for one in check.examples] for check in done.checks if check.ok is False}
    assert failed == {"files": ["corpus.json"], "secrets": ["collection.jsonl"]}
    assert strict(begun / "validation.json")["holds"] is False


def test_a_secret_is_found_in_any_file_and_told_nowhere(begun: Path) -> None:
    secret = "s3cret-of-ours"
    leaky = [
        replace(record, error=f"refused {secret}") if isinstance(record, Answer) and record.error else record
        for record in RECORDS
    ]
    done = finish_folder(begun, leaky, secrets=[secret])
    (check,) = (check for check in done.checks if check.name == "secrets")
    assert {example.field for example in check.examples} == {"results.json", "REPORT.md"}
    assert secret not in (begun / "validation.json").read_text(encoding="utf-8")


def test_rebuilding_compares_writes_and_never_overwrites(finished: Path, tmp_path: Path) -> None:
    rebuilt = rebuild_report(finished)
    assert rebuilt.stands
    assert dict(rebuilt.files) == {"aggregate.json": "equal", "REPORT.md": "equal"}
    report = (finished / "REPORT.md").read_bytes()
    (finished / "REPORT.md").unlink()
    assert dict(rebuild_report(finished).files)["REPORT.md"] == "written"
    assert (finished / "REPORT.md").read_bytes() == report
    (finished / "aggregate.json").write_text("{}", encoding="utf-8")
    rebuilt = rebuild_report(finished)
    assert not rebuilt.stands
    assert dict(rebuilt.files)["aggregate.json"] == "different"
    assert (finished / "aggregate.json").read_text(encoding="utf-8") == "{}"
    elsewhere = rebuild_report(finished, tmp_path / "other")
    assert dict(elsewhere.files) == {"aggregate.json": "written", "REPORT.md": "written"}
    assert (tmp_path / "other" / "REPORT.md").read_bytes() == report


def test_data_that_changed_since_are_named(finished: Path) -> None:
    path = finished / "results.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"em":1.0', '"em":0.0'), encoding="utf-8")
    rebuilt = rebuild_report(finished)
    assert [(one.file, one.is_missing) for one in rebuilt.changed] == [("results.json", False)]
    assert not rebuilt.stands
    assert dict(rebuilt.files)["aggregate.json"] == "different"


def test_data_that_are_missing_are_named(finished: Path) -> None:
    (finished / "collection.jsonl").unlink()
    rebuilt = rebuild_report(finished)
    assert not rebuilt.stands
    assert (rebuilt.as_json()["missing"], rebuilt.as_json()["changed"]) == (["collection.jsonl"], [])


def test_an_unfinished_or_broken_folder_is_refused(finished: Path) -> None:
    torn = (finished / "contexts.jsonl").read_text(encoding="utf-8")[:-20]
    (finished / "contexts.jsonl").write_text(torn, encoding="utf-8")
    with pytest.raises(BadInput, match=r"line 16: contexts\.jsonl: incomplete line"):
        rebuild_report(finished)
    (finished / "validation.json").unlink()
    with pytest.raises(BadInput, match=r"not finished: .*compaction run --resume"):
        rebuild_report(finished)


# The report.


def report_of(folder: Path) -> str:
    return (folder / "REPORT.md").read_text(encoding="utf-8")


def test_the_report_says_first_what_kind_of_run_it_is(finished: Path) -> None:
    text = report_of(finished)
    assert text.startswith("> **Diagnostic run: no language model was asked.**")
    assert text.index("answer EM") < text.index("## Methods")
    assert "**jev: answer EM 0.3750** (3/8; 4 valid of 8 planned answers to 2 questions)" in text
    for heading in (
        "What failed",
        "Cases left out",
        "Budgets",
        "Downstream input",
        "does not show",
        "data comes",
    ):
        assert heading in text
    for said in ("CC BY-SA 4.0", "Wikipedia", "less cost", "agents at large", "HotpotQA", "training"):
        assert said in text
    assert "| no\\_context | 0 | 0 | 2 | 2 |" in text
    assert "the summary was still 12 tokens too long after 3 retries" in text


def test_texts_of_data_are_no_markup(begun: Path) -> None:
    def marked(record: Any) -> Any:
        if isinstance(record, Run):
            return replace(record, name="**bold** <script>x</script>\n# heading | [a](http://b)")
        if isinstance(record, Memory) and record.error:
            return replace(record, error="<img src=x> | `code`\n\n- list")
        return record

    finish_folder(begun, [marked(record) for record in RECORDS])
    text = report_of(begun)
    assert "# \\*\\*bold\\*\\* \\<script\\>x\\</script\\> \\# heading \\| \\[a\\](http://b)" in text
    assert "\\<img src=x\\> \\| \\`code\\` - list" in text
    assert "<script" not in text.replace("\\<script", "")


def test_a_run_without_a_method_reports_that_nothing_can_be_decided(tmp_path: Path) -> None:
    records = small_run_records(corpus=CORPUS, methods=("jev", "summary"))
    folder = small_folder(tmp_path / "run", records, CORPUS)
    assert finish_folder(folder, records).holds
    text = report_of(folder)
    assert "hypothesis **cannot be decided**" in text
    assert "there is no figure of full, jev+summary" in text


def test_a_case_left_out_is_named(tmp_path: Path) -> None:
    from gacc_gui.core.compaction import CollectionCheck

    corpus = small_corpus(3)
    bad = replace(corpus.cases[0], checks=(CollectionCheck("reads untruncated", False, "evidence-03.txt"),))
    corpus = replace(corpus, cases=(bad, *corpus.cases[1:]))
    records = small_run_records(corpus=corpus)
    folder = small_folder(tmp_path / "run", records, corpus)
    assert finish_folder(folder, records).holds
    assert "- case case-1: reads untruncated: evidence-03.txt" in report_of(folder)
    assert sum(isinstance(record, Question) for record in records) == 2
    assert {record.id for record in records if isinstance(record, Context)} == {"case-2", "case-3"}


def test_a_run_without_failures_says_so(tmp_path: Path) -> None:
    records = small_run_records(corpus=CORPUS, faults={})
    folder = small_folder(tmp_path / "run", records, CORPUS)
    assert finish_folder(folder, records).holds
    assert "Nothing: every planned answer is valid." in report_of(folder)
    assert any(isinstance(record, Request) for record in records)
