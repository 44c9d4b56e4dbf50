"""Datasets out of tables: columns, ids, lists in cells, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import Context, Goal, Question
from gacc_gui.formats.dataset import read_dataset

COLUMNS = {"context": "doc", "goal": "want", "question": "ask", "references": "gold", "evidence": "where"}
ROWS: list[dict[str, Any]] = [
    {"doc": "the pump, off", "want": "the pump", "ask": "what is off?", "gold": ["pump"], "where": ["pump"]},
    {"doc": "the pump, off", "want": "the pump", "ask": "is it?", "gold": ["off", "so"], "where": None},
    {"doc": "the pump, off", "want": "else", "ask": "is it?", "gold": [], "where": [{"start": 4, "end": 8}]},
    {"doc": "漢字\nsecond line", "want": "the pump", "ask": "what?", "gold": None, "where": []},
]


def write_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        for row in rows:
            cells = {k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()}
            writer.writerow({k: "" if v is None else v for k, v in cells.items()})
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def spans(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with evidence of one shape, which a Parquet column needs."""
    shaped = []
    for row in rows:
        pieces = row["where"]
        if pieces is not None:
            pieces = [{"quote": p} if isinstance(p, str) else p for p in pieces]
            pieces = [{"start": None, "end": None, "quote": None, **piece} for piece in pieces]
        shaped.append({**row, "where": pieces})
    return shaped


def write_as(kind: str, folder: Path) -> Path:
    if kind == "parquet":
        return write_parquet(folder / "d.parquet", spans(ROWS))
    return write_csv(folder / f"d.{kind}", ROWS)


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_the_same_items_from_every_kind_of_table(tmp_path: Path, kind: str) -> None:
    dataset = read_dataset(write_as(kind, tmp_path), COLUMNS)
    assert [context.text for context in dataset.contexts] == ["the pump, off", "漢字\nsecond line"]
    assert [(goal.text, goal.context_id) for goal in dataset.goals] == [
        ("the pump", dataset.contexts[0].id),
        ("else", dataset.contexts[0].id),
        ("the pump", dataset.contexts[1].id),
    ]
    assert [question.text for question in dataset.questions] == ["what is off?", "is it?", "is it?", "what?"]
    assert [question.references for question in dataset.questions] == [("pump",), ("off", "so"), (), None]
    assert dataset.questions[0].evidence == ({"quote": "pump"},)
    assert dataset.questions[2].evidence == ({"start": 4, "end": 8},)
    assert len({question.id for question in dataset.questions}) == 4
    assert dataset == read_dataset(write_as("csv", tmp_path), COLUMNS)  # and with the same ids


def test_ids_of_the_table_and_one_text_as_a_reference(tmp_path: Path) -> None:
    rows = [
        {
            "c": 1,
            "doc": "text",
            "g": "g1",
            "want": "goal",
            "q": 7,
            "ask": "q?",
            "gold": "[not a list",
            "t": "T",
        },
        {
            "c": 1,
            "doc": "text",
            "g": "g1",
            "want": "goal",
            "q": 8,
            "ask": "q?",
            "gold": "4,150",
            "t": "other",
        },
    ]
    columns = {
        **{"context_id": "c", "context": "doc", "goal_id": "g", "goal": "want", "question_id": "q"},
        **{"question": "ask", "references": "gold", "title": "t"},
    }
    dataset = read_dataset(write_parquet(tmp_path / "d.parquet", rows), columns)
    assert dataset.contexts == (Context("1", "text", title="T"),)
    assert dataset.goals == (Goal("g1", "1", "goal"),)
    assert dataset.questions == (
        Question("7", "g1", "q?", references=("[not a list",)),
        Question("8", "g1", "q?", references=("4,150",)),
    )


def test_the_same_question_twice_gets_an_id_of_its_own(tmp_path: Path) -> None:
    row = {"doc": "text", "want": "goal", "ask": "q?"}
    columns = {"context": "doc", "goal": "want", "question": "ask"}
    first, second = read_dataset(write_csv(tmp_path / "d.csv", [row, row]), columns).questions
    assert second.id == f"{first.id}-2"


def test_a_context_longer_than_the_csv_module_likes(tmp_path: Path) -> None:
    rows = [{"doc": "x" * 200_000, "want": "goal", "ask": "q?"}]
    columns = {"context": "doc", "goal": "want", "question": "ask"}
    assert len(read_dataset(write_csv(tmp_path / "d.csv", rows), columns).contexts[0].text) == 200_000
    assert csv.field_size_limit() == 131_072


NEEDED = {"context": "doc", "goal": "want", "question": "ask"}


@pytest.mark.parametrize(
    ("columns", "rows", "said"),
    [
        ({"context": "doc", "goal": "want"}, [{}], "needs dataset.columns.question"),
        ({**NEEDED, "question": "question"}, [{}], "no column 'question' .* there are 'doc', 'want', 'ask'"),
        (NEEDED, [{}, {"ask": "  "}], r"row 2: the question is empty \(column 'ask'\)"),
        (NEEDED, [{"doc": None}], "row 1: the context is empty"),
        ({**NEEDED, "context_id": "ask"}, [{}, {"doc": "other"}], "row 2: the context 'q' has another text"),
        ({**NEEDED, "goal_id": "ask"}, [{}, {"want": "other"}], "row 2: the goal 'q' has another text"),
        ({**NEEDED, "question_id": "ask"}, [{}, {}], "row 2: the question 'q' stands in an earlier row"),
        ({**NEEDED, "evidence": "want"}, [{"want": "[3]"}], "row 1: a piece of evidence needs start and end"),
        ({**NEEDED, "references": "want"}, [{"want": "[[3]]"}], "row 1: a reference is no text"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, columns: dict[str, str], rows: list[dict[str, Any]], said: str
) -> None:
    whole = [{"doc": "text", "want": "goal", "ask": "q", **row} for row in rows]
    with pytest.raises(BadInput, match=said):
        read_dataset(write_csv(tmp_path / "d.csv", whole), columns)


def test_files_that_are_no_tables(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and then nothing")
    (tmp_path / "b.csv").write_bytes(b"doc,want,ask\n\xff,a,b\n")
    (tmp_path / "c.csv").write_text("doc,want,ask\na,b\n")
    (tmp_path / "d.csv").write_text("")
    (tmp_path / "e.json").write_text("{}")
    for name, said in [
        ("a.parquet", "the Parquet file cannot be read"),
        ("b.csv", "not UTF-8"),
        ("c.csv", "row 1: the row has more or fewer cells"),
        ("d.csv", "no column 'doc' .* there are none"),
        ("e.json", "columns are for tables"),
        ("none.csv", "no such file"),
        ("none.parquet", "no such file"),
    ]:
        with pytest.raises(BadInput, match=said):
            read_dataset(tmp_path / name, NEEDED)
