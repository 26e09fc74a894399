"""Replay of a journal: the basis of resume, undo, ``trace`` and ``verify``."""

from collections import deque
from collections.abc import Iterator, Mapping

from cardtable.engine import options
from cardtable.engine.game import AnyGame
from cardtable.engine.journal import Entry, Header, Journal, JournalError
from cardtable.engine.options import Value
from cardtable.engine.referee import IllegalAction, Referee
from cardtable.engine.text_format import format_unknown_name

Games = Mapping[str, AnyGame]


def create_referee(header: Header, games: Games) -> Referee:
    """Create the referee of the session that a header describes, before its first event.

    Raises ``ValueError`` if the game is not installed or the header's seats or house rules are not valid.
    """
    if header.package is not None and header.game not in games:
        raise ValueError(f"the game {header.game[:30]!r} is not installed; it comes with {header.package[:60]!r}")
    game, house_rules = parse_rules(header.game, len(header.seats), header.options, games)
    return Referee(game, len(header.seats), house_rules, header.seed)


def parse_rules(key: str, seats: int, values: Mapping[str, Value], games: Games) -> tuple[AnyGame, options.Options]:
    """Return the game with this key, and its house rules from the values in a header.

    Raises ``ValueError`` if the game is unknown, is not played with this number of seats, or does not allow a value.
    Numbers must be given as numbers, not as text.
    """
    game = games.get(key)
    if game is None:
        raise ValueError(format_unknown_name("game", key, games))
    if seats not in game.about.seats:
        raise ValueError(f"{game.about.title} is not for {seats} seats")
    house_rules = options.read(game.options, values, seats)
    for name, value in house_rules.to_dict().items():
        if values.get(name, value) != value:
            raise ValueError(f"option {name} is a number, not the text {values[name]!r}")
    return game, house_rules


def iter_positions(journal: Journal, games: Games, *, in_place: bool = False) -> Iterator[tuple[int, Referee]]:
    """Replay a journal; yield the number of each line in its file and the referee after that line.

    The referee is the same object each time and changes with each step. ``in_place`` is faster, but then the journal
    must not contain ``undo``. Raises ``JournalError`` at the first line that the referee rejects.
    """
    try:
        referee = create_referee(journal.header, games)
    except ValueError as error:
        raise JournalError(journal.first_line, str(error)) from None
    referee.in_place = in_place
    yield journal.first_line, referee
    for index, entry in enumerate(journal.entries):
        try:
            referee.apply_line(entry.line)
        except IllegalAction as error:
            raise JournalError(entry.number, str(error), truncate(journal, index)) from None
        yield entry.number, referee


def load(journal: Journal, games: Games, *, read_only: bool = False) -> Referee:
    """Replay a journal and return the referee after the last line.

    ``read_only``: True if the session will not be continued, so that the faster replay in place can be used. Raises
    ``JournalError`` if the referee rejects a line.
    """
    in_place = read_only and all(entry.line.undo is None for entry in journal.entries)
    [(_, referee)] = deque(iter_positions(journal, games, in_place=in_place), maxlen=1)
    return referee


def truncate(journal: Journal, entries: int) -> Journal:
    """Return a journal with only the first ``entries`` lines after the header; its checksum and size are not valid."""
    entries_kept: list[Entry] = journal.entries[:entries]
    return Journal(journal.first_line, journal.header, journal.header_body, journal.sealed, entries_kept, 0, 0, b"")


def trace_position(number: int, referee: Referee) -> dict[str, object]:
    """Return the JSON object that ``cardtable trace`` prints for the position after line ``number``."""
    result: dict[str, object] = {
        "line": number,
        "turn": referee.turn if referee.turn >= 0 else None,
        "legal": referee.list_legal_texts(),
        "round": referee.round,
    }
    if referee.tricks is not None:
        result["tricks"] = referee.tricks
    return {**result, "totals": referee.raw_totals}
