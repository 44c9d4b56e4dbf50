"""The charts of a compaction run's methods, for its page and for the window.

Owns what of a run they are made of. Figures and words are `core.method_charts`'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gacc_gui.core.method_charts import method_charts
from gacc_gui.formats.compaction_records import protocol_of

if TYPE_CHECKING:
    from gacc_gui.app.compaction_views import Overview
    from gacc_gui.core.charts import MethodChart
    from gacc_gui.core.records import Run


def charts_of(run: Run, whole: Overview) -> tuple[MethodChart, ...]:
    """Return the charts of a run that was read. A run without a protocol of ours has no ceiling.

    Figures over answers of which any is hidden are not told.
    """
    try:
        settings = protocol_of(run).get("settings")
    except KeyError:
        settings = None
    told = settings if isinstance(settings, Mapping) else {}
    ceiling, reserve = (
        value if type(value := told.get(name)) is int else None for name in ("ceiling", "reserve")
    )
    kinds: dict[str, list[str]] = {}
    for case in whole.cases:
        kinds.setdefault(case.kind, []).append(case.id)
    scored = [(method, kind) for method in whole.planned.methods for kind in (None, *kinds)]
    hidden = frozenset(one for one in scored if whole.hides(*one))
    return method_charts(whole.aggregate, ceiling, reserve, kinds, hidden)
