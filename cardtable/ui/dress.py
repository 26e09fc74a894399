"""The colours of what the terminal library brings along: palette, questions, notices."""

from typing import ClassVar, Final

from textual.color import Color
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import Theme as LibraryTheme

from cardtable.ui.themes import Theme

CSS: Final = """
SearchIcon { display: none; }
CommandPalette > Vertical { margin-top: 2; height: auto; background: $surface; width: 72; max-width: 92%; }
CommandPalette:dark > Vertical { background: $surface; }
CommandPalette #--input, CommandPalette #--input.--list-visible { border: none; padding: 1 1 0 2; }
CommandList, CommandList:focus { border: none; padding: 0 0 1 0; background: $surface; scrollbar-size-vertical: 1; }
CommandList > .option-list--option { padding: 0 3; text-style: none; }
CommandPalette > .command-palette--highlight { text-style: bold; }
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
