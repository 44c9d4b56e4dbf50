"""The left side of the window over a real database: a run of many goals, and the lists of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QLabel, QWidget

from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.cell_chooser import CellChooser
from gacc_gui.gui.lists.filter_edit import FilterEdit
from gacc_gui.gui.lists.goals_model import PLACES
from gacc_gui.gui.lists.goals_view import ELSEWHERE, GoalsView
from gacc_gui.gui.lists.runs_view import RunsView
from gacc_gui.gui.session import Session
from gacc_gui.gui.side.section import Elided

COMPRESSORS = (("lead", "1", "0.5"), ("lead", "2", "0.5"), ("pick", "1", "0.1"), ("pick", "1", "0.5"))
GOALS = 12


def large_document(base: dict[str, Any], run_id: str) -> dict[str, Any]:
    """Twelve goals of three questions in four contexts, under four cells; goal n has n % 4 answers right."""
    text = base["contexts"][0]["text"]
    document = {**base, "run": {**base["run"], "id": run_id, "name": f"run {run_id}"}, "requests": []}
    document["contexts"] = [{"id": f"c{n}", "text": text, "title": f"Pump {n}"} for n in range(4)]
    document["goals"] = [
        {"id": f"g{n}", "context_id": f"c{n % 4}", "text": f"Keep what goal {n} is about"}
        for n in range(GOALS)
    ]
    document["questions"] = [
        {**question, "id": f"g{n}-{question['id']}", "goal_id": f"g{n}"}
        for n in range(GOALS)
        for question in base["questions"]
    ]
    document["memories"], document["answers"], document["verdicts"] = [], [], []
    for place, (name, revision, ratio) in enumerate(COMPRESSORS):
        for n in range(GOALS):
            memory_id = f"m{place}-{n}"
            document["memories"].append(
                {
                    **base["memories"][0],
                    "id": memory_id,
                    "goal_id": f"g{n}",
                    "shown_goal_id": f"g{n}",
                    "compressor": {"name": name, "revision": revision},
                    "ratio": ratio,
                }
            )
            for number, question in enumerate(base["questions"]):
                key = {"memory_id": memory_id, "question_id": f"g{n}-{question['id']}", "repeat": 0}
                label = "correct" if number < n % 4 else "incorrect"
                document["answers"].append({**key, "text": "unknown", "status": "ok", "error": None})
                document["verdicts"].append({**key, "label": label, "status": "judged"})
    return document


@dataclass
class Lists:
    """The left side of the window."""

    session: Session
    background: Background
    runs: RunsView
    cells: CellChooser
    filter: FilterEdit
    goals: GoalsView
    window: QWidget

    @property
    def count(self) -> str:
        return self.said_count.removesuffix(f", {ELSEWHERE}")

    @property
    def said_count(self) -> str:
        label = self.goals.findChild(Elided, "goalsCount")
        assert label is not None
        return label.text()

    @property
    def message(self) -> str:
        label = self.goals.findChild(QLabel, "goalsMessage")
        assert label is not None
        return label.text() if label.isVisible() else ""

    def column(self, key: str) -> list[Any]:
        model = self.goals.model
        return [model.data(model.index(row, PLACES[key])) for row in range(model.rowCount())]
