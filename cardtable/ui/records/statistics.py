"""Statistics: what the sessions of a player come to, in one game or in all."""

from collections.abc import Hashable

from cardtable.records.players import Player
from cardtable.records.reckoning import Records
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.keys.scopes import STATISTICS, Key
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.page import paint_page_header
from cardtable.ui.page.room import Room
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.records.chosen import ALL, ChosenRecords
from cardtable.ui.records.page import NOTHING_YET, RecordsPage
from cardtable.ui.records.statistics_paint import ChooseGame, content, paint_statistics, panel_width, parts, title
from cardtable.ui.records.words import paint_words, when
from cardtable.wording.players import label


class StatisticsPage(RecordsPage):
    """Paints the statistics of a player, and goes from game to game and from player to player."""

    ABOUT = "in the statistics"
    SCOPE = STATISTICS

    def __init__(self, room: Room, player: Player, game: str) -> None:
        super().__init__(room)
        self.choice = ChosenRecords(self.records or Records(), room.me, player, game)

    def renew(self) -> None:
        """Show what is known now."""
        if self.records is not None:
            self.choice.records = self.records

    def fill(self, canvas: Canvas) -> Keys:
        """The statistics, or why there are none."""
        choice = self.choice
        if self.trouble or self.records is None:
            box = content(canvas)
            paint_words(canvas, box.x, box.y, box.width, self.trouble or NOTHING_YET)
        else:
            paint_statistics(canvas, choice)
        context = "" if panel_width(canvas) else title(choice.game)
        paint_page_header(canvas, "Statistics", context, self.progress or self._who())
        aside = ("player", "games" if choice.aside else "player")
        found = parts(canvas, choice) if choice.figures.sessions else []
        more = [("figures", found[(choice.part + 1) % len(found)][0].name)] if len(found) > 1 else []
        choose = ("up down", "player" if choice.aside else "game")
        sessions = [("archive", "sessions")] * (not choice.player.robot)
        others = [("rankings", "rankings"), *sessions] * bool(panel_width(canvas))
        return [choose, aside, *more, *others, ("leave", "back")]

    def _who(self) -> str:
        first = self.choice.figures.first
        return label(self.choice.player) + (f"   since {when(first)}" if first else "")

    @property
    def player(self) -> Player | None:
        """Whose statistics are shown."""
        return self.choice.player

    def works(self, key: Key) -> bool:
        """Whether the key does something now."""
        if key.name in ("figures", "left", "right"):
            return bool(self.choice.figures.sessions) and len(parts(self.canvas, self.choice)) > 1
        return super().works(key)

    def action_move(self, step: int) -> None:
        """The next game or player, round the ends."""
        self.choice.move(step)
        self.repaint()

    def action_end(self, place: int) -> None:
        """The first (0) or the last (-1) game or player."""
        self.choice.end(place)
        self.repaint()

    def action_aside(self) -> None:
        """From the games to the players, or back."""
        self.choice.aside = not self.choice.aside
        self.repaint()

    def action_turn(self, step: int) -> None:
        """Other charts, or all figures."""
        self.choice.part = (self.choice.part + step) % len(parts(self.canvas, self.choice))
        self.repaint()

    def action_rankings(self) -> None:
        """The rankings of the game."""
        self.show("rankings", *[self.choice.game] * (self.choice.game != ALL))

    def pointed_at(self, target: Hashable | None) -> None:
        """A click chooses a game or a player."""
        if isinstance(target, ChooseGame):
            self.choice.game, self.choice.aside, self.choice.part = target.key, False, 0
        elif isinstance(target, Player):
            self.choice.player, self.choice.aside, self.choice.part = target, True, 0
        self.repaint()

    def wheel(self, step: int, _x: int) -> None:
        """The wheel moves the cursor."""
        self.action_move(step)


def screen(room: Room, player: Player | str | None = None, game: str = ALL) -> PageScreen:
    """The page, for ``Room.show``: of a player, or of the person with a nick, or else of who has signed in."""
    who = player if isinstance(player, Player) else Player(player or room.me)
    return PageScreen(StatisticsPage(room, who, game))
