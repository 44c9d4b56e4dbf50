"""Charts of a compaction run's methods: the aggregate's own figures, with their denominators and gaps."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree

import pytest

from gacc_gui.core.compaction import METHODS, SCORES
from gacc_gui.core.compaction_aggregate import Aggregate, PlannedRun, ScoredAnswer, aggregate
from gacc_gui.core.method_charts import MethodChart, method_charts
from gacc_gui.core.method_svg import method_svg

SVG = "{http://www.w3.org/2000/svg}"
KINDS = {"c1": "bridge", "c2": "comparison"}
RIGHT = {"full": 4, "jev": 1, "summary": 3, "jev+summary": 4}
"""Answers that are right, of four: two cases, two repeats."""


def figures(*, methods: tuple[str, ...] = METHODS, failed: int = 0, provider: int | None = None) -> Aggregate:
    places = [(case, repeat) for repeat in range(2) for case in KINDS]
    answers = [
        ScoredAnswer(
            case, KINDS[case], method, 0, repeat,
            "error" if method == "summary" and place < failed else "ok",
            dict.fromkeys(SCORES, float(place < RIGHT[method])), provider, 900 if method == "full" else 400,
        )
        for method in methods
        for place, (case, repeat) in enumerate(places)
    ]  # fmt: skip
    return aggregate(answers, PlannedRun(tuple(KINDS), methods, 1, 2), KINDS)


def words(chart: MethodChart, group: int = 0) -> dict[str, str]:
    return {bar.name: bar.words for bar in chart.groups[group].bars}


def test_scores_stand_beside_their_denominators_and_the_gap_to_full() -> None:
    of_all = figures(failed=1)
    scores, kinds, _ = method_charts(of_all, 500, 64)
    assert [group.title for group in scores.groups] == ["Answer EM", "Answer F1", "Joint F1"]
    assert words(scores) == {
        "full": "1.000 · 4 of 4 answers",
        "jev": "0.250 · 1 of 4 answers · −0.750 against full",
        "summary": "0.500 · 2 of 4 answers · −0.500 against full",
        "jev+summary": "1.000 · 4 of 4 answers · +0.000 against full",
    }
    assert words(scores, 1)["jev"] == "0.250 · mean of 4 answers · −0.750 against full"
    for bar, method in zip(scores.groups[0].bars, of_all.methods, strict=True):
        assert Fraction(bar.size or 0) == method.all.scores["em"]
        assert bar.size is not None and bar.size + bar.rest == 1.0
    assert "counts zero" in scores.caption and "summary 1 of 4 answers." in scores.caption
    assert [group.title for group in kinds.groups] == ["bridge: 1 question", "comparison: 1 question"]
    assert words(kinds, 1)["summary"] == "0.500 · 1 of 2 answers · −0.500 against full"
    assert "every planned answer is ok" in method_charts(figures(), 500, 64)[0].caption


def test_tokens_stand_against_the_ceiling() -> None:
    *_, tokens = method_charts(figures(provider=450), 500, 64)
    assert [group.title for group in tokens.groups] == ["Counted locally", "Told by the provider"]
    assert words(tokens)["full"] == "900 · 4 of 4 inputs"
    assert words(tokens)["jev"] == "400 · 4 of 4 inputs · 80% of the ceiling"
    assert {bar.name: bar.rest for bar in tokens.groups[0].bars}["jev"] == 100
    assert tokens.limit == (500, "ceiling 500") and tokens.highest > 900
    *_, tokens = method_charts(figures(), None, None)
    assert len(tokens.groups) == 1 and tokens.limit is None and words(tokens)["jev"] == "400 · 4 of 4 inputs"


def test_without_full_there_is_no_gap_and_without_answers_no_figure() -> None:
    scores, *_ = method_charts(figures(methods=("jev", "summary")), 500, 64)
    assert words(scores)["jev"] == "0.250 · 1 of 4 answers"
    nothing = aggregate([], PlannedRun((), METHODS, 1, 2), {})
    scores, tokens = method_charts(nothing, 500, 64)
    assert set(words(scores).values()) == {"no figure"} and "not known" in words(tokens)["full"]
    for chart in (scores, tokens):
        ElementTree.fromstring(method_svg(chart))


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_every_figure_is_written_and_text_is_text(theme: str) -> None:
    for chart in method_charts(figures(failed=1), 500, 64):
        root = ElementTree.fromstring(method_svg(chart, theme))  # type: ignore[arg-type]
        texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
        assert {bar.words for group in chart.groups for bar in group.bars} <= set(texts)
        assert {chart.title, *(group.title for group in chart.groups)} <= set(texts)
        assert ("var(--" in method_svg(chart, theme)) == (theme == "auto")  # type: ignore[arg-type]
