"""Cards lying at their places: hands as a seat sees them, and each card in one place."""

from collections.abc import Iterable, Sequence

from cardtable.engine.cards import Cards, each
from cardtable.engine.contract import Seat, Zone


def hands_seen(seat: Seat, hand: Cards, sizes: Sequence[int]) -> tuple[Zone, ...]:
    """The hands as ``seat`` sees them: its own face up, of the others how many cards."""
    shown = [Zone("hand", s, (None,) * size) for s, size in enumerate(sizes)]
    shown[seat] = Zone("hand", seat, tuple(each(hand)))
    return tuple(shown)


def all_of(piles: Iterable[Cards]) -> Cards:
    """The cards of all piles together.  Asserts that none is in two of them."""
    together = 0
    for pile in piles:
        assert not together & pile, "a card is in two places"
        together |= pile
    return together
