"""Stands in for `gacc-gui run gacc` in tests of the panel: prints the events of an evaluation, calls nothing.

The JSON file that the variable ACTING names says, per kind of command, what is printed: objects are
events, texts are lines for people, numbers are seconds to wait, `"hold"` waits for a signal.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

_state = {"stop": 0}


def _tell(event: dict[str, Any] | str) -> None:
    text = event if isinstance(event, str) else json.dumps(event)
    print(text, file=sys.stderr, flush=True)


def _on_stop(_number: int, _frame: object) -> None:
    _state["stop"] += 1
    if _state["stop"] == 1:
        _tell({"event": "stopping", "reason": "stopped by request", "under_way": 2})
    else:
        _end()


def _end() -> None:
    _tell({"event": "stopped", "reason": "stopped by request"})
    sys.exit(130)


def main(arguments: list[str]) -> int:
    """Play the scene that belongs to the command line."""
    place = arguments.index("gacc") if "gacc" in arguments else arguments.index("endpoint")
    assert Path(arguments[place + 1]).read_text(encoding="utf-8").strip()
    scene = json.loads(Path(os.environ["ACTING"]).read_text(encoding="utf-8"))
    key = "dry-run" if "--dry-run" in arguments else "endpoint" if "endpoint" in arguments else "run"
    if "--resume" in arguments:
        key = "resume"
    signal.signal(signal.SIGINT, _on_stop)
    signal.signal(signal.SIGUSR1, lambda *_: _tell({"event": "paused"}))
    signal.signal(signal.SIGUSR2, lambda *_: _tell({"event": "resumed"}))
    return _play(scene[key])


def _play(scene: dict[str, Any]) -> int:
    for step in scene.get("steps", []):
        if step == "hold":
            while not _state["stop"]:
                time.sleep(0.02)
            if scene.get("stubborn"):
                while True:
                    time.sleep(0.02)
            _end()
        elif isinstance(step, int | float):
            time.sleep(step)
        else:
            _tell(step)
    if "document" in scene:
        print(json.dumps(scene["document"]))
    return int(scene.get("code", 0))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
