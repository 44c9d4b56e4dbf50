"""2,000 calls to a server that answers at once, 32 at a time, against a bare `AsyncOpenAI` loop.

    python tests/bench/bench_runner.py [CALLS]

Two candidates: the client alone (`ModelClient`), and a whole evaluation (`gacc-gui run gacc`: plan, calls
noted before they are made, everything committed to the database). The bare loop sends the bodies that the
evaluation sent. All three run in this process, the server in its own.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parent))
from generate import WORDS
from side_by_side import report, timed

HERE = Path(__file__).parent
CONCURRENCY = 32
QUESTIONS = 12
ROUNDS = 3


def write_dataset(path: Path, goals: int) -> None:
    """Write contexts of some 4,000 characters, each with one goal and its questions."""
    import random

    rng = random.Random(5)
    items: dict[str, Any] = {"format": "gacc-dataset", "format_version": 1}
    items["contexts"] = [{"id": f"c{n}", "text": " ".join(rng.choices(WORDS, k=600))} for n in range(goals)]
    items["goals"] = [
        {"id": f"g{n}", "context_id": f"c{n}", "text": " ".join(rng.choices(WORDS, k=12))}
        for n in range(goals)
    ]
    items["questions"] = [
        {
            "id": f"g{n}q{q}",
            "goal_id": f"g{n}",
            "text": f"What is {rng.choice(WORDS)}?",
            "references": ["a b c"],
        }
        for n in range(goals)
        for q in range(QUESTIONS)
    ]
    path.write_text(json.dumps(items), encoding="utf-8")


def write_config(path: Path, url: str) -> None:
    """Write a configuration whose every part asks the server."""
    path.write_text(
        f"""
[dataset]
path = "dataset.json"
[evaluation]
ratios = ["0.25"]
[[compressors]]
part = "llm-summary"
endpoint = "quick"
[reader]
part = "llm"
endpoint = "quick"
[judge]
part = "llm"
endpoint = "quick"
[endpoints.quick]
base_url = "{url}"
model = "quick"
concurrency = {CONCURRENCY}
[limits]
concurrency = {CONCURRENCY}
""",
        encoding="utf-8",
    )


def bare_loop(url: str, bodies: list[dict[str, Any]]) -> None:
    """Make the calls with nothing but the SDK."""
    import openai

    async def main() -> None:
        left = iter(bodies)
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

            async def work() -> None:
                for body in left:
                    said = await client.chat.completions.create(**body)
                    assert said.choices[0].message.content == "correct"

            await asyncio.gather(*(work() for _ in range(CONCURRENCY)))

    asyncio.run(main())


def our_client(url: str, bodies: list[dict[str, Any]]) -> None:
    """Make the calls with our client."""
    from gacc_gui.runner.config_model import EndpointConfig
    from gacc_gui.runner.credentials import Credentials
    from gacc_gui.runner.endpoint import ModelClient

    async def main() -> None:
        left = iter(bodies)
        config = EndpointConfig("quick", (url,), "quick", concurrency=CONCURRENCY)
        async with ModelClient(config, Credentials(None)) as client:

            async def work() -> None:
                for body in left:
                    said = await client.complete(
                        body["messages"],
                        max_tokens=body["max_tokens"],
                        response_format=body.get("response_format"),
                    )
                    assert said.text == "correct"

            await asyncio.gather(*(work() for _ in range(CONCURRENCY)))

    asyncio.run(main())


def evaluation(folder: Path) -> Callable[[], Path]:
    """Return a call that makes a whole evaluation into a new database and returns its path."""
    from gacc_gui.app.evaluating import run_evaluation

    made = 0

    def run() -> Path:
        nonlocal made
        made += 1
        path = folder / f"{made}.db"
        outcome = run_evaluation(path, folder / "config.toml", live=True)
        assert outcome.state == "finished" and outcome.failed == 0, outcome
        return path

    return run


def bodies_of(database: Path) -> list[dict[str, Any]]:
    """Return what an evaluation sent."""
    from gacc_gui.store.reads import Reader

    with Reader(database) as reader:
        run = reader.runs()[0].run.id
        return [json.loads(request.content) for request in reader.requests(run)]


def main() -> None:
    """Measure in turn and print the ratios of the medians."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen(
            [sys.executable, str(HERE.parent / "servers" / "quick_server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as server,
    ):
        assert server.stdout is not None and server.stdin is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        folder = Path(name)
        write_dataset(folder / "dataset.json", calls // (1 + 2 * QUESTIONS))
        write_config(folder / "config.toml", url)
        run = evaluation(folder)
        bodies = bodies_of(run())
        print(f"{len(bodies)} calls, {CONCURRENCY} at a time", flush=True)
        times: dict[str, list[float]] = {"bare": [], "client": [], "runner": []}
        for _ in range(ROUNDS):
            times["bare"].append(timed(lambda: bare_loop(url, bodies)))
            times["client"].append(timed(lambda: our_client(url, bodies)))
            times["runner"].append(timed(run))
        report("client", 1.3, times["bare"], times["client"])
        report("runner", 1.3, times["bare"], times["runner"])
        server.stdin.close()


if __name__ == "__main__":
    main()
