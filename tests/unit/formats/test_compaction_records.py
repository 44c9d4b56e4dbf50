"""The records that a compaction run begins with."""

from __future__ import annotations

from dataclasses import replace

from gacc_gui.core.compaction import CollectionCheck, EvidenceFile
from gacc_gui.core.hotpot_records import Gold
from gacc_gui.formats.compaction_records import evidence_spans, items_of, planned_of, protocol_of, run_of
from tests.compaction_cases import small_case, small_corpus
from tests.compaction_run import small_protocol


def test_a_case_is_a_context_a_goal_and_a_question() -> None:
    corpus = small_corpus(2)
    items = items_of(corpus)
    case, context, goal, question = corpus.cases[0], items.contexts[0], items.goals[0], items.questions[0]
    assert context.id == goal.id == question.id == goal.context_id == question.goal_id == case.id
    assert context.text == case.source
    assert (context.title, context.origin, context.license) == (case.question, "synthetic", "CC0-1.0")
    assert context.extra["files"][0].keys() == {"path", "title", "sentences"}
    assert goal.text == case.task
    assert question.references == case.gold.answers
    assert question.extra["gold"]["supporting_facts"] == [list(fact) for fact in case.gold.facts]


def test_evidence_is_the_gold_sentences_exactly() -> None:
    for case in small_corpus(4).cases:
        titles = {file.title: file for file in case.files}
        expected = [titles[title].sentence(number) for title, number in case.gold.facts]
        assert [case.source[start:end] for start, end in evidence_spans(case)] == expected


def test_spans_hold_for_folded_white_space_repetitions_and_empty_sentences() -> None:
    files = (
        EvidenceFile("a.txt", "A  title", ("One.", " \tTwo\n words\u2028here. ", "", "One.")),
        EvidenceFile("b.txt", "B", ("One.",)),
    )
    facts = (("A  title", 1), ("A  title", 3), ("A  title", 1), ("A  title", 2), ("B", 0))
    case = replace(small_case(0), files=files, gold=Gold("x", ("a",), facts))
    spans = list(evidence_spans(case))
    assert [case.source[start:end] for start, end in spans] == ["Two words here.", "One.", "One."]
    assert spans[1][0] < spans[2][0]


def test_facts_that_name_no_sentence_have_no_span() -> None:
    case = small_case(0)
    title = case.files[0].title
    facts = ((title, 99), (title, -1), ("elsewhere", 0), (title, True), (title, 1.0), (title, "1"), "odd")
    case = replace(case, gold=Gold("x", ("a",), facts))
    assert list(evidence_spans(case)) == []
    corpus = replace(small_corpus(1), cases=(case,))
    assert items_of(corpus).questions[0].evidence is None


def test_only_sound_cases_are_asked() -> None:
    corpus = small_corpus(3)
    bad = replace(corpus.cases[1], checks=(CollectionCheck("files unchanged", False, "one changed"),))
    corpus = replace(corpus, cases=(corpus.cases[0], bad, corpus.cases[2]))
    assert [question.id for question in items_of(corpus).questions] == ["case-1", "case-3"]


def test_a_protocol_survives_the_runs_record() -> None:
    protocol = small_protocol(small_corpus(2))
    run = run_of(protocol)
    assert protocol_of(run) == protocol
    assert (run.protocol, run.diagnostic_only) == ("compaction", True)
    assert run.reader == protocol["parts"]["answerer"]
    planned = planned_of(protocol)
    assert (planned.contexts, planned.answers) == (4 * 2 * 2, 4 * 2 * 2 * 2)
