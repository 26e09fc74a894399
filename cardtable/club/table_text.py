"""Tables of a club in words, as every front end tells them."""

from datetime import datetime

from cardtable.club.client.client import ClubClient
from cardtable.club.protocol import SeatInfo, TableInfo
from cardtable.engine.game import Seat
from cardtable.engine.options import read
from cardtable.engine.text_format import sanitize
from cardtable.games import ABOUT, GAMES
from cardtable.wording.formatting import day


def game_title(game: str) -> str:
    """What a game is called."""
    about = ABOUT.get(game)
    return about.title if about else sanitize(game, 20)


def moment(since: int) -> str:
    """A time of today, or a day."""
    when = datetime.fromtimestamp(since).astimezone()
    today = datetime.now().astimezone().date()
    return f"{when:%H:%M}" if when.date() == today else day(when.date())


def house_rules(visiting: ClubClient, row: TableInfo) -> str:
    """The house rules of a table that are not the usual ones."""
    if visiting.missing_requirement(row.game):
        return ""
    usual = read(GAMES[row.game].options, {}, len(row.places)).items()
    others = [f"{name.replace('_', ' ')} {value}" for name, value in row.options.items() if usual.get(name) != value]
    return sanitize(", ".join(others), 200)


def offered(visiting: ClubClient, row: TableInfo) -> Seat | None:
    """The seat that the game master offers her."""
    return next((seat for seat, place in enumerate(row.places) if place.offered == visiting.nick), None)


def place_words(place: SeatInfo) -> str:
    """Who sits at a place, and what there is to be said of her."""
    name = sanitize(place.name, 20)
    told = ["away"] * place.away
    told += ["a robot plays" if place.away else "robot"] * place.robot
    return (f"{name} ({', '.join(told)})" if told else name) or "free"


def state_words(visiting: ClubClient, row: TableInfo, level: str) -> str:
    """How a table stands; ``level`` is that of robots that take free seats."""
    if lacks := visiting.missing_requirement(row.game):
        return lacks
    mine = visiting.seat_at(row)
    if row.taken_up:
        return _gathering(row, mine)
    if not row.playing:
        robots = f"you begin it; {level} robots take free seats"
        return robots if row.master == visiting.nick else f"{row.master} begins it"
    if (seat := offered(visiting, row)) is not None:
        return f"{row.master} offers you {row.places[seat].name}'s seat"
    if row.over:
        return "the session is over"
    looks = f", {row.looking_on} watching" if row.looking_on else ""
    return f"round {row.round}, {row.turn or 'nobody'} to act{looks}"


def _gathering(row: TableInfo, mine: Seat | None) -> str:
    absent = " and ".join([place.name for place in row.places if place.away])
    if mine is None:
        return f"its players are called back; still missing: {absent}"
    if row.places[mine].away:
        return f"{row.master} calls you back to it"
    return f"waits for {absent}; it goes on with robots if all here agree"
