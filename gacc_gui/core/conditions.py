"""Which goal a condition lets a compressor see, and what contradicts it. Knows one memory at a time."""

from __future__ import annotations

from collections.abc import Mapping

from gacc_gui.core.records import Memory


def shown_goal_fault(memory: Memory, context_of: Mapping[str, str]) -> str | None:
    """Return what is wrong with the shown goal under the memory's condition, in one clause, or None.

    `context_of` gives the context of each goal. A shown goal that is absent from the file contradicts
    nothing, and neither does any for the uncompressed baseline.
    """
    shown, condition = memory.shown_goal_id, memory.cell.condition
    if condition == "full-context" or (shown is None and "shown_goal_id" in memory.unusual):
        return None
    if condition == "no-goal":
        return None if shown is None else f"no-goal, and the goal {shown} was shown"
    if shown is None:
        return f"{condition}, and no goal was shown"
    if condition == "own-goal":
        return None if shown == memory.goal_id else f"own-goal, and another goal was shown: {shown}"
    if shown == memory.goal_id:
        return "cross-goal, and its own goal was shown"
    if shown in context_of and context_of[shown] != context_of.get(memory.goal_id):
        return f"cross-goal, and a goal of another context was shown: {shown}"
    return None
