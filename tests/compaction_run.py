"""Makes the records of a complete compaction run over a small corpus, without asking anybody.

Everything that can become of a context or an answer occurs once; all else is right. Tokens are words and
punctuation marks, as `TOKENIZER` counts them too, a Hugging Face `tokenizer.json` in full.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from gacc_gui.core.compaction import (
    FULL,
    FUSION,
    JEV,
    METHODS,
    NO_SCORES,
    SUMMARY,
    AnswerResult,
    Case,
    Group,
    SentContext,
    TokenCounts,
    groups_of,
)
from gacc_gui.core.hotpot_scores import QuestionScore, SentenceIds, score_answer, score_support
from gacc_gui.core.records import Answer, Cell, Ledger, Memory, Record, Request, Run, Verdict
from gacc_gui.formats.compaction_folder import gathered
from gacc_gui.formats.compaction_records import items_of, protocol_of, run_of
from gacc_gui.formats.corpus import Corpus
from gacc_gui.runner.compaction.messages import history_text, joined, kept_text
from gacc_gui.store.database import open_database
from gacc_gui.store.writes import RunWriter
from tests.compaction_cases import small_corpus, write_corpus

TOKENIZER: Final = json.dumps(
    {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"},
    }
)
CEILING: Final = 900
RESERVE: Final = 64
GROUP_SENTENCES: Final = 3
FORM: Final = 'Answer with one JSON object: {"answer": …, "supporting_facts": [["title", sentence id], …]}'
REVISION: Final = "1"

Fault = tuple[str, int, int, int | None]
"""Method, number of the case, generation, and repeat (None: the context)."""
FAULTS: Final[dict[Fault, str]] = {
    (SUMMARY, 0, 1, None): "failed",
    (FUSION, 1, 1, None): "failed",
    (JEV, 0, 0, None): "evidence dropped",
    (JEV, 0, 0, 0): "wrong",
    (JEV, 0, 0, 1): "unparsed",
    (JEV, 0, 1, 0): "refused",
    (JEV, 1, 0, 0): "invalid",
    (JEV, 1, 0, 1): "error",
    (FULL, 0, 1, 0): "truncated",
    (FULL, 1, 0, 1): "no_answer",
    (SUMMARY, 0, 0, 0): "f1 without em",
    (SUMMARY, 1, 0, 1): "wrong facts",
    (FUSION, 0, 0, 1): "untold tokens",
}


def count(text: str) -> int:
    """Return the tokens of a text."""
    return len(re.findall(r"\w+|[^\w\s]+", text))


def small_protocol(corpus: Corpus, methods: Sequence[str] = METHODS, run_id: str = "small") -> dict[str, Any]:
    """Return the `protocol.json` of the run."""
    digest = hashlib.sha256(TOKENIZER.encode()).hexdigest()
    return {
        "format": "gacc-compaction",
        "format_version": 1,
        "id": run_id,
        "name": "a small compaction run",
        "created_at": "2026-11-20T10:00:00Z",
        "diagnostic_only": True,
        "mode": "fixture",
        "version": "0.1.0",
        "settings": {
            "ceiling": CEILING,
            "reserve": RESERVE,
            "fusion_share": "0.4",
            "generations": 2,
            "answers": 2,
            "concurrency": 4,
            "group_sentences": GROUP_SENTENCES,
            "summary_retries": 3,
            "methods": list(methods),
        },
        "tokenizer": {"name": "tokenizer.json", "revision": f"sha256:{digest}", "identity_verified": True},
        "parts": {
            "decider": {"name": "lexical", "revision": REVISION},
            "summarizer": {"name": "lead", "revision": REVISION},
            "answerer": {"name": "rule", "revision": REVISION},
            "scorer": {"name": "hotpotqa-official", "revision": REVISION},
        },
        "prompts": {},
        "hashes": {"corpus": corpus.sha256, "dataset": corpus.provenance.dataset_sha256, "tokenizer": digest},
        "data": {"origin": corpus.origin, "license": corpus.license},
        "cases": [case.id for case in corpus.sound_cases],
        "left_out": [
            {"id": case.id, "check": check.name, "reason": check.found}
            for case in corpus.cases
            for check in case.checks
            if not check.ok
        ],
    }


def small_run_records(
    cases: int = 2,
    *,
    methods: Sequence[str] = METHODS,
    run_id: str = "small",
    faults: dict[Fault, str] | None = None,
    corpus: Corpus | None = None,
    as_engine: bool = False,
) -> list[Record]:
    """Return the run's records in the order of a run file; `faults` are FAULTS unless given.

    As a finished folder has them: each planned answer has a verdict. With `as_engine`, as the engine leaves
    them: nothing was answered from a failed context, and a failed answer has no verdict.
    """
    corpus = small_corpus(cases) if corpus is None else corpus
    planted = FAULTS if faults is None else faults
    items = items_of(corpus)
    memories: list[Memory] = []
    answers: list[Answer] = []
    verdicts: list[Verdict] = []
    requests: list[Request] = []
    for number, case in enumerate(corpus.sound_cases):
        for method in methods:
            for generation in range(2):
                place = (method, number, generation)
                fault = planted.get((*place, None))
                memory = _memory(case, method, generation, fault)
                memories.append(memory)
                requests += _compressor_requests(case, memory, fault)
                if memory.status != "ok":
                    continue
                for repeat in range(2):
                    row = _row(case, memory, repeat, planted.get((*place, repeat), ""))
                    for record in row:
                        if isinstance(record, Answer):
                            answers.append(record)
                        elif isinstance(record, Verdict):
                            verdicts.append(record)
                        else:
                            requests.append(record)
    run = run_of(small_protocol(corpus, methods, run_id))
    kinds = (items.contexts, items.goals, items.questions, memories, answers, verdicts, requests)
    records: list[Record] = [run, *(record for kind in kinds for record in kind)]
    return records if as_engine else list(gathered(records).records())


def small_folder(folder: Path, records: Sequence[Record], corpus: Corpus) -> Path:
    """Write the inputs of a run into a new folder, as a run does first of all."""
    folder.mkdir()
    run = next(record for record in records if isinstance(record, Run))
    protocol = protocol_of(run)
    (folder / "protocol.json").write_text(json.dumps(protocol, ensure_ascii=False), encoding="utf-8")
    write_corpus(folder / "corpus.json", corpus)
    for name in ("collection.jsonl", "cases.jsonl"):
        lines = [json.dumps({"case": case.id}) for case in corpus.cases]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


# Contexts.


def stored(path: Path, records: Sequence[Record]) -> Path:
    """Write a run's records into a database, new or not."""
    run = records[0]
    assert isinstance(run, Run)
    with open_database(path, create=True) as database, RunWriter(database) as writer:
        writer.begin_run(run)
        for record in records[1:]:
            writer.add(record)
        writer.finish()
    return path


