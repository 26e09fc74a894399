"""Lines of the lobby: a table with its house rules, who sits there, and what can be done at it."""

from collections.abc import Callable
from datetime import datetime

from cardtable.club.shown import PlaceShown, TableRow
from cardtable.club.visiting import Visiting
from cardtable.engine.contract import Seat
from cardtable.engine.options import read
from cardtable.games import ABOUT, GAMES
from cardtable.store.text import clean
from cardtable.ui.draw import column
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.rows import FormRow
from cardtable.wording.words import day


def table_line(
    visiting: Visiting,
    row: TableRow,
    seat: Seat | None,
    level: str,
    steps: Callable[[int], None],
    does: Callable[[], object],
) -> FormRow:
    """A table: ``seat`` is the free one that would be hers; ``level`` that of robots that take free seats."""

    def draw(where: column.Place) -> None:
        inks = where.canvas.theme.inks
        begins = where.right(0, f"since {moment(row.since)}", where.quiet)
        end = where.text(3, 0, title(row.game), where.name, bold=where.at) - where.x
        where.text(end + 2, 0, row.name, inks.soft, most=max(begins - end - 4, 0))
        where.text(3, 1, ", ".join(_places(row, seat if where.at else None)), where.muted)
        where.text(3, 2, _state(visiting, row, level), where.quiet)
        where.text(3, 3, rules, where.quiet)

    rules = house_rules(visiting, row)
    changes = steps if _steps(visiting, row) else None
    return FormRow(name=row.table, rows=3 + bool(rules), draw=draw, does=does, steps=changes, keys=_keys(visiting, row))


def unfinished_line(row: TableRow, does: Callable[[], object]) -> FormRow:
    """A session that can be taken up."""

    def draw(where: column.Place) -> None:
        inks = where.canvas.theme.inks
        begins = where.right(0, f"played {moment(row.since)}", where.quiet)
        end = where.text(3, 0, title(row.game), where.name, bold=where.at) - where.x
        about = "  ".join(filter(None, (row.name, f"round {row.round}" if row.round else "")))
        where.text(end + 2, 0, about, inks.soft, most=max(begins - end - 4, 0))
        where.text(3, 1, ", ".join([clean(place.name, 20) for place in row.places]), where.muted)

    return FormRow(name=row.table, rows=2, draw=draw, does=does, keys=(("play", "call the others"),))


def title(game: str) -> str:
    """What a game is called."""
    about = ABOUT.get(game)
    return about.title if about else clean(game, 20)


def moment(since: int) -> str:
    """A time of today, or a day."""
    when = datetime.fromtimestamp(since).astimezone()
    today = datetime.now().astimezone().date()
    return f"{when:%H:%M}" if when.date() == today else day(when.date())


def house_rules(visiting: Visiting, row: TableRow) -> str:
    """The house rules of a table that are not the usual ones."""
    if visiting.lacks(row.game):
        return ""
    usual = read(GAMES[row.game].options, {}, len(row.places)).items()
    others = [f"{name.replace('_', ' ')} {value}" for name, value in row.options.items() if usual.get(name) != value]
    return clean(", ".join(others), 200)


def offered(visiting: Visiting, row: TableRow) -> Seat | None:
    """The seat that the game master offers her."""
    return next((seat for seat, place in enumerate(row.places) if place.offered == visiting.nick), None)


def _places(row: TableRow, seat: Seat | None) -> list[str]:
    return [f"[{place_words(place)}]" if each == seat else place_words(place) for each, place in enumerate(row.places)]


def place_words(place: PlaceShown) -> str:
    """Who sits at a place, and what there is to be said of her."""
    name = clean(place.name, 20)
    told = ["away"] * place.away
    told += ["a robot plays" if place.away else "robot"] * place.robot
    return (f"{name} ({', '.join(told)})" if told else name) or "free"


def _state(visiting: Visiting, row: TableRow, level: str) -> str:
    if lacks := visiting.lacks(row.game):
        return lacks
    mine = visiting.seat_at(row)
    if row.taken_up:
        return _gathering(row, mine)
    if not row.playing:
        robots = f"you begin it; robots that take free seats are {level}"
        return robots if row.master == visiting.nick else f"{row.master} begins it when all are there"
    if (seat := offered(visiting, row)) is not None:
        return f"{row.master} offers you {row.places[seat].name}'s seat"
    if row.over:
        return "the session is over"
    looks = f", {row.looking_on} looking on" if row.looking_on else ""
    return f"round {row.round}, {row.turn or 'nobody'} to act{looks}"


def _gathering(row: TableRow, mine: Seat | None) -> str:
    absent = " and ".join([place.name for place in row.places if place.away])
    if mine is None:
        return f"its people are called to go on with it; {absent} not here yet"
    if row.places[mine].away:
        return f"{row.master} calls you to go on with it"
    return f"it goes on when {absent} comes, or with robots if all who are here want it"


def _steps(visiting: Visiting, row: TableRow) -> bool:
    """Whether there is something to choose at a table: a seat, or the level of robots."""
    if row.playing or row.taken_up or visiting.lacks(row.game):
        return False
    return row.master == visiting.nick or any(not place.name for place in row.places)


def _keys(visiting: Visiting, row: TableRow) -> Keys:
    if visiting.lacks(row.game):
        return ()
    seat = visiting.seat_at(row)
    if row.playing:
        if offered(visiting, row) is not None:
            return (("play", "take the seat"), ("watch", "look on"))
        return (("play", "go on"),) if seat is not None else (("watch", "look on"),)
    if row.taken_up:
        if seat is None:
            return ()
        here = not row.places[seat].away
        return (("play", "go on with robots"), ("give_up", "stand up")) if here else (("play", "sit down"),)
    if row.master == visiting.nick:
        return (("play", "begin, robots take free seats"), ("left right", "their level"), ("give_up", "stand up"))
    chooses: Keys = (("left right", "which seat"),)
    if seat is not None:
        return (("play", "to that seat"), *chooses, ("give_up", "stand up"))
    return (("play", "sit down"), *chooses)
