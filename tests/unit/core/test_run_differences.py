from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gacc_gui.core.pairing import UnitPair
from gacc_gui.core.records import Cell, Run
from gacc_gui.core.run_differences import Budgets, Stated, differing
from gacc_gui.core.selector import Selector
from gacc_gui.core.sides import Side, SideQuestion, SideUnit, UnitTable

LEAD = Cell("lead", "1", "own-goal", "0.1")
PARTS: dict[str, Any] = {
    "tokenizer": {"name": "cl100k_base", "revision": "1"},
    "reader": {"name": "llm", "revision": "r1"},
    "judge": {"name": "exact", "revision": "1"},
    "protocol": "gacc-bench",
}


def stated(run_id: str, text: str = "?", verified: bool = False, **fields: Any) -> Stated:
    question = SideQuestion("q1", 1, 0, "c1", ("s", "g", text, "[]"))
    unit = SideUnit(1, LEAD, 1, 0, 0, "", "m", 10, "r")
    side = Side(fields.pop("selector", Selector()), [question], [LEAD], UnitTable.of([unit]))
    return Stated(Run(run_id, **{**PARTS, **fields}), verified, side)


def found(
    a: Stated, b: Stated, cells: tuple[Cell, Cell] = (LEAD, LEAD), budgets: tuple[int, int] = (10, 10)
) -> dict[str, tuple[str | None, str | None]]:
    units = [
        SideUnit(n, cell, 1, 0, 0, "", "m", budget, "r")
        for n, cell, budget in zip((1, 2), cells, budgets, strict=True)
    ]

    def told(first: int, second: int, one: Stated, other: Stated) -> dict[str, tuple[str | None, str | None]]:
        tally = Budgets()
        tally.add([UnitPair(units[first], units[second], "c1", ((0, 0),))])
        pairs = [(cells[first], cells[second])]
        return {entry.name: (entry.a, entry.b) for entry in differing(one, other, pairs, tally)}

    entries = told(0, 1, a, b)
    back = {name: (second, first) for name, (first, second) in told(1, 0, b, a).items()}
    assert back == entries
    return entries


def test_nothing_differs() -> None:
    assert found(stated("a"), stated("b")) == {}
    assert found(stated("a"), stated("a")) == {}


def test_parts_by_name_and_revision() -> None:
    entries = found(
        stated("a"), stated("b", reader={"name": "llm", "revision": "r2"}, judge=None, diagnostic_only=True)
    )
    assert entries == {
        "reader": ("llm r1", "llm r2"),
        "judge": ("exact 1", None),
        "diagnostic": (None, "yes"),
    }


def test_the_rest_of_a_part_where_name_and_revision_agree() -> None:
    entries = found(stated("a"), stated("b", verified=True))
    assert entries.keys() == {"tokenizer"}
    assert '"identity_verified": true' in (entries["tokenizer"][1] or "")


def test_another_text_is_another_dataset() -> None:
    (a, b) = found(stated("a"), stated("b", text="!"))["dataset"]
    assert a is not None and a.startswith("1 contexts, 1 goals, 1 questions, sha256:")
    assert a != b


def configuration(**fields: Any) -> dict[str, Mapping[str, Any]]:
    return {
        "configuration": {
            "dataset": "sha256:x",
            "repeats": 1,
            "reader": {"name": "llm", "revision": "r1", "prompt": "sha256:1"},
            "compressors": {"lead": {"revision": "1"}, "other": {"revision": "1", "prompt": "sha256:4"}},
            **fields,
        }
    }


def test_prompts_and_settings_of_a_configuration() -> None:
    a = stated("a", extra=configuration())
    b = stated(
        "b",
        extra=configuration(
            dataset="sha256:y",
            repeats=3,
            reader={"name": "llm", "revision": "r2", "prompt": "sha256:2", "temperature": 0},
            compressors={"lead": {"revision": "2", "prompt": "sha256:3"}},
        ),
    )
    assert found(a, b) == {
        "reader prompt": ("sha256:1", "sha256:2"),
        "reader temperature": (None, "0"),
        "compressor prompt": (None, "sha256:3"),
    }


def test_other_fields_of_a_run_are_named_too() -> None:
    long = "x" * 1000
    entries = found(stated("a", extra={"prompts": {"reader": long}}), stated("b", top_level={"note": "n"}))
    assert entries.keys() == {"prompts", "note"}
    assert len(entries["prompts"][0] or "") < 300


def test_cells_generations_and_budgets() -> None:
    other = Cell("openings", "2", "no-goal", "0.25")
    one = stated("a", selector=Selector(generation=0))
    entries = found(one, stated("a", selector=Selector(generation=1)), (LEAD, other), (10, 25))
    assert entries == {
        "compressor": ("lead", "openings"),
        "revision": ("1", "2"),
        "condition": ("own-goal", "no-goal"),
        "ratio": ("0.1", "0.25"),
        "generation": ("0", "1"),
        "budget": ("10 tokens", "25 tokens"),
    }
