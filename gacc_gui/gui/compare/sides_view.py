"""A compared row in full: what was asked, both sides beside each other, and in what their memories differ.

Owns the marks of the differences and the walk through them. The comparison of the texts runs in the worker
and is given up as soon as another row is chosen.
"""

from __future__ import annotations

from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QToolButton, QVBoxLayout, QWidget

from gacc_gui.core.compared_rows import ONLY_A, ONLY_B, TEXTS_DIFFER, ComparedRow
from gacc_gui.core.errors import GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.compare.compare_reads import ReadPair, compare_texts
from gacc_gui.gui.compare.side_view import SideView
from gacc_gui.gui.lists.few_lines import FewLines
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.words import EMPTY_ANSWER, counted, joined
from gacc_gui.gui.panes.linking import ScrollLink
from gacc_gui.gui.panes.source_map import Links, Match
from gacc_gui.gui.panes.spans import ONLY_HERE, ONLY_THERE, Span
from gacc_gui.gui.session import ViewOptions
from gacc_gui.gui.side.section import Elided
from gacc_gui.gui.theme import GRID, HALF
from gacc_gui.gui.themed_label import ThemedLabel

if TYPE_CHECKING:
    from gacc_gui.core.text_diff import Change, TextDiff

CHANNEL: Final = "compare.texts"
_LAYER: Final = "evidence"
"""The layer that the scroll bar shows too."""
_LONGEST: Final = 20_000
_QUESTION_LINES: Final = 3
_MISSING: Final = {
    ONLY_A: "B has no such row.",
    ONLY_B: "A has no such row.",
    TEXTS_DIFFER: "Not paired: the texts of source, goal, question or references are not the same.",
}


