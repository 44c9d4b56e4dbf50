"""A configuration as a person writes it: TOML text whose keys can be read and changed one by one.

The text is the truth, and comments and order of what is not changed stay. Not here: what the keys mean
(`runner.config`), and which of them a form shows (`fields`).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")

Key = tuple[str | int, ...]
"""Where a value stands: names of tables and keys, and numbers (from 0) in lists of tables."""


def dotted(key: Key) -> str:
    """Return a key as problems name it: `compressors[0].part`, `endpoints."two words".model`."""
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            name = part if _BARE.fullmatch(part) else json.dumps(part, ensure_ascii=False)
            text += f".{name}" if text else name
    return text


@dataclass(frozen=True, slots=True)
class Document:
    """A TOML text. What changes it returns another; a text that is no TOML can only be replaced."""

    text: str = ""
    is_sound: bool = field(init=False, compare=False)
    """Whether the text is TOML."""
    _values: Mapping[str, Any] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        values: Mapping[str, Any] = {}
        is_sound = True
        try:
            # A file may have been written by an editor that ends lines with CRLF, or begins with a BOM.
            values = tomllib.loads(self.text.removeprefix("\ufeff").replace("\r\n", "\n"))
        except (tomllib.TOMLDecodeError, RecursionError):
            is_sound = False
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "is_sound", is_sound)

    def value(self, key: Key) -> Any:
        """Return the plain value at a key, or None where there is none."""
        value: Any = self._values
        for part in key:
            if isinstance(value, Mapping) and isinstance(part, str):
                value = value.get(part)
            elif isinstance(value, list) and isinstance(part, int) and part < len(value):
                value = value[part]
            else:
                return None
        return value

    def names(self, key: Key) -> list[str]:
        """Return the keys of a table, in their order; none where there is no table."""
        value = self.value(key)
        return list(value) if isinstance(value, Mapping) else []

    def count(self, key: Key) -> int:
        """Return how many entries a list has; 0 where there is no list."""
        value = self.value(key)
        return len(value) if isinstance(value, list) else 0

    def with_value(self, key: Key, value: Any) -> Document:
        """Return the document with a value put at a key; tables on the way are made."""
        root = self._tree()
        table = root
        for part in key[:-1]:
            table = _entered(table, part, root)
        table[key[-1]] = value
        return self._written(root)

    def without(self, key: Key) -> Document:
        """Return the document without a key, a table or an entry of a list."""
        if self.value(key) is None:
            return self
        root = self._tree()
        table = root
        for part in key[:-1]:
            table = table[part]
        del table[key[-1]]
        return self._written(root)

    def with_entry(self, key: Key, values: Mapping[str, Any]) -> Document:
        """Return the document with another entry at the end of the list of tables at a key."""
        import tomlkit
        from tomlkit.items import AoT

        root = self._tree()
        table = root
        for part in key[:-1]:
            table = _entered(table, part, root)
        last = key[-1]
        if not isinstance(table.get(last), list):
            _spaced(root)
            table[last] = tomlkit.aot()
        entry = tomlkit.table() if isinstance(table[last], AoT) else tomlkit.inline_table()
        for name, value in values.items():
            entry[name] = value
        if isinstance(table[last], AoT):
            entry.add(tomlkit.nl())
        table[last].append(entry)
        return self._written(root)

    def renamed(self, key: Key, name: str) -> Document:
        """Return the document with the table at a key under another name; what is in it stays."""
        moved = self.value(key)
        if moved is None or key[-1] == name:
            return self
        return self.without(key).with_value((*key[:-1], name), moved)

    def _tree(self) -> Any:
        import tomlkit

        if not self.is_sound:
            raise ValueError("a text that is not TOML cannot be changed key by key")
        return tomlkit.parse(self.text.removeprefix("\ufeff").replace("\r\n", "\n"))

    def _written(self, root: Any) -> Document:
        import tomlkit

        return Document(tomlkit.dumps(root))


def _entered(table: Any, part: str | int, root: Any) -> Any:
    """Return a part of a table, which is made where it is missing."""
    import tomlkit

    if isinstance(part, str) and part not in table:
        if table is root:
            _spaced(root)
        # Made empty, a table of tables only needs no header of its own.
        table[part] = tomlkit.table(is_super_table=None)
    return table[part]


def _spaced(root: Any) -> None:
    """Have an empty line before a table that is put at the end."""
    import tomlkit

    text = root.as_string()
    if text.strip() and not text.endswith("\n\n"):
        root.add(tomlkit.nl())
