"""What a compaction run begins with, read once and frozen: its `protocol.json`, and what may not change.

Owns the document's making and the comparison of a resumed run with it. Its fields are
`formats.compaction_records`'s, the settings `runner.compaction.settings`'s; the folder's life is
`compaction_running`'s.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui import __version__
from gacc_gui.core.compaction import CollectionCheck
from gacc_gui.core.errors import BadInput, BadUsage
from gacc_gui.core.records import Json
from gacc_gui.formats.compaction_folder import CASES_FILE, COLLECTION_FILE, CORPUS_FILE, PROTOCOL_FILE
from gacc_gui.formats.compaction_records import FIXTURE, LIVE
from gacc_gui.formats.json_values import dumps

if TYPE_CHECKING:
    from gacc_gui.formats.corpus import Corpus

_UNCHECKED: Final = CollectionCheck("checks", False, "its collection was never checked")
_BESIDE: Final = (COLLECTION_FILE, CASES_FILE)
"""What is taken along from beside the corpus, where it is there."""
_HASHED: Final = {"corpus": CORPUS_FILE, "collection": COLLECTION_FILE, "cases": CASES_FILE}
_COMPARED: Final = ("parts", "prompts")
_RUN_ID: Final = re.compile(r"compaction-[0-9a-f]{12}")
_IDENTITY: Final = ("created_at", "name", "mode", "settings", "parts", "hashes", "prompts")


@dataclass(frozen=True, slots=True)
class Inputs:
    """A corpus, and the bytes of its file and of those beside it, by their names in a run's folder."""

    corpus: Corpus
    files: Mapping[str, bytes]

    @property
    def left_out(self) -> list[dict[str, Json]]:
        """The cases that are not evaluated: each check of their collection that did not hold, and why."""
        return [
            {"id": case.id, "check": check.name, "reason": check.found}
            for case in self.corpus.cases
            for check in case.checks or (_UNCHECKED,)
            if not check.ok
        ]

    @property
    def altered(self) -> tuple[str, ...]:
        """The cases that are evaluated and are not what their row in the dataset said."""
        sound = {case.id for case in self.corpus.sound_cases}
        return tuple(id for id in self.corpus.altered() if id in sound)

    @property
    def hashes(self) -> dict[str, Json]:
        """The SHA-256 of each file, and of the dataset that the corpus was selected from."""
        own: dict[str, Json] = {
            what: _sha256(self.files[name]) for what, name in _HASHED.items() if name in self.files
        }
        return {**own, "dataset": self.corpus.provenance.dataset_sha256.removeprefix("sha256:")}


def read_inputs(corpus: Path) -> Inputs:
    """Read a corpus and what is beside it. Raises BadInput where it cannot be used, or no case of it can."""
    from gacc_gui.formats.corpus import read_corpus

    read = read_corpus(corpus)
    if not read.sound_cases:
        raise BadInput(
            f"none of its {len(read.cases):,} cases passed every check of its collection", path=str(corpus)
        )
    files = {CORPUS_FILE: corpus.read_bytes()}
    for name in _BESIDE:
        if (beside := corpus.with_name(name)).is_file():
            files[name] = beside.read_bytes()
    return Inputs(read, files)


def protocol_of(
    inputs: Inputs,
    *,
    name: str,
    live: bool,
    settings: Mapping[str, Json],
    tokenizer: Mapping[str, Json],
    parts: Mapping[str, Json],
    prompts: Mapping[str, Json],
) -> dict[str, Json]:
    """Return a new run's protocol; `parts` with their models and addresses, and without credentials."""
    corpus = inputs.corpus
    revision = str(tokenizer["revision"]).removeprefix("sha256:")
    document: dict[str, Json] = {
        "format": "gacc-compaction",
        "format_version": 1,
        "id": "",
        "name": name,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "diagnostic_only": not live,
        "mode": LIVE if live else FIXTURE,
        "version": __version__,
        "settings": dict(settings),
        "tokenizer": dict(tokenizer),
        "parts": dict(parts),
        "prompts": dict(prompts),
        "hashes": {**inputs.hashes, "tokenizer": revision},
        "data": {
            "origin": corpus.origin,
            "license": corpus.license,
            "selection_seed": corpus.provenance.selection_seed,
            "agent": corpus.provenance.agent,
            "agent_version": corpus.provenance.agent_version,
            "collection": corpus.provenance.mode,
            "collection_model": corpus.provenance.model,
        },
        "cases": [case.id for case in corpus.sound_cases],
        "left_out": [*inputs.left_out],
        "altered": [*inputs.altered],
    }
    document["id"] = run_id_of(document)
    return document


def run_id_of(protocol: Mapping[str, Any]) -> str:
    """Return the id of a run: the start of the hash of what makes it this run and no other."""
    digest = _sha256(dumps({key: protocol.get(key) for key in _IDENTITY}).encode("utf-8", "surrogatepass"))
    return f"compaction-{digest[:12]}"


