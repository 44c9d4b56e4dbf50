"""The charts of a compaction run's methods, for its page and for the window.

Owns what is read for them. Figures and words are `core.method_charts`'.
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
    from gacc_gui.store.reads import Reader


def read_method_charts(reader: Reader, run: Run) -> tuple[MethodChart, ...]:
    """Return the charts of a run. Raises StoreError, BadUsage where it is gone."""
    from gacc_gui.app.compaction_viewing import overview

    return charts_of(run, overview(reader, run))


def charts_of(run: Run, whole: Overview) -> tuple[MethodChart, ...]:
    """Return the charts of a run that was read. A run without a protocol of ours has no ceiling."""
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
    return method_charts(whole.aggregate, ceiling, reserve, kinds)
