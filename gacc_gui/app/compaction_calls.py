"""Whether a compaction run's requests are those that its contexts and answers came of.

Owns what each kept request must say: a decision request the scores that groups were ranked by, a summary's
the summary, a reader's the input and the reply. A context whose requests are gone is at fault, whatever its
own record says. As in `app.compaction_rules`, a rule yields its faults, and malformed data may raise.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gacc_gui.app.check_results import Example
from gacc_gui.app.compaction_inputs import Asked, input_faults
from gacc_gui.app.compaction_rules import CheckedCase, at
from gacc_gui.app.request_texts import readings
from gacc_gui.core.compaction import FUSION, JEV, SUMMARY, AnswerResult, SentContext
from gacc_gui.core.records import Answer, Json, Memory, Request
from gacc_gui.formats.redaction import redacted, redacted_value

Row = tuple[str, str, int]
"""Memory, question, repeat."""
_STEP: Final = re.compile(r"(decide|summary)-([1-9][0-9]{0,5})", re.ASCII)
_FINISHED: Final = ("ok", "truncated")


@dataclass(slots=True)
class CallBook:
    """A run's requests by what they were made for; calls that were cut off by the program's end are none."""

    compressor: Mapping[str, list[Request]] = field(default_factory=dict)
    """By memory, in order."""
    reader: Mapping[Row, list[Request]] = field(default_factory=dict)


def call_book(requests: Iterable[Request]) -> CallBook:
    """Sort a run's requests."""
    compressor: dict[str, list[Request]] = defaultdict(list)
    reader: dict[Row, list[Request]] = defaultdict(list)
    for request in requests:
        extra, memory_id = request.extra, request.memory_id or ""
        if not request.content and "output" not in extra and "started_at" in extra:
            continue  # under way when the program ended: what was sent is not known
        if request.role == "compressor":
            compressor[memory_id].append(request)
        elif request.role == "reader":
            question, repeat = extra.get("question_id"), extra.get("repeat")
            if isinstance(question, str) and type(repeat) is int:
                reader[memory_id, question, repeat].append(request)
            else:
                reader[memory_id, "", -1].append(request)
    return CallBook(dict(compressor), dict(reader))


def step_faults(
    place: Example,
    case: CheckedCase,
    memory: Memory,
    sent: SentContext,
    requests: Sequence[Request],
    asked: Asked,
) -> Iterator[Example]:
    """Whether a context's requests are all there, and made it what it is."""
    steps: dict[str, dict[int, list[Request]]] = {"decide": defaultdict(list), "summary": defaultdict(list)}
    for request in requests:
        match = _STEP.fullmatch(str(request.extra.get("step")))
        if match is None:
            yield at(place, "requests", request.id, detail="it is a request of no step that there is")
        else:
            steps[match[1]][int(match[2])].append(request)
    for name, numbers in steps.items():
        if sorted(numbers) != list(range(1, len(numbers) + 1)):
            yield at(place, "requests", detail=f"the requests of a step {name} are not all there")
    retries = max(0, len(steps["summary"]) - 1)
    if sent.retries != retries:
        yield at(place, "retries", sent.retries, retries, "summaries asked for again")
    made = memory.status in _FINISHED
    if not made and not requests and memory.cell.compressor != "full" and (sent.tokens.space or 0) > 0:
        yield at(place, "requests", 0, detail="it failed, and no request tells at what")
    yield from _ranking_faults(place, sent, steps["decide"], made)
    yield from _summary_faults(place, sent, steps["summary"], made)
    yield from _content_faults(place, case, sent, requests)
    outputs = {
        (name, number): _output(tries) for name, numbers in steps.items() for number, tries in numbers.items()
    }
    yield from input_faults(place, case, memory, sent, steps, outputs, asked)


def _ranking_faults(
    place: Example, sent: SentContext, steps: Mapping[int, list[Request]], made: bool
) -> Iterator[Example]:
    if sent.method not in (JEV, FUSION):
        if steps:
            yield at(place, "requests", len(steps), 0, "decision requests, though nothing is ranked")
        return
    if not made and not sent.ranking:
        return
    if not steps:
        yield at(place, "requests", 0, detail="no decision request is kept")
        return
    scores: dict[str, Json] = {}
    for number, tries in sorted(steps.items()):
        text = _output(tries)
        value = None if text is None else json.loads(text)
        if not isinstance(value, dict):
            yield at(place, "requests", tries[-1].id, detail=f"decide-{number} gave no scores")
            return
        scores |= value
    for group, score in sent.ranking:
        if group not in scores:
            yield at(place, "ranking", group, detail="no decision request gave it a score")
        elif isinstance(scores[group], bool) or scores[group] != score:
            yield at(place, "ranking", str(score), str(scores[group])[:40], f"the score of {group}")
    if len(scores) != len(sent.ranking):
        yield at(place, "ranking", len(sent.ranking), len(scores), "groups that were scored")


