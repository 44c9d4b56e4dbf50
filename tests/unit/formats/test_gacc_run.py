from __future__ import annotations

import codecs
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import Answer, Context, Memory, Run
from gacc_gui.formats.gacc_run import RunFile, read_run_file, run_files
from gacc_gui.formats.items import Bad, Broken, Item, Parsed

RUN = {"record": "run", "format": "gacc-run", "format_version": 1, "id": "r"}
REVIEW = {
    "record": "review",
    "id": "v1",
    "memory_id": "m1",
    "question_id": "q1",
    "decision": "correct",
    "reviewer": "Ada",
    "created_at": "2026-11-29T10:00:00Z",
}
CONTEXT = {"record": "context", "id": "c1", "text": "t"}


def answer(**change: Any) -> dict[str, Any]:
    value = {
        "record": "answer",
        "memory_id": "m",
        "question_id": "q1",
        "repeat": 0,
        "text": "t",
        "status": "ok",
    }
    return {**value, "error": None, **change}


def write_lines(folder: Path, *lines: Any, name: str = "run.jsonl", end: str = "\n") -> Path:
    path = folder / name
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(texts) + end, encoding="utf-8", newline="\n")
    return path


def read(path: Path) -> list[Item]:
    with read_run_file(path) as file:
        return list(file)


def records(path: Path) -> list[Any]:
    items = read(path)
    assert all(isinstance(item, Parsed) for item in items), items
    return [item.record for item in items]


def refusal(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read(path)
    assert str(path) in str(caught.value)
    return str(caught.value).removeprefix(f"{path}: ")


# JSON Lines


def test_lines_hold_records_and_unknown_fields(tmp_path: Path) -> None:
    path = write_lines(tmp_path, {**RUN, "name": "n", "lab": {"a": 1}}, {**CONTEXT, "x": [1]}, "", answer())
    run, context, answered = records(path)
    assert run == Run("r", name="n", top_level={"lab": {"a": 1}})
    assert context == Context("c1", "t", extra={"x": [1]})
    assert answered == Answer("m", "q1", 0, "t", "ok")
    assert [item.line for item in read(path)] == [1, 2, 4]


def test_separators_of_unicode_do_not_end_a_record(tmp_path: Path) -> None:
    text = "a\u2028b\x85c\u2029d"
    _, context, answered = records(write_lines(tmp_path, RUN, {**CONTEXT, "text": text}, answer(text=text)))
    assert context.text == answered.text == text


@pytest.mark.parametrize(
    "bad",
    [
        '{"record":"answer","memory_id":"m","question_id":"q","repeat":0,"status":"ok","text":' + value + "}"
        for value in ("NaN", "1e400", "9" * 5000, "[" * 5000 + "]" * 5000)
    ],
    ids=["NaN", "1e400", "digits", "nesting"],
)  # fmt: skip
def test_a_bad_line_costs_itself(tmp_path: Path, bad: str) -> None:
    run, first, second, third = read(write_lines(tmp_path, RUN, answer(), bad, answer(question_id="q2")))
    assert isinstance(run, Parsed)
    assert isinstance(first, Parsed)
    assert isinstance(second, Bad)
    assert second.line == 3
    assert isinstance(third, Parsed)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (answer(memory_id=1), "memory_id is a number (1), not text"),
        ({**CONTEXT, "id": True}, "id is a boolean (true), not text"),
        ({"record": "opinion", "id": "x"}, "the record kind 'opinion' is not known"),
        ({"record": "review", "id": "x"}, "memory_id is missing"),
        ({"record": "probe"}, "with is missing"),
        (
            {**REVIEW, "decision": "right"},
            'decision is "right", not correct, incorrect, unclear or clear',
        ),
        ({**REVIEW, "reviewer": ""}, "reviewer is empty"),
        ({**REVIEW, "reviewer": " \t"}, "reviewer is blank"),
        ({**REVIEW, "reviewer": "\x1c"}, "reviewer is blank"),
        (
            {**REVIEW, "cause": "reader"},
            "cause is reader, which goes with the decision incorrect, not correct",
        ),
        (
            {**REVIEW, "decision": "clear", "cause": "item"},
            "cause is item, which goes with the decision incorrect, not clear",
        ),
        (
            {**REVIEW, "decision": "incorrect", "cause": "no-verdict"},
            'cause is "no-verdict", not truncation, compressor, reader, judge, item, unlocated or null',
        ),
        ({**REVIEW, "created_at": "today"}, "created_at is 'today', not a time in ISO 8601"),
        ({"record": ["answer"]}, "the record kind ['answer'] is not known"),
        ({"id": "x"}, "record is missing"),
        ("[1]", "the line is no object"),
        ('"answer"', "the line is no object"),
        ('{"record":"goal","id":"g","id":"h","text":"t"}', 'the key "id" stands twice in one object'),
        (json.dumps(answer())[:-1] + ', "text": "u"}', 'the key "text" stands twice in one object'),
        (answer(score=float("inf")), "Infinity is not a number in JSON"),
    ],
)  # fmt: skip
def test_reasons_of_bad_lines(tmp_path: Path, line: Any, reason: str) -> None:
    items = read(write_lines(tmp_path, RUN, line, CONTEXT))
    assert items[1] == Bad(2, reason)
    assert isinstance(items[2], Parsed)


