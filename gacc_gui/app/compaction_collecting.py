"""Collect the compaction benchmark's histories into a new folder: `corpus.json` and what stands beside it.

Owns finding the selected questions in their set, who reads the files (Hermes, or our own loop) and who
answers the reader (a script, or a model), and that the folder appears whole or not at all. One case is
`runner.collection.collecting`.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gacc_gui.core.errors import BadInput, BadUsage, GaccError
from gacc_gui.core.hotpot_records import HotpotQuestion
from gacc_gui.core.hotpot_selection import structural_checks
from gacc_gui.formats.collection import CASES, COLLECTION, CORPUS, cases_text, collection_text
from gacc_gui.formats.corpus import Corpus, CorpusProvenance, corpus_text
from gacc_gui.formats.hotpot_selection import SelectionFile, read_selection
from gacc_gui.formats.hotpotqa import read_questions
from gacc_gui.formats.new_file import refuse_existing
from gacc_gui.formats.new_folder import make_new_folder

if TYPE_CHECKING:
    from gacc_gui.core.compaction import Case
    from gacc_gui.runner.collection.agents import Agent
    from gacc_gui.runner.collection.collecting import Setup

DEFAULT_SECONDS: Final = 900.0
"""What one case may take."""
KEY: Final = "LLM_API_KEY"
BASE_URL: Final = "LLM_BASE_URL"

Progress = Callable[[int, int, "Case | None"], None]
"""Told how many cases are done, of how many, and the one that was done last."""


@dataclass(frozen=True, slots=True)
class Live:
    """A model that asks for the reads. `environment` holds its key and its address."""

    model: str
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Collection:
    """What was collected: the corpus, and how many requests each case's agent made, in order."""

    corpus: Corpus
    requests: tuple[int, ...]


def collect_corpus(
    dataset: Path,
    selection: Path,
    output: Path,
    *,
    hermes_python: Path | None,
    environment: Mapping[str, str],
    live: Live | None = None,
    seconds: float = DEFAULT_SECONDS,
    progress: Progress | None = None,
) -> Collection:
    """Collect every selected question into `output`, which must not be there.

    `environment` is where Hermes is looked for, unless `hermes_python` says. Without `live`, a script asks
    for the reads. A case that fails a check is collected with it. Raises BadInput for files that cannot be
    used, BadUsage and GaccError; nothing is written then.
    """
    if not (math.isfinite(seconds) and seconds > 0):
        raise BadUsage(f"--timeout: a number of seconds, not {seconds!r}")
    refuse_existing(output)
    if not (output.parent.is_dir() and os.access(output.parent, os.W_OK)):
        raise GaccError(f"{output} cannot be made: {output.parent} is no folder that can be written to")
    chosen = read_selection(selection)
    questions = selected_questions(dataset, chosen)
    from gacc_gui.runner.collection.agents import find_hermes, own_agent

    agent = find_hermes(hermes_python, environment)
    if agent is None:
        if live is not None:
            raise BadUsage(
                "a live collection needs Hermes: --hermes-python names the interpreter that has it"
            )
        agent = own_agent()
    with _setup(agent, live, seconds) as setup:
        return _collect(chosen, questions, setup, output, progress)


def selected_questions(dataset: Path, selection: SelectionFile) -> tuple[HotpotQuestion, ...]:
    """Return the selected questions from their set, in the selection's order.

    Raises BadInput, naming it, for one that is missing or is not what was selected, and for another set.
    """
    wanted = {case.id: case for case in selection.cases}
    found: dict[str, HotpotQuestion] = {}
    content, rows = hashlib.sha256(), 0
    for question in read_questions(dataset):
        rows += 1
        digest = question.content_sha256()
        content.update(bytes.fromhex(digest))
        if question.id in wanted:
            if digest != wanted[question.id].content_sha256:
                reason = "its content is not what was selected (another SHA-256)"
                raise BadInput(reason, path=str(dataset), record=question.id)
            fault = next((check for check in structural_checks(question) if not check.ok), None)
            if fault is not None or question.kind != wanted[question.id].kind:
                reason = f"it does not pass the filter {'type' if fault is None else fault.filter}"
                raise BadInput(reason, path=str(dataset), record=question.id)
            found[question.id] = question
    missing = [id for id in wanted if id not in found]
    if missing:
        named = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        raise BadInput(f"selected, and not in this set: {named}", path=str(dataset))
    if (rows, content.hexdigest()) != (selection.rows, selection.dataset_sha256):
        raise BadInput(
            f"it is not the set that was selected from: {rows:,} rows with the SHA-256"
            f" {content.hexdigest()}, not {selection.rows:,} with {selection.dataset_sha256:.64}",
            path=str(dataset),
        )
    return tuple(found[case.id] for case in selection.cases)


@contextmanager
def _setup(agent: Agent, live: Live | None, seconds: float) -> Iterator[Setup]:
    from gacc_gui.runner.collection.collecting import Setup
    from gacc_gui.runner.collection.scripted import MODEL, Scripted
    from gacc_gui.runner.credentials import Credentials

    if live is None:
        yield Setup(
            agent,
            "scripted",
            MODEL,
            lambda files: Scripted([file.path for file in files]),
            seconds,
            Credentials(None),
        )
        return
    from gacc_gui.runner.collection.forwarding import Forwarding
    from gacc_gui.runner.config_model import EndpointConfig
    from gacc_gui.runner.credentials import credentials_of
    from gacc_gui.runner.environment import needed

    needed(live.environment, KEY, "the key of the model that asks for the reads")
    url = needed(live.environment, BASE_URL, "the address of the model that asks for the reads")
    credentials = credentials_of(EndpointConfig("collection", (url,), live.model, KEY), live.environment)
    with Forwarding(url, credentials) as forwarding:
        yield Setup(agent, "live", live.model, lambda _: forwarding, seconds, credentials)


def _collect(
    selection: SelectionFile,
    questions: Sequence[HotpotQuestion],
    setup: Setup,
    output: Path,
    progress: Progress | None,
) -> Collection:
    from gacc_gui.runner.collection.collecting import collect_case

    collected = []
    if progress is not None:
        progress(0, len(questions), None)
    for question in questions:
        collected.append(collect_case(question, setup))
        if progress is not None:
            progress(len(collected), len(questions), collected[-1].case)
    provenance = CorpusProvenance(
        dataset_sha256=selection.dataset_sha256,
        selection_seed=selection.seed,
        agent=setup.agent.name,
        agent_version=setup.agent.version,
        mode=setup.mode,
        model=setup.model if setup.mode == "live" else None,
    )
    corpus = Corpus(
        tuple(one.case for one in collected),
        provenance,
        content_sha256={case.id: case.content_sha256 for case in selection.cases},
    )
    texts = {
        CORPUS: corpus_text(corpus),
        COLLECTION: collection_text(one.record for one in collected),
        CASES: cases_text(zip(selection.cases, questions, strict=True)),
    }
    make_new_folder(output, {name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()})
    return Collection(corpus, tuple(len(one.record.wire) for one in collected))
