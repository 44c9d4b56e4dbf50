"""The verdict in a judge's reply: read strictly, so that what is unclear is unparsed and never a label.

What counts, outside reasoning in tags:

- a JSON object with `verdict` (`"correct"`, `"incorrect"`) or `correct` (`true`, `false`, or one as a text);
- a line that is nothing but a verdict: `correct`, `incorrect`, `not correct`, `正确`, `不正确`, `错误`;
  behind `Verdict:`, `Grade:`, `Judgement:` or `Conclusion:` anywhere, bare only as first or last line;
- `yes`, `no`, `true`, `false` likewise, bare only as the last line.

Objects and lines that stand alone are final: they must agree. Where there are none, the last object in the
prose counts; one that is torn or no JSON is a verdict that nobody can tell. Everything else is unparsed:
letters (`GRADE: C`), sentences, “partially correct”, refusals, an empty reply. Case, Markdown and outer
punctuation do not matter.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from gacc_gui.core.records import LABELS

_CORRECT, _INCORRECT = LABELS
_LONGEST: Final = 200_000
"""Characters; of a longer reply only the end is read."""

_MOST_OBJECTS: Final = 1_000
"""Opening braces that are looked at, from the end."""
_TAG: Final = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_MARKDOWN: Final = re.compile(r"[*_`#]+")
_FENCE: Final = re.compile(r"\s*(?:```|~~~)\s*(?:json)?\s*", re.IGNORECASE)
_LABEL: Final = re.compile(
    r"(?:(?:final|overall|my)\s+)?(?:verdict|grade|judge?ment|conclusion|decision|判定|判断|结论|結論|评判)\s*(?:is\s*)?[:：=]\s*"
)
_WORDS: Final = {
    "correct": _CORRECT,
    "正确": _CORRECT,
    "正確": _CORRECT,
    "incorrect": _INCORRECT,
    "not correct": _INCORRECT,
    "不正确": _INCORRECT,
    "不正確": _INCORRECT,
    "错误": _INCORRECT,
    "錯誤": _INCORRECT,
}
_SHORT_WORDS: Final = {"yes": _CORRECT, "true": _CORRECT, "no": _INCORRECT, "false": _INCORRECT}
_LEADS_ON: Final = re.compile(
    r"(?:\b(?:not|in|un|non|never|hardly|barely|almost|nearly|mostly|partially|partly|somewhat|half)|n['’]t|不|-)$"
)
"""Ends a line that goes on in the next one, whose word alone would say something else."""
_FEW: Final = 4
"""Words behind `Verdict:` that are a verdict; more are a sentence about one."""
_OUTER: Final = frozenset("PSZC")
_TORN: Final = re.compile(r"""\{\s*(?:["']|$)""")
"""Begins an object, where nothing but the end of the reply follows."""
_BROKEN: Final = re.compile(r"""\{[^{}]*?["'](?:verdict|correct)["']\s*:[^{}]*\}?""", re.IGNORECASE)
"""What means to be an object with a verdict."""
_RATIONALES: Final = ("reason", "rationale", "reasoning", "explanation", "why")


@dataclass(frozen=True, slots=True)
class ParsedVerdict:
    """What a reply says. `status`: `judged`, with a `label`, or `unparsed`, without one."""

    status: str
    label: str | None = None
    rationale: str | None = None


UNPARSED: Final = ParsedVerdict("unparsed")


@dataclass(frozen=True, slots=True)
class _Found:
    """One verdict. `label` None where an object means to give one and gives none.

    `is_torn`: the reply ends in it.
    """

    start: int
    end: int
    label: str | None
    rationale: str | None = None
    is_torn: bool = False


def parse_verdict(reply: str | None) -> ParsedVerdict:
    """Return the verdict in a judge's complete reply; None is no reply."""
    text = _without_reasoning((reply or "")[-_LONGEST:])
    objects = list(_objects(text))
    alone = [found for found in objects if found.is_torn or _stands_alone(text, found)]
    finals = alone + list(_lines(_blanked(text, objects)))
    chosen = finals or objects[-1:]
    labels = {found.label for found in chosen}
    if len(labels) != 1 or None in labels:
        return UNPARSED
    last = chosen[-1]
    rationale = next((found.rationale for found in reversed(chosen) if found.rationale), None)
    return ParsedVerdict("judged", last.label, rationale if rationale is not None else _remark(text, objects))


def _without_reasoning(text: str) -> str:
    """Return what is said outside of reasoning: behind an orphan closing tag, before one never closed."""
    outside: list[str] = []
    at, inside = 0, False
    for tag in _TAG.finditer(text):
        if tag.group(1):
            if not inside:
                outside.clear()
            at, inside = tag.end(), False
        elif not inside:
            outside.append(text[at : tag.start()])
            inside = True
    return " ".join(outside if inside else [*outside, text[at:]])


def _objects(text: str) -> Iterator[_Found]:
    """Yield the JSON objects that give a verdict, or mean to, the outermost first where they are nested."""
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs)
    done = 0
    for brace in [match.start() for match in re.finditer("{", text)][-_MOST_OBJECTS:]:
        if brace < done:
            continue
        try:
            value, end = decoder.raw_decode(text, brace)
        except (ValueError, RecursionError) as error:
            if broken := _broken(text, brace, error):
                yield broken
                done = broken.end
            continue
        if isinstance(value, _Pairs) and (given := value.verdicts()):
            labels = set(given)
            yield _Found(brace, end, labels.pop() if len(labels) == 1 else None, value.rationale())
            done = end


def _broken(text: str, brace: int, error: Exception) -> _Found | None:
    """Return the object that cannot be read from a brace on, where it is torn or means to give a verdict."""
    if (
        isinstance(error, json.JSONDecodeError)
        and _TORN.match(text, brace)
        and (error.msg.startswith("Unterminated string") or not text[error.pos :].strip())
    ):
        return _Found(brace, len(text), None, is_torn=True)
    meant = _BROKEN.match(text, brace)
    return _Found(brace, meant.end(), None) if meant else None


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with all its pairs: a key that stands there twice must not hide what it said first."""

    def verdicts(self) -> list[str | None]:
        return [
            _label_of(value, named=name.strip().casefold())
            for name, value in self
            if name.strip().casefold() in ("verdict", "correct")
        ]

    def rationale(self) -> str | None:
        said = {name.casefold(): value for name, value in self if isinstance(value, str) and value.strip()}
        return next((said[name] for name in _RATIONALES if name in said), None)


def _label_of(value: Any, named: str) -> str | None:
    if isinstance(value, bool):
        return (_CORRECT if value else _INCORRECT) if named == "correct" else None
    if not isinstance(value, str):
        return None
    word = _bare(value)
    return _WORDS.get(word) or (_SHORT_WORDS.get(word) if named == "correct" else None)


def _stands_alone(text: str, found: _Found) -> bool:
    """Whether nothing but a code fence or a label shares the object's first and last line with it."""
    before = text[text.rfind("\n", 0, found.start) + 1 : found.start]
    line_end = text.find("\n", found.end)
    after = text[found.end : line_end if line_end >= 0 else len(text)]
    if after.strip() and not _FENCE.fullmatch(after):
        return False
    before = _MARKDOWN.sub("", before).strip().casefold()
    return before in ("", "json") or _LABEL.fullmatch(before + " ") is not None


def _blanked(text: str, objects: list[_Found]) -> str:
    """Return the text with the objects out of the way: a line inside one is no line of the reply."""
    parts: list[str] = []
    at = 0
    for found in objects:
        parts += [text[at : found.start], "{}"]
        at = found.end
    return "".join([*parts, text[at:]])


def _lines(text: str) -> Iterator[_Found]:
    """Yield the lines that are nothing but a verdict."""
    lines = [line for line in text.split("\n") if line.strip() and not _FENCE.fullmatch(line)]
    for i, line in enumerate(lines):
        first, last = i == 0, i == len(lines) - 1
        if line.lstrip().startswith(">"):
            continue  # a quotation
        word = _bare(line)
        labelled = _LABEL.match(word)
        if labelled:
            word = _bare(word[labelled.end() :])
            if word and word not in _WORDS and word not in _SHORT_WORDS and len(word.split()) <= _FEW:
                yield _Found(i, i, None)  # a verdict of another scale
        elif not first and _LEADS_ON.search(_bare(lines[i - 1])):
            continue
        label = _WORDS.get(word) if labelled or first or last else None
        if label is None and (labelled or last):
            label = _SHORT_WORDS.get(word)
        if label is not None:
            yield _Found(i, i, label)


def _bare(line: str) -> str:
    """Return a line folded, without Markdown, outer punctuation (a question mark stays) and spare spaces."""
    line = _MARKDOWN.sub("", unicodedata.normalize("NFKC", line)).casefold()
    start, end = 0, len(line)
    while start < end and _is_outer(line[start]):
        start += 1
    while end > start and _is_outer(line[end - 1]):
        end -= 1
    return " ".join(line[start:end].split())


def _is_outer(character: str) -> bool:
    return character != "?" and unicodedata.category(character)[0] in _OUTER


def _remark(text: str, objects: list[_Found]) -> str | None:
    """Return what a reply says besides its verdict lines, as the rationale."""
    said = [
        line.strip()
        for line in _blanked(text, objects).split("\n")
        if (word := _bare(line)) and not _WORDS.get(_LABEL.sub("", word)) and word not in _SHORT_WORDS
    ]
    return "\n".join(line for line in said if not _FENCE.fullmatch(line)) or None
