"""The views of a window as pages, each made when it is first needed.

Owns when a view is made and which is seen. How one is made and connected is `window_views`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtWidgets import QLineEdit, QStackedWidget, QWidget

from gacc_gui.gui.theme import current_theme, slim_scroll_bars


class Views(QStackedWidget):
    """Signals: those of QStackedWidget."""

    def __init__(self, makers: Mapping[str, Callable[[], QWidget]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._makers = dict(makers)
        self._made: dict[str, QWidget] = {}
        self._themes: dict[QWidget, str] = {}
        """The theme that the scroll bars of a view have."""
        self.currentChanged.connect(self._on_current_changed)

    def view(self, name: str) -> QWidget:
        """The view of this name, made now if it has not been."""
        if name not in self._made:
            view = self._made[name] = self._makers[name]()
            self.addWidget(view)
            groom(view)
            self._themes[view] = current_theme().name
        return self._made[name]

    def made(self, name: str) -> QWidget | None:
        """The view of this name if it has been made."""
        return self._made.get(name)

    def show_view(self, name: str) -> None:
        """Have a view seen."""
        self.setCurrentWidget(self.view(name))

    @property
    def current_name(self) -> str:
        """The name of the view that is seen; empty where there is none."""
        current = self.currentWidget()
        return next((name for name, view in self._made.items() if view is current), "")

    def follow_theme(self) -> None:
        """Have the view that is seen follow the theme; the others do when they are seen."""
        view, theme = self.currentWidget(), current_theme().name
        if view is not None and self._themes.get(view) != theme:
            slim_scroll_bars(view)
            self._themes[view] = theme

    def _on_current_changed(self, _index: int) -> None:
        self.follow_theme()

    def stages(self) -> list[Callable[[], object]]:
        """The making of each view, as parts that can wait."""
        return [partial(self.view, name) for name in self._makers]


def groom(part: QWidget) -> None:
    """Give a part of the window what all have: slim scroll bars; files that fall through to the window."""
    slim_scroll_bars(part)
    for edit in part.findChildren(QLineEdit):
        edit.setAcceptDrops(False)
