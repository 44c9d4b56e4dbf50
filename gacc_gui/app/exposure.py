"""Whether a compressor was shown what it must not see: text of questions and references of its context.

Owns the search through what was really sent. The source, the goal that was shown, and what the compressor
itself replied earlier for the same memory are no exposure, wherever they stand in a request: whole, in parts,
or escaped as JSON. What is looked for is compared folded, at word boundaries. A short text that is sent in
the same words for another context, which has no such question or reference, is the prompt's: no exposure.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gacc_gui.core.folding import fold
from gacc_gui.core.records import Context, Goal, Question, Request
from gacc_gui.core.words import is_word_boundary

_SHORTEST: Final = 3
"""Code points; shorter texts, and yes and no, say nothing by standing in a prompt."""
_TELLING: Final = 16
"""From this length on, no prompt holds a question or a reference by chance."""
_BLOCK: Final = 16
"""A common part of request and source is noticed for sure from twice this length on."""
_SAMPLE: Final = 48
_KEPT_SOURCES: Final = 16
_OUTER: Final = " .,;:!?…\"'“”‘’«»()[]{}"
_ESCAPE: Final = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_SURROGATES: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@dataclass(frozen=True, slots=True)
class Exposure:
    """A text that a compressor must not see, in a request. `kind`: `question` or `reference`."""

    request_id: str
    memory_id: str | None
    question_id: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What a memory's compressor may see: its context, the shown goal (None: no goal), and its budget."""

    context_id: str
    goal_id: str | None
    budget: int | None


@dataclass(frozen=True, slots=True)
class _Needle:
    folded: str
    kind: str
    question_id: str
    text: str


@dataclass(frozen=True, slots=True)
class _Suspicion:
    context_id: str
    exposure: Exposure
    needle: str
    surroundings: int
    """Hash of the stretch of the request it stands in."""


class ExposureSearch:
    """Looks through requests one by one; `exposures` at the end gives what was found, in their order."""

    def __init__(
        self, contexts: Mapping[str, Context], goals: Mapping[str, Goal], questions: Sequence[Question]
    ):
        self._contexts = contexts
        self._goals = goals
        self._needles: dict[str, list[_Needle]] = {name: [] for name in contexts}
        for question in questions:
            self._needles[goals[question.goal_id].context_id] += _needles_of(question)
        self._goals_of: dict[str, list[str]] = {name: [] for name in contexts}
        for goal in goals.values():
            self._goals_of[goal.context_id].append(goal.id)
        self._sources: OrderedDict[str, _Known] = OrderedDict()
        self._samples: dict[str, str] | None = None
        self._sent_for: dict[int, set[str]] = {}
        self._suspicions: list[_Suspicion] = []
        self._replies: tuple[str | None, list[_Known]] = (None, [])

    def look_into(self, request: Request, shown: Shown | None) -> None:
        """Search one request to a compressor; `shown` None where it is not known for which memory it was."""
        if self._replies[0] != request.memory_id:
            self._replies = (request.memory_id, [])
        views = [_View(text) for text in _readings(request.content)]
        if shown is not None:
            goals = [] if shown.goal_id is None else [shown.goal_id]
            self._look(request, views, shown.context_id, goals, shown.budget)
        else:
            for context_id in self._contexts_in(views):
                self._look(request, views, context_id, self._goals_of[context_id], None)
        reply = request.extra.get("reply")
        if isinstance(reply, str) and request.memory_id is not None:
            self._replies[1].append(_Known(reply))

    def exposures(self) -> Iterator[Exposure]:
        """Yield what was found, without what turned out to be part of the prompt."""
        texts = {name: {needle.folded for needle in needles} for name, needles in self._needles.items()}
        for suspicion in self._suspicions:
            elsewhere = self._sent_for[suspicion.surroundings] - {suspicion.context_id}
            if len(suspicion.needle) < _TELLING and any(
                suspicion.needle not in texts[name] for name in elsewhere
            ):
                continue
            yield suspicion.exposure

    def _look(
        self, request: Request, views: list[_View], context_id: str, goals: list[str], budget: int | None
    ) -> None:
        shown = [_Known(self._goals[name].text) for name in goals if name in self._goals]
        familiar = [self._source(context_id), *shown, *self._replies[1]]
        for view in views:
            view.explain(familiar)
            for stretch in view.stretches():
                self._sent_for.setdefault(_key(stretch, budget), set()).add(context_id)
        for needle in self._needles[context_id]:
            if needle.folded == str(budget):
                continue
            # An escaped source looks foreign in one reading, familiar in the other; a leak is foreign in all.
            places = [view.foreign(needle.folded) for view in views if view.has(needle.folded)]
            if places and all(place is not None for place in places):
                exposure = Exposure(
                    request.id, request.memory_id, needle.question_id, needle.kind, needle.text
                )
                key = _key(places[0] or "", budget)
                self._suspicions.append(_Suspicion(context_id, exposure, needle.folded, key))

    def _source(self, context_id: str) -> _Known:
        if context_id not in self._sources:
            self._sources[context_id] = _Known(self._contexts[context_id].text)
            if len(self._sources) > _KEPT_SOURCES:
                self._sources.popitem(last=False)
        return self._sources[context_id]

    def _contexts_in(self, views: list[_View]) -> list[str]:
        """The contexts whose source begins in the request; all of them when none does."""
        if self._samples is None:
            self._samples = {
                name: fold(context.text[: 4 * _SAMPLE]).strip()[:_SAMPLE]
                for name, context in self._contexts.items()
            }
        found = [
            name
            for name, sample in self._samples.items()
            if sample and any(sample in view.text for view in views)
        ]
        return found or list(self._contexts)


