"""What the statistics screen shows: of which player and game, and which of its parts."""

from dataclasses import dataclass
from typing import Final

from cardtable.games import all_keys
from cardtable.records.players import Player
from cardtable.records.ratings import Rating
from cardtable.records.reckoning import Records
from cardtable.records.statistics import Figures
from cardtable.wording.figures import together

ALL: Final = "all"
"""All games together, beside the games' keys."""


def listed_games() -> tuple[str, ...]:
    """What may be chosen: all games together, and each."""
    return ALL, *all_keys()


@dataclass(slots=True)
class ChosenRecords:
    """Whose statistics in which game, and where the cursor is."""

    records: Records
    me: str
    player: Player
    game: str = ALL
    aside: bool = False
    """Whether the cursor is among the players."""
    part: int = 0
    """Which of the screens of charts and figures; there may be fewer, then it begins again."""

    @property
    def players(self) -> list[Player]:
        """Oneself, the other people, the levels of robots; and whoever was asked for."""
        me = Player(self.me)
        known = [player for player, _ in self.records.players()]
        asked = [self.player] if self.player not in known and self.player != me else []
        return [me, *asked, *[player for player in known if player != me]]

    @property
    def figures(self) -> Figures:
        """The figures of the player in the game; of all games together only sessions and places."""
        if self.game != ALL:
            return self.of(self.game)
        return together(map(self.of, all_keys()))

    def of(self, game: str) -> Figures:
        """The figures of the player in a game."""
        return self.records.statistics.get((self.player, game)) or Figures()

    def rating(self, game: str) -> Rating | None:
        """The player's rating in a game."""
        ratings = self.records.ratings.get(game)
        return ratings.players.get(self.player) if ratings else None

    def played(self, game: str) -> int:
        """How many sessions the player has in a game, or in all."""
        return sum([self.of(key).sessions for key in all_keys()]) if game == ALL else self.of(game).sessions

    def move(self, step: int) -> None:
        """The next game, or the next player, round the ends."""
        if self.aside:
            players = self.players
            self.player = players[(players.index(self.player) + step) % len(players)]
        else:
            games = listed_games()
            self.game = games[(games.index(self.game) + step) % len(games)]
        self.part = 0

    def end(self, place: int) -> None:
        """The first (0) or the last (-1) game, or player."""
        if self.aside:
            self.player = self.players[place]
        else:
            self.game = listed_games()[place]
        self.part = 0
