"""What of a run is there already: a frozen view that `resume` makes of a database, and an empty one.

Owns the shape, so that the engine knows no database.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from gacc_gui.core.records import NOTHING, Answer, Memory, Request
from gacc_gui.runner.call_records import Place


def _nothing_there(_key: object) -> NoReturn:
    raise LookupError("nothing is there")


def _none_kept(_memory_id: str) -> Sequence[Request]:
    return ()


@dataclass(frozen=True, slots=True)
class Known:
    """Items that an earlier session made: by key, whether they are finished; failed ones are tried again.

    `memory` and `answer` read a finished one. `request_ids` are those that are taken. `interrupted` are the
    calls that were under way when the program ended, by the id of a memory that has yet to be made: they are
    handed over with it. `kept` reads the calls that were made for a memory, finished or not, in order.
    """

    memories: Mapping[str, bool] = NOTHING
    answers: Mapping[Place, bool] = field(default_factory=dict)
    verdicts: Mapping[Place, bool] = field(default_factory=dict)
    memory: Callable[[str], Memory] = _nothing_there
    answer: Callable[[Place], Answer] = _nothing_there
    request_ids: Collection[str] = ()
    interrupted: Mapping[str, Sequence[Request]] = NOTHING
    kept: Callable[[str], Sequence[Request]] = _none_kept
