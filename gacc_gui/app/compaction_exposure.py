"""Whether gold was shown to a decision model or a summarizer of a compaction run.

Owns what gold is here (the answer, and the titles of the supporting facts; the question is none, it stands in
the task) and the search for it. Such a request is put together of texts that are known: the task, groups of
sentences under their articles' titles, earlier replies, the prompt. All these are taken out of it, and gold
must not stand in what is left. Words that the prompt says for every case are the prompt's. Unlike
`app.exposure`, which knows nothing of how a compressor asks, this finds gold that stands in the source too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from gacc_gui.app.check_results import Example
from gacc_gui.app.compaction_rules import CheckedCase, gold_of
from gacc_gui.app.request_texts import readings, sent_texts
from gacc_gui.core.folding import fold
from gacc_gui.core.records import Request
from gacc_gui.core.words import is_word_boundary
from gacc_gui.formats.compaction_folder import CompactionRun

_EXCERPT: Final = 80
_SHORTEST: Final = 3
"""Code points; shorter texts, and yes and no, say nothing by standing in a prompt."""
_BEGINNING: Final = 32
"""Characters by which a group of sentences is known."""
_BETWEEN: Final = r"\W{1,8}?(?:\w{1,16}\W{1,8}?)?"
"""What may stand between a title and its sentences: a line's end, or `", "text": "`."""
_FRAGMENT: Final = 12
"""Characters from which on a fragment of a prompt is known as such."""
_GAP: Final = "\x00"
_PROMPTS: Final = ("compaction-decision", "compaction-summary", "compaction-fusion")


@dataclass(frozen=True, slots=True)
class _Known:
    """What a case's requests may hold, the longest first, and where titles may stand."""

    texts: tuple[str, ...]
    headings: re.Pattern[str]
    gold: tuple[tuple[str, str], ...]
    """Folded, and as it is written."""


@dataclass(slots=True)
class _Found:
    example: Example
    folded: str
    lines: frozenset[str]
    """The lines it stands in, one for each reading of the request."""


@dataclass(slots=True)
class _Search:
    known: Mapping[str, _Known]
    replies: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    cases_of: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Line of what is left of a request → the cases whose requests have it."""
    found: list[_Found] = field(default_factory=list)

    def look_into(self, request: Request, case: str) -> None:
        known, memory = self.known[case], request.memory_id or ""
        for name, text in sent_texts(request):
            remains = [self._left(reading, known, memory) for reading in readings(text)]
            for line in {line for lines in remains for line in lines}:
                self.cases_of[line].add(case)
            for folded, written in known.gold:
                # An escaped text may be unknown in one reading, and known in another; gold is so in none.
                places = [next((line for line in lines if _has(line, folded)), None) for lines in remains]
                if None not in places:
                    example = Example(
                        request.memory_id,
                        name,
                        recomputed=written[:_EXCERPT],
                        request_id=request.id,
                        question_id=case,
                        detail="gold was shown to a decision model or a summarizer",
                    )
                    lines = frozenset(line for line in places if line is not None)
                    self.found.append(_Found(example, folded, lines))
        if isinstance(reply := request.extra.get("reply"), str):
            self.replies[memory].append(reply)

    def _left(self, text: str, known: _Known, memory: str) -> list[str]:
        """Return the lines of what is left of a text without all that is known, folded."""
        text = known.headings.sub(_GAP, text)
        for piece in (*known.texts, *self.replies.get(memory, ()), *_prompt_fragments()):
            text = text.replace(piece, _GAP)
        lines = (fold(part).strip() for line in text.split("\n") for part in line.split(_GAP))
        return [line for line in lines if line and not line.isdecimal()]  # how long a summary may be

    def outcomes(self) -> Iterator[Example]:
        """Yield what was found, without what every case's requests say."""
        for one in self.found:
            others = set().union(*(self.cases_of[line] for line in one.lines))
            if all(one.folded in dict(self.known[case].gold) for case in others):
                yield one.example


def gold_exposures(
    run: CompactionRun,
    cases: Mapping[str, CheckedCase],
    requests: Sequence[Request],
    step: Callable[[int], None],
) -> Iterator[Example]:
    """Yield each text of gold that stands in a request beside the evidence, the task and the prompt."""
    search = _Search({name: _known(case) for name, case in cases.items()})
    goal_of = {memory.id: memory.goal_id for memory in run.memories}
    for done, request in enumerate(requests, 1):
        case = goal_of.get(request.memory_id or "")
        for name in [case] if case in cases else cases:
            search.look_into(request, str(name))
        step(done)
    yield from search.outcomes()


def _known(case: CheckedCase) -> _Known:
    texts = {case.task, case.source, *(group.text for group in case.groups)}
    for file in case.files:
        texts |= {file.text, *(file.sentence(number) for number in range(len(file.sentences)))}
    wanted = list(case.question.references or ())
    for fact in gold_of(case.question)["supporting_facts"]:
        if isinstance(fact, list | tuple) and fact and isinstance(fact[0], str):
            wanted.append(fact[0])
    needles = ((fold(text).strip(), text) for text in dict.fromkeys(wanted))
    return _Known(
        tuple(sorted((text for text in texts if text.strip()), key=len, reverse=True)),
        _headings(case),
        tuple(
            (folded, text)
            for folded, text in needles
            if len(folded) >= _SHORTEST and folded not in ("yes", "no")
        ),
    )


def _headings(case: CheckedCase) -> re.Pattern[str]:
    """Return what finds a title that stands before sentences of its own article."""
    beginnings: dict[str, list[str]] = {}
    for group in case.groups:
        beginnings.setdefault(case.files[group.file].title, []).append(re.escape(group.text[:_BEGINNING]))
    headed = (
        rf"{_title_pattern(title)}(?={_BETWEEN}(?:{'|'.join(some)}))" for title, some in beginnings.items()
    )
    return re.compile("|".join(headed) or "(?!)")


def _title_pattern(title: str) -> str:
    """Return what finds a title as it is written, and as it is shown: its white space folded."""
    return r"\s*" + r"\s+".join(map(re.escape, title.split())) + r"\s*"


@lru_cache(maxsize=1)
def _prompt_fragments() -> tuple[str, ...]:
    """Return the wording of our prompts between the places where texts are put in, the longest first."""
    from gacc_gui.runner.prompts import load_prompt

    fragments: set[str] = set()
    for name in _PROMPTS:
        prompt = load_prompt(name)
        for text in (prompt.system, prompt.user, prompt.user_again or ""):
            fragments.update(re.split(r"\{\{\w+\}\}", text))
    return tuple(sorted((one for one in fragments if len(one) >= _FRAGMENT), key=len, reverse=True))


def _has(text: str, needle: str) -> bool:
    """Whether a folded text stands in another, at word boundaries."""
    start = text.find(needle)
    while start >= 0:
        if is_word_boundary(text, start) and is_word_boundary(text, start + len(needle)):
            return True
        start = text.find(needle, start + 1)
    return False
