"""Descriptions of a club's people and tables, shared by all front ends."""

from datetime import datetime
from typing import TYPE_CHECKING, Final

from cardtable.club.protocol import DeviceInfo, DeviceKind, DeviceWord, SeatInfo, TableInfo, Talk
from cardtable.engine.game import Seat
from cardtable.engine.options import read
from cardtable.engine.text_format import format_count, sanitize
from cardtable.games import ABOUT, GAMES
from cardtable.wording.formatting import format_day
from cardtable.wording.rules_page import format_other_rules
from cardtable.wording.terms import format_loss

if TYPE_CHECKING:  # needs the club's optional libraries
    from cardtable.club.client.client import ClubClient

DEVICE_KINDS: Final[dict[DeviceKind, str]] = {
    "join": "program",
    "browser": "browser",
    "ssh": "ssh with a word",
    "key": "ssh with a key",
    "": "program or browser",
}
_MAX_INSTRUCTIONS: Final = 4
_MAX_INSTRUCTION_LENGTH: Final = 200


def format_game_title(game_key: str) -> str:
    """Return the title of a game; if the game is not installed, return its sanitized key."""
    about = ABOUT.get(game_key)
    return about.title if about else sanitize(game_key, 20)


def format_time(timestamp: int) -> str:
    """Format a time as ``HH:MM`` if it is today, otherwise as a date.

    ``timestamp`` is in seconds since 1970-01-01T00:00Z; the result is in local time.
    """
    when = datetime.fromtimestamp(timestamp).astimezone()
    today = datetime.now().astimezone().date()
    return f"{when:%H:%M}" if when.date() == today else format_day(when.date())


def format_stage(table_info: TableInfo) -> str:
    """Return how far a table has come, as a short phrase."""
    if table_info.over:
        return "over"
    return f"round {table_info.round}" if table_info.playing else "waits for players"


def format_seated_people(table_info: TableInfo) -> str:
    """Return the names of the people who have a seat at a table, without robots."""
    people = [info for info in table_info.seats if info.name and not info.robot]
    return ", ".join([f"{info.name}{' (away)' if info.away else ''}" for info in people]) or "nobody"


def format_house_rules(client: "ClubClient", table_info: TableInfo) -> str:
    """List the house rules of a table that differ from the game's defaults.

    The text is empty if no rule differs or the game cannot be played here.
    """
    if client.find_missing_requirement(table_info.game):
        return ""
    options_type = GAMES[table_info.game].options
    usual = read(options_type, {}, len(table_info.seats)).to_dict()
    return sanitize(format_other_rules(options_type, table_info.options, usual), 200)


def find_offered_seat(client: "ClubClient", table_info: TableInfo) -> Seat | None:
    """Return the seat that the game master offers to this player, or ``None`` if there is none.

    There is none either if the player has hidden the game master.
    """
    if client.hidden_people.is_hidden(table_info.master):
        return None
    return next((seat for seat, info in enumerate(table_info.seats) if info.offered == client.nick), None)


def format_table_name(client: "ClubClient", table_info: TableInfo) -> str:
    """Return the name of a table, as a hidden person's talk empty if its game master is hidden."""
    return "" if client.hidden_people.is_hidden(table_info.master) else sanitize(table_info.name, 40)


def list_people(client: "ClubClient") -> list[str]:
    """List the nicks of the people at the club, and mark guests."""
    guests, nicks = set(client.lobby.guest_nicks), client.lobby.present_nicks
    return [f"{sanitize(name, 20)}{' (guest)' if name in guests else ''}" for name in nicks]


def format_people(client: "ClubClient") -> str:
    return ", ".join(list_people(client))


def format_access(table_info: TableInfo) -> list[str]:
    """Return remarks on a table to which not everybody may come."""
    return [*(["private"] if table_info.private else []), *(["no spectators"] if table_info.no_spectators else [])]


def format_invited(table_info: TableInfo) -> str:
    return ", ".join([sanitize(nick, 20) for nick in table_info.invited])


def format_seat_info(info: SeatInfo) -> str:
    """Describe the occupant of a seat by name, absence and robot; return ``free`` for a free seat."""
    name = sanitize(info.name, 20)
    details = [format_loss(info.lost)] if info.lost else ["away"] if info.away else []
    details += ["a robot plays"] if info.lost or (info.away and info.robot) else ["robot"] if info.robot else []
    return (f"{name} ({', '.join(details)})" if details else name) or "free"


def format_table_state(client: "ClubClient", table_info: TableInfo, robot_level: str) -> str:
    """Describe the state of a table for this player, or state why its game cannot be played here.

    ``robot_level`` is the level of the robots that take the free seats when the session begins.
    """
    if requirement := client.find_missing_requirement(table_info.game):
        return requirement
    own_seat = client.find_own_seat(table_info)
    if table_info.resuming:
        return _format_resuming_state(table_info, own_seat)
    if not table_info.playing:
        robots = f"you start it; {robot_level} robots take free seats"
        return robots if table_info.master == client.nick else f"{table_info.master} starts it"
    if (seat := find_offered_seat(client, table_info)) is not None:
        return f"{table_info.master} offers you {table_info.seats[seat].name}'s seat"
    if table_info.over:
        return "the session is over"
    looks = f", {table_info.spectator_count} watching" if table_info.spectator_count else ""
    turn = f", {table_info.turn or 'nobody'} to act" if table_info.turn or table_info.master else ""
    return f"round {table_info.round}{turn}{looks}"


def _format_resuming_state(table_info: TableInfo, own_seat: Seat | None) -> str:
    """Describe the state of a table at which an unfinished session is being resumed.

    ``own_seat`` is ``None`` if the session is not the player's.
    """
    absent = " and ".join([info.name for info in table_info.seats if info.away and not info.lost])
    if own_seat is None:
        return f"its players are called back; still missing: {absent}"
    if table_info.seats[own_seat].away:
        return f"{table_info.master} calls you back to it"
    return f"waiting for {absent}; it continues with robots if all here agree"


def format_talk(client: "ClubClient", talk: Talk, speaker: str) -> str:
    """Return a chat message of a person after the time, if it is from before the visit, and the speaker."""
    time = f"{format_time(talk.at)} " if 0 < talk.at <= client.latest_talk_before else ""
    receiver = f" to {'you' if talk.to == client.nick else talk.to}" if talk.to else ""
    return sanitize(f"{time}{speaker}{receiver}: {talk.text}")


def list_device_facts(device: DeviceInfo) -> list[str]:
    """Return what kind of device it is, since when it is known, and when it was last used."""
    return [
        DEVICE_KINDS[device.kind],
        *[format_time(when) if when else "unknown" for when in (device.since, device.seen)],
    ]


def format_device(device: DeviceInfo) -> str:
    kind, since, seen = list_device_facts(device)
    return f"{kind}, known since {since}, last used {seen}{', this one' if device.is_present else ''}"


def explain_device_word(word: DeviceWord, called: str) -> list[str]:
    """Return what to do with a word on another device, line by line; ``called`` stands for the word."""
    minutes = format_count(max(word.seconds // 60, 1), "minute")
    ways = [sanitize(line, _MAX_INSTRUCTION_LENGTH) for line in word.ways[:_MAX_INSTRUCTIONS]]
    return [f"On the other device, type {called} in place of the code. It is good once, for {minutes}.", *ways]
