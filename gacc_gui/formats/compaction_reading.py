"""A compaction run's folder as it is read: the records of all its files, and what of them is bad.

Owns what refuses a folder (it is not finished, a document of it is corrupt, it claims to be live and is
none) and what costs a line or an entry only. The shapes of the files are `formats.compaction_folder`'s, what
lines and entries must agree in `formats.compaction_agreeing`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import Answer, Json, Memory, Record, Request, Run, Verdict
from gacc_gui.formats.compaction_agreeing import Agreement
from gacc_gui.formats.compaction_folder import (
    CONTEXTS_FILE,
    CORPUS_FILE,
    PROTOCOL_FILE,
    REQUESTS_FILE,
    RESULT_FILES,
    RESULTS_FILE,
    VALIDATION_FILE,
    answer_object,
    memory_object,
    request_object,
    verdict_object,
)
from gacc_gui.formats.compaction_records import (
    FORMAT,
    FORMAT_VERSION,
    check_protocol,
    items_of,
    mode_fault,
    planned_of,
    protocol_of,
    run_of,
)
from gacc_gui.formats.corpus import Corpus, read_corpus
from gacc_gui.formats.items import Bad, Broken, Item, Parsed
from gacc_gui.formats.json_values import BadJson, careful
from gacc_gui.formats.lines import ByteSource
from gacc_gui.formats.record_reading import BadRecord, plain, record_from
from gacc_gui.formats.record_writing import json_object

_IDS: Final = ("memory:", "case:", "id:", "memory_id:", "method:")
"""Fields that are not repaired: two ids could become one."""
FILE_OF: Final[Mapping[str, str]] = {
    "run": PROTOCOL_FILE,
    "context": CORPUS_FILE,
    "goal": CORPUS_FILE,
    "question": CORPUS_FILE,
    "memory": CONTEXTS_FILE,
    "answer": RESULTS_FILE,
    "verdict": RESULTS_FILE,
    "request": REQUESTS_FILE,
}
"""The file that holds the records of a kind."""
_MALFORMED: Final = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError)
_NEEDED: Final = (PROTOCOL_FILE, CORPUS_FILE, *RESULT_FILES, VALIDATION_FILE)


def is_compaction_folder(path: Path) -> bool:
    """Whether a folder holds a compaction run, finished or not, or something that was one."""
    protocol = path / PROTOCOL_FILE
    try:
        if not protocol.is_file():
            return False
        return (path / CORPUS_FILE).is_file() or read_document(protocol).get("format") == FORMAT
    except (BadInput, OSError, AttributeError):
        return False


def read_document(path: Path) -> Any:
    """Return a JSON document of a folder. Raises BadInput where it is none, or cannot be read."""
    with ByteSource(path) as source:
        data = source.read_all()
    try:
        value, repaired = careful(data)
    except BadJson as error:
        raise BadInput(error.reason, path=str(path)) from error
    if repaired:
        raise BadInput(repaired[0], path=str(path))
    return plain(value)


def read_protocol(folder: Path) -> dict[str, Json]:
    """Return a folder's protocol. Raises BadInput where it is none that this program reads."""
    path = folder / PROTOCOL_FILE
    value = read_document(path)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise BadInput(
            f'it is no protocol of a compaction run: "format": "{FORMAT}" is needed', path=str(path)
        )
    version = value.get("format_version")
    if type(version) is not int or version != FORMAT_VERSION:
        raise BadInput(
            f"format_version is {version!r:.40}; this program reads version {FORMAT_VERSION}", path=str(path)
        )
    return value


def refuse_unfinished(folder: Path) -> None:
    """Raise BadInput where a folder holds no run, one that is not finished, or a file of it is missing."""
    if not (folder / PROTOCOL_FILE).is_file():
        there = "there is no " + (PROTOCOL_FILE if folder.is_dir() else "such folder")
        raise BadInput(f"it is no folder of a compaction run: {there}", path=str(folder))
    if not (folder / VALIDATION_FILE).is_file():
        live = " --live" if read_protocol(folder).get("mode") == "live" else ""
        raise BadInput(
            "this compaction run is not finished:"
            f" `gacc-gui compaction run --resume {folder}{live}` goes on with it",
            path=str(folder),
        )
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if missing:
        raise BadInput(f"{missing[0]} is missing from this compaction run", path=str(folder))


