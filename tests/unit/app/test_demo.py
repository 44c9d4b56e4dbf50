"""The demonstration: sound items, all there is to show, the same every time, and an independent recount."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app import demo
from gacc_gui.app.demo import DATASET, READER_RULES, make_demo
from gacc_gui.app.linting import lint_path
from gacc_gui.app.verifying import verify_run
from gacc_gui.core.boundary import stored_boundary
from gacc_gui.core.causes import CAUSES, FATES
from gacc_gui.core.errors import BadUsage, CodecUnavailable, Interrupted
from gacc_gui.core.records import Answer, Context, Goal, Memory, Question, Record, Request, Verdict
from gacc_gui.formats.vocabulary import load_codec
from gacc_gui.resources import resource
from gacc_gui.store.reads import Reader

FAULTY = "loan-care-3"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    assert make_demo(path) == {"db": str(path), "runs": ["demo"]}
    return path


@pytest.fixture
def reader(made: Path) -> Iterator[Reader]:
    with Reader(made) as opened:
        yield opened


@pytest.fixture(scope="module")
def dataset() -> dict[str, Any]:
    return json.loads(resource(DATASET).read_text(encoding="utf-8"))


def of(reader: Reader, kind: type) -> list[Any]:
    return [record for record in reader.records("demo") if isinstance(record, kind)]


# The items.


def test_six_kinds_of_text_twelve_goals_sixty_questions(dataset: dict[str, Any]) -> None:
    contexts, goals, questions = dataset["contexts"], dataset["goals"], dataset["questions"]
    assert (len(contexts), len(goals), len(questions)) == (6, 12, 60)
    assert len({context["origin"] for context in contexts}) == 6
    assert all(1_500 <= len(context["text"]) <= 6_000 for context in contexts)
    assert {context["license"] for context in contexts} == {"Apache-2.0"} == {dataset["license"]}
    assert Counter(goal["context_id"] for goal in goals) == {context["id"]: 2 for context in contexts}
    assert set(Counter(question["goal_id"] for question in questions).values()) == {5}
    assert len({question["text"] for question in questions}) == 60
    texts = {context["id"]: context["text"] for context in contexts}
    assert len(re.findall("[一-鿿]", texts["bridge"])) > 1_000
    assert min(map(len, texts["ridge"].split("\n"))) > 900
    assert len(re.findall("[\U0001f300-\U0001faff]", texts["ridge"])) > 30


def test_every_span_and_quote_holds_what_it_should(dataset: dict[str, Any]) -> None:
    texts = {context["id"]: context["text"] for context in dataset["contexts"]}
    source = {goal["id"]: texts[goal["context_id"]] for goal in dataset["goals"]}
    kinds: Counter[str] = Counter()
    for question in dataset["questions"]:
        text, pieces = source[question["goal_id"]], []
        for piece in question.get("evidence", ()):
            if "quote" in piece:
                found = re.sub(r"\s+", " ", piece["quote"]).casefold() in text.casefold()
                assert found == (question["id"] != FAULTY), question["id"]
                pieces.append(piece["quote"])
                kinds["quote"] += 1
            else:
                assert 0 <= piece["start"] < piece["end"] <= len(text)
                pieces.append(text[piece["start"] : piece["end"]])
                kinds["span"] += 1
        if not pieces:
            kinds["none"] += 1
            continue
        # The evidence says the answer: a reference stands in it.
        assert any(
            reference.casefold() in piece.casefold()
            for reference in question["references"]
            for piece in pieces
        ), question["id"]
    assert kinds["span"] > 30
    assert kinds["quote"] > 5
    assert kinds["none"] == 4


def test_every_rule_reads_a_reference_in_the_whole_source_but_that_of_the_faulty_item(
    dataset: dict[str, Any],
) -> None:
    texts = {context["id"]: context["text"] for context in dataset["contexts"]}
    source = {goal["id"]: texts[goal["context_id"]] for goal in dataset["goals"]}
    rules = demo._reading_rules()
    assert set(rules) == {question["text"] for question in dataset["questions"]}
    for question in dataset["questions"]:
        text, rule = source[question["goal_id"]], rules[question["text"]]
        expected = {reference.casefold() for reference in question["references"]}
        assert ((rule.answer(text) or "").casefold() in expected) == (question["id"] != FAULTY)
        if rule.misread is not None:
            mistaken = rule.misread.search(text)
            assert mistaken is not None, question["id"]
            assert not expected & {(group or "").casefold() for group in mistaken.groups()}, question["id"]


def test_the_faulty_item_asks_what_only_an_earlier_draft_said(dataset: dict[str, Any]) -> None:
    text = next(context["text"] for context in dataset["contexts"] if context["id"] == "loan")
    question = next(question for question in dataset["questions"] if question["id"] == FAULTY)
    (draft,) = (piece["quote"] for piece in question["evidence"])
    rule = demo._reading_rules()[question["text"]]
    assert rule.answer(draft) in question["references"]
    assert rule.answer(text) is None
    assert not any(reference in text for reference in question["references"])


def test_lint_names_the_faulty_item_and_nothing_else() -> None:
    assert [(fault.kind, fault.id) for fault in lint_path(resource(DATASET)).faults] == [
        ("quote-not-in-source", FAULTY),
        ("reference-not-in-source", FAULTY),
    ]


def test_the_rules_hold_no_answers_but_yes_and_no() -> None:
    rules = json.loads(resource(READER_RULES).read_text(encoding="utf-8"))["rules"]
    assert {rule["says"] for rule in rules if "says" in rule} == {"no"}


# The run.


def test_every_fate_every_cause_and_the_flags_are_there_to_be_seen(reader: Reader) -> None:
    rows = list(reader.question_results("demo"))
    assert len(rows) == 12 * 5 * 12
    own = [row for row in rows if row.condition == "own-goal"]
    assert {row.fate for row in own} == set(FATES)
    assert {row.cause for row in own} == set(CAUSES)
    assert {flag for row in own for flag in row.flags} == {"unsupported", "uncertain"}
    assert {"judged", "not_judged", "refused"} <= {row.status for row in rows}
    assert {(row.condition, row.ratio) for row in rows} == {
        *(("own-goal", ratio) for ratio in ("0.1", "0.25", "0.5")),
        ("no-goal", "0.25"),
        ("cross-goal", "0.25"),
        ("full-context", "1"),
    }


def test_budgets_end_inside_characters_chinese_and_emoji(reader: Reader) -> None:
    split = set()
    for memory in of(reader, Memory):
        boundary = stored_boundary(memory.proposed_text or "", memory.retained_text or "")
        if boundary is not None and boundary.splits_character:
            split.add(memory.goal_id.split("-")[0])
            assert memory.retained_text.endswith("\ufffd")
    assert split == {"bridge", "ridge"}


def test_failed_items_are_there_and_keep_their_place(reader: Reader) -> None:
    failed = [memory for memory in of(reader, Memory) if memory.status == "error"]
    assert failed
    assert all("simulated" in memory.error for memory in failed)
    assert {"error", "no_answer"} <= {answer.status for answer in of(reader, Answer)}


def test_the_story(reader: Reader) -> None:
    """Micro and Macro of each cell, counted from the verdicts; goals one question away."""
    goal_of = {question.id: question.goal_id for question in of(reader, Question)}
    cells: dict[tuple[str, str, str], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    memories = {memory.id: memory for memory in of(reader, Memory)}
    for verdict in of(reader, Verdict):
        cell = memories[verdict.memory_id].cell
        goal = goal_of[verdict.question_id]
        cells[cell.compressor, cell.condition, cell.ratio][goal].append(verdict.label == "correct")

    def micro(*cell: str) -> float:
        return sum(map(sum, cells[cell].values())) / 60

    def macro(*cell: str) -> int:
        return sum(len(right) == 5 and all(right) for right in cells[cell].values())

    for name in ("lead", "openings", "keywords"):
        shares = [micro(name, "own-goal", ratio) for ratio in ("0.1", "0.25", "0.5")]
        assert shares == sorted(shares)
    assert micro("full-context", "full-context", "1") >= 0.93
    assert macro("full-context", "full-context", "1") >= 9
    assert micro("keywords", "own-goal", "0.25") > 2 * micro("lead", "own-goal", "0.25")
    assert (
        micro("keywords", "own-goal", "0.25")
        > micro("keywords", "no-goal", "0.25")
        > micro("keywords", "cross-goal", "0.25")
    )
    assert macro("keywords", "own-goal", "0.1") == 0 < macro("keywords", "own-goal", "0.25") < 4
    away = Counter(5 - sum(right) for cell in cells.values() for right in cell.values())
    assert away[1] >= 10


def test_budgets_and_ledgers_recounted(reader: Reader) -> None:
    codec = load_codec("cl100k_base")
    assert codec.identity_verified
    texts = {context.id: context.text for context in of(reader, Context)}
    source = {goal.id: texts[goal.context_id] for goal in of(reader, Goal)}
    for memory in of(reader, Memory):
        n = len(codec.encode(source[memory.goal_id]))
        assert memory.budget == int(Decimal(memory.cell.ratio) * n)
        if memory.status != "ok":
            assert (memory.proposed_text, memory.retained_text, memory.ledger) == (None, None, None)
            continue
        ids = codec.encode(memory.proposed_text)
        kept = ids[: memory.budget]
        assert memory.retained_text == codec.decode(kept)
        ledger = memory.ledger
        assert (ledger.source_tokens, ledger.proposed_tokens, ledger.retained_tokens) == (
            n,
            len(ids),
            len(kept),
        )
        assert ledger.unused_budget == memory.budget - len(kept)
        assert ledger.reencoded_tokens == len(codec.encode(memory.retained_text))
        assert ledger.padding_tokens == 0


def test_no_compressor_was_shown_a_question(reader: Reader) -> None:
    questions = [question.text for question in of(reader, Question)]
    sent = [request for request in of(reader, Request) if request.role == "compressor"]
    assert len(sent) > 100
    assert not any(text in request.content for text in questions for request in sent)


def test_the_audit_passes(reader: Reader) -> None:
    checks = verify_run(reader, "demo").checks
    assert {check.name: (check.ok, check.failures) for check in checks} == {
        check.name: (True, 0) for check in checks
    }


def test_it_says_that_it_is_diagnostic_and_can_be_searched(reader: Reader) -> None:
    (summary,) = reader.runs()
    assert summary.run.diagnostic_only is True
    assert (summary.identity_declared, summary.identity_verified) == (True, True)
    assert summary.search_ready


# Making it.


def test_two_demonstrations_are_equal(made: Path, tmp_path: Path) -> None:
    make_demo(tmp_path / "second.db")
    with Reader(made) as first, Reader(tmp_path / "second.db") as second:
        records: list[list[Record]] = [list(r.records("demo")) for r in (first, second)]
        rows = [list(r.question_results("demo")) for r in (first, second)]
    assert records[0] == records[1]
    assert rows[0] == rows[1]


def test_without_a_path_it_takes_a_new_name_in_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GACC_GUI_DATA", str(tmp_path / "data"))
    first, second = make_demo()["db"], make_demo()["db"]
    assert first != second
    assert {Path(first).parent, Path(second).parent} == {tmp_path / "data"}
    assert Path(first).exists()
    assert Path(second).exists()


def test_it_overwrites_nobodys_file(tmp_path: Path) -> None:
    path = tmp_path / "precious.db"
    path.write_bytes(b"precious")
    with pytest.raises(BadUsage, match="exists"):
        make_demo(path)
    assert path.read_bytes() == b"precious"


def test_an_interrupted_demonstration_leaves_nothing(tmp_path: Path) -> None:
    def stop(step: object) -> None:
        raise Interrupted("stopped")

    with pytest.raises(Interrupted):
        make_demo(tmp_path / "demo.db", stop)
    assert list(tmp_path.iterdir()) == []


def test_without_its_vocabulary_it_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise CodecUnavailable("the vocabulary is missing")

    monkeypatch.setattr("gacc_gui.formats.vocabulary.load_codec", missing)
    with pytest.raises(CodecUnavailable):
        make_demo(tmp_path / "demo.db")
    assert list(tmp_path.iterdir()) == []
