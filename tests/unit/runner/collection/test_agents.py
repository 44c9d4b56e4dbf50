"""Where Hermes is looked for, and what a report must be."""

from __future__ import annotations

from pathlib import Path

import pytest

from gacc_gui.core.errors import BadUsage
from gacc_gui.runner.collection.agents import (
    HERMES,
    BadReport,
    find_hermes,
    own_agent,
    read_report,
)
from tests.collection_drivers import hanging_python


def test_nobody_says_where() -> None:
    assert find_hermes(None, {"PATH": ""}) is None
    assert find_hermes(None, {"PATH": "", "GACC_HERMES_PYTHON": " "}) is None


@pytest.mark.parametrize("by", ["argument", "variable"])
def test_somebody_says_where(tmp_path: Path, by: str) -> None:
    python = hanging_python(tmp_path, "9.8.7")
    environment = {"PATH": "/usr/bin:/bin"}
    if by == "variable":
        agent = find_hermes(None, {**environment, "GACC_HERMES_PYTHON": str(python)})
    else:
        agent = find_hermes(python, {**environment, "GACC_HERMES_PYTHON": "/nowhere"})
    assert agent is not None
    assert (agent.name, agent.version, agent.python) == (HERMES, "9.8.7", python)
    assert agent.driver.name == "hermes_driver.py"
    assert agent.driver.is_file()


def test_it_is_not_there(tmp_path: Path) -> None:
    for python in (tmp_path / "none", own_agent().python):
        with pytest.raises(BadUsage, match="is no Python interpreter that has hermes-agent"):
            find_hermes(python, {"PATH": ""})


def test_a_link_to_an_interpreter_stays_a_link(tmp_path: Path) -> None:
    hanging_python(tmp_path)
    link = tmp_path / "venv-python"
    link.symlink_to("python")
    agent = find_hermes(link, {"PATH": "/usr/bin:/bin"})
    assert agent is not None
    assert agent.python == link


def test_behind_the_command(tmp_path: Path) -> None:
    python = hanging_python(tmp_path)
    command = tmp_path / "bin" / "hermes"
    command.parent.mkdir()
    environment = {"PATH": f"{command.parent}:/usr/bin:/bin"}
    for content, found in (
        (f"#!{python}\nimport x\n", True),
        ("#!/bin/nothing\n", False),
        ("\x7fELF", False),
    ):
        command.write_text(content)
        command.chmod(0o755)
        agent = find_hermes(None, environment)
        assert (agent is not None and agent.python == python) is found


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is no JSON"),
        ("[]", "holds no messages"),
        ('{"messages": {}}', "holds no messages"),
        ('{"messages": [1]}', "holds no messages"),
        ('{"messages": [], "messages": []}', "stands twice"),
        ('{"messages": [], "usage": NaN}', "NaN"),
    ],
)
def test_reports_that_are_none(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(BadReport, match=reason):
        read_report(path)


def test_a_report_that_is_missing_or_a_folder(tmp_path: Path) -> None:
    with pytest.raises(BadReport, match="left no report"):
        read_report(tmp_path / "report.json")
    with pytest.raises(BadReport, match="cannot be read: Is a directory"):
        read_report(tmp_path)


def test_a_report_with_odd_particulars(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text('{"messages": [{}], "completed": 1, "session": 5, "usage": [], "error": ["a"]}')
    report = read_report(path)
    assert (report.completed, report.session, report.usage) == (False, None, {})
    assert report.error == "['a']"
