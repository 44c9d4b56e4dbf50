"""A compaction run without the scores that are hidden from a reviewer who is to decide first (`gui.veil`).

Owns what is left of an answer: what was said and of how many tokens, but no score, cause or reason. What a
context kept or dropped is no verdict and stays, as fates do everywhere. Of a method with a hidden answer no
figure is told that follows from scores (`Overview.hides`): a run has so few answers that it would tell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import overload

from gacc_gui.app.compaction_views import AnswerCell, CaseView, Overview
from gacc_gui.core.causes import VEILED
from gacc_gui.core.compaction import NO_SCORES
from gacc_gui.gui.veil import Veil


@overload
def veiled_overview(found: Overview, veil: Veil) -> Overview: ...
@overload
def veiled_overview(found: None, veil: Veil) -> None: ...
@overload
def veiled_overview(found: Overview | None, veil: Veil) -> Overview | None: ...
def veiled_overview(found: Overview | None, veil: Veil) -> Overview | None:
    """Return a run without what is hidden of its answers."""
    if found is None or not veil.rows:
        return found
    return replace(
        found,
        cases=tuple(
            replace(
                case,
                cells={
                    method: tuple(_veiled(cell, veil) for cell in cells)
                    for method, cells in case.cells.items()
                },
            )
            for case in found.cases
        ),
    )


def veiled_case(case: CaseView | None, veil: Veil) -> CaseView | None:
    """Return a case without what is hidden of its answers."""
    if case is None or not veil.rows:
        return case
    answers = []
    for answer in case.answers:
        cell = _veiled(answer.cell, veil)
        answers.append(replace(answer, cell=cell, told=None) if cell.is_hidden else answer)
    return replace(case, answers=tuple(answers))


def _veiled(cell: AnswerCell, veil: Veil) -> AnswerCell:
    if cell.unit is None or not veil.places(cell.unit):
        return cell
    return replace(cell, status=VEILED, cause=None, scores=NO_SCORES)
