"""Token counts of a memory, counted again from its stored texts: the figures beside the declared ones.

Runs in a worker; holds no widget. Not owned: the check of a whole run, which is `app.verifying`.
"""

from __future__ import annotations

from dataclasses import dataclass

from gacc_gui.core.boundary import cut
from gacc_gui.core.errors import CodecUnavailable, GaccError
from gacc_gui.core.records import Context, Memory, Run
from gacc_gui.core.tokens import Codec


@dataclass(frozen=True, slots=True)
class Recount:
    """What the tokenizer says of a memory; each None where there is nothing to count."""

    codec: str
    source_tokens: int | None
    proposed_tokens: int | None
    retained_tokens: int | None
    unused_budget: int | None
    reencoded_tokens: int | None
    retained_agrees: bool | None
    """Whether cutting the proposal at the budget gives the stored retained text."""


def codec_of(run: Run) -> Codec:
    """Load the tokenizer that a run declares. Raises CodecUnavailable in a plain sentence."""
    from gacc_gui.formats.vocabulary import load_codec

    name = (run.tokenizer or {}).get("name")
    if not isinstance(name, str) or not name:
        raise CodecUnavailable("the run names no tokenizer")
    return load_codec(name)


def recount(run: Run, memory: Memory, context: Context) -> Recount | GaccError:
    """Count again; the error is returned where no tokenizer is at hand: counts are then unavailable."""
    try:
        codec = codec_of(run)
    except CodecUnavailable as error:
        return error
    source = codec.count(context.text)
    if memory.proposed_text is None:
        return Recount(codec.name, source, None, None, None, None, None)
    if memory.budget is None or memory.budget < 0:
        return Recount(codec.name, source, codec.count(memory.proposed_text), None, None, None, None)
    made = cut(codec, memory.proposed_text, memory.budget)
    return Recount(
        codec=codec.name,
        source_tokens=source,
        proposed_tokens=made.proposed_tokens,
        retained_tokens=made.retained_tokens,
        unused_budget=made.unused_budget,
        reencoded_tokens=made.reencoded_tokens,
        retained_agrees=None if memory.retained_text is None else made.retained_text == memory.retained_text,
    )
