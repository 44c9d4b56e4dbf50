"""Other people's parts: how they are found and named, and that one that misbehaves costs its own item."""

from __future__ import annotations

import asyncio
import importlib.metadata
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.errors import BadInput
from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.runner import plugins
from gacc_gui.runner.calling import PartThreads, called
from gacc_gui.runner.config import parse_config
from gacc_gui.runner.parts import (
    CompressorInput,
    CompressorOutput,
    JudgeInput,
    JudgeOutput,
    ReaderInput,
    ReaderOutput,
    RunStopped,
)
from gacc_gui.runner.plugins import load_plugin, plugin_problem
from gacc_gui.runner.registry import parts_of

MODULE = """
import asyncio, sys, time
from dataclasses import dataclass
from gacc_gui.runner.parts import *

def head(given, words=2):
    return CompressorOutput(" ".join(given.context.split()[:words]))

@dataclass
class Counting:
    start: int = 0
    name = "counting"
    revision = "7"
    def __call__(self, given):
        self.start += 1
        return CompressorOutput(str(self.start))

async def later(given):
    await asyncio.sleep(0)
    return ReaderOutput(given.question)

class Awaiting:
    async def __call__(self, given):
        return JudgeOutput("correct")

def raises(given): raise ValueError("no such thing")
def leaves(given): sys.exit(3)
def interrupts(given): raise KeyboardInterrupt
def hangs(given): time.sleep(600)
async def hangs_async(given): await asyncio.sleep(600)
async def blocks(given):
    if given.question == "block": time.sleep(600)
    return ReaderOutput("free")
async def leaves_async(given): sys.exit(3)
def stops(given): raise RunStopped("nothing more today")
def text(given): return "just a text"
def nothing(given): return None
def number(given): return CompressorOutput(3)
def odd_usage(given): return CompressorOutput("x", usage={"input_tokens": 3})
def odd_count(given): return CompressorOutput("x", usage=Usage(input_tokens=-1))
def odd_details(given): return CompressorOutput("x", details={"a": object()})
def odd_status(given): return CompressorOutput("x", 3)
def half(given): return CompressorOutput("hi \\ud83d", reply="\\udc00")
thing = 3
class Inner:
    part = staticmethod(head)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a module of parts, and one that ends the program while it is imported."""
    (tmp_path / "some_parts.py").write_text(MODULE)
    (tmp_path / "leaving_parts.py").write_text("import sys\nsys.exit('bye')\n")
    (tmp_path / "silent_parts.py").write_text(
        "class Unspeakable(Exception):\n    def __str__(self):\n        return 1 / 0\n\nraise Unspeakable\n"
    )
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in ("some_parts", "leaving_parts", "silent_parts"):
        sys.modules.pop(name, None)


GIVEN: dict[str, Any] = {
    "compressor": CompressorInput("one two three", None, 5),
    "reader": ReaderInput("memory", "question"),
    "judge": JudgeInput("source", "question", ("reference",), "answer"),
}
KINDS: dict[str, Any] = {"compressor": CompressorOutput, "reader": ReaderOutput, "judge": JudgeOutput}


def run(role: str, part: Any, *more: Any) -> Any:
    """Call a part as the engine does, for each input at once."""
    threads = PartThreads()

    async def all_of_them() -> list[Any]:
        given = more or (GIVEN[role],)
        return await asyncio.gather(*(called(part, one, KINDS[role], threads) for one in given))

    try:
        outputs = asyncio.run(all_of_them())
    finally:
        threads.close()
    return outputs if more else outputs[0]


def test_a_function_is_a_part(folder: Path) -> None:
    part = load_plugin("compressor", "some_parts:head", folder=folder)
    assert part.name == "head"
    assert part.revision.startswith("sha256:")
    assert run("compressor", part).text == "one two"


def test_options_go_to_the_function_and_into_the_revision(folder: Path) -> None:
    plain = load_plugin("compressor", "some_parts:head", folder=folder)
    part = load_plugin("compressor", "some_parts:head", options={"words": 1}, folder=folder)
    assert run("compressor", part).text == "one"
    assert part.revision.startswith(plain.revision + "+")
    named = load_plugin("compressor", "some_parts:head", name="n", revision="r", options={"words": 1})
    assert (named.name, named.revision) == ("n", "r")


