"""Work on texts beside the GUI thread, so that neither the window nor the database's reads wait for it."""

from __future__ import annotations

from typing import Any

from gacc_gui.gui.background import Background


class TextWorker(Background):
    """A `Background` without a database: `work` is called with None."""

    def _open_reader(self) -> Any:
        return None
