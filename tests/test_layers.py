"""The house's import table (who may import whom), and what must not be loaded where."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "gacc_gui"

ALLOWED: dict[str, frozenset[str]] = {
    "core": frozenset(),
    "formats": frozenset({"core"}),
    "store": frozenset({"core"}),
    "runner": frozenset({"core", "formats", "store"}),
    "app": frozenset({"core", "formats", "store", "runner"}),
    "gui": frozenset({"core", "formats", "app"}),
}
"""Package → packages it may import. `gui` may also import the modules of GUI_MAY."""

GUI_MAY = ("store.reads", "store.rows", "store.queries", "runner.config", "runner.config_model")
"""The store's reads and the runner's configuration; its evaluations run in a child process."""

EVERYWHERE = frozenset({"resources", "__version__"})
"""Modules at the package's top that every layer may import."""


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, absolute dotted name) of every import, inside functions and `if TYPE_CHECKING` too."""
    package = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parent, base] if base else parent)
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def offence(importer: str, imported: str) -> str | None:
    """Why `importer` (a module) must not import `imported` (a dotted name), or None."""
    layer = importer.split(".")[1] if "." in importer else ""
    if imported.split(".")[0] == "PySide6" and layer != "gui":
        return "only gui imports PySide6"
    if not imported.startswith("gacc_gui."):
        return None
    inner = imported.removeprefix("gacc_gui.")
    target = inner.split(".")[0]
    if layer not in ALLOWED or target == layer or target in EVERYWHERE:
        return None  # cli, commands, terminal and __main__ stand above the layers
    if target in ALLOWED[layer]:
        return None
    if layer == "gui" and any(inner == name or inner.startswith(name + ".") for name in GUI_MAY):
        return None
    return f"{layer} must not import {target}"


@pytest.mark.parametrize("path", modules(), ids=module_name)
def test_every_import_follows_the_table(path: Path) -> None:
    faults = [
        f"{path.relative_to(ROOT)}:{line}: {reason} ({name})"
        for line, name in imports_of(path)
        if (reason := offence(module_name(path), name))
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("gacc_gui.core.budget", "gacc_gui.formats.items", False),
        ("gacc_gui.store.reads", "gacc_gui.formats.items", False),
        ("gacc_gui.runner.engine", "gacc_gui.store.writes", True),
        ("gacc_gui.app.demo", "gacc_gui.gui.application", False),
        ("gacc_gui.app.demo", "PySide6.QtCore", False),
        ("gacc_gui.gui.session", "gacc_gui.store.reads.Reader", True),
        ("gacc_gui.gui.session", "gacc_gui.store.writes.RunWriter", False),
        ("gacc_gui.gui.session", "gacc_gui.store.open_database", False),
        ("gacc_gui.gui.session", "gacc_gui.runner.engine", False),
        ("gacc_gui.cli", "gacc_gui.gui.application", True),
    ],
)
def test_the_rule_itself(importer: str, imported: str, allowed: bool) -> None:
    assert (offence(importer, imported) is None) is allowed


def loaded_after(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after running `code`."""
    child = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return {name.split(".")[0] for name in child.stdout.splitlines()}


def test_nothing_outside_gui_loads_qt() -> None:
    names = [
        module_name(path)
        for path in modules()
        if "gui" not in path.relative_to(PACKAGE).parts and path.name != "__main__.py"
    ]
    assert len(names) > 10
    loaded = loaded_after("\n".join(f"import {name}" for name in names))
    assert "gacc_gui" in loaded
    assert not loaded & {"PySide6", "shiboken6"}


HEAVY = {
    "pandas",
    "pyarrow",
    "PySide6",
    "sqlite_utils",
    "tiktoken",
    "numpy",
    "openai",
    "httpx2",
    "pydantic",
    "rapidfuzz",
    "tokenizers",
    "typesafe_sdk",
}


def test_help_loads_nothing_heavy() -> None:
    loaded = loaded_after("from gacc_gui.cli import run\nassert run(['--help']) == 0")
    assert "click" in loaded
    assert not loaded & HEAVY


def test_the_compaction_parts_load_their_libraries_where_they_use_them() -> None:
    loaded = loaded_after("import gacc_gui.runner.compaction.planning, gacc_gui.formats.hf_tokenizer")
    assert "gacc_gui" in loaded
    assert not loaded & HEAVY


def test_reading_commands_load_numpy_at_most(
    tmp_path: Path, run_document: dict[str, Any], run_file: Callable[..., Path]
) -> None:
    from gacc_gui.app.importing import import_paths

    database = tmp_path / "a.db"
    import_paths(database, [run_file(run_document)])
    for command in ("runs", "metrics", "questions"):
        arguments = [command, *([] if command == "runs" else ["small"]), "--db", str(database), "--json"]
        loaded = loaded_after(f"from gacc_gui.cli import run\nassert run({arguments!r}) == 0")
        assert not loaded & HEAVY - {"numpy"}