def test_a_class_is_made_once_with_its_options(folder: Path) -> None:
    part = load_plugin("compressor", "some_parts:Counting", options={"start": 4}, folder=folder)
    assert (part.name, part.revision[:2]) == ("counting", "7+")
    assert [run("compressor", part).text for _ in range(2)] == ["5", "6"]


def test_asynchronous_parts(folder: Path) -> None:
    assert run("reader", load_plugin("reader", "some_parts:later", folder=folder)).text == "question"
    assert run("judge", load_plugin("judge", "some_parts:Awaiting", folder=folder)).label == "correct"


def test_dotted_names_below_a_module(folder: Path) -> None:
    assert (
        run("compressor", load_plugin("compressor", "some_parts:Inner.part", folder=folder)).text == "one two"
    )


def test_an_entry_point_is_found_by_its_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = importlib.metadata.EntryPoint("mine", "some_parts:head", "gacc_gui.compressors")
    monkeypatch.setattr(plugins, "entry_points", lambda role: {"mine": point} if role == "compressor" else {})
    assert plugin_problem("compressor", "mine") is None
    assert plugin_problem("reader", "mine") == "there is no reader 'mine'"
    part = load_plugin("compressor", "mine", folder=folder)
    assert run("compressor", part).text == "one two"


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("no_such_parts:x", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_parts'"),
        ("some_parts:missing", "cannot be loaded: AttributeError"),
        ("some_parts:thing", "is int, which cannot be called"),
        ("leaving_parts:x", "cannot be loaded: SystemExit: bye"),
        ("silent_parts:x", "cannot be loaded: Unspeakable$"),
        ("some_parts:Counting", "cannot be loaded: TypeError"),
    ],
)
def test_what_cannot_be_loaded_is_told(folder: Path, reference: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_plugin(
            "compressor", reference, options={"finish": 1} if "Counting" in reference else {}, folder=folder
        )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("raises", "ValueError: no such thing"),
        ("leaves", "SystemExit: 3"),
        ("leaves_async", "SystemExit: 3"),
        ("interrupts", "KeyboardInterrupt"),
        ("text", "returned str, not CompressorOutput"),
        ("nothing", "returned NoneType"),
        ("number", "text is int: 3"),
        ("odd_usage", "usage is dict"),
        ("odd_count", "usage is Usage"),
        ("odd_details", "details is dict"),
        ("odd_status", "status is int: 3"),
        ("later", "returned ReaderOutput, not CompressorOutput"),
    ],
)
def test_a_part_that_misbehaves_costs_its_own_item(folder: Path, name: str, said: str) -> None:
    given = ReaderInput("m", "q") if name == "later" else GIVEN["compressor"]
    part = load_plugin("compressor", f"some_parts:{name}", folder=folder)
    (output,) = run("compressor", part, given)
    assert (output.status, output.text) == ("error", None)
    assert said in output.error


@pytest.mark.parametrize("name", ["hangs", "hangs_async", "blocks"])
def test_a_part_that_hangs_is_given_up_and_the_next_call_works(folder: Path, name: str) -> None:
    part = load_plugin("reader", f"some_parts:{name}", timeout_seconds=0.2, folder=folder)
    (output,) = run("reader", part, ReaderInput("m", "block"))
    assert output.status == "error"
    assert "did not return within 0.2 s" in output.error
    if name == "blocks":
        assert run("reader", part).text == "free"


def test_a_part_may_stop_the_run(folder: Path) -> None:
    with pytest.raises(RunStopped, match="nothing more today"):
        run("compressor", load_plugin("compressor", "some_parts:stops", folder=folder))


def test_half_characters_are_mended(folder: Path) -> None:
    output = run("compressor", load_plugin("compressor", "some_parts:half", folder=folder))
    assert (output.text, output.reply) == ("hi \ufffd", "\ufffd")


def test_the_worked_example_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "my_parts.py").write_text(code)
    (toml,) = re.findall(r"```toml\n(\[\[compressors\]\]\npart = \"my_parts:.*?)```", readme, re.DOTALL)
    rest = "[dataset]\npath = 'd'\n[reader]\npart = 'rule'\n[judge]\npart = 'exact'\n"
    config = parse_config(rest + toml, tmp_path)
    (part,) = parts_of(config, codec=CodepointCodec()).compressors
    assert (part.name, part.revision[:2]) == ("figures", "1+")
    source = "no\nyes\nroom 12\nyes\nno"
    assert run("compressor", part, CompressorInput(source, None, 9))[0].text == "yes\nroom 12\nyes"
    sys.modules.pop("my_parts")
