"""What the window's commands do in the view of reviews."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

from gacc_gui.gui.review.review_panel import PAGES, ReviewPanel

if TYPE_CHECKING:
    from gacc_gui.gui.main_window import MainWindow


class ReviewCommands(QObject):
    """Acts on the view of one window, which is made when it is first asked for."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def show_queue(self) -> None:
        """Show the queue, which has the keyboard."""
        self._show(PAGES[0])

    def show_agreement(self) -> None:
        """Show how far judge and reviewers agree."""
        self._show(PAGES[1])

    def go_to_row(self, unit: int, question_id: str) -> None:
        """Look at a question of a unit in the inspector."""
        self._window.session.choose_unit(unit, question_id)
        self._window.show_inspector()

    def _show(self, page: str) -> None:
        panel = cast(ReviewPanel, self._window.views.view("review"))
        panel.show_page(page)
        self._window.views.show_view("review")
        panel.setFocus()
