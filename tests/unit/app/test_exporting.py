from __future__ import annotations

import copy
import csv
import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from gacc_gui.app.exporting import Exported, export_run
from gacc_gui.app.importing import import_paths
from gacc_gui.core.errors import BadUsage, GaccError, Interrupted, StoreError
from gacc_gui.formats.report import escaped
from gacc_gui.formats.result_table import COLUMNS, safe_cell
from tests.unit.formats.made_runs import PROBE, REVIEW

Document = dict[str, Any]


def test_what_comes_meanwhile_is_not_in_the_file_or_whole(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path]
) -> None:
    answer, verdict = run_document["answers"][0], run_document["verdicts"][0]
    run_document["answers"] = [{**answer, "repeat": repeat} for repeat in range(1500)]
    later = {
        **run_document,
        "answers": [{**answer, "repeat": 9000}],
        "verdicts": [verdict, {**verdict, "repeat": 9000}],
    }
    database = imported(run_document)
    (tmp_path / "later.json").write_text(json.dumps(later), "utf-8")
    told: list[int] = []

    def evaluates(done: int, _total: int, _phase: str) -> None:
        if done and not told:  # some answers are written, no verdict yet
            told.append(done)
            import_paths(database, [tmp_path / "later.json"])

    export_run(database, "small", tmp_path / "x.json", progress=evaluates)
    document = json.loads((tmp_path / "x.json").read_text("utf-8"))
    assert told and told[0] < 1500
    answered = {answer["repeat"] for answer in document["answers"]}
    assert {verdict["repeat"] for verdict in document["verdicts"]} <= answered
    export_run(database, "small", tmp_path / "y.json")
    assert len(json.loads((tmp_path / "y.json").read_text("utf-8"))["answers"]) == 1501


def csv_rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("ending", ["json", "jsonl", "json.gz", "jsonl.gz"])
def test_what_is_exported_imports_back_without_loss(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path], ending: str
) -> None:
    run_document["lab"] = {"room": 4}
    run_document["run"]["weather"] = "rain"
    run_document["memories"][0]["ledger"]["cached_tokens"] = 3
    run_document["memories"][0]["compressor"]["licence"] = None
    run_document["answers"][0]["text"] = {"text": "Ines Okafor", "conf": 0.9}
    run_document["answers"][1]["text"] = None
    run_document["verdicts"][0]["label"] = 0.5
    del run_document["answers"][2]["error"]
    run_document["questions"][0]["evidence"] = [{"start": 0, "end": 4, "note": "x"}, {"quote": "K-7"}]
    run_document["contexts"][0]["title"] = None
    run_document["requests"][0]["content"] = [{"role": "user", "content": "x"}]
    row = {name: run_document["answers"][0][name] for name in ("memory_id", "question_id", "repeat")}
    when = {"created_at": "2026-11-29T10:00:00Z"}
    run_document["reviews"] = [
        {"id": "v1", **row, "decision": "incorrect", "cause": "reader", "tags": [], "reviewer": "Ada"} | when,
        {"id": "v2", **row, "decision": "clear", "reviewer": "Ada", "mood": 3, "sample": {"a": [1]}} | when,
    ]
    run_document["probes"] = [
        {
            "id": "p1",
            **row,
            "with": "source",
            "attempt": 0,
            "answer": {"text": 4, "status": "ok"},
            "cost": 0.1,
        }
        | {"verdict": {"label": "correct", "status": "judged", "x": 1}, "requests": ["x1"], "usage": {}}
        | when,
        {"id": "p2", **row, "with": "empty", "attempt": 1, "answer": {"status": "error", "error": None}}
        | when,
    ]
    db = imported(run_document)
    first = tmp_path / f"first.{ending}"
    assert export_run(db, "a small run", first) == Exported("small", ())
    second_db = tmp_path / "second.sqlite"
    assert import_paths(second_db, [first]).files[0].error is None
    second = tmp_path / f"second.{ending}"
    export_run(second_db, "small", second)
    assert second.read_bytes() == first.read_bytes()
    third = tmp_path / "third.json"
    export_run(second_db, "small", third)
    assert json.loads(third.read_text(encoding="utf-8")) == run_document


