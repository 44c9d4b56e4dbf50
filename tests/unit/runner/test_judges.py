"""What the normalised judge takes for equal."""

from __future__ import annotations

import pytest

from gacc_gui.runner.judges import NormalisedJudge
from gacc_gui.runner.parts import JudgeInput


@pytest.mark.parametrize(
    ("answer", "references", "label"),
    [
        ("The  pump!", ("pump",), "correct"),
        ("U.S.A.", ("usa",), "correct"),
        ("4150 euros", ("nobody", "4,150 euros"), "correct"),
        ("not correct", ("correct",), "incorrect"),
        ("pumps", ("pump",), "incorrect"),
        ("", ("pump",), "incorrect"),
        ("the", ("a",), "incorrect"),  # of neither anything remains
        ("...", ("!!!",), "incorrect"),
        ("θ", ("Θ",), "correct"),
    ],
)
def test_labels(answer: str, references: tuple[str, ...], label: str) -> None:
    output = NormalisedJudge()(JudgeInput("source", "question", references, answer))
    assert (output.label, output.status) == (label, "judged")


def test_without_references_nothing_is_judged() -> None:
    output = NormalisedJudge()(JudgeInput("source", "question", (), "pump"))
    assert (output.label, output.status) == (None, "not_judged")
