"""Qt's types, made a few at a time in the GUI thread, before pyqtgraph asks for all of them at once.

PySide makes a type when its name is first looked up, and pyqtgraph looks up every name of QtCore, QtGui and
QtWidgets when it is imported. In a worker, while the GUI thread is at work, that crashes (PySide6 6.11 on
CPython 3.11, measured 2026-11: one start in ten on a busy machine). Once they are made, nothing is left to
make: then a worker can import it.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from typing import Final

_MODULES: Final = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtOpenGLWidgets", "QtTest")
"""Those that pyqtgraph imports; the last three may be missing."""
SLICE_SECONDS: Final = 0.008


def _make_all() -> Iterator[None]:
    for name in _MODULES:
        try:
            module = importlib.import_module(f"PySide6.{name}")
        except ImportError:
            continue  # pyqtgraph does without, too
        yield
        for one in dir(module):
            getattr(module, one, None)
            yield


_making: Final = _make_all()


def make_some(seconds: float = SLICE_SECONDS) -> bool:
    """Make types for some time, in the GUI thread; return whether all are made."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        if next(_making, _making) is _making:
            return True
    return False
