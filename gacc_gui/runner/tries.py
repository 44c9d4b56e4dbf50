"""Whether a call of a model may be tried now: what a run may use, and whether it goes on, asked together.

Owns the three questions that a client asks between tries. Not here: the caps (`accounting`), who stops a run
(`control`), and whether another try would help (`endpoint`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from gacc_gui.runner.accounting import Account
from gacc_gui.runner.control import Control


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Tries:
    """What a client asks. `may_begin`: before each try, the first too; `may_try_again`: before it waits for
    another one, which is counted then. `sleep` is how it waits; nothing is on the wire meanwhile.
    """

    may_begin: Callable[[], bool] = _always
    may_try_again: Callable[[], bool] = _always
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


FREE: Final = Tries()
"""For calls that belong to no run."""


def tries_of(account: Account, control: Control) -> Tries:
    """Return what a run allows: no try once it is stopping, and no waiting for one."""

    def may_begin() -> bool:
        if control.stopping:
            account.cut_short = True
        return not control.stopping

    def may_try_again() -> bool:
        return may_begin() and account.may_try_again()

    return Tries(may_begin, may_try_again, control.sleep)
