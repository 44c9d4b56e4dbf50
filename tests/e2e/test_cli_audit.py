"""`verify` and `lint` on whole runs, faultless and tampered with."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.compaction import PROTOCOL
from tests.conftest import CommandLine

Document = dict[str, Any]


def failed_checks(document: Any) -> dict[str, list[dict[str, Any]]]:
    return {check["name"]: check["examples"] for check in document["checks"] if check["ok"] is False}


def verify(cli: CommandLine, path: Path, run: str, expect: int) -> Any:
    cli.holds(path, "audit.db")
    return cli("verify", run, "--db", "audit.db", "--json", expect=expect).json


@pytest.fixture
def hotpot(shared_data: Path) -> Document:
    return json.loads((shared_data / "runs" / "hotpot-rules.gacc-run.json").read_text(encoding="utf-8"))


def test_an_honest_run_passes(cli: CommandLine, shared_data: Path) -> None:
    found = verify(cli, shared_data / "runs" / "hotpot-rules.gacc-run.json", "hotpot-rules-5", 0)
    checks = {check["name"]: check for check in found["checks"]}
    assert all(check["ok"] is not False and check["failures"] == 0 for check in checks.values())
    assert checks["retained_texts"]["checked"] == 432
    assert checks["compressor_exposures"]["ok"] is None and checks["compressor_exposures"]["why"]


def test_every_tampering_is_named(cli: CommandLine, hotpot: Document, run_file: Callable[..., Path]) -> None:
    ledger, text, budget, leaked, canary = (hotpot["memories"][i] for i in (10, 50, 100, 150, 200))
    ledger["ledger"]["proposed_tokens"] += 1
    text["retained_text"] = text["retained_text"][:-1]
    budget["budget"] += 1
    context = {goal["id"]: goal["context_id"] for goal in hotpot["goals"]}
    source = {context["id"]: context["text"] for context in hotpot["contexts"]}
    goal = {goal["id"]: goal["text"] for goal in hotpot["goals"]}
    asked = {question["goal_id"]: question for question in hotpot["questions"]}

    def request(memory: Document, more: str = "") -> Document:
        content = f"{source[context[memory['goal_id']]]}\n\n{goal[memory['goal_id']]}{more}"
        return {
            "id": f"x-{memory['id']}",
            "role": "compressor",
            "memory_id": memory["id"],
            "content": json.dumps({"messages": [{"role": "user", "content": content}]}),
        }

    question = asked[leaked["goal_id"]]
    target = asked[canary["goal_id"]]
    target["references"] = [*target["references"], "canary 7f3a-11"]
    hotpot["requests"] = [
        *(request(memory) for memory in hotpot["memories"][:40]),
        request(leaked, f"\n\n{question['text']}"),
        request(canary, "\n\nCanary 7F3A-11"),
    ]
    found = failed_checks(verify(cli, run_file(hotpot), "hotpot-rules-5", 1))
    assert found.keys() == {"proposed_tokens", "retained_texts", "budgets", "compressor_exposures"}
    assert [one["memory_id"] for one in found["proposed_tokens"]] == [ledger["id"]]
    assert found["proposed_tokens"][0]["declared"] == found["proposed_tokens"][0]["recomputed"] + 1
    assert [one["memory_id"] for one in found["retained_texts"]] == [text["id"]]
    assert [one["memory_id"] for one in found["budgets"]] == [budget["id"]]
    assert [(one["request_id"], one["question_id"]) for one in found["compressor_exposures"]] == [
        (f"x-{leaked['id']}", question["id"]),
        (f"x-{canary['id']}", target["id"]),
    ]


def test_in_words(cli: CommandLine, run_document: Document, run_file: Callable[..., Path]) -> None:
    run_document["memories"][0]["budget"] = 80
    run_document["requests"][0]["content"] += " Who closed the valve?"
    cli.holds(run_file(run_document), "a.db")
    told = cli("verify", "small", "--db", "a.db", expect=1).out
    assert "budgets: memory m1: budget is 80, recounted 81" in told
    assert (
        "request x1, question q1: the compressor was shown the text of a question: Who closed the valve?"
        in told
    )


def test_an_audit_in_which_nothing_could_run_says_so(
    cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    """A compaction run that keeps no protocol: no check fails, and none holds."""
    run_document["run"]["protocol"] = PROTOCOL
    cli.holds(run_file(run_document), "audit.db")
    told = cli("verify", "small", "--db", "audit.db")
    assert told.err.splitlines() == ["note: no check could run, so that nothing was verified"]
    assert "ok" not in told.out.split() and "keeps no protocol" in told.out


def test_what_sqlite_says_of_a_file_is_one_line(
    cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    cli.holds(run_file(run_document), "a.db")
    with closing(sqlite3.connect(cli.folder / "a.db")) as connection:
        connection.execute("UPDATE goals SET text = CAST(x'ff41' AS TEXT)")
        connection.commit()
    told = cli("verify", "small", "--db", "a.db", "--json", expect=2)
    (line,) = told.err.splitlines()
    assert line.startswith("gacc-gui: the database cannot be read: Could not decode to UTF-8")
    assert told.out == ""


def test_an_unknown_tokenizer_is_no_failure(
    cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    run_document["run"]["tokenizer"] = {"name": "somebody-else", "revision": "7"}
    found = verify(cli, run_file(run_document), "small", 0)
    unable = {check["name"] for check in found["checks"] if check["ok"] is None}
    assert {"tokenizer_identity", "budgets", "retained_texts"} <= unable
    assert all("somebody-else" in check["why"] for check in found["checks"] if check["name"] == "budgets")


@pytest.mark.slow
def test_every_question_that_leaks_is_found(cli: CommandLine) -> None:
    cli("--db", "demo.db", "demo", "--no-window")
    cli("--db", "demo.db", "export", "demo", "--to", "demo.json")
    document = json.loads((cli.folder / "demo.json").read_text(encoding="utf-8"))
    source = {context["id"]: context["text"] for context in document["contexts"]}
    of_goal = {goal["id"]: source[goal["context_id"]] for goal in document["goals"]}
    memory = {memory["goal_id"]: memory["id"] for memory in document["memories"]}
    leaked = set()
    for question in document["questions"]:
        goal = question["goal_id"]
        hidden = [reference for reference in question["references"] if reference not in of_goal[goal]]
        for number, text in enumerate((question["text"], *hidden)):
            for form, content in (("alone", text), ("behind", f"{of_goal[goal]}\n{text}")):
                name = f"{question['id']}/{number}/{form}"
                request = {"id": name, "role": "compressor", "memory_id": memory[goal], "content": content}
                document["requests"].append(request)
                if text.lower() not in ("yes", "no") and len(text) > 2:
                    leaked.add((name, question["id"]))
    assert len({question for _, question in leaked}) == 60
    (cli.folder / "leaks.json").write_text(json.dumps(document), encoding="utf-8")
    cli.holds("leaks.json", "leaks.db")
    (check,) = [
        check
        for check in cli("--db", "leaks.db", "verify", "demo", "--json", expect=1).json["checks"]
        if check["ok"] is False
    ]
    assert check["name"] == "compressor_exposures"
    assert check["failures"] >= len(leaked)
    assert len(check["examples"]) == 50
    assert {(one["request_id"], one["question_id"]) for one in check["examples"]} <= leaked


def test_a_question_half_made_of_the_source_is_found(
    cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    question = (
        "The night shift found the pump off. Valve K-7 was closed at 02:14 by whom, as far as is known?"
    )
    run_document["questions"][0]["text"] = question
    run_document["requests"][0]["content"] += f"\n{question}"
    found = failed_checks(verify(cli, run_file(run_document), "small", 1))
    assert found.keys() == {"compressor_exposures"}
    (example,) = found["compressor_exposures"]
    assert (example["memory_id"], example["field"], example["question_id"]) == ("m1", "content", "q1")


@pytest.mark.parametrize(
    ("condition", "shown"),
    [("own-goal", "g2"), ("no-goal", "g1"), ("cross-goal", "g1"), ("cross-goal", None), ("own-goal", None)],
)
def test_a_shown_goal_that_contradicts_the_condition(
    condition: str, shown: str | None, cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    run_document["goals"].append({"id": "g2", "context_id": "c1", "text": "Keep costs."})
    run_document["questions"].append(
        {"id": "q9", "goal_id": "g2", "text": "How many euros?", "references": ["4,150 euros"]}
    )
    run_document["memories"][0] |= {"condition": condition, "shown_goal_id": shown}
    path = run_file(run_document)
    (example,) = failed_checks(verify(cli, path, "small", 1))["shown_goals"]
    assert (example["memory_id"], example["field"]) == ("m1", "shown_goal_id")
    assert f"shown_goals: memory m1: {condition}" in cli("verify", "small", "--db", "audit.db", expect=1).out
    for what in (path, "small"):
        (fault,) = cli("lint", what, "--db", "audit.db", "--json", expect=1).json["faults"]
        assert (fault["kind"], fault["where"]) == ("shown-goal-contradicts-condition", "memory m1")


@pytest.mark.parametrize(
    ("revision", "outcome"),
    [
        ("sha256:223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", True),
        ("223921B76EE99BDE995B7FF738513EEF100FB51D18C93597A113BCFFE865B2A7", True),
        (None, None),
        ("sha256:00", False),
        ("SHA256:", False),
        ("sha256:" + "0" * 64, False),
        ("0" * 64, False),
        ("1", None),
    ],
)
def test_a_declared_revision_is_compared(
    revision: str | None, outcome: bool | None, cli: CommandLine, run_document: Document, run_file: Any
) -> None:
    run_document["run"]["tokenizer"] = {"name": "cl100k_base", "identity_verified": True}
    if revision is not None:
        run_document["run"]["tokenizer"]["revision"] = revision
    cli.holds(run_file(run_document), "a.db")  # its counts are of code points
    checks = cli("verify", "small", "--db", "a.db", "--json", expect=1).json["checks"]
    (check,) = [check for check in checks if check["name"] == "tokenizer_identity"]
    assert check["ok"] is outcome
    if outcome is False:
        assert check["examples"][0]["field"] == "tokenizer.revision"
        assert check["examples"][0]["declared"] == revision
    assert (outcome is None) == ("why" in check)


def test_lint_of_a_run_a_file_and_a_dataset(
    cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    path = run_file(run_document)
    cli.holds(path, "a.db")
    for what in ("small", path):
        assert cli("lint", what, "--db", "a.db", "--json").json["faults"] == []

    questions = run_document["questions"]
    questions[0]["evidence"] = [{"start": 160, "end": 164}, {"quote": "nobody wrote this"}]
    questions[1]["references"] = ["813 litres"]
    questions[2]["text"] = questions[1]["text"]
    run_document["goals"].append({"id": "g2", "context_id": "c1", "text": "Keep costs."})
    dataset = {"format": "gacc-dataset", "format_version": 1}
    dataset |= {name: run_document[name] for name in ("contexts", "goals", "questions")}
    path = run_file(dataset, "items.json")
    found = cli("lint", path, "--json", expect=1).json
    assert found["file"] == str(path)
    assert sorted((fault["kind"], fault["where"]) for fault in found["faults"]) == [
        ("duplicate-question", "question q3"),
        ("goal-without-questions", "goal g2"),
        ("quote-not-in-source", "question q1"),
        ("reference-not-in-source", "question q2"),
        ("span-out-of-range", "question q1"),
    ]
    assert found["counts"]["span-out-of-range"] == 1
    assert "question q2: reference-not-in-source" in cli("lint", path, expect=1).out


def test_lint_of_two_questions_with_one_id(
    cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    run_document["questions"].append({**run_document["questions"][0], "text": "Who was it?"})
    del run_document["answers"], run_document["verdicts"]
    faults = cli("lint", run_file(run_document), "--json", expect=1).json["faults"]
    assert [(fault["kind"], fault["where"]) for fault in faults] == [("duplicate-id", "question q1")]


def test_lint_of_nothing(cli: CommandLine, run_document: Document, run_file: Callable[..., Path]) -> None:
    told = cli("lint", "nothing-here", "--json", expect=2)
    assert told.out == "" and "nothing-here" in told.err
    cli.holds(run_file(run_document), "a.db")
    told = cli("lint", "nothing.json", "--db", "a.db", expect=2)
    assert told.err == "gacc-gui: there is neither a file nor a run 'nothing.json'\n"