@pytest.mark.parametrize("ending", ["json", "jsonl", "json.gz", "jsonl.gz"])
def test_records_that_wait_are_told_and_in_no_file(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path], ending: str
) -> None:
    memories = run_document.pop("memories")
    db = imported(run_document)
    exported = export_run(db, "small", tmp_path / f"part.{ending}")
    waits = (
        "left out of the file, waiting for records that are not here (yet): 3 answers, 3 verdicts, 1 request"
    )
    assert exported == Exported("small", (waits,))
    again = tmp_path / "again.sqlite"
    assert import_paths(again, [tmp_path / f"part.{ending}"]).files[0].quarantined == ()
    assert export_run(again, "small", tmp_path / "again.json").notices == ()
    assert json.loads((tmp_path / "again.json").read_text("utf-8")).get("answers", []) == []
    assert export_run(db, "small", tmp_path / "x.csv").notices == ()  # figures never know of them
    # The shard with the memories: all lands, and nothing is left to tell.
    shard = {name: run_document[name] for name in ("format", "format_version", "run")} | {
        "memories": memories
    }
    (tmp_path / "shard.json").write_text(json.dumps(shard), encoding="utf-8")
    import_paths(db, [tmp_path / "shard.json"])
    assert export_run(db, "small", tmp_path / f"whole.{ending}") == Exported("small", ())


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    reviews=st.lists(REVIEW, max_size=3),
    probes=st.lists(PROBE, max_size=3),
    ending=st.sampled_from(["json", "jsonl"]),
)
def test_whatever_was_added_to_a_run_comes_back(
    run_document: Document, reviews: list[Document], probes: list[Document], ending: str
) -> None:
    document = copy.deepcopy(run_document)
    row = {name: document["answers"][0][name] for name in ("memory_id", "question_id")}
    document["reviews"] = [{**review, "id": f"v{at}"} | row for at, review in enumerate(reviews)]
    document["probes"] = [{**probe, "id": f"p{at}"} | row for at, probe in enumerate(probes)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        run = folder / "run.json"
        run.write_text(json.dumps(document), encoding="utf-8")
        assert import_paths(folder / "one.db", [run]).files[0].error is None
        export_run(folder / "one.db", "small", folder / f"between.{ending}")
        import_paths(folder / "two.db", [folder / f"between.{ending}"])
        export_run(folder / "two.db", "small", folder / "again.json")
        assert json.loads((folder / "again.json").read_text(encoding="utf-8")) == document


def test_the_shared_runs_come_back_equal(tmp_path: Path, shared_data: Path) -> None:
    db, again = tmp_path / "db.sqlite", tmp_path / "again.sqlite"
    path = shared_data / "runs" / "mixed.gacc-run.json"
    import_paths(db, [path])
    export_run(db, "mixed-3", tmp_path / "x.jsonl")
    import_paths(again, [tmp_path / "x.jsonl"])
    export_run(again, "mixed-3", tmp_path / "y.json")
    original, back = json.loads(path.read_bytes()), json.loads((tmp_path / "y.json").read_bytes())
    for document in (original, back):
        for memory in document["memories"]:
            memory["ratio"] = float(memory["ratio"])
    assert back == original


def test_the_table_has_a_row_for_every_question(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path]
) -> None:
    db = imported(run_document)
    export_run(db, "small", tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes().startswith(b'\xef\xbb\xbf"run_id"')
    rows = csv_rows(tmp_path / "x.csv")
    assert [row["question_id"] for row in rows] == ["q1", "q2", "q3"]
    first = rows[0]
    assert tuple(first) == COLUMNS
    assert (first["origin"], first["license"], first["label"], first["cause"]) == (
        "ours",
        "CC0-1.0",
        "correct",
        "correct",
    )
    assert (first["diagnostic_only"], first["budget"], first["ratio"]) == ("true", "81", "0.5")
    assert json.loads(first["references"]) == ["Ines Okafor"]
    export_run(db, "small", tmp_path / "x.parquet")
    table = parquet.read_table(tmp_path / "x.parquet")
    assert tuple(table.column_names) == COLUMNS
    assert table.column("references").to_pylist() == [["Ines Okafor"], ["812 litres"], ["4,150 euros"]]
    assert table.column("shown_goal_id").to_pylist() == ["g1"] * 3
    assert json.loads(table.schema.metadata[b"gacc_run"])["id"] == "small"


def test_the_table_tells_what_stands_with_reviewers_decisions(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path]
) -> None:
    row = {"memory_id": "m1", "repeat": 0, "created_at": "2026-11-29T10:00:00Z", "blind": False}
    run_document["reviews"] = [
        {
            "id": "v1",
            **row,
            "question_id": "q1",
            "decision": "incorrect",
            "cause": "item",
            "reviewer": "=Ada",
        },
        {"id": "v2", **row, "question_id": "q2", "decision": "incorrect", "reviewer": "Ada"},
        {"id": "v3", **row, "question_id": "q2", "decision": "unclear", "reviewer": "Ben"},
    ]
    db = imported(run_document)
    export_run(db, "small", tmp_path / "x.csv")
    names = ("label", "cause", *COLUMNS[-6:])
    rows = [tuple(row[name] for name in names) for row in csv_rows(tmp_path / "x.csv")]
    assert rows == [
        ("correct", "correct", "incorrect", "item", "incorrect", "'=Ada", "1", "false"),
        ("incorrect", "truncation", "", "no-verdict", "unclear", "Ben", "2", "true"),
        ("incorrect", "truncation", "incorrect", "truncation", "", "", "0", "false"),
    ]
    # appended: who reads by place finds what was there before where it was
    assert COLUMNS[-7] == "rationale" and COLUMNS.index("judge_label") == 30
    export_run(db, "small", tmp_path / "x.parquet")
    table = parquet.read_table(tmp_path / "x.parquet", columns=list(names[2:])).to_pylist()
    assert [tuple(row.values()) for row in table] == [
        ("incorrect", "item", "incorrect", "=Ada", 1, False),
        (None, "no-verdict", "unclear", "Ben", 2, True),
        ("incorrect", "truncation", None, None, 0, False),
    ]


