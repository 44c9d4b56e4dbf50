"""Run by the interpreter that has Hermes, as a script: one task, one session, everything told in a file.

Owns how Hermes is set up. Imports nothing of this program, whose interpreter is another. `agents` says what a
job and a report hold; the job is the first line of stdin, and the end of stdin ends the process, so that no
agent outlives whoever started it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any


def main() -> None:
    """Do the job and leave the report."""
    # The script's folder is on the path, and our modules there have names that Hermes may mean otherwise.
    here = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
    job = json.loads(sys.stdin.buffer.readline())
    _end_with_stdin()
    report = _collect(job)
    target = Path(job["report"])
    part = target.with_suffix(".part")
    part.write_text(json.dumps(report, default=str), encoding="utf-8")
    part.replace(target)
    sys.stdout.flush()
    sys.stderr.flush()
    # Hermes keeps threads and terminals that nobody needs any more.
    os._exit(0)


def _end_with_stdin() -> None:
    held = os.dup(0)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)  # nothing that Hermes starts shall take what is ours

    def wait() -> None:
        while os.read(held, 4096):
            pass
        os._exit(3)

    threading.Thread(target=wait, daemon=True).start()


def _collect(job: dict[str, Any]) -> dict[str, Any]:
    home = Path(os.environ["HERMES_HOME"])
    # JSON is YAML. The context's length would otherwise be asked of services on the network.
    config = {
        "compression": {"enabled": False},
        "memory": {"memory_enabled": False, "user_profile_enabled": False},
        "model": {"context_length": job["context_length"]},
        "terminal": {"backend": "local", "cwd": job["workspace"]},
    }
    (home / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    os.chdir(job["workspace"])

    load_config = import_module("hermes_cli.config").load_config
    agent = import_module("run_agent").AIAgent(
        base_url=job["base_url"],
        api_key=os.environ[job["key_variable"]],
        provider="custom",
        api_mode="chat_completions",
        model=job["model"],
        max_iterations=job["most_requests"],
        max_tokens=job["most_tokens"],
        enabled_toolsets=["file"],
        reasoning_config={"enabled": False},
        request_overrides=job["request_overrides"],
        quiet_mode=True,
        skip_context_files=True,
        skip_memory=True,
    )
    result = agent.run_conversation(job["task"])
    return {
        "agent": "hermes-agent",
        "agent_version": version("hermes-agent"),
        "session": result.get("session_id") or getattr(agent, "session_id", None),
        "messages": result.get("messages"),
        "completed": result.get("completed"),
        "error": result.get("error"),
        "usage": {name: result.get(name) for name in ("input_tokens", "output_tokens", "api_calls")},
        "compaction": {
            "configured": load_config().get("compression", {}).get("enabled"),
            "agent": getattr(agent, "compression_enabled", None),
        },
        "reasoning_config": getattr(agent, "reasoning_config", None),
    }


if __name__ == "__main__":
    main()
