"""The prompts of the parts that ask a model: files of `resources/prompts`, or one's own in the same form.

Owns their form (TOML: `version`, `system`, `user`, `user_without_goal`, `user_again`), their hash, and how
texts are put into them. Not here: who asks what with them (`llm_parts`, `compaction`).
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import Json
from gacc_gui.resources import resource

_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)(\|json)?\}\}")

PLACEHOLDERS: Final[Mapping[str, frozenset[str]]] = {
    "llm-summary": frozenset({"source", "goal", "budget", "words"}),
    "llm-extract": frozenset({"source", "goal", "budget", "words"}),
    "llm-reader": frozenset({"memory", "question"}),
    "llm-judge": frozenset({"source", "question", "references", "answer"}),
    "compaction-answer": frozenset({"system", "task", "evidence", "question"}),
    "compaction-summary": frozenset({"task", "evidence", "tokens", "words"}),
    "compaction-fusion": frozenset({"task", "kept", "evidence", "tokens", "words"}),
    "compaction-decision": frozenset({"title", "passage"}),
}
"""What a prompt of each name may mention: exactly what its part is told."""
_NEEDED: Final[Mapping[str, frozenset[str]]] = {
    "llm-summary": frozenset({"source"}),
    "llm-extract": frozenset({"source"}),
    "llm-reader": frozenset({"memory", "question"}),
    "llm-judge": frozenset({"question", "references", "answer"}),
    "compaction-answer": frozenset({"system", "task", "evidence", "question"}),
    "compaction-summary": frozenset({"task", "evidence", "tokens"}),
    "compaction-fusion": frozenset({"task", "kept", "evidence", "tokens"}),
    "compaction-decision": frozenset({"passage"}),
}
_AGAIN: Final[Mapping[str, frozenset[str]]] = {
    "compaction-summary": frozenset({"over", "tokens", "words"}),
    "compaction-fusion": frozenset({"over", "tokens", "words"}),
}
"""The prompts that have a wording for another try, and what it may mention."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt. `revision` is its version with the start of `hash`, the SHA-256 of the whole file."""

    name: str
    version: str
    hash: str
    system: str
    user: str
    user_without_goal: str | None = None
    user_again: str | None = None

    @property
    def revision(self) -> str:
        """Return what names this wording in a run: `1+sha256:0a1b2c3d4e5f`."""
        return f"{self.version}+{self.hash[: len('sha256:') + 12]}"

    def messages(self, values: Mapping[str, Json]) -> list[dict[str, str]]:
        """Return the messages to send, system first, with `values` in their places.

        Where `values["goal"]` is None, the wording without a goal is used. A text that is put in is never
        looked at for places again.
        """
        user = self.user
        if self.user_without_goal is not None and values.get("goal") is None:
            user = self.user_without_goal
        texts = (("system", self.system), ("user", user))
        return [{"role": role, "content": _filled(text, values)} for role, text in texts if text]

    def again(self, values: Mapping[str, Json]) -> str:
        """Return the words that ask for another try."""
        return _filled(self.user_again or "", values)


def load_prompt(name: str, path: Path | None = None) -> Prompt:
    """Return the shipped prompt of that name, or the one in `path` in its stead.

    Raises BadInput, naming the file, where it cannot be read or is no prompt of that kind.
    """
    file = resource(f"prompts/{name}.toml") if path is None else path
    try:
        content = file.read_bytes()
        table = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise BadInput((error.strerror or str(error)).lower(), path=str(file)) from error
    except UnicodeDecodeError as error:
        raise BadInput("the prompt is not UTF-8", path=str(file)) from error
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"the prompt is no TOML: {error}", path=str(file)) from error
    fields = ("version", "system", "user", "user_without_goal", "user_again")
    for key, value in table.items():
        if key not in fields:
            raise BadInput(f"unknown key {key!r}; a prompt has {', '.join(fields)}", path=str(file))
        if not isinstance(value, str):
            raise BadInput(f"{key} must be text", path=str(file))
    if not table.get("user"):
        raise BadInput("user is missing", path=str(file))
    shows_goal = "goal" in PLACEHOLDERS[name]
    if shows_goal and not table.get("user_without_goal"):
        raise BadInput("user_without_goal is missing", path=str(file))
    goes_on = name in _AGAIN
    if goes_on != bool(table.get("user_again")):
        raise BadInput(
            f"user_again is {'missing' if goes_on else 'for no prompt of this name'}", path=str(file)
        )
    prompt = Prompt(
        name=name,
        version=table.get("version", "own"),
        hash="sha256:" + hashlib.sha256(content).hexdigest(),
        system=table.get("system", "").strip("\n"),
        user=table["user"].strip("\n"),
        user_without_goal=table["user_without_goal"].strip("\n") if shows_goal else None,
        user_again=table["user_again"].strip("\n") if goes_on else None,
    )
    _check(prompt.system + prompt.user, name, PLACEHOLDERS[name], file)
    if prompt.user_without_goal is not None:
        _check(prompt.system + prompt.user_without_goal, name, PLACEHOLDERS[name] - {"goal"}, file)
    if prompt.user_again is not None:
        _check(prompt.user_again, name, _AGAIN[name], file, needed=())
    return prompt


def _check(
    text: str, name: str, allowed: Collection[str], file: Path, needed: Collection[str] | None = None
) -> None:
    found = {match.group(1) for match in _PLACEHOLDER.finditer(text)}
    if unknown := sorted(found - set(allowed)):
        raise BadInput(
            f"the prompt of {name} is not told {{{{{unknown[0]}}}}}; it may say"
            f" {', '.join(f'{{{{{known}}}}}' for known in sorted(allowed))}",
            path=str(file),
        )
    if missing := sorted(set(_NEEDED[name] if needed is None else needed) - found):
        raise BadInput(f"the prompt of {name} must say {{{{{missing[0]}}}}}", path=str(file))


def _filled(text: str, values: Mapping[str, Json]) -> str:
    def put(match: re.Match[str]) -> str:
        value = values[match.group(1)]
        return json.dumps(value, ensure_ascii=False) if match.group(2) else str(value)

    return _PLACEHOLDER.sub(put, text)
