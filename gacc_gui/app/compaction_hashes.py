"""Whether the files of a finished compaction run are those that it ended with.

Owns which files a validation keeps the SHA-256 of, and what is told of one that changed or is missing.
Whether records say what they should is the checks' (`app.compaction_checks`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gacc_gui.core.errors import BadInput
from gacc_gui.formats.compaction_folder import (
    AGGREGATE_FILE,
    INPUT_FILES,
    PROTOCOL_FILE,
    REPORT_FILE,
    RESULT_FILES,
    VALIDATION_FILE,
)

DATA_FILES: Final = (*INPUT_FILES, *RESULT_FILES)
FIGURE_FILES: Final = (AGGREGATE_FILE, REPORT_FILE)
"""What is made of the data, and can be made anew."""
FROZEN: Final[Mapping[str, str]] = dict(zip(("corpus", "collection", "cases"), INPUT_FILES[1:], strict=True))
"""What `protocol.json` has the SHA-256 of, and the file's name."""
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that is not what it was when the run was finished, and how, in words."""

    file: str
    reason: str
    is_missing: bool = False


def file_hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file that is there, as a validation keeps them."""
    return {name: sha256(folder / name) for name in (*DATA_FILES, *FIGURE_FILES) if (folder / name).is_file()}


def changed_files(folder: Path) -> tuple[Changed, ...]:
    """Return the files of a finished folder that changed or are missing. Raises BadInput for no protocol."""
    from gacc_gui.formats.compaction_reading import read_protocol

    try:
        validated = _validated(folder)
    except BadInput as error:
        return (Changed(VALIDATION_FILE, f"it cannot be used, and nothing compared with it: {error.reason}"),)
    found = {one.file: one for one in _against(folder, validated)}
    protocol = read_protocol(folder)
    for one in _against_protocol(folder, protocol):
        found.setdefault(one.file, one)
    return tuple(found[name] for name in (*DATA_FILES, *FIGURE_FILES) if name in found)


def sha256(path: Path) -> str:
    """Return a file's SHA-256, lower-case hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _validated(folder: Path) -> Mapping[str, Any]:
    from gacc_gui.formats.compaction_reading import read_document

    value = read_document(folder / VALIDATION_FILE)
    hashes = value.get("files") if isinstance(value, dict) else None
    if not isinstance(hashes, dict):
        raise BadInput("it is no validation of a run", path=str(folder / VALIDATION_FILE))
    return hashes


def _against(folder: Path, hashes: Mapping[str, Any]) -> Iterator[Changed]:
    for name in (*DATA_FILES, *FIGURE_FILES):
        path = folder / name
        if not path.is_file():
            if name in hashes:
                yield Changed(name, "it is missing; it was there when the run was finished", is_missing=True)
        elif name in hashes:
            if hashes[name] != sha256(path):
                yield Changed(name, "it changed since the run was finished: it has another SHA-256")
        elif name in DATA_FILES:  # older validations have none of the figures
            yield Changed(name, f"{VALIDATION_FILE} has no SHA-256 of it: it was not there")


def _against_protocol(folder: Path, protocol: Mapping[str, Any]) -> Iterator[Changed]:
    from gacc_gui.app.compaction_freezing import is_run_id, run_id_of

    if is_run_id(protocol.get("id")) and protocol["id"] != run_id_of(protocol):
        yield Changed(PROTOCOL_FILE, "its id is that of other settings, parts or inputs than it says")
    hashes = protocol.get("hashes")
    for what, name in FROZEN.items():
        declared = hashes.get(what) if isinstance(hashes, Mapping) else None
        path = folder / name
        if not isinstance(declared, str):
            continue
        if not path.is_file():
            yield Changed(name, f"it is missing; {PROTOCOL_FILE} has its SHA-256", is_missing=True)
        elif declared.lower().removeprefix("sha256:") != sha256(path):
            yield Changed(name, f"it has another SHA-256 than {PROTOCOL_FILE} says")
