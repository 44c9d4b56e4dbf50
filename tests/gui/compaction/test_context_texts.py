"""What the panes show of a context: exact texts, stretches that were kept or not, facts where they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gacc_gui.app.compaction_views import CaseView, ContextView
from gacc_gui.core import compaction_causes as causes
from gacc_gui.core.compaction import FULL, FUSION, JEV, SUMMARY
from gacc_gui.core.compaction_causes import FactFate
from gacc_gui.core.evidence import Span as Place
from gacc_gui.gui.compaction.context_texts import (
    DROPPED_LABEL,
    KEPT_LABEL,
    evidence_shown,
    reply_shown,
    sent_shown,
    source_lines,
    summary_shown,
)
from gacc_gui.gui.panes.spans import DROPPED_GROUP, KEPT_GROUP, evidence_role

Cases = Callable[[int], CaseView]


def context_of(case: CaseView, method: str, generation: int = 0) -> ContextView:
    context = case.context(method, generation)
    assert context is not None
    return context


def test_every_sentence_is_found_in_the_source(small_case: Cases) -> None:
    case = small_case(0)
    lines = source_lines(case.files, case.source)
    assert lines is not None
    assert len(lines) == sum(len(file.sentences) for file in case.files)
    for (place, number), line in lines.items():
        assert case.source[line.start : line.end] == case.files[place].sentence_line(number)
        assert case.source[line.words : line.end] == case.files[place].sentence(number)


def test_full_is_everything_plain_with_its_facts(small_case: Cases) -> None:
    case = small_case(0)
    shown = evidence_shown(case, context_of(case, FULL))
    assert shown.facts.text == case.source
    assert shown.facts.labels == () and shown.stretches == ()
    assert [case.source[slice(*place)] for place in shown.places if place] == [
        fact.text for fact in case.facts
    ]
    assert {span.role for span in shown.evidence} == {evidence_role("retained")}
    assert summary_shown(context_of(case, FULL)) is None


def test_a_selection_marks_what_it_kept_and_dropped_in_the_whole_source(small_case: Cases) -> None:
    case = small_case(0)
    context = context_of(case, JEV)
    assert context.sent is not None
    shown = evidence_shown(case, context)
    assert shown.facts.text == case.source
    kept = "".join(case.source[span.start : span.end] for span in shown.stretches if span.role == KEPT_GROUP)
    dropped = "".join(
        case.source[span.start : span.end] for span in shown.stretches if span.role == DROPPED_GROUP
    )
    for place, file in enumerate(case.files):
        for number in range(len(file.sentences)):
            group = next(g for g in (*context.sent.kept, *context.sent.dropped) if _holds(g, place, number))
            line = file.sentence_line(number)
            assert (line in kept) is (group in context.sent.kept)
            assert (line in dropped) is (group in context.sent.dropped)
    assert shown.facts.figures.startswith(f"complete input {context.sent.tokens.local:,} tokens · ")
    assert shown.facts.short == f"complete input {context.sent.tokens.local:,} tokens"
    assert len(shown.facts.labels) == len(shown.stretches)
    for label, span in zip(shown.facts.labels, shown.stretches, strict=True):
        assert label.offset == span.start
        assert label.text.startswith("kept · " if span.role == KEPT_GROUP else "dropped · ")
        assert label.role == (KEPT_LABEL if span.role == KEPT_GROUP else DROPPED_LABEL)
        assert "rank " in label.text
    first = next(span for span in shown.evidence if span.start == shown.places[0][0])  # type: ignore[index]
    assert first.role == evidence_role("tail")
    assert first.note == "supporting fact: dropped"


def _holds(group: str, file: int, sentence: int) -> bool:
    bounds = causes.group_bounds(group)
    assert bounds is not None
    return bounds[0] == file and bounds[1] <= sentence <= bounds[2]


def test_a_file_of_one_fate_takes_its_heading_along(small_case: Cases) -> None:
    case = small_case(0)
    shown = evidence_shown(case, context_of(case, SUMMARY))
    assert [label.text for label in shown.facts.labels] == ["not kept, summarised · 3 groups"] * 10
    for span, file in zip(shown.stretches, case.files, strict=True):
        assert case.source[span.start : span.end] == file.text.rstrip("\n")


def test_a_summary_stands_apart_with_what_it_holds_of_the_facts(small_case: Cases) -> None:
    case = small_case(0)
    context = context_of(case, SUMMARY)
    shown = summary_shown(context)
    assert shown is not None and context.sent is not None
    assert shown.facts.text == context.sent.summary
    assert [place is not None for place in shown.places] == [True, False, False]
    (span,) = shown.evidence
    assert shown.facts.text[span.start : span.end] == case.facts[0].text


def test_what_is_only_like_a_fact_is_marked_as_uncertain(small_case: Cases) -> None:
    case = small_case(0)
    context = context_of(case, SUMMARY)
    fate = FactFate(case.facts[1], causes.LIKELY, (Place(3, 9),), 87.4)
    shown = summary_shown(replace(context, fates=(fate,)))
    assert shown is not None
    (span,) = shown.evidence
    assert (span.start, span.end, span.role) == (3, 9, evidence_role("unlocated"))
    assert "uncertain" in span.note and "87 of 100" in span.note


def test_fusion_has_both(small_case: Cases) -> None:
    case = small_case(0)
    context = context_of(case, FUSION)
    shown, apart = evidence_shown(case, context), summary_shown(context)
    assert apart is not None
    assert {span.role for span in shown.stretches} == {KEPT_GROUP, DROPPED_GROUP}
    assert any(label.text.startswith("not kept, summarised") for label in shown.facts.labels)
    assert "sent behind the kept groups" in apart.facts.figures


def test_what_was_sent_is_exact_with_its_parts_labelled(small_case: Cases) -> None:
    case = small_case(0)
    context = context_of(case, FUSION)
    assert context.sent is not None
    shown = sent_shown(case, context)
    contents = [message["content"] for message in context.sent.messages]
    assert shown.facts.text == "".join(contents)
    at = {label.text.partition(" · ")[0]: label.offset for label in shown.facts.labels}
    assert list(at) == ["system", "user", "evidence", "summary", "question and form"]
    assert at["user"] == len(contents[0])
    text = shown.facts.text
    assert text[at["evidence"] :].startswith(context.evidence)
    assert text[at["summary"] :].startswith(context.sent.summary or "?")
    assert text[at["question and form"] :].startswith("Question: ")
    assert [text[slice(*place)] for place in shown.places if place] == [fact.text for fact in case.facts]


def test_a_failed_context_says_why(small_case: Cases) -> None:
    case = small_case(0)
    context = context_of(case, SUMMARY, 1)
    for shown in (evidence_shown(case, context), sent_shown(case, context)):
        assert shown.facts.text == ""
        assert "score zero" in shown.facts.empty and "too long" in shown.facts.empty
    assert summary_shown(context) is None


def test_a_source_that_is_not_its_files_is_shown_and_said_to_be_so(small_case: Cases) -> None:
    case = replace(small_case(0), source="Something else.\n" + small_case(0).source)
    shown = evidence_shown(case, context_of(case, JEV))
    assert shown.facts.text == case.source
    assert "cannot be marked" in shown.facts.notice
    assert shown.stretches == ()
    assert all(place is not None for place in shown.places)


def test_replies(small_case: Cases) -> None:
    case = small_case(0)
    unparsed = case.answers_of(JEV)[1]
    assert reply_shown(unparsed).facts.text == unparsed.text
    assert "gen 0 · answer 1" in reply_shown(unparsed).facts.title
    failed = case.answers_of(SUMMARY)[2]
    assert "too long" in reply_shown(failed).facts.empty
    assert reply_shown(None).facts.empty
    assert reply_shown(replace(unparsed, text="")).facts.empty == "The reply is empty."
