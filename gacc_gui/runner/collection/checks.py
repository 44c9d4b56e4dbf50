"""What must hold of a collected history, each check with what was found.

Owns the checks of a case, their names and their order. They look and mend nothing. What they look at is a
`Session`: the history in its public form, everything that passed on the wire, and the workspace's files
before and after.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.compaction import CollectionCheck, EvidenceFile
from gacc_gui.core.records import Json
from gacc_gui.runner.collection.agents import Report
from gacc_gui.runner.collection.projection import WORKSPACE, without_final_answer
from gacc_gui.runner.collection.thinking import thinking_faults
from gacc_gui.runner.collection.wire import Exchange

FINISHED: Final = "agent finished"
SYSTEM: Final = "system prompt present"
ALL_READ: Final = "all files read"
UNTRUNCATED: Final = "reads untruncated"
PAIRED: Final = "tool calls paired"
UNCHANGED: Final = "files unchanged"
GOLD_OUTSIDE: Final = "gold outside the workspace"
COMPACTION_OFF: Final = "compaction off"
THINKING_OFF: Final = "thinking off"
ANSWER_LEFT_OUT: Final = "final answer left out"

READ_TOOL: Final = "read_file"
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Session:
    """One case's collection as it was seen.

    `failure` says why the agent brought no history, where it did not; `history` is public and whole, the
    final answer included. `before` and `after` are the workspace's files with their SHA-256.
    """

    files: Sequence[EvidenceFile]
    failure: str | None
    report: Report | None
    history: Sequence[Mapping[str, Json]]
    exchanges: Sequence[Exchange]
    before: Mapping[str, str]
    after: Mapping[str, str]


def checks_of(session: Session) -> tuple[CollectionCheck, ...]:
    """Return every check that can be made: without a history, only whether there is one, and the files."""
    return tuple(_checks(session))


def _checks(session: Session) -> Iterator[CollectionCheck]:
    yield _check(FINISHED, _unfinished(session), "the agent ended by itself, with an answer")
    if session.report is not None and session.history:
        yield _check(SYSTEM, _no_system(session), "it is the same in every request")
        pairs = _Pairs(session.history)
        yield _check(ALL_READ, _unread(session, pairs), f"all {len(session.files)} files were asked for")
        yield _check(UNTRUNCATED, _incomplete(session, pairs), "every file came whole, line for line")
        yield _check(
            PAIRED, pairs.faults(), f"{len(pairs.calls)} calls, each with its one result right after it"
        )
    yield _check(
        UNCHANGED, _changed(session), f"{len(session.files)} files, the same SHA-256 before and after"
    )
    yield _check(
        GOLD_OUTSIDE, _gold_inside(session), "the workspace held the evidence files and nothing else"
    )
    if session.report is not None and session.history:
        yield _check(
            COMPACTION_OFF,
            _compacted(session),
            f"configured off, off in the agent, and each of {len(session.exchanges)} requests begins with"
            " all that the one before it said",
        )
        yield _check(
            THINKING_OFF,
            thinking_faults(session.report, session.exchanges),
            "configured off, asked for in no request, and no reasoning in any response",
        )
        yield _check(ANSWER_LEFT_OUT, _answers_left(session), "the history ends with a tool's result")


def _check(name: str, faults: Iterator[str], held: str) -> CollectionCheck:
    found = list(faults)
    if not found:
        return CollectionCheck(name, True, held)
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return CollectionCheck(name, False, "; ".join(one[:300] for one in found[:_SHOWN]) + more)


def _unfinished(session: Session) -> Iterator[str]:
    if session.failure is not None:
        yield session.failure
    elif session.report is None:
        yield "the agent left no report"
    elif session.report.error is not None:
        yield f"the agent reports an error: {session.report.error}"
    elif not session.report.completed:
        yield "the agent says that it did not complete its task"
    elif not session.history:
        yield "the agent's history is empty"


def _no_system(session: Session) -> Iterator[str]:
    first = session.history[0]
    if first["role"] != "system" or not first["content"].strip():
        yield "the history does not begin with one"
    sent = {_system_of(exchange) for exchange in session.exchanges}
    if not sent or "" in sent:
        yield "a request was sent without one"
    elif len(sent) > 1:
        yield "it changed between requests"


def _system_of(exchange: Exchange) -> str:
    messages = exchange.messages
    if messages and messages[0].get("role") in ("system", "developer"):
        return json.dumps(messages[0].get("content")) if messages[0].get("content") else ""
    return ""


@dataclass(frozen=True, slots=True)
class _Call:
    at: int
    id: str
    name: str
    arguments: Mapping[str, Json]

    @property
    def path(self) -> str:
        """The file that a read asks for, as a name in the workspace."""
        path = self.arguments.get("path")
        name = path.replace("\\", "/") if isinstance(path, str) else ""
        return name.removeprefix(WORKSPACE + "/").removeprefix("./")


class _Pairs:
    """The calls of a history with their results."""

    def __init__(self, history: Sequence[Mapping[str, Json]]) -> None:
        self.calls: list[_Call] = []
        self.results: dict[str, list[tuple[int, str]]] = {}
        self._turns = [at for at, message in enumerate(history) if message["role"] != "tool"]
        for at, message in enumerate(history):
            for call in message.get("tool_calls") or ():
                function = call["function"]
                arguments = _object(function["arguments"])
                self.calls.append(_Call(at, call["id"], function["name"], arguments))
            if message["role"] == "tool":
                self.results.setdefault(message["tool_call_id"], []).append((at, message["content"]))

    def reads(self, path: str) -> list[_Call]:
        """Return the calls that read a file."""
        return [call for call in self.calls if call.name == READ_TOOL and call.path == path]

    def faults(self) -> Iterator[str]:
        """Tell every call without exactly one result, and every result without a call."""
        ids = Counter(call.id for call in self.calls)
        for id, count in ids.items():
            if count > 1:
                yield f"{count} calls have the id {id!r:.60}"
        for call in self.calls:
            results = self.results.get(call.id, [])
            if len(results) != 1:
                yield f"the call {call.id!r:.60} has {len(results) or 'no'} results"
            elif not call.at < results[0][0] < self._next_turn(call.at):
                yield f"the result of {call.id!r:.60} does not follow its call"
        for id in self.results:
            if id not in ids:
                yield f"the result {id!r:.60} answers no call"

    def _next_turn(self, at: int) -> int:
        return next((turn for turn in self._turns if turn > at), 1 << 30)


def _unread(session: Session, pairs: _Pairs) -> Iterator[str]:
    for file in session.files:
        if not pairs.reads(file.path):
            yield f"{file.path} was never asked for"


def _incomplete(session: Session, pairs: _Pairs) -> Iterator[str]:
    for file in session.files:
        results = [
            _object(content)
            for call in pairs.reads(file.path)
            for _, content in pairs.results.get(call.id, [])
        ]
        faults = [_read_fault(file, result) for result in results]
        if faults and None not in faults:  # never read is for another check
            yield f"{file.path}: {faults[0]}"


def _read_fault(file: EvidenceFile, result: Mapping[str, Json]) -> str | None:
    """Return what a read lacks of a file; None where it has everything."""
    content = result.get("content")
    if not isinstance(content, str):
        error = result.get("error") or result.get("message") or "no content"
        return f"{error!s:.200}"
    wanted = [f"{number}|{line}" for number, line in enumerate(_lines(file), start=1)]
    given = content.removesuffix("\n").split("\n")
    if given[-1].rstrip("|").isdigit():
        given.pop()  # the empty text behind the last line end, numbered: no line of ours is empty
    if result.get("truncated") is not False:
        return f"truncated, {len(given)} of {len(wanted)} lines"
    for number, (want, got) in enumerate(zip(wanted, given, strict=False), start=1):
        # White space at the very end of a file goes lost in the shells that agents read with.
        if want != got and not (number == len(wanted) and want.rstrip() == got.rstrip()):
            return f"line {number} is not as in the file"
    if len(given) != len(wanted):
        return f"{len(given)} of {len(wanted)} lines"
    return None


def _lines(file: EvidenceFile) -> list[str]:
    return file.text.removesuffix("\n").split("\n")


def _changed(session: Session) -> Iterator[str]:
    for file in session.files:
        for when, found in (("before", session.before), ("after", session.after)):
            if file.path not in found:
                yield f"{file.path} was not there {when} the session"
            elif found[file.path] != file.sha256:
                yield f"{file.path} was another {when} the session"
    for path in sorted(set(session.after) - set(session.before)):
        yield f"{path} appeared in the workspace"


def _gold_inside(session: Session) -> Iterator[str]:
    for path in sorted(set(session.before) - {file.path for file in session.files}):
        yield f"{path} was in the workspace"


def _compacted(session: Session) -> Iterator[str]:
    assert session.report is not None
    for where in ("configured", "agent"):
        if session.report.compaction.get(where) is not False:
            yield f"it is not off ({where}: {session.report.compaction.get(where)!r:.40})"
    former: list[Json] = []
    for number, exchange in enumerate(session.exchanges, start=1):
        # The system prompt has a check of its own.
        messages = [_normal(message) for message in exchange.messages if message.get("role") != "system"]
        if messages[: len(former)] != former:
            yield f"request {number} does not begin with what request {number - 1} said"
        former = messages
    sent = {id: content for role, content, _, id in former if role == "tool"}
    for message in session.history:
        if message["role"] == "tool" and sent.get(message["tool_call_id"]) != message["content"]:
            yield f"the result {message['tool_call_id']!r:.60} is not in the last request as it is kept"
    if not session.exchanges:
        yield "no request was seen"


def _normal(message: Mapping[str, Json]) -> tuple[Json, ...]:
    """Return what a message says, however it is written."""
    content = message.get("content")
    calls = [
        (call.get("id"), function.get("name"), _object(function.get("arguments")))
        for call in message.get("tool_calls") or ()
        if isinstance(call, dict) and isinstance(function := call.get("function"), dict)
    ]
    return (message.get("role"), "" if content is None else content, calls, message.get("tool_call_id"))


def _answers_left(session: Session) -> Iterator[str]:
    left = without_final_answer(session.history)
    if not left or left[-1]["role"] != "tool":
        yield "the history does not end with a tool's result"


def _object(text: Json) -> Mapping[str, Json]:
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {}
