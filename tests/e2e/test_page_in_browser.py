"""A page in a real browser: no request leaves it, nothing in it runs, and it is light or dark as asked."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage

from gacc_gui.app.exporting import export_run
from gacc_gui.app.importing import import_paths
from tests.conftest import CommandLine
from tests.unit.app.test_reporting import HOSTILE, spoilt, with_people

pytestmark = pytest.mark.slow

_QUIET = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --disable-default-apps --hide-scrollbars"
)
_NOBODY = "not an origin"
"""Who began a request that no page did: the browser has its own."""


class Browser:
    """Headless Chromium, for which no name resolves."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder

    def open(self, page: Path, *options: str) -> bytes:
        """Open a page; return what the browser printed."""
        command = [
            self._program,
            *_QUIET.split(),
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={self._folder / 'profile'}",
            *options,
            page.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, timeout=100, check=True)
        return done.stdout

    def requests(self, page: Path) -> list[str]:
        """Return the addresses that a page asks for; its own file is none of them."""
        log = self._folder / "net.json"
        self.open(page, f"--log-net-log={log}", f"--screenshot={self._folder / 'seen.png'}")
        events = json.loads(log.read_text(encoding="utf-8"))["events"]
        told = [event["params"] for event in events if isinstance(event.get("params"), dict)]
        assert told
        asked = [params["url"] for params in told if params.get("initiator", _NOBODY) != _NOBODY]
        # Whoever began it: the browser itself looks for no address that stands in a page.
        return asked + [params["url"] for params in told if "evil.test" in str(params.get("url"))]

    def picture(self, page: Path, scheme: int) -> QImage:
        """Return a page as a picture; the scheme is 0 for dark and 1 for light."""
        target = self._folder / f"{scheme}.png"
        look = f"--blink-settings=preferredColorScheme={scheme}"
        self.open(page, look, "--window-size=1280,1600", f"--screenshot={target}")
        return QImage(str(target))


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium on this machine (Debian: apt-get install chromium)")
    return Browser(program, tmp_path)


def test_the_log_sees_what_a_page_asks_for(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "asks.html"
    page.write_text('<!DOCTYPE html><img src="http://evil.test/x.png">', encoding="utf-8")
    assert "http://evil.test/x.png" in browser.requests(page)


def test_no_request_leaves_a_page_and_no_text_of_data_runs(
    browser: Browser, tmp_path: Path, run_document: dict[str, Any], run_file: Callable[..., Path]
) -> None:
    evil = " ".join(text for text in HOSTILE if len(text) < 1_000)
    evil += "<script>document.title='ran'</script><link rel=stylesheet href=http://evil.test/z.css>"
    import_paths(tmp_path / "a.db", [run_file(spoilt(with_people(run_document), evil))])
    for goal in (None, "g1"):
        page = tmp_path / "page.html"
        export_run(tmp_path / "a.db", "small", page, goal)
        assert "evil.test" in page.read_text(encoding="utf-8")
        assert browser.requests(page) == []
        dom = browser.open(page, "--dump-dom").decode("utf-8")
        assert "<title>ran</title>" not in dom and "<script" not in dom and "<img" not in dom
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in dom


def test_the_demonstration_is_light_or_dark_as_asked(
    browser: Browser, cli: CommandLine, tmp_path: Path
) -> None:
    cli("demo", "--no-window", "--db", "a.db")
    cli("export", "demo", "--to", "page.html", "--db", "a.db")
    page = tmp_path / "page.html"
    assert browser.requests(page) == []
    for scheme, ground in ((1, "#ffffff"), (0, "#17181a")):
        picture = browser.picture(page, scheme)
        assert picture.pixelColor(4, 4).name() == ground
        seen = {picture.pixelColor(x, y).name() for x in range(40, 1240, 3) for y in range(0, 1600, 3)}
        assert len(seen) > 50  # text and charts, on that ground
