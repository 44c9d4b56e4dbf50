"""The filter over cases: words, types, causes by any or by one method, and terms turned round."""

from __future__ import annotations

import pytest

from gacc_gui.app.compaction_views import Overview
from gacc_gui.gui.compaction.case_filter import chosen, parse


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", [1, 2, 3]),
        ("   ", [1, 2, 3]),
        ("type:comparison", [2]),
        ("TYPE:Bridge", [1, 3]),
        ("-type:bridge", [2]),
        ("QUARRY gate", [1, 3]),
        ("1728", [3]),
        ("nowhere", []),
        ("cause:dropped", [1]),
        ("jev:dropped", [1]),
        ("full:dropped", []),
        ("summary:form", [1]),
        ("summary:F", [1]),
        ("cause:failed", [1, 2]),
        ("jev+summary:failed", [2]),
        ("jev:wrong", [1, 2]),
        ("-jev:wrong", [3]),
        ("jev:wrong type:comparison", [2]),
        ("full:right", [1, 2, 3]),
        ("cause:lost", []),
        ("id:case-2", [2]),
        ("colon:unknown", []),
        ("jev:nonsense", []),
        (":", []),
        ("-", [1, 2, 3]),  # in every id
    ],
)
def test_what_a_filter_leaves(small_overview: Overview, text: str, numbers: list[int]) -> None:
    assert [case.number for case in chosen(small_overview.cases, parse(text))] == numbers
