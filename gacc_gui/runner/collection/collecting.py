"""Collects one case: a workspace, an agent in it, and what became of both.

Owns the workspace, the user's request, the order of things, and that whatever goes wrong is the case's and
not the collection's. Not here: the agent's process (`child`), what is public (`projection`), what must hold
(`checks`), the files that are written (`formats.corpus`, `formats.collection`).
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gacc_gui.core.compaction import Case, EvidenceFile
from gacc_gui.core.hotpot_records import HotpotQuestion
from gacc_gui.core.records import NOTHING, Json
from gacc_gui.formats.collection import CollectionRecord, WireBodies
from gacc_gui.formats.json_values import dumps
from gacc_gui.formats.redaction import redacted, redacted_value
from gacc_gui.runner.collection.agents import Agent, Job, Report
from gacc_gui.runner.collection.checks import Session, checks_of
from gacc_gui.runner.collection.child import ChildFailed, run_agent
from gacc_gui.runner.collection.projection import Machine, NoHistory, public_history, without_final_answer
from gacc_gui.runner.collection.wire import Exchange, Responder, Wire
from gacc_gui.runner.credentials import Credentials

_REQUEST: Final = """\
Your workspace holds {count} files. Read every one of them completely with read_file, before you answer:

{paths}

Then answer this question, from what the files say and nothing else:

{question}
"""


@dataclass(frozen=True, slots=True)
class Setup:
    """How cases are collected.

    `model` is the name that the agent is given. `responder` makes who answers a case's requests. `seconds` is
    what a case may take. `credentials` are removed from whatever is kept.
    """

    agent: Agent
    mode: str
    model: str
    responder: Callable[[Sequence[EvidenceFile]], Responder]
    seconds: float
    credentials: Credentials


@dataclass(frozen=True, slots=True)
class Collected:
    """A case for the corpus, sound or not, and how it came about."""

    case: Case
    record: CollectionRecord


def collect_case(question: HotpotQuestion, setup: Setup) -> Collected:
    """Have an agent read a question's articles. What it does wrong is found by the checks, and never raised.

    Raises OSError where the workspace cannot be made.
    """
    files = evidence_files(question)
    with tempfile.TemporaryDirectory(prefix="gacc-collection-", ignore_cleanup_errors=True) as name:
        root = Path(name)
        workspace, own = root / "workspace", root / "agent"
        for folder in (workspace, own / "home" / ".hermes", own / "tmp"):
            folder.mkdir(parents=True)
        for file in files:
            (workspace / file.path).write_bytes(file.text.encode("utf-8", "surrogatepass"))
        machine = Machine(workspace, own / "home", root)
        before = hashes(workspace)
        report, failure, exchanges = _run(question, files, setup, workspace, own)
        after = hashes(workspace)
    history: tuple[Mapping[str, Json], ...] = ()
    exchanges = tuple(
        Exchange(
            machine.removed_from_value(_without_key(one.request, setup.credentials)),
            one.status,
            machine.removed_from(setup.credentials.removed_from(one.response)),
        )
        for one in exchanges
    )
    if report is not None:
        try:
            messages = _without_key(list(report.messages), setup.credentials)
            history = public_history(messages, _system(exchanges), machine)
        except NoHistory as error:
            failure = str(error)
    session = Session(
        files,
        None if failure is None else machine.removed_from(setup.credentials.message(failure)),
        report,
        history,
        exchanges,
        before,
        after,
    )
    return _collected(question, session, setup)


def evidence_files(question: HotpotQuestion) -> tuple[EvidenceFile, ...]:
    """Return a question's articles as the files of a workspace, in the order of the set."""
    return tuple(
        EvidenceFile(f"evidence-{number:02}.txt", article.title, article.sentences)
        for number, article in enumerate(question.articles, start=1)
    )


def request_for(question: HotpotQuestion, files: Sequence[EvidenceFile]) -> str:
    """Return the user's request: the files by name, and the question."""
    paths = "\n".join(file.path for file in files)
    return _REQUEST.format(count=len(files), paths=paths, question=question.question)


def thinking_off(model: str) -> dict[str, Json]:
    """Return what a request needs beside the agent's own configuration, so that a model does not think.

    Qwen's services have a parameter of their own, and think where it is not given.
    """
    name = model.lower().rpartition("/")[2]
    return {"extra_body": {"enable_thinking": False}} if name.startswith(("qwen", "qwq")) else {}


def hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below a folder, by its path in it; a word for what is no file."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        try:
            if path.is_symlink() or not path.is_file():
                found[path.relative_to(folder).as_posix()] = "no ordinary file"
            else:
                found[path.relative_to(folder).as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:
            found[path.relative_to(folder).as_posix()] = "unreadable"
    return found


def _run(
    question: HotpotQuestion, files: Sequence[EvidenceFile], setup: Setup, workspace: Path, own: Path
) -> tuple[Report | None, str | None, tuple[Exchange, ...]]:
    with Wire(setup.responder(files)) as wire:
        job = Job(
            task=request_for(question, files),
            workspace=str(workspace),
            report=str(own / "report.json"),
            base_url=wire.base_url,
            model=setup.model,
            request_overrides=thinking_off(setup.model),
            seconds=setup.seconds,
        )
        report: Report | None = None
        failure: str | None = None
        try:
            report = run_agent(setup.agent, job, own, wire.token)
        except ChildFailed as error:
            failure = str(error)
        return report, failure, wire.exchanges()


def _without_key(value: Json, credentials: Credentials) -> Json:
    """Return a JSON value without the key, which an agent never has; a service may have told it."""
    text = dumps(value)
    clean = credentials.removed_from(text)
    return value if clean == text else json.loads(clean)


def _system(exchanges: Sequence[Exchange]) -> dict[str, Json] | None:
    """Return the system prompt that was sent first: agents keep it out of their histories."""
    for exchange in exchanges:
        for message in exchange.messages[:1]:
            if message.get("role") in ("system", "developer"):
                return dict(message)
    return None


def _collected(question: HotpotQuestion, session: Session, setup: Setup) -> Collected:
    checks = checks_of(session)
    case = Case(
        id=question.id,
        question=question.question,
        kind=question.kind,
        level=question.level,
        gold=question.gold,
        files=tuple(session.files),
        trajectory=without_final_answer(session.history),
        checks=checks,
    )
    report = session.report
    record = CollectionRecord(
        id=question.id,
        agent=setup.agent.name,
        agent_version=setup.agent.version,
        mode=setup.mode,
        model=setup.model if setup.mode == "live" else None,
        files=session.files,
        before=session.before,
        after=session.after,
        wire=[
            WireBodies(
                redacted_value(one.request),
                one.status,
                redacted(one.response),
            )
            for one in session.exchanges
        ],
        checks=checks,
        session=report.session if report is not None else None,
        usage=report.usage if report is not None else NOTHING,
        compaction=report.compaction if report is not None else NOTHING,
        reasoning_config=report.reasoning_config if report is not None else None,
    )
    return Collected(case, record)
