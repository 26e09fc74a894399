"""Welcome page, which a new home shows once: three ways to begin, and a theme, which the whole page has at once."""

from collections.abc import Callable
from functools import partial
from typing import Final

from cardtable.engine.cards import card
from cardtable.games import GAMES, KEYS
from cardtable.session.lessons import load_course
from cardtable.store.session_setup import note_welcome
from cardtable.ui.keys.bindings import WELCOME
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import EMPTY_ROW, Arrow, Column, FormPage, FormRow, paint_choice
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import get_layout
from cardtable.ui.toolkit.preferences import list_themes
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea

_CARDS: Final = tuple(map(card, ("TS", "JD", "QC", "KH", "AS")))
_ARCH: Final = len(_CARDS) // 2
"""Number of rows by which the middle card lies above the outer ones."""
_WIDTH: Final = 58
_SUMMARY_COLUMN: Final = 22
_THEME_WIDTH: Final = 24


class WelcomePage(FormPage):
    """Page with three ways to begin; in each row, Left and Right change the theme."""

    SCOPE = WELCOME
    header_texts = ("cardtable", "", "welcome")

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._themes = list_themes()

    def on_mount(self) -> None:
        self.run_worker(note_welcome, thread=True)

    def build_columns(self, canvas: Canvas) -> list[Column]:
        layout = get_layout(canvas)
        size = card_faces.SMALL if layout.tiny else layout.card
        rows = [
            FormRow(draw=partial(_paint_fan, size=size), rows=size.height + _ARCH),
            EMPTY_ROW,
            FormRow(draw=partial(_paint_centred, text="Seven card games, against robots or friends.")),
            EMPTY_ROW,
            self._create_row("Deal me in", "choose a game and play robots", self.action_leave),
            self._create_row(
                "New to card games?",
                f"a short lesson of {GAMES[KEYS[0]].about.title}",
                lambda: self._open("lesson", load_course(KEYS[0]), 0),
            ),
            self._create_row("Join friends", "at a club, near or far", partial(self._open, "join_club")),
            EMPTY_ROW,
            FormRow(draw=self._paint_theme),
        ]
        height = len(rows) - 1 + size.height + _ARCH
        return [Column((canvas.width - _WIDTH) // 2, _WIDTH, rows, top=max(1, (canvas.height - 1 - height) // 2))]

    def _create_row(self, title: str, summary: str, on_press: Callable[[], object]) -> FormRow:
        def draw(area: BlockArea) -> None:
            area.write(INDENT, 0, title, area.name_ink, bold=True)
            area.write(_SUMMARY_COLUMN, 0, summary, area.muted_ink)

        return FormRow(name=title, draw=draw, on_press=on_press, on_step=self._step_theme)

    def _step_theme(self, step: int) -> None:
        preferences, names = self.context.preferences, [*self._themes]
        index = names.index(preferences.theme_name) if preferences.theme_name in names else 0
        preferences.change(theme=names[(index + step) % len(names)])

    def _paint_theme(self, area: BlockArea) -> None:
        title = self.context.preferences.appearance.theme.title
        area.write(INDENT, 0, "Theme", area.canvas.theme.inks.text, bold=True)
        paint_choice(area, _SUMMARY_COLUMN, _THEME_WIDTH, title, (Arrow(self.cursor, -1), Arrow(self.cursor, 1)))

    def _open(self, page: str, *arguments: object) -> None:
        """Open a page in place of this one."""
        self.screen.dismiss()
        self.context.show(page, *arguments)


def _paint_fan(area: BlockArea, size: card_faces.Size) -> None:
    step = size.width - 2
    x = area.x + (area.width - size.width - step * (len(_CARDS) - 1)) // 2
    for i, which in enumerate(_CARDS):
        shown = step if i < len(_CARDS) - 1 else 0
        y = area.y + abs(i - _ARCH)
        card_faces.paint_card(area.canvas, x + step * i, y, size, which, shown_columns=shown)


def _paint_centred(area: BlockArea, text: str) -> None:
    area.canvas.write_centred(area.x + area.width // 2, area.y, text, area.muted_ink)
