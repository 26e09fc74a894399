"""Rikiki on paper: an independent implementation of its rules page.

It reads hands, tricks, legal bids and points from the journal's texts alone and never asks the engine.
"""

CARDS = {
    "full": [*range(1, 13), 13, 13, 13, 13, *range(12, 0, -1)],
    "short": [*range(1, 7), 13, 13, 13, 13, *range(6, 0, -1)],
}
RANKS = "23456789TJQKA"


class Round:
    """A round, from its number and the pack as dealt."""

    def __init__(self, number, pack, length):
        self.cards = CARDS[length][number - 1]
        self.hands = [set(pack[self.cards * seat : self.cards * (seat + 1)]) for seat in range(4)]
        self.trump = pack[4 * self.cards][1] if self.cards < 13 else None
        self.turn = (number - 1) % 4
        self.bids, self.won, self.trick = {}, [0] * 4, []

    @property
    def over(self):
        return len(self.bids) == 4 and not any(self.hands)

    def legal(self, hook):
        if self.over:
            return []
        if len(self.bids) < 4:
            bids = set(range(self.cards + 1))
            if len(self.bids) == 3 and (hook == "always" or (hook == "over-four" and self.cards > 4)):
                bids.discard(self.cards - sum(self.bids.values()))
            return sorted(f"bid {bid}" for bid in bids)
        hand = self.hands[self.turn]
        led = {card for card in hand if self.trick and card[1] == self.trick[0][1][1]}
        return sorted(f"play {card}" for card in led or hand)

    def act(self, seat, action):
        word, argument = action.split(" ")
        if word == "bid":
            self.bids[seat] = int(argument)
            self.turn = (seat + 1) % 4
        else:
            self.play(seat, argument)
        last = len(self.bids) == 4 and not self.trick and all(len(hand) == 1 for hand in self.hands)
        if last:
            for _ in range(4):
                self.play(self.turn, *self.hands[self.turn])

    def play(self, seat, card):
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self.turn = (seat + 1) % 4
        if len(self.trick) == 4:
            led = self.trick[0][1][1]
            trumps = [(RANKS.index(c[0]), s) for s, c in self.trick if c[1] == self.trump]
            suit = [(RANKS.index(c[0]), s) for s, c in self.trick if c[1] == led]
            self.turn = max(trumps or suit)[1]
            self.won[self.turn] += 1
            self.trick = []

    def points(self):
        pairs = [(self.bids[seat], self.won[seat]) for seat in range(4)]
        return [10 + 2 * won if bid == won else -2 * abs(bid - won) for bid, won in pairs]
