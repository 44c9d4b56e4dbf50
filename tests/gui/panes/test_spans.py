"""A layer answers for any stretch what a walk over all its spans would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.gui.panes.spans import Layer, Span

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
