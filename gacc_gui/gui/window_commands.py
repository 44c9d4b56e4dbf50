"""The table of the window's commands: what there is, under which key, and what it calls.

Owns titles and shortcuts. How they become menus, palette and sheet is `commands`; what they do, the window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gacc_gui.gui.commands import Command
from gacc_gui.gui.reading import Reading, Toggle
from gacc_gui.gui.view_keys import ViewKeys

if TYPE_CHECKING:
    from gacc_gui.gui.main_window import MainWindow


def window_commands(window: MainWindow) -> list[Command]:
    """Declare the commands of a window, in the order of menus and palette."""
    keys = ViewKeys(window)
    inspector, actions, here = window.inspector, window.run_actions, window.window_actions
    reading = Reading(window.session, window)
    run, unit, database = here.has_run, here.has_unit, here.has_database
    return [
        Command("open-files", "Open run files…", "File", here.ask_files, ("Ctrl+O",)),
        Command("open-database", "Open a database…", "File", here.ask_database, ("Ctrl+Shift+O",)),
        Command("demo", "Try the demonstration", "File", window.opener.start_demo),
        Command("recent", "Start page and recent files", "File", window.show_start, ("Ctrl+Shift+H",)),
        Command("close", "Close the window", "File", window.leave, ("Ctrl+W", "Ctrl+Q"), separated=True),
        Command("rename", "Rename the run…", "Run", actions.rename_chosen, (), run),
        Command("export", "Export the run…", "Run", actions.export_chosen, ("Ctrl+E",), run),
        Command(
            "export-goal", "Export the goal as a page…", "Run", actions.export_goal, ("Ctrl+Shift+G",), unit
        ),
        Command(
            "cancel-export",
            "Cancel the export",
            "Run",
            actions.exports.cancel,
            ("Ctrl+Alt+E",),
            actions.exports.can_cancel,
        ),
        Command("delete", "Delete the run…", "Run", actions.delete_chosen, (), run),
        Command("audit", "Audit the run", "Run", window.start_audit, ("Ctrl+Shift+A",), run, separated=True),
        Command(
            "reopen",
            "Copy the command that reopens this question",
            "Run",
            here.copy_reopen_command,
            ("Ctrl+Shift+C",),
            unit,
        ),
        *_asking_again(window),
        Command("next-goal", "Next failing goal", "Go", keys.next_failing, ("N",), run),
        Command("previous-goal", "Previous failing goal", "Go", keys.previous_failing, ("P",), run),
        Command("next-question", "Next question", "Go", reading.next_question, ("J",), unit),
        Command("previous-question", "Previous question", "Go", reading.previous_question, ("K",), unit),
        Command("next-run", "Next run", "Go", here.next_run, ("Ctrl+PgDown",), run),
        Command("previous-run", "Previous run", "Go", here.previous_run, ("Ctrl+PgUp",), run),
        Command(
            "filter",
            "Filter goals and questions",
            "Go",
            keys.filter,
            ("Ctrl+L", "/"),
            run,
            separated=True,
        ),
        Command("find", "Find in the texts", "Go", keys.find, ("Ctrl+F",), unit),
        Command("find-next", "Next hit", "Go", keys.find_next, ("F3",), unit),
        Command("find-previous", "Previous hit", "Go", keys.find_previous, ("Shift+F3",), unit),
        Command("next-part", "Next part of the window", "Go", keys.next_part, ("F6",), database),
        Command("previous-part", "Previous part", "Go", keys.previous_part, ("Shift+F6",), database),
        Command("copy", "Copy the selection", "Go", reading.copy_selection),
        Command("inspector", "Inspector", "View", window.show_inspector, ("Ctrl+1",), database),
        Command("figures", "Figures of each cell", "View", window.show_figures, ("Ctrl+2",), run),
        *_views_of_run(window),
        *_comparison(window),
        *_reviews(window),
        Command("audit-view", "Audit", "View", window.show_audit, ("Ctrl+3",), run),
        Command("requests", "Raw requests", "View", window.show_requests, ("Ctrl+4",), run),
        *_compaction(window, keys),
        Command("runner", "Run an evaluation", "View", window.show_runner, ("Ctrl+5",)),
        Command(
            "dark",
            "Dark theme",
            "View",
            here.toggle_theme,
            ("Ctrl+Shift+D",),
            checked=here.is_dark,
            separated=True,
        ),
        Command(
            "side",
            "Side panel",
            "View",
            inspector.toggle_side,
            ("F9",),
            database,
            checked=inspector.shows_side,
        ),
        Command("zoom-in", "Larger texts", "View", reading.zoom_in, ("Ctrl++", "Ctrl+=")),
        Command("zoom-out", "Smaller texts", "View", reading.zoom_out, ("Ctrl+-",)),
        Command("zoom-reset", "Ordinary size", "View", reading.zoom_reset, ("Ctrl+0",)),
        *_toggles(window),
        Command("palette", "Command palette", "Help", window.open_palette, ("Ctrl+Shift+P",)),
        Command("shortcuts", "Keyboard shortcuts", "Help", window.open_shortcuts, ("?", "F1")),
    ]


def _views_of_run(window: MainWindow) -> list[Command]:
    """The views of a run's figures that are made when they are first asked for."""
    from gacc_gui.gui.charts.chart_commands import ChartCommands

    charts = ChartCommands(window)
    run = window.window_actions.has_run
    return [
        Command("charts", "Charts", "View", charts.show_charts, ("Ctrl+9",), run),
        Command(
            "matrix",
            "Matrix: a goal's questions over all cells",
            "View",
            charts.show_matrix,
            ("Ctrl+Shift+X",),
            run,
        ),
        Command("export-chart", "Export the chart…", "Run", charts.export_chart, (), charts.has_chart),
        Command(
            "lost-goals",
            "Goals with a question that a larger budget loses",
            "Go",
            charts.filter_lost,
            (),
            run,
        ),
    ]


