"""What became of each supporting fact in a context as it was sent, and why an answer to it is not right.

Owns fates and causes of the compaction benchmark, their letters, and the rules that decide them. Pure. Not
here: the fates and causes of GACC (`core.evidence`, `core.causes`), scores (`core.hotpot_scores`).

A supporting fact is a sentence that the question was labelled with. Its **fate** in a context:

- `kept`: its group stands in the context whole (in `full`, every group does).
- `in-summary`: its group does not, but the summary holds the sentence as written, white space, case and
  Unicode forms folded.
- `likely`: the summary holds something so like it that it may be the sentence in other words: a fuzzy hint
  (`core.hints`), never certain.
- `lost`: a summary was made of its group, and nothing like it is found there.
- `dropped`: its group does not stand in the context, and nothing was made of it.
- `nowhere`: it names no sentence, or an empty one: nothing can become of it, and it decides nothing.

The **cause** of an answer, the first that applies:

1. `condition-failed`: its status is not `ok` (no context, no reply, unreadable, refused, over the ceiling).
2. `correct`: its EM is 1.
3. `form`: the answer is right, and only its form is not the reference's: see `is_right_in_form`. Whatever
   became of the evidence: the answer was had, and was not credited.
4. `evidence-dropped`: a supporting fact is `dropped`.
5. `lost-in-summary`: a supporting fact is `lost`. Uncertain, as a summary may say it in other words.
6. `answerer-missed`: every supporting fact stood before the answerer. Uncertain where one is only `likely`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from gacc_gui.core.compaction import FULL, EvidenceFile, SentContext
from gacc_gui.core.evidence import Haystack, Span
from gacc_gui.core.hints import hint_for, negations_of, numbers_of
from gacc_gui.core.hotpot_records import names_sentence
from gacc_gui.core.hotpot_scores import normalise_answer
from gacc_gui.core.records import Json

KEPT: Final = "kept"
IN_SUMMARY: Final = "in-summary"
LIKELY: Final = "likely"
LOST: Final = "lost"
DROPPED: Final = "dropped"
NOWHERE: Final = "nowhere"
FACT_FATES: Final = (KEPT, IN_SUMMARY, LIKELY, LOST, DROPPED, NOWHERE)

CORRECT: Final = "correct"
EVIDENCE_DROPPED: Final = "evidence-dropped"
SUMMARY_LOST: Final = "lost-in-summary"
ANSWERER_MISSED: Final = "answerer-missed"
FORM: Final = "form"
FAILED: Final = "condition-failed"
CAUSES: Final = (CORRECT, EVIDENCE_DROPPED, SUMMARY_LOST, ANSWERER_MISSED, FORM, FAILED)

LETTERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        CORRECT: "✓",
        EVIDENCE_DROPPED: "D",
        SUMMARY_LOST: "S",
        ANSWERER_MISSED: "R",
        FORM: "F",
        FAILED: "–",
    }
)
"""The letter that stands for a cause wherever its colour does; R and – are those of GACC's reader and no
verdict, which are what they come to there."""

FORM_F1: Final = 0.8
"""The least F1 of an answer that is called right although neither it nor the reference holds the other."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A supporting fact of a question. `file` is the place of its article, None where it names no sentence.

    `title` and `sentence` are as written, of whatever kind; `text` is the sentence, without its id.
    """

    title: Json
    sentence: Json
    file: int | None = None
    text: str = ""

    @property
    def is_somewhere(self) -> bool:
        """Whether it names a sentence that says something."""
        return bool(self.text)


@dataclass(frozen=True, slots=True)
class FactFate:
    """A supporting fact's fate in one context. `spans`: where it stands in the summary (code points).

    `likeness` of a hint, from 0 to 100; None where nothing is like it or it stands there as written.
    """

    fact: Fact
    fate: str
    spans: tuple[Span, ...] = ()
    likeness: float | None = None


@dataclass(frozen=True, slots=True)
class Cause:
    """Why an answer is as it is. `is_uncertain`: the summary may hold the evidence in other words."""

    name: str
    is_uncertain: bool = False


def facts_of(facts: Iterable[Json], files: Sequence[EvidenceFile]) -> tuple[Fact, ...]:
    """Look gold's supporting facts up in the evidence, in their order, each once."""
    places: dict[str, int] = {}
    for place, file in enumerate(files):
        places.setdefault(file.title, place)
    found: dict[tuple[str, str], Fact] = {}
    for value in facts:
        fact = _fact(value, places, files)
        found.setdefault((repr(fact.title), repr(fact.sentence)), fact)
    return tuple(found.values())


