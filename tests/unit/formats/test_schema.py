from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from gacc_gui.core.records import DECISIONS
from gacc_gui.core.reviewing import FAULTS
from gacc_gui.formats.schema import Line, RunDocument, json_schemas
from gacc_gui.resources import resource
from tests.unit.formats.made_runs import documents  # noqa: F401


def test_the_published_schemas_are_current() -> None:
    for name, schema in json_schemas().items():
        published = resource(f"schemas/{name}").read_text(encoding="utf-8")
        assert published == json.dumps(schema, indent=2, ensure_ascii=False) + "\n", (
            f"write json_schemas()['{name}'] to resources/schemas/{name}"
        )


def test_the_shared_runs_are_of_the_published_shape(shared_data: Path) -> None:
    adapter = TypeAdapter(RunDocument)
    for path in sorted((shared_data / "runs").glob("*.gacc-run.json")):
        adapter.validate_json(path.read_bytes())


def test_documents_and_lines(run_document: dict[str, Any]) -> None:
    TypeAdapter(RunDocument).validate_python(run_document)
    line = TypeAdapter(Line)
    line.validate_python({"record": "run", "format": "gacc-run", "format_version": 1, "id": "r", "x": 1})
    line.validate_python({"record": "goal", **run_document["goals"][0]})
    for wrong in ({"record": "review"}, {"record": "goal", "id": 1}, {"record": "run", "id": "r"}):
        with pytest.raises(ValidationError):
            line.validate_python(wrong)


def test_the_schemas_say_what_is_required() -> None:
    schemas = json_schemas()
    document = schemas["gacc-run.schema.json"]
    assert document["required"] == ["format", "format_version", "run"]
    assert document["additionalProperties"] is True
    assert document["$defs"]["AnswerSchema"]["required"] == ["memory_id", "question_id", "status"]
    for review in (
        document["$defs"]["ReviewSchema"],
        schemas["gacc-run-line.schema.json"]["$defs"]["ReviewLine"],
    ):
        assert set(FAULTS) == set(review["properties"]["cause"]["enum"]) - {None}
        others = set(DECISIONS) - {"incorrect"}
        assert set(review["if"]["properties"]["decision"]["enum"]) == others
        assert review["then"] == {"properties": {"cause": {"type": "null"}}}
    mapping = schemas["gacc-run-line.schema.json"]["discriminator"]["mapping"]
    assert sorted(mapping) == sorted(
        ["run", "context", "goal", "question", "memory", "answer", "verdict", "request", "review", "probe"]
    )
