"""A compaction run's frozen inputs as records: the protocol as the run, cases as contexts, goals, questions.

Owns the mapping, and the fields of `protocol.json` that it goes by:

    {"format": "gacc-compaction", "format_version": 1,
     "id", "name", "created_at", "diagnostic_only",
     "mode": "live" or "fixture", "version": ours,
     "settings": {"methods", "ceiling", "reserve", "generations", "answers", "group_sentences", …}, as
     `runner.compaction.settings` writes them,
     "tokenizer": {"name", "revision": "sha256:…"},
     "parts": {"decider": {"name", "revision", …}, "summarizer": {…}, "answerer": {…}, "scorer": {…}},
     "prompts": {name: {"version", "sha256"}}, "hashes": {"corpus", "dataset", …},
     "data": {"origin", "license", …}, "cases": [id, …], "left_out": [{"id", "check", "reason"}]}

Whatever else stands in it is kept: the whole protocol but the run's own name travels in the run's record, as
the `configuration` that a run is resumed by. Not here: contexts and results (`formats.compaction_folder`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.compaction import PROTOCOL, Case, EvidenceFile
from gacc_gui.core.compaction_aggregate import PlannedRun
from gacc_gui.core.hotpot_records import names_sentence
from gacc_gui.core.records import NOTHING, Context, Goal, Json, Question, Run

if TYPE_CHECKING:
    from gacc_gui.formats.corpus import Corpus

FORMAT: Final = "gacc-compaction"
FORMAT_VERSION: Final = 1
CONFIGURATION: Final = "configuration"
"""Where a run's record keeps its protocol."""
_RUN_FIELDS: Final = ("id", "name", "created_at", "diagnostic_only", "tokenizer")
_HEAD: Final = ("format", "format_version")


@dataclass(frozen=True, slots=True)
class Items:
    """What is asked: a context, a goal and a question per case, all three under the case's id."""

    contexts: tuple[Context, ...]
    goals: tuple[Goal, ...]
    questions: tuple[Question, ...]


def run_of(protocol: Mapping[str, Any]) -> Run:
    """Return the run's record of a `protocol.json`. Raises KeyError where a field above is missing."""
    parts = protocol["parts"]
    kept = {name: value for name, value in protocol.items() if name not in (*_RUN_FIELDS, *_HEAD)}
    return Run(
        id=protocol["id"],
        name=protocol["name"],
        protocol=PROTOCOL,
        created_at=protocol["created_at"],
        diagnostic_only=protocol["diagnostic_only"],
        tokenizer=dict(protocol["tokenizer"]),
        reader=dict(parts["answerer"]),
        judge=dict(parts["scorer"]),
        extra={CONFIGURATION: kept},
    )


def protocol_of(run: Run) -> dict[str, Json]:
    """Return the `protocol.json` of a run's record: `run_of`, backwards. Raises KeyError for another run."""
    own = {name: getattr(run, name) for name in _RUN_FIELDS}
    return {"format": FORMAT, "format_version": FORMAT_VERSION, **own, **run.extra[CONFIGURATION]}


def planned_of(protocol: Mapping[str, Any]) -> PlannedRun:
    """Return what a protocol plans."""
    settings = protocol["settings"]
    return PlannedRun(
        tuple(protocol["cases"]), tuple(settings["methods"]), settings["generations"], settings["answers"]
    )


def items_of(corpus: Corpus) -> Items:
    """Return the records of a corpus's sound cases, in its order; the others are not evaluated."""
    sound = corpus.sound_cases
    return Items(
        tuple(_context(case, corpus.origin, corpus.license) for case in sound),
        tuple(Goal(case.id, case.id, case.task) for case in sound),
        tuple(_question(case) for case in sound),
    )


def _context(case: Case, origin: str, license: str) -> Context:
    return Context(
        case.id,
        case.source,
        title=case.question,
        origin=origin,
        license=license,
        extra={
            "files": [
                {"path": file.path, "title": file.title, "sentences": list(file.sentences)}
                for file in case.files
            ],
            "checks": [{"name": one.name, "ok": one.ok, "found": one.found} for one in case.checks],
        },
    )


def _question(case: Case) -> Question:
    spans = tuple({"start": start, "end": end} for start, end in evidence_spans(case))
    return Question(
        case.id,
        case.id,
        case.question,
        references=case.gold.answers,
        evidence=spans or None,
        extra={
            "type": case.kind,
            "level": case.level,
            "gold": {"answer": case.gold.answers[0], "supporting_facts": list(map(_listed, case.gold.facts))},
        },
    )


def _listed(fact: Json) -> Json:
    return list(fact) if isinstance(fact, tuple) else fact


def evidence_spans(case: Case) -> Iterator[tuple[int, int]]:
    """Yield where each gold sentence stands in `case.source`: see `spans_of`."""
    return spans_of(case.files, case.gold.facts)


def spans_of(files: Sequence[EvidenceFile], facts: Iterable[Json]) -> Iterator[tuple[int, int]]:
    """Yield where each supporting fact's sentence stands in the source, without its id, each once, in order.

    A fact that names no sentence, or an empty one, has none.
    """
    starts: dict[str, tuple[int, EvidenceFile]] = {}
    at = 0
    for file in files:
        starts.setdefault(file.title, (at, file))
        at += len(file.text) + 1
    seen: set[tuple[int, int]] = set()
    for fact in facts:
        if not names_sentence(fact) or fact[0] not in starts:
            continue
        start, file = starts[fact[0]]
        if not 0 <= fact[1] < len(file.sentences):
            continue
        span = _sentence_span(file, fact[1], start)
        if span[0] < span[1] and span not in seen:
            seen.add(span)
            yield span


def _sentence_span(file: EvidenceFile, number: int, start: int) -> tuple[int, int]:
    # A heading and a sentence are one line each, so that lines can be counted.
    lines = file.text.split("\n")
    line = start + sum(len(one) + 1 for one in lines[: number + 1])
    end = line + len(lines[number + 1])
    return end - len(file.sentence(number)), end


def compaction_of(extra: Mapping[str, Json]) -> Mapping[str, Any]:
    """Return the particulars of a memory's context as sent; empty where it has none."""
    value = extra.get("compaction")
    return value if isinstance(value, Mapping) else NOTHING
