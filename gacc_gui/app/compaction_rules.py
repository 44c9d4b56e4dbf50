"""The rules that one context or one answer of a compaction run must obey.

Owns what each rule compares. A rule yields its faults, as examples at a place; malformed data may raise
whatever it raises. Which rules there are, and how they are tallied, is `app.compaction_checks`'.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.app.check_results import Example
from gacc_gui.app.request_texts import readings
from gacc_gui.core.answer_reading import read_answer
from gacc_gui.core.compaction import (
    FULL,
    FUSION,
    JEV,
    NO_SCORES,
    SCORES,
    SUMMARY,
    AnswerResult,
    EvidenceFile,
    Group,
    SentContext,
    facts_as_written,
)
from gacc_gui.core.hotpot_scores import QuestionScore, SentenceIds, score_answer, score_support
from gacc_gui.core.records import Json, Memory, Question, Verdict

if TYPE_CHECKING:
    from gacc_gui.core.tokens import Codec

_MOST_RETRIES: Final = 3


@dataclass(frozen=True, slots=True)
class CheckedCase:
    """A case as its contexts are checked against it."""

    files: tuple[EvidenceFile, ...]
    groups: tuple[Group, ...]
    source: str
    task: str
    question: Question


def at(
    place: Example,
    name: str,
    declared: int | str | bool | None = None,
    recomputed: int | str | bool | None = None,
    detail: str | None = None,
) -> Example:
    """Return a failure at a place."""
    return Example(place.memory_id, name, declared, recomputed, question_id=place.question_id, detail=detail)


def input_faults(
    place: Example, case: CheckedCase, sent: SentContext, evidence: str, systems: dict[str, str]
) -> Iterator[Example]:
    """Whether the input is a system's and a user's message, and the latter holds what it should.

    `systems` keeps each case's system prompt, which all its contexts share.
    """
    roles = [message["role"] for message in sent.messages]
    if roles != ["system", "user"]:
        yield at(place, "messages", ", ".join(roles), "system, user")
        return
    system, user = (message["content"] for message in sent.messages)
    if system != systems.setdefault(case.question.id, system):
        yield at(place, "messages", detail="another context of the case has another system prompt")
    for name, text in (("the task", case.task), ("the question", case.question.text)):
        if text not in user:
            yield at(place, "messages", detail=f"{name} is not in the input")
    if sent.method != FULL:
        if evidence not in user:
            yield at(place, "messages", detail="the evidence is not in the input as it is stored")
        return
    texts = list(readings(user))
    for file in case.files:
        for number in range(len(file.sentences)):
            if not any(file.sentence(number) in text for text in texts):
                yield at(place, "messages", detail=f"{file.path} [{number}] is not in the input")


def groups_faults(place: Example, case: CheckedCase, sent: SentContext) -> Iterator[Example]:
    """Whether kept and dropped are each group once, in order."""
    order = {group.id: number for number, group in enumerate(case.groups)}
    once = dict.fromkeys(order, 1)
    for name, ids in (("kept", sent.kept), ("dropped", sent.dropped)):
        if unknown := [id for id in ids if id not in order]:
            yield at(place, name, unknown[0], detail="there is no such group")
        elif list(ids) != sorted(ids, key=order.__getitem__):
            yield at(place, name, detail="the groups are not in their original order")
    if Counter([*sent.kept, *sent.dropped]) != once:
        yield at(place, "kept", detail="kept and dropped groups together are not each group once")
    nothing = {SUMMARY: "kept", FULL: "dropped"}.get(sent.method)
    if nothing is not None and getattr(sent, nothing):
        yield at(place, nothing, len(getattr(sent, nothing)), 0)


def rankings_faults(place: Example, case: CheckedCase, sent: SentContext) -> Iterator[Example]:
    """Whether all groups are ranked, by score, where the method ranks."""
    if sent.method not in (JEV, FUSION):
        if sent.ranking:
            yield at(place, "ranking", len(sent.ranking), 0)
        return
    order = {group.id: number for number, group in enumerate(case.groups)}
    if Counter(id for id, _ in sent.ranking) != dict.fromkeys(order, 1):
        yield at(place, "ranking", len(sent.ranking), len(order), "it does not rank each group once")
        return
    if list(sent.ranking) != sorted(sent.ranking, key=lambda pair: (-pair[1], order[pair[0]])):
        yield at(place, "ranking", detail="it is not by score, ties by position")


def evidence_faults(place: Example, case: CheckedCase, sent: SentContext, evidence: str) -> Iterator[Example]:
    """Whether the evidence is the kept groups word for word, the summary, and nothing else."""
    from gacc_gui.runner.compaction.messages import joined, kept_text

    position = 0
    for group in case.groups if sent.method == FULL else (g for g in case.groups if g.id in sent.kept):
        found = evidence.find(group.text, position)
        if found < 0:
            yield at(place, "evidence", group.id, detail="a kept group is not in it word for word, in order")
            return
        position = found + len(group.text)
    kept = kept_text(case.files, case.groups, sent.kept)
    expected = {FULL: case.source, JEV: kept, SUMMARY: sent.summary}.get(sent.method)
    if sent.method == FUSION:
        expected = joined(kept, sent.summary or "") if sent.summary else kept
    if evidence != expected:
        yield at(place, "evidence", detail="it is not the kept groups and the summary, and nothing else")


def ledgers_faults(place: Example, memory: Memory, sent: SentContext) -> Iterator[Example]:
    """Whether budget and ledger agree with the space there was."""
    ledger, space = memory.ledger, sent.tokens.space
    if memory.budget != space:
        yield at(place, "budget", memory.budget, space)
    if ledger is None:
        yield at(place, "ledger", detail="there is none")
        return
    if ledger.proposed_tokens != ledger.retained_tokens:
        yield at(place, "proposed_tokens", ledger.proposed_tokens, ledger.retained_tokens)
    if ledger.padding_tokens not in (None, 0):
        yield at(place, "padding_tokens", ledger.padding_tokens, 0)
    if space is not None and ledger.unused_budget is not None and ledger.retained_tokens is not None:
        unused = max(0, space - ledger.retained_tokens)
        if ledger.unused_budget != unused:
            yield at(place, "unused_budget", ledger.unused_budget, unused)


def ceilings_faults(place: Example, sent: SentContext, settings: Mapping[str, Any]) -> Iterator[Example]:
    """Whether the local count with the reserve is below the ceiling, unless it is the full history."""
    tokens = sent.tokens
    for name in ("ceiling", "reserve"):
        if getattr(tokens, name) != settings[name]:
            yield at(place, f"tokens.{name}", getattr(tokens, name), settings[name])
    if tokens.provider is not None:
        yield at(place, "tokens.provider", tokens.provider, None, "answers have the service's counts")
    if sent.method == FULL:
        if tokens.space is not None:
            yield at(place, "tokens.space", tokens.space, None, "the full history has no ceiling")
        return
    most = settings["ceiling"] - settings["reserve"]
    if tokens.space != most - tokens.fixed:
        yield at(place, "tokens.space", tokens.space, most - tokens.fixed)
    if tokens.local > most:
        yield at(place, "tokens.local", tokens.local, most, "more than the ceiling less the reserve")


def retries_faults(place: Example, sent: SentContext, settings: Mapping[str, Any]) -> Iterator[Example]:
    """Whether a summary was asked for again too often."""
    most = min(settings["summary_retries"], _MOST_RETRIES) if sent.method in (SUMMARY, FUSION) else 0
    if not 0 <= sent.retries <= most:
        yield at(place, "retries", sent.retries, most)


def token_counts_faults(
    place: Example, codec: Codec, memory: Memory, case: CheckedCase, sent: SentContext
) -> Iterator[Example]:
    """Whether the tokenizer counts what was stored."""
    from gacc_gui.runner.compaction.messages import serialised

    local = codec.count(serialised(sent.messages))
    if sent.tokens.local != local:
        yield at(place, "tokens.local", sent.tokens.local, local)
    evidence, ledger = memory.retained_text or "", memory.ledger
    if ledger is not None:
        counts = (
            ("source_tokens", case.source),
            ("retained_tokens", evidence),
            ("reencoded_tokens", evidence),
        )
        for name, text in counts:
            declared, counted = getattr(ledger, name), codec.count(text)
            if declared is not None and declared != counted:
                yield at(place, name, declared, counted)
    if sent.method != FULL and evidence:
        fixed = codec.count(serialised(with_evidence(sent, evidence, "")))
        if sent.tokens.fixed != fixed:
            yield at(place, "tokens.fixed", sent.tokens.fixed, fixed)


def with_evidence(sent: SentContext, evidence: str, other: str) -> list[dict[str, str]]:
    """Return the input with other evidence; what stands twice is evidence where it stands last."""
    system, user = sent.messages
    before, _, after = user["content"].rpartition(evidence)
    return [dict(system), {**user, "content": before + other + after}]


def fusion_share_faults(
    place: Example,
    codec: Codec,
    case: CheckedCase,
    sent: SentContext,
    memory: Memory,
    settings: Mapping[str, Any],
) -> Iterator[Example]:
    """Whether the kept groups of `jev+summary` take no more than their share of the space."""
    from gacc_gui.runner.compaction.messages import kept_text, serialised

    share, space = Fraction(settings["fusion_share"]), sent.tokens.space or 0
    most = share.numerator * space // share.denominator
    kept = kept_text(case.files, case.groups, sent.kept)
    if kept:
        taken = (
            codec.count(serialised(with_evidence(sent, memory.retained_text or "", kept))) - sent.tokens.fixed
        )
        if taken > most:
            yield at(place, "kept", taken, most, "tokens of kept groups, more than their share")


def gold_of(question: Question) -> Mapping[str, Any]:
    """Return a question's gold: an answer, and a list of supporting facts. Raises ValueError for none."""
    gold = question.extra.get("gold")
    if not isinstance(gold, Mapping) or not isinstance(gold.get("answer"), str):
        raise ValueError("the question has no gold answer")
    if not isinstance(gold.get("supporting_facts"), list | tuple):
        raise ValueError("the question has no supporting facts")
    return gold