DANGEROUS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\u200b=1", "\uff1d1", "\n=1"]


def test_no_cell_is_a_formula(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path]
) -> None:
    memory, question = run_document["memories"][0]["id"], run_document["questions"][0]["id"]
    run_document["answers"] = [
        {
            "memory_id": memory,
            "question_id": question,
            "repeat": n,
            "text": text,
            "status": "ok",
            "error": None,
        }
        for n, text in enumerate(DANGEROUS)
    ]
    run_document["contexts"][0]["title"] = '=HYPERLINK("http://x")'
    run_document["goals"][0]["text"] = "@goal"
    run_document["run"]["name"] = "+run"
    export_run(imported(run_document), "small", tmp_path / "x.csv")
    for row in csv_rows(tmp_path / "x.csv"):
        for value in row.values():
            assert not value.lstrip().startswith(("=", "+", "-", "@", "\uff1d")), value
            assert not value.startswith(("\t", "\r", "\n"))
    answers = [row["answer"] for row in csv_rows(tmp_path / "x.csv") if row["question_id"] == question]
    assert answers == [f"'{text}" for text in DANGEROUS]
    assert safe_cell("a = b") == "a = b"


def test_answers_that_look_like_missing_values(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path]
) -> None:
    texts = ["None", "NA", "null", "n/a", "", None, "a\x00b", "two\r\nlines"]
    memory, question = run_document["memories"][0]["id"], run_document["questions"][0]["id"]
    run_document["answers"] = [
        {
            "memory_id": memory,
            "question_id": question,
            "repeat": n,
            "text": text,
            "status": "ok",
            "error": None,
        }
        for n, text in enumerate(texts)
    ]
    db = imported(run_document)
    export_run(db, "small", tmp_path / "x.csv")
    frame = pandas.read_csv(tmp_path / "x.csv", keep_default_na=False)
    rows = frame[frame.question_id == question].sort_values("repeat")
    assert rows.answer.tolist() == ["None", "NA", "null", "n/a", "", "", "a␀b", "two\r\nlines"]
    assert rows.has_answer.tolist() == [True, True, True, True, True, False, True, True]
    export_run(db, "small", tmp_path / "x.parquet")
    table = parquet.read_table(tmp_path / "x.parquet").to_pylist()
    assert [row["answer"] for row in table if row["question_id"] == question] == texts


def test_the_report_tells_figures_with_their_denominators(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path]
) -> None:
    run_document["run"]["name"] = "<b>*small*</b> | run\n# not a heading"
    run_document["verdicts"][1]["label"] = "correct"
    export_run(imported(run_document), "small", tmp_path / "x.md")
    text = (tmp_path / "x.md").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert lines[0] == r"# \<b\>\*small\*\</b\> \| run \# not a heading"
    assert "**Diagnostic run.**" in text
    assert (
        "| lead | 1 | own-goal | 0.5 | 2 | 3 | 0 | 3 | 0.667 | 0.667 | – "
        "| 0 | 1 | 0 | 0 | 0.000 | 0.000 | – |" in text
    )
    assert "| lead | 1 | own-goal | 0.5 | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |" in text
    assert "| ours | CC0-1.0 | 1 |" in text
    assert "1 in all." in text
    assert "codepoint 1 (declared not verified; not verified by us)" in text


