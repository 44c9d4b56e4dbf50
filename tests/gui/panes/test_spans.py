"""A layer answers for any stretch what a walk over all its spans would."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.gui.panes.spans import Layer, Span, joined

spans = st.lists(
    st.builds(lambda start, length: Span(start, start + length, "x"), st.integers(0, 50), st.integers(0, 20))
)


@given(spans, st.integers(0, 60), st.integers(0, 20))
def test_within_finds_what_touches(given_spans: list[Span], start: int, length: int) -> None:
    end = start + length
    expected = [
        span
        for span in given_spans
        if (span.start < max(end, start + 1) and span.end > start) or span.start == span.end == start
    ]
    expected += [s for s in given_spans if s.start == s.end and start < s.start < end and s not in expected]
    found = Layer(given_spans).within(start, end)
    assert sorted(found) == sorted(expected)
    assert [(s.start, s.end) for s in found] == sorted((s.start, s.end) for s in found)


@given(spans)
def test_joined_spans_cover_the_same_and_touch_no_more(given_spans: list[Span]) -> None:
    filled = [span for span in Layer(given_spans).spans if span.start < span.end]
    whole = joined(filled)
    covered = {at for span in filled for at in range(span.start, span.end)}
    assert covered == {at for span in whole for at in range(span.start, span.end)}
    assert all(one.end < other.start for one, other in pairwise(whole))


def test_joined_keeps_roles_apart_and_places_of_no_width() -> None:
    apart = [Span(0, 4, "x"), Span(4, 4, "x"), Span(4, 8, "y"), Span(9, 9, "y"), Span(9, 12, "y")]
    assert joined([*apart[:1], *apart[2:]]) == [apart[0], *apart[2:]]
    assert joined(apart[1:3]) == apart[1:3]
