"""Live evaluations against a service that answers with every oddity: each item in its status, none lost.

And the key, which is found in nothing that a run leaves behind.
"""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine, Finished
from tests.e2e.one_model import one_model
from tests.servers.odd_server import Answer, OddServer, Received, Rule, completion, document, error, page

pytestmark = pytest.mark.slow

KEY = "sk-TESTSECRET123"
RIGHT = '{"reason": "same", "verdict": "correct"}'


ASKED: Counter[bytes] = Counter()


@pytest.fixture(autouse=True)
def _nothing_asked() -> None:
    ASKED.clear()


def turns(*answers: Answer | Rule) -> Rule:
    """Answers in turn, per item: the first request for it gets the first one."""

    def rule(received: Received) -> Answer:
        n = ASKED[received.body]
        ASKED[received.body] += 1
        answer = answers[min(n, len(answers) - 1)]
        return answer(received) if callable(answer) else answer

    return rule


def dated(_: Received) -> Answer:
    return error(429, retry_after=email.utils.formatdate(time.time() + 2, usegmt=True))


# What the service does → the answer's status, and how often it is asked.
ODDITIES: dict[str, tuple[Rule | Answer, str, int]] = {
    "plain": (completion("Paris"), "ok", 1),
    "retry-after 1": (turns(error(429, retry_after="1"), completion("Paris")), "ok", 2),
    "retry-after 1.5": (turns(error(429, retry_after="1.5"), completion("Paris")), "ok", 2),
    "retry-after 130": (error(429, retry_after="130"), "error", 1),
    "retry-after 1e9": (error(429, retry_after="1e9"), "error", 1),
    "retry-after 0": (turns(error(429, retry_after="0"), completion("Paris")), "ok", 2),
    "retry-after -3": (turns(error(429, retry_after="-3"), completion("Paris")), "ok", 2),
    "retry-after nan": (turns(error(429, retry_after="nan"), completion("Paris")), "ok", 2),
    "retry-after soon": (turns(error(429, retry_after="soon"), completion("Paris")), "ok", 2),
    "retry-after date": (turns(dated, completion("Paris")), "ok", 2),
    "429 for ever": (error(429), "error", 3),
    "500 once": (turns(error(500), completion("Paris")), "ok", 2),
    "503 for ever": (error(503), "error", 3),
    "bad gateway page": (page(502), "error", 3),
    "page with 200": (page(), "error", 1),
    "choices null": (document({"choices": None}), "error", 1),
    "choices empty": (document({"choices": []}), "error", 1),
    "error with 200": (document({"error": {"message": "overloaded", "code": 503}}), "error", 3),
    "empty body": (Answer(b""), "error", 3),
    "half a body": (Answer(b'{"choices": [{"message": {"content": "Par'), "error", 3),
    "cut body": (Answer(completion("Paris").body, cut=60), "error", 3),
    "cut once": (turns(Answer(completion("Paris").body, cut=60), completion("Paris")), "ok", 2),
    "latin-1": (Answer(b'{"choices": [{"message": {"content": "caf\xe9"}}]}'), "error", 3),
    "hang up": (Answer(hang_up=True), "error", 3),
    "stall": (Answer(completion("Paris").body, stall=30), "error", 3),
    "drip": (Answer(b"", drip=True), "error", 3),
    "parts": (completion([{"type": "text", "text": "Paris"}]), "ok", 1),
    "a dict": (completion({"text": "Paris"}), "error", 1),
    "reasoning only": (completion(None, "length", reasoning_content="It is Paris."), "no_answer", 1),
    "empty after reasoning": (completion("", "stop", reasoning="It is Paris."), "no_answer", 1),
    "open think": (completion("<think>It is Paris", "length"), "no_answer", 1),
    "closed think": (completion("<think>It is Rome</think>\n\nParis"), "ok", 1),
    "null content": (completion(None), "no_answer", 1),
    "refusal": (completion(None, refusal="I will not."), "no_answer", 1),
    "filtered": (completion("Par", "content_filter"), "error", 1),
    "cut short": (completion("Paris", "length"), "truncated", 1),
    "no usage": (completion("Paris", usage=None), "ok", 1),
    "odd usage": (completion("Paris", usage={"prompt_tokens": "12"}), "ok", 1),
    "surrogate": (Answer(b'{"choices": [{"message": {"content": "Paris \\ud83d"}}]}'), "ok", 1),
    "bom": (Answer(b"\xef\xbb\xbf" + completion("Paris").body), "ok", 1),
    "too long": (document({"message": "maximum context length is 4096", "code": 400}, 400), "error", 1),
    "parameter": (error(400, "Unsupported parameter: 'temperature'", "unsupported_parameter"), "error", 1),
    "deep": (Answer(b"[" * 5000), "error", 1),
}  # fmt: skip