def _reviews(window: MainWindow) -> list[Command]:
    """Reviewers' decisions."""
    from gacc_gui.gui.review.review_commands import ReviewCommands

    reviews = ReviewCommands(window)
    run = window.window_actions.has_run
    return [
        Command("review", "Review verdicts", "View", reviews.show_queue, ("Ctrl+R",), run),
        Command("agreement", "Agreement of judge and reviewers", "View", reviews.show_agreement, (), run),
    ]


def _asking_again(window: MainWindow) -> list[Command]:
    """Questions asked once more with something else in the memory's place."""
    from gacc_gui.gui.probing.reask_commands import reask_commands

    return reask_commands(window.reask)


def _comparison(window: MainWindow) -> list[Command]:
    """Comparing two runs or cells."""
    from gacc_gui.gui.compare.compare_commands import CompareCommands

    here = CompareCommands(window)
    return [
        Command(
            "compare",
            "Compare runs or cells",
            "View",
            here.show_comparison,
            ("Ctrl+D",),
            window.window_actions.has_run,
        ),
        Command("swap-sides", "Swap the sides of the comparison", "Go", here.swap, (), here.is_seen),
        Command(
            "copy-comparison",
            "Copy the command that prints this comparison",
            "Run",
            here.copy_command,
            (),
            here.is_seen,
        ),
    ]


def _compaction(window: MainWindow, keys: ViewKeys) -> list[Command]:
    """What there is for runs of the compaction benchmark alone."""
    fit = keys.has_compaction
    return [
        Command("compaction", "Compaction: cases", "View", keys.show_cases, ("Ctrl+6",), fit),
        Command("compaction-methods", "Compaction: methods", "View", keys.show_methods, ("Ctrl+7",), fit),
        Command("compaction-budgets", "Compaction: budgets", "View", keys.show_budgets, ("Ctrl+8",), fit),
        Command("next-fact", "Next supporting fact", "Go", keys.next_fact, ("Ctrl+.",), fit),
        Command(
            "previous-fact",
            "Previous supporting fact",
            "Go",
            keys.previous_fact,
            ("Ctrl+,",),
            fit,
        ),
        Command(
            "as-sent",
            "Context as it was sent",
            "View",
            keys.toggle_sent,
            ("Ctrl+Shift+S",),
            fit,
        ),
        Command("raw-reply", "Raw reply", "View", keys.toggle_reply, ("Ctrl+Shift+R",), fit),
    ]


_TOGGLES: Final = (
    ("mono", "Monospaced texts", "Ctrl+M"),
    ("token_shading", "Shade tokens", "Ctrl+T"),
    ("invisibles", "Show invisible characters", "Ctrl+I"),
    ("others", "Mark the other questions' evidence", "Ctrl+Shift+E"),
    ("hints", "Underline what is only like the evidence", "Ctrl+H"),
    ("linked", "Scroll the texts together", "Ctrl+Shift+L"),
    ("grouped", "Group goals by context", "Ctrl+G"),
    ("as_reviewed", "Count goals as reviewed, not as judged", "Ctrl+J"),
)


def _toggles(window: MainWindow) -> list[Command]:
    """The view options that are on or off."""
    commands = []
    for option, title, shortcut in _TOGGLES:
        toggle = Toggle(window.session, option, window)
        commands.append(
            Command(
                option.replace("_", "-"),
                title,
                "View",
                toggle.flip,
                (shortcut,),
                checked=toggle.is_on,
                separated=option == "token_shading",
            )
        )
    return commands
