"""Gurka on paper: an independent implementation of its rules page.

It reads hands, tricks, legal cards and points from the journal's texts alone and never asks the engine.
"""

RANKS = "23456789TJQKA"
WORTH = {**{rank: int(rank) for rank in "23456789"}, "T": 10, "J": 11, "Q": 12, "K": 13, "A": 14}
TRICKS = 7


def get_rank_index(card):
    return RANKS.index(card[0])


def find_lowest(hand):
    """Return the cards of the lowest rank in a hand."""
    return {card for card in hand if all(get_rank_index(card) <= get_rank_index(other) for other in hand)}


def is_session_over(totals, limit):
    return any(total > limit for total in totals)


class Round:
    """A round, from its number and the pack as dealt."""

    def __init__(self, number, pack, seats, options):
        self.seats, self.options = seats, options
        self.hands = [set(pack[TRICKS * seat : TRICKS * (seat + 1)]) for seat in range(seats)]
        self.turn = (number - 1) % seats
        self.trick, self.won, self.last = [], [0] * seats, []

    @property
    def over(self):
        return not any(self.hands)

    def legal(self):
        return sorted(f"play {card}" for card in self.list_allowed()) if not self.over else []

    def list_allowed(self):
        hand = self.hands[self.turn]
        if not self.trick:
            return hand
        if self.is_bound_by_ace():
            return find_lowest(hand)
        highest = max(get_rank_index(card) for _, card in self.trick)
        heads = {card for card in hand if get_rank_index(card) >= highest}
        if heads and self.options["must_head"] == "on":
            return heads
        return heads | find_lowest(hand)

    def is_bound_by_ace(self):
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
            highest = max(get_rank_index(c) for _, c in self.trick)
            self.turn = [s for s, c in self.trick if get_rank_index(c) == highest][-1]
            self.won[self.turn] += 1
            self.last, self.trick = self.trick, []

    def points(self):
        highest = max(get_rank_index(card) for _, card in self.last)
        points = [0] * self.seats
        for seat, card in self.last:
            if get_rank_index(card) == highest:
                points[seat] = WORTH[card[0]]
        return points