class SidesView(QWidget):
    """Signals: inspect_asked("a" or "b")."""

    inspect_asked = Signal(object)

    def __init__(self, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compareSides")
        self._background = background
        self._given_up = Event()
        self._changes: tuple[Change, ...] = ()
        self._at = -1
        self._build_ui()
        self._connect()
        self.show_pair(None, None)

    def _build_ui(self) -> None:
        self._question = FewLines(_QUESTION_LINES, self)
        self._question.setObjectName("compareQuestion")
        self._question.setAccessibleName("Question")
        self._references = Elided(self, at_end=True)
        self._told = ThemedLabel("muted", self)
        self._told.setObjectName("compareTold")
        self._previous = _button("◂", "The difference before  (P)", self)
        self._next = _button("▸", "The next difference  (N)", self)
        self._a, self._b = SideView("A", self), SideView("B", self)
        self._link = ScrollLink(self._a.pane, (self._b.pane,), self)
        walk = QHBoxLayout()
        walk.setContentsMargins(GRID, 0, 0, 0)
        walk.setSpacing(HALF)
        walk.addWidget(self._told, 1)
        walk.addWidget(self._previous)
        walk.addWidget(self._next)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(self._a)
        split.addWidget(self._b)
        split.setSizes([100, 100])
        split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(HALF)
        asked = QVBoxLayout()
        asked.setContentsMargins(GRID, 0, 0, 0)
        asked.setSpacing(HALF)
        asked.addWidget(self._question)
        asked.addWidget(self._references)
        layout.addLayout(asked)
        layout.addWidget(split, 1)
        layout.addLayout(walk)

    def _connect(self) -> None:
        self._previous.clicked.connect(self.previous_change)
        self._next.clicked.connect(self.next_change)
        self._a.inspect_asked.connect(self._on_inspect_a)
        self._b.inspect_asked.connect(self._on_inspect_b)

    @property
    def a(self) -> SideView:
        """A's side."""
        return self._a

    @property
    def b(self) -> SideView:
        """B's side."""
        return self._b

    @property
    def changes(self) -> tuple[Change, ...]:
        """In what the memories differ, as far as is known."""
        return self._changes

    def show_pair(self, row: ComparedRow | None, pair: ReadPair | None) -> None:
        """Show a row with its sides; None shows nothing. The memories are compared beside the window."""
        self._given_up.set()
        self._background.forget(CHANNEL)
        self._mark(())
        missing = _MISSING.get(row.bucket, "") if row is not None else ""
        a, b = (pair.a, pair.b) if pair is not None else (None, None)
        self._a.show_side(a, missing)
        self._b.show_side(b, missing)
        self._told.setText("")
        if row is None or pair is None:
            self._question.show_words("Choose a row to see both sides.")
            self._references.set_text("")
            return
        self._question.show_words(cell_text(row.question.texts[2], _LONGEST))
        side = next((one.row for one in (a, b) if one is not None and one.row is not None), None)
        references = (
            [cell_text(one) or EMPTY_ANSWER for one in side.question.references or ()] if side else []
        )
        self._references.set_text(joined(("References: " + " | ".join(references), row.question.id)), "muted")
        if a is None or b is None:
            return
        first, second = a.view.memory.retained_text, b.view.memory.retained_text
        if first is None or second is None:
            self._told.setText("There is no memory on one side.")
        elif first == second:
            self._told.setText("Both memories are the same.")
        else:
            self._told.setText("Comparing the memories…")
            self._given_up = Event()
            work = partial(compare_texts, first, second, Stop(self._given_up, self._background))
            self._background.request(CHANNEL, work, self._on_compared, self._on_failed)

    def show_options(self, options: ViewOptions) -> None:
        """Read as the other texts are read."""
        self._a.show_options(options)
        self._b.show_options(options)
        self._link.enabled = options.linked

    def next_change(self) -> None:
        """Go to the next difference, from the last one to the first."""
        self._go(1)

    def previous_change(self) -> None:
        """Go to the difference before."""
        self._go(-1)

    def _go(self, step: int) -> None:
        if not self._changes:
            return
        start = self._at + step if self._at >= 0 else 0 if step > 0 else -1
        self._at = start % len(self._changes)
        change = self._changes[self._at]
        with self._link.paused():
            self._a.pane.reveal(change.a_start, change.a_end)
            self._b.pane.reveal(change.b_start, change.b_end)
        self._a.pane.select(change.a_start, change.a_end)
        self._b.pane.select(change.b_start, change.b_end)

    def _on_compared(self, diff: TextDiff) -> None:
        self._mark(diff.changes)
        a, b = len(self._a.pane.text()), len(self._b.pane.text())
        same = a - sum(change.a_end - change.a_start for change in diff.changes)
        told = (
            counted(len(diff.changes), "difference"),
            f"{same:,} of {a:,} and {b:,} characters are the same",
            "what is most unlike is not compared word by word" if diff.coarse else "",
        )
        self._told.setText(joined(told))

    def _on_failed(self, error: GaccError) -> None:
        self._told.setText(str(error))

    def _mark(self, changes: tuple[Change, ...]) -> None:
        self._changes, self._at = changes, -1
        self._a.pane.set_spans(_LAYER, [_span(one.a_start, one.a_end) for one in changes])
        self._b.pane.set_spans(_LAYER, [_span(one.b_start, one.b_end) for one in changes])
        self._link.set_links(self._b.pane, Links(self._same(changes)))
        for button in (self._previous, self._next):
            button.setEnabled(bool(changes))

    def _same(self, changes: tuple[Change, ...]) -> list[Match]:
        """The stretches between the changes, which both memories have."""
        matches = []
        a, b = 0, 0
        for change in changes:
            if change.a_start > a:
                matches.append(Match(a, change.a_start, b, change.b_start))
            a, b = change.a_end, change.b_end
        if changes and a < len(self._a.pane.text()):
            matches.append(Match(a, len(self._a.pane.text()), b, len(self._b.pane.text())))
        return matches

    def _on_inspect_a(self) -> None:
        self.inspect_asked.emit("a")

    def _on_inspect_b(self) -> None:
        self.inspect_asked.emit("b")


class Stop:
    """Asked from the worker whether a comparison is still wanted."""

    def __init__(self, given_up: Event, background: Background) -> None:
        self._given_up = given_up
        self._background = background

    def __call__(self) -> bool:
        """Whether to give up."""
        return self._given_up.is_set() or self._background.is_stopping


def _span(start: int, end: int) -> Span:
    return Span(start, end, ONLY_HERE if end > start else ONLY_THERE)


def _button(text: str, hint: str, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setText(text)
    button.setToolTip(hint)
    button.setAutoRaise(True)
    return button
