"""The report of a run as one Markdown file. Owns the order of its sections."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from gacc_gui.formats import report, report_people
from gacc_gui.formats.atomic import written_whole
from gacc_gui.formats.report_shapes import Report

_SECTIONS = (
    report.heading,
    report.facts,
    report.figures,
    report.causes,
    report.near_misses,
    report_people.reviews,
    report_people.probes,
    report.limits,
    report.origins,
    report.notes,
)


def write_markdown(path: Path, text: str) -> None:
    """Write a report's text as UTF-8, whole or not at all. Raises GaccError where that fails."""
    with written_whole(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def report_text(told: Report) -> str:
    """Return the report as Markdown."""
    return "\n".join(_lines(told)).rstrip("\n") + "\n"


def _lines(told: Report) -> Iterator[str]:
    for section in _SECTIONS:
        yield from chain(section(told), ("",))
