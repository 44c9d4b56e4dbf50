"""How lists, headline and marks put a compaction run: cases, methods, EM; legible in both themes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gacc_gui.gui.headline import case_words
from gacc_gui.gui.lists.runs_model import detail_words
from gacc_gui.gui.panes.painting import style_of
from gacc_gui.gui.panes.spans import DROPPED_GROUP, KEPT_GROUP
from gacc_gui.gui.theme import THEMES, contrast, theme_named
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import Totals


def totals(questions: int, judged: int, correct: int) -> Totals:
    return Totals(
        goals=questions,
        right_goals=correct,
        complete_goals=judged,
        questions=questions,
        judged=judged,
        correct=correct,
        missing_goals=0,
        mended={},
    )


def test_em_counts_what_was_planned() -> None:
    assert case_words(totals(47, 40, 20), 48) == ("EM 0.417 20/48", "8 failed or not there: they count zero")
    assert case_words(totals(48, 48, 48), 48) == ("EM 1.000 48/48", "every answer scored")
    assert case_words(totals(0, 0, 0), 0) == ("EM – 0/0", "")


def test_the_runs_list_says_what_kind_of_run_it_is_first(compaction_database: Path) -> None:
    with Reader(compaction_database) as reader:
        (summary,) = reader.runs()
    words = detail_words(summary).removeprefix("search index building … · ")
    assert words.startswith("compaction · 3 cases · ")
    assert " answers" in words


@pytest.mark.parametrize("name", THEMES)
def test_what_was_kept_is_plain_and_what_was_dropped_still_legible(name: str) -> None:
    theme = theme_named(name)
    kept, dropped = style_of(KEPT_GROUP, theme), style_of(DROPPED_GROUP, theme)
    assert kept.ink is None and kept.edge is not None
    assert dropped.ink is not None and dropped.edge is not None and dropped.edge != kept.edge
    for ink in (dropped.ink, style_of("kept-label", theme).ink, style_of("dropped-label", theme).ink):
        assert ink is not None and contrast(ink, theme.base) >= 4.5