def scores_faults(place: Example, case: CheckedCase, result: AnswerResult) -> Iterator[Example]:
    """Whether the official metrics give the scores; what is not ok scores zero."""
    expected: Mapping[str, float] = NO_SCORES
    if result.is_valid:
        predicted, gold = result.predicted or {}, gold_of(case.question)
        said = facts_as_written(predicted["supporting_facts"], case.files)
        score = QuestionScore(
            score_answer(predicted["answer"], case.question.references or (gold["answer"],)),
            score_support(said, gold["supporting_facts"], SentenceIds.STRICT),
        )
        expected = six_scores(score)
    for name in SCORES:
        if result.scores[name] != expected[name]:
            yield at(place, name, str(result.scores[name]), str(expected[name]))


def six_scores(score: QuestionScore) -> dict[str, float]:
    """Return a question's scores by the names of `core.compaction.SCORES`."""
    parts = (("", score.answer), ("sp_", score.support), ("joint_", score.joint))
    return {
        f"{prefix}{name}": 0.0 if part is None else getattr(part, name)
        for prefix, part in parts
        for name in ("em", "f1")
    }


def verdict_faults(place: Example, verdict: Verdict, result: AnswerResult) -> Iterator[Example]:
    """Whether a row counts as right just where its answer's EM is 1."""
    if not result.is_valid:
        if verdict.label is not None or verdict.status == "judged":
            yield at(place, "status", verdict.status, result.status, "it counts although it is not ok")
        return
    label = "correct" if result.scores["em"] == 1 else "incorrect"
    if (verdict.status, verdict.label) != ("judged", label):
        yield at(place, "label", verdict.label, label)


def reading_faults(place: Example, reply: str, result: AnswerResult) -> Iterator[Example]:
    """Whether what was predicted is what the reply says, read strictly."""
    read = read_answer(reply)
    if result.is_valid:
        said: Json = dict(result.predicted or {})
        if said != read.as_json():
            yield at(place, "predicted", detail=read.reason or "it is not what the reply says")
    elif result.status == "unparsed" and read.is_read:
        yield at(place, "status", result.status, "ok", "the reply can be read")


def provider_faults(place: Example, result: AnswerResult, ceiling: int | None) -> Iterator[Example]:
    """Whether an input that the provider counts over the ceiling is invalid, and no other is.

    `ceiling` None: there is none.
    """
    told = result.provider_input_tokens or 0
    over = ceiling is not None and told > ceiling
    if over and result.is_valid:
        yield at(place, "provider_input_tokens", told, ceiling, "over the ceiling, and not invalid")
    if not over and result.status == "invalid":
        yield at(place, "provider_input_tokens", told, ceiling, "invalid, and not over the ceiling")
