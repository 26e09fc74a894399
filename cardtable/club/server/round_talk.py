"""Talk of people who play a round of a tournament, which is held back until the round has finished."""

from collections.abc import Callable
from typing import NamedTuple

from cardtable.club.protocol import Talk
from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.limits import LIMITS, RequestRefused
from cardtable.club.server.table_access import Person
from cardtable.store import tournaments
from cardtable.store.tournaments import Tournament


class _HeldTalk(NamedTuple):
    """Message that is held back."""

    nick: str
    """Nick of the sender."""
    deliver: Callable[[], None]


class RoundTalk:
    """What people who play a round have said, in memory only."""

    def __init__(self, accounts: AccountStore) -> None:
        self._accounts = accounts
        self._held: dict[str, list[_HeldTalk]] = {}
        """Messages by the id of the tournament."""

    def check_not_playing(self, person: Person) -> None:
        """Raise ``RequestRefused`` for what a person may not do while they play a round, since others would read it."""
        if tournament := _find_tournament_of(person):
            raise RequestRefused(f"you cannot do that before the round of {tournament.name} has finished")

    def hold(self, client: ConnectedClient, deliver: Callable[[], None]) -> bool:
        """Hold back a message of somebody who plays a round, and tell them; return False if they play none.

        ``deliver`` is called once the round has finished, unless the person is muted then. Raises ``RequestRefused`` if
        too many messages of the person are held back.
        """
        tournament = _find_tournament_of(client.person)
        if tournament is None:
            return False
        held = self._held.setdefault(tournament.id, [])
        LIMITS.held_talk.check(sum(talk.nick == client.nick for talk in held))
        held.append(_HeldTalk(client.nick, deliver))
        client.queue_talk(Talk(f"That is held back until the round of {tournament.name} has finished."))
        return True

    def release(self, tournament: Tournament) -> None:
        for talk in self._held.pop(tournament.id, ()):
            if not self._accounts.is_muted(talk.nick):
                talk.deliver()


def _find_tournament_of(person: Person) -> Tournament | None:
    """Return the tournament of which a person is playing a round, or ``None`` if there is none.

    Raises ``CardtableError`` if the file of the tournaments cannot be read.
    """
    for tournament in tournaments.list_open():
        index = tournament.current_round
        if index is not None and (round_ := tournament.rounds[index]).state == "playing":
            people = [occupant for table in round_.tables for occupant in table.seats if occupant.robot is None]
            if any(map(person.owns, people)):
                return tournament
    return None
