"""Games of exact bids with real cards: bids, tricks, and which suit was trump."""

from collections.abc import Mapping, Sequence
from typing import Final

from cardtable.engine.bidding import forbidden
from cardtable.engine.cards import SUIT_WORDS, SUITS
from cardtable.engine.contract import BID_AND_WON
from cardtable.engine.titles import CardsTitle
from cardtable.engine.words import counted
from cardtable.scoring.kit.asked import Asked, AskedChoice, AskedCount, AskedOption, Round
from cardtable.scoring.kit.sheet import O, Sheet, chosen, counts

NOT_SAID: Final = "-"
_SUITS: Final = [AskedOption(name, name, suit=suit, words=f"{SUIT_WORDS[suit]}s") for suit, name in enumerate(SUITS)]
_TRUMP: Final = AskedChoice("trump", "Trump", (AskedOption(NOT_SAID, "not kept"), *_SUITS), NOT_SAID)


class BiddingSheet(Sheet[O]):
    """What games of bids have in common."""

    columns = BID_AND_WON
    entered = "trump if you like, then bids and tricks"
    DOES: str
    """What a round begins with."""

    def cards(self) -> int:
        """Cards each in the next round."""
        raise NotImplementedError

    def hooked(self) -> bool:
        """Whether the last bidder may not make the bids sum to the number of cards."""
        raise NotImplementedError

    def trumps(self) -> bool:
        """Whether the next round has a trump suit."""
        return True

    def asked(self, _chosen: Mapping[str, str]) -> Asked:
        cards = self.cards()
        choices = (_TRUMP,) if self.trumps() else ()
        bids = AskedCount("bids", "Bids", "bids", cards, self.everybody)
        won = AskedCount("tricks", "Tricks", "tricks", cards, self.everybody, cards)
        return Asked(self.who, f"{self.DOES}, {counted(cards, 'card')} each", choices, (bids, won))

    def warning(self, entered: Mapping[str, Sequence[int | None]]) -> str:
        bids = entered.get("bids", ())
        known = [bid for bid in bids if bid is not None]
        if not self.hooked() or len(known) < self.seats or sum(known) != self.cards():
            return ""
        last = (self.who - 1) % self.seats
        return f"the last bid, {forbidden(self.cards(), [*known[:last], *known[last + 1 :]])}"

    def _title(self, entered: Round) -> CardsTitle:
        trump = chosen(entered, "trump") if self.trumps() else NOT_SAID
        suit = None if trump == NOT_SAID else SUITS.index(trump)
        return CardsTitle(self.cards(), suit, no_trump=not self.trumps())

    def _figures(self, entered: Round) -> tuple[tuple[int, int], ...]:
        return tuple(zip(counts(entered, "bids"), counts(entered, "tricks"), strict=True))
