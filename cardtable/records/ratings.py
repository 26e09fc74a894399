"""Ratings: the players of one game, rated by what became of their sessions.

The model is OpenSkill's Plackett-Luce: a session says who came in before whom, and every player's mean and
uncertainty move with that.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from cardtable.engine.game import Sides, no_partnerships
from cardtable.engine.journal import Occupant
from cardtable.store.profiles import ProfileStore
from cardtable.store.seating import GUEST
from cardtable.store.summaries import Summary

if TYPE_CHECKING:
    from openskill.models import PlackettLuce


_BEFORE: Final = "version 1"


class Player(NamedTuple):
    """A person, or all robots of a level."""

    name: str
    """A person's nick; of robots the level."""
    robot: bool = False
    stranger: str = ""
    """What tells somebody from the player who has her name: that she was a guest with a name, had the nick before it
    was that player's, or the id of her profile, which is gone."""

    @property
    def rated(self) -> bool:
        """Whether the player has ratings: guests, who may be anybody, have none."""
        return GUEST not in (self.name, self.stranger)


class KnownPlayers:
    """Finds the players of sessions, whatever their nicks were then.

    A person is known by the id of her profile, in version 1 of the journal by the nick that she had first.  The
    sessions of a profile that is gone stay together, under the nick of the first of them.
    """

    def __init__(self, book: ProfileStore) -> None:
        self._by_id = {profile.id: profile.nick for profile in book.players if profile.id}
        self._by_first_nick = {profile.first_nick or profile.nick: profile.nick for profile in reversed(book.players)}
        self._nicks = {profile.nick for profile in book.players}
        self._gone: dict[str, str] = {}

    def seated(self, session: Summary) -> list[Player | None]:
        """Who sits where, by seat; ``None`` for a seat that changed hands, which counts for nobody."""
        header = session.header
        assert header is not None
        left = [seat for seat, _ in session.left]
        return [None if seat in left else self.of(who, header.cardtable) for seat, who in enumerate(header.seats)]

    def of(self, who: Occupant, version: int) -> Player:
        """The player at a seat of a journal of this version."""
        if who.robot is not None:
            return Player(who.robot, robot=True)
        if version == 1:
            return self._by_nick(who.name)
        if who.player is None:
            return Player(who.name, stranger="" if who.name == GUEST else GUEST)
        if who.player in self._by_id:
            return Player(self._by_id[who.player])
        return Player(self._gone.setdefault(who.player, who.name), stranger=who.player)

    def _by_nick(self, nick: str) -> Player:
        if nick in self._by_first_nick:
            return Player(self._by_first_nick[nick])
        return Player(nick, stranger=_BEFORE if nick in self._nicks else "")


MU: Final = 1000.0
SIGMA: Final = 333.0
BETA: Final = 167.0
TAU: Final = MU / 300
"""By how much nobody can be known better than before a session: as much as the library has it, in units of ``MU``."""
TOP: Final = 10
"""How many players a ranking shows."""


@dataclass(slots=True)
class Rating:
    """How strong a player is taken to be, and how that came about."""

    mu: float = MU
    sigma: float = SIGMA
    sessions: int = 0
    """Rated sessions."""
    seats: int = 0
    """Seats in them: several robots of one level may have sat at a table."""
    won: int = 0
    """Seats that came in first, also together with others."""
    at: "array[int]" = field(default_factory=lambda: array("l"))
    """The numbers, from 0 on, of the game's rated sessions in which the player sat."""
    course: "array[float]" = field(default_factory=lambda: array("d"))
    """``mu`` after each of them."""


@dataclass(slots=True)
class Ratings:
    """The players of one game and their ratings, after the sessions that were added."""

    players: dict[Player, Rating] = field(default_factory=dict)
    ended: "array[float]" = field(default_factory=lambda: array("d"))
    """When each rated session ended, in seconds since 1970-01-01T00:00Z."""

    def add(self, session: Summary, seats: Sequence[Player | None], sides: Sides = ()) -> None:
        """Rate a session, which ended after those before it; one that does not count changes nothing.

        ``seats`` are its players, as ``CommonViewFields.seated`` finds them.  A guest, and whoever a seat had that
        changed hands, takes part as somebody new, and is forgotten.  ``sides``: who plays together, where anybody does.
        """
        ranks = session.places if session.is_rated else None
        if session.header is None or ranks is None:
            return
        if len(set(seats)) < 2:
            return  # robots of one level are one player, who has met nobody
        before = [(player and self.players.get(player)) or Rating() for player in seats]
        after = _rated(before, ranks, sides or no_partnerships(len(seats)))
        for player in {player: None for player in seats if player and player.rated}:
            own = [seat for seat, other in enumerate(seats) if other == player]
            rating = self.players.setdefault(player, Rating())
            rating.mu = fmean([after[seat][0] for seat in own])
            rating.sigma = fmean([after[seat][1] for seat in own])
            rating.sessions += 1
            rating.seats += len(own)
            rating.won += sum([ranks[seat] == 1 for seat in own])
            rating.at.append(len(self.ended))
            rating.course.append(rating.mu)
        self.ended.append(session.played)

    def ranking(self) -> list[tuple[Player, Rating]]:
        """All players, the strongest first."""
        return sorted(self.players.items(), key=lambda item: (-item[1].mu, item[1].sigma, item[0]))

    def listed(self, me: str) -> list[tuple[int, Player, Rating]]:
        """Places, players and ratings that are listed: the top ten, and ``me`` further below."""
        placed = [(place, *row) for place, row in enumerate(self.ranking(), 1)]
        return [row for row in placed if row[0] <= TOP or row[1] == Player(me)]


def _rated(before: Sequence[Rating], ranks: Sequence[int], sides: Sides) -> list[tuple[float, float]]:
    """Mean and uncertainty of each seat after a session with these places; a side has the worst one of its seats."""
    model = _model()
    teams = [[model.rating(before[seat].mu, before[seat].sigma) for seat in side] for side in sides]
    rated = model.rate(teams, ranks=[float(max([ranks[seat] for seat in side])) for side in sides])
    after = {seat: each for side, team in zip(sides, rated, strict=True) for seat, each in zip(side, team, strict=True)}
    return [(after[seat].mu, after[seat].sigma) for seat in range(len(before))]


@cache
def _model() -> "PlackettLuce":
    from openskill.models import PlackettLuce  # noqa: PLC0415 - takes a moment, and only ratings need it

    return PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU)
