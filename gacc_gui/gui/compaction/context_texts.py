"""What the panes show of one context: the evidence file by file, the summary apart, or the messages as sent.

Owns the division of the source into stretches that were kept or not, their labels, and where each supporting
fact stands. Nothing is put into a text: stretches are marked and labelled in the exact source. No Qt here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from gacc_gui.app.compaction_views import AnswerView, CaseView, ContextView
from gacc_gui.core import compaction_causes as causes
from gacc_gui.core.causes import VEILED
from gacc_gui.core.compaction import FULL, EvidenceFile, SentContext
from gacc_gui.core.compaction_causes import FactFate, group_bounds
from gacc_gui.gui.compaction.words import (
    CAUSE_SENTENCES,
    FATE_UNDERLAYS,
    FATE_WORDS,
    context_words,
    place_words,
)
from gacc_gui.gui.lists.words import counted, joined
from gacc_gui.gui.panes.display import Label
from gacc_gui.gui.panes.facts import PaneFacts
from gacc_gui.gui.panes.spans import DROPPED_GROUP, KEPT_GROUP, Span, evidence_role

KEPT_LABEL: Final = "kept-label"
DROPPED_LABEL: Final = "dropped-label"
_RANKS_TOLD: Final = 4


@dataclass(frozen=True, slots=True)
class Shown:
    """One pane: the text with what stands around it, its stretches, and the supporting facts in it.

    `places` are where the facts stand, by the fact's place in the question; None where it does not.
    """

    facts: PaneFacts
    stretches: tuple[Span, ...] = ()
    evidence: tuple[Span, ...] = ()
    places: tuple[tuple[int, int] | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence in the source: where its line begins, where its words, and where they end."""

    start: int
    words: int
    end: int


def nothing(title: str, sentence: str) -> Shown:
    """A pane without a text, and why."""
    return Shown(PaneFacts(title, empty=sentence))


# --- the evidence, file by file --------------------------------------------------------------------


def evidence_shown(case: CaseView, context: ContextView) -> Shown:
    """The case's evidence in its original order, with what the context kept of it."""
    sent = context.sent
    title = "Evidence"
    if sent is None or context.has_failed:
        return nothing(title, failed_words(context))
    lines = source_lines(case.files, case.source)
    figures = context_words(context)
    if lines is None:
        fates = tuple(_in_text(case.source, context.fates))
        note = "The source is not what its files say: what was kept of it cannot be marked."
        facts = PaneFacts(title, figures, text=case.source, notice=note)
        return Shown(facts, evidence=_spans(context.fates, fates), places=fates)
    labels: list[Label] = []
    stretches: list[Span] = []
    if sent.method != FULL:
        for stretch in _stretches(case.files, sent):
            start, end = _extent(stretch, case.files, lines)
            labels.append(_label(stretch, start, sent))
            role = KEPT_GROUP if stretch.kept else DROPPED_GROUP
            stretches.append(Span(start, end, role, labels[-1].text))
    places = tuple(_line_of(fate, lines) for fate in context.fates)
    facts = PaneFacts(title, figures, figures.partition(" · ")[0], case.source, labels=tuple(labels))
    return Shown(facts, tuple(stretches), _spans(context.fates, places), places)


def failed_words(context: ContextView) -> str:
    """Why there is no context, in the run's own words where it gives some."""
    if not context.has_failed:
        return "The run does not keep what was sent."
    return f"The context failed: its answers score zero.\n{context.error or 'The run gives no reason.'}"