class CompactionFolder:
    """A finished folder being read: iterate it once for its items, the run's record first.

    A bad line of contexts.jsonl or requests.jsonl is a `Bad`, a torn last one `Broken`, a bad entry of
    results.json a `Bad` without a line; their reasons name
    the file. Raises BadInput where the run is not finished or a document of it cannot be used. Shaped like
    `formats.gacc_run.RunFile`.
    """

    whole = False
    lists: frozenset[str] = frozenset()

    def __init__(self, path: Path, *, finished: bool = True) -> None:
        self.path = path
        if finished:
            refuse_unfinished(path)
        self.size = folder_size(path)
        """Bytes of the files that are read."""
        self._read = 0
        self._source: ByteSource | None = None

    def __enter__(self) -> CompactionFolder:
        return self

    def __exit__(self, *_: object) -> None:
        if self._source is not None:
            self._source.close()

    def position(self) -> int:
        """Return how far the folder was read, in bytes on disk."""
        return self._read + (0 if self._source is None else self._source.position())

    def __iter__(self) -> Iterator[Item]:
        run, corpus = self.inputs()
        yield Parsed(run, None)
        items = items_of(corpus)
        for kind in (items.contexts, items.goals, items.questions):
            yield from (Parsed(record, None) for record in kind)
        self._read = sum(_size(self.path / name) for name in (PROTOCOL_FILE, CORPUS_FILE))
        agreement = Agreement(planned_of(protocol_of(run)), {case.id: case.kind for case in corpus.cases})
        yield from self._lines(CONTEXTS_FILE, "memory", memory_object, agreement.context)
        verdicts: list[Item] = []
        for answer, verdict in self._results(agreement):
            if answer is not None:
                yield answer
            if verdict is not None:
                verdicts.append(verdict)
        yield from verdicts
        self._read += _size(self.path / RESULTS_FILE)
        yield from self._lines(REQUESTS_FILE, "request", request_object, agreement.request)

    def inputs(self) -> tuple[Run, Corpus]:
        """Return the run's record and the corpus. Raises BadInput."""
        protocol = read_protocol(self.path)
        place = str(self.path / PROTOCOL_FILE)
        try:
            check_protocol(protocol)
            run = run_of(protocol)
            planned = planned_of(protocol)
        except (LookupError, TypeError, ValueError) as error:
            raise BadInput(f"it is no whole protocol: {_fault(error)}", path=place) from error
        try:
            record_from("run", json_object(run))
        except BadRecord as error:
            raise BadInput(str(error), path=place) from error
        if (fault := mode_fault(protocol)) is not None:
            raise BadInput(fault, path=place)
        corpus = read_corpus(self.path / CORPUS_FILE)
        sound = [case.id for case in corpus.sound_cases]
        if list(planned.cases) != sound:
            raise BadInput("its cases are not those of the protocol", path=str(self.path / CORPUS_FILE))
        return run, corpus

    def _results(self, agreement: Agreement) -> Iterator[tuple[Item | None, Item | None]]:
        """Yield each answer with its verdict; of a bad entry, what is bad of it."""
        path = self.path / RESULTS_FILE
        value = read_document(path)
        if not isinstance(value, list):
            raise BadInput("it is no list of results", path=str(path))
        for number, entry in enumerate(value, start=1):
            try:
                answered = answer_object(entry)
                answer = None if answered is None else record_from("answer", answered)[0]
                verdict = record_from("verdict", verdict_object(entry))[0]
                agreement.result(entry, cast("Verdict", verdict))
            except _MALFORMED as error:
                yield None, Bad(None, f"{RESULTS_FILE}: entry {number:,}: {_fault(error)}")
            else:
                yield None if answer is None else Parsed(answer, None), Parsed(verdict, None)

    def _lines(
        self,
        name: str,
        kind: str,
        to_object: Callable[[Mapping[str, Any]], dict[str, Json]],
        agree: Callable[[Mapping[str, Any], Any], None],
    ) -> Iterator[Item]:
        """Yield what the lines of a file hold; the last one may be torn."""
        with ByteSource(self.path / name) as source:
            self._source = source
            number = 0
            for number, line in enumerate(source.lines(), start=1):
                if line.strip():
                    yield _item(name, line, number, kind, to_object, agree)
            if source.broken is not None:
                yield Broken(number + 1, f"{name}: {source.broken.reason}")
            self._source = None
            self._read += source.size


def _item(
    name: str,
    line: bytes,
    number: int,
    kind: str,
    to_object: Callable[[Mapping[str, Any]], dict[str, Json]],
    agree: Callable[[Mapping[str, Any], Any], None],
) -> Item:
    try:
        value, repaired = careful(line)
        if not isinstance(value, dict):
            raise BadRecord("the line is no object")
        for sentence in repaired:
            if sentence.startswith(_IDS):
                raise BadRecord(sentence)
        record, warnings = record_from(kind, to_object(value))
        agree(value, record)
    except BadJson as error:
        if error.breaks_off or not line.endswith(b"\n"):
            return Broken(number, f"{name}: incomplete line: {error.reason}")
        return Bad(number, f"{name}: {error.reason}")
    except _MALFORMED as error:
        return Bad(number, f"{name}: {_fault(error)}")
    return Parsed(record, number, repaired, warnings)


def _fault(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"there is no {error.args[0]}" if error.args else "a field is missing"
    return str(error) if isinstance(error, ValueError) else "it does not have the shape that it should"


def records_of_folder(folder: Path) -> Iterator[Record]:
    """Yield the records of a finished folder, as they were written.

    Raises BadInput, naming file and line or entry, where anything of it is bad, or belongs to a context that
    is not there.
    """
    contexts: set[str] = set()
    with CompactionFolder(folder) as items:
        for item in items:
            place = None if item.line is None else f"line {item.line}"
            if not isinstance(item, Parsed):
                raise BadInput(item.reason, path=str(folder), record=place)
            record: Record = item.record  # type: ignore[assignment]  # no dataset is read here
            if isinstance(record, Memory):
                contexts.add(record.id)
            elif isinstance(record, Answer | Verdict | Request):
                wanted = record.memory_id
                if wanted is None or wanted in contexts:
                    yield record
                    continue
                file = REQUESTS_FILE if isinstance(record, Request) else RESULTS_FILE
                reason = f"{file}: its context {wanted!r:.120} is not in {CONTEXTS_FILE}"
                raise BadInput(reason, path=str(folder), record=place)
            yield record


def folder_size(folder: Path) -> int:
    """Return the bytes of a folder's files that are read."""
    return sum(_size(folder / name) for name in (PROTOCOL_FILE, CORPUS_FILE, *RESULT_FILES))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
