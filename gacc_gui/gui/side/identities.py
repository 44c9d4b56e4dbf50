"""Who took part: tokenizer (declared, and as we found it), compressor, reader, judge; the source's origin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from PySide6.QtWidgets import QGridLayout, QWidget

from gacc_gui.core.errors import GaccError
from gacc_gui.core.records import Json, Run
from gacc_gui.core.terms import terms_of
from gacc_gui.gui.side.recount import codec_of
from gacc_gui.gui.side.section import Elided, Section, ThemedLabel, remark
from gacc_gui.gui.theme import GRID
from gacc_gui.store.rows import RunSummary, UnitView

ROWS: Final = (
    "Tokenizer",
    "File says",
    "We found",
    "Compressor",
    "Reader",
    "Judge",
    "Source",
    "Origin",
    "Licence",
)


class IdentitySection(Section):
    """The identities of the run and of the shown unit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Identity", parent)
        self._values: dict[str, Elided] = {}
        self._titles: dict[str, ThemedLabel] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(GRID)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(1, 1)
        for row, name in enumerate(ROWS):
            label = ThemedLabel("muted", self)
            label.setText(name)
            self._titles[name] = label
            self._values[name] = Elided(self)
            grid.addWidget(label, row, 0)
            grid.addWidget(self._values[name], row, 1)
        self._why = remark(self)
        self.body.addLayout(grid)
        self.body.addWidget(self._why)
        self.show_run(None)
        self.show_unit(None)

    def show_run(self, summary: RunSummary | None) -> None:
        """Show what a run declares, and our finding; the reason follows with `show_reason`."""
        run = summary.run if summary else None
        terms = terms_of(run.protocol if run else None)
        for name, words in (
            ("Compressor", terms.compressor),
            ("Reader", terms.reader),
            ("Judge", terms.judge),
        ):
            self._titles[name].setText(words.capitalize())
        self._set("Tokenizer", _named(run.tokenizer if run else None))
        self._set("Reader", _named(run.reader if run else None))
        self._set("Judge", _named(run.judge if run else None))
        declared = summary.identity_declared if summary else None
        says = {True: "cl100k_base, verified", False: "not verified", None: "nothing"}[declared]
        self._set("File says", says if summary else "–")
        if summary is None:
            self._set("We found", "–")
        elif summary.identity_verified:
            self._set("We found", "✓ verified as cl100k_base")
        else:
            disagrees = declared is True
            self._values["We found"].set_text("✗ not verified", "error" if disagrees else "text")
        self.show_reason("")

    def show_reason(self, reason: str) -> None:
        """Say why the tokenizer counts as verified or not."""
        self._why.setText(reason)
        self._why.setVisible(bool(reason))

    def show_unit(self, view: UnitView | None) -> None:
        """Show the shown unit's compressor, and its source's origin and licence."""
        cell = view.memory.cell if view else None
        self._set("Compressor", f"{cell.compressor} {cell.revision}".strip() if cell else "–")
        context = view.context if view else None
        self._set("Source", (context.title or context.id) if context else "–")
        self._set("Origin", (context.origin if context else None) or "–")
        self._set("Licence", (context.license if context else None) or "–")

    def _set(self, name: str, text: str) -> None:
        self._values[name].set_text(text)


def identity_reason(run: Run) -> str:
    """Say why the run's tokenizer counts as verified or not. Runs in a worker: it may load a vocabulary."""
    declared = run.tokenizer or {}
    name = declared.get("name")
    if not name:
        return "The run names no tokenizer."
    if name != "cl100k_base":
        return "Only cl100k_base can be verified; this tokenizer openly is another one."
    try:
        codec = codec_of(run)
    except GaccError as error:
        return f"Not checked: {error}."
    if not codec.identity_verified:
        return "The vocabulary at hand is not that of cl100k_base."
    if declared.get("revision") != codec.revision:
        return "The file does not name the vocabulary by its SHA-256, so it could be another one."
    return "The SHA-256 that the file names is ours; our vocabulary, pattern and special tokens were checked."


def _named(given: Mapping[str, Json] | None) -> str:
    if not given:
        return "–"
    parts = [str(given[key]) for key in ("name", "revision") if given.get(key) not in (None, "")]
    return " ".join(parts) or "–"
