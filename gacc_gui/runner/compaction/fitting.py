"""What fits into an answer input, by the real count of the complete input each time: counts do not add up.

Owns the space, the greedy choice of whole groups, and the exact share of `jev+summary`. Pure but for the
tokenizer. Not here: scores (`decisions`), summaries (`summaries`), how evidence is written (`messages`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gacc_gui.core.compaction import EvidenceFile, Group, TokenCounts
from gacc_gui.core.tokens import Codec
from gacc_gui.runner.compaction.messages import Asked, kept_text, messages_of, serialised
from gacc_gui.runner.prompts import Prompt


@dataclass(frozen=True, slots=True)
class Room:
    """The room in one case's answer input. All numbers are local tokens.

    `fixed`: the input without any evidence. `space`: what is left for evidence below ceiling and reserve;
    negative where even the rest does not fit.
    """

    count: Callable[[str], int]
    """Of the complete input with this evidence."""
    ceiling: int
    reserve: int
    fixed: int

    @property
    def most(self) -> int:
        """What a compressed input may have in all."""
        return self.ceiling - self.reserve

    @property
    def space(self) -> int:
        """What evidence may take."""
        return self.most - self.fixed

    def share(self, share: Fraction) -> int:
        """Return ⌊share × space⌋, exactly; 0 where there is no space."""
        return max(0, share.numerator * self.space // share.denominator)

    def counts(self, local: int, *, is_full: bool = False) -> TokenCounts:
        """Return the counts of an input of `local` tokens."""
        space = None if is_full else self.space
        return TokenCounts(self.ceiling, self.reserve, self.fixed, space, local)


def room_of(codec: Codec, prompt: Prompt, asked: Asked, ceiling: int, reserve: int) -> Room:
    """Return the room in a case's answer input."""

    def count(evidence: str) -> int:
        return codec.count(serialised(messages_of(prompt, asked, evidence)))

    return Room(count, ceiling, reserve, count(""))


def ranked(groups: Sequence[Group], scores: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """Return groups with their scores, highest first; what ties stands in its original order."""
    return tuple(
        sorted(((group.id, scores[group.id]) for group in groups), key=lambda pair: pair[1], reverse=True)
    )


def chosen(
    count: Callable[[str], int],
    files: Sequence[EvidenceFile],
    groups: Sequence[Group],
    ranking: Sequence[tuple[str, float]],
    most: int,
) -> tuple[str, ...]:
    """Return the groups that are kept, in their original order.

    In the order of the ranking, each is kept whole if the complete input with all that is kept still has at
    most `most` tokens; one that does not fit is passed over, and the next is tried.
    """
    kept: set[str] = set()
    for id, _ in ranking:
        if count(kept_text(files, groups, kept | {id})) <= most:
            kept.add(id)
    return tuple(group.id for group in groups if group.id in kept)
