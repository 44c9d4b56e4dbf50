"""A configuration's text, changed key by key: what is not changed stays to the letter."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.gui.runner.document import Document, dotted

TEXT = """# what this is for
[run]
name = "x"  # why

[dataset]
path = "a.json"

# the baseline
[[compressors]]
part = "lead"

[[compressors]]
part = "tail"

[compressors.options]
sentences = 3

[endpoints.main]
base_url = "http://x/v1"

[endpoints.main.price]
input = 1.0
"""


def test_values_names_and_counts() -> None:
    document = Document(TEXT)
    assert document.value(("run", "name")) == "x"
    assert document.value(("compressors", 1, "options", "sentences")) == 3
    assert document.value(("compressors", 7, "part")) is None
    assert document.value(("run", "name", "deeper")) is None
    assert document.count(("compressors",)) == 2
    assert document.names(("endpoints",)) == ["main"]
    assert document.names(("nothing",)) == []


def test_a_changed_value_leaves_comments_and_order() -> None:
    changed = Document(TEXT).with_value(("run", "name"), "y").text
    assert changed == TEXT.replace('"x"', '"y"')


def test_tables_on_the_way_are_made() -> None:
    made = (
        Document(TEXT)
        .with_value(("limits", "calls"), 3)
        .with_value(("endpoints", "b", "price", "input"), 2.5)
    )
    values = tomllib.loads(made.text)
    assert values["limits"] == {"calls": 3}
    assert values["endpoints"]["b"] == {"price": {"input": 2.5}}
    assert "# the baseline" in made.text


def test_a_key_and_an_entry_go() -> None:
    document = Document(TEXT).without(("compressors", 0)).without(("run", "name")).without(("no", "key"))
    assert document.count(("compressors",)) == 1
    assert document.value(("compressors", 0, "options", "sentences")) == 3
    assert document.value(("run",)) == {}


@pytest.mark.parametrize("text", ["", TEXT, 'compressors = [{part = "lead"}]\n'])
def test_an_entry_comes(text: str) -> None:
    before = Document(text)
    after = before.with_entry(("compressors",), {"part": "oracle"})
    assert after.count(("compressors",)) == before.count(("compressors",)) + 1
    assert after.value(("compressors", after.count(("compressors",)) - 1, "part")) == "oracle"
    again = after.with_value(("compressors", after.count(("compressors",)) - 1, "name"), "best")
    assert again.value(("compressors", after.count(("compressors",)) - 1)) == {
        "part": "oracle",
        "name": "best",
    }


def test_a_table_under_another_name_keeps_what_is_in_it() -> None:
    document = Document(TEXT).renamed(("endpoints", "main"), "other")
    assert tomllib.loads(document.text)["endpoints"] == {
        "other": {"base_url": "http://x/v1", "price": {"input": 1.0}}
    }
    assert Document(TEXT).renamed(("endpoints", "nobody"), "other").text == TEXT


def test_what_is_no_toml_can_only_be_replaced() -> None:
    document = Document("[run\nname = ")
    assert not document.is_sound
    assert document.value(("run", "name")) is None
    with pytest.raises(ValueError, match="not TOML"):
        document.with_value(("run", "name"), "x")


def test_line_ends_and_marks_of_other_editors() -> None:
    document = Document("\ufeff[run]\r\nname = 'x'\r\n")
    assert document.is_sound
    assert document.with_value(("run", "name"), "y").value(("run", "name")) == "y"


def test_keys_as_problems_name_them() -> None:
    assert dotted(("compressors", 1, "part")) == "compressors[1].part"
    assert dotted(("endpoints", "two words", "model")) == 'endpoints."two words".model'


keys = st.sampled_from(
    [
        ("run", "name"),
        ("run", "seed"),
        ("dataset", "path"),
        ("compressors", 0, "name"),
        ("compressors", 1, "options"),
        ("endpoints", "main", "price", "output"),
        ("endpoints", "second", "model"),
        ("evaluation", "ratios"),
        ("limits", "calls"),
    ]
)
values = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.integers(-9, 10**12),
    st.booleans(),
    st.lists(st.text("ab1.", max_size=3), max_size=3),
    st.dictionaries(st.text("ab- é", min_size=1, max_size=3), st.integers(0, 9), max_size=2),
)


@given(st.lists(st.tuples(keys, values), max_size=6))
def test_what_is_put_in_is_there_and_the_rest_is_as_before(changes: list) -> None:
    document = Document(TEXT)
    wanted = tomllib.loads(TEXT)
    for key, value in changes:
        document = document.with_value(key, value)
        table = wanted
        for part in key[:-1]:
            table = table[part] if isinstance(part, int) else table.setdefault(part, {})
        table[key[-1]] = value
    assert tomllib.loads(document.text) == wanted