def messages(case: Case, evidence: str) -> tuple[dict[str, str], ...]:
    """Return an answer input."""
    asked = f"{case.task}\n\n{evidence}\n\nQuestion: {case.question}\n\n{FORM}"
    return ({"role": "system", "content": case.system}, {"role": "user", "content": asked})


def input_tokens(sent: Sequence[dict[str, str]]) -> int:
    """Return the tokens of an answer input as it is counted."""
    return count(json.dumps(list(sent), ensure_ascii=False, separators=(",", ":")))


def _memory(case: Case, method: str, generation: int, fault: str | None) -> Memory:
    whole = method == FULL
    id = f"{case.id}/{method}/1" + ("/full-context" if whole else "")
    cell = Cell(method, REVISION, "full-context" if whole else "own-goal", "1")
    fixed = input_tokens(messages(case, ""))
    space = None if whole else CEILING - RESERVE - fixed
    base = Memory(
        id + (f"/generation-{generation}" if generation else ""),
        case.id,
        case.id,
        cell,
        space,
        generation,
        None,
        None,
        None,
        "ok",
    )
    groups = groups_of(case.files, GROUP_SENTENCES)
    ranking = _ranking(case, groups) if method in (JEV, FUSION) else ()
    if fault == "failed":
        over = TokenCounts(CEILING, RESERVE, fixed, space, CEILING - RESERVE + 12)
        ids = tuple(group.id for group in groups)
        failed = SentContext(method, (), (), ids, None, ranking, over, 3)
        error = "the summary was still 12 tokens too long after 3 retries"
        return replace(base, status="error", error=error, extra={"compaction": failed.as_json()})
    if method == FULL:
        kept, summary, evidence = [group.id for group in groups], None, case.source
    else:
        kept = _kept(case, method, ranking, groups, space or 0, fault == "evidence dropped")
        rest = [group for group in groups if group.id not in kept]
        summary = None if method == JEV else _summary(case, rest, kept, groups, space or 0)
        evidence = _joined(_kept_text(case, groups, kept), summary)
    sent = messages(case, history_text(case.trajectory) if whole else evidence)
    context = SentContext(
        method,
        sent,
        tuple(kept),
        tuple(group.id for group in groups if group.id not in kept),
        summary,
        ranking,
        TokenCounts(CEILING, RESERVE, fixed, space, input_tokens(sent)),
        1 if method == SUMMARY and generation == 0 else 0,
    )
    tokens = count(evidence)
    unused = None if space is None else space - tokens
    return replace(
        base,
        proposed_text=evidence,
        retained_text=evidence,
        ledger=Ledger(count(case.source), tokens, tokens, unused, tokens, 0),
        extra={"compaction": context.as_json()},
    )


