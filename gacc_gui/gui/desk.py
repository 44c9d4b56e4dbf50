"""What a window works with and does not show: its workers, the session, what is open.

Made before the widgets, so that the database is read while they are made.
"""

from __future__ import annotations

from PySide6.QtCore import QObject

from gacc_gui.gui.background import Background
from gacc_gui.gui.opener import Opener
from gacc_gui.gui.reviews import Reviews
from gacc_gui.gui.session import Session
from gacc_gui.gui.settings import Settings


class Desk(QObject):
    """`reads` answers the lists, `counts` what they need not wait for."""

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.settings = settings
        self.reads = Background(None, self)
        self.counts = Background(None, self)
        self.session = Session(self.reads, self)
        self.session.set_options(
            mono=settings.mono,
            zoom=settings.zoom,
            linked=settings.linked,
            grouped=settings.grouped,
            as_reviewed=settings.as_reviewed,
        )
        self.reviews = Reviews(self.session, self.counts, self)
        self.opener = Opener(self.session, self.reads, self.counts, settings, self)
