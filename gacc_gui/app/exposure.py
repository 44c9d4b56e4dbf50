"""Whether a compressor was shown what it must not see: text of questions and references of its context.

Owns the search through what was really sent. The source, the goal that was shown, and what the compressor
itself replied earlier for the same memory are no exposure, wherever they stand in a request: whole, in parts,
or escaped as JSON. What is looked for is compared folded. A text that stands in none of these is an exposure
wherever it stands whole; one that does, where most of it belongs to none of them. Ordinary words that are
sent in the same sentence for another context, which has no such question or reference, are the prompt's.
Which words are ordinary says `app.prompt_words`, what of a request was sent `app.request_texts`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from gacc_gui.app.prompt_words import is_distinct, is_ordinary
from gacc_gui.app.request_texts import readings, sent_texts
from gacc_gui.core.folding import fold
from gacc_gui.core.records import Context, Goal, Question, Request
from gacc_gui.core.words import is_word_boundary

_SHORTEST: Final = 3
"""Code points; shorter texts, and yes and no, say nothing by standing in a prompt."""
_BLOCK: Final = 16
"""A common part of request and source is noticed for sure from twice this length on."""
_ASIDE: Final = 16
"""Characters that a line's number or quotation mark may take."""
_AHEAD: Final = 8
"""Characters by which a text is known to go on behind a mark."""
_BEYOND: Final = 2_000
"""Characters before the first and behind the last part that short lines may have."""
_SAMPLE: Final = 48
_KEPT_SOURCES: Final = 16
_OUTER: Final = " .,;:!?…\"'“”‘’«»()[]{}"
_ESCAPED: Final = "bfnrtu"
_ESCAPED_SPACES: Final = ("\\n", "\\r", "\\t")


@dataclass(frozen=True, slots=True)
class Exposure:
    """A text that a compressor must not see, in a request. `kind`: `question` or `reference`."""

    request_id: str
    memory_id: str | None
    question_id: str
    kind: str
    text: str
    field: str
    """Of the request: where it stands."""


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


class _Part(NamedTuple):
    """A stretch of a request that stands in a familiar text too, there from `at` on."""

    start: int
    end: int
    at: int

    @property
    def known_end(self) -> int:
        """Where it ends in the familiar text."""
        return self.at + self.end - self.start


@dataclass(frozen=True, slots=True)
class _Suspicion:
    context_id: str
    exposure: Exposure
    needle: str
    surroundings: tuple[int, ...]
    """Hashes of the stretch it stands in, in each reading of the request."""
    ordinary: bool
    """Whether a prompt may hold these words by chance."""


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
        found: set[_Needle] = set()
        for field, text in sent_texts(request):
            views = [_View(reading) for reading in readings(text)]
            if shown is not None:
                goals = [] if shown.goal_id is None else [shown.goal_id]
                self._look(request, field, views, shown.context_id, goals, shown.budget, found)
            else:
                for context_id in self._contexts_in(views):
                    self._look(request, field, views, context_id, self._goals_of[context_id], None, found)
        reply = request.extra.get("reply")
        if isinstance(reply, str) and request.memory_id is not None:
            self._replies[1].append(_Known(reply))

    def exposures(self) -> Iterator[Exposure]:
        """Yield what was found, without what turned out to be part of the prompt."""
        texts = {name: {needle.folded for needle in needles} for name, needles in self._needles.items()}
        for suspicion in self._suspicions:
            elsewhere: set[str] = set().union(
                *(self._sent_for.get(key, ()) for key in suspicion.surroundings)
            )
            elsewhere.discard(suspicion.context_id)
            if not suspicion.ordinary or all(suspicion.needle in texts[name] for name in elsewhere):
                yield suspicion.exposure

    def _look(
        self,
        request: Request,
        field: str,
        views: list[_View],
        context_id: str,
        goals: list[str],
        budget: int | None,
        found: set[_Needle],
    ) -> None:
        """Look through one text of a request; `found` has what was found in the others."""
        shown = [_Known(self._goals[name].text) for name in goals if name in self._goals]
        familiar = [self._source(context_id), *shown, *self._replies[1]]
        for view in views:
            view.explain(familiar)
            for stretch in view.stretches():
                self._sent_for.setdefault(_key(stretch, budget), set()).add(context_id)
        for needle in self._needles[context_id]:
            if needle.folded == str(budget) or needle in found:
                continue
            if any(needle.folded in known.text for known in familiar):
                # An escaped source looks foreign in one reading, familiar in the other; a leak in none.
                places = [view.foreign(needle.folded) for view in views if view.has(needle.folded)]
                stretches = [] if None in places else places
            else:
                stretches = [view.around(needle) for view in views]
            keys = tuple(_key(stretch, budget) for stretch in stretches if stretch is not None)
            if keys:
                found.add(needle)
                exposure = Exposure(
                    request.id, request.memory_id, needle.question_id, needle.kind, needle.text, field
                )
                ordinary = is_ordinary(needle.folded, needle.kind, [view.written for view in views])
                self._suspicions.append(_Suspicion(context_id, exposure, needle.folded, keys, ordinary))

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
        self.written = text
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

    def around(self, needle: _Needle) -> str | None:
        """Return the stretch around a place of a needle that nothing familiar holds; None if there is none.

        Such a needle may be glued to other words.
        """
        for start in _places(
            self.text, needle.folded, glued=is_distinct(needle.folded, needle.text, self.written)
        ):
            # The n of an escaped line break belongs to no word of the source.
            if self.text[start - 1 : start] != "\\" or needle.folded[0] not in _ESCAPED:
                return self._stretch_around(start, start + len(needle.folded))
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
        parts: list[list[_Part]] = []
        for known in familiar:
            length = len(known.text)
            whole = _places(self.text, known.text) if length >= _SHORTEST else ()
            parts.append([_Part(start, start + length, 0) for start in whole])
        for known, found in zip(familiar, parts, strict=True):
            spans = [(part.start, part.end) for known_parts in parts for part in known_parts]
            found += _common_parts(self.text, known, _merged(spans))
        spans = [(part.start, part.end) for found in parts for part in found]
        for known, found in zip(familiar, parts, strict=True):
            spans += _between(self.text, known.text, sorted(found))
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


