"""Checks of what the functions of a game of another package return: seats, cards and numbers that a table can have."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from cardtable.engine.cards import NAME, RANKS, SUITS
from cardtable.engine.errors import GameFault
from cardtable.engine.game import (
    MAX_MARK_NUMBER,
    BiddingState,
    Bonus,
    CardsTitle,
    Contract,
    EndingTitle,
    HighTitle,
    Mark,
    Note,
    Score,
    Sides,
    TrickStatus,
    Zone,
)
from cardtable.engine.log_entries import AnyNote

MAX_NUMBER: Final = 10**9
"""Maximum absolute value of a number of a game."""


class WrongReturnValue(GameFault):
    """A function of a game has returned a value of a wrong type, or one that no table can have."""


def _is_number(value: object, low: int = -MAX_NUMBER, high: int = MAX_NUMBER) -> bool:
    return type(value) is int and low <= value <= high


def _is_seat(value: object, seats: int) -> bool:
    return _is_number(value, 0, seats - 1)


def is_card(value: object) -> bool:
    """Return True if ``value`` is a card of one of the two packs."""
    return isinstance(value, int) and 0 <= value < len(NAME)


def _is_suit(value: object) -> bool:
    return value is None or _is_number(value, 0, len(SUITS) - 1)


def _are_numbers(values: object, length: int) -> bool:
    return isinstance(values, tuple) and len(values) == length and all(map(_is_number, values))


def _is_tuple(value: object, length: int | None = None) -> bool:
    return isinstance(value, tuple) and length in (None, len(value))


def _require(condition: object, text: str) -> None:
    if not condition:
        raise WrongReturnValue(text)


def name_type(value: object) -> str:
    """Return the name of a value's type for a message; "nothing" for ``None``."""
    return "nothing" if value is None else type(value).__name__


def _check_zones(zones: Sequence[Zone], seats: int) -> None:
    for name, seat, cards, label, summary in map(msgspec.structs.astuple, zones):
        _require(isinstance(name, str) and isinstance(cards, tuple), "scene gives a zone with a wrong name or cards")
        _require(seat is None or _is_seat(seat, seats), "scene gives a zone of a seat that is not at the table")
        _require(type(label) is type(summary) is str, "scene gives a zone with a wrong label or summary")
        for card in cards:
            _require(card is None or is_card(card), f"scene gives {name_type(card)} in place of a card")


def _check_marks(marks: Sequence[Mark], seats: int) -> None:
    """Check marks. Long texts are valid, since they are cut where they are shown."""
    for mark in marks:
        numbers = [number for number in (mark.value, mark.of) if not isinstance(number, str | None)]
        _require(
            type(mark.name) is str and type(mark.value) in (int, str), "marks gives a mark with a wrong name or value"
        )
        _require(
            mark.seat is None or _is_seat(mark.seat, seats), "marks gives a mark of a seat that is not at the table"
        )
        _require(
            mark.of is None or (type(mark.of) is type(mark.value) is int and mark.of > 0),
            "marks gives a track without a number above 0",
        )
        _require(not any(abs(number) > MAX_MARK_NUMBER for number in numbers), "marks gives a number that is too large")


def _check_trick(trick: TrickStatus, seats: int) -> None:
    for cards in (trick.lying, trick.last):
        _require(
            _is_tuple(cards)
            and all(_is_tuple(pair, 2) for pair in cards)
            and all(_is_seat(seat, seats) and is_card(card) for seat, card in cards),
            "trick gives cards that are not of a seat at the table",
        )
    _require(
        _is_seat(trick.leader, seats) and (trick.winning is None or _is_seat(trick.winning, seats)),
        "trick gives a seat that is not at the table",
    )
    _require(_is_number(trick.number, 0) and trick.step in (1, -1), "trick gives a wrong number or step")


