"""Makes a small corpus of the compaction benchmark, of our own words, without any agent.

Every case has ten articles of seven sentences, no two alike; some 6,500 characters, as a selection asks for.
`hotpot_rows` are the same questions as rows of a dataset.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from gacc_gui.core.compaction import Case, CollectionCheck, EvidenceFile
from gacc_gui.core.hotpot_records import Gold
from gacc_gui.core.records import Json
from gacc_gui.formats.corpus import Corpus, CorpusProvenance, corpus_text
from gacc_gui.formats.new_file import write_new

CHECKS = ("all files read", "reads untruncated", "tool calls paired", "files unchanged")
SYSTEM = "You are an agent. You have the tool read_file and answer from what you read."

_PLACES = (
    "Velm",
    "Oskar Bay",
    "Tirrin",
    "Ledna",
    "Marrow Hill",
    "Quist",
    "Halden Mere",
    "Ibsley",
    "Corvo",
    "Ruun",
)
_KINDS = (
    "lighthouse",
    "canal",
    "orchard",
    "foundry",
    "ferry",
    "archive",
    "windmill",
    "quarry",
    "theatre",
    "bridge",
)
_NAMES = (
    "Anders Holt",
    "Mira Sandoval",
    "Piet Vrolijk",
    "Oda Rask",
    "Luc Ferrand",
    "Ines Okafor",
    "Tam Ellery",
)


def write_corpus(target: Path, corpus: Corpus) -> None:
    """Write a corpus to a file that must be new, as collecting freezes it."""
    write_new(target, corpus_text(corpus))


def small_corpus(count: int = 2) -> Corpus:
    """Return a corpus of `count` cases: bridge, comparison, bridge, …; every check holds."""
    rows = hotpot_rows(count)
    dataset = hashlib.sha256(json.dumps(rows).encode()).hexdigest()
    return Corpus(
        tuple(small_case(number) for number in range(count)),
        CorpusProvenance(dataset, 20261016, "own read_file loop", "1", "scripted"),
        origin="synthetic",
        license="CC0-1.0",
    )


def hotpot_rows(count: int = 2) -> list[dict[str, Any]]:
    """Return the same questions as rows of the official JSON."""
    return [
        {
            "_id": case.id,
            "question": case.question,
            "answer": case.gold.answers[0],
            "type": case.kind,
            "level": case.level,
            "supporting_facts": [list(fact) for fact in case.gold.facts],
            "context": [[file.title, list(file.sentences)] for file in case.files],
        }
        for case in map(small_case, range(count))
    ]


def small_case(number: int) -> Case:
    """Return the case of this number; two numbers share no article."""
    files = tuple(_file(number, place) for place in range(10))
    first, second = files[2], files[7]
    if number % 2 == 0:
        year = _year(number, 2)
        question = (
            f"Who paid for the gate of the {_KINDS[7]} whose first keeper"
            f" came from what was finished in {year}?"
        )
        answer, kind, level = _name(number, 7, 4), "bridge", "hard"
        facts: tuple[tuple[str, int], ...] = ((first.title, 0), (second.title, 1), (second.title, 4))
    else:
        question = f"Which was finished earlier, {first.title} or {second.title}?"
        answer, kind, level = first.title, "comparison", "medium"
        facts = ((first.title, 0), (second.title, 0))
    return Case(
        id=f"case-{number + 1}",
        question=question,
        kind=kind,
        level=level,
        gold=Gold(f"case-{number + 1}", (answer,), facts),
        files=files,
        trajectory=tuple(_trajectory(question, files)),
        checks=tuple(CollectionCheck(name, True, "as it should be") for name in CHECKS),
    )


def _file(case: int, place: int) -> EvidenceFile:
    title, year = _title(case, place), _year(case, place)
    sentences = (
        f"The {title} was finished in {year} after {place + 2} winters of work that cost the town"
        " more than was planned.",
        f" Its first keeper, {_name(case, place, 1)}, came from {_title(case, (place + 5) % 10)} and"
        f" kept a diary of {120 + 7 * place} pages.",
        f" In {year + 40} a fire took the eastern part, and {30 + place} people rebuilt it within a"
        " single summer.",
        f" Visitors count {14 + place} steps to the gate, where a plate of copper names everyone who"
        f" came in {year + 41}.",
        f" The money for the gate came from {_name(case, place, 4)}, a merchant of salt who never saw"
        f" {title} himself.",
        f" Since {year + 150} it belongs to a society of {200 + 11 * place + case} members that opens"
        " it on Sundays.",
        f" Whoever wants to see its {place + 3} cellars must write to {_name(case, place, 6)} at"
        f" least {place + 1} weeks ahead.",
    )
    return EvidenceFile(f"evidence-{place + 1:02}.txt", title, sentences)


def _title(case: int, place: int) -> str:
    return f"{_PLACES[(case + place) % 10]} {_KINDS[place].capitalize()} {case + 1}"


def _year(case: int, place: int) -> int:
    return 1700 + 13 * place + case


def _name(case: int, place: int, sentence: int) -> str:
    return f"{_NAMES[(case + place + sentence) % 7]} {'I' * (1 + (case * 10 + place) % 3)}"


def _trajectory(question: str, files: tuple[EvidenceFile, ...]) -> list[dict[str, Json]]:
    names = ", ".join(file.path for file in files)
    messages: list[dict[str, Json]] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": f"Read {names} completely, then answer.\n\nQuestion: {question}"},
    ]
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": "read_file", "arguments": json.dumps({"path": file.path})},
        }
        for number, file in enumerate(files, start=1)
    ]
    messages.append({"role": "assistant", "content": "", "tool_calls": calls})
    for call, file in zip(calls, files, strict=True):
        lines = file.text.splitlines()
        numbered = "\n".join(f"{number}|{line}" for number, line in enumerate(lines, start=1))
        result = {"content": numbered, "total_lines": len(lines), "truncated": False}
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)})
    return messages
