"""The colours of what the terminal library brings along: questions, notices."""

from typing import ClassVar, Final

from textual.color import Color
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import Theme as LibraryTheme

from cardtable.ui.draw.themes import Theme

CSS: Final = """
Toast { border: none; padding: 0 1; background: $surface; color: $foreground; }
"""
"""Blocks on the ground of the mat, without frames."""


class _PlainBar(ScrollBarRender):
    """A scroll bar of plain grounds, without pieces of blocks at its ends."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8


ScrollBar.renderer = _PlainBar


def library_theme(theme: Theme) -> LibraryTheme:
    """The theme in the words of the terminal library."""
    grounds, inks = theme.grounds, theme.inks
    return LibraryTheme(
        name=theme.title,
        primary=inks.gold,
        warning=inks.warn,
        error=inks.loss,
        foreground=inks.text,
        background=grounds.felt,
        surface=grounds.mat,
        panel=grounds.panel,
        dark=Color.parse(grounds.felt).brightness < Color.parse(inks.text).brightness,
        variables={
            "block-cursor-background": grounds.row,
            "block-cursor-foreground": inks.text,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-background": grounds.row,
            "block-cursor-blurred-foreground": inks.text,
            "block-cursor-blurred-text-style": "bold",
            "input-cursor-background": inks.gold,
            "input-cursor-foreground": grounds.panel,
            "scrollbar": grounds.bonus,
            "scrollbar-hover": grounds.bonus,
            "scrollbar-active": grounds.bonus,
            "scrollbar-background": grounds.panel,
            "scrollbar-background-hover": grounds.panel,
            "scrollbar-background-active": grounds.panel,
            "scrollbar-corner-color": grounds.panel,
        },
    )
