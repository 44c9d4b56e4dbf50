"""Values of the TOML as texts in edits, and back."""

from __future__ import annotations

from dataclasses import fields as dataclass_fields
from typing import Any

import pytest

from gacc_gui.gui.runner import fields
from gacc_gui.gui.runner.fields import Field, Kind, addresses, shown, understood
from gacc_gui.runner import config_model

NUMBER = Field(("n",), "N", Kind.NUMBER)
LIST = Field(("l",), "L", Kind.LIST)
TABLE = Field(("t",), "T", Kind.TABLE)


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (NUMBER, "3", 3),
        (NUMBER, " 10 000 ", 10000),
        (NUMBER, "0.25", 0.25),
        (NUMBER, ".5", 0.5),
        (NUMBER, "many", "many"),
        (NUMBER, "", None),
        (LIST, "0.1, 0.25 0.5", ["0.1", "0.25", "0.5"]),
        (LIST, "http://a/v1,\nhttp://b/v1", ["http://a/v1", "http://b/v1"]),
        (TABLE, "context = text, goal = aim", {"context": "text", "goal": "aim"}),
        (TABLE, '{"a": {"b": [1]}}', {"a": {"b": [1]}}),
        (TABLE, "sentences = 3, fast = true", {"sentences": 3, "fast": True}),
        (TABLE, "{no", "{no"),
        (TABLE, "only words", "only words"),
    ],
)
def test_what_a_text_means(field: Field, text: str, value: Any) -> None:
    assert understood(field, text) == value


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (NUMBER, 3),
        (NUMBER, 0.28),
        (NUMBER, "many"),
        (LIST, ["0.1", "0.25"]),
        (TABLE, {"context": "text", "goal": "aim"}),
        (TABLE, {"context": "3"}),
        (TABLE, {"seed": 7, "fill": 1.1, "fast": True}),
        (TABLE, {"two words": "x", "a": True}),
        (TABLE, {"a": "true"}),
        (TABLE, {"a": "x, y"}),
        (TABLE, {"a": {"b": [1, None]}, "c": 0.5}),
        (TABLE, {}),
    ],
)
def test_a_value_shown_means_itself(field: Field, value: Any) -> None:
    assert understood(field, shown(field, value)) == value


def test_one_address_and_several() -> None:
    assert addresses(["http://a"]) == ("base_url", "http://a")
    assert addresses(["http://a", "http://b"]) == ("base_urls", ["http://a", "http://b"])


@pytest.mark.parametrize(
    ("shape", "shown_fields", "elsewhere"),
    [
        (config_model.DatasetConfig, (*fields.DATASET, fields.COLUMNS), set()),
        (config_model.EvaluationSettings, fields.CELLS, set()),
        (config_model.LimitsConfig, fields.LIMITS, set()),
        (
            config_model.PartConfig,
            (
                *(fields.part_field("reader"), fields.PART_NAME, fields.PART_REVISION),
                *(fields.PART_TIMEOUT, fields.PART_OPTIONS, fields.ENDPOINT_OF_PART, *fields.MODEL_PART),
            ),
            set(),
        ),
        (config_model.EndpointConfig, fields.ENDPOINT, {"name", "base_urls", "service"}),
        (config_model.RunConfig, fields.RUN, {"id", "created_at", "diagnostic_only"}),
    ],
)
def test_the_form_has_every_key(shape: type, shown_fields: tuple[Field, ...], elsewhere: set[str]) -> None:
    """A key that is added to the configuration has its edit, or is named here as one for the TOML only."""
    there = {field.key[0] for field in shown_fields}
    assert {item.name for item in dataclass_fields(shape)} - there == elsewhere


def test_plain_options_need_no_brackets() -> None:
    assert shown(TABLE, {"seed": 7, "fill": 1.1, "fast": True}) == "seed = 7, fill = 1.1, fast = true"