def test_a_run_without_anything_has_a_report(tmp_path: Path, imported: Callable[[Document], Path]) -> None:
    db = imported({"format": "gacc-run", "format_version": 1, "run": {"id": "r"}})
    for ending in ("md", "html", "csv", "parquet", "json", "jsonl"):
        export_run(db, "r", tmp_path / f"x.{ending}")
    assert "None." in (tmp_path / "x.md").read_text(encoding="utf-8")
    assert csv_rows(tmp_path / "x.csv") == []
    assert parquet.read_table(tmp_path / "x.parquet").num_rows == 0


def test_data_in_markdown_is_text() -> None:
    assert escaped("a|b") == r"a\|b"
    assert escaped("[x](http://y) <img> `c` &lt;") == r"\[x\](http://y) \<img\> \`c\` &amp;lt;"
    assert escaped("x\u202ey\x00z\r\n- w") == "xU+202EyU+0000z - w"
    assert escaped("👩\u200d🔬") == "👩\u200d🔬"


def test_what_cannot_be_exported(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path]
) -> None:
    db = imported(run_document)
    for name in ("x.htm", "x", "x.xlsx", ".json", "x.csv.gz"):
        with pytest.raises(BadUsage, match=r"exported to \.json, \.jsonl, \.csv, \.parquet, \.md or \.html"):
            export_run(db, "small", tmp_path / name)
    with pytest.raises(BadUsage, match="no run"):
        export_run(db, "nobody", tmp_path / "x.json")
    with pytest.raises(GaccError, match="cannot be written"):
        export_run(db, "small", tmp_path / "nowhere" / "x.md")
    with pytest.raises(StoreError):
        export_run(tmp_path / "nowhere.sqlite", "small", tmp_path / "x.json")
    assert not (tmp_path / "nowhere.sqlite").exists()
    assert not list(tmp_path.glob("x.*"))


ENDINGS = ["json", "jsonl.gz", "csv", "parquet", "html"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_export_says_how_far_it_is_to_its_end(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path], ending: str
) -> None:
    run_document["reviews"] = [
        {"id": "v1", "memory_id": "m1", "question_id": "q1", "decision": "correct", "reviewer": "Ada"}
        | {"created_at": "2026-11-29T10:00:00Z", "repeat": 0}
    ]
    told: list[tuple[int, int, str]] = []
    export_run(
        imported(run_document), "small", tmp_path / f"x.{ending}", progress=lambda *at: told.append(at)
    )
    counts = [done for done, _, _ in told]
    assert counts == sorted(counts) and len({total for _, total, _ in told}) == 1
    assert told[-1][0] == told[-1][1] > 1
    if ending == "json":
        lists = (items for items in run_document.values() if isinstance(items, list))
        assert told[-1] == (1 + sum(map(len, lists)), told[-1][1], "records")


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_export_that_is_ended_leaves_what_was_there(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path], ending: str
) -> None:
    db, folder = imported(run_document), tmp_path / "out"
    folder.mkdir()
    target = folder / f"x.{ending}"
    target.write_text("mine", encoding="utf-8")
    for last in (0, 1):  # before the first word, and after the last

        def stop(done: int, total: int, _phase: str, last: int = last) -> None:
            if done >= last * total:
                raise Interrupted("enough")

        with pytest.raises(Interrupted):
            export_run(db, "small", target, progress=stop)
        assert [path.name for path in folder.iterdir()] == [target.name]
        assert target.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_is_made_without_the_texts_of_sources_and_memories(
    tmp_path: Path, run_document: Document, imported: Callable[[Document], Path], ending: str
) -> None:
    db = imported(run_document)
    with_texts, without = tmp_path / f"with.{ending}", tmp_path / f"without.{ending}"
    export_run(db, "small", with_texts)
    with closing(sqlite3.connect(db)) as connection, connection:
        assert connection.execute("UPDATE texts SET text = ''").rowcount
    export_run(db, "small", without)
    assert without.read_bytes() == with_texts.read_bytes()
