"""What bodies with a status of success say: completions in every form, and what only looks like one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.runner.parts import Usage
from gacc_gui.runner.replies import Reply, read_reply, read_usage, split_reasoning

JSON = "application/json"


def body(message: Any, finish_reason: Any = "stop", **others: Any) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish_reason}], **others}).encode()


def read(message: Any, finish_reason: Any = "stop", **others: Any) -> Reply:
    return read_reply(body(message, finish_reason, **others), JSON)


def test_a_completion() -> None:
    reply = read(
        {"content": " Paris\n"}, usage={"prompt_tokens": 5, "completion_tokens": 2}, model="served-1"
    )
    assert reply == Reply("ok", " Paris\n", None, "stop", Usage(5, 2, None), "served-1")


@pytest.mark.parametrize("finish", ["length", "max_tokens", "MAX_TOKENS"])
def test_a_cut_answer_is_truncated(finish: str) -> None:
    reply = read({"content": "Par"}, finish)
    assert (reply.status, reply.text, reply.finish_reason) == ("truncated", "Par", finish)


@pytest.mark.parametrize("finish", ["stop", "eos", "end_turn", None, 7])
def test_other_endings_are_complete(finish: Any) -> None:
    assert read({"content": "Paris"}, finish).status == "ok"


def test_content_as_parts() -> None:
    parts = [{"type": "text", "text": "Pa"}, {"type": "text", "text": "ris"}, {"type": "image_url"}, "!"]
    assert read({"content": parts}).text == "Paris!"
    reply = read({"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Paris"}]})
    assert (reply.text, reply.reasoning) == ("Paris", "hm")
    nested = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "Paris"},
    ]
    assert (read({"content": nested}).text, read({"content": nested}).reasoning) == ("Paris", "hm")
    assert read({"content": [{"type": "refusal", "refusal": "no"}]}).status == "refused"
    assert read({"content": []}).status == "no_answer"


@pytest.mark.parametrize("content", [{"text": "Paris"}, 42, True, [["Paris"]], [3]])
def test_content_that_is_no_text_is_never_one(content: Any) -> None:
    reply = read({"content": content})
    assert (reply.status, reply.text) == ("error", None)
    assert reply.failure is not None and reply.failure.kind == "bad response"


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_in_a_field_is_no_answer(name: str) -> None:
    reply = read({"content": "Paris", name: "It says so."})
    assert (reply.text, reply.reasoning) == ("Paris", "It says so.")


@pytest.mark.parametrize("content", [None, "", " \n"])
@pytest.mark.parametrize("finish", ["length", "stop"])
def test_reasoning_that_ate_the_answer(content: str | None, finish: str) -> None:
    usage = {"completion_tokens": 64, "completion_tokens_details": {"reasoning_tokens": 60}}
    reply = read({"content": content, "reasoning_content": "long"}, finish, usage=usage)
    assert (reply.status, reply.text, reply.reasoning) == ("no_answer", None, "long")
    assert reply.error == f"no answer: reasoning used 60 of 64 tokens (finish reason '{finish}')"


def test_nothing_at_all() -> None:
    assert read({"content": None}).error == "no answer: the content is empty (finish reason 'stop')"
    assert read({}, None).error == "no answer: the content is empty (no finish reason)"
    called = read({"content": None, "tool_calls": [{}]}, "tool_calls")
    assert called.error == "no answer: the model called a tool (finish reason 'tool_calls')"


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ("<think>hm</think>\n\nParis", "Paris", "hm"),
        ("\n<THINK>a</THINK><think>b</think> Paris", "Paris", "a\nb"),
        ("It is Paris, I think.\n</think>\n\nParis", "Paris", "It is Paris, I think."),
        ("<think>hm", None, "hm"),
        ("<think>hm</think>", "", "hm"),
        ("The tag `</think>` ends it.", "The tag `</think>` ends it.", None),
        ("In <think>tags</think> it thinks.", "In <think>tags</think> it thinks.", None),
        ("Paris", "Paris", None),
    ],
)
def test_reasoning_in_tags(content: str, text: str | None, reasoning: str | None) -> None:
    assert split_reasoning(content) == (text, reasoning)


def test_reasoning_that_never_ends_is_no_answer() -> None:
    reply = read({"content": "<think>maybe Paris"}, "length")
    assert (reply.status, reply.text, reply.reasoning) == ("no_answer", None, "maybe Paris")


def test_refusals() -> None:
    reply = read({"content": None, "refusal": "I will not."})
    assert (reply.status, reply.text, reply.error) == ("refused", None, "the model refused: I will not.")
    assert read({"content": None}, "content_filter").status == "refused"
    cut = read({"content": "Par"}, "content_filter")
    assert (cut.status, cut.failure and cut.failure.retry) == ("error", False)


@pytest.mark.parametrize("finish", ["error", "abort", "insufficient_system_resource"])
def test_a_service_that_breaks_off_gives_no_answer_to_score(finish: str) -> None:
    reply = read({"content": "Par"}, finish)
    assert (reply.status, reply.text) == ("error", "Par")
    assert reply.failure is not None and reply.failure.retry


def test_an_error_beside_text_is_an_error() -> None:
    reply = read({"content": "Par"}, error={"message": "upstream died"})
    assert (reply.status, reply.error) == ("error", "the reply holds an error: upstream died")


@pytest.mark.parametrize(
    ("content", "content_type", "retry"),
    [
        (b"<html><body>Paris</body></html>", "text/html", False),
        (b'{"choices": null}', JSON, False),
        (b'{"choices": []}', JSON, False),
        (b'{"choices": [null]}', JSON, False),
        (b'{"choices": [{"message": null}]}', JSON, False),
        (b'{"choices": [{"text": "Paris"}]}', JSON, False),
        (b"[1]", JSON, False),
        (b'"Paris"', JSON, False),
        (b"null", JSON, False),
        (b"", JSON, True),
        (b" \n", "", True),
        (b'{"choices": [{"mess', JSON, True),
        (b'{"choices": [{"message": {"content": "caf\xe9"}}]}', "application/json; charset=iso-8859-1", True),
        (b'{"error": {"message": "upstream overloaded", "code": 503}}', JSON, True),
        (b'{"error": "upstream overloaded"}', JSON, False),
        (b'{"object": "error", "message": "gone", "code": 404}', JSON, False),
        (b"[" * 5000, JSON, False),
        (b'{"choices": ' + b"9" * 5000 + b"}", JSON, True),
        (b'data: {"choices": []}\n\ndata: [DONE]\n\n', "text/event-stream", False),
    ],
)
def test_what_is_no_completion_is_a_bad_response(content: bytes, content_type: str, retry: bool) -> None:
    reply = read_reply(content, content_type)
    assert (reply.status, reply.text) == ("error", None)
    assert reply.failure is not None
    assert (reply.failure.kind, reply.failure.retry) == ("bad response", retry)
    assert reply.error is not None and reply.error.startswith("bad response: ")
    if content.strip():
        assert "does the base URL end in /v1?" in reply.error
        assert (content_type or "no content type") in reply.error
    assert len(reply.error) < 400 and "\n" not in reply.error


def test_errors_with_status_200_that_stop_a_run() -> None:
    quota = read_reply(b'{"error": {"message": "pay", "code": "insufficient_quota"}}', JSON)
    assert quota.failure is not None and quota.failure.stops_run
    long = read_reply(b'{"error": {"message": "x", "code": "context_length_exceeded"}}', JSON)
    assert long.failure is not None and (long.failure.kind, long.failure.retry) == ("prompt too long", False)


def test_surrogates_and_marks() -> None:
    assert (
        read_reply(b'\xef\xbb\xbf{"choices":[{"message":{"content":"hi \\ud83d"}}]}', JSON).text
        == "hi \ufffd"
    )
    assert read({"content": "\U0001f44d"}).text == "\U0001f44d"
    assert read({"content": "a", "reasoning": "b \ud83d"}).reasoning == "b \ufffd"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, None),
        ({}, None),
        ("many", None),
        ({"prompt_tokens": "12"}, None),
        ({"prompt_tokens": -1, "completion_tokens": True}, None),
        ({"prompt_tokens": 12, "completion_tokens": None}, Usage(12, None, None)),
        (
            {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}},
            Usage(12, 3, 8),
        ),
        ({"prompt_tokens": 12, "completion_tokens": 3, "prompt_cache_hit_tokens": 8}, Usage(12, 3, 8)),
        ({"prompt_tokens": 0, "completion_tokens": 0, "prompt_tokens_details": None}, Usage(0, 0, None)),
    ],
)
def test_usage(usage: Any, expected: Usage | None) -> None:
    assert read_usage(usage) == expected
    assert read({"content": "x"}, usage=usage).usage == expected


@given(
    st.binary()
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(lambda v: json.dumps(v).encode())
)
def test_no_body_breaks_it(content: bytes) -> None:
    assert read_reply(content, JSON).status == "error"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["content", "text", "type", "refusal", "reasoning", "usage", "error", "code"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(values, values, values)
def test_no_message_breaks_it(message: Any, finish: Any, usage: Any) -> None:
    reply = read(message, finish, usage=usage)
    assert (reply.status in ("ok", "truncated")) == (reply.error is None)
    assert reply.text is None or isinstance(reply.text, str)
