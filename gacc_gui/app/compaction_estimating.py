"""How many calls a compaction run makes, before any is made. Owns the bounds; what is asked is `runner`'s."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gacc_gui.core.compaction import FUSION, JEV, SUMMARY, groups_of
from gacc_gui.core.records import Json

if TYPE_CHECKING:
    from gacc_gui.core.tokens import Codec
    from gacc_gui.formats.corpus import Corpus
    from gacc_gui.runner.compaction.planning import Parts
    from gacc_gui.runner.compaction.settings import Settings


def planned_calls(corpus: Corpus, settings: Settings, codec: Codec, parts: Parts) -> dict[str, Json]:
    """Return, by what is asked for, how many calls it takes at least and at most, where no call fails.

    At most: every summary needs all its retries for length.
    """
    decisions = sum(_decisions(corpus, settings, codec, parts))
    ranked = sum(method in (JEV, FUSION) for method in settings.methods)
    summarised = sum(method in (SUMMARY, FUSION) for method in settings.methods)
    each = len(corpus.sound_cases) * settings.generations
    summaries = summarised * each
    answers = len(settings.methods) * each * settings.answers
    asked = ranked * settings.generations * decisions
    return {
        "decisions": [asked, asked],
        # A fusion that keeps everything has nothing to summarise.
        "summaries": [(SUMMARY in settings.methods) * each, summaries * (1 + settings.summary_retries)],
        "answers": [answers, answers],
    }


def _decisions(corpus: Corpus, settings: Settings, codec: Codec, parts: Parts) -> list[int]:
    """Return how many requests it takes to ask about all groups of each case."""
    from gacc_gui.runner.compaction.decisions import batches, passages_of

    decider = parts.decider
    if decider is None:
        return []
    return [
        len(
            list(
                batches(
                    case.task,
                    passages_of(case.files, groups_of(case.files, settings.group_sentences)),
                    settings.decision_batch,
                    decider.batch_tokens,
                    codec.count,
                )
            )
        )
        for case in corpus.sound_cases
    ]