def test_half_a_pair_is_repaired_and_the_rest_is_imported(tmp_path: Path) -> None:
    bad = json.dumps(answer(text="?")).replace("?", "cut emoji \\ud83d")
    good = json.dumps(answer(question_id="q2", text="?")).replace("?", "\\ud83d\\udc4d")
    items = read(write_lines(tmp_path, RUN, bad, good, *[answer(question_id=f"x{n}") for n in range(299)]))
    assert len(items) == 302
    repaired, whole = items[1], items[2]
    assert isinstance(repaired, Parsed)
    assert repaired.record.text == "cut emoji \ufffd"
    assert repaired.repaired == ("text: half a surrogate pair became U+FFFD",)
    assert isinstance(whole, Parsed)
    assert whole.record.text == "\U0001f44d"
    assert not whole.repaired


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n\n\r\n"])
@pytest.mark.parametrize(
    "torn", ['{"record":"answer","memory_id":"m","repeat":tr', '{"record":"answer","memory_id":"m', "{"]
)
def test_a_torn_last_line_is_told_as_incomplete(tmp_path: Path, torn: str, end: str) -> None:
    _, first, last = read(write_lines(tmp_path, RUN, answer(), torn, end=end))
    assert isinstance(first, Parsed)
    assert isinstance(last, Broken)
    assert last.line == 3
    assert last.reason.startswith("incomplete line: ")


def test_a_tail_cut_inside_a_character(tmp_path: Path) -> None:
    path = write_lines(tmp_path, RUN, answer(text="é"))
    path.write_bytes(path.read_bytes() + '{"record":"answer","text":"é'.encode()[:-1])
    assert [type(item) for item in read(path)] == [Parsed, Parsed, Broken]


def test_a_torn_line_that_was_appended_to_costs_that_line(tmp_path: Path) -> None:
    glued = '{"record":"answer","v":tr{"record":"answer","v":true}'
    items = read(write_lines(tmp_path, RUN, answer(), glued, answer(question_id="q2")))
    assert [type(item) for item in items] == [Parsed, Parsed, Bad, Parsed]


def test_a_last_line_that_is_merely_wrong_is_not_called_incomplete(tmp_path: Path) -> None:
    assert isinstance(read(write_lines(tmp_path, RUN, answer(status="fine")))[1], Bad)


def test_marks_and_encodings(tmp_path: Path) -> None:
    text = json.dumps(RUN) + "\n" + json.dumps(answer(text="日\ufeffé"), ensure_ascii=False) + "\n"
    expected = [Run("r"), Answer("m", "q1", 0, "日\ufeffé", "ok")]
    for data in (
        codecs.BOM_UTF8 + text.encode(),
        codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + text.replace("\n", "\r\n").encode("utf-16-be"),
        gzip.compress(text.encode()),
        gzip.compress(codecs.BOM_UTF8 + text.encode()),
    ):
        path = tmp_path / "run.jsonl"
        path.write_bytes(data)
        assert records(path) == expected


def test_gzip_end_broken_and_junk_behind_it(tmp_path: Path) -> None:
    plain = write_lines(tmp_path, RUN, *[answer(question_id=f"q{n}") for n in range(300)]).read_bytes()
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(plain)[:-10])
    *kept, last = read(path)
    assert all(isinstance(item, Parsed) for item in kept)
    assert len(kept) > 250
    assert last == Broken(len(kept) + 1, "the gzip data breaks off")
    path.write_bytes(gzip.compress(plain[:1000]) + gzip.compress(plain[1000:]) + b"junk")
    *kept, last = read(path)
    assert len(kept) == 301
    assert isinstance(last, Broken)
    assert "4 bytes behind" in last.reason


