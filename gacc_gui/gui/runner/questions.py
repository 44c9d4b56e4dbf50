"""Short commands whose answer the runner waits for: plans, checks of endpoints. They end with the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject

from gacc_gui.gui.child_process import Child, ChildOutcome


class Questions(QObject):
    """Commands by name: a newer one of a name takes the place of the older, whose answer nobody gets."""

    def __init__(self, program: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._program = program
        self._children: dict[str, Child] = {}

    @property
    def is_idle(self) -> bool:
        """Whether no answer is waited for."""
        return not self._children

    def ask(self, name: str, arguments: Sequence[str], done: Callable[[ChildOutcome], None]) -> None:
        """Run a command with `--json`, then `done(outcome)`."""
        self._drop(name)
        child = Child([*arguments, "--json"], self, program=self._program)
        self._children[name] = child
        child.finished.connect(partial(_deliver, self._children, name, child, done))
        child.start()

    def shutdown(self) -> None:
        """Stop the commands and wait for their end."""
        for name in list(self._children):
            self._drop(name)

    def _drop(self, name: str) -> None:
        child = self._children.pop(name, None)
        if child is not None:
            child.shutdown()
            child.deleteLater()


def _deliver(
    children: dict[str, Child],
    name: str,
    child: Child,
    done: Callable[[ChildOutcome], None],
    outcome: ChildOutcome,
) -> None:
    if children.get(name) is child:
        del children[name]
        child.deleteLater()
        done(outcome)
