"""The audit of a stored compaction run: the checks of its folder, on what the database holds.

Owns how a run is read and whether the tokenizer is at hand; the checks are `app.compaction_checks`'. What a
GACC run is checked for (budgets that are a ratio of the source, memories cut by tokens, questions that nobody
may have seen) makes no sense here and is not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from gacc_gui.app.check_results import Verification
from gacc_gui.app.compaction_checks import CompactionAudit, Progress
from gacc_gui.core.records import Record

if TYPE_CHECKING:
    from gacc_gui.core.tokens import Codec


def verify_compaction(
    run_id: str,
    records: Iterable[Record],
    tokenizer: Path | None,
    progress: Progress,
    cancelled: Callable[[], bool],
) -> Verification:
    """Run every check; tokens are recounted where `tokenizer`, a `tokenizer.json`, is the run's.

    Raises CodecUnavailable where it cannot be used, Interrupted where `cancelled()` turns true.
    """
    codec: Codec | None = None
    if tokenizer is not None:
        from gacc_gui.formats.hf_tokenizer import load_tokenizer

        codec = load_tokenizer(tokenizer)
    audit = CompactionAudit(list(records), codec, progress=progress, cancelled=cancelled)
    return Verification(run_id, audit.checks())