# What the service says to the judge → the verdict's status and label.
VERDICTS: dict[str, tuple[Rule | Answer, str, str | None]] = {
    "says correct": (completion(RIGHT), "judged", "correct"),
    "says incorrect": (completion('{"reason": "no", "verdict": "incorrect"}'), "judged", "incorrect"),
    "word incorrect": (completion("INCORRECT"), "judged", "incorrect"),
    "not correct": (completion("The answer is not correct."), "unparsed", None),
    "thinks correct": (completion('<think>{"verdict":"correct"}</think>INCORRECT'), "judged", "incorrect"),
    "only thinks": (completion(None, "stop", reasoning_content=RIGHT), "unparsed", None),
    "cut verdict": (completion('{"verdict":"correct","why":"The mem', "length"), "truncated", None),
    "whole but cut": (completion(RIGHT, "length"), "truncated", None),
    "conflict": (completion("Verdict: correct\nVerdict: incorrect"), "unparsed", None),
    "refuses": (completion(None, refusal="I will not."), "refused", None),
    "cannot": (completion("I can't fulfill this request."), "unparsed", None),
    "judge page": (page(200, "<html>correct</html>"), "error", None),
    "judge 500": (error(500, "correct"), "error", None),
    "judge later": (turns(error(503), completion(RIGHT)), "judged", "correct"),
}


def service(received: Received) -> Answer:
    """Answer by the word that the question, or the answer that is judged, holds."""
    judged = re.search(r"says \[(.*?)\]", received.prompt)
    if "candidate answer" in received.prompt:
        rule: Rule | Answer = VERDICTS[judged.group(1)][0] if judged else completion(RIGHT)
    elif asked := re.search(r"Case \[(.*?)\]", received.prompt):
        name = asked.group(1)
        rule = completion(f"It says [{name}]") if name in VERDICTS else ODDITIES[name][0]
    else:
        rule = completion("A memory.")
    return rule(received) if callable(rule) else rule


def dataset(names: list[str]) -> dict[str, Any]:
    return {
        "format": "gacc-dataset",
        "format_version": 1,
        "contexts": [{"id": "c", "text": "Paris is the capital. " * 20}],
        "goals": [{"id": "g", "context_id": "c", "text": "Keep the capital."}],
        "questions": [
            {"id": name, "goal_id": "g", "text": f"Case [{name}]?", "references": ["Paris"]} for name in names
        ],
    }


def configuration(url: str, **endpoint: Any) -> str:
    settings = {"concurrency": 64, "timeout_seconds": 2.0, "max_retries": 2, "api_key_env": "ODD_KEY"}
    return one_model("odd", "dataset.json", url, limits="concurrency = 64", **{**settings, **endpoint})


def evaluate(cli: CommandLine, url: str, names: list[str], *more: str, **settings: Any) -> Finished:
    cli.environment["ODD_KEY"] = KEY
    (cli.folder / "dataset.json").write_text(json.dumps(dataset(names)), encoding="utf-8")
    (cli.folder / "odd.toml").write_text(configuration(url, **settings), encoding="utf-8")
    arguments = ("--db", "odd.db", "run", "gacc", "odd.toml", "--live", "--json", "--events", *more)
    return cli(*arguments, expect=None)


def exported(cli: CommandLine) -> dict[str, list[dict[str, Any]]]:
    cli("--db", "odd.db", "export", "odd", "--to", "odd.json")
    return json.loads((cli.folder / "odd.json").read_text(encoding="utf-8"))


def found_in(folder: Path, secret: str) -> list[str]:
    """Return the files below a folder that hold a text, in UTF-8 or UTF-16."""
    forms = (secret.encode(), secret.encode("utf-16-le"), secret.encode("utf-16-be"))
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if any(form in path.read_bytes() for form in forms)]


