"""The distractor set in its two forms, rows that cannot be read, submissions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.errors import BadInput
from gacc_gui.formats.hotpotqa import read_gold, read_questions, read_submission
from tests.hotpot_files import hotpot_row, write_json, write_parquet


def rows(count: int = 20) -> list[dict[str, Any]]:
    return [hotpot_row(f"q{number}", "comparison" if number % 3 else "bridge") for number in range(count)]


def test_json_and_parquet_are_the_same_questions(tmp_path: Path) -> None:
    made = rows()
    from_json = list(read_questions(write_json(tmp_path / "a.json", made)))
    assert [one.id for one in from_json] == [row["_id"] for row in made]
    assert from_json[0].facts == (("q0 0", 0), ("q0 1", 1))
    assert from_json[0].articles[3].sentences == ("A pump é.", " ")
    for structs in (False, True):
        from_parquet = list(read_questions(write_parquet(tmp_path / "a.parquet", made, structs)))
        assert from_parquet == from_json
        assert [one.content_sha256() for one in from_parquet] == [one.content_sha256() for one in from_json]


def test_hugging_face_rows_as_json(tmp_path: Path) -> None:
    official = hotpot_row("q")
    row = {**official, "id": "q"}
    del row["_id"]
    row["supporting_facts"] = {"title": ["q 0", "q 1"], "sent_id": [0, 1]}
    titles, sentences = zip(*official["context"], strict=True)
    row["context"] = {"title": list(titles), "sentences": list(sentences)}
    assert list(read_questions(write_json(tmp_path / "a.json", [row]))) == list(
        read_questions(write_json(tmp_path / "b.json", [official]))
    )


@pytest.mark.parametrize("form", ["mark", "gzip", "utf-16", "indented"])
def test_forms_of_the_same_file(tmp_path: Path, form: str) -> None:
    text = json.dumps(rows(3), indent=1 if form == "indented" else None)
    path = tmp_path / "a.json"
    path.write_bytes(
        {
            "mark": lambda: b"\xef\xbb\xbf" + text.encode(),
            "gzip": lambda: gzip.compress(text.encode()),
            "utf-16": lambda: text.encode("utf-16"),
            "indented": text.encode,
        }[form]()
    )
    assert [one.id for one in read_questions(path)] == ["q0", "q1", "q2"]


def test_it_streams(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows(200))[:-1] + ", {", encoding="utf-8")
    questions = read_questions(path)
    assert next(questions).id == "q0"
    assert [one.id for one, _ in zip(questions, range(150), strict=False)][-1] == "q150"


def broken(**changes: Any) -> dict[str, Any]:
    row = {**hotpot_row("bad"), **changes}
    return {name: value for name, value in row.items() if value is not ...}


@pytest.mark.parametrize(
    ("row", "record", "reason"),
    [
        (broken(_id=...), "row 3", "there is no id"),
        (broken(_id=7), "row 3", "there is no id"),
        (broken(id="other"), "row 3", "two different ids"),
        (broken(_id="q1"), "row 3 (q1)", "an earlier row has the same id"),
        (broken(question=...), "row 3 (bad)", "there is no question"),
        (broken(answer=None), "row 3 (bad)", "there is no answer"),
        (broken(answer=["a"]), "row 3 (bad)", "its answer is no text"),
        (broken(type=1), "row 3 (bad)", "its type is no text"),
        (broken(level=1), "row 3 (bad)", "its level is no text"),
        (broken(supporting_facts="T"), "row 3 (bad)", "its supporting_facts is no list"),
        (broken(supporting_facts={"title": ["T"], "sent_id": []}), "row 3 (bad)", "of the same length"),
        (broken(context=...), "row 3 (bad)", "there is no context"),
        (broken(context=[["T"]]), "row 3 (bad)", "is no title with sentences"),
        (broken(context=[[1, []]]), "row 3 (bad)", "the title of an article is no text"),
        (broken(context=[["T", ["a", None]]]), "row 3 (bad)", "'T' is no list of sentences"),
        (broken(context=[["T", "abc"]]), "row 3 (bad)", "'T' is no list of sentences"),
        ([], "row 3", "it is no object"),
        (None, "row 3", "it is no object"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, row: Any, record: str, reason: str) -> None:
    path = write_json(tmp_path / "a.json", [*rows(2), row, *rows(2)])
    with pytest.raises(BadInput) as caught:
        list(read_questions(path))
    assert caught.value.record == record
    assert caught.value.path == str(path)
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        (', {"_id": "a", "_id": "b"}]', "stands twice"),
        (', {"_id": NaN}]', "not a number in JSON"),
        (", {\"_id\": 'a'}]", "not JSON"),
        (', {"_id": "\\ud800"}]', "half a surrogate pair"),
        (", {", "breaks off"),
        (",]", "not JSON"),
    ],
)
def test_a_row_that_is_no_json_is_named(tmp_path: Path, tail: str, reason: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows(2))[:-1] + tail, encoding="utf-8")
    with pytest.raises(BadInput, match=reason) as caught:
        list(read_questions(path))
    assert caught.value.record == "row 3"


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        list(read_questions(tmp_path / "no.json"))
    with pytest.raises(BadInput, match="no JSON list"):
        list(read_questions(write_json(tmp_path / "a.json", {"answer": {}})))
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(json.dumps(rows()).encode())[:-12])
    with pytest.raises(BadInput, match="gzip data breaks off"):
        list(read_questions(tmp_path / "a.json.gz"))


def test_a_damaged_or_foreign_parquet_file(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    path = write_parquet(tmp_path / "a.parquet", rows(2))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(BadInput, match="the Parquet file cannot be read"):
        list(read_questions(path))
    pyarrow.parquet.write_table(pyarrow.table({"id": ["a"], "question": ["?"]}), path)
    with pytest.raises(BadInput, match="there is no column 'answer'"):
        list(read_questions(path))


def test_a_bad_row_of_parquet_is_named(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    path = write_parquet(tmp_path / "a.parquet", [*rows(8), {**hotpot_row("bad"), "answer": None}])
    with pytest.raises(BadInput, match=r"row 9 \(bad\): there is no answer"):
        list(read_questions(path))

    facts = pyarrow.StructArray.from_arrays(
        [pyarrow.array([["T"]] * 2), pyarrow.array([[0]] * 2)], ["title", "sent_id"]
    )
    raw = pyarrow.array([b"good", b"\xff"]).view(pyarrow.string())
    table = pyarrow.table({"id": ["a", "b"], "answer": raw, "supporting_facts": facts})
    pyarrow.parquet.write_table(table, path)
    with pytest.raises(BadInput, match="row 2: a text is not UTF-8"):
        list(read_gold(path))


def test_gold_needs_only_what_is_scored(tmp_path: Path) -> None:
    path = write_json(
        tmp_path / "a.json",
        [
            {"_id": "a", "answer": "yes", "supporting_facts": [["T", 0], ["T", True], "odd"]},
            {"_id": "b", "answer": ["x", "y"], "supporting_facts": []},
        ],
    )
    first, second = read_gold(path)
    assert first.facts == (("T", 0), ("T", True), "odd")
    assert (first.answers, second.answers) == (("yes",), ("x", "y"))


@pytest.mark.parametrize(
    ("answer", "reason"), [([], "cannot be scored"), (1, "no text"), (["a", 1], "no text")]
)
def test_gold_that_cannot_be_scored(tmp_path: Path, answer: Any, reason: str) -> None:
    path = write_json(tmp_path / "a.json", [{"_id": "a", "answer": answer, "supporting_facts": []}])
    with pytest.raises(BadInput, match=reason):
        list(read_gold(path))


def test_a_submission_keeps_what_was_written(tmp_path: Path) -> None:
    path = write_json(tmp_path / "p.json", {"answer": {"a": None}, "sp": {"a": [["T", True]]}, "more": 1})
    submission = read_submission(path)
    assert submission.answers == {"a": None}
    assert submission.supports["a"][0][1] is True


@pytest.mark.parametrize(
    "value", [[], {}, {"answer": {}}, {"answer": {}, "sp": []}, {"answer": "a", "sp": {}}]
)
def test_what_is_no_submission(tmp_path: Path, value: Any) -> None:
    with pytest.raises(BadInput, match="a submission has an object"):
        read_submission(write_json(tmp_path / "p.json", value))
