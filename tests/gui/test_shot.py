"""Pictures of the window: of every view and in both themes, for people to look at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from gacc_gui.core.errors import BadUsage
from gacc_gui.gui.opening import Place
from gacc_gui.gui.shot import VIEWS, take_shot
from gacc_gui.gui.theme import apply_theme


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("view", VIEWS)
def test_each_view_in_each_theme(
    demo_database: Path, tmp_path: Path, view: str, theme: str, qapp: QApplication
) -> None:
    out = tmp_path / f"{view}-{theme}.png"
    take_shot(demo_database, out, view=view, theme=theme, size=(1280, 800))
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1280, 800)
    ground = image.pixelColor(1200, 796).lightness()
    assert ground < 60 if theme == "dark" else ground > 200
    colours = {image.pixel(x, y) for x in range(0, 1280, 7) for y in range(0, 800, 7)}
    assert len(colours) > 20
    apply_theme(qapp, "light")


def test_the_same_picture_twice(demo_database: Path, tmp_path: Path, qapp: QApplication) -> None:
    pictures = []
    for number in (1, 2):
        out = tmp_path / f"{number}.png"
        take_shot(demo_database, out, place=Place("demo"))
        pictures.append(QImage(str(out)))
    assert pictures[0] == pictures[1]


def test_what_cannot_be_drawn_is_told(demo_database: Path, tmp_path: Path, qapp: QApplication) -> None:
    with pytest.raises(BadUsage, match="no view 'nothing'"):
        take_shot(demo_database, tmp_path / "a.png", view="nothing")
    with pytest.raises(BadUsage, match="nobody"):
        take_shot(demo_database, tmp_path / "a.png", place=Place("nobody"))
    with pytest.raises(BadUsage, match="no database"):
        take_shot(tmp_path / "none.db", tmp_path / "a.png")
    with pytest.raises(BadUsage, match="folder"):
        take_shot(demo_database, tmp_path / "nowhere" / "a.png")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_needs_no_screen_and_says_nothing(demo_database: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.png"
    code = (
        "from pathlib import Path; from gacc_gui.gui.shot import take_shot;"
        f"take_shot(Path({str(demo_database)!r}), Path({str(out)!r}), theme='dark', size=(1920, 1080))"
    )
    root = Path(__file__).resolve().parents[2]
    child = subprocess.run(
        [sys.executable, "-X", "dev", "-c", code],
        cwd=root,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(root)},
        capture_output=True,
        timeout=100,
        check=False,
    )
    assert child.returncode == 0, child.stderr.decode()
    assert QImage(str(out)).width() == 1920
    assert b"Traceback" not in child.stderr