def _ranking(case: Case, groups: Sequence[Group]) -> tuple[tuple[str, float], ...]:
    """Rank gold's groups first: nobody does so well, but the outcome is known."""
    titles = {(fact[0], fact[1] // GROUP_SENTENCES) for fact in case.gold.facts}
    scores = {
        group.id: 0.9
        if (case.files[group.file].title, group.first // GROUP_SENTENCES) in titles
        else round(0.5 / (1 + number), 6)
        for number, group in enumerate(groups)
    }
    return tuple(sorted(scores.items(), key=lambda pair: -pair[1]))


def _kept(
    case: Case,
    method: str,
    ranking: Sequence[tuple[str, float]],
    groups: Sequence[Group],
    space: int,
    drop_best: bool,
) -> list[str]:
    most = {JEV: space, FUSION: space * 4 // 10}.get(method, 0)
    fixed = input_tokens(messages(case, ""))
    kept: list[str] = []
    for group, _ in ranking[1 if drop_best else 0 :]:
        chosen = [one.id for one in groups if one.id in (*kept, group)]
        evidence = _kept_text(case, groups, chosen)
        if input_tokens(messages(case, evidence)) - fixed <= most:
            kept = chosen
    return kept


def _kept_text(case: Case, groups: Sequence[Group], kept: Sequence[str]) -> str:
    return kept_text(case.files, groups, kept)


def _joined(kept: str, summary: str | None) -> str:
    return joined(kept, summary) if summary else kept


def _summary(
    case: Case, rest: Sequence[Group], kept: Sequence[str], groups: Sequence[Group], space: int
) -> str:
    """Return the first sentence of every article, without its id, as far as the space goes."""
    lines: list[str] = []
    for group in rest:
        if group.first:
            continue
        line = case.files[group.file].sentence(0)
        text = _joined(_kept_text(case, groups, kept), " ".join([*lines, line]))
        if input_tokens(messages(case, text)) + RESERVE <= CEILING and count(text) <= space:
            lines.append(line)
    return " ".join(lines)


def _compressor_requests(case: Case, memory: Memory, fault: str | None) -> Iterator[Request]:
    method, sent = memory.cell.compressor, memory.extra["compaction"]
    groups = groups_of(case.files, GROUP_SENTENCES)
    steps = []
    if method in (JEV, FUSION):
        passages = [f"# {case.files[group.file].title}\n{group.text}" for group in groups]
        steps.append(("decide-1", json.dumps(dict(sent["ranking"])), passages))
    if method in (SUMMARY, FUSION):
        tries = 4 if fault == "failed" else 2 if (method, memory.generation) == (SUMMARY, 0) else 1
        texts = [one for ids in ("kept", "dropped") if (one := _kept_text(case, groups, sent[ids]))]
        replies = ["A summary that is too long."] * (tries - 1) + [sent["summary"] or "Another one."]
        steps += [(f"summary-{number}", reply, texts) for number, reply in enumerate(replies, start=1)]
    for step, reply, texts in steps:
        extra: dict[str, Any] = {
            "step": step,
            "output": {"text": reply, "status": "ok"},
            "reply": reply,
            "usage": {"input_tokens": 1400, "output_tokens": 90},
        }
        if step == "summary-2":
            extra["attempts"] = [
                {"started_at": "2026-11-20T10:00:01Z", "seconds": 0.2, "status": 503, "error": "busy"},
                {"started_at": "2026-11-20T10:00:03Z", "seconds": 0.4, "waited": 1.5, "status": 200},
            ]
        content = "\n\n".join([case.task, *texts])
        yield Request(f"{memory.id}/compressor/{step}", "compressor", content, memory.id, extra=extra)


# Rows.


def _row(case: Case, memory: Memory, repeat: int, fault: str) -> tuple[Answer | Verdict | Request, ...]:
    place = (memory.id, case.id, repeat)
    sent = memory.extra["compaction"]
    provider = CEILING + 1 if fault == "invalid" else sent["tokens"]["local"] + 9
    told = None if fault in ("untold tokens", "error") else provider
    reply = _reply(case, fault)
    particulars = {"provider_input_tokens": told, **({"refused": True} if fault == "refused" else {})}
    answer = Answer(*place, text=reply, status="ok", extra=particulars)
    if fault in ("truncated", "no_answer", "error"):
        error = {"truncated": None, "no_answer": "the reply is empty", "error": "the service answered 500"}
        answer = replace(answer, status=fault, error=error[fault])
    output = {"text": answer.text, "status": answer.status}
    extra: dict[str, Any] = {"question_id": case.id, "repeat": repeat, "output": output}
    if reply is not None:
        extra["reply"] = reply
    if told is not None:
        extra["usage"] = {"input_tokens": told, "output_tokens": 40}
    if fault == "truncated":
        extra["finish_reason"] = "length"
    content = json.dumps(sent["messages"], ensure_ascii=False, separators=(",", ":"))
    request = Request(f"{memory.id}/{case.id}/{repeat}/reader", "reader", content, memory.id, extra=extra)
    if fault in ("no_answer", "error"):
        return answer, request
    return answer, _verdict(case, place, reply or "", fault, told), request


def _reply(case: Case, fault: str) -> str | None:
    facts: list[Any] = [list(fact) for fact in case.gold.facts]
    answer = case.gold.answers[0]
    match fault:
        case "no_answer" | "error":
            return None
        case "unparsed":
            return f"I believe that it is {answer}."
        case "refused":
            return "I cannot help with that."
        case "wrong":
            answer, facts = "nobody", facts[:1]
        case "f1 without em":
            answer = f"{answer} of the town"
        case "wrong facts":
            facts = [*facts[:1], [case.files[0].title, True]]
    text = json.dumps({"answer": answer, "supporting_facts": facts}, ensure_ascii=False)
    return text[: len(text) // 2] if fault == "truncated" else text


def _verdict(case: Case, place: tuple[str, str, int], reply: str, fault: str, told: int | None) -> Verdict:
    predicted, scores, label, status, rationale = None, NO_SCORES, None, fault, None
    if fault not in ("unparsed", "refused", "truncated"):
        predicted = json.loads(reply)
    if fault == "invalid":
        rationale = f"the provider counted {told} input tokens, more than the ceiling of {CEILING}"
    elif predicted is not None:
        status = "ok"
        scores = official(case, predicted["answer"], predicted["supporting_facts"])
        label = "correct" if scores["em"] == 1 else "incorrect"
    verdict = {"ok": "judged", "invalid": "error"}.get(status, status)
    result = AnswerResult(status, scores, predicted, told)
    return Verdict(*place, label, verdict, rationale, extra=result.as_json())


def official(case: Case, answer: str, facts: Sequence[Any]) -> dict[str, float]:
    """Return the six scores of an answer."""
    score = QuestionScore(
        score_answer(answer, case.gold.answers), score_support(facts, case.gold.facts, SentenceIds.STRICT)
    )
    parts = (("", score.answer), ("sp_", score.support), ("joint_", score.joint))
    return {f"{prefix}{name}": getattr(part, name) for prefix, part in parts if part for name in ("em", "f1")}
