"""Ten Down on paper: an independent implementation of its rules page.

It reads hands, tricks, legal bids, points and the end from the journal's texts alone and never asks the engine.
"""

CARDS = {"training": 10, 5: 5, 50: 7, 500: 8, 1000: 10}
RANKS = "789TJQKA"


class Session:
    """State of a whole session."""

    def __init__(self, seats, options):
        self.seats, self.options = range(seats), options
        self.totals, self.tricks = [0] * seats, [0] * seats
        self.number, self.turn, self.won = 0, None, [0] * seats

    @property
    def over(self):
        return self.number == CARDS[self.options["room"]] and self.turn is None

    def chance(self, text):
        kind, _, rest = text.partition(" ")
        if kind == "trump":
            self.trump, self.turn = rest, (self.number - 1) % len(self.seats)
            return
        pack = rest.split(" ")
        assert sorted(pack) == sorted(2 * [rank + suit for rank in RANKS for suit in "CDHS"])
        self.cards = CARDS[self.options["room"]] - self.number
        self.number += 1
        self.hands = [pack[self.cards * seat : self.cards * (seat + 1)] for seat in self.seats]
        self.bids, self.won, self.trick = {}, [0 for _ in self.seats], []

    def legal(self):
        if self.turn is None:
            return []
        if len(self.bids) < len(self.seats):
            bids = set(range(self.cards + 1))
            if self.options["hook"] == "on" and len(self.bids) == len(self.seats) - 1:
                bids.discard(self.cards - sum(self.bids.values()))
            return sorted(f"bid {bid}" for bid in bids)
        hand = set(self.hands[self.turn])
        led = {card for card in hand if self.trick and card[1] == self.trick[0][1][1]}
        return sorted(f"play {card}" for card in led or hand)

    def act(self, seat, action):
        word, argument = action.split(" ")
        if word == "bid":
            self.bids[seat] = int(argument)
            self.turn = (seat + 1) % len(self.seats)
        else:
            self.play(seat, argument)
        if len(self.bids) == len(self.seats) and not self.trick and all(len(hand) == 1 for hand in self.hands):
            for _ in self.seats:
                self.play(self.turn, self.hands[self.turn][0])
        if not any(self.hands):
            self.score()

    def play(self, seat, card):
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self.turn = (seat + 1) % len(self.seats)
        if len(self.trick) == len(self.seats):
            self.turn = self.find_taker()
            self.won[self.turn] += 1
            self.trick = []

    def find_taker(self):
        trick = self.trick if self.options["identical"] == "first" else self.trick[::-1]
        led = self.trick[0][1][1]
        for suit in (self.trump, led):
            for rank in reversed(RANKS):
                for seat, card in trick:
                    if card == rank + suit:
                        return seat
        raise AssertionError("nobody takes the trick")

    def score(self):
        for seat in self.seats:
            self.totals[seat] += self.won[seat] + (10 if self.won[seat] == self.bids[seat] else 0)
            self.tricks[seat] += self.won[seat]
        self.turn = None

    def end(self):
        """Return the multiplied totals and the places."""
        order = sorted(self.seats, key=lambda seat: (self.totals[seat], self.tricks[seat], -seat))
        times = {seat: place for place, seat in enumerate(order, start=1)}
        return [self.totals[s] * times[s] for s in self.seats], [len(order) + 1 - times[s] for s in self.seats]
