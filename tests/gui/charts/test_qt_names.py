"""Qt's types are made in the GUI thread before a worker imports pyqtgraph."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import sys, types, threading
from gacc_gui.gui.charts.qt_names import make_some
steps = 1
while not make_some(0.002):
    steps += 1
assert steps > 1 and make_some() and "pyqtgraph" not in sys.modules
# What pyqtgraph looks up is there already: no name is made any more.
import PySide6.QtCore, PySide6.QtGui, PySide6.QtWidgets
for module in (PySide6.QtCore, PySide6.QtGui, PySide6.QtWidgets):
    left = [name for name in dir(module) if name not in vars(module)]
    assert not left, left
worker = threading.Thread(target=lambda: __import__("pyqtgraph"))
worker.start()
worker.join()
assert "pyqtgraph" in sys.modules
"""


def test_all_types_are_made_in_steps() -> None:
    made = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stderr
