"""Which failure an error of a service is: what is tried again, what costs an item, what stops a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gacc_gui.runner.failures import read_failure


def failure(status: int, value: Any = None, **headers: str) -> Any:
    named = {"content-type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
    return read_failure(status, named, b"" if value is None else json.dumps(value).encode())


def wrapped(message: str = "", code: Any = None, kind: Any = None) -> dict[str, Any]:
    return {"error": {"message": message, "code": code, "type": kind}}


@pytest.mark.parametrize(
    ("status", "value", "kind"),
    [
        (429, wrapped("slow down"), "rate limited"),
        (429, None, "rate limited"),
        (500, None, "server error"),
        (502, wrapped("bad gateway"), "server error"),
        (529, wrapped("overloaded"), "server error"),
        (408, None, "server error"),
        (409, None, "server error"),
        (401, wrapped("no"), "authentication"),
        (403, wrapped("not for you"), "authentication"),
        (400, wrapped("Incorrect API key provided: sk-..."), "authentication"),
        (429, wrapped("You exceeded it", "insufficient_quota"), "quota"),
        (429, wrapped("You exceeded it", None, "insufficient_quota"), "quota"),
        (429, wrapped("You exceeded your current quota, please check your plan."), "quota"),
        (402, wrapped("Insufficient Balance"), "quota"),
        (
            400,
            wrapped("Access denied, please make sure your account is in good standing.", "Arrearage"),
            "quota",
        ),
        (429, {"error": {"code": "1113", "message": "余额不足"}}, "quota"),
        (400, wrapped("too long", "context_length_exceeded"), "prompt too long"),
        (
            400,
            {
                "object": "error",
                "message": "This model's maximum context length is 4096 tokens. However, you requested 5000.",
                "code": 400,
            },
            "prompt too long",
        ),
        (400, {"error": "Context size has been exceeded."}, "prompt too long"),
        (
            400,
            wrapped(
                "the request exceeds the available context size, try increasing it",
                400,
                "exceed_context_size_error",
            ),
            "prompt too long",
        ),
        (400, wrapped("Range of input length should be [1, 30720]"), "prompt too long"),
        (413, wrapped("prompt is too long: 210000 tokens > 200000 maximum"), "prompt too long"),
        (500, wrapped("the request exceeds the available context size"), "prompt too long"),
        (
            400,
            wrapped("Unsupported parameter: 'max_tokens'", "unsupported_parameter"),
            "unsupported parameter",
        ),
        (400, wrapped("max_tokens must be at least 1"), "bad request"),
        (400, wrapped("The response was filtered", "content_filter"), "refused"),
        (400, wrapped("Input data may contain inappropriate content.", "data_inspection_failed"), "refused"),
        (403, wrapped("Your input was flagged by moderation"), "refused"),
        (404, wrapped("The model `x` does not exist", "model_not_found"), "bad request"),
        (418, None, "bad request"),
        (301, None, "bad response"),
    ],
)
def test_kinds(status: int, value: Any, kind: str) -> None:
    found = failure(status, value)
    assert found.kind == kind
    assert found.retry == (kind in ("rate limited", "server error"))
    assert found.stops_run == (kind in ("authentication", "quota"))
    assert found.message.startswith(f"HTTP {status}") and "\n" not in found.message


def test_a_limit_per_minute_that_speaks_of_quota_is_waited_for() -> None:
    said = wrapped("You exceeded your current quota. Please retry in 22 s.")
    assert failure(429, [said]).kind == "rate limited"
    assert failure(429, wrapped("You exceeded your current quota."), retry_after="22").kind == "rate limited"
    assert failure(429, wrapped("", "insufficient_quota"), retry_after="22").kind == "quota"


def test_hints() -> None:
    refused = {"error": {"message": "no", "code": "unsupported_parameter", "param": "max_tokens"}}
    assert failure(400, refused).message.endswith("set max_tokens_field of the endpoint to the other name")
    refused["error"]["param"] = "temperature"
    assert failure(400, refused).message.endswith("set omit_temperature of the endpoint to true")
    page = read_failure(404, {"content-type": "text/html"}, b"<html>\n<title>404</title>")
    assert page.message == "HTTP 404 (text/html): <html> <title>404</title>; does the base URL end in /v1?"
    assert read_failure(403, {"content-type": "text/html"}, b"<html>blocked</html>").kind == "bad request"


def test_a_service_that_forbids_to_come_again() -> None:
    assert not failure(500, None, x_should_retry="false").retry
    assert failure(400, None, x_should_retry="true").retry


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"[1]",
        b'"x"',
        b"\xff\xfe",
        b"[" * 5000,
        b'{"error": []}',
        b'{"error": {"message": {"a": 1}, "code": [1]}}',
    ],
)
def test_no_body_breaks_it(body: bytes) -> None:
    assert read_failure(500, {}, body).kind == "server error"
