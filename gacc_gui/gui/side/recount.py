"""Token counts of a memory, counted again from its stored texts: the figures beside the declared ones.

Runs in a worker; holds no widget. Not owned: what is compared with what, which is `app.verifying`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gacc_gui.core.errors import CodecUnavailable, GaccError
from gacc_gui.core.records import Context, Memory, Run

if TYPE_CHECKING:
    from gacc_gui.app.verifying import Figure
    from gacc_gui.core.tokens import Codec


@dataclass(frozen=True, slots=True)
class Counted:
    """The figures of a memory by their field, and which tokenizer counted them.

    `is_foreign`: our verified tokenizer counted, and nothing shows that it is the run's own.
    """

    codec: str
    figures: tuple[Figure, ...]
    is_foreign: bool = False

    def tokens(self, field: str) -> int | None:
        """The recomputed count of a field; None where it could not be counted."""
        for figure in self.figures:
            if figure.field == field and isinstance(figure.recomputed, int):
                return figure.recomputed
        return None

    def agrees(self, field: str) -> bool | None:
        """Whether the declared value of a field is the recomputed one; None where one is missing."""
        return next((figure.agrees for figure in self.figures if figure.field == field), None)


def codec_of(run: Run) -> Codec:
    """Load the tokenizer that a run declares. Raises CodecUnavailable in a plain sentence."""
    from gacc_gui.formats.vocabulary import load_codec

    name = (run.tokenizer or {}).get("name")
    if not isinstance(name, str) or not name:
        raise CodecUnavailable("the run names no tokenizer")
    return load_codec(name)


def recount(run: Run, memory: Memory, context: Context) -> Counted | GaccError:
    """Count again; the error is returned where that cannot be done: counts are then unavailable."""
    from gacc_gui.app.verifying import recompute_memory

    try:
        codec = codec_of(run)
        declared = (run.tokenizer or {}).get("revision")
        is_foreign = codec.identity_verified and not _is_revision(declared, codec.revision)
        return Counted(codec.name, recompute_memory(codec, memory, context.text).figures, is_foreign)
    except GaccError as error:
        return error


def _is_revision(declared: object, ours: str) -> bool:
    return isinstance(declared, str) and declared.lower().removeprefix("sha256:") == ours.removeprefix(
        "sha256:"
    )