def _fact(value: Json, places: Mapping[str, int], files: Sequence[EvidenceFile]) -> Fact:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return Fact(value, None)
    title, sentence = value
    place = places.get(title) if names_sentence(value) else None
    if place is None or not 0 <= sentence < len(files[place].sentences):
        return Fact(title, sentence)
    return Fact(title, sentence, place, files[place].sentence(sentence))


def fates_of(facts: Sequence[Fact], sent: SentContext, *, hints: bool = True) -> tuple[FactFate, ...]:
    """Return what became of each fact in a context. Without `hints`, what is only like it is `lost`."""
    summary = Haystack(sent.summary) if sent.summary is not None else None
    kept = [group_bounds(group) for group in sent.kept]
    return tuple(_fate(fact, sent.method, kept, summary, hints) for fact in facts)


def _fate(
    fact: Fact,
    method: str,
    kept: Collection[tuple[int, int, int] | None],
    summary: Haystack | None,
    hints: bool,
) -> FactFate:
    if not fact.is_somewhere:
        return FactFate(fact, NOWHERE)
    spans = tuple(summary.find_all(fact.text)) if summary is not None else ()
    if method == FULL or any(group is not None and _holds(group, fact) for group in kept):
        return FactFate(fact, KEPT, spans)
    if summary is None:
        return FactFate(fact, DROPPED)
    if spans:
        return FactFate(fact, IN_SUMMARY, spans)
    hint = hint_for(fact.text, summary) if hints else None
    if hint is not None:
        return FactFate(fact, LIKELY, (hint.span,), hint.score)
    return FactFate(fact, LOST)


def _holds(group: tuple[int, int, int], fact: Fact) -> bool:
    file, first, last = group
    return file == fact.file and first <= fact.sentence <= last


def group_bounds(group: str) -> tuple[int, int, int] | None:
    """Return a group's file, first and last sentence from its id; None for what is no such id."""
    file, _, sentences = group.partition(":")
    first, _, last = sentences.partition("-")
    try:
        return int(file), int(first), int(last)
    except ValueError:
        return None


def cause_of(
    status: str,
    em: float,
    f1: float,
    answer: str | None,
    references: Sequence[str],
    fates: Collection[str],
) -> Cause:
    """Return why an answer is right or not. `fates` are those of its facts; see the module for the rules."""
    if status != "ok":
        return Cause(FAILED)
    if em == 1:
        return Cause(CORRECT)
    if answer is not None and any(is_right_in_form(answer, one, f1) for one in references):
        return Cause(FORM)
    if DROPPED in fates:
        return Cause(EVIDENCE_DROPPED)
    if LOST in fates:
        return Cause(SUMMARY_LOST, is_uncertain=True)
    return Cause(ANSWERER_MISSED, is_uncertain=LIKELY in fates)


def is_right_in_form(answer: str, reference: str, f1: float) -> bool:
    """Whether an answer without EM says what the reference says, in another form: its F1 is above 0, and

    - it holds the reference whole, word for word (“American author” for “American”), or
    - the reference holds it whole and it is more than half of it (“New York” for “New York City”), or
    - their F1 is at least FORM_F1 and their numbers are the same (“Smith, John” for “John Smith”);

    never where one is negated and the other is not. Words are those of the official metric.
    """
    if f1 <= 0:
        return False
    said, wanted = normalise_answer(answer), normalise_answer(reference)
    if not said or not wanted or negations_of(said) != negations_of(wanted):
        return False
    if _is_within(wanted, said):
        return True
    if _is_within(said, wanted) and 2 * len(said.split()) > len(wanted.split()):
        return True
    return f1 >= FORM_F1 and numbers_of(said) == numbers_of(wanted)


def _is_within(part: str, whole: str) -> bool:
    return f" {part} " in f" {whole} "
