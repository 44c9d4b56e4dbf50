"""Configurations whose compressor, reader and judge all ask one model, at one address."""

from __future__ import annotations

import json
from typing import Any


def one_model(
    run: str, items: str, url: str, *, evaluation: str = "", limits: str = "", **endpoint: Any
) -> str:
    """The text of a configuration; `evaluation` and `limits` are lines of TOML, `endpoint` values."""
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in endpoint.items())
    return f"""
[run]
id = "{run}"
[dataset]
path = "{items}"
[evaluation]
ratios = ["0.5"]
tokenizer = "codepoint"
{evaluation}
[[compressors]]
part = "llm-summary"
endpoint = "main"
[reader]
part = "llm"
endpoint = "main"
[judge]
part = "llm"
endpoint = "main"
[limits]
{limits}
[endpoints.main]
base_url = "{url}"
model = "odd"
{lines}
[endpoints.main.price]
input = 1.0
output = 2.0
"""
