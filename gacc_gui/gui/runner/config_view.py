"""The configuration of an evaluation: opened, edited as a form or as TOML, checked, saved.

Owns the document, its file, and its check at every change. Form and text show the same document; whichever a
person edits, the other follows. Not owned: what the configuration is used for (`runner_panel`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.core.errors import BadUsage, GaccError
from gacc_gui.formats.targets import refuse_database
from gacc_gui.gui.asking import Asker
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.overlay import toggle_button
from gacc_gui.gui.runner.config_file import Example, absolute, examples, rebased, safe_to_keep
from gacc_gui.gui.runner.config_form import ConfigForm
from gacc_gui.gui.runner.document import Document
from gacc_gui.gui.runner.field_edit import FieldEdit
from gacc_gui.gui.runner.toml_edit import TomlEdit
from gacc_gui.gui.side.section import Elided, remark
from gacc_gui.gui.theme import GRID, HALF, UI_POINTS, ui_font
from gacc_gui.gui.themed_label import ThemedLabel

if TYPE_CHECKING:
    from gacc_gui.runner.config import Problem
    from gacc_gui.runner.config_model import EvaluationConfig

CHECK_MS: Final = 150
SHOWN_PROBLEMS: Final = 4


class ConfigView(QWidget):
    """Signals: config_changed(EvaluationConfig | None): None while something is wrong; check_asked(name of an
    endpoint); failed(sentence).
    """

    config_changed = Signal(object)
    check_asked = Signal(object)
    failed = Signal(object)

    def __init__(self, asker: Asker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("configView")
        self._asker = asker
        self.database: Path | None = None
        """The open database, which no configuration is saved over."""
        self._document = Document()
        self._path: Path | None = None
        self._folder = Path()
        self._saved: str | None = None
        self._config: EvaluationConfig | None = None
        self._problems: Sequence[Problem] = ()
        self._build_ui()
        self._connect()
        self._show_file()
        self._show_problems()

    def _build_ui(self) -> None:
        title = QLabel("Evaluation", self)
        title.setFont(ui_font(UI_POINTS + 3))
        self._file = Elided(self)
        self._new = QPushButton("New", self)
        self._new.setObjectName("newConfig")
        self._examples = QMenu(self._new)
        self._new.setMenu(self._examples)
        self._open = QPushButton("Open…", self)
        self._save = QPushButton("Save", self)
        self._save.setObjectName("saveConfig")
        self._as_form = toggle_button("Form", self)
        self._as_toml = toggle_button("TOML", self)
        ways = QButtonGroup(self)
        for button in (self._as_form, self._as_toml):
            ways.addButton(button)
        self._as_form.setChecked(True)
        head = QHBoxLayout()
        head.setSpacing(HALF)
        head.addWidget(title)
        head.addSpacing(GRID)
        head.addWidget(self._file, 1)
        for widget in (self._new, self._open, self._save, self._as_form, self._as_toml):
            head.addWidget(widget)
        self._told = ThemedLabel("error", self)
        self._told.setObjectName("configProblems")
        self._told.setWordWrap(True)
        self._told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._go = QPushButton("Show", self)
        self._go.setObjectName("showProblem")
        self._go.setAccessibleName("Show the first problem")
        told = QHBoxLayout()
        told.addWidget(self._told, 1)
        told.addWidget(self._go, 0, Qt.AlignmentFlag.AlignTop)
        self.toml = TomlEdit(self)
        self._empty = self._build_empty()
        self._ways = QStackedWidget(self)
        self._ways.addWidget(self._empty)
        self._ways.addWidget(self.toml)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addLayout(told)
        layout.addWidget(self._ways, 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(CHECK_MS)

    def _build_empty(self) -> QWidget:
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 2 * GRID, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(
            remark(
                page,
                "An evaluation is a TOML file: a dataset, compressors, budgets, a reader and a judge. Begin "
                "with an example, or open a file.",
            )
        )
        for example in examples():
            button = _ExampleButton(example, page)
            button.chosen.connect(self.show_example)
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        return page

    def _connect(self) -> None:
        self._examples.aboutToShow.connect(self._on_examples)
        self._examples.triggered.connect(self._on_example)
        self._open.clicked.connect(self.ask_file)
        self._save.clicked.connect(self.save)
        self._as_form.clicked.connect(self.show_form)
        self._as_toml.clicked.connect(self.show_toml)
        self._go.clicked.connect(self.show_first_problem)
        self._timer.timeout.connect(self.check)
        self.toml.text_edited.connect(self._on_text_edited)

    @cached_property
    def form(self) -> ConfigForm:
        """The form, made when it is first needed."""
        form = ConfigForm(self)
        form.document_edited.connect(self._on_form_edited)
        form.check_asked.connect(self.check_asked)
        form.file_asked.connect(self._on_file_asked)
        self._ways.addWidget(form)
        return form

    # --- what it holds -----------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The configuration as TOML."""
        return self._document.text

    @property
    def config(self) -> EvaluationConfig | None:
        """The configuration, None while something is wrong with it. Changes that wait are checked first."""
        if self._timer.isActive():
            self.check()
        return self._config

    @property
    def folder(self) -> Path:
        """What the paths in it are relative to."""
        return self._folder

    @property
    def problems(self) -> Sequence[Problem]:
        """What is wrong with it."""
        return self._problems

    @property
    def saved_file(self) -> Path | None:
        """Its file, where that holds just what is shown."""
        return self._path if self._saved == self.text else None

    @property
    def is_changed(self) -> bool:
        """Whether there is something that is in no file."""
        return bool(self.text.strip()) and self._saved != self.text

    def absolute_text(self) -> str:
        """The TOML with its paths made absolute, so that it means the same in any folder."""
        return absolute(self._document, self._folder).text

    # --- what is done with it ----------------------------------------------------------------------

    def show_text(self, text: str, folder: Path, path: Path | None = None) -> None:
        """Show a configuration; `path` is the file that holds it, None where none does."""
        self._path, self._folder = path, folder
        self._saved = text if path is not None else None
        self._replace(Document(text))
        self.check()

    def open_file(self, path: Path) -> None:
        """Show the configuration in a file."""
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            self.failed.emit(f"{path} could not be read as a configuration: {error}")
            return
        self.show_text(text.replace("\r\n", "\n"), path.parent, path)

    def ask_file(self) -> None:
        """Ask for a file and show it, after asking about what would be lost."""
        if self._may_replace():
            path = self._asker.configuration(self)
            if path is not None:
                self.open_file(path)

    def save(self) -> None:
        """Save to its file; one that has none is asked where."""
        path = self._path or self._asker.configuration_target(self, "evaluation.toml")
        if path is None:
            return
        document = rebased(self._document, self._folder, path.parent)
        try:
            if self.database is not None:
                refuse_database(path, self.database)
            path.write_text(document.text, encoding="utf-8", newline="\n")
        except (OSError, UnicodeEncodeError, BadUsage) as error:
            self.failed.emit(f"The configuration could not be saved to {path}: {error}")
            return
        self._path, self._folder, self._saved = path, path.parent, document.text
        self._replace(document)
        self.check()

    def show_form(self) -> None:
        """Show the form; a text that is no TOML stays a text."""
        if self._document.is_sound:
            self._as_form.setChecked(True)
            self._ways.setCurrentWidget(self.form)
        else:
            self.show_toml()

    def show_toml(self) -> None:
        """Show the TOML, at the first problem if there is one."""
        self._as_toml.setChecked(True)
        self._ways.setCurrentWidget(self.toml)
        line = next((one.line for one in self._problems if one.line is not None), None)
        if line is not None:
            self.toml.go_to_line(line)

    def show_first_problem(self) -> None:
        """Bring the first thing that is wrong into view: in the form, or as TOML if that cannot show it."""
        self.check()
        if not self._problems:
            return
        edit = self.form.first_problem() if self._document.is_sound else None
        if edit is None or self._ways.currentWidget() is self.toml:
            self.show_toml()
        else:
            self.form.ensureWidgetVisible(edit)
            edit.take_focus()

    def show_check(self, name: str, sentence: str, role: str, running: bool = False) -> None:
        """Tell at an endpoint how its check went."""
        self.form.show_check(name, sentence, role, running)

    def keepable_text(self) -> str | None:
        """The text if it may be kept for the next window: nothing in it looks like a credential."""
        return self.text if safe_to_keep(self.text, self._problems) else None

    def check(self) -> None:
        """Check the configuration now, and show at each key what is wrong."""
        from gacc_gui.runner.config import ConfigError, parse_config

        self._timer.stop()
        before = self._config
        try:
            self._config = parse_config(self.text, self._folder)
            self._problems = ()
        except ConfigError as error:
            self._config = None
            self._problems = error.problems
        self._show_problems()
        if self._config is None or self._config != before:
            self.config_changed.emit(self._config)

    def _replace(self, document: Document) -> None:
        self._document = document
        self.toml.show_text(document.text)
        if document.is_sound:
            self.form.show_document(document)
        if self._ways.currentWidget() is self._empty or not document.is_sound:
            self.show_form()
        self._show_file()

    def _show_problems(self) -> None:
        if self._document.is_sound and "form" in self.__dict__:
            self.form.show_problems(self._problems)
        problems = self._problems if self.text.strip() else ()
        lines = [cell_text(str(one)) for one in problems[:SHOWN_PROBLEMS]]
        if len(problems) > SHOWN_PROBLEMS:
            lines.append(f"… and {len(problems) - SHOWN_PROBLEMS} more")
        self._told.setText("\n".join(lines))
        for widget in (self._told, self._go):
            widget.setVisible(bool(lines))
        self.toml.show_problem_lines({one.line for one in self._problems if one.line is not None})

    def _show_file(self) -> None:
        if self._path is not None:
            name = str(self._path)
        else:
            name = "Not saved to a file yet" if self.text.strip() else ""
        changed = " · changed" if self._path is not None and self.is_changed else ""
        self._file.set_text(name + changed, "muted")
        self._save.setEnabled(self.is_changed)
        for button in (self._as_form, self._as_toml):
            button.setVisible(self._ways.currentWidget() is not self._empty)

    # --- what a person does ------------------------------------------------------------------------

    def _on_form_edited(self, document: Document) -> None:
        self._document = document
        self.toml.show_text(document.text)
        self._changed()

    def _on_text_edited(self, text: str) -> None:
        if text == self._document.text:
            return
        self._document = Document(text)
        if self._document.is_sound:
            self.form.show_document(self._document)
        self._changed()

    def _changed(self) -> None:
        self._show_file()
        self._timer.start()

    def _on_examples(self) -> None:
        self._examples.clear()
        for example in examples():
            action = self._examples.addAction(example.title)
            action.setData(str(example.path))

    def _on_example(self, action: object) -> None:
        if self._may_replace():
            self.show_example(Path(action.data()))  # type: ignore[attr-defined]

    def show_example(self, path: Path) -> None:
        """Begin with a shipped example; it becomes a configuration of one's own when it is saved."""
        try:
            self.show_text(path.read_text(encoding="utf-8"), path.parent)
        except (OSError, GaccError) as error:
            self.failed.emit(f"The example could not be read: {error}")

    def _may_replace(self) -> bool:
        if not self.is_changed:
            return True
        name = self._path.name if self._path is not None else "the configuration"
        text = f"What was changed in {name} is in no file and would be lost."
        return self._asker.confirm(self, "Changes are not saved", text, "Discard changes")

    def _on_file_asked(self, edit: FieldEdit) -> None:
        path = self._asker.any_file(self, f"Choose: {edit.field.title}")
        if path is not None:
            inside = path.is_relative_to(self._folder) and self._folder != Path()
            edit.set_text(str(path.relative_to(self._folder) if inside else path))


class _ExampleButton(QPushButton):
    """Signals: chosen(path of the example)."""

    chosen = Signal(object)

    def __init__(self, example: Example, parent: QWidget) -> None:
        super().__init__(example.title, parent)
        self._path = example.path
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self.chosen.emit(self._path)
