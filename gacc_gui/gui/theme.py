"""Colours, fonts and the grid of the window: one table of named colours, light and dark.

Owns the palettes given to Qt and what views may ask for by name. Not owned: which thing a view paints
with which name. `setColorScheme` does nothing offscreen, so both themes are explicit Fusion palettes.
Views paint with `current_theme()` and read it again on `QEvent.PaletteChange`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QScrollBar, QWidget

GRID: Final = 8
"""Pixels of the grid: margins and gaps are multiples or halves of it."""
HALF: Final = GRID // 2
ROW: Final = 3 * GRID
"""Height of a list row in pixels at the ordinary font size."""

FATES_CAUSE: Final = {
    "retained": "correct",
    "cut": "truncation",
    "tail": "truncation",
    "omitted": "compressor",
    "absent": "item",
    "unlocated": "unlocated",
}
"""Whose colour a fate borrows."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The named colours of one theme. Text roles stand at 4.5:1 or better on `base` and on the tints."""

    name: str
    window: QColor
    base: QColor
    alternate: QColor
    text: QColor
    muted: QColor
    accent: QColor
    accent_text: QColor
    """Text on the accent colour."""
    border: QColor
    selection: QColor
    """The chosen row's background; `text` stands on it."""
    tail_tint: QColor
    """Background of the truncated tail; `text` stands on it."""
    tail_only: QColor
    """Background, in the source, of what only the tail holds."""
    gone_text: QColor
    """Text, in the source, that neither memory nor tail holds."""
    cut_line: QColor
    """The line and label of the cut."""
    token_shade: QColor
    """Background of every other token."""
    invisible: QColor
    """Marks for invisible characters."""
    find: QColor
    """Background of a hit of the find bar."""
    find_current: QColor
    """Background of the hit one stands on."""
    error: QColor
    """Text that tells of a mistake."""
    notice: QColor
    """Background of a strip that tells something; `text` stands on it."""
    causes: tuple[tuple[str, QColor], ...]

    @property
    def is_dark(self) -> bool:
        """Whether light text stands on dark ground."""
        return self.base.lightness() < 128

    def cause_colour(self, cause: str) -> QColor:
        """The fill of a cause's cell; an unknown cause has the grey of `item`, `no-verdict` an outline."""
        for name, colour in self.causes:
            if name == cause:
                return colour
        return dict(self.causes)["item"]

    def cause_ink(self, cause: str) -> QColor:
        """The colour of a letter on the cause's fill, at 4.5:1 or better."""
        return self.muted if cause == "no-verdict" else _best_ink(self.cause_colour(cause))

    def cause_text(self, cause: str) -> QColor:
        """The cause's colour made legible as text on `base`: 4.5:1 or better."""
        return _legible(self.cause_colour(cause), self.base, towards=self.text)

    def fate_colour(self, fate: str) -> QColor:
        """The strong colour of a fate: the one of the cause it points to."""
        return self.cause_colour(FATES_CAUSE.get(fate, "unlocated"))

    def fate_tint(self, fate: str) -> QColor:
        """A solid underlay for evidence of this fate; `text` stands on it at 4.5:1 or better."""
        strength = 0.52 if fate == "cut" else 0.38
        tint = blend(self.base, self.fate_colour(fate), strength)
        while contrast(self.text, tint) < 4.5:
            tint = blend(tint, self.base, 0.1)
        return tint


def blend(under: QColor, over: QColor, share: float) -> QColor:
    """Mix two opaque colours; `share` 0 gives `under`, 1 gives `over`."""
    return QColor(*(round(a + (b - a) * share) for a, b in zip(_rgb(under), _rgb(over), strict=True)))


