"""Whether an endpoint answers: one small call, and what is said where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from gacc_gui.app.checking import MOST_TOKENS, check_endpoint
from gacc_gui.core.errors import BadUsage
from tests.servers.odd_server import OddServer, completion, error, page

KEY = "sk-TESTSECRET123456"
CONFIG = """
[dataset]
path = "nothing.json"

[[compressors]]
part = "lead"

[reader]
part = "rule"

[judge]
part = "exact"

[endpoints.main]
base_url = "{url}"
model = "m"
max_retries = 0
api_key_env = "CHECKED_KEY"
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHECKED_KEY", KEY)
    return tmp_path / "evaluation.toml"


def test_it_answers(config: Path) -> None:
    with OddServer(completion("OK", usage={"prompt_tokens": 11, "completion_tokens": 2})) as server:
        config.write_text(CONFIG.format(url=server.url), encoding="utf-8")
        found = check_endpoint(config, "main", live=True)
    assert (found.ok, found.text, found.error, found.attempts) == (True, "OK", None, 1)
    assert (found.input_tokens, found.output_tokens) == (11, 2)
    [received] = server.received
    assert received.json["max_tokens"] == MOST_TOKENS
    assert received.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (error(401, f"Incorrect API key provided: {KEY}"), "key"),
        (error(404, "model not found"), "model not found"),
        (page(), "HTML"),
    ],
)
def test_it_does_not_answer(config: Path, answer: object, said: str) -> None:
    with OddServer(answer) as server:
        config.write_text(CONFIG.format(url=server.url), encoding="utf-8")
        found = check_endpoint(config, "main", live=True)
    assert not found.ok and found.text is None
    assert found.error is not None and said.casefold() in found.error.casefold()
    assert KEY not in str(found.as_json())


def test_a_call_is_made_only_when_allowed(config: Path) -> None:
    with OddServer(completion("OK")) as server:
        config.write_text(CONFIG.format(url=server.url), encoding="utf-8")
        with pytest.raises(BadUsage, match="--live"):
            check_endpoint(config, "main", live=False)
        with pytest.raises(BadUsage, match="there is no endpoint 'other'"):
            check_endpoint(config, "other", live=True)
    assert server.received == []
