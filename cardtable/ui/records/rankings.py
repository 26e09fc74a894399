"""Rankings: who is how strong in each game."""

from collections.abc import Hashable

from cardtable.engine.words import counted
from cardtable.games import KEYS, all_keys
from cardtable.records.players import Player
from cardtable.records.ratings import Ratings
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import MARGIN
from cardtable.ui.keys.scopes import RANKINGS, Key
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.page import paint_page_header
from cardtable.ui.page.room import Room
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.records.page import NOTHING_YET, RecordsPage
from cardtable.ui.records.rankings_paint import GameTab, Ranking, paint_rankings, paint_tabs, roomy
from cardtable.ui.records.words import paint_words


class RankingsPage(RecordsPage):
    """Paints the ranking of a game, and goes from game to game and from player to player."""

    ABOUT = "in the rankings"
    SCOPE = RANKINGS

    def __init__(self, room: Room, game: str | None) -> None:
        super().__init__(room)
        self.ranking = Ranking(room.me, game or KEYS[0], Ratings())
        self._chosen = game is not None
        self.renew()

    def renew(self) -> None:
        """Show the ratings that are known now; at first those of a game in which there are some."""
        if self.records is None:
            return
        rated = {key: ratings for key, ratings in self.records.ratings.items() if ratings.players}
        if not self._chosen and rated and self.ranking.game not in rated:
            self.ranking.game = max(rated, key=lambda key: len(rated[key].ended))
        self.ranking.ratings = rated.get(self.ranking.game, Ratings())

    def fill(self, canvas: Canvas) -> Keys:
        """The ranking, or why there is none."""
        if self.trouble or self.records is None:
            paint_tabs(canvas, self.ranking.game)
            paint_words(canvas, MARGIN + 3, 6, canvas.width - 2 * MARGIN - 6, self.trouble or NOTHING_YET)
        else:
            paint_rankings(canvas, self.ranking)
        number = counted(len(self.ranking.ratings.ended), "session")
        paint_page_header(canvas, "Rankings", right=self.progress or f"{number}, rated by OpenSkill")
        return [("left right", "game"), *self._keys_now(canvas), ("leave", "back")]

    def _keys_now(self, canvas: Canvas) -> list[tuple[str, str]]:
        """The keys for the player under the cursor, as many as there is room for."""
        if self.player is None:
            return []
        plot = [("plot", "list" if self.ranking.plot else "plot")] * (not roomy(canvas))
        if canvas.width < 80:
            return [("up down", "player"), ("play", "figures"), *plot]
        sessions = [("archive", "sessions")] * (not self.player.robot)
        return [("up down", "player"), ("play", "statistics"), *plot, *sessions]

    @property
    def player(self) -> Player | None:
        """Who the cursor is on."""
        return self.ranking.cursor

    def works(self, key: Key) -> bool:
        """Whether the key does something now."""
        if key.name == "plot":
            return bool(self.ranking.rows) and not roomy(self.canvas)
        return super().works(key) and (
            bool(self.ranking.rows) or key.name not in ("up", "down", "first", "last", "play", "statistics")
        )

    def action_game(self, step: int) -> None:
        """The next game, round the ends."""
        keys = all_keys()
        self._choose(keys[(keys.index(self.ranking.game) + step) % len(keys)])

    def _choose(self, game: str) -> None:
        self.ranking.game, self._chosen = game, True
        self.renew()
        self.repaint()

    def action_move(self, step: int) -> None:
        """The next player, round the ends."""
        players = self._players
        if self.ranking.cursor is not None:
            self._go(players[(players.index(self.ranking.cursor) + step) % len(players)])

    def action_end(self, place: int) -> None:
        """The first (0) or the last (-1) player."""
        self._go(self._players[place])

    @property
    def _players(self) -> list[Player]:
        return [player for _, player, _ in self.ranking.rows]

    def _go(self, player: Player) -> None:
        self.ranking.at = player
        self.repaint()

    def action_statistics(self) -> None:
        """The statistics of the player under the cursor."""
        self.show("statistics", self.ranking.cursor, self.ranking.game)

    def action_plot(self) -> None:
        """The plot in place of the list, or the list again."""
        self.ranking.plot = not self.ranking.plot
        self.repaint()

    def action_leave(self) -> None:
        """Back; but first from the plot to the list in whose place it stands."""
        if self.ranking.plot and not roomy(self.canvas):
            self.action_plot()
        else:
            super().action_leave()

    def pointed_at(self, target: Hashable | None) -> None:
        """A click chooses a game or a player; a second one on a player shows the statistics."""
        if isinstance(target, GameTab):
            self._choose(target.game)
        elif isinstance(target, Player) and target == self.ranking.cursor:
            self.action_statistics()
        elif isinstance(target, Player):
            self._go(target)

    def wheel(self, step: int, _x: int) -> None:
        """The wheel moves the cursor."""
        self.action_move(step)


def screen(room: Room, game: str | None = None) -> PageScreen:
    """The page, for ``Room.show``; of a game, or else of one in which somebody is rated."""
    return PageScreen(RankingsPage(room, game))