def test_every_oddity_ends_in_its_status(cli: CommandLine) -> None:
    names = [*ODDITIES, *VERDICTS]
    with OddServer(service) as server:
        done = evaluate(cli, server.url, names)
        asked = Counter(
            match.group(1)
            for received in server.received
            if "candidate answer" not in received.prompt
            and (match := re.search(r"Case \[(.*?)\]", received.prompt))
        )
    assert done.code == 3, done.err
    assert done.json["state"] == "finished"
    run = exported(cli)
    answers = {answer["question_id"]: answer for answer in run["answers"]}
    verdicts = {verdict["question_id"]: verdict for verdict in run["verdicts"]}

    assert {name: answers[name]["status"] for name in ODDITIES} == {n: o[1] for n, o in ODDITIES.items()}
    assert {name: asked[name] for name in ODDITIES} == {name: oddity[2] for name, oddity in ODDITIES.items()}
    for name, (_, status, _) in ODDITIES.items():
        if status in ("ok", "truncated"):
            assert answers[name]["text"] == ("Paris \ufffd" if name == "surrogate" else "Paris")
            assert verdicts[name]["label"] == "correct"
        else:
            assert answers[name]["text"] is None and answers[name]["error"]
            assert name not in verdicts  # nobody judges an answer that does not exist
    told = {name: (verdicts[name]["status"], verdicts[name].get("label")) for name in VERDICTS}
    assert told == {name: (status, label) for name, (_, status, label) in VERDICTS.items()}

    (cell,) = cli("--db", "odd.db", "metrics", "odd", "--json").json["cells"]
    right = sum(o[1] in ("ok", "truncated") for o in ODDITIES.values())
    right += sum(label == "correct" for _, _, label in VERDICTS.values())
    wrong = sum(label == "incorrect" for _, _, label in VERDICTS.values())
    assert (cell["questions"], cell["judged"], cell["correct"]) == (len(names), right + wrong, right)
    assert cell["causes"]["no-verdict"] == len(names) - right - wrong

    (reader,) = [total for total in done.json["usage"] if total["role"] == "reader"]
    assert reader["unreported"] > 0 and reader["unpriced"] == reader["unreported"]
    waited = [json.loads(line) for line in done.err.splitlines() if '"waiting"' in line]
    assert any(1 <= event["seconds"] <= 2 and event["endpoint"] == "main" for event in waited)


def test_every_request_and_attempt_is_kept(cli: CommandLine) -> None:
    with OddServer(service) as server:
        evaluate(cli, server.url, ["500 once", "hang up", "says correct"])
        received = [json.loads(request.body) for request in server.received]
    requests = {request["id"]: request for request in exported(cli)["requests"]}
    assert sum(len(request["attempts"]) for request in requests.values()) == len(received)
    once = next(request for name, request in requests.items() if "500 once" in name and "reader" in name)
    assert [attempt.get("status") for attempt in once["attempts"]] == [500, 200]
    assert once["attempts"][0]["error"] == "HTTP 500: no"
    assert once["attempts"][1]["waited"] > 0
    assert json.loads(once["content"]) in received
    assert once["usage"] == {"input_tokens": 7, "output_tokens": 3}
    assert once["cost"] == pytest.approx(13e-6) and once["finish_reason"] == "stop"
    hung = next(request for name, request in requests.items() if "hang up" in name)
    assert len(hung["attempts"]) == 3 and "usage" not in hung and "reply" not in hung
    assert "no connection to http://127.0.0.1" in hung["error"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (error(401, f"Incorrect API key provided: {KEY}"), "the key in ODD_KEY was refused"),
        (error(429, "You have no money", "insufficient_quota"), "the quota is used up"),
    ],
)
def test_a_run_that_cannot_go_on_stops_and_is_resumed(cli: CommandLine, answer: Answer, told: str) -> None:
    names = ["says correct", "says incorrect"]
    refused = True

    def rule(received: Received) -> Answer:
        return answer if refused and "Case [" in received.prompt else service(received)

    with OddServer(rule) as server:
        stopped = evaluate(cli, server.url, names, concurrency=1)
        assert stopped.code == 2 and told in stopped.err and stopped.out == ""
        made = len(server.received)
        assert made <= 3  # the memory, and what was under way
        refused = False
        done = evaluate(cli, server.url, names, "--resume", "odd", concurrency=1)
        assert done.code == 0, done.err
        assert len(server.received) == made + 2 * len(names)
    assert {verdict["label"] for verdict in exported(cli)["verdicts"]} == {"correct", "incorrect"}
    assert found_in(cli.folder, KEY) == []


