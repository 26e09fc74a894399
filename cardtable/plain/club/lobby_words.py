"""The lobby of a club in sentences: a table, and what has changed since it was told of last."""

from collections.abc import Callable, Iterator, Mapping

from cardtable.club.shown import PlaceShown, TableRow
from cardtable.club.table_words import game_title, house_rules, moment, offered, place_words, state_words
from cardtable.club.visiting import Visiting
from cardtable.engine.contract import Seat
from cardtable.engine.text import clean
from cardtable.plain.speech import sentence
from cardtable.store.seating import USUAL_LEVEL
from cardtable.wording.words import YOU, does


def here(visiting: Visiting) -> str:
    """Who is at the club."""
    names = [f"{clean(name, 20)}{' (guest)' * (name in visiting.guests)}" for name in visiting.people]
    return f"Here: {', '.join(names)}."


def table_told(visiting: Visiting, number: int, row: TableRow) -> str:
    """A table with its seats, the house rules that are not as usual, and how it stands."""
    seats = [f"{seat} {_place(visiting, place)}" for seat, place in enumerate(row.places, 1)]
    told = [_titled(f"Table {number}", row), f"seats: {', '.join(seats)}"]
    told += [f"house rules: {rules}" for rules in [house_rules(visiting, row)] if rules]
    return " ".join([sentence(part) for part in [*told, state_words(visiting, row, USUAL_LEVEL)]])


def session_told(number: int, row: TableRow) -> str:
    """An unfinished session of hers."""
    names = ", ".join([clean(place.name, 20) for place in row.places])
    played = f"played {moment(row.since)} by {names}"
    return sentence(", ".join(filter(None, [_titled(f"Session {number}", row), f"round {row.round}", played])))


def _titled(what: str, row: TableRow) -> str:
    return f"{what}: {game_title(row.game)}{f', {clean(row.name, 40)}' if row.name else ''}"


def _place(visiting: Visiting, place: PlaceShown) -> str:
    return YOU.lower() if place.name == visiting.nick else place_words(place)


def people_changed(before: tuple[str, ...], visiting: Visiting) -> Iterator[str]:
    """Who has come and gone."""
    for name in visiting.people:
        if name not in before:
            yield f"{name} comes in."
    for name in before:
        if name not in visiting.people:
            yield f"{name} leaves."


def tables_changed(before: Mapping[str, TableRow], visiting: Visiting, number: Callable[[str], int]) -> Iterator[str]:
    """What has happened at the tables; ``number`` tells by what number one is known."""
    now = visiting.tables
    for table, row in now.items():
        if table not in before:
            yield f"New: {table_told(visiting, number(table), row)}"
        elif row != before[table]:
            yield from _changed(before[table], row, visiting, number(table))
    for table in before:
        if table not in now:
            yield f"Table {number(table)} is closed."


def _changed(was: TableRow, row: TableRow, visiting: Visiting, number: int) -> Iterator[str]:
    if row.playing and not was.playing:
        yield f"Table {number} has begun."
    elif not row.playing:
        yield from _seats_changed(was, row, visiting, number)
    if row.over and not was.over:
        yield f"The session at table {number} is over."
    if offered(visiting, row) is not None and offered(visiting, was) is None:
        yield sentence(f"{state_words(visiting, row, USUAL_LEVEL)}; sit {number} takes it")


def _seats_changed(was: TableRow, row: TableRow, visiting: Visiting, number: int) -> Iterator[str]:
    """Who sits down or stands up at a table that is not played yet."""
    before, now = _sitting(was), _sitting(row)
    for name, seat in now.items():
        if before.get(name) != seat:
            who = YOU if name == visiting.nick else name
            yield f"{does(who, 'sits', 'sit')} down at table {number}, seat {seat + 1}."
    for name in before.keys() - now.keys():
        who = YOU if name == visiting.nick else name
        away = any(place.name == name for place in row.places)
        yield f"{does(who, 'is away', 'are away') if away else does(who, 'stands up', 'stand up')} from table {number}."
    if now and all(place.name and not place.away for place in row.places) and row.master == visiting.nick:
        yield f"All seats at table {number} are taken. Type begin to begin."


def _sitting(row: TableRow) -> dict[str, Seat]:
    """Who has come to a table, and her seat."""
    return {place.name: seat for seat, place in enumerate(row.places) if place.name and not place.away}
