"""The audit view: checks of a run with their examples, each a way to the row it is about.

Owns the view. Not owned: the checks (`app.verifying`, `app.linting`), which run in a worker.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.overlay import RowDelegate
from gacc_gui.gui.session import Session
from gacc_gui.gui.side.audit_job import Audit, AuditJob
from gacc_gui.gui.theme import GRID, UI_POINTS, current_theme, ui_font
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.gui.tree_items import top_items
from gacc_gui.store.rows import RunSummary

if TYPE_CHECKING:
    from gacc_gui.app.linting import Fault
    from gacc_gui.app.verifying import Check, Example

CHANNEL: Final = "audit"
NAMES: Final = {
    "tokenizer_identity": "The tokenizer is what the file says",
    "budgets": "Budgets are ⌊rN⌋",
    "source_tokens": "Source tokens",
    "proposed_tokens": "Proposed tokens",
    "retained_tokens": "Retained tokens",
    "unused_budget": "Unused budget",
    "reencoded_tokens": "Re-encoded tokens",
    "padding_tokens": "No padding",
    "retained_texts": "Memories are the cut proposals",
    "budget_violations": "No memory exceeds its budget",
    "shown_goals": "Every memory was shown the goal that its condition says",
    "compressor_exposures": "No question or reference was shown to a compressor",
}
COMPACTION_NAMES: Final = {
    "planned": "Every planned context and answer is there, once",
    "mode": "Mode, parts and “diagnostic” agree",
    "content": "Questions, gold and articles are those of the dataset",
    "sources": "Sources and evidence are the frozen articles",
    "inputs": "Answer inputs hold task, question and evidence",
    "groups": "Kept and dropped groups are all groups, in order",
    "rankings": "Rankings are by score, ties by position",
    "evidence": "Kept groups stand word for word",
    "ledgers": "Budgets and ledgers agree",
    "ceilings": "Local counts are below the ceiling",
    "provider_ceilings": "Inputs over the ceiling are invalid",
    "retries": "No summary was asked for too often",
    "statuses": "Statuses are what contexts and answers came to",
    "steps": "Requests to rank and summarise are there, and gave what was kept",
    "replies": "Requests for answers are there, and sent and brought what is stored",
    "token_counts": "Token counts",
    "fusion_share": "Kept groups take no more than their share",
    "answers_read": "Answers are what the replies say",
    "scores": "Scores are the official metrics'",
    "verdicts": "Right is where EM is 1",
    "aggregate": "EM is the share of right answers",
    "gold_exposures": "No gold was shown to a compressor",
    "credentials": "No credentials",
}
TARGET: Final = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Target:
    """Where a failure is: what of it is known."""

    memory_id: str | None
    goal_id: str | None
    question_id: str | None


class AuditPanel(QWidget):
    """Signals: target_chosen(Target): go to the row of a failure."""

    target_chosen = Signal(object)

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("auditPanel")
        self._session = session
        self._background = background
        self._job: AuditJob | None = None
        self._audit: Audit | None = None
        self._build_ui()
        self._connect()
        self._on_run_changed(session.run)

    def _build_ui(self) -> None:
        self._title = QLabel("Audit", self)
        self._title.setFont(ui_font(UI_POINTS + 3))
        self._words = ThemedLabel("text", self)
        self._words.setWordWrap(True)
        self._start = QPushButton("Audit this run", self)
        self._cancel = QPushButton("Cancel", self)
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(GRID)
        self._tree = QTreeWidget(self)
        self._tree.setObjectName("auditChecks")
        self._tree.setHeaderLabels(["Check", "Outcome", "Checked", "Failed", "Detail"])
        self._tree.setUniformRowHeights(True)
        self._tree.setItemDelegate(RowDelegate(self._tree))
        self._tree.setAlternatingRowColors(True)
        for column in (2, 3):
            self._tree.headerItem().setTextAlignment(column, Qt.AlignmentFlag.AlignRight)
        header = self._tree.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate((46, 13, 10, 10)):
            self._tree.setColumnWidth(column, width * GRID)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._start)
        head.addWidget(self._cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self._words)
        layout.addWidget(self._bar)
        layout.addWidget(self._tree, 1)
        layout.addStretch(0)
        self._poll = QTimer(self)
        self._poll.setInterval(100)

    def _connect(self) -> None:
        self._start.clicked.connect(self.start)
        self._cancel.clicked.connect(self.cancel)
        self._poll.timeout.connect(self._on_poll)
        self._tree.itemActivated.connect(self._on_activated)
        self._session.run_changed.connect(self._on_run_changed)

    @property
    def is_running(self) -> bool:
        """Whether an audit runs."""
        return self._job is not None

    @property
    def audit(self) -> Audit | None:
        """What the last audit of the shown run found."""
        return self._audit

    def start(self) -> None:
        """Audit the chosen run."""
        run = self._session.run
        if run is None or self._job is not None:
            return
        self._audit = None
        self._tree.clear()
        self._job = AuditJob(run.run.id)
        self._background.request(CHANNEL, self._job.work, self._on_done, self._on_failed)
        self._poll.start()
        self._show_state("Counting again everything that can be counted…")
        self._on_poll()

    def cancel(self) -> None:
        """Stop the running audit."""
        if self._job is not None:
            self._job.cancel.set()
            self._background.forget(CHANNEL)
            self._end("The audit was stopped.")

    def shutdown(self) -> None:
        """Have the worker give up soon, before it is joined."""
        self._poll.stop()
        if self._job is not None:
            self._job.cancel.set()

    def _on_run_changed(self, summary: RunSummary | None) -> None:
        if self._audit is not None and summary is not None and summary.run.id == self._audit.run_id:
            return
        self.cancel()
        self._audit = None
        self._tree.clear()
        if summary is None:
            self._show_state("No run is open. Open run files first.")
        else:
            self._show_state(
                "Recounts budgets, ledgers and memories with the verified tokenizer, looks for questions and "
                "references in what compressors were sent, and looks for faults of the items."
            )

    def _show_state(self, words: str) -> None:
        self._words.setText(words)
        running = self._job is not None
        self._start.setVisible(not running)
        self._start.setEnabled(self._session.run is not None)
        self._cancel.setVisible(running)
        self._bar.setVisible(running)
        self._tree.setVisible(self._tree.topLevelItemCount() > 0)

    def _on_poll(self) -> None:
        if self._job is None:
            return
        done, total, phase = self._job.progress
        if total:
            self._bar.setRange(0, 1000)
            self._bar.setValue(min(1000, done * 1000 // total))
            self._words.setText(f"{phase}: {done:,} of {total:,}")
        else:
            self._bar.setRange(0, 0)
            self._words.setText(f"{phase}: {done:,}" if done else f"{phase}…")

    def _end(self, words: str) -> None:
        self._job = None
        self._poll.stop()
        self._show_state(words)

    def _on_failed(self, error: GaccError) -> None:
        self._end(f"The audit could not be done: {error}.")

    def _on_done(self, audit: Audit) -> None:
        self._audit = audit
        checks = audit.verification.checks
        for check in checks:
            self._tree.addTopLevelItem(self._check_item(check))
        self._add_faults(audit)
        for item in top_items(self._tree):
            item.setExpanded(0 < item.childCount() <= 12)
        self._paint_outcomes()
        failed = sum(check.ok is False for check in checks)
        unable = sum(check.ok is None for check in checks)
        held = len(checks) - failed - unable
        words = [f"{held} of {len(checks)} checks hold"]
        if failed:
            words.append(f"{failed} failed")
        if unable:
            words.append(f"{unable} could not run")
        faults = len(audit.linting.faults)
        words.append(f"{faults:,} faults of items" if faults != 1 else "1 fault of an item")
        self._end(" · ".join(words) + ". Double-click a failure to go to its row.")

    def _check_item(self, check: Check) -> QTreeWidgetItem:
        outcome = {True: "✓ holds", False: "✗ fails", None: "could not run"}[check.ok]
        figures = (f"{check.checked:,}", f"{check.failures:,}" if check.failures else "")
        name = NAMES.get(check.name) or COMPACTION_NAMES.get(check.name, check.name)
        item = QTreeWidgetItem([name, outcome, *figures, cell_text(check.why or "")])
        _align(item)
        for example in check.examples:
            item.addChild(_example_item(example))
        if check.failures > len(check.examples):
            more = check.failures - len(check.examples)
            item.addChild(QTreeWidgetItem([f"… and {more:,} more"]))
        return item

    def _add_faults(self, audit: Audit) -> None:
        by_kind: dict[str, list[Fault]] = {}
        for fault in audit.linting.faults:
            by_kind.setdefault(fault.kind, []).append(fault)
        for kind, faults in by_kind.items():
            item = QTreeWidgetItem(
                [f"Item fault: {kind.replace('_', ' ')}", "! look", "", f"{len(faults):,}"]
            )
            _align(item)
            for fault in faults[:50]:
                item.addChild(_fault_item(fault))
            if len(faults) > 50:
                item.addChild(QTreeWidgetItem([f"… and {len(faults) - 50:,} more"]))
            self._tree.addTopLevelItem(item)

    def _paint_outcomes(self) -> None:
        theme = current_theme()
        for item in top_items(self._tree):
            mark = item.text(1)[:1]
            colour = {"✓": theme.cause_text("correct"), "✗": theme.error}.get(mark, theme.muted)
            item.setForeground(1, colour)

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        target = item.data(0, TARGET)
        if isinstance(target, Target):
            self.target_chosen.emit(target)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_outcomes()
        super().changeEvent(event)


def _align(item: QTreeWidgetItem) -> None:
    for column in (2, 3):
        item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def _example_item(example: Example) -> QTreeWidgetItem:
    where = [
        f"{kind} {name}"
        for kind, name in (
            ("memory", example.memory_id),
            ("request", example.request_id),
            ("question", example.question_id),
        )
        if name
    ]
    detail = f"{example.field}: declared {_value(example.declared)}, recounted {_value(example.recomputed)}"
    if example.declared is None and example.recomputed is None:
        detail = example.field
    if example.detail:
        detail = f"{detail}; {example.detail}"
    item = QTreeWidgetItem([cell_text(", ".join(where)) or "the run", "", "", "", cell_text(detail)])
    item.setToolTip(4, tooltip(detail))
    item.setData(0, TARGET, Target(example.memory_id, None, example.question_id))
    return item


def _value(value: object) -> str:
    if value is None:
        return "nothing"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else f"{value}"


def _fault_item(fault: Fault) -> QTreeWidgetItem:
    item = QTreeWidgetItem([cell_text(fault.where), "", "", "", cell_text(fault.message)])
    item.setToolTip(4, tooltip(fault.message))
    if fault.goal_id or fault.question_id:
        item.setData(0, TARGET, Target(None, fault.goal_id, fault.question_id))
    return item
