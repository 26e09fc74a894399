"""Gurka as somebody would follow it on paper: a second reading of its rules page.

Nothing here asks the engine: hands, tricks, legal cards and points come from the texts of the
journal alone.
"""

RANKS = "23456789TJQKA"
WORTH = {**{rank: int(rank) for rank in "23456789"}, "T": 10, "J": 11, "Q": 12, "K": 13, "A": 14}
TRICKS = 7


def height(card):
    return RANKS.index(card[0])


def lowest(hand):
    """The cards of a hand that nothing in it lies below."""
    return {card for card in hand if all(height(card) <= height(other) for other in hand)}


def over(totals, limit):
    return any(total > limit for total in totals)


class Round:
    """One round, from its number and the pack as dealt."""

    def __init__(self, number, pack, seats, options):
        self.seats, self.options = seats, options
        self.hands = [set(pack[TRICKS * seat : TRICKS * (seat + 1)]) for seat in range(seats)]
        self.turn = (number - 1) % seats
        self.trick, self.won, self.last = [], [0] * seats, []

    @property
    def over(self):
        return not any(self.hands)

    def legal(self):
        return sorted(f"play {card}" for card in self.allowed()) if not self.over else []

    def allowed(self):
        hand = self.hands[self.turn]
        if not self.trick:
            return hand
        if self.an_ace_binds():
            return lowest(hand)
        highest = max(height(card) for _, card in self.trick)
        heads = {card for card in hand if height(card) >= highest}
        if heads and self.options["must_head"] == "on":
            return heads
        return heads | lowest(hand)

    def an_ace_binds(self):
        aces = [place for place, (_, card) in enumerate(self.trick) if card[0] == "A"]
        return {"any": bool(aces), "led-only": 0 in aces, "off": False}[self.options["ace_rule"]]

    def act(self, seat, action):
        self.play(seat, action.removeprefix("play "))
        if not self.trick and all(len(hand) == 1 for hand in self.hands):
            for _ in range(self.seats):
                self.play(self.turn, *self.hands[self.turn])

    def play(self, seat, card):
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self.turn = (seat + 1) % self.seats
        if len(self.trick) == self.seats:
            highest = max(height(c) for _, c in self.trick)
            self.turn = [s for s, c in self.trick if height(c) == highest][-1]
            self.won[self.turn] += 1
            self.last, self.trick = self.trick, []

    def points(self):
        highest = max(height(card) for _, card in self.last)
        points = [0] * self.seats
        for seat, card in self.last:
            if height(card) == highest:
                points[seat] = WORTH[card[0]]
        return points
