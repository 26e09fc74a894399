"""Who ratings and statistics are about: people by their profiles, and each level of robots as one player."""

from typing import Final, NamedTuple

from cardtable.engine.journal import SeatOf
from cardtable.store.profiles import Book
from cardtable.store.seating import GUEST
from cardtable.store.summaries import Summary

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

    def __init__(self, book: Book) -> None:
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

    def of(self, who: SeatOf, version: int) -> Player:
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
