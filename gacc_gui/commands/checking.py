"""`run endpoint`: whether an endpoint of a configuration answers."""

from __future__ import annotations

from pathlib import Path

from gacc_gui import terminal


def check_endpoint(config: str, name: str, live: bool, as_json: bool) -> int:
    """Make one small call, say what came of it, and return 0 where the service answered, else 1."""
    from gacc_gui.app.checking import check_endpoint as check

    found = check(Path(config), name, live)
    if as_json:
        terminal.write_json(found.as_json())
    elif found.ok:
        said = found.text if found.text is not None else f"no text ({found.error})"
        terminal.write_text(f"{found.endpoint} answers as {found.model} in {found.seconds:.2f} s: {said}")
    else:
        terminal.write_text(f"{found.endpoint} does not answer: {found.error}")
    return 0 if found.ok else 1
