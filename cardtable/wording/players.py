"""Texts about players, partnerships, robot levels and stakes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat, Sides
from cardtable.engine.journal import Header
from cardtable.engine.text_format import sanitize
from cardtable.games import ABOUT, import_submodule
from cardtable.robots.kit.levels import StrengthLadder
from cardtable.store import session_files
from cardtable.store.credit_ledger import outcome, stake_of
from cardtable.store.profiles import TransactionReason, players_at
from cardtable.wording.formatting import YOU, name_and_verb

TRUTH: Final = (
    "A password is asked for before your hand is shown or your credits are staked. It keeps others at this keyboard "
    "from playing as you. It does not lock the files: they can be read without it."
)
REMOVED: Final = (
    "Name, address, password and {} credits with the ledger go. Sessions stay, under the nick that they have."
)
"""Warning before a player is removed, to be formatted with the number of their credits."""
MOVED: Final[Mapping[TransactionReason, str]] = {
    "stake": "stake",
    "won": "pot won",
    "lost": "session lost",
    "given up": "given up",
    "taken back": "taken up again",
    "returned": "not begun",
    "gift": "present",
}
"""Description of a ledger entry, by its reason."""


Names = Sequence[str]
"""Names of the players, by seat."""


def seat_names(
    header: Header, own: str = "you", *, mine: bool = True, people: Sequence[Seat] | None = None
) -> list[str]:
    """Return the names of all seats. With ``replace_own``, the only human player is called ``own_name``.

    ``people`` are the seats of the human players at this machine, if others play elsewhere; the default is all of them.
    """
    names, here = session_files.names(header.seats), header.people if people is None else people
    if len(here) == 1 and mine:
        names[here[0]] = own
    return names


def names_of_side(names: Names, side: Sequence[Seat]) -> list[str]:
    """Return the names of a partnership's players, "You" first."""
    return sorted([names[seat] for seat in side], key=lambda name: name != YOU)


def side_name(names: Names, side: Sequence[Seat]) -> str:
    """Return the name of a partnership, or of a single player, such as ``You & Cy``."""
    return " & ".join(names_of_side(names, side))


def own_side_first(sides: Sides, me: Seat) -> Sides:
    """Sort the partnerships, and the seats in each, clockwise from ``own_seat``."""
    seats = sum(map(len, sides))
    rotated = [tuple(sorted(side, key=lambda seat: (seat - me) % seats)) for side in sides]
    return tuple(sorted(rotated, key=lambda side: (side[0] - me) % seats))


def own_first(header: Header) -> list[Seat]:
    """Return all seats clockwise, beginning with the only human player. With none or several, the first is seat 0."""
    first = header.people[0] if len(header.people) == 1 else 0
    return [(first + i) % len(header.seats) for i in range(len(header.seats))]


def seat_of(header: Header, who: str) -> Seat:
    """Return the seat with this name or number, which is numbered from 0 as in journals.

    Raises ``CardtableError`` if there is none.
    """
    names = session_files.names(header.seats)
    numbers = list(map(str, range(len(names))))
    for known in (names, numbers):
        if who in known:
            return known.index(who)
    raise CardtableError(f"nobody called {sanitize(who, 30)!r} sits there: {', '.join(names)}, or 0 to {numbers[-1]}")


def level_strength_text(key: str) -> str:
    """Return a sentence that compares the robot levels in a game, or ``""`` if their strength was not measured."""
    measured = import_submodule(key, "level_strength")
    if measured is None:
        return ""
    ladder: StrengthLadder = measured.LADDER
    about = ABOUT[key]
    seats = f" ({about.usual_seats} seats)" if len(about.seats) > 1 else ""
    worse, better = _points(ladder.steady.points), _points(ladder.expert.points)
    return f"Novice {worse} points a round worse than steady, expert {better} better{seats}."


def _points(points: float) -> str:
    return f"{points:.1f}" if points < 9.95 else f"{points:.0f}"


def stake_sentence(header: Header) -> str:
    """Return a sentence about the room, the stake and the pot of a session, or ``""`` if no credits are staked."""
    stake = stake_of(header)
    return (
        f"Room {stake}: everybody stakes {stake} credits, and the pot is {stake * len(header.seats)}." if stake else ""
    )


def payout_sentences(header: Header, ranks: Sequence[int], names: Names) -> Iterator[str]:
    """Yield sentences about the winner of the pot, and about each player's gain and new balance.

    Nothing is yielded if no credits are staked. ``ranks`` are the final ranks by seat.
    """
    if stake := stake_of(header):
        pot = f"the pot of {stake * len(header.seats)} credits"
        yield f"{name_and_verb(names[ranks.index(1)], f'takes {pot}', f'take {pot}')}."
        for seat, nick in players_at(header).items():
            yield from _outcome(header, ranks, names, seat, nick)


def _outcome(header: Header, ranks: Sequence[int], names: Names, seat: Seat, nick: str) -> Iterator[str]:
    """Yield a sentence about the gain or loss of one player, and the new balance. A player without a stake has no
    sentence.
    """
    if (made := outcome(header, ranks, nick)) is None:
        return
    who = names[seat]
    won = name_and_verb(who, "wins", "win") if made.change > 0 else name_and_verb(who, "loses", "lose")
    has = "have" if who == YOU else "has"
    gift = f", a present of {made.gift} included" if made.gift else ""
    yield f"{won} {abs(made.change)} credits, and {has} {made.credits} now{gift}."
