"""Whether gold was shown to a decision model or a summarizer of a compaction run.

Owns what gold is here: the answer, and each supporting fact's title, alone and with its sentence id. The
question is none: it stands in the task. A title may head its own article's sentences, in whatever form; how
else a text is looked for, and that the source and the task may hold it, is `app.exposure`'s.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gacc_gui.app.check_results import Example
from gacc_gui.app.compaction_rules import CheckedCase
from gacc_gui.app.exposure import ExposureSearch, Shown
from gacc_gui.app.request_texts import readings
from gacc_gui.core.records import Question, Request
from gacc_gui.formats.compaction_folder import CompactionRun

_EXCERPT: Final = 80
_BEGINNING: Final = 32
"""Characters by which a group of sentences is known."""
_BETWEEN: Final = r"\W{1,8}?(?:\w{1,16}\W{1,8}?)?"
"""What may stand between a heading and its group: a line's end, or `", "text": "`."""


def gold_exposures(
    run: CompactionRun,
    cases: Mapping[str, CheckedCase],
    requests: Sequence[Request],
    step: Callable[[int], None],
) -> Iterator[Example]:
    """Yield each text of gold that stands in a request outside the source and the task."""
    contexts = {context.id: context for context in run.contexts}
    goals = {goal.id: goal for goal in run.goals}
    search = ExposureSearch(contexts, goals, [_gold(one) for one in run.questions if one.goal_id in goals])
    goal_of = {memory.id: memory.goal_id for memory in run.memories if memory.goal_id in goals}
    headings = {name: _headings(case) for name, case in cases.items()}
    for done, request in enumerate(requests, 1):
        goal = goal_of.get(request.memory_id or "")
        shown = None
        if goal is not None:
            shown = Shown(goals[goal].context_id, goal, None)
            if (heading := headings.get(goal)) is not None:
                plain = deque(readings(request.content), maxlen=1)[0]
                request = replace(request, content=heading.sub("", plain))
        search.look_into(request, shown)
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


def _headings(case: CheckedCase) -> re.Pattern[str]:
    """Return what finds a title that stands before sentences of its own article."""
    beginnings: dict[str, list[str]] = {}
    for group in case.groups:
        beginnings.setdefault(case.files[group.file].title, []).append(re.escape(group.text[:_BEGINNING]))
    headed = (
        rf"{re.escape(' '.join(title.split()))}(?={_BETWEEN}(?:{'|'.join(some)}))"
        for title, some in beginnings.items()
    )
    return re.compile("|".join(headed))


def _gold(question: Question) -> Question:
    """Return the question with its gold as references, and without its own text."""
    facts = question.extra.get("gold", {}).get("supporting_facts", ())
    texts = list(question.references or ())
    for fact in facts:
        if isinstance(fact, list | tuple) and len(fact) == 2 and isinstance(fact[0], str):
            texts += [fact[0], json.dumps(list(fact), ensure_ascii=False)]
    return Question(question.id, question.goal_id, "", references=tuple(dict.fromkeys(texts)))
