"""Descriptions of a club's people and tables, shared by all front ends."""

from datetime import datetime

from cardtable.club.client.client import ClubClient
from cardtable.club.protocol import SeatInfo, TableInfo
from cardtable.engine.game import Seat
from cardtable.engine.options import read
from cardtable.engine.text_format import sanitize
from cardtable.games import ABOUT, GAMES
from cardtable.wording.formatting import format_day


def game_title(game: str) -> str:
    """Return the title of a game; if the game is not installed, return its sanitized key."""
    about = ABOUT.get(game)
    return about.title if about else sanitize(game, 20)


def format_time(since: int) -> str:
    """Format a time as ``HH:MM`` if it is today, otherwise as a date.

    ``timestamp`` is in seconds since 1970-01-01T00:00Z; the result is in local time.
    """
    when = datetime.fromtimestamp(since).astimezone()
    today = datetime.now().astimezone().date()
    return f"{when:%H:%M}" if when.date() == today else format_day(when.date())


def house_rules(client: ClubClient, row: TableInfo) -> str:
    """List the house rules of a table that differ from the game's defaults.

    The text is empty if no rule differs or the game cannot be played here.
    """
    if client.missing_requirement(row.game):
        return ""
    usual = read(GAMES[row.game].options, {}, len(row.places)).to_dict()
    others = [f"{name.replace('_', ' ')} {value}" for name, value in row.options.items() if usual.get(name) != value]
    return sanitize(", ".join(others), 200)


def offered_seat(client: ClubClient, row: TableInfo) -> Seat | None:
    """Return the seat that the game master offers to this player, or ``None`` if there is none."""
    return next((seat for seat, place in enumerate(row.places) if place.offered == client.nick), None)


def people_words(client: ClubClient) -> str:
    """List the nicks of the people at the club, and mark guests."""
    guests = set(client.guests)
    return ", ".join([f"{sanitize(name, 20)}{' (guest)' if name in guests else ''}" for name in client.people])


def place_words(place: SeatInfo) -> str:
    """Describe the occupant of a seat by name, absence and robot; return ``free`` for a free seat."""
    name = sanitize(place.name, 20)
    details = ["away"] if place.away else []
    details += ["a robot plays" if place.away else "robot"] if place.robot else []
    return (f"{name} ({', '.join(details)})" if details else name) or "free"


def state_words(client: ClubClient, row: TableInfo, level: str) -> str:
    """Describe the state of a table for this player, or state why its game cannot be played here.

    ``robot_level`` is the level of the robots that take the free seats when the session begins.
    """
    if lacks := client.missing_requirement(row.game):
        return lacks
    mine = client.seat_at(row)
    if row.taken_up:
        return _gathering(row, mine)
    if not row.playing:
        robots = f"you begin it; {level} robots take free seats"
        return robots if row.master == client.nick else f"{row.master} begins it"
    if (seat := offered_seat(client, row)) is not None:
        return f"{row.master} offers you {row.places[seat].name}'s seat"
    if row.over:
        return "the session is over"
    looks = f", {row.looking_on} watching" if row.looking_on else ""
    return f"round {row.round}, {row.turn or 'nobody'} to act{looks}"


def _gathering(row: TableInfo, mine: Seat | None) -> str:
    """Describe the state of a table at which an unfinished session is being resumed.

    ``own_seat`` is ``None`` if the session is not the player's.
    """
    absent = " and ".join([place.name for place in row.places if place.away])
    if mine is None:
        return f"its players are called back; still missing: {absent}"
    if row.places[mine].away:
        return f"{row.master} calls you back to it"
    return f"waits for {absent}; it goes on with robots if all here agree"