def _places(text: str, needle: str, glued: bool = False) -> Iterator[int]:
    start = text.find(needle) if needle else -1
    while start >= 0:
        if glued or (_may_begin(text, start) and is_word_boundary(text, start + len(needle))):
            yield start
        start = text.find(needle, start + 1)


def _may_begin(text: str, start: int) -> bool:
    return is_word_boundary(text, start) or (text[max(0, start - 2) : start] in _ESCAPED_SPACES)


def _common_parts(text: str, known: _Known, explained: list[tuple[int, int]]) -> Iterator[_Part]:
    """Yield the parts of `text` outside `explained` that stand in `known` too, from `2 * _BLOCK` on all.

    They come in order, and no two overlap.
    """
    gaps = zip(
        [0, *(end for _, end in explained)], [*(start for start, _ in explained), len(text)], strict=True
    )
    for gap_start, gap_end in gaps:
        if gap_end - gap_start < _BLOCK:
            continue
        blocks, whole = known.blocks, known.text
        position = lowest = gap_start
        while position + _BLOCK <= gap_end:
            at = blocks.get(text[position : position + _BLOCK])
            if at is None:
                position += 1
                continue
            back = _shared(text, position, lowest, whole, at)
            start, at = position - back, at - back
            while start >= 0:
                end, known_end = start, at
                while end < gap_end and known_end < len(whole) and text[end] == whole[known_end]:
                    end, known_end = end + 1, known_end + 1
                yield _Part(start, end, at)
                # Does it go on behind a line's mark? Elsewhere the same words may stand in another place.
                at = known_end + whole.startswith(" ", known_end)
                ahead = whole[at : at + _AHEAD]
                limit = min(gap_end, end + _ASIDE + _AHEAD)
                start = text.find(ahead, end, limit) if len(ahead) == _AHEAD else -1
            position = lowest = end


def _between(text: str, known: str, parts: list[_Part]) -> Iterator[tuple[int, int]]:
    """Yield the words of `known` between two of its parts, or just beyond them, that stand there in `text`.

    What is numbered, quoted or wrapped line by line has lines that are shorter than a part.
    """
    if not parts:
        return
    first, last = parts[0], parts[-1]
    position = first.start
    for word in reversed(known[max(0, first.at - _BEYOND) : first.at].split()):
        at = text.rfind(word, max(0, position - _ASIDE - len(word)), position)
        if at < 0:
            break
        yield at, at + len(word)
        position = at
    for before, after in pairwise(parts):
        position = before.end
        for word in known[before.known_end : after.at].split():
            at = text.find(word, position, min(after.start, position + _ASIDE + len(word)))
            if at >= 0:
                position = at + len(word)
                yield at, position
    position = last.end
    for word in known[last.known_end : last.known_end + _BEYOND].split():
        at = text.find(word, position, position + _ASIDE + len(word))
        if at < 0:
            break
        position = at + len(word)
        yield at, position


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
