"""`compaction select`: what was read, what each filter dropped, what was taken."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gacc_gui import terminal

if TYPE_CHECKING:
    from gacc_gui.app.compaction_selecting import Selection


def select(
    dataset: str, output: str, *, bridge: int | None, comparison: int | None, seed: int | None, as_json: bool
) -> int:
    """Select questions into a new file; what was not given has its default."""
    from gacc_gui.app.compaction_selecting import select_questions
    from gacc_gui.core.hotpot_selection import DEFAULT_COUNT, DEFAULT_SEED

    counts = {
        "bridge": DEFAULT_COUNT if bridge is None else bridge,
        "comparison": DEFAULT_COUNT if comparison is None else comparison,
    }
    seed = DEFAULT_SEED if seed is None else seed
    progress = terminal.Progress("select")
    try:
        selection = select_questions(
            Path(dataset), Path(output), counts, seed, lambda done: progress(done, None, "rows")
        )
    finally:
        progress.close()
    if as_json:
        _write_json(selection, output, seed)
    else:
        _write_text(selection, output, seed)
    return 0


def _write_json(selection: Selection, output: str, seed: int) -> None:
    choice = selection.choice
    terminal.write_json(
        {
            "output": output,
            "seed": seed,
            "rows": selection.rows,
            "filters": [
                {"name": drop.filter, "failing": drop.failing, "dropped": drop.dropped}
                for drop in selection.drops
            ],
            "types": {
                kind: {
                    "candidates": candidates,
                    "shared": choice.shared.get(kind, 0),
                    "selected": choice.count(kind),
                }
                for kind, candidates in choice.candidates.items()
            },
            "ids": [taken.candidate.id for taken in choice.taken],
        }
    )


def _write_text(selection: Selection, output: str, seed: int) -> None:
    choice = selection.choice
    left = selection.rows
    rows: list[tuple[str, str, str, str, str]] = [("read", "", "", f"{left:,}", "")]
    for drop in selection.drops:
        left -= drop.dropped
        rows.append((drop.filter, f"{drop.failing:,}", f"{drop.dropped:,}", f"{left:,}", drop.meaning))
    terminal.write_table(
        ("filter", "failing", "dropped", "left", "passes"), rows, right={"failing", "dropped", "left"}
    )
    for kind, candidates in choice.candidates.items():
        terminal.write_text(
            f"{kind}: {choice.count(kind):,} selected of {candidates:,};"
            f" {choice.shared.get(kind, 0):,} passed over because they share an article"
        )
    terminal.write_text(f"seed {seed}, written to {output}")
