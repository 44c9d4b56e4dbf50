"""Other people's parts: found by `package.module:callable` or by the name of an entry point, and wrapped.

Owns loading, what a plugin is called in a run, and the check of what it returns. A plugin is trusted code in
our process, not sandboxed; that one which raises, hangs, exits or returns nonsense costs its own item only
is the work of `calling` and of the checks here. Not here: our own parts (`registry`).

A plugin is a callable that takes the role's input and returns its output (`parts`), or a class whose
instances do; `options` are given to the class, or to every call of the function, by keyword. It may be
asynchronous, and may have a `name` and a `revision`.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import importlib
import importlib.metadata
import inspect
import json
import math
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import Json
from gacc_gui.formats.json_values import mended
from gacc_gui.runner.calling import told_of
from gacc_gui.runner.parts import Attempt, Call, CompressorOutput, JudgeOutput, ReaderOutput, Usage

GROUPS: Final[Mapping[str, str]] = {
    "compressor": "gacc_gui.compressors",
    "reader": "gacc_gui.readers",
    "judge": "gacc_gui.judges",
}
"""The entry point group of each role."""
_OUTPUTS: Final[Mapping[str, type[Call]]] = {
    "compressor": CompressorOutput,
    "reader": ReaderOutput,
    "judge": JudgeOutput,
}

Output = TypeVar("Output", bound=Call)


@functools.cache
def entry_points(role: str) -> dict[str, importlib.metadata.EntryPoint]:
    """Return the installed plugins of a role by their name."""
    return {point.name: point for point in importlib.metadata.entry_points(group=GROUPS[role])}


def plugin_problem(role: str, reference: str) -> str | None:
    """Return what is wrong with the name of a plugin, without loading it, or None."""
    if ":" in reference:
        module, _, name = reference.partition(":")
        if all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
            return None
        return f"a plugin is written package.module:callable, not {reference!r:.80}"
    if reference in entry_points(role):
        return None
    return f"there is no {role} {reference!r:.80}"


def load_plugin(
    role: str,
    reference: str,
    *,
    name: str | None = None,
    revision: str | None = None,
    timeout_seconds: float = 60.0,
    options: Mapping[str, Json] | None = None,
    folder: Path | None = None,
) -> PluginPart[Any]:
    """Return the part that a reference names, ready to be called.

    `name` and `revision` of the configuration come first, then those the plugin has, then its reference and
    the hash of its file; options are part of the revision. A module is looked for where Python looks, then in
    `folder`. Raises BadInput, in a sentence, where it cannot be loaded, whatever it does while it is.
    """
    options = dict(options or {})
    if folder is not None and (place := str(folder.resolve())) not in sys.path:
        sys.path.append(place)
    try:
        found = _found(role, reference)
        part = found(**options) if inspect.isclass(found) else found
        called = name or _text(part, "name") or reference.rpartition(":")[2]
        revised = revision or _text(part, "revision") or _file_hash(found)
    except BadInput:
        raise
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # sys.exit() while it is imported, too
        raise BadInput(f"the plugin {reference} cannot be loaded: {told_of(error)}") from error
    if not callable(part):
        raise BadInput(f"the plugin {reference} is {type(part).__name__}, which cannot be called")
    if options and revision is None:
        revised = f"{revised}+{options_hash(options)}"
    if options and not inspect.isclass(found):
        part = functools.partial(part, **options)
    inner = part if inspect.isroutine(part) or isinstance(part, functools.partial) else part.__call__
    wrapped = _AsyncPlugin if inspect.iscoroutinefunction(inner) else PluginPart
    return wrapped(called, revised, timeout_seconds, part, _OUTPUTS[role])


@dataclass(frozen=True, slots=True)
class PluginPart(Generic[Output]):
    """A plugin as a part. Its output is checked field by field: what is no text or no count is refused."""

    name: str
    revision: str
    timeout_seconds: float
    plugin: Callable[[Any], Output | Awaitable[Output]] = field(repr=False)
    kind: type[Output]

    def __call__(self, given: Any) -> Output | Awaitable[Output]:
        """Call the plugin."""
        output = self.plugin(given)
        return self._later(output) if inspect.isawaitable(output) else self._sound(output)

    async def _later(self, output: Awaitable[Output]) -> Output:
        return self._sound(await output)

    def _sound(self, output: Any) -> Output:
        """Return the output with its texts fit to be stored; a failure in its place where it is nonsense."""
        if not isinstance(output, self.kind):
            returned = type(output).__name__
            return self._refused(f"the plugin returned {returned}, not {self.kind.__name__}")
        changed: dict[str, Any] = {}
        for one in fields(output):
            value = getattr(output, one.name)
            if not _fits(one.name, value):
                return self._refused(f"the plugin's {one.name} is {type(value).__name__}: {value!r:.80}")
            if isinstance(value, str) and not value.isascii() and (sound := mended(value)) != value:
                changed[one.name] = sound
        return replace(output, **changed) if changed else output

    def _refused(self, why: str) -> Output:
        failure: dict[str, Any] = {"status": "error", "error": mended(why)}
        return self.kind(**{"label" if issubclass(self.kind, JudgeOutput) else "text": None, **failure})


@dataclass(frozen=True, slots=True)
class _AsyncPlugin(PluginPart[Output]):
    """An asynchronous plugin, in a loop and a thread of its own: where it blocks, the run goes on."""

    home: _Home = field(default_factory=lambda: _Home(), repr=False, compare=False)

    async def __call__(self, given: Any) -> Output:
        """Call the plugin there and wait here."""
        loop = self.home.loop()

        async def call() -> tuple[Any, BaseException | None]:
            # SystemExit would end the loop, so that nothing but a cancellation leaves a task by being raised.
            try:
                return await self.plugin(given), None  # type: ignore[misc]
            except asyncio.CancelledError:
                raise
            except BaseException as error:
                return None, error

        try:
            output, error = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(call(), loop))
        except asyncio.CancelledError:
            self.home.doubt()
            raise
        if error is not None:
            raise error
        return self._sound(output)


@dataclass(slots=True)
class _Home:
    """The loop of an asynchronous plugin; one that does not answer when a call is given up is left."""

    _loop: asyncio.AbstractEventLoop | None = None
    _answers: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def loop(self) -> asyncio.AbstractEventLoop:
        """Return a loop that runs, a new one where the last does not answer."""
        with self._lock:
            if self._loop is None or not self._answers.is_set():
                self._loop = asyncio.new_event_loop()
                self._answers = threading.Event()
                self._answers.set()
                threading.Thread(target=self._loop.run_forever, name="plugin", daemon=True).start()
            return self._loop

    def doubt(self) -> None:
        """Ask the loop for a sign of life; until it gives one, it is taken for stuck."""
        with self._lock:
            if self._loop is not None:
                self._answers.clear()
                self._loop.call_soon_threadsafe(self._answers.set)


def options_hash(options: Mapping[str, Json]) -> str:
    """Return what stands for options in a revision."""
    text = json.dumps(options, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _found(role: str, reference: str) -> Any:
    if ":" not in reference:
        return entry_points(role)[reference].load()
    module, _, name = reference.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _text(part: Any, name: str) -> str | None:
    value = getattr(part, name, None)
    return value if isinstance(value, str) and value else None


def _file_hash(found: Any) -> str:
    """Return the start of the hash of the file a plugin is in: it changes when the plugin does."""
    try:
        path = inspect.getfile(inspect.unwrap(found))
        return "sha256:" + hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]
    except (TypeError, OSError):
        return "unknown"


def _fits(name: str, value: Any) -> bool:
    """Whether a value may stand in that field of an output."""
    match name:
        case "status":
            return isinstance(value, str)
        case "usage":
            return value is None or (
                isinstance(value, Usage) and all(_is_count(getattr(value, one.name)) for one in fields(value))
            )
        case "latency_seconds" | "cost":
            return value is None or (type(value) in (int, float) and 0 <= value < math.inf)
        case "attempts":
            return isinstance(value, tuple) and all(isinstance(attempt, Attempt) for attempt in value)
        case "details":
            return isinstance(value, Mapping) and _is_json(dict(value))
    return value is None or isinstance(value, str)


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and value >= 0)


def _is_json(value: dict[Any, Any]) -> bool:
    try:
        return json.loads(json.dumps(value, allow_nan=False, ensure_ascii=False).encode()) == value
    except (TypeError, ValueError, RecursionError):
        return False
