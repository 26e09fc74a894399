"""Bridge on paper: an independent implementation of its rules page.

It never asks the engine. A session is a generator: it yields the seat on turn (`None` for chance) with the seat's legal
texts, and is sent the text of each event.
"""

from contextlib import suppress

WORTH = {"T": 10, "Q": 10, "K": 10, "A": 15, "J": 20}


class NoCardLeft(Exception):
    """Raised when a seat must draw and no card is left."""


class RoundEnded(Exception):
    """Raised when a seat ends the round, by `bridge` or with its last card."""


class Session:
    """State of the table, advanced by `play`."""

    def __init__(self, seats, options):
        self.seats, self.options = range(seats), options
        self.number, self.starter, self.totals = 0, 0, [0] * seats

    def play(self):
        while max(self.totals) <= 125:
            yield from self.play_round()

    def play_round(self):
        pack = (yield None, [])[len("deal ") :].split()
        self.number += 1
        self.hands = [pack[5 * seat : 5 * seat + 5] for seat in self.seats]
        self.blind, self.stack = pack[5 * len(self.seats) :], []
        self.named, self.run, self.multiplier = None, 0, 1
        seat, self.played, finisher, jacks = self.starter, [], None, ""
        first = (yield None, [])[len("first-card ") :] if self.options["opening"] == "random" else None
        try:
            while True:
                seat = yield from self.play_turn(seat, first)
                first = None
        except RoundEnded as called:
            finisher = last = called.args[0]
            jacks = yield from self.finish_round(finisher)
        except NoCardLeft as stuck:
            last = stuck.args[0]
        self.score(finisher, jacks)
        order = [(last + 1 + step) % len(self.seats) for step in self.seats]
        self.starter = max(order, key=lambda seat: self.totals[seat])

    def play_turn(self, seat, first):
        """Play a turn; return the next seat to move."""
        self.played, after = [], (seat + 1) % len(self.seats)
        if first is None:
            suitable = [card for card in self.hands[seat] if self.fits(card)]
            if not suitable:
                yield seat, ["draw"]
                drawn = yield from self.draw(seat)
                if not self.fits(drawn):
                    return after
                suitable = [drawn]
                action = yield seat, [f"play {drawn}", *(["done"] if self.options["drawn_card"] == "may" else [])]
            else:
                action = yield seat, [f"play {card}" for card in suitable]
            if action == "done":
                return after
            first = action[len("play ") :]
        self.play_card(seat, first)
        action = yield from self.continue_turn(seat)
        rank, count = self.count_last_rank()
        if rank == "J":
            self.named = action[len("suit ") :]
        if rank == "7":
            yield from self.draw_each([after] * count)
        if rank == "8":
            share = action == "eights share" or (self.options["eights"] == "share" and len(self.seats) > 2)
            hit = self.list_following_seats(seat, count) if share else [after] * count
            yield from self.draw_each([other for other in hit for _ in range(2)])
            return (hit[-1] + 1) % len(self.seats)
        if rank == "A":
            return (self.list_following_seats(seat, count)[-1] + 1) % len(self.seats)
        return after

    def continue_turn(self, seat):
        """Let the seat play more of the rank, cover 6s or call bridge; return the text that ends the turn."""
        hand = self.hands[seat]
        while True:
            top, four = self.stack[-1], self.run == 4
            if top[0] == "6":
                may = [f"play {card}" for card in hand if card[1] == top[1] or card[0] in "6J"] or ["draw"]
            elif not hand:
                raise RoundEnded(seat)
            else:
                may = [f"play {card}" for card in hand if card[0] == top[0]] + self.list_turn_endings()
            action = yield seat, may + ["bridge"] * four
            if action == "bridge":
                raise RoundEnded(seat)
            if four:
                self.run = 0
            if action == "draw":
                yield from self.draw(seat)
            elif action.startswith("play "):
                self.play_card(seat, action[len("play ") :])
            else:
                return action

    def list_turn_endings(self):
        rank, count = self.count_last_rank()
        if rank == "J":
            return [f"suit {suit}" for suit in "CDHS"]
        if rank == "8" and count >= 2 and len(self.seats) > 2 and self.options["eights"] == "choose":
            return ["eights next", "eights share"]
        return ["done"]

    def finish_round(self, finisher):
        """Play the finisher's last choice and the remaining draws; return the choice for jacks."""
        rank, count = self.count_last_rank()
        if rank == "J":
            jacks = self.options["jacks"]
            if jacks == "choose":
                jacks = (yield finisher, ["jacks minus", "jacks plus"])[len("jacks ") :]
            return jacks
        after = (finisher + 1) % len(self.seats)
        drawing = [after] * count if rank == "7" else [after] * 2 * count if rank == "8" else []
        if rank == "8" and count >= 2 and len(self.seats) > 2:
            share = self.options["eights"]
            if share == "choose":
                share = (yield finisher, ["eights next", "eights share"])[len("eights ") :]
            if share == "share":
                drawing = [other for other in self.list_following_seats(finisher, count) for _ in range(2)]
        with suppress(NoCardLeft):
            yield from self.draw_each(drawing)
        return ""

    def fits(self, card):
        if not self.stack or card[0] == "J":
            return True
        rank, suit = self.stack[-1]
        return card[1] == self.named if rank == "J" else card[0] == rank or card[1] == suit

    def play_card(self, seat, card):
        self.hands[seat].remove(card)
        same = self.stack and self.stack[-1][0] == card[0]
        self.run = self.run + 1 if same else 1
        self.stack.append(card)
        self.played.append(card)

    def count_last_rank(self):
        """Return the rank played last in this turn and the number of its cards."""
        rank, count = self.played[-1][0], 0
        while count < len(self.played) and self.played[-1 - count][0] == rank:
            count += 1
        return rank, count

    def list_following_seats(self, seat, count):
        """Return the next `count` seats, round the table as often as needed, without the seat itself."""
        others = [(seat + step) % len(self.seats) for step in self.seats][1:]
        return [others[step % len(others)] for step in range(count)]

    def draw_each(self, seats):
        for seat in seats:
            yield from self.draw(seat)

    def draw(self, seat):
        if not self.blind:
            if len(self.stack) == 1:
                raise NoCardLeft(seat)
            self.blind = (yield None, [])[len("shuffle ") :].split()
            assert sorted(self.blind) == sorted(self.stack[:-1])
            del self.stack[:-1]
            self.multiplier += 1
        card = self.blind.pop(0)
        self.hands[seat].append(card)
        return card

    def score(self, finisher, jacks):
        points = [sum(WORTH.get(card[0], 0) for card in hand) for hand in self.hands]
        worth = 20 * self.count_last_rank()[1] if jacks else 0
        for seat in self.seats:
            if jacks == "minus" and seat == finisher:
                points[seat] -= worth
            if jacks == "plus" and seat != finisher:
                points[seat] += worth
        totals = [total + self.multiplier * more for total, more in zip(self.totals, points, strict=True)]
        self.totals = [0 if total == 125 else total for total in totals]
