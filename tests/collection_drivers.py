"""Agents that do something wrong: our own driver with a fault planted, run like any other."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

from gacc_gui.runner.collection.agents import OWN, Agent, own_agent

_HEAD = """
import importlib.util, json, os, sys, time
from pathlib import Path
spec = importlib.util.spec_from_file_location("own_driver", {path!r})
own = importlib.util.module_from_spec(spec)
spec.loader.exec_module(own)
"""


def faulty_agent(folder: Path, fault: str) -> Agent:
    """Our own loop, changed by the code `fault`, in which `own` is its module."""
    script = folder / "faulty_driver.py"
    head = _HEAD.format(path=str(own_agent().driver))
    script.write_text(f"{head}\n{dedent(fault)}\nown.main()\n", encoding="utf-8")
    return Agent(OWN, "faulty", Path(sys.executable), script)


def hanging_python(folder: Path, version: str = "0.19.0") -> Path:
    """An interpreter that says it has Hermes, and as a driver starts a child and never ends.

    The two processes' ids are in `folder/pids`, the second one's last.
    """
    script = folder / "python"
    code = f"""\
    #!/bin/sh
    if [ "$1" = "-c" ]; then echo {version}; exit 0; fi
    sleep 600 &
    echo $$ $! > {folder}/pids.part
    mv {folder}/pids.part {folder}/pids
    wait
    """
    script.write_text(dedent(code), encoding="utf-8")
    script.chmod(0o755)
    return script