def _rgb(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()


def luminance(colour: QColor) -> float:
    """Relative luminance as WCAG defines it, 0 to 1."""
    channels = []
    for value in _rgb(colour):
        share = value / 255
        channels.append(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)
    red, green, blue = channels
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    """WCAG contrast ratio of two opaque colours, 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _best_ink(fill: QColor) -> QColor:
    black, white = QColor("#111111"), QColor("#ffffff")
    return black if contrast(black, fill) >= contrast(white, fill) else white


def _legible(colour: QColor, ground: QColor, towards: QColor) -> QColor:
    while contrast(colour, ground) < 4.5:
        colour = blend(colour, towards, 0.1)
    return colour


_CAUSES_BASE: Final = {
    "correct": "#009E73",
    "truncation": "#D55E00",
    "compressor": "#CC79A7",
    "reader": "#E69F00",
    "judge": "#56B4E9",
    "item": "#8A8A8A",
    "unlocated": "#8C8C2B",
}


def _causes(no_verdict: str, **changed: str) -> tuple[tuple[str, QColor], ...]:
    named = {**_CAUSES_BASE, **changed, "no-verdict": no_verdict}
    return tuple((cause, QColor(value)) for cause, value in named.items())


def _light() -> Theme:
    c = QColor
    return Theme(
        name="light",
        window=c("#f3f3f1"),
        base=c("#ffffff"),
        alternate=c("#f8f8f6"),
        text=c("#1d1f21"),
        muted=c("#575b60"),
        accent=c("#1f5fa8"),
        accent_text=c("#ffffff"),
        border=c("#d5d5d1"),
        selection=c("#d9e6f5"),
        tail_tint=c("#fdf1ea"),
        tail_only=c("#fbe3d4"),
        gone_text=c("#64686d"),
        cut_line=c("#b34700"),
        token_shade=c("#eceff3"),
        invisible=c("#8a5fb0"),
        find=c("#fff0a8"),
        find_current=c("#ffce52"),
        error=c("#b3261e"),
        notice=c("#eef3fa"),
        causes=_causes("#575b60"),
    )


def _dark() -> Theme:
    c = QColor
    return Theme(
        name="dark",
        window=c("#1f2124"),
        base=c("#17181a"),
        alternate=c("#1c1e20"),
        text=c("#dcdddf"),
        muted=c("#a3a8af"),
        accent=c("#6aa9f0"),
        accent_text=c("#101214"),
        border=c("#383b40"),
        selection=c("#263a52"),
        tail_tint=c("#241b16"),
        tail_only=c("#3d2818"),
        gone_text=c("#8f949b"),
        cut_line=c("#f08a4b"),
        token_shade=c("#23272d"),
        invisible=c("#b795d8"),
        find=c("#4a3f0c"),
        find_current=c("#6b5500"),
        error=c("#ff8a80"),
        notice=c("#222a35"),
        causes=_causes("#a3a8af", correct="#12A57C", truncation="#E06A10"),
    )


THEMES: Final = ("light", "dark")
_current: Theme | None = None


def current_theme() -> Theme:
    """The theme in force; light before any was applied."""
    global _current
    if _current is None:
        _current = _light()
    return _current


def theme_named(name: str) -> Theme:
    """The theme `light` or `dark`; another name gives light."""
    return _dark() if name == "dark" else _light()


def the_application() -> QApplication:
    """The application that must exist before its windows; a bug if there is none."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        raise RuntimeError("a QApplication must exist before its windows")
    return app


def apply_theme(app: QApplication, name: str) -> Theme:
    """Give the application Fusion, the named theme's palette, and the window's font; return the theme."""
    global _current
    theme = _current = theme_named(name)
    if app.style().objectName().lower() != "fusion":
        app.setStyle("Fusion")
    app.setPalette(_palette(theme))
    app.setFont(ui_font())
    return theme


def slim_scroll_bars(root: QWidget) -> None:
    """Give every scroll bar below a widget the current theme's slim look, without arrows.

    Each bar its own style sheet: one for the whole application doubles the time that a window takes to be
    made (measured 2026-11).
    """
    sheet = _scroll_bars(current_theme())
    for bar in root.findChildren(QScrollBar):
        bar.setStyleSheet(sheet)


def _scroll_bars(theme: Theme) -> str:
    handle = blend(theme.border, theme.muted, 0.25).name()
    strong = blend(theme.border, theme.muted, 0.7).name()
    return f"""
        QScrollBar {{ background: {theme.base.name()}; border: none; margin: 0; }}
        QScrollBar:vertical {{ width: {GRID + 3}px; }}
        QScrollBar:horizontal {{ height: {GRID + 3}px; }}
        QScrollBar::handle {{ background: {handle}; border-radius: 3px; margin: 2px; }}
        QScrollBar::handle:vertical {{ min-height: {3 * GRID}px; }}
        QScrollBar::handle:horizontal {{ min-width: {3 * GRID}px; }}
        QScrollBar::handle:hover {{ background: {strong}; }}
        QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
        QScrollBar::add-page, QScrollBar::sub-page {{ background: none; }}
    """


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for name, colour in (
        (role.Window, theme.window),
        (role.WindowText, theme.text),
        (role.Base, theme.base),
        (role.AlternateBase, theme.alternate),
        (role.ToolTipBase, theme.notice),
        (role.ToolTipText, theme.text),
        (role.Text, theme.text),
        (role.PlaceholderText, theme.muted),
        (role.Button, theme.window),
        (role.ButtonText, theme.text),
        (role.BrightText, theme.error),
        (role.Highlight, theme.selection),
        (role.HighlightedText, theme.text),
        (role.Link, theme.accent),
        (role.LinkVisited, theme.accent),
        (role.Light, blend(theme.window, theme.base, 0.5)),
        (role.Midlight, blend(theme.window, theme.border, 0.3)),
        (role.Mid, theme.border),
        (role.Dark, blend(theme.border, theme.muted, 0.4)),
        (role.Shadow, blend(theme.border, theme.text, 0.3)),
        (role.Accent, theme.accent),
    ):
        palette.setColor(name, colour)
    disabled = QPalette.ColorGroup.Disabled
    for name in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(disabled, name, blend(theme.muted, theme.window, 0.35))
    return palette


_UI_FAMILIES: Final = ("Inter", "Segoe UI", "SF Pro Text", "Cantarell", "Noto Sans", "DejaVu Sans")
_READING_FAMILIES: Final = ("Source Serif 4", "Charter", "Georgia", "Noto Serif", "DejaVu Serif")
_MONO_FAMILIES: Final = (
    "JetBrains Mono",
    "Cascadia Mono",
    "SF Mono",
    "Consolas",
    "Noto Sans Mono",
    "DejaVu Sans Mono",
)
UI_POINTS: Final = 9.0
READING_POINTS: Final = 10.0


def ui_font(points: float = UI_POINTS) -> QFont:
    """The font of labels and lists, with figures of equal width where the family has them."""
    return _tabular(_chosen(_UI_FAMILIES, QFontDatabase.SystemFont.GeneralFont, points))


def reading_font(mono: bool = False, points: float = READING_POINTS) -> QFont:
    """The font of long texts: proportional, or monospaced when asked."""
    if mono:
        return _chosen(_MONO_FAMILIES, QFontDatabase.SystemFont.FixedFont, points - 0.5)
    return _tabular(_chosen(_READING_FAMILIES, QFontDatabase.SystemFont.GeneralFont, points))


def mono_font(points: float = UI_POINTS) -> QFont:
    """The monospaced font, for command lines and ids."""
    return _chosen(_MONO_FAMILIES, QFontDatabase.SystemFont.FixedFont, points)


def _chosen(families: tuple[str, ...], fallback: QFontDatabase.SystemFont, points: float) -> QFont:
    present = set(QFontDatabase.families())
    named = [family for family in families if family in present]
    font = QFont(QFontDatabase.systemFont(fallback))
    if named:
        font.setFamilies([named[0], *font.families()])
    font.setPointSizeF(points)
    return font


def _tabular(font: QFont) -> QFont:
    # Features of a font came with Qt 6.7.
    font.setFeature(QFont.Tag("tnum"), 1)
    return font
