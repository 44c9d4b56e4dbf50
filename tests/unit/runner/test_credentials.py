"""A key that services repeat in every writing there is, and one that no header can hold."""

from __future__ import annotations

import html
import json

import pytest

from gacc_gui.core.errors import BadUsage
from gacc_gui.formats.redaction import REMOVED
from gacc_gui.runner.config_model import EndpointConfig
from gacc_gui.runner.credentials import Credentials, credentials_of

KEYS = (
    'sk-"quoted"-12345',
    "sk-back\\slash-12345",
    'sk-both\\"12345',
    "sk-two\\\\slashes-12345",
    '"sk-at-its-ends"',
    "\\sk-at-its-ends\\",
    "sk-<html>&'amp'-12345",
    "sk-plain/slash+12345",
)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("depth", range(6))
def test_a_key_is_removed_from_json_in_json_which_stays_json(key: str, depth: int) -> None:
    text, expected = f"the key {key}.", f"the key {REMOVED}."
    for _ in range(depth):
        text, expected = json.dumps({"said": text}), json.dumps({"said": expected})
    credentials = Credentials(key)
    assert credentials.removed_from(text) == expected
    assert credentials.removed_from_bytes(text.encode()) == expected.encode()


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_removed_from_what_pages_and_errors_make_of_it(key: str) -> None:
    assert Credentials(key).removed_from(f"<p>{html.escape(key)}</p>") == f"<p>{REMOVED}</p>"
    assert key[4:-4] not in Credentials(key).removed_from(repr({"authorization": f"Bearer {key}"}))


def test_a_text_without_the_key_stays_as_it_is() -> None:
    text = json.dumps({"said": 'a \\ and a " and sk-"quoted"-1234'}) + "\\" * 5_000
    assert Credentials(KEYS[0]).removed_from(text) == text


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("sk-first\nsk-second", "line break"),
        ("sk-first\r\nsk-second", "line break"),
        ("sk-\u2028second", "line break"),
        ("sk-\tsecond", "control character"),
        ("sk-€", "not ASCII"),
    ],
)
def test_a_key_that_no_header_can_hold_is_refused_for_its_reason(key: str, reason: str) -> None:
    config = EndpointConfig("main", ("http://127.0.0.1:9/v1",), "m", api_key_env="A_KEY")
    with pytest.raises(BadUsage, match=f"the value of A_KEY cannot be a key: .*{reason}") as refused:
        credentials_of(config, {"A_KEY": key})
    assert key not in str(refused.value) and "second" not in str(refused.value)
