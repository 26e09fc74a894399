"""Sets of a double pack, where nobody can tell two identical cards apart.

A plain set holds of one card its first copy, and of two identical cards both.  Which of the two a
hand was dealt is so forgotten, as it would tell where the other one lies.
"""

from collections.abc import Iterable

from cardtable.engine.cards import COPY, PACK_52, Cards


def plain(cards: Cards) -> Cards:
    """The set in which a second copy without its first stands as the first."""
    alone = cards >> COPY & ~cards
    return cards ^ (alone | alone << COPY)


def together(piles: Iterable[Cards]) -> Cards:
    """The plain set of the cards in all plain ``piles``.  Asserts that no card is there three times."""
    held = 0
    for pile in piles:
        assert not (held >> COPY & pile | pile >> COPY & held), "a card is there three times"
        held |= pile | (held & pile & PACK_52) << COPY
    return held
