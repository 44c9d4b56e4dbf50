from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.formats.html_text import block, inline
from gacc_gui.formats.markdown_html import html_of
from gacc_gui.formats.report import escaped, table


class Seen(HTMLParser):
    """The tags and the text of some HTML."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag in ("td", "th", "h1", "p", "li"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.cells:
            self.cells[-1] += data.strip("\n")


def seen(*lines: str) -> Seen:
    return Seen("\n".join(html_of(lines)))


def test_the_grammar_of_our_reports() -> None:
    html = list(
        html_of(
            [
                "# A *plain* run",
                "",
                "> **Diagnostic run.** So",
                "> it is.",
                "",
                "one",
                "two",
                "",
                "- a",
                "- `b`",
            ]
        )
    )
    assert html == [
        "<h1>A *plain* run</h1>",
        '<p class="notice"><strong>Diagnostic run.</strong> So it is.</p>',
        "<p>one two</p>",
        "<ul><li>a</li><li><code>b</code></li></ul>",
    ]


def test_tables_keep_their_sides_and_name_facts() -> None:
    html = "\n".join(html_of(table(("name", "n"), [("cross-goal", "1"), ("two words", "2")], right=(1,))))
    assert '<thead><tr><th>name</th><th class="n">n</th></tr></thead>' in html
    assert '<tr><td class="word"><bdi>cross-goal</bdi></td><td class="n"><bdi>1</bdi></td></tr>' in html
    assert '<tr><td><bdi>two words</bdi></td><td class="n"><bdi>2</bdi></td></tr>' in html
    facts = "\n".join(html_of(table(("", ""), [("run", "x")], right=())))
    assert "<thead>" not in facts and '<tr><th>run</th><td class="word"><bdi>x</bdi></td></tr>' in facts


HOSTILE = [
    "<script>alert(1)</script>",
    "</td></table><img src=x onerror=alert(1)>",
    "a | b \\| c \\",
    "**bold** `code` [x](http://y) &amp; &lt; &",
    "# no heading",
    "\\",
    "|",
    "*",
    "`",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_data_shows_as_it_is_in_every_place(text: str) -> None:
    shown = " ".join(text.split())
    assert seen(f"# {escaped(text)}").cells == [shown]
    assert seen(f"- {escaped(text)}").cells == [shown]
    assert seen(f"**{escaped(text)}**").cells == [shown]
    assert seen(*table(("a", "b"), [(escaped(text), escaped(text))], ())).cells == ["a", "b", shown, shown]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), max_size=20))
def test_any_text_shows_as_it_is(text: str) -> None:
    shown = " ".join(text.split())
    found = seen(*table(("a", "b"), [(escaped(text), "x")], ()))
    assert found.cells == ["a", "b", shown, "x"]
    assert set(found.tags) == {"div", "table", "thead", "tr", "th", "tbody", "td", "bdi"}


def test_what_is_hidden_or_turns_the_writing_is_named() -> None:
    text = "a\x00b\u202egnp.exe\u202c\u200bc\u2028d\ufeffe\x85f\r\ng\rh\ti<j>"
    html = block(text)
    for code in ("0000", "202E", "202C", "200B", "2028", "FEFF", "0085", "000D"):
        assert f"⟨U+{code}⟩" in html
    for character in "\x00\u202e\u202c\u200b\u2028\ufeff\x85\r":
        assert character not in html
    assert html.endswith('<span class="code">⟨U+000D⟩</span>h\ti&lt;j&gt;')
    assert "f\ng" in html
    assert Seen(inline(text)).tags == ["bdi"]
    assert "⟨U+202E⟩" in inline(text) and "\u202e" not in inline(text)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"]), max_size=20))
def test_a_block_is_the_text(text: str) -> None:
    found = Seen(block(text))
    assert set(found.tags) <= {"span"}
    if not found.tags and "\ufffd" not in found.text:
        assert found.text == text
