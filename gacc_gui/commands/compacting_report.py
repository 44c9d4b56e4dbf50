"""`compaction report`: a finished run's figures and report made anew, and whether they are what is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from gacc_gui import terminal

if TYPE_CHECKING:
    from gacc_gui.app.compaction_reporting import Rebuilt

_WORDS: Final = {
    "equal": "as it stands",
    "written": "written",
    "different": "DIFFERENT from what the data come to, and left as it is",
}


def report(folder: str, output: str | None, as_json: bool) -> int:
    """Rebuild aggregate and report; exit 1 where something there is not what the data come to."""
    from gacc_gui.app.compaction_reporting import rebuild_report

    rebuilt = rebuild_report(Path(folder), None if output is None else Path(output))
    if as_json:
        terminal.write_json(rebuilt.as_json())
    else:
        _tell(rebuilt)
    return 0 if rebuilt.stands else 1


def _tell(rebuilt: Rebuilt) -> None:
    for name, outcome in rebuilt.files:
        terminal.write_text(f"{rebuilt.output / name}: {_WORDS[outcome]}")
    for one in rebuilt.changed:
        word = "MISSING" if one.is_missing else "CHANGED"
        terminal.write_text(f"{rebuilt.folder / one.file}: {word}: {one.reason}")
