"""Reading a journal again: the way a session is resumed, verified, traced and shown."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from cardtable.engine import options
from cardtable.engine.game import Action, AnyGame
from cardtable.engine.journal import Entry, Header, Journal, JournalError
from cardtable.engine.options import Value
from cardtable.engine.referee import IllegalAction, Referee
from cardtable.engine.text_format import unknown

Games = Mapping[str, AnyGame]


def action_of(legal: Sequence[Action], text: str) -> Action | None:
    """The legal action of a text, as journals have it; ``None`` where it is that of none."""
    return next((action for action in legal if str(action) == text), None)


def begin(header: Header, games: Games) -> Referee:
    """The table of a header, before anything happened.  Raises ``ValueError``."""
    if header.package is not None and header.game not in games:
        raise ValueError(f"the game {header.game[:30]!r} is not installed; it comes with {header.package[:60]!r}")
    game, chosen = rules(header.game, len(header.seats), header.options, games)
    return Referee(game, len(header.seats), chosen, header.seed)


def rules(key: str, seats: int, given: Mapping[str, Value], games: Games) -> tuple[AnyGame, options.Options]:
    """The game and the house rules of a header.  Raises ``ValueError``."""
    game = games.get(key)
    if game is None:
        raise ValueError(unknown("game", key, games))
    if seats not in game.about.seats:
        raise ValueError(f"{game.about.title} is not for {seats} seats")
    chosen = options.read(game.options, given, seats)
    for name, value in chosen.items().items():
        if given.get(name, value) != value:
            raise ValueError(f"option {name} is a number, not the text {given[name]!r}")
    return game, chosen


def iter_positions(journal: Journal, games: Games, *, in_place: bool = False) -> Iterator[tuple[int, Referee]]:
    """The one table after each line, with the line's number in its file.

    ``in_place``: nothing is taken back, in the journal or afterwards.  Raises ``JournalError`` at the first line that
    the engine does not allow.
    """
    try:
        table = begin(journal.header, games)
    except ValueError as error:
        raise JournalError(journal.first, str(error)) from None
    table.in_place = in_place
    yield journal.first, table
    for index, entry in enumerate(journal.entries):
        try:
            table.apply_line(entry.line)
        except IllegalAction as error:
            raise JournalError(entry.number, str(error), cut(journal, index)) from None
        yield entry.number, table


def load(journal: Journal, games: Games, *, only_read: bool = False) -> Referee:
    """Return the table after the last line.  Raises ``JournalError``.

    ``only_read``: nothing will happen at the table any more.
    """
    in_place = only_read and all(entry.line.undo is None for entry in journal.entries)
    [(_, table)] = deque(iter_positions(journal, games, in_place=in_place), maxlen=1)
    return table


def cut(journal: Journal, entries: int) -> Journal:
    """The journal up to its first ``entries`` entries; its checksum and size are of no use."""
    kept: list[Entry] = journal.entries[:entries]
    return Journal(journal.first, journal.header, journal.header_body, journal.sealed, kept, 0, 0, b"")


def trace(number: int, table: Referee) -> dict[str, object]:
    """What ``cardtable trace`` prints after the line of this number."""
    told: dict[str, object] = {
        "line": number,
        "turn": table.turn if table.turn >= 0 else None,
        "legal": table.legal(),
        "round": table.round,
    }
    if table.tricks is not None:
        told["tricks"] = table.tricks
    return {**told, "totals": table.raw_totals}
