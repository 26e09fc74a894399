"""Where an unfinished session stands, as its person may see it before sitting down again."""

from typing import NamedTuple

from cardtable.engine.cards import Card
from cardtable.engine.contract import OVER, Seat
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Header
from cardtable.engine.table import Table
from cardtable.store import files, profiles, summaries
from cardtable.store.sessions import Summary
from cardtable.store.whose_seat import players_at
from cardtable.ui.kit.piece import HeaderFacts, hand_size
from cardtable.ui.kit.pieces import piece
from cardtable.wording.tables import round_among


class Recalled(NamedTuple):
    """What the picker tells of the session to go on with."""

    facts: tuple[str, ...]
    """Where it stands, as the table screen has it at the top, the round first."""
    turn: str
    """Who is to act."""
    alone: bool = False
    """Whether that is the only person."""
    hand: tuple[Card, ...] = ()
    """The own hand in its order, if exactly one person plays, and has given the password that she may have."""
    backs: int = 0
    """Cards of a hand that is not to be seen here."""


def recall(summary: Summary) -> Recalled | None:
    """Where the session stands; ``None`` if its journal cannot be read, its game fails, or the club alone plays it."""
    if summary.is_club_only:
        return None
    try:
        table = summaries.table(summary.path)
        return recalled(table, summary.header) if summary.header else None
    except CardtableError:
        return None


def recalled(table: Table, header: Header) -> Recalled:
    """Where the session of ``table`` stands, without anything that two people must not both see."""
    seats, turn = header.people, table.turn
    seat = seats[0] if seats else max(turn, 0)
    view = table.view(seat)
    shape = piece(table.game.about.key)
    facts = _facts(table, shape.header(view)) if table.round else ("nothing dealt yet",)
    told, alone = _turn(turn, files.names(header.seats)), seats == [turn]
    if not table.playing:
        return Recalled(facts[:1], told, alone)
    if len(seats) == 1 and not profiles.locked(players_at(header).get(seats[0], "")):
        return Recalled(facts, told, alone, tuple(shape.order(view)))
    shown = turn if turn in seats else seat
    return Recalled(facts, told, alone, backs=hand_size(table.game, table.view(shown), shown))


def _facts(table: Table, header: HeaderFacts) -> tuple[str, ...]:
    """The round, and what the table screen has beside it at the top."""
    return f"round {round_among(table.round, table.options.rounds)}", *header.before, *header.after


def _turn(turn: Seat, names: list[str]) -> str:
    if turn == OVER:
        return "all rounds are played"
    if turn < 0:
        return "the next round is still to be dealt"
    return f"{names[turn]}'s turn"
