"""Count the tricks that a hand takes whatever the other players hold and play, where all follow suit.

The counts are lower bounds.  A trump loses its trick only to a higher one in the same trick, so that at most as many
trumps are lost as can be paired with a higher one of the others.  A player on lead cashes the cards that nobody beats:
trumps first, then the other suits once no trump can be out.  An identical card of a double pack counts as a higher one,
unless it can only be played to a trick that the own card leads.
"""

from typing import NamedTuple, TypeAlias

from cardtable.engine.cards import RANK, SUIT, SUITS, Cards, each

Ranks: TypeAlias = list[int]
"""Ranks of the cards of one suit, the highest first; of two identical cards both."""


class Deck(NamedTuple):
    """Cards of one player and those that the other players may hold, by suit."""

    own: tuple[Ranks, ...]
    out: tuple[Ranks, ...]
    trump: int | None
    last_wins: bool
    """Whether of two identical cards the one played last takes a trick."""

    def without(self, suit: int, rank: int) -> "Deck":
        """Return the cards after the player has played one of their own."""
        ranks = self.own[suit].copy()
        ranks.remove(rank)
        return self._replace(own=(*self.own[:suit], ranks, *self.own[suit + 1 :]))

    def sure(self, *, leads: bool) -> int:
        """Return the tricks that the player cannot lose, on lead or not."""
        if leads:
            return self._cashed()
        return max(self.sure_trumps(), self._after_taking_any_lead())

    def sure_trumps(self) -> int:
        """Return the trumps that are left when the others pair each of theirs with one that it beats."""
        return 0 if self.trump is None else _unpaired(self.own[self.trump], self.out[self.trump])

    def _cashed(self) -> int:
        """Return the tricks of a player on lead who leads cards that nobody beats as long as there are any.

        Each lead draws one card of the suit at least, and the others keep their highest ones.
        """
        drawn = 0
        if self.trump is not None:
            own, out = self.own[self.trump], self.out[self.trump]
            masters = self._masters(own, out)
            if masters < len(out):
                return masters + _unpaired(own[masters:], out[: len(out) - masters])
            drawn = len(own)
        for suit, (own, out) in enumerate(zip(self.own, self.out, strict=True)):
            if suit != self.trump:
                masters = self._masters(own, out)
                drawn += len(own) if masters >= len(out) else masters
        return drawn

    def _masters(self, own: Ranks, out: Ranks) -> int:
        """Return how many cards of a suit nobody beats when they are led."""
        if not out:
            return len(own)
        least = out[0] + self.last_wins
        return sum([rank >= least for rank in own])

    def _after_taking_any_lead(self) -> int:
        """Return the tricks of a player who takes the next trick whatever suit is led to it; 0 if that is not sure."""
        least = None
        for suit, out in enumerate(self.out):
            if not out:
                continue
            played = suit if self.own[suit] or self.trump is None else self.trump
            highest = max([0, *[rank + 1 for rank in self.out[played]]])
            masters = [rank for rank in self.own[played] if rank >= highest]
            if not masters or (played != self.trump and self.trump is not None and self.out[self.trump]):
                return 0
            tricks = 1 + self.without(played, masters[-1])._cashed()
            least = tricks if least is None else min(least, tricks)
        return least or 0


def _unpaired(own: Ranks, out: Ranks) -> int:
    """Return how many of the own cards are left when as many as possible are paired with one as high or higher."""
    paired = 0
    for rank in own:
        paired += paired < len(out) and out[paired] >= rank
    return len(own) - paired


def deck(hand: Cards, out: Cards, trump: int | None, *, last_wins: bool = False) -> Deck:
    """Return the cards of a hand and those that the other players may hold by suit."""
    return Deck(_ranks(hand), _ranks(out), trump, last_wins)


def _ranks(cards: Cards) -> tuple[Ranks, ...]:
    """Return the ranks of cards, of one pack or two, by suit."""
    found: tuple[Ranks, ...] = tuple([[] for _ in SUITS])
    for card in each(cards):
        found[SUIT[card]].append(RANK[card])
    for ranks in found:
        ranks.sort(reverse=True)
    return found
