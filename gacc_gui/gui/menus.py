"""The menus of the window: there, with their titles, from the first moment; their commands follow."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QMenu, QMenuBar

MENUS: Final = ("File", "Run", "Go", "View", "Help")


def make_menus(bar: QMenuBar) -> dict[str, QMenu]:
    """Put empty menus into a menu bar, and return them by name."""
    menus = {name: QMenu(f"&{name}", bar) for name in MENUS}
    for menu in menus.values():
        bar.addMenu(menu)
    return menus