def test_a_run_line_tells_whose_its_unknown_fields_are(tmp_path: Path) -> None:
    line = {
        **RUN,
        "mine": 1,
        "theirs": 2,
        "run_fields": ["mine"],
        "document_fields": {"name": "not the run's"},
    }
    assert records(write_lines(tmp_path, line)) == [
        Run("r", extra={"mine": 1}, top_level={"theirs": 2, "name": "not the run's"})
    ]
    nested = {"record": "run", "format": "gacc-run", "format_version": 1, "run": {"id": "r", "a": 1}, "b": 2}
    assert records(write_lines(tmp_path, nested)) == [Run("r", extra={"a": 1}, top_level={"b": 2})]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([CONTEXT], "line 1: the first line is no run record"),
        ([{**RUN, "format_version": 2}], "line 1: format_version is 2; this program reads version 1"),
        ([{**RUN, "format_version": True}], "line 1: format_version is True"),
        ([{**RUN, "format": "something"}], "line 1: no gacc-run: format is 'something'"),
        ([{**RUN, "id": 7}], "line 1: id is a number (7), not text"),
        (["{"], "line 1: not JSON"),
        ([{"record": "dataset", "format": "gacc-dataset"}], "line 1: a gacc-dataset holds no run"),
        ([""], "the file is empty"),
    ],
)  # fmt: skip
def test_lines_without_a_run_are_refused(tmp_path: Path, lines: list[Any], reason: str) -> None:
    assert refusal(write_lines(tmp_path, *lines)).startswith(reason)


# A JSON document


def test_a_document_gives_its_records_in_order(tmp_path: Path, run_document: dict[str, Any]) -> None:
    run_document["lab"] = "ours"
    path = tmp_path / "run.json"
    for indent in (None, 2):
        path.write_text(json.dumps(run_document, indent=indent))
        with RunFile(path) as file:
            items = list(file)
            assert file.whole
            assert file.lists == {"context", "goal", "question", "memory", "answer", "verdict", "request"}
            assert file.position() == file.size
        kinds = [type(item.record).__name__ for item in items if isinstance(item, Parsed)]
        assert kinds == [
            "Run",
            "Context",
            "Goal",
            *["Question"] * 3,
            "Memory",
            *["Answer"] * 3,
            *["Verdict"] * 3,
            "Request",
        ]
        assert items[0].record.top_level == {"lab": "ours"}


@pytest.mark.parametrize(
    ("name", "index", "field", "value", "place", "reason"),
    [
        ("memories", 0, "budget", -4, 'memories[0] "m1"', "budget is out of range: -4"),
        ("questions", 2, "goal_id", 1, 'questions[2] "q3"', "goal_id is a number (1), not text"),
        ("questions", 1, "id", 2, "questions[1]", "id is a number (2), not text"),
        ("answers", 1, "status", "fine", "answers[1]", 'status is "fine"'),
    ],
)  # fmt: skip
def test_one_bad_record_refuses_a_document(
    tmp_path: Path,
    run_document: dict[str, Any],
    name: str,
    index: int,
    field: str,
    value: Any,
    place: str,
    reason: str,
) -> None:
    run_document[name][index][field] = value
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run_document))
    assert refusal(path).startswith(f"{place}: {reason}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the file is empty"),
        ("[]", "no gacc-run: the document is no object"),
        ("{}", "no gacc-run: format is missing"),
        ('{"format": "gacc-run", "format_version": 1}', "run: is missing"),
        ('{"format": "gacc-run", "format_version": 1, "run": {"id": "r"}, "goals": {}}', "goals: is no list"),
        ('{"format": "gacc-run", "format_version": 1, "run": {"id": "r"}, "goals": [1]}', "goals[0]: is no"),
        ('{"format": "gacc-run", "format_version": 1, "run": {"id": "r"}, "x": 1e999}', "the number 1e999"),
        ('{"format": "gacc-run", "format_version": 1, "run": {}, "run": {}}', 'the key "run" stands twice'),
        ('{"format": "gacc-dataset", "format_version": 1}', "a gacc-dataset holds no run to import; `lint`"),
        ('{"format": "gacc-run", "format_version": 1, "run": {"id": "r"}', "not JSON"),
    ],
)  # fmt: skip
def test_documents_that_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    assert refusal(path).startswith(reason)


