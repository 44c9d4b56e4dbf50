"""The items of a tree, as lists."""

from __future__ import annotations

from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem


def top_items(tree: QTreeWidget) -> list[QTreeWidgetItem]:
    """The items of the first level, from the top."""
    return [item for row in range(tree.topLevelItemCount()) if (item := tree.topLevelItem(row)) is not None]


def child_items(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    """The items directly below an item, from the top."""
    return [child for row in range(item.childCount()) if (child := item.child(row)) is not None]
