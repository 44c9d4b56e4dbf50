"""What a command that changes something says where stdout does not take its result: that the work stands.

Else whoever reads of the failure would do the work again, a decision of a reviewer for one. Here because only
the declaration of a command knows that it changes something; a command that only reads says nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from gacc_gui.core.errors import GaccError, Untold

AS_ASKED: Final = "what was asked for was done"
KEPT: Final = "what was done until it ended is kept"
"""For work that may have ended early, which is told by its result alone."""

_Command = Callable[..., int]


def changes(stands: str) -> Callable[[_Command], _Command]:
    """Mark a command as one that changes something; `stands` says what became of that, as half a sentence."""

    def marked(command: _Command) -> _Command:
        @wraps(command)
        def told(**given: Any) -> int:
            try:
                return command(**given)
            except Untold as error:
                if given.get("dry_run"):
                    raise
                raise GaccError(f"{error}; {stands}") from error

        return told

    return marked
