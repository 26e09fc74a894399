"""Whose seats those of a session are, by the nicks of today: sessions keep the nicks that people had then."""

from collections.abc import Iterable

from cardtable.engine.contract import Seat
from cardtable.engine.journal import Header, SeatOf
from cardtable.store import profiles
from cardtable.store.profiles import Book, Profile
from cardtable.store.seating import GUEST, is_same_nick


def nicks_today(book: Book, header: Header) -> dict[Seat, str]:
    """The nick of today of each person; who is no player, or no more, has the name of then."""
    return {seat: profile.nick if profile else header.seats[seat].name for seat, profile in _people(book, header)}


def seats_of(book: Book, nick: str, header: Header) -> list[Seat]:
    """The seats of somebody, by her nick of today, or by a name that is nobody's nick."""
    people, player = _people(book, header), book.find(nick)
    if player:
        return [seat for seat, profile in people if profile and profile.nick == player.nick]
    return [seat for seat, profile in people if profile is None and is_same_nick(header.seats[seat].name, nick)]


def players_at(header: Header) -> dict[Seat, str]:
    """The nicks of today of those people at a table who are players."""
    return {seat: profile.nick for seat, profile in _people(profiles.load()[0], header) if profile}


def for_another(header: Header) -> tuple[SeatOf, ...]:
    """The seats of another session of the same people and robots."""
    players = players_at(header)
    return tuple([SeatOf(players.get(seat, who.name), who.robot) for seat, who in enumerate(header.seats)])


def profile_keys(book: Book, version: int, seats: Iterable[SeatOf]) -> set[str]:
    """Return what identifies the profiles among people in a journal of this version; guests have none.

    That is the id of the profile, and for a nick of version 1 that is no player's any more the nick.
    """
    people = [who for who in seats if who.robot is None]
    if version > 1:
        return {who.player for who in people if who.player}
    keys = set()
    for who in people:
        profile = next((player for player in book.players if player.sat_down_as(who, version)), None)
        keys.add(profile.id if profile and profile.id else f"nick {who.name}")
    return keys - {f"nick {GUEST}"}


def _people(book: Book, header: Header) -> list[tuple[Seat, Profile | None]]:
    return [(seat, _profile(book, header.seats[seat], header)) for seat in header.people]


def _profile(book: Book, who: SeatOf, header: Header) -> Profile | None:
    """The profile of a person in a journal; who had none then is who has the name today, but not at a club."""
    if who.player is None and header.cardtable > 1:
        return None if header.club else book.find(who.name)
    return next((player for player in book.players if player.sat_down_as(who, header.cardtable)), None)