def test_a_long_ratio_is_read_exactly(tmp_path: Path, run_document: dict[str, Any]) -> None:
    path = tmp_path / "run.json"
    text = json.dumps(run_document).replace('"ratio": "0.5"', '"ratio": 0.5000000000000000000001')
    path.write_text(text)
    assert [r.cell.ratio for r in records(path) if isinstance(r, Memory)] == ["0.5000000000000000000001"]
    memory = json.dumps({"record": "memory", **run_document["memories"][0]})
    path = write_lines(
        tmp_path, RUN, memory.replace('"0.5"', "0.5000000000000000000001"), memory.replace('"0.5"', "5E-1")
    )
    assert [r.cell.ratio for r in records(path)[1:]] == ["0.5000000000000000000001", "0.5"]


def test_the_content_decides_where_the_name_misleads(tmp_path: Path, run_document: dict[str, Any]) -> None:
    assert len(records(write_lines(tmp_path, RUN, answer(), name="run.json"))) == 2
    path = tmp_path / "document.jsonl"
    path.write_text(json.dumps(run_document))
    with RunFile(path) as file:
        assert file.whole
    path = tmp_path / "noname"
    path.write_bytes(gzip.compress(json.dumps(run_document, indent=1).encode()))
    assert len(records(path)) == 14


def test_a_folder_is_read_as_its_run_files(tmp_path: Path) -> None:
    names = ["b.json", "a.jsonl", "c.JSON.GZ", ".hidden.json", "notes.txt", "d.jsonl.gz"]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / "folder.json").mkdir()
    assert [path.name for path in run_files(tmp_path)] == ["a.jsonl", "b.json", "c.JSON.GZ", "d.jsonl.gz"]
    assert run_files(tmp_path / "b.json") == [tmp_path / "b.json"]
    with pytest.raises(BadInput, match=r"no \.json or \.jsonl file in this folder"):
        run_files(tmp_path / "folder.json")


def test_half_a_pair_in_an_id_is_refused(tmp_path: Path, run_document: dict[str, Any]) -> None:
    line = json.dumps(answer(memory_id="m?")).replace("?", "\\ud83d")
    assert read(write_lines(tmp_path, RUN, line))[1] == Bad(2, "memory_id holds half a surrogate pair")
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run_document).replace('"id": "q2"', '"id": "q2\\ud83d"'))
    assert refusal(path) == "questions[1].id holds half a surrogate pair"


def test_a_bad_line_before_a_break_is_told_by_itself(tmp_path: Path) -> None:
    filler = [answer(question_id=f"q{n}", text=str(n * 7919)) for n in range(300)]
    plain = write_lines(tmp_path, RUN, *filler, answer(status="fine")).read_bytes()
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(plain) + b"junk")
    bad, broken = read(path)[-2:]
    assert bad == Bad(302, 'status is "fine", not ok, truncated, no_answer or error')
    assert broken == Broken(303, "4 bytes behind the last gzip member are no gzip data")


@pytest.mark.parametrize("written", ["1e-400", "1E-0400", "0.1e-300", "1e-100"])
def test_a_ratio_too_small_for_a_float_is_none(
    written: str, tmp_path: Path, run_document: dict[str, Any]
) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(run_document).replace('"ratio": "0.5"', f'"ratio": {written}'))
    assert "a ratio must have at most 60 digits" in refusal(path)
    memory = json.dumps({"record": "memory", **run_document["memories"][0]})
    _, bad = read(write_lines(tmp_path, RUN, memory.replace('"ratio": "0.5"', f'"ratio": {written}')))
    assert isinstance(bad, Bad) and "a ratio must have at most 60 digits" in bad.reason


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
@pytest.mark.parametrize("record", ["goal", "run", 7, None])
def test_a_document_in_one_line_may_have_a_field_called_record(
    record: Any, name: str, tmp_path: Path, run_document: dict[str, Any]
) -> None:
    path = tmp_path / name
    path.write_text(json.dumps({"record": record, **run_document}))
    run, *rest = records(path)
    assert run.top_level == {"record": record}
    assert len(rest) == 13
    path.write_text(
        json.dumps({"record": record, "contexts": [CONTEXT], "format": "gacc-dataset", "format_version": 1})
    )
    with RunFile(path, datasets=True) as file:
        head, context = (item.record for item in file)
    assert head.top_level == {"record": record}
    assert context.extra == {"record": "context"}
