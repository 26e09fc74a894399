"""What the turns of the other player of Rummy tell of her hand: what she dropped was what she could spare."""

from math import exp, log
from random import Random
from typing import Final

from cardtable.engine.cards import BIT, PACK_52, Cards, each, of
from cardtable.games.rummy.expert.planning import AROUND, loose, near
from cardtable.games.rummy.expert.playing import fitting, match
from cardtable.games.rummy.policy import FITTING, MATCH, NEARLY, SOON, SURE, hurry
from cardtable.games.rummy.rules.combinations import MASK, WORTH
from cardtable.games.rummy.rules.turns import Table, ends
from cardtable.games.rummy.rules.view import Past, RummyView

TURNS: Final = 5
"""So many turns are looked back."""
CHANCE: Final = 3.0
"""How much chance there is in what is dropped, in points."""
ODD: Final = 3.0
"""The least likely that anything is, as a logarithm below 0."""
AMONG: Final = 0.6
"""How much it counts that a card was chosen among many: hands are sifted as if this were known of them already."""


def drops(view: RummyView) -> list["Told"]:
    """The last turns of the other player, the latest first; none of who hurries, whose drops tell something else."""
    if hurry(view) > SURE:
        return []
    over = view.past
    found = [number for number, past in enumerate(over) if past.seat != view.seat]
    return [Told(over[number], over[number - 1] if number else None) for number in found[: -TURNS - 1 : -1]]


class Told:
    """A turn that is over: how likely its drop is with a hand, and from which hand it may have begun."""

    __slots__ = (
        "_barred",
        "_end",
        "_fits",
        "_free",
        "_known",
        "_laid",
        "_near",
        "_pile",
        "_risk",
        "_shown",
        "_taken",
        "_unknown",
        "drop",
    )

    def __init__(self, past: Past, earlier: Past | None) -> None:
        self.drop = BIT[past.drop]
        self._taken = past.taken
        self._barred = 0 if past.taken & (past.taken - 1) else past.taken
        self._end = ends(past.table)
        self._fits = fitting(self._end)
        self._known = earlier.shown[past.seat] if earlier else 0
        table = _on(past.table)
        self._laid = table & ~_on(earlier.table) if earlier else table
        self._shown = past.shown[1 - past.seat]
        self._pile = of(past.pile)
        self._free = PACK_52 & ~(table | self._shown)
        self._unknown = past.others - self._shown.bit_count()
        self._risk = min(1.0, SOON / min(past.stock / 2 + 1, past.others + 0.5))
        self._near = (1 - self._risk) * NEARLY

    def before(self, hand: Cards, rng: Random) -> Cards:
        """A hand with which the turn may have begun, if the drop was made from this one."""
        hand |= self._laid
        if self._taken:
            return hand & ~self._taken
        drawn = each(hand & ~self._known)
        return hand & ~BIT[drawn[int(rng.random() * len(drawn))]] if drawn else hand

    def likely(self, hand: Cards) -> float:
        """How likely just this card is dropped from a hand, as a logarithm, larger where it was one of many."""
        rest = loose(hand, self._end)
        choice = rest & ~self._barred or hand
        if not self.drop & choice:
            return -ODD
        free = self._free & ~hand
        hidden = free & ~self._pile
        share = self._unknown / max(1, hidden.bit_count())
        own, losses = 0.0, []
        for c in each(choice):
            around = AROUND[c]
            loss = self._near * near(c, rest & around, free & around) - self._risk * WORTH[c]
            if BIT[c] & self._fits:
                loss += FITTING * WORTH[c]
            else:
                sure, one, two = match(c, hidden & around, self._shown & around)
                loss += MATCH * (sure + share * (one + share * two))
            losses.append(loss)
            if BIT[c] == self.drop:
                own = loss
        likely = AMONG * log(len(losses)) - log(sum([exp((own - loss) / CHANCE) for loss in losses]))
        return max(-ODD, likely)


def _on(table: Table) -> Cards:
    """The cards on the table."""
    return sum([MASK[combination] for combination in table])