def source_lines(files: Sequence[EvidenceFile], source: str) -> dict[tuple[int, int], Line] | None:
    """Where each sentence stands in the source, by file and number; None where the source is another."""
    lines: dict[tuple[int, int], Line] = {}
    at = 0
    for place, file in enumerate(files):
        if not source.startswith(file.text, at):
            return None
        start = at + file.text.index("\n") + 1
        for number in range(len(file.sentences)):
            end = start + len(file.sentence_line(number))
            lines[place, number] = Line(start, end - len(file.sentence(number)), end)
            start = end + 1
        at += len(file.text) + 1
    return lines


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Sentences of one file that follow one another and share their fate."""

    file: int
    first: int
    last: int
    kept: bool
    groups: tuple[str, ...]


def _stretches(files: Sequence[EvidenceFile], sent: SentContext) -> Iterator[_Stretch]:
    state = {group: True for group in sent.kept} | {group: False for group in sent.dropped}
    bounded = sorted((bounds, group) for group in state if (bounds := group_bounds(group)) is not None)
    for place, file in enumerate(files):
        owner: list[str | None] = [None] * len(file.sentences)
        for (of_file, first, last), group in bounded:
            if of_file == place:
                owner[first : last + 1] = [group] * len(owner[first : last + 1])
        numbered = enumerate(owner)
        for kept, run in groupby(numbered, key=lambda pair: pair[1] is not None and state[pair[1]]):
            sentences = list(run)
            groups = dict.fromkeys(group for _, group in sentences if group is not None)
            yield _Stretch(place, sentences[0][0], sentences[-1][0], kept, tuple(groups))


def _extent(
    stretch: _Stretch, files: Sequence[EvidenceFile], lines: dict[tuple[int, int], Line]
) -> tuple[int, int]:
    """From the first sentence's line, or the heading of a file that is of one fate, to the last's end."""
    first = lines[stretch.file, stretch.first]
    is_whole = stretch.first == 0 and stretch.last == len(files[stretch.file].sentences) - 1
    heading = files[stretch.file].text.index("\n") + 1 if is_whole else 0
    return first.start - heading, lines[stretch.file, stretch.last].end


def _label(stretch: _Stretch, start: int, sent: SentContext) -> Label:
    if stretch.kept:
        state = "kept"
    elif sent.summary is not None:
        state = "not kept, summarised"
    else:
        state = "dropped"
    ranks = {group: (rank, score) for rank, (group, score) in enumerate(sent.ranking, start=1)}
    told = [ranks[group] for group in stretch.groups if group in ranks]
    words = ", ".join(f"{rank} ({score:.2f})" for rank, score in told[:_RANKS_TOLD])
    more = ", …" if len(told) > _RANKS_TOLD else ""
    ranked = f"rank {words}{more}" if told else ""
    groups = counted(len(stretch.groups), "group") if stretch.groups else ""
    return Label(start, joined((state, groups, ranked)), KEPT_LABEL if stretch.kept else DROPPED_LABEL)


def _line_of(fate: FactFate, lines: dict[tuple[int, int], Line]) -> tuple[int, int] | None:
    fact = fate.fact
    line = lines.get((fact.file, fact.sentence)) if fact.file is not None else None
    return (line.words, line.end) if line is not None and line.words < line.end else None


# --- the summary, what was sent, what came back ----------------------------------------------------


def summary_shown(context: ContextView) -> Shown | None:
    """The summary by itself; None where there is none."""
    sent = context.sent
    if sent is None or sent.summary is None or context.has_failed:
        return None
    places = tuple((fate.spans[0].start, fate.spans[0].end) if fate.spans else None for fate in context.fates)
    spans = [Span(span.start, span.end, *_role(fate)) for fate in context.fates for span in fate.spans]
    where = "sent behind the kept groups" if _is_behind(context) else ""
    figures = joined((f"{len(sent.summary):,} characters", where))
    empty = "" if sent.summary else "The summary is empty."
    facts = PaneFacts("Summary", figures, f"{len(sent.summary):,}", sent.summary, empty=empty)
    return Shown(facts, evidence=tuple(spans), places=places)


def _is_behind(context: ContextView) -> bool:
    sent = context.sent
    return sent is not None and bool(sent.kept) and not context.evidence.startswith(sent.summary or "\0")


def sent_shown(case: CaseView, context: ContextView) -> Shown:
    """The messages, word for word, one behind the other, with labels where each part begins."""
    title = "As sent"
    sent = context.sent
    if sent is None or context.has_failed:
        return nothing(title, failed_words(context))
    text = "".join(message["content"] for message in sent.messages)
    labels: list[Label] = []
    at = 0
    for message in sent.messages:
        content = message["content"]
        labels.append(Label(at, f"{message['role']} · {len(content):,} characters", KEPT_LABEL))
        labels += _parts(content, at, context)
        at += len(content)
    places = tuple(_in_text(text, context.fates))
    figures = joined((counted(len(sent.messages), "message"), f"{len(text):,} characters"))
    figures = joined((f"{sent.tokens.local:,} tokens", figures))
    facts = PaneFacts(title, figures, f"{sent.tokens.local:,}", text, labels=tuple(labels))
    return Shown(facts, evidence=_spans(context.fates, places), places=places)


def _parts(content: str, at: int, context: ContextView) -> Iterator[Label]:
    """Label the evidence, the summary in it, and what follows, where they can be found."""
    evidence, summary = context.evidence, context.sent.summary if context.sent is not None else None
    start = content.find(evidence) if evidence else -1
    if start < 0:
        return
    end = start + len(evidence)
    inner = evidence.find(summary) if summary else -1
    if inner != 0:
        yield Label(at + start, "evidence", DROPPED_LABEL)
    if inner >= 0:
        yield Label(at + start + inner, "summary", DROPPED_LABEL)
        if summary and start + inner + len(summary) < end:
            yield Label(at + start + inner + len(summary), "evidence, behind the summary", DROPPED_LABEL)
    if content[end:].strip():
        # Behind the line feeds that part it from the evidence, so that no line stands empty below a label.
        blank = len(content[end:]) - len(content[end:].lstrip("\n"))
        yield Label(at + end + blank, "question and form", DROPPED_LABEL)


def reply_shown(answer: AnswerView | None) -> Shown:
    """A raw reply, word for word."""
    if answer is None:
        return nothing("Raw reply", "Choose an answer below.\nIts raw reply is shown here.")
    where = place_words(answer.cell.generation, answer.cell.repeat)
    if answer.text is None:
        untold = CAUSE_SENTENCES[VEILED] if answer.cell.is_hidden else "The run gives no reason."
        reason = answer.told or untold
        return nothing(f"Raw reply · {where}", f"There is no reply.\n{reason}")
    empty = "" if answer.text else "The reply is empty."
    facts = PaneFacts(
        f"Raw reply · {where}",
        f"{len(answer.text):,} characters",
        text=answer.text,
        notice=answer.told or "",
        empty=empty,
    )
    return Shown(facts)


# --- supporting facts ------------------------------------------------------------------------------


def _role(fate: FactFate) -> tuple[str, str]:
    like = f": {fate.likeness:.0f} of 100 alike, a hint only" if fate.likeness is not None else ""
    return evidence_role(FATE_UNDERLAYS[fate.fate]), f"supporting fact: {FATE_WORDS[fate.fate]}{like}"


def _spans(fates: Sequence[FactFate], places: Sequence[tuple[int, int] | None]) -> tuple[Span, ...]:
    return tuple(
        Span(*place, *_role(fate)) for fate, place in zip(fates, places, strict=True) if place is not None
    )


def _in_text(text: str, fates: Sequence[FactFate]) -> Iterator[tuple[int, int] | None]:
    """Where each fact that is there as written first stands in a text."""
    for fate in fates:
        at = text.find(fate.fact.text) if fate.fact.text and fate.fate != causes.NOWHERE else -1
        yield (at, at + len(fate.fact.text)) if at >= 0 else None
