"""Whether gold was shown to a decision model or a summarizer of a compaction run.

Owns what gold is here: the answer, and each supporting fact's title, alone and with its sentence id. The
question is none: it stands in the task. How a text is looked for, and that the source and the task may hold
it, is `app.exposure`'s.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from gacc_gui.app.check_results import Example
from gacc_gui.app.exposure import ExposureSearch, Shown
from gacc_gui.core.records import Question, Request
from gacc_gui.formats.compaction_folder import CompactionRun

_EXCERPT = 80


def gold_exposures(
    run: CompactionRun, requests: Sequence[Request], step: Callable[[int], None]
) -> Iterator[Example]:
    """Yield each text of gold that stands in a request outside the source and the task."""
    contexts = {context.id: context for context in run.contexts}
    goals = {goal.id: goal for goal in run.goals}
    gold = [_gold(question) for question in run.questions if question.goal_id in goals]
    search = ExposureSearch(contexts, goals, gold)
    shown = {
        memory.id: Shown(goals[memory.goal_id].context_id, memory.goal_id, memory.budget)
        for memory in run.memories
        if memory.goal_id in goals
    }
    for done, request in enumerate(requests, 1):
        search.look_into(request, shown.get(request.memory_id or ""))
        step(done)
    for found in search.exposures():
        yield Example(
            found.memory_id,
            found.field,
            recomputed=found.text[:_EXCERPT],
            request_id=found.request_id,
            question_id=found.question_id,
            detail="gold was shown to a decision model or a summarizer",
        )


def _gold(question: Question) -> Question:
    """Return the question with its gold as references, and without its own text."""
    facts = question.extra.get("gold", {}).get("supporting_facts", ())
    texts = list(question.references or ())
    for fact in facts:
        if isinstance(fact, list | tuple) and len(fact) == 2 and isinstance(fact[0], str):
            texts += [fact[0], json.dumps(list(fact), ensure_ascii=False)]
    return Question(question.id, question.goal_id, "", references=tuple(dict.fromkeys(texts)))
