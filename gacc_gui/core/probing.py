"""Counterfactual re-asks: what a reader is given in the memory's place, and when that makes no sense.

Owns the five materials of `core.records.MATERIALS`. A memory text is all that changes: question, reader and
judge stay the run's own. What the answers mean is `core.probe_findings`'.

- `source`: the whole source; `retained`: the memory once more; `proposal`: the memory with its tail restored;
- `evidence`: the memory, then the missing pieces of evidence, each on a line of its own, as the source words
  them. Of given evidence those are all that are not retained whole. Of references, one of which would do, it
  is the one with the best fate, and none where one is retained;
- `empty`: nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.analysis import PieceSpans, Source, evidence_spans
from gacc_gui.core.causes import ABSENT, FATES, RETAINED
from gacc_gui.core.records import MATERIALS, Memory, Question

SOURCE, RETAINED_AGAIN, PROPOSAL, EVIDENCE, EMPTY = MATERIALS

NO_RETAINED: Final = "the memory has no retained text"
NO_PROPOSAL: Final = "the memory has no proposal"
NO_EVIDENCE: Final = "no evidence was located that could be added"
NOT_IN_SOURCE: Final = "the given evidence is not in the source"


@dataclass(frozen=True, slots=True)
class Material:
    """What takes the memory's place. `text` None: there is none, and `why_not` says so in a clause.

    `added` are the pieces of evidence that were put behind the retained text.
    """

    kind: str
    text: str | None
    why_not: str | None = None
    added: tuple[str, ...] = ()


def material(kind: str, memory: Memory, question: Question, source: Source) -> Material:
    """Return what a reader is given for a question under a memory; `kind` is one of MATERIALS.

    Raises ValueError for another kind.
    """
    if kind == SOURCE:
        return Material(kind, source.haystack.text)
    if kind == EMPTY:
        return Material(kind, "")
    if kind == PROPOSAL:
        proposed = memory.proposed_text
        return Material(kind, proposed, None if proposed is not None else NO_PROPOSAL)
    if kind not in (RETAINED_AGAIN, EVIDENCE):
        raise ValueError(f"there is no material {kind!r}")
    retained = memory.retained_text
    if retained is None:
        return Material(kind, None, NO_RETAINED)
    return Material(kind, retained) if kind == RETAINED_AGAIN else _with_evidence(memory, question, source)


def _with_evidence(memory: Memory, question: Question, source: Source) -> Material:
    pieces = evidence_spans(question, source, memory)
    located = [piece for piece in pieces if piece.fate != ABSENT and piece.source]
    if not located:
        return Material(EVIDENCE, None, NOT_IN_SOURCE if pieces else NO_EVIDENCE)
    if not question.evidence:  # references: any one of them is enough
        located = [min(located, key=lambda piece: FATES.index(piece.fate))]
    added = tuple(dict.fromkeys(_missing(located, source.haystack.text)))
    return Material(EVIDENCE, _in_lines(memory.retained_text or "", added), added=added)


def _missing(pieces: list[PieceSpans], source: str) -> Iterator[str]:
    """Yield the pieces that are not retained, as the source words them: a quote may be folded."""
    for piece in pieces:
        if piece.fate != RETAINED:
            span = piece.source[0]
            yield source[span.start : span.end]


def _in_lines(text: str, lines: tuple[str, ...]) -> str:
    for line in lines:
        text += line if not text or text.endswith("\n") else f"\n{line}"
    return text