def is_run_id(value: object) -> bool:
    """Whether an id is of the form that `run_id_of` gives; a run may have been given another."""
    return isinstance(value, str) and _RUN_ID.fullmatch(value) is not None


def protocol_bytes(protocol: Mapping[str, Json]) -> bytes:
    """Return the text of `protocol.json`, a field a line."""
    lines = ",\n".join(f"{dumps(name)}: {dumps(value)}" for name, value in protocol.items())
    return f"{{\n{lines}\n}}\n".encode("utf-8", "surrogatepass")


def refuse_changed_inputs(folder: Path, inputs: Inputs, protocol: Mapping[str, Any]) -> None:
    """Raise BadInput where a file of the folder is not the one that the run began with."""
    frozen, now = protocol.get("hashes", {}), inputs.hashes
    for what, name in _HASHED.items():
        if frozen.get(what) is None and now.get(what) is not None:
            raise BadInput("it was not there when the run began", path=str(folder / name))
        if frozen.get(what) != now.get(what):
            raise BadInput(
                f"it is not the file that the run began with: its SHA-256 was {frozen.get(what)},"
                f" and is {now.get(what)}; {PROTOCOL_FILE} says which",
                path=str(folder / name),
            )


def refuse_missing(folder: Path, protocol: Mapping[str, Any]) -> None:
    """Raise BadInput where a file that the run began with is gone."""
    for what, name in _HASHED.items():
        declared = protocol["hashes"].get(what)
        if declared is not None and not (folder / name).is_file():
            reason = f"it is missing; the run began with one whose SHA-256 was {declared}"
            raise BadInput(reason, path=str(folder / name))


def refuse_edited(folder: Path, protocol: Mapping[str, Any], stored: Mapping[str, Any] | None) -> None:
    """Raise BadInput, naming what was edited, where `protocol.json` is not the one that the run began with.

    `stored` is the protocol that the run's database has; None where it has none yet.
    """
    from gacc_gui.formats.compaction_records import check_protocol, run_of
    from gacc_gui.formats.compaction_records import protocol_of as protocol_of_run
    from gacc_gui.formats.redaction import without_credentials

    path = str(folder / PROTOCOL_FILE)
    if stored is not None:
        try:
            now = protocol_of_run(without_credentials(run_of(protocol))[0])
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"it is no whole protocol: {error}", path=path) from error
        if told := list(_differences(stored, now, tuple(dict.fromkeys([*stored, *now])))):
            raise BadInput("it is not the one that the run began with: " + "; ".join(told), path=path)
    try:
        check_protocol(protocol)
    except ValueError as error:
        raise BadInput(f"it is no whole protocol: {error}", path=path) from error
    if is_run_id(protocol["id"]) and protocol["id"] != run_id_of(protocol):
        raise BadInput(
            "it is not the one that the run began with: its id is that of other settings, parts or inputs",
            path=path,
        )


def refuse_other_run(stored: Mapping[str, Any], now: Mapping[str, Any], folder: Path) -> None:
    """Raise BadInput, naming the differences, where a run would not go on as it began."""
    told = list(_differences(stored, now, _COMPARED))
    before, after = (one["hashes"].get("tokenizer") for one in (stored, now))
    if before != after:
        told.insert(0, f"the tokenizer's SHA-256 was {before}, is {after}")
    if told:
        raise BadInput(
            "the run goes on only as it began, and now would not: " + "; ".join(told), path=str(folder)
        )


def refuse_mode(mode: object, folder: Path, *, live: bool, fixture: bool) -> None:
    """Raise BadUsage where a run would be gone on with otherwise than it was begun."""
    if mode == LIVE and not live:
        raise BadUsage(
            f"{folder} is a live run: it asks models, which may cost money; --live says that it may"
        )
    if mode == FIXTURE and live:
        raise BadUsage(f"{folder} is a run of the fixture, which asks no model: leave --live out")
    if mode == LIVE and fixture:
        raise BadUsage(f"{folder} is a live run, and none of the fixture: leave --fixture out")


def _differences(stored: Mapping[str, Any], now: Mapping[str, Any], keys: Sequence[str]) -> Iterator[str]:
    for key in keys:
        before, after = dict(_flat(stored.get(key), (key,))), dict(_flat(now.get(key), (key,)))
        for name in dict.fromkeys([*before, *after]):
            old, new = before.get(name), after.get(name)
            if old != new:
                yield f"{'.'.join(name)} was {_shown(old)}, is {_shown(new)}"


def _flat(value: Json, key: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Json]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flat(inner, (*key, name))
    else:
        yield tuple(key), value


def _shown(value: Json) -> str:
    text = "not there" if value is None else dumps(value)
    return text if len(text) <= 100 else f"{text[:100]}…"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
