"""Spares our modules a look by PySide that costs more than importing them.

PySide's optional features (`snake_case`, `true_property`) are chosen per module. To know which modules may
choose, PySide reads the source text of every module imported after it and looks for the word “PySide6” in
it: 0.3 ms a module, a fifth of the window's start (PySide6 6.11, measured 2026-11). Ours use Qt and choose
no feature, so the answer is known without a look.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Final

import PySide6  # noqa: F401  # makes the module that is sought below

_FEATURES: Final = "shibokensupport.feature"
_LOOK: Final = "_mod_uses_pyside"


def spare_our_modules() -> None:
    """Answer for our modules; where this PySide has no such look, do nothing."""
    features = sys.modules.get(_FEATURES)
    look = getattr(features, _LOOK, None)
    if look is None:
        return

    def answer(module: ModuleType) -> bool:
        return module.__name__.startswith("gacc_gui.") or look(module)

    setattr(features, _LOOK, answer)