def _check_bids(bids: BiddingState, seats: int) -> None:
    _require(
        _is_tuple(bids.made, seats)
        and all(bid is None or _is_number(bid, 0) for bid in bids.made)
        and _are_numbers(bids.won, seats),
        "bids gives bids or tricks that are not by seat",
    )
    _require(_is_number(bids.cards, 0) and _is_suit(bids.trump), "bids gives a wrong number of cards or trump suit")


def _check_contract(contract: Contract, _seats: int) -> None:
    _require(
        type(contract.name) is type(contract.short) is str and _is_suit(contract.trump),
        "contract gives a contract with a wrong name or suit",
    )


def _check_role(role: tuple[object, ...], seats: int) -> None:
    _require(
        len(role) == 2 and role[0] in ("dealer", "declarer") and _is_seat(role[1], seats),
        "dealer_or_declarer gives no role and seat",
    )


def _check_mandatory_card(card: int, _seats: int) -> None:
    _require(is_card(card), "mandatory_card gives no card")


def _check_timed_out(seat: int, seats: int) -> None:
    _require(_is_seat(seat, seats), "timed_out gives a seat that is not at the table")


def _check_notes(notes: Sequence[Note], seats: int) -> None:
    for note in notes:
        try:
            msgspec.convert(msgspec.to_builtins(note), AnyNote)
        except (TypeError, ValueError) as error:
            raise WrongReturnValue(f"narrate gives a log entry that is not valid: {error}") from None
        _require(note.seat is None or _is_seat(note.seat, seats), "narrate gives a seat that is not at the table")


def check_sides(sides: Sides, seats: int) -> Sides:
    """Return partnerships that contain each seat once. Raises ``WrongReturnValue`` for any other value."""
    _require(all(map(_is_tuple, sides)), "sides gives a side that is not a tuple")
    members = [seat for side in sides for seat in side]
    _require(
        all(_is_seat(seat, seats) for seat in members) and sorted(members) == [*range(seats)],
        "sides does not give each seat once",
    )
    return sides


def check_score(score: Score, seats: int, columns: int) -> None:
    """Check a score for ``seats`` seats and a sheet with ``columns`` columns. Raises ``WrongReturnValue``."""
    _require(_is_title(score.title), "the score has a wrong title")
    _require(
        _are_numbers(score.points, seats) and _are_numbers(score.totals, seats), "the score has wrong points or totals"
    )
    _require(
        _is_tuple(score.figures, seats) and all(_are_numbers(figures, columns) for figures in score.figures),
        "the score's figures are not those of columns",
    )
    _require(
        _is_tuple(score.bonuses, seats) and all(map(_are_bonuses, score.bonuses)),
        "the score's bonuses are not by seat",
    )
    _require(_is_number(score.weight), "the score has a wrong weight")


def _are_bonuses(bonuses: object) -> bool:
    return isinstance(bonuses, tuple) and all(
        isinstance(bonus, Bonus) and type(bonus.name) is str and _is_number(bonus.points) for bonus in bonuses
    )


def _is_title(title: object) -> bool:
    match title:
        case CardsTitle(cards=cards, trump=trump):
            return _is_number(cards, 0) and _is_suit(trump)
        case Contract(name=name, trump=trump, short=short):
            return type(name) is type(short) is str and _is_suit(trump)
        case EndingTitle(how=how, times=times):
            return type(how) is str and _is_number(times)
        case HighTitle(rank=rank, suit=suit):
            return _is_number(rank, 0, len(RANKS) - 1) and _is_suit(suit)
    return False


CHECKS: Final[dict[str, Callable[..., None]]] = {
    "scene": _check_zones,
    "narrate": _check_notes,
    "marks": _check_marks,
    "trick": _check_trick,
    "bids": _check_bids,
    "contract": _check_contract,
    "dealer_or_declarer": _check_role,
    "mandatory_card": _check_mandatory_card,
    "timed_out": _check_timed_out,
}
"""Check of the value of each function of a view, given also the number of seats; ``None`` is not checked."""