def _summary_faults(
    place: Example, sent: SentContext, steps: Mapping[int, list[Request]], made: bool
) -> Iterator[Example]:
    asked = sent.method in (SUMMARY, FUSION)
    if not asked and steps:
        yield at(place, "requests", len(steps), 0, "summary requests, though nothing is summarised")
    if not asked or not made:
        return
    if not sent.dropped:
        if steps or sent.summary is not None:
            yield at(place, "summary", detail="there is one, though every group is kept")
        return
    if not steps:
        yield at(place, "requests", 0, detail="no summary request is kept")
    elif sent.summary != (_output(steps[max(steps)]) or "").strip():
        yield at(place, "summary", detail="it is not what the last summary request gave")


def _output(tries: Sequence[Request]) -> str | None:
    """Return what a step came to: the output of the last try that succeeded."""
    for request in reversed(tries):
        output = request.extra.get("output")
        if isinstance(output, Mapping) and output.get("status") in _FINISHED:
            return text if isinstance(text := output.get("text"), str) else None
    return None


def _content_faults(
    place: Example, case: CheckedCase, sent: SentContext, requests: Sequence[Request]
) -> Iterator[Example]:
    """Whether each request was told the task, and the groups that its step is about."""
    from gacc_gui.runner.compaction.messages import kept_text

    groups = {group.id: group.text for group in case.groups}
    kept, rest = (kept_text(case.files, case.groups, some) for some in (sent.kept, sent.dropped))
    for request in requests:
        needed = [case.task]
        if str(request.extra.get("step")).startswith("decide"):
            text = _output([request])
            needed += [groups[id] for id in (json.loads(text) if text else ()) if id in groups]
        else:
            needed += [one for one in (kept, rest) if one]
        told = [_plain(one) for one in readings(request.content)]
        for one in needed:
            if not any(_plain(one) in text or redacted(_plain(one)) in text for text in told):
                yield at(place, "requests", request.id, detail="it lacks the task or a text that it is about")
                break


def _plain(text: str) -> str:
    from gacc_gui.runner.failures import repaired

    return repaired(text)


def reader_faults(
    place: Example, sent: SentContext, answer: Answer, result: AnswerResult, requests: Sequence[Request]
) -> Iterator[Example]:
    """Whether an answer's last request sent the context, and what came back is the answer."""
    if not requests:
        yield at(place, "requests", 0, detail="no request of the answer is kept")
        return
    request = requests[-1]
    asked = [dict(message) for message in sent.messages]
    if _messages(request.content) not in (asked, redacted_value(asked)):
        yield at(place, "requests", request.id, detail="it did not send the context as it is stored")
    output = request.extra.get("output")
    if isinstance(output, Mapping):
        told = {"text": answer.text, "status": answer.status}
        if dict(output) not in (told, redacted_value(told)):
            yield at(place, "reply", request.id, detail="it is not what the request brought back")
    elif "output" in request.extra:
        yield at(place, "reply", request.id, detail="the request does not say what it brought back")
    counted = answer.extra.get("provider_input_tokens")
    if result.provider_input_tokens != counted:
        yield at(place, "provider_input_tokens", result.provider_input_tokens, _shown(counted))
    usage, attempts = request.extra.get("usage"), request.extra.get("attempts")
    once = not isinstance(attempts, list) or len(attempts) <= 1
    if counted is not None and isinstance(usage, Mapping) and once:
        used = usage.get("input_tokens")
        if used is not None and used != counted:
            yield at(place, "provider_input_tokens", _shown(counted), _shown(used), "the request's usage")


def _messages(content: str) -> Any:
    """Return the messages of a request: all of it, or those of a body."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return value.get("messages") if isinstance(value, dict) else value


def _shown(value: Json) -> int | str | None:
    return value if type(value) is int or value is None else str(value)[:40]


def status_faults(place: Example, memory: Memory, sent: SentContext) -> Iterator[Example]:
    """Whether a context that failed was not sent and says why, and one that was made says nothing of it."""
    if memory.status in _FINISHED:
        if memory.error is not None:
            yield at(place, "error", memory.error[:80], None, "it has an error, and was made")
        if not sent.messages:
            yield at(place, "messages", 0, detail="it was made, and nothing was sent")
        return
    if memory.error is None:
        yield at(place, "error", detail="it failed, and does not say why")
    if sent.messages or memory.retained_text is not None or sent.summary is not None:
        yield at(place, "status", memory.status, "ok", "it failed, and was sent")


def result_faults(
    place: Example, memory: Memory, answer: Answer | None, result: AnswerResult, ceiling: int | None
) -> Iterator[Example]:
    """Whether an answer's result is what context and answer come to. `ceiling` None: there is none."""
    from gacc_gui.core.hotpot_records import Gold
    from gacc_gui.runner.compaction.protocol import result_of

    if memory.status not in _FINISHED:
        if answer is not None:
            yield at(place, "answer", detail="it was answered, though its context failed")
        if result.status != "no_context":
            yield at(place, "status", result.status, "no_context")
        return
    if answer is None:
        if result.status != "error":
            yield at(place, "status", result.status, "error", "there is no answer")
        return
    told = answer.extra.get("provider_input_tokens")
    counted = told if type(told) is int else None
    expected, _ = result_of(answer, Gold(answer.question_id, ("",), ()), counted, ceiling)
    if result.status != expected.status:
        yield at(place, "status", result.status, expected.status)
