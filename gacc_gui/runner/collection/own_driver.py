"""Run as a script where there is no Hermes: the smallest agent that reads files, with one tool.

Owns a loop of its own, openly none of Hermes', with results of Hermes' shape. Imports nothing of this
program: `agents` says what a job and a report hold. It neither compacts nor thinks: nothing to switch off.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

SYSTEM = (
    "You are an agent that answers questions about the files of its workspace. Your one tool is read_file;"
    " read what you need, several files at once where you can, and then answer."
)
TOOL = {
    "type": "function",
    "function": {
        "name": "read_file",
        "description": "Read a text file of the workspace; lines come as `number|text`.",
        "parameters": {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "offset": {"type": "integer", "minimum": 1, "default": 1},
                "limit": {"type": "integer", "minimum": 1, "default": 500},
            },
            "required": ["path"],
        },
    },
}


def main() -> None:
    """Do the job and leave the report."""
    job = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    report = collect(job)
    target = Path(job["report"])
    part = target.with_suffix(".part")
    part.write_text(json.dumps(report), encoding="utf-8")
    part.replace(target)
    os._exit(0)


def _end_with_stdin() -> None:
    while os.read(0, 4096):
        pass
    os._exit(3)


def collect(job: dict[str, Any]) -> dict[str, Any]:
    """Ask, read, ask again, until an answer comes."""
    history: list[dict[str, Any]] = [{"role": "user", "content": job["task"]}]
    requests = 0
    completed = False
    while requests < job["most_requests"] and not completed:
        requests += 1
        message = ask(job, [{"role": "system", "content": SYSTEM}, *history])
        calls = message.get("tool_calls") or []
        answer = {"role": "assistant", "content": message.get("content") or ""}
        history.append({**answer, "tool_calls": calls} if calls else answer)
        history += [
            {"role": "tool", "tool_call_id": call["id"], "content": result_of(job, call)} for call in calls
        ]
        completed = not calls
    return {
        "agent": "own read_file loop",
        "agent_version": "1",
        "session": None,
        "messages": history,
        "completed": completed,
        "error": None,
        "usage": {"api_calls": requests},
        "compaction": {"configured": False, "agent": False},
        "reasoning_config": {"enabled": False},
    }


def ask(job: dict[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the assistant's next message."""
    body = {"model": job["model"], "messages": messages, "tools": [TOOL], "stream": False}
    request = urllib.request.Request(
        f"{job['base_url']}/chat/completions",
        json.dumps(body).encode(),
        {"content-type": "application/json", "authorization": f"Bearer {os.environ[job['key_variable']]}"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=job["seconds"]) as response:
        message: dict[str, Any] = json.load(response)["choices"][0]["message"]
    return message


def result_of(job: dict[str, Any], call: dict[str, Any]) -> str:
    """Return what a tool call gives: JSON text, also of a failure."""
    try:
        given = json.loads(call["function"]["arguments"])
        if call["function"]["name"] != "read_file":
            raise ValueError("there is no such tool")
        result = read_file(Path(job["workspace"]), **given)
    except (OSError, TypeError, ValueError) as error:
        result = {"error": str(error)}
    return json.dumps(result, ensure_ascii=False)


def read_file(workspace: Path, path: str, offset: int = 1, limit: int = 500) -> dict[str, Any]:
    """Read some lines of a file that lies in the workspace."""
    place = (workspace / path).resolve()
    if not place.is_relative_to(workspace.resolve()):
        raise ValueError("that file is not in the workspace")
    data = place.read_bytes()
    lines = data.decode("utf-8").removesuffix("\n").split("\n")
    some = lines[offset - 1 : offset - 1 + limit]
    return {
        "content": "\n".join(f"{number}|{line}" for number, line in enumerate(some, start=offset)),
        "total_lines": len(lines),
        "file_size": len(data),
        "truncated": offset - 1 + limit < len(lines),
    }


if __name__ == "__main__":
    main()
