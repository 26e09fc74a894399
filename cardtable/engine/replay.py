"""Replay of a journal: the basis of resume, undo, ``trace`` and ``verify``."""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Protocol

from cardtable.engine import options
from cardtable.engine.checksummed_jsonl import JournalError
from cardtable.engine.errors import GameFailed
from cardtable.engine.game import AnyGame
from cardtable.engine.game_lookup import find_game, split_package
from cardtable.engine.journal import Entry, Header, Journal, Occupant, UndoLine
from cardtable.engine.options import Value
from cardtable.engine.referee import IllegalAction, Referee

Games = Mapping[str, AnyGame]


class RulesHeader(Protocol):
    """Header of a journal or score table, or a tournament: the game, its package, the house rules and the seats."""

    @property
    def game(self) -> str: ...

    @property
    def package(self) -> str | None: ...

    @property
    def options(self) -> Mapping[str, Value]: ...

    @property
    def seats(self) -> tuple[Occupant, ...]: ...


def create_referee(header: Header, games: Games) -> Referee:
    """Create the referee of the session that a header describes, before its first event.

    Raises ``ValueError`` as ``read_rules`` does.
    """
    game, house_rules = read_rules(header, games)
    people = header.people if header.cardtable >= 4 else ()
    return Referee(
        game,
        len(header.seats),
        house_rules,
        header.seed,
        arrivals=header.arrivals,
        people=people,
        terms=header.terms,
    )


def read_rules(header: RulesHeader, games: Games) -> tuple[AnyGame, options.Options]:
    """Return the game and the house rules of the session that a header describes.

    Raises ``ValueError`` as ``find_game`` does, or if the header's seats or house rules are not valid. House rules that
    another version of the package has written are not checked, so that the session can be read; ``read_current_rules``
    checks them.
    """
    seats, game = len(header.seats), find_game(header.game, header.package, games)
    values = _read_values(header, game)
    if describe_other_version(header, game):
        return game, options.read_unchecked(game.options, values, seats)
    return parse_rules(header.game, seats, values, games)


def read_current_rules(header: RulesHeader, games: Games) -> tuple[AnyGame, options.Options]:
    """Return the game and the house rules with which the session that a header describes can continue.

    Raises ``ValueError`` as ``find_game`` does, or if the house rules are not valid any more; the session can then only
    be read.
    """
    game = find_game(header.game, header.package, games)
    try:
        return parse_rules(header.game, len(header.seats), _read_values(header, game), games)
    except ValueError as error:
        raise ValueError(add_version(header, games, str(error))) from None


def add_version(header: RulesHeader, games: Games, reason: str) -> str:
    """Return the reason why a session cannot be read, after the version that wrote it if another one is installed."""
    game = games.get(header.game)
    version = describe_other_version(header, game) if game else None
    return f"{version}: {reason}" if version else reason


def describe_other_version(header: RulesHeader, game: AnyGame) -> str | None:
    """Return, say, ``written by cardtable-hearts 0.1, installed is 0.2``; ``None`` if no other version wrote it."""
    if header.package is None or not game.package:
        return None
    (name, version), (own_name, own_version) = split_package(header.package), split_package(game.package)
    if name != own_name or version == own_version:
        return None
    return f"written by {header.package[:60]}, installed is {own_version}"


def _read_values(header: RulesHeader, game: AnyGame) -> Mapping[str, Value]:
    """Return the house rules of a header, which the game translates if another version of it has written them."""
    if not describe_other_version(header, game):
        return header.options
    assert header.package is not None
    return game.migrate_options(header.options, split_package(header.package)[1])


def parse_rules(key: str, seats: int, values: Mapping[str, Value], games: Games) -> tuple[AnyGame, options.Options]:
    """Return the game with this key, and its house rules from the values in a header.

    Raises ``ValueError`` if the game is unknown, is not played with this number of seats, or does not allow a value.
    Numbers must be given as numbers, not as text.
    """
    game = find_game(key, None, games)
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
        raise JournalError(journal.first_line, add_version(journal.header, games, str(error))) from None
    referee.in_place = in_place
    yield journal.first_line, referee
    for index, entry in enumerate(journal.entries):
        try:
            referee.apply_line(entry.line)
        except IllegalAction as error:
            reason = add_version(journal.header, games, str(error))
            raise JournalError(entry.number, reason, truncate(journal, index)) from None
        except GameFailed as error:
            raise GameFailed(add_version(journal.header, games, str(error))) from error
        yield entry.number, referee


def load(journal: Journal, games: Games, *, read_only: bool = False) -> Referee:
    """Replay a journal and return the referee after the last line.

    ``read_only``: True if the session will not be continued, so that the faster replay in place can be used. Raises
    ``JournalError`` if the referee rejects a line.
    """
    in_place = read_only and not any(isinstance(entry.line, UndoLine) for entry in journal.entries)
    [(_, referee)] = deque(iter_positions(journal, games, in_place=in_place), maxlen=1)
    return referee


def truncate(journal: Journal, entries: int) -> Journal:
    """Return a journal with only the first ``entries`` lines after the header; its checksum and size are not valid."""
    first_entries: list[Entry] = journal.entries[:entries]
    return Journal(journal.first_line, journal.header, journal.header_body, journal.sealed, first_entries, 0, 0, b"")


def trace_position(number: int, referee: Referee) -> dict[str, object]:
    """Return the JSON object that ``cardtable trace`` prints for the position after line ``number``."""
    result: dict[str, object] = {
        "line": number,
        "turn": referee.turn if referee.turn >= 0 else None,
        "legal": referee.list_legal_texts(),
        "round": referee.round,
    }
    if any(referee.state.choosing):
        result["choosing"] = referee.list_seats_to_act()
    if referee.tricks is not None:
        result["tricks"] = referee.tricks
    return {**result, "totals": referee.raw_totals}
