"""The corpus file: written and read back; what does not hold is refused with file, case and reason."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.compaction import CollectionCheck
from gacc_gui.core.errors import BadInput, BadUsage
from gacc_gui.formats.corpus import (
    Corpus,
    content_sha256,
    corpus_text,
    message_fault,
    read_corpus,
)
from tests.compaction_cases import small_corpus, write_corpus

Json = dict[str, Any]


def test_written_and_read(tmp_path: Path) -> None:
    corpus = small_corpus(3)
    path = tmp_path / "corpus.json"
    write_corpus(path, corpus)
    again = read_corpus(path)
    assert again.cases == corpus.cases
    assert (again.provenance, again.origin, again.license) == (
        corpus.provenance,
        corpus.origin,
        corpus.license,
    )
    assert again.content_sha256 == {case.id: content_sha256(case) for case in corpus.cases}
    assert again.sha256 == corpus.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert again.altered() == ()
    with pytest.raises(BadUsage, match="already there"):
        write_corpus(path, corpus)


def test_the_text_is_strict_json_of_one_line_a_case() -> None:
    text = corpus_text(small_corpus(3))
    document = json.loads(text)
    assert document["format"] == "gacc-compaction-corpus"
    assert len([line for line in text.split("\n") if line.startswith('{"id"')]) == 3
    source = "\n".join(file["text"] for file in document["cases"][0]["files"])
    assert document["cases"][0]["source_sha256"] == hashlib.sha256(source.encode()).hexdigest()


def test_a_case_that_failed_a_check_is_kept(tmp_path: Path) -> None:
    corpus = small_corpus(2)
    failed = CollectionCheck("agent finished", False, "it crashed")
    broken = replace(corpus.cases[0], trajectory=(), checks=(failed,))
    path = tmp_path / "corpus.json"
    write_corpus(path, replace(corpus, cases=(broken, corpus.cases[1])))
    again = read_corpus(path)
    assert again.cases[0].checks == (failed,)
    assert [case.id for case in again.sound_cases] == ["case-2"]


def test_gold_that_is_not_the_datasets_is_read_and_named(tmp_path: Path) -> None:
    document = json.loads(corpus_text(small_corpus(2)))
    document["cases"][1]["gold"] = {"answer": "other", "supporting_facts": [["nowhere", 7]]}
    corpus = read_corpus(written(tmp_path, document))
    assert corpus.altered() == ("case-2",)
    assert corpus.cases[1].gold.facts == (("nowhere", 7),)
    assert small_corpus(2).altered() == ()


@pytest.mark.parametrize("fact", [[1, 0], ["x", True], ["x", 1.0], ["x"], "x", None, ["x", 0, 0]])
def test_a_supporting_fact_names_a_sentence(tmp_path: Path, fact: Any) -> None:
    document = json.loads(corpus_text(small_corpus(2)))
    document["cases"][1]["gold"]["supporting_facts"].append(fact)
    with pytest.raises(BadInput, match=r"case 2 \(case-2\): its supporting fact 3 is no title with"):
        read_corpus(written(tmp_path, document))


def test_a_question_is_the_one_that_was_asked(tmp_path: Path) -> None:
    document = json.loads(corpus_text(small_corpus(2)))
    document["cases"][1]["question"] = "Which is higher?"
    with pytest.raises(BadInput, match=r"case 2 \(case-2\): its question is not the one that the user's"):
        read_corpus(written(tmp_path, document))


def test_a_case_that_was_never_checked_is_not_evaluated(tmp_path: Path) -> None:
    document = json.loads(corpus_text(small_corpus(2)))
    document["cases"][0]["checks"] = []
    assert [case.id for case in read_corpus(written(tmp_path, document)).sound_cases] == ["case-2"]


def written(folder: Path, document: Any) -> Path:
    path = folder / "corpus.json"
    text = document if isinstance(document, str) else json.dumps(document)
    path.write_text(text, encoding="utf-8")
    return path


def _set(*keys: Any, to: Any) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        value: Any = document
        for key in keys[:-1]:
            value = value[key]
        if to is ...:
            del value[keys[-1]]
        else:
            value[keys[-1]] = to

    return change


CASE = ("cases", 1)
FILE = (*CASE, "files", 3)
SECOND = r"corpus\.json: case 2 \(case-2\): "


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_set("format", to="gacc-run"), r"corpus\.json: it is no corpus"),
        (_set("format_version", to=2), "its format_version is 2; this program reads 1"),
        (_set("format_version", to=True), "its format_version is True"),
        (_set("cases", to=[]), "there is no case"),
        (_set("cases", to={}), "its cases is no list"),
        (_set("license", to=...), "there is no license"),
        (_set("provenance", "mode", to="dreamt"), "its mode is 'dreamt', and none of live, scripted"),
        (_set("provenance", "model", to=7), "its model is no text"),
        (_set("provenance", "selection_seed", to=1.5), "its selection_seed is no whole number"),
        (_set(*CASE, to=[]), r"corpus\.json: case 2: it is no object"),
        (_set(*CASE, "id", to="  "), r"case 2: its id is empty"),
        (_set(*CASE, "id", to="case-1"), r"case 2 \(case-1\): an earlier case has the same id"),
        (_set(*CASE, "question", to=...), SECOND + "there is no question"),
        (_set(*CASE, "type", to="why"), SECOND + "its type is 'why'"),
        (_set(*CASE, "level", to=3), SECOND + "its level is no text"),
        (_set(*CASE, "content_sha256", to=...), SECOND + "there is no content_sha256"),
        (_set(*CASE, "source_sha256", to="0" * 64), SECOND + "the evidence files changed"),
        (_set(*CASE, "trajectory", 1, "content", to="Other."), SECOND + "the trajectory changed"),
        (_set(*CASE, "gold", to=None), SECOND + "its gold is no object"),
        (_set(*CASE, "gold", "answer", to=["a"]), SECOND + "its answer is no text"),
        (_set(*CASE, "gold", "supporting_facts", to=...), SECOND + "there is no supporting_facts"),
        (_set(*CASE, "files", to=[]), SECOND + "it has no evidence file"),
        (_set(*FILE, to="x"), SECOND + "one of its files is no object"),
        (_set(*FILE, "path", to="../x"), SECOND + r"the file '\.\./x' is not named simply"),
        (_set(*FILE, "path", to="evidence-01.txt"), "the path or the title of evidence-01.txt is that of"),
        (_set(*FILE, "sentences", 0, to=1), SECOND + "a sentence of evidence-04.txt is no text"),
        (_set(*FILE, "sentences", 0, to="Other."), SECOND + "evidence-04.txt changed"),
        (_set(*FILE, "text", to="Other."), SECOND + "evidence-04.txt changed"),
        (_set(*FILE, "sha256", to="0" * 64), SECOND + "evidence-04.txt changed"),
        (_set(*CASE, "trajectory", 2, "reasoning", to="hm"), "message 3 of its trajectory: the field 'reas"),
        (_set(*CASE, "checks", to=[{"name": "a", "ok": 1, "found": "b"}]), SECOND + "a check of its coll"),
        (_set(*CASE, "checks", 0, "found", to=...), SECOND + "there is no found"),
    ],
)
def test_what_is_refused(tmp_path: Path, change: Callable[[Json], None], reason: str) -> None:
    document = json.loads(corpus_text(small_corpus(2)))
    change(document)
    with pytest.raises(BadInput, match=reason):
        read_corpus(written(tmp_path, document))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"ok":true', '"ok":true,"ok":true', 'the key "ok" stands twice'),
        ('"selection_seed":20261016', '"selection_seed":NaN', "NaN is not a number"),
        ('"selection_seed":20261016', '"selection_seed":1e999', "is too large"),
        ('"origin": "synthetic"', r'"origin": "\ud800"', "half a surrogate pair"),
        ("}\n]}", "}\n]", "not JSON"),
        ("{", "[", "not JSON"),
    ],
)
def test_json_that_is_refused(tmp_path: Path, old: str, new: str, reason: str) -> None:
    text = corpus_text(small_corpus(2))
    assert old in text
    with pytest.raises(BadInput, match=reason):
        read_corpus(written(tmp_path, text.replace(old, new, 1)))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        read_corpus(tmp_path / "corpus.json")


@pytest.mark.parametrize(
    ("trajectory", "reason"),
    [
        (slice(1, None), "no system prompt and user's request"),
        (slice(0, 1), "no system prompt and user's request"),
        (slice(0, 3), "does not end with a tool's result"),
    ],
)
def test_a_sound_case_has_a_whole_history(tmp_path: Path, trajectory: slice, reason: str) -> None:
    corpus = small_corpus(1)
    case = replace(corpus.cases[0], trajectory=corpus.cases[0].trajectory[trajectory])
    write_corpus(tmp_path / "corpus.json", replace(corpus, cases=(case,)))
    with pytest.raises(BadInput, match=reason):
        read_corpus(tmp_path / "corpus.json")


CALL = {"id": "a", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ({"role": "user", "content": "Hello"}, None),
        ({"role": "assistant", "content": None, "tool_calls": [CALL]}, None),
        ({"role": "tool", "content": "{}", "tool_call_id": "a"}, None),
        ("user", "its role is none of"),
        ({"role": "wizard", "content": ""}, "its role is none of"),
        ({"role": "assistant", "content": None}, "its content is no text"),
        ({"role": "user", "content": ["x"]}, "its content is no text"),
        ({"role": "user", "content": "x", "tool_calls": [CALL]}, "do not go with the role user"),
        ({"role": "tool", "content": "x"}, "do not go with the role tool"),
        ({"role": "tool", "content": "x", "tool_call_id": 1}, "its tool_call_id is no text"),
        ({"role": "assistant", "content": "", "tool_calls": {}}, "a tool call is no id"),
        ({"role": "assistant", "content": "", "tool_calls": [{**CALL, "id": 3}]}, "a tool call is no id"),
        ({"role": "user", "content": "x", "cache": 1}, "the field 'cache' is not public"),
    ],
)
def test_public_messages(message: Any, fault: str | None) -> None:
    found = message_fault(message)
    assert found is None if fault is None else found is not None and fault in found


def test_the_hash_is_that_of_what_is_said() -> None:
    corpus = small_corpus(2)
    other = replace(corpus, license="other")
    assert isinstance(corpus, Corpus)
    assert corpus.sha256 == small_corpus(2).sha256 != other.sha256
