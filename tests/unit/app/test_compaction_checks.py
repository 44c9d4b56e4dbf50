"""The checks of a compaction run: a sound one passes all, and each planted fault is told by the right one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.check_results import Check
from gacc_gui.app.compaction_checks import CHECKS, CompactionAudit
from gacc_gui.core.compaction import groups_of
from gacc_gui.core.records import Answer, Context, Memory, Question, Record, Request, Run, Verdict
from gacc_gui.core.tokens import Codec
from gacc_gui.runner.compaction.decisions import passages_of, question_of, state_of
from gacc_gui.runner.compaction.messages import kept_text
from gacc_gui.runner.compaction.parts import DecisionInput
from gacc_gui.runner.prompts import load_prompt
from tests.compaction_cases import small_corpus
from tests.compaction_run import TOKENIZER, small_run_records

CORPUS = small_corpus(2)
WHOLE = small_run_records(corpus=CORPUS)
COUNTED = {"tokenizer_identity", "token_counts", "fusion_share"}
Change = Callable[[Any], Any]


@pytest.fixture(scope="module")
def codec(tmp_path_factory: pytest.TempPathFactory) -> Codec:
    from gacc_gui.formats.hf_tokenizer import load_tokenizer

    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    path.write_text(TOKENIZER, encoding="utf-8")
    return load_tokenizer(path)


def audit(records: list[Record], codec: Codec | None = None) -> dict[str, Check]:
    return {check.name: check for check in CompactionAudit(records, codec).checks()}


def failed(records: list[Record], codec: Codec | None = None) -> set[str]:
    return {name for name, check in audit(records, codec).items() if check.ok is False}


def changed(kind: type, change: Change, wanted: Callable[[Any], bool] = lambda _record: True) -> list[Record]:
    """Return the run with the first record of a kind changed."""
    records, done = [], False
    for record in WHOLE:
        if not done and isinstance(record, kind) and wanted(record):
            record, done = change(record), True
        records.append(record)
    assert done
    return records


def of(method: str) -> Callable[[Any], bool]:
    return lambda record: f"/{method}/" in f"{record.id}/" and record.status == "ok"


def sent(**fields: Any) -> Change:
    """Change a context as it was sent; a callable gets the old value."""

    def change(memory: Memory) -> Memory:
        old = memory.extra["compaction"]
        new = {name: value(old[name]) if callable(value) else value for name, value in fields.items()}
        return replace(memory, extra={"compaction": {**old, **new}})

    return change


def tokens(**fields: Any) -> Change:
    return sent(tokens=lambda old: {**old, **fields})


def user(change: Callable[[str], str]) -> Change:
    return sent(messages=lambda old: [old[0], {"role": "user", "content": change(old[1]["content"])}])


def result(**fields: Any) -> Change:
    return lambda verdict: replace(verdict, extra={**verdict.extra, **fields})


def valid(verdict: Verdict) -> bool:
    return verdict.extra["result"] == "ok" and verdict.extra["scores"]["em"] == 1


def without(memory_id: str) -> list[Record]:
    """Return the run without a context and all that depends on it."""
    return [one for one in WHOLE if memory_id not in (getattr(one, "id", ""), getattr(one, "memory_id", ""))]


def test_a_sound_run_passes_every_check(codec: Codec) -> None:
    checks = audit(WHOLE, codec)
    assert list(checks) == list(CHECKS)
    assert {name: check.ok for name, check in checks.items()} == dict.fromkeys(CHECKS, True)
    assert checks["planned"].checked == 4 * 2 * 2 + 4 * 2 * 2 * 2
    assert checks["gold_exposures"].checked == 24


def test_without_a_tokenizer_nothing_is_recounted() -> None:
    checks = audit(WHOLE)
    assert {name for name, check in checks.items() if check.ok is None} == COUNTED
    assert "--tokenizer" in (checks["token_counts"].why or "")


def test_another_tokenizer_recounts_nothing(codec: Codec) -> None:
    other = changed(Run, lambda run: replace(run, tokenizer={**run.tokenizer, "revision": "sha256:0"}))
    checks = audit(other, codec)
    assert checks["tokenizer_identity"].ok is False
    assert checks["token_counts"].ok is None and "not the run's" in (checks["token_counts"].why or "")


FAULTS: list[tuple[str, list[Record]]] = [
    ("planned", without("case-1/jev/1")),
    ("planned", [one for one in WHOLE if not (isinstance(one, Verdict) and valid(one))]),
    ("sources", changed(Context, lambda one: replace(one, text=one.text.replace("winters", "summers", 1)))),
    ("sources", changed(Question, lambda one: replace(one, evidence=({"start": 0, "end": 5},)))),
    ("inputs", changed(Memory, user(lambda text: text.replace("Question: ", "Asked: ")), of("jev"))),
    ("inputs", changed(Memory, user(lambda text: text.replace("winters", "weeks", 1)), of("full"))),
    ("inputs", changed(Memory, sent(messages=lambda old: [*old, old[1]]), of("summary"))),
    ("groups", changed(Memory, sent(dropped=lambda old: old[1:]), of("jev"))),
    ("groups", changed(Memory, sent(dropped=lambda old: old[::-1]), of("jev"))),
    ("rankings", changed(Memory, sent(ranking=lambda old: old[::-1]), of("jev"))),
    ("rankings", changed(Memory, sent(ranking=lambda old: old[1:]), of("jev+summary"))),
    ("ledgers", changed(Memory, lambda one: replace(one, budget=one.budget + 1), of("summary"))),
    (
        "ledgers",
        changed(Memory, lambda one: replace(one, ledger=replace(one.ledger, unused_budget=1)), of("jev")),
    ),
    ("ceilings", changed(Memory, tokens(local=837), of("jev"))),
    ("ceilings", changed(Memory, tokens(ceiling=4000), of("full"))),
    (
        "provider_ceilings",
        changed(
            Verdict, result(provider_input_tokens=901), lambda one: "jev" in one.memory_id and valid(one)
        ),
    ),
    ("provider_ceilings", changed(Verdict, result(result="invalid"), lambda one: "full" in one.memory_id)),
    ("retries", changed(Memory, sent(retries=4), of("summary"))),
    ("retries", changed(Memory, sent(retries=1), of("jev"))),
    ("answers_read", changed(Answer, lambda one: replace(one, text=one.text[:-1]))),
    (
        "answers_read",
        changed(
            Answer,
            lambda one: replace(one, text='{"answer": "x", "supporting_facts": []}'),
            lambda one: one.text and one.text.startswith("I believe"),
        ),
    ),
    ("verdicts", changed(Verdict, lambda one: replace(one, status="judged"), lambda one: not valid(one))),
    (
        "credentials",
        changed(Request, lambda one: replace(one, extra={**one.extra, "sent": "Bearer abc12345"})),
    ),
]


@pytest.mark.parametrize(("name", "records"), FAULTS, ids=[f"{n}-{i}" for i, (n, _) in enumerate(FAULTS)])
def test_a_planted_fault_is_told_by_its_check(name: str, records: list[Record]) -> None:
    assert name in failed(records)


def test_one_fault_is_one_failure() -> None:
    checks = audit(changed(Memory, sent(dropped=lambda old: old[1:]), of("jev")))
    assert [name for name, check in checks.items() if check.ok is False] == ["groups"]
    (example,) = checks["groups"].examples
    assert example.memory_id == "case-1/jev/1"


def test_a_kept_group_that_was_changed() -> None:
    def change(memory: Memory) -> Memory:
        text = (memory.retained_text or "").replace("winters", "summers", 1)
        memory = user(lambda old: old.replace("winters", "summers", 1))(memory)
        return replace(memory, proposed_text=text, retained_text=text)

    assert failed(changed(Memory, change, of("jev"))) == {"evidence", "replies"}


def test_scores_are_recomputed() -> None:
    better = {"em": 1.0, "f1": 1.0, "sp_em": 1.0, "sp_f1": 1.0, "joint_em": 1.0, "joint_f1": 1.0}
    wrong = changed(
        Verdict,
        lambda one: replace(one, label="correct", extra={**one.extra, "scores": better}),
        lambda one: one.status == "judged" and one.label == "incorrect",
    )
    assert failed(wrong) == {"scores"}
    failed_answer = changed(Verdict, result(scores=better), lambda one: one.status == "unparsed")
    assert failed(failed_answer) == {"scores"}
    mislabelled = changed(Verdict, lambda one: replace(one, label="incorrect"), valid)
    assert failed(mislabelled) == {"verdicts", "aggregate"}


def test_a_boolean_sentence_id_earns_nothing() -> None:
    facts = [
        (one.extra["scores"]["sp_f1"], one.extra["predicted"]["supporting_facts"])
        for one in WHOLE
        if isinstance(one, Verdict) and one.extra["predicted"]["answer"] is not None
    ]
    (sp_f1,) = {f1 for f1, said in facts if any(fact[1] is True for fact in said)}
    assert sp_f1 == 0.5


def test_counts_are_recounted(codec: Codec) -> None:
    assert failed(changed(Memory, tokens(local=820), of("jev")), codec) == {"token_counts"}
    other = changed(Memory, lambda one: replace(one, ledger=replace(one.ledger, source_tokens=1)), of("full"))
    assert failed(other, codec) == {"token_counts"}


def test_the_share_of_kept_groups_is_recounted(codec: Codec) -> None:
    smaller = changed(Run, lambda run: replace(run, extra=_with_setting(run, fusion_share="0.2")))
    assert failed(smaller, codec) == {"fusion_share"}


def _with_setting(run: Run, **settings: Any) -> dict[str, Any]:
    protocol = run.extra["configuration"]
    return {"configuration": {**protocol, "settings": {**protocol["settings"], **settings}}}


def test_a_run_without_its_protocol_is_not_checked() -> None:
    checks = audit(changed(Run, lambda run: replace(run, extra={})))
    assert {check.ok for check in checks.values()} == {None}
    assert "no protocol" in (checks["planned"].why or "")


@pytest.mark.parametrize("extra", [{}, {"compaction": 3}, {"compaction": {"method": "jev"}}])
def test_malformed_contexts_are_failures_and_no_crash(extra: dict[str, Any]) -> None:
    assert "inputs" in failed(changed(Memory, lambda one: replace(one, extra=extra), of("jev")))


def test_malformed_results_are_failures_and_no_crash() -> None:
    assert {"scores", "aggregate"} <= failed(changed(Verdict, lambda one: replace(one, extra={"result": 3})))


# Gold.


def _live(record: Record, number: int) -> Record:
    """Return a compressor's request as the live parts send it."""
    if not isinstance(record, Request) or record.role != "compressor":
        return record
    case = next(one for one in CORPUS.cases if (record.memory_id or "").startswith(f"{one.id}/"))
    groups = groups_of(case.files, 3)
    passages = passages_of(case.files, groups)
    if "decide" in record.id:
        given = DecisionInput(case.task, passages, tuple(one.id for one in passages))
        prompt = load_prompt("compaction-decision")
        questions = {one.id: {"type": "noul", "instructions": question_of(prompt, one)} for one in passages}
        body: dict[str, Any] = {"state": state_of(given), "model": "jev-latest", "questions": questions}
    else:
        kept = {group.id for group in groups[::4]}
        values: dict[str, Any] = {
            "task": case.task,
            "kept": kept_text(case.files, groups, kept),
            "evidence": kept_text(case.files, groups, {group.id for group in groups} - kept),
            "tokens": 300,
            "words": 200,
        }
        body = {"messages": load_prompt("compaction-fusion").messages(values)}
    return replace(record, content=json.dumps(body, ensure_ascii=number % 2 == 0))


