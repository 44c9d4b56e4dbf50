"""The table between code points and positions on screen, against a naive walk over the display string."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.gui.panes.display import MAX_LINE, DisplayText, Label, utf16_length

HOSTILE = "\ufeff\ufffe\u2028\u2029\ufdd0\ufdd1\x00\x85\r\n\t\u202e\u202c\u200b\u200d\ufe0f\xa0"
HOSTILE += "\U0001f9e0\U0001f1ee漢éa .\U000e0041"
texts = st.one_of(
    st.text(st.sampled_from(HOSTILE), max_size=60),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.builds(
        lambda head, unit, tail: head + unit * 4300 + tail,
        st.text(st.sampled_from(HOSTILE), max_size=5),
        st.sampled_from(["a", "\U0001f9e0", "word ", "é", "e\u0301", "漢", "各\U00020000\n", "x🧠\r\n"]),
        st.text(st.sampled_from(HOSTILE), max_size=5),
    ),
)


def naive_positions(shown: DisplayText, head: str) -> list[int]:
    """Position of every code point, walking line by line; the last is that of the end."""
    positions = []
    at = utf16_length(head) + 1 if head else 0
    body = shown.display.encode("utf-16-le")
    for line in range(shown.line_count):
        start, end = shown.line_span(line)
        for _ in range(start, end):
            positions.append(at)
            high = int.from_bytes(body[2 * at : 2 * at + 2], "little")
            at += 2 if 0xD800 <= high < 0xDC00 else 1
        if shown.is_broken(line) or (line + 1 < shown.line_count and shown.text[end - 1] != "\n"):
            assert body[2 * at : 2 * at + 2] == b"\n\0", "an inserted break is a line feed on screen"
            at += 1
    return [*positions, at]


@settings(max_examples=150, deadline=None)
@given(texts, st.sampled_from(["", "✂ token 3 \U0001f9e0"]), st.sampled_from(["", "end"]), st.booleans())
def test_every_code_point_maps_there_and_back(text: str, head: str, foot: str, invisibles: bool) -> None:
    shown = DisplayText(text, head=head, foot=foot, invisibles=invisibles)
    positions = naive_positions(shown, head)
    assert len(positions) == len(text) + 1
    step = max(1, len(text) // 300)
    for offset in {*range(0, len(text) + 1, step), len(text)}:
        assert shown.to_display(offset) == positions[offset]
        assert shown.to_offset(positions[offset]) == offset
        start, end = shown.line_span(shown.line_at(offset))
        assert start <= offset <= end
    assert shown.to_offset(0) == 0
    assert shown.to_offset(len(shown.display) * 2) == len(text)
    assert shown.text == text


@settings(max_examples=150, deadline=None)
@given(texts, st.lists(st.integers(0, 4400), max_size=4), st.sampled_from(["", "head"]))
def test_labels_within_a_text_are_lines_of_their_own_and_no_part_of_it(
    text: str, offsets: list[int], head: str
) -> None:
    labels = [Label(min(at, len(text)), f"label {at} \U0001f9e0") for at in sorted(offsets)]
    shown = DisplayText(text, head=head, foot="foot", labels=labels)
    lines = shown.display.split("\n")
    at_blocks = {label: [n for n, line in enumerate(lines) if line == label.text] for label in labels}
    seen = set()
    for block, line in enumerate(lines):
        number = shown.line_of_block(block)
        label = shown.label_of_block(block)
        assert (number is None) is (label is not None)
        if number is None:
            assert label is not None and label.text == line
            continue
        seen.add(number)
        assert shown.block_of_line(number) == block
        start, end = shown.line_span(number)
        position = utf16_length("\n".join(lines[:block])) + (1 if block else 0)
        assert shown.to_display(start) == position
        assert shown.to_offset(position) == start
        assert shown.to_offset(shown.to_display(max(start, end - 1))) == max(start, end - 1)
    assert seen == set(range(shown.line_count))
    for label, blocks in at_blocks.items():
        below = next(n for n in map(shown.line_of_block, range(blocks[0], len(lines))) if n is not None)
        assert shown.line_span(below)[0] == label.offset
        assert shown.is_labelled(below)


@settings(max_examples=150, deadline=None)
@given(texts, st.booleans())
def test_the_screen_holds_nothing_that_qt_or_a_reader_would_take_for_something_else(
    text: str, invisibles: bool
) -> None:
    shown = DisplayText(text, invisibles=invisibles)
    banned = "\r\x00\x85\u2028\u2029\ufdd0\ufdd1\ufeff\ufffe\u202e\u202c\U000e0041"
    assert not set(shown.display) & set(banned)
    lines = shown.display.split("\n")
    assert len(lines) == shown.line_count
    assert max(map(len, lines)) <= MAX_LINE
    rebuilt = "".join(text[slice(*shown.line_span(line))] for line in range(shown.line_count))
    assert rebuilt == text


def test_a_line_of_exactly_the_limit_is_not_broken() -> None:
    assert DisplayText("a" * MAX_LINE + "\nb").line_count == 2
    assert DisplayText("a" * (MAX_LINE + 1) + "\nb").line_count == 3


def test_breaks_fall_after_spaces_and_never_inside_a_cluster() -> None:
    shown = DisplayText("word " * 2000)
    assert all(shown.text[shown.line_span(line)[1] - 1] == " " for line in range(shown.line_count - 1))
    combined = DisplayText("e\u0301" * 3001)
    assert all(combined.text[combined.line_span(line)[0]] == "e" for line in range(combined.line_count))


def test_which_breaks_are_in_the_data() -> None:
    shown = DisplayText("a\r\nb\rc\u2028d" + "e" * MAX_LINE)
    assert [shown.is_broken(line) for line in range(shown.line_count)] == [False, False, False, True, False]


def test_labels_are_lines_of_their_own() -> None:
    shown = DisplayText("ab\ncd", head="✂", foot="end")
    assert shown.display == "✂\nab\ncd\nend"
    assert [shown.line_of_block(block) for block in range(4)] == [None, 0, 1, None]
    assert shown.to_offset(0) == 0
    assert shown.to_offset(len(shown.display)) == 5
    assert shown.block_of_line(1) == 2
