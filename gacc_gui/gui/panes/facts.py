"""The words around the three texts: titles with counts, the label of the cut, notices, empty states.

Counts are the file's own; what was not declared is said to be unavailable and never shown as 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from gacc_gui.core.boundary import Boundary, stored_boundary
from gacc_gui.core.causes import FAILED
from gacc_gui.core.records import Ledger
from gacc_gui.gui.panes.characters import describe, shown_text
from gacc_gui.gui.panes.display import Label
from gacc_gui.store.rows import UnitView


@dataclass(frozen=True, slots=True)
class PaneFacts:
    """What stands around one text. `empty` replaces the text where there is none."""

    title: str
    figures: str = ""
    short: str = ""
    """What of the figures stands where there is hardly room."""
    text: str = ""
    head: str = ""
    foot: str = ""
    notice: str = ""
    empty: str = ""
    ground: str = "base"
    """The theme's colour behind the text."""
    labels: tuple[Label, ...] = ()
    """Lines of ours within the text."""


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """The three panes of a unit. `boundary` None: it is not known, or there is no memory."""

    source: PaneFacts
    retained: PaneFacts
    tail: PaneFacts
    boundary: Boundary | None = None
    proposal: str = ""
    failed: bool = False


NO_UNIT = UnitFacts(
    source=PaneFacts("Source", empty="Choose a goal in the list.\nIts source is shown here."),
    retained=PaneFacts("Retained", empty="What the budget left of the proposal\nis shown here."),
    tail=PaneFacts("Tail", empty="What the budget cut off\nis shown here."),
)


def unit_facts(view: UnitView) -> UnitFacts:
    """Put a unit's texts and what is said about them into words."""
    memory = view.memory
    proposal, retained = memory.proposed_text or "", memory.retained_text or ""
    ledger = memory.ledger or Ledger()
    source = PaneFacts(
        "Source",
        _figures(ledger.source_tokens, view.context.text),
        _short(ledger.source_tokens),
        view.context.text,
        empty="" if view.context.text else "The source is empty.",
    )
    if memory.status in FAILED and not retained and not proposal:
        reason = shown_text(memory.error) if memory.error else "The run gives no reason."
        word = "gave no memory" if memory.status == "no_answer" else "failed"
        return UnitFacts(
            source,
            PaneFacts("Retained", empty=f"The compressor {word}: nothing was retained.\n{reason}"),
            PaneFacts("Tail", empty="There is no proposal, so nothing was cut off."),
            failed=True,
        )
    boundary = stored_boundary(proposal, retained)
    if boundary is None:
        return UnitFacts(
            source, *_unknown_boundary(ledger, memory.budget, proposal, retained), None, proposal
        )
    tail = proposal[boundary.characters :]
    label = cut_label(boundary, proposal, ledger) if tail else ""
    return UnitFacts(
        source,
        PaneFacts(
            "Retained",
            _retained_figures(ledger, memory.budget, retained),
            _used(ledger, memory.budget),
            retained,
            foot=label if retained else "",
            notice=_failure_notice(memory.status, memory.error),
            empty="" if retained else _why_empty(memory.budget, proposal),
        ),
        PaneFacts(
            "Tail",
            _figures(tail_tokens(ledger), tail),
            _short(tail_tokens(ledger)),
            tail,
            head=label,
            empty="" if tail else _why_no_tail(memory.budget, proposal),
            ground="tail_tint" if tail else "base",
        ),
        boundary,
        proposal,
    )


def cut_label(boundary: Boundary, proposal: str, ledger: Ledger) -> str:
    """Tell where the cut falls and what it splits: `✂ token 256 of 391, character 1,198, …`."""
    parts = []
    if ledger.retained_tokens is not None:
        of = "" if ledger.proposed_tokens is None else f" of {ledger.proposed_tokens:,}"
        parts.append(f"token {ledger.retained_tokens:,}{of}")
    else:
        parts.append("token not declared")
    parts.append(f"character {boundary.characters:,}")
    if boundary.splits_character:
        character = proposal[boundary.characters]
        visible = describe(character) or f"{character} U+{ord(character):04X}"
        parts.append(f"splits the character {visible}")
    if boundary.word is not None and not boundary.word[0]:
        parts.append(f"beginning “{_one_line(boundary.word[1])}”")
    elif boundary.word is not None:
        parts.append(f"inside “{_one_line(boundary.word[0])}|{_one_line(boundary.word[1])}”")
    elif boundary.splits_sentence and not boundary.splits_character:
        parts.append("inside a sentence")
    elif not boundary.splits_character:
        parts.append("between sentences")
    # Commas: where the label wraps, one may end a line, and a dot would dangle there.
    return "✂ " + ", ".join(parts)


def tail_tokens(ledger: Ledger) -> int | None:
    """Tokens behind the cut, as declared."""
    if ledger.proposed_tokens is None or ledger.retained_tokens is None:
        return None
    return max(0, ledger.proposed_tokens - ledger.retained_tokens)


def _unknown_boundary(
    ledger: Ledger, budget: int | None, proposal: str, retained: str
) -> tuple[PaneFacts, PaneFacts]:
    return (
        PaneFacts(
            "Retained",
            _retained_figures(ledger, budget, retained),
            _used(ledger, budget),
            retained,
            notice="✂ Boundary unknown: this text is no prefix of the proposal.",
            empty="" if retained else "The retained text is empty.",
        ),
        PaneFacts(
            "Proposal",
            _figures(ledger.proposed_tokens, proposal),
            _short(ledger.proposed_tokens),
            proposal,
            notice="✂ Boundary unknown: the whole proposal is shown, not the tail alone.",
            empty="" if proposal else "The run holds no proposal.",
        ),
    )


def _figures(tokens: int | None, text: str) -> str:
    counted = "tokens unavailable" if tokens is None else f"{tokens:,} tok"
    return f"{counted} · {len(text):,} chars"


def _short(tokens: int | None) -> str:
    return f"{_number(tokens)} tok"


def _number(tokens: int | None) -> str:
    return "–" if tokens is None else f"{tokens:,}"


def _used(ledger: Ledger, budget: int | None) -> str:
    return f"{_number(ledger.retained_tokens)}/{_number(budget)} tok"


def _retained_figures(ledger: Ledger, budget: int | None, text: str) -> str:
    why = "" if ledger.retained_tokens is not None else ", use unavailable"
    return f"{_used(ledger, budget)}{why} · {len(text):,} chars"


def _failure_notice(status: str, error: str | None) -> str:
    if status == "ok":
        return ""
    told = {
        "truncated": "The compressor's reply was truncated by its own limit.",
        "no_answer": "The compressor gave no answer; what it did give is shown.",
        "error": "The compressor failed; what it gave before is shown.",
    }.get(status, f"Status of the memory: {_one_line(status)}.")
    return f"{told} {_one_line(error)}" if error else told


def _why_empty(budget: int | None, proposal: str) -> str:
    if budget == 0:
        return "The budget is 0 tokens:\nthe memory is empty by the protocol."
    if not proposal:
        return "The compressor proposed nothing:\nthe memory is empty."
    return "The memory is empty:\nthe cut falls before the first character."


def _why_no_tail(budget: int | None, proposal: str) -> str:
    if proposal and budget is None:
        return "Nothing was cut off:\nno budget is stated."
    if proposal:
        return "Nothing was cut off:\nthe proposal fits in the budget."
    return "Nothing was proposed,\nso nothing was cut off."


def _one_line(text: str) -> str:
    return shown_text(text).replace("\n", " ")
