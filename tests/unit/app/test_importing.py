from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.import_report import FileReport, exit_code
from gacc_gui.app.importing import Progress, identity_verified, import_paths
from gacc_gui.core.errors import BadUsage, Interrupted, StoreError
from gacc_gui.core.records import Answer, Run, Verdict
from gacc_gui.formats import vocabulary
from gacc_gui.formats.vocabulary import load_codec
from gacc_gui.store.reads import Reader

Document = dict[str, Any]
KINDS = {
    "contexts": "context",
    "goals": "goal",
    "questions": "question",
    "memories": "memory",
    "answers": "answer",
    "verdicts": "verdict",
    "requests": "request",
}
ALL = {"run": 1, "context": 1, "goal": 1, "question": 3, "memory": 1, "answer": 3, "verdict": 3, "request": 1}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database that does not exist yet."""
    return tmp_path / "db.sqlite"


def as_lines(document: Document) -> list[Any]:
    lines: list[Any] = [{"record": "run", "format": "gacc-run", "format_version": 1, **document["run"]}]
    for name, kind in KINDS.items():
        lines += [{"record": kind, **item} for item in document.get(name, ())]
    return lines


def write_lines(path: Path, lines: list[Any]) -> Path:
    path.write_text(
        "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines), encoding="utf-8"
    )
    return path


def import_one(db: Path, path: Path, **options: Any) -> FileReport:
    (report,) = import_paths(db, [path], **options).files
    return report


def stored(db: Path, run: str = "small") -> list[Any]:
    with Reader(db) as reader:
        return list(reader.records(run))


def runs(db: Path) -> list[str]:
    with Reader(db) as reader:
        return [summary.run.id for summary in reader.runs()]


def reasons(report: FileReport) -> dict[int | None, str]:
    return {item.line: item.reason for item in report.quarantined}


def test_a_run_lands_and_is_there_already(
    db: Path, run_document: Document, run_file: Callable[..., Path]
) -> None:
    path = run_file(run_document)
    first = import_paths(db, [path])
    assert first.files[0].added == ALL
    assert first.files[0].runs == first.run_ids == ("small",)
    assert exit_code(first) == 0
    again = import_paths(db, [path])
    assert (again.files[0].added, again.files[0].already) == ({}, ALL)
    assert exit_code(again) == 0


def test_the_report_as_json(db: Path, run_document: Document, run_file: Callable[..., Path]) -> None:
    path = run_file(run_document)
    (report,) = import_paths(db, [path]).to_json()["files"]
    assert {name: report[name] for name in ("path", "runs", "added", "already", "error")} == {
        "path": str(path),
        "runs": ["small"],
        "added": ALL,
        "already": {},
        "error": None,
    }
    assert report["repaired"] == report["quarantined"] == report["conflicts"] == []


def test_shards_in_any_order_give_the_same(db: Path, tmp_path: Path, run_document: Document) -> None:
    head, *lines = as_lines(run_document)
    whole = tmp_path / "whole.sqlite"
    import_one(whole, write_lines(tmp_path / "whole.jsonl", [head, *lines]))
    shards = [write_lines(tmp_path / f"{n}.jsonl", [head, *lines[n::3]]) for n in range(3)]
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        db.unlink(missing_ok=True)
        report = import_paths(db, [shards[n] for n in order])
        assert exit_code(report) == 0, report
        assert sum(report_sum(file.added) for file in report.files) == sum(ALL.values())
        assert sorted(map(repr, stored(db))) == sorted(map(repr, stored(whole)))


def report_sum(counts: Mapping[str, int] | None) -> int:
    return sum((counts or {}).values())


def test_shards_one_command_at_a_time(db: Path, tmp_path: Path, run_document: Document) -> None:
    head, *lines = as_lines(run_document)
    answers = [line for line in lines if line["record"] == "answer"]
    first = import_paths(db, [write_lines(tmp_path / "a.jsonl", [head, *answers])])
    assert exit_code(first) == 3
    assert reasons(first.files[0])[2] == 'answer "m1" / "q1" / 0: its memory "m1" is not here (yet)'
    rest = [line for line in lines if line["record"] != "answer"]
    second = import_paths(db, [write_lines(tmp_path / "b.jsonl", [head, *rest])])
    assert exit_code(second) == 0
    assert second.files[0].added == {**{kind: n for kind, n in ALL.items() if kind != "run"}}
    assert sum(isinstance(record, Answer) for record in stored(db)) == 3


def test_shards_as_documents(db: Path, tmp_path: Path, run_document: Document) -> None:
    first = {
        name: item for name, item in run_document.items() if name not in ("contexts", "goals", "questions")
    }
    second = {
        name: item for name, item in run_document.items() if name in ("format", "format_version", "run")
    }
    second |= {name: run_document[name] for name in ("contexts", "goals", "questions")}
    paths = []
    for number, document in enumerate((first, second)):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(document))
    report = import_paths(db, paths)
    assert exit_code(report) == 0
    assert report.files[0].quarantined == ()
    assert len(stored(db)) == sum(ALL.values())


@pytest.mark.parametrize("others", ["absent", "empty"])
def test_a_document_whose_parents_are_in_another_waits(
    others: str, db: Path, run_document: Document, run_file: Callable[..., Path]
) -> None:
    whole = copy.deepcopy(run_document)
    for name in KINDS.keys() - {"answers"}:
        if others == "absent":
            del run_document[name]
        else:
            run_document[name] = []
    first = import_one(db, run_file(run_document, "answers.json"))
    assert (first.error, len(first.quarantined)) == (None, 3)
    second = import_one(db, run_file(whole))
    assert second.quarantined == second.conflicts == ()
    assert len(stored(db)) == sum(ALL.values())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["memories"][0].update(goal_id="g9"), 'memory "m1": there is no goal "g9"'),
        (lambda d: d["answers"][1].update(memory_id="m9"), 'answer "m9" / "q2" / 0: there is no memory "m9"'),
        (lambda d: d["goals"][0].update(context_id="c9"), 'goal "g1": there is no context "c9"'),
        (lambda d: d["questions"][1].update(id=2), "questions[1]: id is a number (2), not text"),
    ],
)  # fmt: skip
def test_one_bad_record_refuses_a_document_and_the_database_stays(
    db: Path,
    run_document: Document,
    run_file: Callable[..., Path],
    change: Callable[[Document], None],
    words: str,
) -> None:
    change(run_document)
    path = run_file(run_document)
    report = import_paths(db, [path])
    assert report.files[0].error == f"{path}: {words}"
    assert (report.files[0].runs, report.files[0].added or {}) == ((), {})
    assert exit_code(report) == 2
    assert runs(db) == []


def test_bad_lines_are_quarantined_with_what_depends_on_them(
    db: Path, tmp_path: Path, run_document: Document
) -> None:
    lines = as_lines(run_document)
    at = next(n for n, line in enumerate(lines, 1) if line["record"] == "memory")
    lines[at - 1]["budget"] = -1
    report = import_one(db, write_lines(tmp_path / "x.jsonl", [*lines, "{nonsense", {"record": "review"}]))
    told = reasons(report)
    assert told[at] == "budget is out of range: -1"
    assert told[len(lines) + 1].startswith("not JSON")
    assert told[len(lines) + 2] == "id is missing"
    assert sum("its memory" in reason for reason in told.values()) == 7
    assert report.added == {"run": 1, "context": 1, "goal": 1, "question": 3}
    lines[at - 1]["budget"] = 81
    mended = import_paths(db, [write_lines(tmp_path / "x.jsonl", lines)])
    assert exit_code(mended) == 0
    assert mended.files[0].added == {"memory": 1, "answer": 3, "verdict": 3, "request": 1}


def test_a_torn_file_keeps_what_is_whole_and_then_grows(
    db: Path, tmp_path: Path, run_document: Document
) -> None:
    path = write_lines(tmp_path / "x.jsonl", as_lines(run_document))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    report = import_paths(db, [path])
    lines = whole.count(b"\n")
    assert list(reasons(report.files[0])) == [lines]
    assert "incomplete line" in reasons(report.files[0])[lines]
    assert exit_code(report) == 3
    path.write_bytes(whole)
    report = import_paths(db, [path])
    assert report.files[0].added == {"request": 1}
    assert exit_code(report) == 0


def test_an_answer_under_a_taken_key_is_a_conflict(
    db: Path, run_document: Document, run_file: Callable[..., Path]
) -> None:
    import_one(db, run_file(run_document))
    other = copy.deepcopy(run_document)
    other["answers"][0]["text"] = "somebody else"
    other["contexts"][0]["title"] = "Other"
    report = import_paths(db, [run_file(other, "other.json")])
    assert exit_code(report) == 3
    first, second = report.to_json()["files"][0]["conflicts"]
    assert (first["kind"], first["key"], first["fields"]) == ("context", ["c1"], ["title"])
    assert (second["kind"], second["key"], second["fields"]) == ("answer", ["m1", "q1", 0], ["text"])
    assert (second["stored"]["text"], second["incoming"]["text"]) == ("Ines Okafor", "somebody else")
    assert run_document["answers"][0]["text"] in [r.text for r in stored(db) if isinstance(r, Answer)]


def test_a_finished_item_takes_the_place_of_a_failed_one(
    db: Path, run_document: Document, run_file: Callable[..., Path]
) -> None:
    failed = copy.deepcopy(run_document)
    failed["answers"][1] |= {"text": None, "status": "error", "error": "timeout"}
    failed["verdicts"][1] |= {"label": None, "status": "not_judged"}
    import_one(db, run_file(failed))
    report = import_paths(db, [run_file(run_document, "b.json")])
    assert exit_code(report) == 0
    assert report.files[0].added == report.files[0].superseded == {"answer": 1, "verdict": 1}
    back = import_paths(db, [run_file(failed, "c.json")])
    assert exit_code(back) == 3
    assert [r.status for r in stored(db) if isinstance(r, Answer)] == ["ok"] * 3


def test_another_run_under_the_same_id_is_refused_and_as_gives_it_another(
    db: Path, run_document: Document, run_file: Callable[..., Path]
) -> None:
    import_one(db, run_file(run_document))
    run_document["run"]["name"] = "another"
    path = run_file(run_document, "b.json")
    report = import_paths(db, [path])
    assert exit_code(report) == 2
    assert report.files[0].error is not None
    assert "name" in report.files[0].error
    report = import_paths(db, [path], as_id="second")
    assert exit_code(report) == 0
    assert report.run_ids == ("second",)
    assert runs(db) == ["small", "second"]
    assert [type(record) for record in stored(db, "second")] == [type(record) for record in stored(db)]


def test_several_runs_in_one_file(db: Path, tmp_path: Path, run_document: Document) -> None:
    other = copy.deepcopy(run_document)
    other["run"]["id"] = "other"
    both = [*as_lines(run_document), *as_lines(other), *as_lines(run_document)]
    path = write_lines(tmp_path / "both.jsonl", both)
    report = import_paths(db, [path])
    assert exit_code(report) == 0
    assert report.run_ids == ("small", "other")
    assert report.files[0].added == {kind: 2 * n for kind, n in ALL.items()}
    assert report.files[0].already == ALL
    refused = import_paths(db, [path], as_id="x")
    assert exit_code(refused) == 2
    assert runs(db) == ["small", "other"]


def test_files_and_folders_that_are_none(db: Path, tmp_path: Path, run_document: Document) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(run_document))
    (folder / "b.json").write_text(json.dumps({**run_document, "run": {}}))
    (folder / ".c.json").write_text("nonsense")
    others = {
        "d.json": "{}",
        "e.json": '{"format": "gacc-dataset"}',
        "f.jsonl": '{"role": "user"}\n',
        "g.json": "[1]",
    }
    for name, text in others.items():
        (folder / name).write_text(text)
    report = import_paths(db, [folder, tmp_path / "nowhere.json"])
    assert [Path(item.path).name for item in report.skipped] == sorted(others)
    assert len(report.to_json()["skipped"]) == 4
    assert import_paths(db, [folder / "d.json"]).files[0].error is not None
    assert [file.path for file in report.files] == [
        str(folder / "a.json"),
        str(folder / "b.json"),
        str(tmp_path / "nowhere.json"),
    ]
    assert [file.error is None for file in report.files] == [True, False, False]
    assert exit_code(report) == 3
    assert exit_code(import_paths(db, [tmp_path / "nowhere.json"])) == 2


def test_repairs_and_unknown_labels_are_told(db: Path, tmp_path: Path, run_document: Document) -> None:
    lines = as_lines(run_document)
    at = [n for n, line in enumerate(lines) if line["record"] == "verdict"]
    lines[at[0]] = json.dumps({**lines[at[0]], "rationale": "?"}).replace("?", "half \\ud83d")
    lines[at[1]]["label"] = "partial"
    lines[at[2]]["label"] = 0.5
    report = import_paths(db, [write_lines(tmp_path / "x.jsonl", lines)])
    (file,) = report.files
    assert file.repaired == (f"line {at[0] + 1}: rationale: half a surrogate pair became U+FFFD",)
    assert [warning.split(":")[0] for warning in file.warnings] == [f"line {at[1] + 1}", f"line {at[2] + 1}"]
    assert exit_code(report) == 0
    verdicts = [record for record in stored(db) if isinstance(record, Verdict)]
    assert [(v.label, v.unusual) for v in verdicts][1:] == [("partial", ()), ("0.5", ("label",))]
    assert verdicts[0].rationale == "half \ufffd"
    with Reader(db) as reader:
        rows = {row.question_id: row for row in reader.question_results("small")}
    assert [(rows[q].label, rows[q].cause) for q in ("q2", "q3")] == [(None, "no-verdict")] * 2


def test_no_credential_reaches_the_database(
    db: Path, run_document: Document, run_file: Callable[..., Path]
) -> None:
    secret = "sk-TESTSECRET123"
    run_document["requests"][0] |= {
        "content": f"Authorization: Bearer {secret}\n{run_document['contexts'][0]['text']}",
        "url": f"https://host/v1?api_key={secret}",
    }
    run_document["answers"][2] |= {"text": None, "status": "error", "error": f"401: key {secret}"}
    report = import_one(db, run_file(run_document))
    assert len(report.repaired) == 3
    for path in db.parent.glob("db.sqlite*"):
        assert secret.encode() not in path.read_bytes()
    assert import_one(db, run_file(run_document)).added == {}


def test_progress_and_the_moment_when_rows_are_usable(
    db: Path, tmp_path: Path, run_document: Document
) -> None:
    lines = as_lines(run_document)
    answers = [line for line in lines if line["record"] == "answer"]
    lines += [{**random.choice(answers), "repeat": repeat} for repeat in range(1, 5000)]
    path = write_lines(tmp_path / "x.jsonl", lines)
    seen: list[Progress | str] = []
    usable: list[int] = []

    def ready() -> None:
        seen.append("ready")
        with Reader(db) as reader:
            usable.append(reader.runs()[0].answers)

    import_paths(db, [path], progress=seen.append, rows_ready=ready)
    at = seen.index("ready")
    rows = [step for step in seen[:at] if isinstance(step, Progress)]
    assert {step.phase for step in rows} == {"rows"}
    assert [step.done for step in rows] == sorted(step.done for step in rows)
    assert all(step.total == path.stat().st_size for step in rows)
    assert len(rows) >= 3
    assert {step.phase for step in seen[at + 1 :] if isinstance(step, Progress)} == {"index"}
    assert usable == [5002]


def test_cancelling_leaves_nothing_of_the_file(db: Path, tmp_path: Path, run_document: Document) -> None:
    lines = as_lines(run_document)
    first = write_lines(tmp_path / "a.jsonl", lines)
    run_document["run"]["id"] = "big"
    big = as_lines(run_document)
    big += [{**big[-3], "record": "verdict", "repeat": repeat} for repeat in range(1, 9000)]
    second = write_lines(tmp_path / "b.jsonl", big)
    steps: list[Progress] = []
    with pytest.raises(Interrupted):
        import_paths(
            db,
            [first, second],
            progress=steps.append,
            cancelled=lambda: bool(steps) and steps[-1].records > 4000,
        )
    assert runs(db) == ["small"]


def test_a_database_that_is_none(
    tmp_path: Path, run_document: Document, run_file: Callable[..., Path]
) -> None:
    path = tmp_path / "text.sqlite"
    path.write_text("this is no database, but it is long enough to be taken for one. " * 40)
    with pytest.raises(StoreError):
        import_paths(path, [run_file(run_document)])
    with pytest.raises(BadUsage, match="must not be empty"):
        import_paths(tmp_path / "x.sqlite", [], as_id="")


@pytest.mark.parametrize(
    ("tokenizer", "verified"),
    [
        (None, False),
        ({"name": "cl100k_base", "revision": "1", "identity_verified": True}, False),
        ({"name": "cl100k_base", "revision": 5}, False),
        ({"name": "cl100k_base", "revision": "sha256:" + "0" * 64}, False),
        ({"name": "codepoint", "revision": "1"}, False),
        (
            {
                "name": "cl100k_base",
                "revision": "sha256:223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
                "identity_verified": False,
            },
            True,
        ),
    ],
)
def test_identity_is_our_finding(tokenizer: dict[str, Any] | None, verified: bool) -> None:
    assert identity_verified(Run("r", tokenizer=tokenizer)) is verified


def test_identity_is_left_as_it_was_found_where_the_vocabulary_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    revision = "sha256:223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
    load_codec.cache_clear()
    monkeypatch.setattr(vocabulary, "vocabulary_candidates", list)
    assert identity_verified(Run("r", tokenizer={"name": "cl100k_base", "revision": revision})) is None
