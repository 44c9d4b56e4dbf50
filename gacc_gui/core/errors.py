"""The errors a person may meet. Whatever is not a `GaccError` is a bug and may show its traceback."""

from __future__ import annotations


class GaccError(Exception):
    """A failure that can be told in one plain sentence; the cause, if any, is chained.

    `str(error)` is the sentence: one line, without credentials.
    """


class BadInput(GaccError):
    """A file or a record that cannot be used: names the file, the record and the reason."""

    def __init__(self, reason: str, *, path: str | None = None, record: str | None = None) -> None:
        self.reason = reason
        self.path = path
        self.record = record
        super().__init__(": ".join(part for part in (path, record, reason) if part))


class BadUsage(GaccError):
    """What was asked for makes no sense: an unknown run, a malformed filter, a negative budget."""


class StoreError(GaccError):
    """The database cannot be used: no database, of a newer version, read-only, locked, full."""


class CodecUnavailable(GaccError):
    """A tokenizer is missing or damaged; token counts are then unavailable, never guessed."""


class Interrupted(GaccError):
    """Somebody asked the work to stop; what was committed stays."""


class Untold(GaccError):
    """What a command found or did cannot be written to stdout; what it did stands."""


def is_interruption(error: BaseException) -> bool:
    """Whether an error is somebody's wish to stop, or what other people's code made of it on its way."""
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        if isinstance(one, KeyboardInterrupt | Interrupted):
            return True
        seen.add(id(one))
        left += [one.__cause__, one.__context__]
    return False
