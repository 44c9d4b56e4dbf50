"""`score hotpotqa`: the official figures on stdout, what could not count on stderr."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gacc_gui import terminal

if TYPE_CHECKING:
    from gacc_gui.app.scoring import Remarks

_NAMED: Final = 5
"""Question ids named in a message; of more, their number."""


def score_hotpotqa(gold: str, predictions: str, official_ids: bool, as_json: bool) -> int:
    """Score a submission."""
    from gacc_gui.app.scoring import score_submission
    from gacc_gui.core.hotpot_scores import SentenceIds

    progress = terminal.Progress("score")
    try:
        scoring = score_submission(
            Path(gold),
            Path(predictions),
            SentenceIds.OFFICIAL if official_ids else SentenceIds.STRICT,
            lambda done: progress(done, None, "questions"),
        )
    finally:
        progress.close()
    _tell(scoring.remarks, official_ids)
    figures = scoring.metrics.as_json()
    if as_json:
        terminal.write_json(figures)
        return 0
    parts = (("answer", ""), ("supporting facts", "sp_"), ("joint", "joint_"))
    terminal.write_table(
        (f"of {scoring.questions:,}", "EM", "F1", "precision", "recall"),
        (
            (part, *(f"{figures[prefix + name]:.4f}" for name in ("em", "f1", "prec", "recall")))
            for part, prefix in parts
        ),
        right={"EM", "F1", "precision", "recall"},
    )
    return 0


def _tell(remarks: Remarks, official_ids: bool) -> None:
    credited = "credits" if official_ids else "would credit"
    rule = "the benchmark's rule gives nothing" if official_ids else "here it earns nothing"
    messages = (
        ("missing answer, counted as zero", remarks.missing_answers),
        ("missing sp fact, counted as zero", remarks.missing_supports),
        ("answer that is no text, counted as zero", remarks.unusable_answers),
        ("supporting facts that are no list, counted as zero", remarks.unusable_supports),
        ("normalises to empty (even an exact match has an F1 of 0)", remarks.empty),
        ("supporting fact that is no title with a whole number", remarks.odd_ids),
        (f"sentence id that the official script {credited}; {rule}", remarks.credited),
        ("prediction for no question of the gold, ignored", remarks.extra),
    )
    for message, ids in messages:
        if ids:
            terminal.say(f"{message}: {len(ids):,} ({_some(ids)})")


def _some(ids: Sequence[str]) -> str:
    return ", ".join(f"{id:.60}" for id in ids[:_NAMED]) + (", …" if len(ids) > _NAMED else "")