LIVE = [_live(record, number) for number, record in enumerate(WHOLE)]


def test_sources_tasks_and_prompts_are_no_gold() -> None:
    checks = audit(LIVE)
    assert (checks["gold_exposures"].ok, checks["gold_exposures"].checked) == (True, 24)


@pytest.mark.parametrize("records", [WHOLE, LIVE], ids=["fixture", "live"])
@pytest.mark.parametrize(
    "leak",
    [
        lambda case: case.gold.answers[0],
        lambda case: f"The answer is {case.gold.answers[0].upper()}.",
        lambda case: json.dumps([list(fact) for fact in case.gold.facts]),
        lambda case: f"Keep what {case.gold.facts[-1][0]} says.",
    ],
)
def test_gold_beside_source_and_task_is_told(records: list[Record], leak: Callable[[Any], str]) -> None:
    for case in CORPUS.cases:
        planted, done = [], None
        for record in records:
            if (
                done is None
                and isinstance(record, Request)
                and record.role == "compressor"
                and (record.memory_id or "").startswith(f"{case.id}/jev")
            ):
                done = record.id
                record = replace(record, content=f"{record.content}\n{leak(case)}")
            planted.append(record)
        check = audit(planted)["gold_exposures"]
        assert check.ok is False
        assert {example.request_id for example in check.examples} == {done}


def test_gold_in_every_request_is_not_taken_for_the_prompt() -> None:
    answers = {case.id: case.gold.answers[0] for case in CORPUS.cases}
    planted = [
        replace(one, content=f"{one.content}\nhint: {answers[(one.memory_id or '').split('/')[0]]}")
        if isinstance(one, Request) and one.role == "compressor"
        else one
        for one in LIVE
    ]
    assert audit(planted)["gold_exposures"].failures == 24


def test_a_canary_in_gold_is_found_wherever_it_is(tmp_path: Path) -> None:
    canary = changed(
        Question,
        lambda one: replace(
            one,
            references=("CANARY-7",),
            extra={**one.extra, "gold": {"answer": "CANARY-7", "supporting_facts": [["CANARY page", 0]]}},
        ),
    )
    clean = audit(canary)["gold_exposures"]
    assert clean.ok is True
    for text in ("CANARY-7", "canary PAGE"):
        planted = [
            replace(one, extra={**one.extra, "note": f"see {text}"})
            if isinstance(one, Request) and one.id == "case-1/summary/1/compressor/summary-1"
            else one
            for one in canary
        ]
        check = audit(planted)["gold_exposures"]
        assert [example.field for example in check.examples] == ["note"]
