"""`probe`: questions asked once more with something else in the memory's place, and what that shows.

Owns the words; what is done lives in `app.probing`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui import terminal
from gacc_gui.commands.run_telling import RunTelling

if TYPE_CHECKING:
    from gacc_gui.app.probe_planning import ProbeRequest
    from gacc_gui.app.probing import ProbeOutcome

_BAD_INPUT: Final = 2
_FAILED_ITEMS: Final = 3
_INTERRUPTED: Final = 130
_ANSWER: Final = 60
"""Characters of an answer in the table."""


def dry_run(database: Path, run: str, request: ProbeRequest, as_json: bool) -> int:
    """Say what would be asked and what that costs."""
    from gacc_gui.app.probing import look_ahead

    document = look_ahead(database, run, request)
    if as_json:
        terminal.write_json(document)
        return 0
    terminal.write_text(
        f"rows {document['rows']:,}, to be asked {terminal.counted(document['planned'], 'time')}:"
        f" {document['sentence']}"
    )
    _tell_left_out(document)
    return 0


def ask(database: Path, run: str, request: ProbeRequest, *, live: bool, as_json: bool, events: bool) -> int:
    """Ask again, and show the answers and what they mean."""
    from gacc_gui.app.probing import ask_again

    telling = RunTelling("probe", events)
    try:
        outcome = ask_again(database, run, request, live=live, report=telling)
    finally:
        telling.close()
    code = _exit_code(outcome)
    if as_json and code != _BAD_INPUT:
        terminal.write_json(outcome.as_json())
    elif not as_json:
        _show(outcome)
    if outcome.reason is not None:
        terminal.say(
            f"gacc-gui: stopped: {outcome.reason}; of {terminal.counted(outcome.planned, 'probe')}"
            f" {len(outcome.probes):,} are stored"
        )
    return code


def _exit_code(outcome: ProbeOutcome) -> int:
    if outcome.interrupted:
        return _INTERRUPTED
    if outcome.refused:
        return _BAD_INPUT
    return _FAILED_ITEMS if outcome.reason is not None or outcome.failed else 0


def _show(outcome: ProbeOutcome) -> None:
    if not outcome.planned:
        terminal.say("nothing is missing: all that makes sense was asked already")
        return
    terminal.write_table(
        ("memory", "question", "repeat", "with", "attempt", "answer", "result", "seconds", "cost"),
        (
            (
                probe.memory_id,
                probe.question_id,
                probe.repeat,
                probe.given,
                probe.attempt,
                _answer(probe.answer.text, probe.answer.status),
                result,
                "–" if probe.seconds is None else f"{probe.seconds:.2f}",
                "–" if probe.cost is None else f"{probe.cost:.6f}",
            )
            for probe, result in outcome.probes
        ),
        right={"repeat", "attempt", "seconds", "cost"},
    )
    if outcome.head.get("as") == "reviewed":
        terminal.say("note: causes are as reviewed, where reviewers decided")
    for row in outcome.rows:
        memory, question, repeat = row.place
        terminal.write_text(f"{memory}, {question}, repeat {repeat}: {row.finding.sentence}")
        for note in row.finding.notes:
            terminal.write_text(note, indent=4)
    _tell_left_out(outcome.head)


def _answer(text: str | None, status: str) -> str:
    if text is None:
        return f"({status.replace('_', ' ')})"
    return text if len(text) <= _ANSWER else f"{text[:_ANSWER]}…"


def _tell_left_out(head: Any) -> None:
    for one in head["skipped"]:
        terminal.say(
            f"note: {one['memory_id']}, {one['question_id']}: not asked with {one['with']}: {one['reason']}"
        )
    if head["capped"]:
        terminal.say("note: there are more failures; --most says how many are asked again")
