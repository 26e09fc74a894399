"""Lines of the lobby: a table with its house rules, who sits there, and what can be done at it."""

from collections.abc import Callable

from cardtable.club.shown import TableRow
from cardtable.club.table_words import game_title, house_rules, moment, offered, place_words, state_words
from cardtable.club.visiting import Visiting
from cardtable.engine.contract import Seat
from cardtable.engine.text import clean
from cardtable.ui.draw import column
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.rows import FormRow


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
        end = where.text(3, 0, game_title(row.game), where.name, bold=where.at) - where.x
        where.text(end + 2, 0, clean(row.name, 40), inks.soft, most=max(begins - end - 4, 0))
        where.text(3, 1, ", ".join(_places(row, seat if where.at else None)), where.muted)
        where.text(3, 2, state_words(visiting, row, level), where.quiet)
        where.text(3, 3, rules, where.quiet)

    rules = house_rules(visiting, row)
    changes = steps if _steps(visiting, row) else None
    return FormRow(name=row.table, rows=3 + bool(rules), draw=draw, does=does, steps=changes, keys=_keys(visiting, row))


def unfinished_line(row: TableRow, does: Callable[[], object]) -> FormRow:
    """A session that can be taken up."""

    def draw(where: column.Place) -> None:
        inks = where.canvas.theme.inks
        begins = where.right(0, f"played {moment(row.since)}", where.quiet)
        end = where.text(3, 0, game_title(row.game), where.name, bold=where.at) - where.x
        about = "  ".join(filter(None, (clean(row.name, 40), f"round {row.round}" if row.round else "")))
        where.text(end + 2, 0, about, inks.soft, most=max(begins - end - 4, 0))
        where.text(3, 1, ", ".join([clean(place.name, 20) for place in row.places]), where.muted)

    return FormRow(name=row.table, rows=2, draw=draw, does=does, keys=(("play", "call the others"),))


def _places(row: TableRow, seat: Seat | None) -> list[str]:
    return [f"[{place_words(place)}]" if each == seat else place_words(place) for each, place in enumerate(row.places)]


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
            return (("play", "take the seat"), ("watch", "watch"))
        return (("play", "go on"),) if seat is not None else (("watch", "watch"),)
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
