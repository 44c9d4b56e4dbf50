from __future__ import annotations

from dataclasses import dataclass

from gacc_gui.core.causes import CAUSES
from gacc_gui.core.completion import complete, quote
from gacc_gui.core.filters import KEYS, FilterError, parse


@dataclass(frozen=True)
class Known:
    compressors: tuple[str, ...] = ("lead", "jev + summary", "pick")
    conditions: tuple[str, ...] = ("own-goal",)
    ratios: tuple[str, ...] = ("0.1", "0.25")
    statuses: tuple[str, ...] = ("judged", "unparsed")
    origins: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ("Ada", "Eve, the second")
    tags: tuple[str, ...] = ()


def offered(text: str, vocabulary: Known | None = None) -> list[str]:
    """Completions at the `|` of a text, applied."""
    cursor = text.index("|")
    text = text.replace("|", "")
    return [text[: c.start] + c.text + text[c.start + c.length :] for c in complete(text, cursor, vocabulary)]


def test_keys() -> None:
    assert offered("|") == [f"{name}:" for name in KEYS]
    assert offered("cau|") == ["cause:"]
    assert offered("away:1 -fl|") == ["away:1 -flag:", "away:1 -flip:"]
    assert offered("review:c|", Known()) == [
        f"review:{x}" for x in ("correct", "conflict", "changed", "incorrect", "unclear")
    ]
    assert offered("reviewer:e|", Known()) == ['reviewer:"Eve, the second"']
    assert offered("flip:non|") == ["flip:none", "flip:nonmonotone"]
    assert offered("co|")[:3] == ["compressor:", "condition:", "correct:"]
    assert offered("ca|use:judge") == ["cause:judge"]
    assert offered("xyzzy|") == []


def test_values() -> None:
    assert offered("cause:|") == [f"cause:{cause}" for cause in CAUSES]
    assert offered("cause:tr|") == ["cause:truncation"]
    assert offered("-cause:judge,com|") == ["-cause:judge,compressor"]
    assert offered("ca|use:") == ["cause:"]
    assert offered("cause:|tru fate:tail")[1] == "cause:truncation fate:tail"
    assert offered("goal-id:|") == []
    assert offered("xyzzy:|") == []


def test_values_of_the_run() -> None:
    assert offered("compressor:|", Known()) == [
        "compressor:lead",
        'compressor:"jev + summary"',
        "compressor:pick",
    ]
    assert offered('compressor:"jev |', Known()) == ['compressor:"jev + summary"']
    assert offered('compressor:"jev |x" a', Known()) == ['compressor:"jev + summary" a']
    assert offered("ratio<=|", Known()) == ["ratio<=0.1", "ratio<=0.25"]
    assert offered("status:un|", Known()) == ["status:unparsed"]
    assert offered("origin:|", Known()) == []


def test_nothing_inside_quoted_words() -> None:
    assert offered('"cau|') == []
    assert offered('-"cau|') == []
    assert offered('"a b" cau|') == ['"a b" cause:']


def test_a_completion_can_be_typed() -> None:
    for text in ("", "cause:", "-fate:t", 'compressor:"j'):
        for completion in complete(text, len(text), Known()):
            whole = text[: completion.start] + completion.text
            if completion.complete:
                parse(whole)
            else:
                assert whole.endswith(":")


def test_quoting() -> None:
    for value in ("plain", "two words", 'a "b"', "a,b", "", "漢字"):
        try:
            assert parse(f"goal-id:{quote(value)}").terms[0].values == (value,)
        except FilterError as mistake:  # pragma: no cover - says which value
            raise AssertionError(value) from mistake
