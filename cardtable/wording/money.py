"""What is said of credits at the start of a session and at its end, in sentences."""

from collections.abc import Iterator, Sequence

from cardtable.engine.contract import Seat
from cardtable.engine.journal import Header
from cardtable.store.ledgers import outcome, stake_of
from cardtable.store.whose_seat import players_at
from cardtable.wording.names import Names
from cardtable.wording.words import YOU, does


def staked(header: Header) -> str:
    """The room, the stake and the pot; nothing (``""``) where nothing is staked."""
    stake = stake_of(header)
    return f"Room {stake}: everybody stakes {stake} credits, and the pot is {stake * len(header.seats)}." * bool(stake)


def settled(header: Header, ranks: Sequence[int], names: Names) -> Iterator[str]:
    """Who takes the pot; what each person at the table has won or lost, and has now."""
    if stake := stake_of(header):
        pot = f"the pot of {stake * len(header.seats)} credits"
        yield f"{does(names[ranks.index(1)], f'takes {pot}', f'take {pot}')}."
        for seat, nick in players_at(header).items():
            yield from _outcome(header, ranks, names, seat, nick)


def _outcome(header: Header, ranks: Sequence[int], names: Names, seat: Seat, nick: str) -> Iterator[str]:
    """What one person has won or lost, and has now."""
    if (made := outcome(header, ranks, nick)) is None:
        return
    who = names[seat]
    won = does(who, "wins", "win") if made.change > 0 else does(who, "loses", "lose")
    has = "have" if who == YOU else "has"
    gift = f", a present of {made.gift} included" * bool(made.gift)
    yield f"{won} {abs(made.change)} credits, and {has} {made.credits} now{gift}."
