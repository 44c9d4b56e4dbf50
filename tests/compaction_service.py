"""What tests of whole compaction runs share: inputs as files, models on loopback, a run's folder as facts.

`Inputs` writes a small corpus and a tokenizer. `Models` are a chat model and a decision model that answer the
same request alike, and count what they were asked. `SLOW_FIXTURE` is a program: the command line, with parts
of the fixture that take their time and note each call in a file.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tests.compaction_cases import small_corpus, write_corpus
from tests.compaction_tokenizer import small_tokenizer
from tests.servers import system_one
from tests.servers.odd_server import Answer, OddServer, Received, completion
from tests.servers.system_one import SystemOneServer

KEY: Final = "sk-loopback-4b1d9c7e2f60a83b"
DECISION_KEY: Final = "ts-loopback-77c0e19fd2a4b658"
CEILING: Final = 1_800
"""Makes every method choose, with the tokenizer of these tests."""

SLOW_FIXTURE: Final = """
import os, sys, time
from gacc_gui.runner.compaction import fixture_parts as parts

def slowly(cls):
    quick = cls.__call__
    def call(self, given):
        with open(os.environ["CALLS_FILE"], "a") as file:
            file.write(cls.__name__ + "\\n")
        time.sleep(0.02)
        return quick(self, given)
    cls.__call__ = call

for cls in (parts.LexicalDecider, parts.LeadSummarizer, parts.RuleAnswerer):
    slowly(cls)
from gacc_gui.cli import run
sys.exit(run(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Inputs:
    """A corpus and a tokenizer, as files in a folder."""

    folder: Path
    cases: int = 2

    def __post_init__(self) -> None:
        write_corpus(self.corpus, small_corpus(self.cases))
        small_tokenizer(self.tokenizer)

    @property
    def corpus(self) -> Path:
        return self.folder / "corpus.json"

    @property
    def tokenizer(self) -> Path:
        return self.folder / "tokenizer.json"

    def begin(self, output: str | Path, *more: object, mode: str = "--fixture") -> tuple[object, ...]:
        """The arguments of a new run."""
        given = ("--corpus", self.corpus, "--tokenizer", self.tokenizer, "--output", output)
        return ("compaction", "run", *given, mode, "--ceiling", CEILING, *more)


@dataclass
class Models:
    """A chat model and a decision model. `asked` counts their calls; `delay` seconds before each reply."""

    delay: float = 0.01
    answer: Callable[[Received], Answer] | None = None
    """In place of the chat model's ordinary reply to a question."""
    asked: Counter[str] = field(default_factory=Counter)
    urls: dict[str, str] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a live run that asks them."""
        return {
            "LLM_API_KEY": KEY,
            "LLM_BASE_URL": self.urls["chat"],
            "DECISION_MODEL_API_KEY": DECISION_KEY,
            "DECISION_MODEL_BASE_URL": self.urls["decisions"],
        }

    @contextmanager
    def serving(self) -> Iterator[Models]:
        """Serve while the block lasts."""
        with OddServer(self._chat) as chat, SystemOneServer(self._decide) as decisions:
            self.urls = {"chat": chat.url, "decisions": decisions.url}
            yield self

    def wait_for(self, calls: int, still_running: Callable[[], bool]) -> None:
        """Return when so many calls were made in all, or nobody makes them any more."""
        with self._changed:
            while self.asked.total() < calls and still_running():
                self._changed.wait(0.02)

    def _count(self, kind: str) -> None:
        with self._changed:
            self.asked[kind] += 1
            self._changed.notify_all()

    def _decide(self, received: Received) -> Answer:
        self._count("decision")
        return replace(system_one.scored(received), delay=self.delay)

    def _chat(self, received: Received) -> Answer:
        text = "\n".join(message["content"] for message in received.json["messages"])
        if "supporting_facts" not in text:
            self._count("summary")
            # Every third summary is too long at first.
            long = int(hashlib.sha256(received.body).hexdigest(), 16) % 3 == 0
            said = completion(" ".join(_words(text)[-(4_000 if long else 120) :]))
        else:
            self._count("answer")
            said = self.answer(received) if self.answer is not None else answered(received)
        return replace(said, delay=self.delay)


def answered(received: Received) -> Answer:
    """Answer with the first article of the evidence."""
    text = received.json["messages"][-1]["content"]
    title = (re.findall(r"^# (.+)$", text, re.MULTILINE) or ["nothing"])[0]
    return completion(json.dumps({"answer": title, "supporting_facts": [[title, 0]]}))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def facts(folder: Path) -> dict[str, Any]:
    """What a finished folder says, without what differs from run to run: names, times, tries."""
    aggregate = json.loads((folder / "aggregate.json").read_text(encoding="utf-8"))
    del aggregate["run"]
    requests = [json.loads(line) for line in (folder / "requests.jsonl").read_text("utf-8").splitlines()]
    return {
        "results": (folder / "results.json").read_text(encoding="utf-8"),
        "contexts": (folder / "contexts.jsonl").read_text(encoding="utf-8"),
        "aggregate": aggregate,
        "made": sorted(
            (request["role"], request["content"], request.get("reply", "")) for request in finished(requests)
        ),
    }


def finished(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The requests that a program saw the end of."""
    return [request for request in requests if not str(request.get("error")).startswith("interrupted")]


def requests_of(folder: Path) -> list[dict[str, Any]]:
    """The requests of a finished folder."""
    return [json.loads(line) for line in (folder / "requests.jsonl").read_text("utf-8").splitlines()]
