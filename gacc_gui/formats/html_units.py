"""A goal under one memory as HTML: its questions, the source's evidence, and the memory with its cut.

Owns how excerpts look. What is shown of a text is `core.excerpts`'.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gacc_gui.core.causes import LETTERS
from gacc_gui.core.excerpts import CUT, HIDDEN, LEFT_OUT, PLAIN, Part
from gacc_gui.core.terms import GOALS
from gacc_gui.formats.html_text import NAME, block, inline
from gacc_gui.formats.report_shapes import QuestionTold, UnitTold

_CAUSES: Final = {letter: cause for cause, letter in LETTERS.items()}
_FATES: Final = frozenset({"retained", "cut", "tail", "omitted", "absent"})


def unit_html(unit: UnitTold, heading: str = "h3", *, goal_is_known: bool = False) -> Iterator[str]:
    """Yield a unit's article; `goal_is_known`: the page is about its goal."""
    # With the revision, as the page's table names it: a compressor's name may have several.
    name = inline(GOALS.cell_name(unit.cell, with_revision=True) if goal_is_known else unit.goal_id, NAME)
    yield '<article class="unit">'
    yield f"<{heading}>{name} {strip(unit.strip)}</{heading}>"
    if not goal_is_known:
        yield f'<p class="goal">{inline(unit.goal)}</p>'
    yield f'<p class="muted">{_about(unit)}</p>'
    if unit.memory_error:
        yield f"<p>The memory failed ({inline(unit.memory_status)}): {inline(unit.memory_error)}</p>"
    yield from _questions(unit)
    source = f"Source, {unit.source_characters:,} characters"
    if unit.ledger.source_tokens is not None:
        source += f", {unit.ledger.source_tokens:,} tokens"
    yield from excerpt(source, unit.source)
    if unit.proposal:
        yield from excerpt(f"Retained text ({unit.boundary})", unit.memory)
        yield from excerpt("Proposal", unit.proposal)
    else:
        yield from excerpt("Memory and truncated tail", unit.memory, unit.boundary)
    yield "</article>"


def _about(unit: UnitTold) -> str:
    cell, ledger = unit.cell, unit.ledger
    told = [inline(" ".join(filter(None, (cell.compressor, cell.revision))), NAME), inline(cell.condition)]
    budget = "no budget" if unit.budget is None else f"budget {unit.budget:,} tokens"
    told.append(f"ratio {inline(cell.ratio)}, {budget}")
    if ledger.retained_tokens is not None and ledger.proposed_tokens is not None:
        told.append(f"{ledger.retained_tokens:,} of {ledger.proposed_tokens:,} proposed tokens retained")
    if unit.generation or unit.repeat:
        told.append(f"generation {unit.generation:,}, repeat {unit.repeat:,}")
    told.append(f"context {inline(unit.context_title or unit.context_id, NAME)}")
    return " · ".join(told)


def strip(letters: str) -> str:
    """Return a goal's questions as a letter each, coloured by cause."""
    cells = "".join(
        f'<span class="{_CAUSES.get(letter, "no-verdict")}">{letter}</span>' for letter in letters
    )
    return f'<span class="strip">{cells}</span>'


def _questions(unit: UnitTold) -> Iterator[str]:
    yield '<div class="wide"><table class="questions"><thead><tr>'
    headings = ("#", "question", "references", "answer", "label", "cause", "fate")
    yield "".join(f"<th>{heading}</th>" for heading in headings)
    yield "</tr></thead><tbody>"
    for question in unit.questions:
        yield from _question(question)
    yield "</tbody></table></div>"
    if len(unit.questions) < unit.question_count:
        shown = f"{len(unit.questions):,} of {unit.question_count:,} questions, failing first."
        yield f'<p class="muted">{shown}</p>'


def _question(told: QuestionTold) -> Iterator[str]:
    fate = ", ".join((told.fate, *told.flags))
    yield (
        f'<tr><td class="n">{told.number}</td><td>{inline(told.text)}</td>'
        f"<td>{' · '.join(map(inline, told.references)) or '–'}</td><td>{_answer(told)}</td>"
        f"<td>{inline(told.label or told.status)}</td><td>{_cause(told.cause)}</td>"
        f"<td>{inline(fate)}</td></tr>"
    )
    more = []
    if told.rationale:
        more.append(f"Judge: {inline(told.rationale)}")
    more += [f"Review: {inline(line)}" for line in told.reviewed]
    more += [f"Probe: {inline(line)}" for line in told.probed]
    if more:
        yield f'<tr class="more"><td></td><td colspan="6">{"<br>".join(more)}</td></tr>'


def _answer(told: QuestionTold) -> str:
    if told.answer is None:
        return f'<span class="muted">{inline(told.answer_status or "no answer")}</span>'
    words = inline(told.answer) if told.answer else '<span class="muted">the empty answer</span>'
    if told.answer_left_out:
        words += f' <span class="muted">… and {told.answer_left_out:,} characters more</span>'
    if told.answer_status not in (None, "ok"):
        words += f' <span class="muted">({inline(told.answer_status or "")})</span>'
    return words


def _cause(cause: str) -> str:
    letter = LETTERS.get(cause, "")
    return f'<span class="strip"><span class="{cause}">{letter}</span></span> {cause.replace("-", " ")}'


def excerpt(title: str, parts: Sequence[Part], cut: str = "") -> Iterator[str]:
    """Yield a text's excerpt under its title. `cut` are the words on the line where the text is cut."""
    yield f"<h4>{inline(title)}</h4>"
    if not parts or all(part.kind == CUT for part in parts):
        why = f"{cut[:1].upper()}{cut[1:]}." if cut else "There is no text."
        yield f'<p class="muted">{inline(why)}</p>'
        return
    at = next((place for place, part in enumerate(parts) if part.kind == CUT), None)
    if at is None:
        yield f'<div class="text">{_parts(parts)}</div>'
        return
    if before := parts[:at]:
        yield f'<div class="text">{_parts(before)}</div>'
    yield f'<p class="the-cut">✂ {inline(cut)}</p>'
    if behind := parts[at + 1 :]:
        yield f'<div class="text behind">{_parts(behind)}</div>'


def _parts(parts: Iterable[Part]) -> str:
    return "".join(map(_part, parts))


def _part(part: Part) -> str:
    if part.kind == LEFT_OUT:
        return f'<span class="gap">[… {part.characters:,} characters …]</span>'
    if part.kind == HIDDEN:
        return '<span class="gap">[removed]</span>'
    if part.kind == PLAIN:
        return block(part.text)
    style = part.kind if part.kind in _FATES else "evidence"
    return f'<mark class="{style}">{block(part.text)}</mark><sup>{inline(part.kind)}</sup>'
