"""A chart's SVG as a picture. Owns the rendering, by Qt's SVG module; what is drawn is `core.chart_svg`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer

from gacc_gui.core.chart_svg import svg_of
from gacc_gui.core.charts import Chart
from gacc_gui.core.errors import GaccError
from gacc_gui.formats.atomic import written_whole

SCALE: Final = 2
"""Pixels of the picture a pixel of the SVG: sharp in print."""


def write_picture(chart: Chart, target: Path, *, dark: bool) -> None:
    """Write a chart as PNG, whole or not at all. Can run in a worker. Raises GaccError where it fails."""
    renderer = QSvgRenderer(svg_of(chart, "dark" if dark else "light").encode())
    if not renderer.isValid():
        raise GaccError(f"{target}: the chart could not be drawn")
    image = QImage(renderer.defaultSize() * SCALE, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    made = QBuffer()
    made.open(QIODevice.OpenModeFlag.WriteOnly)
    if not QImageWriter(made, QByteArray(b"PNG")).write(image):
        raise GaccError(f"{target}: the picture could not be made")
    with written_whole(target) as part:
        part.write_bytes(made.data().data())
