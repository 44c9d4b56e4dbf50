"""The answer input: two messages, the same for every method but for the evidence in them.

Owns how a history's evidence is written into them, whole or in part, and the text that is counted. Not here:
what is kept (`fitting`), and the wording (`resources/prompts/compaction-answer.toml`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.compaction import Case, EvidenceFile, Group
from gacc_gui.core.records import Json
from gacc_gui.runner.failures import repaired
from gacc_gui.runner.prompts import Prompt

SUMMARY_HEADING: Final = "Summary of the rest of the evidence:"
"""Stands between the kept groups of `jev+summary` and its summary."""

Messages = tuple[Mapping[str, str], ...]
"""`role` and `content`, in order."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What every answer input of a case has, whatever the evidence. It has no place for gold."""

    system: str
    task: str
    question: str


def asked_of(case: Case) -> Asked:
    """Return what every answer input of a case has."""
    return Asked(case.system, case.task, case.question)


def messages_of(prompt: Prompt, asked: Asked, evidence: str) -> Messages:
    """Return the complete answer input; what is no character (half a surrogate pair) is U+FFFD."""
    values: dict[str, Json] = {
        "system": asked.system,
        "task": asked.task,
        "evidence": evidence,
        "question": asked.question,
    }
    return tuple(
        {"role": message["role"], "content": repaired(message["content"])}
        for message in prompt.messages(values)
    )


def serialised(messages: Sequence[Mapping[str, str]]) -> str:
    """Return the text whose tokens are counted: the messages as compact JSON."""
    return json.dumps([dict(message) for message in messages], ensure_ascii=False, separators=(",", ":"))


def kept_text(files: Sequence[EvidenceFile], groups: Sequence[Group], kept: Collection[str]) -> str:
    """Return groups as they are sent: in their original order, each article's under its heading.

    A blank line stands between articles, as in the source.
    """
    articles: list[list[str]] = []
    last = -1
    for group in groups:
        if group.id not in kept:
            continue
        if group.file != last:
            articles.append([heading(files[group.file])])
            last = group.file
        articles[-1].append(group.text)
    return repaired("\n\n".join("\n".join(lines) for lines in articles))


def heading(file: EvidenceFile) -> str:
    """Return the heading of an article, as its file has it."""
    return file.text.split("\n", 1)[0]


def joined(kept: str, summary: str) -> str:
    """Return the evidence of `jev+summary`."""
    return f"{kept}\n\n{SUMMARY_HEADING}\n{summary}" if kept else summary


def history_text(trajectory: Sequence[Mapping[str, Json]]) -> str:
    """Return the evidence of `full`: every tool call with its result, as the trajectory has them."""
    return repaired("\n\n".join(_calls_with_results(trajectory)))


def _calls_with_results(trajectory: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    for message in trajectory:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            yield f"[call {call['id']}] {function['name']} {function['arguments']}"
        if message.get("role") == "tool":
            yield f"[result {message.get('tool_call_id')}]\n{message.get('content') or ''}"
