"""What a part is told is fixed by its input's type: no compressor can be handed a question."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from gacc_gui.runner.parts import CompressorInput, JudgeInput, ReaderInput


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (CompressorInput, {"context", "goal", "budget"}),
        (ReaderInput, {"memory", "question"}),
        (JudgeInput, {"source", "question", "references", "answer"}),
    ],
)
def test_an_input_has_these_fields_and_no_others(kind: type, names: set[str]) -> None:
    assert {field.name for field in fields(kind)} == names


def test_nothing_can_be_added_to_an_input() -> None:
    given = CompressorInput("text", None, 3)
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        given.question = "Which?"  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        given.goal = "another"  # type: ignore[misc]
