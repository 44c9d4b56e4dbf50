"""A compaction run's folder in a database: imported like a run file, verified, exported, imported again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from gacc_gui.app.compaction_reporting import finish_folder
from gacc_gui.app.exporting import export_run
from gacc_gui.app.import_report import FileReport, ImportReport, exit_code
from gacc_gui.app.importing import import_paths
from gacc_gui.app.linting import lint_run
from gacc_gui.app.metrics import run_metrics
from gacc_gui.app.verifying import CHECKS, verify_run
from gacc_gui.core.errors import BadUsage, CodecUnavailable
from gacc_gui.formats.compaction_folder import aggregate_of, gathered
from gacc_gui.store.reads import Reader
from tests.compaction_cases import small_corpus
from tests.compaction_run import TOKENIZER, small_folder, small_run_records

CORPUS = small_corpus(2)
WHOLE = small_run_records(corpus=CORPUS)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = small_folder(tmp_path_factory.mktemp("made") / "run", WHOLE, CORPUS)
    finish_folder(folder, WHOLE)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "runs" / "run")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def only(report: ImportReport) -> FileReport:
    (file,) = report.files
    return file


def edit(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    lines = change(path.read_text(encoding="utf-8").splitlines(keepends=True))
    path.write_text("".join(lines), encoding="utf-8")


def test_a_folder_lands_whole_and_once(folder: Path, database: Path) -> None:
    file = only(first := import_paths(database, [folder]))
    assert (file.path, file.runs, file.quarantined, file.error) == (str(folder), ("small",), (), None)
    assert file.added == {
        **{"run": 1, "context": 2, "goal": 2, "question": 2, "memory": 16, "answer": 28, "verdict": 32},
        "request": 52,
    }
    assert exit_code(first) == 0
    again = import_paths(database, [folder])
    assert (only(again).added, only(again).already) == ({}, file.added)
    assert exit_code(again) == 0
    with Reader(database) as reader:
        assert list(reader.records("small")) == WHOLE


def test_as_another_id_and_by_its_protocol(folder: Path, database: Path) -> None:
    assert only(import_paths(database, [folder], as_id="other")).runs == ("other",)
    assert only(import_paths(database, [folder / "protocol.json"])).runs == ("small",)
    with Reader(database) as reader:
        assert [summary.run.id for summary in reader.runs()] == ["other", "small"]


def test_in_a_folder_of_runs(folder: Path, database: Path) -> None:
    plain = folder.parent / "run.json"
    document = {"format": "gacc-run", "format_version": 1, "run": {"id": "plain"}}
    plain.write_text(json.dumps(document), encoding="utf-8")
    unfinished = small_folder(folder.parent / "unfinished", WHOLE, CORPUS)
    report = import_paths(database, [folder.parent])
    assert [(Path(file.path).name, file.runs) for file in report.files] == [
        ("run.json", ("plain",)),
        ("run", ("small",)),
        ("unfinished", ()),
    ]
    assert "not finished" in (report.files[2].error or "")
    assert str(unfinished) in (report.files[2].error or "")
    assert exit_code(report) == 3


def test_an_unfinished_folder_is_refused_saying_how_to_go_on(tmp_path: Path, database: Path) -> None:
    folder = small_folder(tmp_path / "run", WHOLE, CORPUS)
    report = import_paths(database, [folder])
    assert f"`gacc-gui compaction run --resume {folder}` goes on with it" in (only(report).error or "")
    assert exit_code(report) == 2
    protocol = json.loads((folder / "protocol.json").read_text(encoding="utf-8"))
    (folder / "protocol.json").write_text(json.dumps({**protocol, "mode": "live"}), encoding="utf-8")
    report = import_paths(database, [folder])
    assert f"`gacc-gui compaction run --resume {folder} --live` goes on" in (only(report).error or "")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (name, content)
        for name in ("protocol.json", "corpus.json", "results.json")
        for content in ("{", "[1]", "[{}]", "null", '{"format": "else"}')
        if name != "results.json" or not content.startswith("[")
    ],
)
def test_a_corrupt_document_refuses_the_folder(folder: Path, database: Path, name: str, content: str) -> None:
    (folder / name).write_text(content, encoding="utf-8")
    report = import_paths(database, [folder])
    assert name in (only(report).error or "")
    assert exit_code(report) == 2
    with Reader(database) as reader:
        assert reader.runs() == []


def test_a_bad_entry_costs_itself_and_is_named(folder: Path, database: Path) -> None:
    path = folder / "results.json"
    entries = json.loads(path.read_text(encoding="utf-8"))
    entries[1]["em"] = "x"
    entries[2]["type"] = "comparison"
    entries[3]["answer_record"] = 3
    entries[4]["local_input_tokens"] = 7
    path.write_text(json.dumps([*entries, entries[0], 5]), encoding="utf-8")
    report = import_paths(database, [folder])
    reasons = [item.reason for item in only(report).quarantined]
    assert [reason.split(":")[:2] for reason in reasons] == [
        ["results.json", f" entry {number}"] for number in (2, 3, 4, 5, 33, 34)
    ]
    assert "em is no number from 0 to 1" in reasons[0]
    assert "type is 'comparison', and that of the question is bridge" in reasons[1]
    assert "an earlier entry has the same memory and repeat" in reasons[4]
    assert only(report).changed[0][0] == "results.json"
    assert (only(report).added or {})["verdict"] == 28 and exit_code(report) == 3


def test_every_quarantined_record_names_its_file(folder: Path, database: Path) -> None:
    path = folder / "contexts.jsonl"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[1:]), encoding="utf-8")
    reasons = [item.reason for item in only(import_paths(database, [folder])).quarantined]
    assert {reason.partition(":")[0] for reason in reasons} == {"results.json", "requests.jsonl"}


@pytest.mark.parametrize("name", ["collection.jsonl", "REPORT.md", "aggregate.json", "cases.jsonl"])
@pytest.mark.parametrize("gone", [True, False])
def test_a_file_that_changed_or_is_gone_is_told(folder: Path, database: Path, name: str, gone: bool) -> None:
    if gone:
        (folder / name).unlink()
    else:
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write("\n")
    report = import_paths(database, [folder])
    ((file_name, reason),) = only(report).changed
    assert file_name == name and reason.startswith("it is missing" if gone else "it changed since")
    assert only(report).runs == ("small",) and exit_code(report) == 3
    assert report.to_json()["files"][0]["changed"] == [{"file": name, "reason": reason}]  # type: ignore[call-overload,index]


def test_an_unusable_validation_is_told_and_compares_nothing(folder: Path, database: Path) -> None:
    (folder / "validation.json").write_text("{", encoding="utf-8")
    ((name, reason),) = only(import_paths(database, [folder])).changed
    assert name == "validation.json" and "cannot be used" in reason


@pytest.mark.parametrize("change", [{"mode": "live"}, {"diagnostic_only": False}])
def test_a_run_that_asked_no_model_is_no_live_run(
    folder: Path, database: Path, change: dict[str, object]
) -> None:
    path = folder / "protocol.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **change}), encoding="utf-8")
    report = import_paths(database, [folder])
    assert "diagnostic" in (only(report).error or "") and exit_code(report) == 2


def test_a_missing_file_refuses_the_folder(folder: Path, database: Path) -> None:
    (folder / "results.json").unlink()
    assert "results.json is missing" in (only(import_paths(database, [folder])).error or "")


def test_a_bad_line_costs_itself_and_what_depends_on_it(folder: Path, database: Path) -> None:
    path = folder / "contexts.jsonl"
    whole = path.read_text(encoding="utf-8")
    edit(path, lambda lines: [*lines[:2], "{nonsense}\n", *lines[3:]])
    report = import_paths(database, [folder])
    file = only(report)
    bad = next(item for item in file.quarantined if item.line == 3)
    assert bad.reason.startswith("contexts.jsonl: not JSON")
    waiting = [item.reason for item in file.quarantined if item.waits is not None]
    # The context's two answers, their verdicts, and its three requests.
    assert len(waiting) == 7
    assert all('its memory "case-1/jev/1" is not here' in reason for reason in waiting)
    assert exit_code(report) == 3
    path.write_text(whole, encoding="utf-8")
    assert exit_code(import_paths(database, [folder])) == 0
    with Reader(database) as reader:
        assert set(map(repr, reader.records("small"))) == set(map(repr, WHOLE))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda line: line.replace('"status":"ok"', '"status":"fine"', 1), "status is"),
        (lambda line: line.replace('"messages"', '"letters"', 1), "there is no messages"),
        (lambda line: "[]\n", "the line is no object"),
        (lambda line: line.replace('"generation":0', '"generation":NaN', 1), "NaN is not a number"),
        (lambda line: line.replace('"case":"', '"case":"\\ud800', 1), "surrogate"),
    ],
)
def test_any_bad_context_is_told(
    folder: Path, database: Path, change: Callable[[str], str], reason: str
) -> None:
    edit(folder / "contexts.jsonl", lambda lines: [change(lines[0]), *lines[1:]])
    file = only(import_paths(database, [folder]))
    (told,) = (item for item in file.quarantined if item.waits is None)
    assert told.line == 1 and reason in told.reason


def test_a_torn_last_line_costs_only_itself(folder: Path, database: Path) -> None:
    edit(folder / "requests.jsonl", lambda lines: [*lines[:-1], lines[-1][:40]])
    file = only(import_paths(database, [folder]))
    (item,) = file.quarantined
    assert (item.line, item.reason.partition(":")[0]) == (52, "requests.jsonl")
    assert "incomplete line" in item.reason
    assert file.added is not None and file.added["request"] == 51


def test_metrics_are_the_benchmarks_em(folder: Path, database: Path) -> None:
    import_paths(database, [folder])
    with Reader(database) as reader:
        cells = {cell.cell.compressor: cell for cell in run_metrics(reader, "small").cells}
    for method in aggregate_of(gathered(WHOLE)).methods:
        cell = cells[method.method]
        assert Fraction(cell.correct, cell.questions) == method.all.scores["em"]
        assert cell.micro.errors_as_wrong == float(method.all.scores["em"] or 0)
        assert cell.questions == method.all.planned


def test_verify_checks_what_a_compaction_run_promises(folder: Path, database: Path, tmp_path: Path) -> None:
    import_paths(database, [folder])
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_text(TOKENIZER, encoding="utf-8")
    with Reader(database) as reader:
        plain, counted = verify_run(reader, "small"), verify_run(reader, "small", tokenizer=tokenizer)
        with pytest.raises(CodecUnavailable, match=r"nothing\.json"):
            verify_run(reader, "small", tokenizer=tmp_path / "nothing.json")
    assert plain.holds and counted.holds
    assert {check.name: check.ok for check in plain.checks}["token_counts"] is None
    assert all(check.ok for check in counted.checks)
    assert not {"budgets", "compressor_exposures", "retained_texts"} & {check.name for check in plain.checks}
    assert "budgets" in CHECKS


def test_a_tokenizer_is_for_compaction_runs_only(database: Path, tmp_path: Path) -> None:
    plain = tmp_path / "run.json"
    plain.write_text('{"format": "gacc-run", "format_version": 1, "run": {"id": "plain"}}', encoding="utf-8")
    import_paths(database, [plain])
    with Reader(database) as reader, pytest.raises(BadUsage, match="compaction benchmark"):
        verify_run(reader, "plain", tokenizer=plain)


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".jsonl.gz"])
def test_export_and_import_are_the_identity(
    folder: Path, database: Path, tmp_path: Path, suffix: str
) -> None:
    import_paths(database, [folder])
    target = tmp_path / f"exported{suffix}"
    export_run(database, "small", target)
    other = tmp_path / "other.db"
    assert exit_code(import_paths(other, [target])) == 0
    with Reader(other) as reader:
        assert list(reader.records("small")) == WHOLE
    # The folder and the export are the same run.
    assert only(import_paths(other, [folder])).added == {}


def test_reports_for_people_and_lint_take_it(folder: Path, database: Path, tmp_path: Path) -> None:
    import_paths(database, [folder])
    for suffix in (".md", ".csv", ".parquet"):
        export_run(database, "small", tmp_path / f"out{suffix}")
    with Reader(database) as reader:
        assert lint_run(reader, "small").faults == ()
        assert len(list(reader.question_results("small"))) == 32
    assert "CC0-1.0" in (tmp_path / "out.md").read_text(encoding="utf-8")