def test_the_key_is_found_nowhere(cli: CommandLine) -> None:
    def echo(received: Received) -> Answer:
        told = f"Paris {received.headers} {received.path} {received.body!r}"
        if "candidate answer" in received.prompt:
            return completion(json.dumps({"reason": told, "verdict": "correct"}), reasoning=told)
        return error(500, told) if "Case [refusal]" in received.prompt else completion(told)

    cli.environment["OPENAI_LOG"] = "debug"
    with OddServer(echo) as server:
        done = evaluate(cli, server.url, ["plain", "refusal"], max_retries=0)
    assert done.code == 3, done.err
    assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in server.received)
    said = done.out + done.err
    for suffix in ("json", "jsonl", "csv", "parquet", "md"):
        finished = cli("--db", "odd.db", "export", "odd", "--to", f"out.{suffix}")
        said += finished.out + finished.err
    for command in (("questions", "odd", "--json"), ("verify", "odd", "--json"), ("runs", "--json")):
        finished = cli("--db", "odd.db", *command, expect=None)
        said += finished.out + finished.err
    assert KEY not in said
    assert found_in(cli.folder, KEY) == []


@pytest.mark.parametrize(
    "writing",
    [
        r"sk-TEST\u0053ECRET123",
        r"\u0073\u006B-TESTSECRET123",
        r"sk-TESTS\\u0045CRET123",
        "sk%2DTESTSECRET123",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_key_that_is_escaped_is_found_nowhere(cli: CommandLine, writing: str, encoding: str) -> None:
    def echo(received: Received) -> Answer:
        if "Case [refusal]" in received.prompt:
            return error(500, f"you sent {writing}")
        told = f'{{"reason":"{writing}","verdict":"correct"}}' if "candidate" in received.prompt else writing
        body = json.loads(completion(told, usage=None).body)
        # Once as it is and once within the outer JSON, where an escape is read before anything else.
        text = json.dumps(body)
        return Answer((text if "goal" in received.prompt else text.replace("\\\\u", "\\u")).encode(encoding))

    with OddServer(echo) as server:
        done = evaluate(cli, server.url, ["plain", "refusal"], max_retries=0)
    assert done.code == 3, done.err
    run = exported(cli)
    assert [verdict["label"] for verdict in run["verdicts"]] == ["correct"]
    cli("--db", "odd.db", "export", "odd", "--to", "odd.csv")
    held = json.dumps(run) + done.out + done.err
    for _ in range(4):  # whoever unescapes what is stored finds nothing either
        assert KEY not in held
        held = re.sub(r"\\+u00([0-9A-Fa-f]{2})", lambda match: chr(int(match.group(1), 16)), held)
        held = held.replace("%2D", "-")
    assert found_in(cli.folder, KEY) == []


@pytest.mark.parametrize("name", ["api_key", "token", "key", "apikey", "subscription-key"])
def test_a_key_has_no_place_in_an_address(cli: CommandLine, name: str) -> None:
    secret = "a1b2c3d4e5f6a7b8c9d0"
    done = evaluate(cli, f"http://127.0.0.1:9/v1?{name}={secret}", ["plain"])
    assert done.code == 2 and "endpoints.main.base_url" in done.err
    assert secret not in done.out + done.err
    (cli.folder / "odd.toml").unlink()
    assert found_in(cli.folder, secret) == []


def test_a_body_cannot_be_taken_over(cli: CommandLine) -> None:
    (cli.folder / "dataset.json").write_text(json.dumps(dataset(["plain"])), encoding="utf-8")
    text = configuration("http://127.0.0.1:9/v1") + "[endpoints.main.extra_body]\nmodel = 'other'\n"
    (cli.folder / "odd.toml").write_text(text, encoding="utf-8")
    done = cli("run", "gacc", "odd.toml", "--dry-run", expect=2)
    assert "endpoints.main.extra_body.model: must not stand there" in done.err