class _Known:
    """A text that explains what of a request it holds; folded. Its blocks are indexed when first needed."""

    def __init__(self, text: str) -> None:
        self.text = fold(text).strip()

    @cached_property
    def blocks(self) -> dict[str, int]:
        """Where each of the text's blocks, one behind the other, first stands."""
        places: dict[str, int] = {}
        for start in range(0, len(self.text) - _BLOCK + 1, _BLOCK):
            places.setdefault(self.text[start : start + _BLOCK], start)
        return places


class _View:
    """One reading of a request, folded, with the stretches that the source or the goal explain."""

    def __init__(self, text: str) -> None:
        self.text = fold(text)
        self._starts: list[int] = []
        self._ends: list[int] = []

    def has(self, needle: str) -> bool:
        """Whether the needle stands in the text at word boundaries."""
        return next(_places(self.text, needle), None) is not None

    def foreign(self, needle: str) -> str | None:
        """Return the unexplained stretch around a place of the needle; None if every place is explained."""
        for start in _places(self.text, needle):
            end = start + len(needle)
            if 2 * self._explained(start, end) < len(needle):
                return self._stretch_around(start, end)
        return None

    def stretches(self) -> Iterator[str]:
        """Yield the stretches that nothing explains."""
        position = 0
        for start, end in zip(self._starts, self._ends, strict=True):
            if position < start:
                yield self.text[position:start]
            position = end
        if position < len(self.text):
            yield self.text[position:]

    def explain(self, familiar: Sequence[_Known]) -> None:
        """Find what of the text belongs to a familiar one: the source, a shown goal, an earlier reply."""
        spans: list[tuple[int, int]] = []
        for known in familiar:
            length = len(known.text)
            if length >= _SHORTEST:
                spans += ((start, start + length) for start in _places(self.text, known.text))
        for known in familiar:
            spans += _common_parts(self.text, known, _merged(spans))
        merged = _merged(spans)
        self._starts = [start for start, _ in merged]
        self._ends = [end for _, end in merged]

    def _explained(self, start: int, end: int) -> int:
        k = max(0, bisect_right(self._starts, start) - 1)
        total = 0
        while k < len(self._starts) and self._starts[k] < end:
            total += max(0, min(end, self._ends[k]) - max(start, self._starts[k]))
            k += 1
        return total

    def _stretch_around(self, start: int, end: int) -> str:
        before = max((stop for stop in self._ends if stop <= start), default=0)
        after = min((begin for begin in self._starts if begin >= end), default=len(self.text))
        return self.text[before:after]


def _needles_of(question: Question) -> Iterator[_Needle]:
    for kind, text in (
        ("question", question.text),
        *(("reference", text) for text in question.references or ()),
    ):
        folded = fold(text).strip(_OUTER)
        if len(folded) >= _SHORTEST and folded not in ("yes", "no"):
            yield _Needle(folded, kind, question.id, text)


def _places(text: str, needle: str) -> Iterator[int]:
    start = text.find(needle) if needle else -1
    while start >= 0:
        if is_word_boundary(text, start) and is_word_boundary(text, start + len(needle)):
            yield start
        start = text.find(needle, start + 1)


def _common_parts(text: str, known: _Known, explained: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the parts of `text` outside `explained` that stand in `known` too, from `2 * _BLOCK` on all."""
    gaps = zip(
        [0, *(end for _, end in explained)], [*(start for start, _ in explained), len(text)], strict=True
    )
    for gap_start, gap_end in gaps:
        if gap_end - gap_start < _BLOCK:
            continue
        blocks, whole = known.blocks, known.text
        position = gap_start
        while position + _BLOCK <= gap_end:
            at = blocks.get(text[position : position + _BLOCK])
            if at is None:
                position += 1
                continue
            back = _shared(text, position, gap_start, whole, at)
            end, at = position + _BLOCK, at + _BLOCK
            while end < gap_end and at < len(whole) and text[end] == whole[at]:
                end, at = end + 1, at + 1
            yield position - back, end
            position = end


def _shared(text: str, position: int, lowest: int, known: str, at: int) -> int:
    """Return how many characters before `position` and `at` agree."""
    back = 0
    while position - back > lowest and at - back > 0 and text[position - back - 1] == known[at - back - 1]:
        back += 1
    return back


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _key(stretch: str, budget: int | None) -> int:
    # The budget is the one number of a prompt that differs from context to context by right.
    return hash(stretch if budget is None else stretch.replace(str(budget), "#"))


def _readings(content: str) -> Iterator[str]:
    """Yield the content as it stands and, where it seems escaped as JSON, unescaped: at most twice."""
    yield content
    for _ in range(2):
        if "\\" not in content:
            return
        plain = _SURROGATES.sub(_joined, _ESCAPE.sub(_unescaped, content))
        if plain == content:
            return
        content = plain
        yield content


_CONTROLS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _unescaped(match: re.Match[str]) -> str:
    code, letter = match.groups()
    return chr(int(code, 16)) if code else _CONTROLS.get(letter, letter)


def _joined(match: re.Match[str]) -> str:
    return match.group().encode("utf-16", "surrogatepass").decode("utf-16")
