"""The rule judges of configured evaluations besides `exact`, which is `rules.ExactJudge`.

Not here: the judge that asks a model (`llm_parts`).
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.records import LABELS
from gacc_gui.runner.parts import JudgeInput, JudgeOutput

_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class NormalisedJudge:
    """Correct is what equals a reference once case, ASCII punctuation and English articles are gone.

    The normal form of SQuAD's and HotpotQA's exact match; an answer of which nothing remains is incorrect.
    Without references nothing is judged.
    """

    name: str = "normalised"
    revision: str = "1"

    def __call__(self, given: JudgeInput) -> JudgeOutput:
        """Return the verdict."""
        if not given.references:
            return JudgeOutput(None, "not_judged", rationale="there is no reference to compare with")
        answer = normalised(given.answer)
        right = bool(answer) and any(answer == normalised(reference) for reference in given.references)
        label = LABELS[0] if right else LABELS[1]
        said = "equals a reference in normal form" if right else "equals no reference in normal form"
        return JudgeOutput(label, rationale=said, reply=f"{label}: {said}")


def normalised(text: str) -> str:
    """Return a text in lower case, without ASCII punctuation, articles and superfluous white space."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())
