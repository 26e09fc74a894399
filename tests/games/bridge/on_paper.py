"""Bridge as somebody would follow it on paper: a second reading of its rules page.

Nothing here asks the engine.  A session is a generator: it yields the seat to act (``None`` for
chance) with what that seat may say, and is sent the text of what happened.
"""

from contextlib import suppress

WORTH = {"T": 10, "Q": 10, "K": 10, "A": 15, "J": 20}


class Stuck(Exception):
    """A seat must draw, and there is no card."""


class Called(Exception):
    """A seat ended the round: by ``bridge``, or with its last card."""


class Session:
    """The table as it lies, changed by ``play``."""

    def __init__(self, seats, options):
        self.seats, self.options = range(seats), options
        self.number, self.starter, self.totals = 0, 0, [0] * seats

    def play(self):
        while max(self.totals) <= 125:
            yield from self.round()

    def round(self):
        pack = (yield None, [])[len("deal ") :].split()
        self.number += 1
        self.hands = [pack[5 * seat : 5 * seat + 5] for seat in self.seats]
        self.blind, self.stack = pack[5 * len(self.seats) :], []
        self.named, self.run, self.multiplier = None, 0, 1
        seat, self.played, finisher, jacks = self.starter, [], None, ""
        first = (yield None, [])[len("first-card ") :] if self.options["opening"] == "random" else None
        try:
            while True:
                seat = yield from self.turn(seat, first)
                first = None
        except Called as called:
            finisher = last = called.args[0]
            jacks = yield from self.last_move(finisher)
        except Stuck as stuck:
            last = stuck.args[0]
        self.score(finisher, jacks)
        order = [(last + 1 + step) % len(self.seats) for step in self.seats]
        self.starter = max(order, key=lambda seat: self.totals[seat])

    def turn(self, seat, first):
        """Returns who is to move next."""
        self.played, after = [], (seat + 1) % len(self.seats)
        if first is None:
            suitable = [card for card in self.hands[seat] if self.suits(card)]
            if not suitable:
                yield seat, ["draw"]
                drawn = yield from self.draw(seat)
                if not self.suits(drawn):
                    return after
                suitable = [drawn]
                said = yield seat, [f"play {drawn}", *(["done"] if self.options["drawn_card"] == "may" else [])]
            else:
                said = yield seat, [f"play {card}" for card in suitable]
            if said == "done":
                return after
            first = said[len("play ") :]
        self.put(seat, first)
        said = yield from self.go_on(seat)
        rank, count = self.group()
        if rank == "J":
            self.named = said[len("suit ") :]
        if rank == "7":
            yield from self.deal_out([after] * count)
        if rank == "8":
            share = said == "eights share" or (self.options["eights"] == "share" and len(self.seats) > 2)
            hit = self.following(seat, count) if share else [after] * count
            yield from self.deal_out([other for other in hit for _ in range(2)])
            return (hit[-1] + 1) % len(self.seats)
        if rank == "A":
            return (self.following(seat, count)[-1] + 1) % len(self.seats)
        return after

    def go_on(self, seat):
        """More of the rank, covers, bridge; returns the word that ends the turn."""
        hand = self.hands[seat]
        while True:
            top, four = self.stack[-1], self.run == 4
            if top[0] == "6":
                may = [f"play {card}" for card in hand if card[1] == top[1] or card[0] in "6J"] or ["draw"]
            elif not hand:
                raise Called(seat)
            else:
                may = [f"play {card}" for card in hand if card[0] == top[0]] + self.endings()
            said = yield seat, may + ["bridge"] * four
            if said == "bridge":
                raise Called(seat)
            if four:
                self.run = 0
            if said == "draw":
                yield from self.draw(seat)
            elif said.startswith("play "):
                self.put(seat, said[len("play ") :])
            else:
                return said

    def endings(self):
        rank, count = self.group()
        if rank == "J":
            return [f"suit {suit}" for suit in "CDHS"]
        if rank == "8" and count >= 2 and len(self.seats) > 2 and self.options["eights"] == "choose":
            return ["eights next", "eights share"]
        return ["done"]

    def last_move(self, finisher):
        """What the finisher still says and the others still draw; returns what jacks do."""
        rank, count = self.group()
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
                drawing = [other for other in self.following(finisher, count) for _ in range(2)]
        with suppress(Stuck):
            yield from self.deal_out(drawing)
        return ""

    def suits(self, card):
        if not self.stack or card[0] == "J":
            return True
        rank, suit = self.stack[-1]
        return card[1] == self.named if rank == "J" else card[0] == rank or card[1] == suit

    def put(self, seat, card):
        self.hands[seat].remove(card)
        same = self.stack and self.stack[-1][0] == card[0]
        self.run = self.run + 1 if same else 1
        self.stack.append(card)
        self.played.append(card)

    def group(self):
        """The rank played last in this turn, and how many of it."""
        rank, count = self.played[-1][0], 0
        while count < len(self.played) and self.played[-1 - count][0] == rank:
            count += 1
        return rank, count

    def following(self, seat, count):
        """The next seats, round the table as often as needed, the seat itself stepped past."""
        others = [(seat + step) % len(self.seats) for step in self.seats][1:]
        return [others[step % len(others)] for step in range(count)]

    def deal_out(self, seats):
        for seat in seats:
            yield from self.draw(seat)

    def draw(self, seat):
        if not self.blind:
            if len(self.stack) == 1:
                raise Stuck(seat)
            self.blind = (yield None, [])[len("shuffle ") :].split()
            assert sorted(self.blind) == sorted(self.stack[:-1])
            del self.stack[:-1]
            self.multiplier += 1
        card = self.blind.pop(0)
        self.hands[seat].append(card)
        return card

    def score(self, finisher, jacks):
        points = [sum(WORTH.get(card[0], 0) for card in hand) for hand in self.hands]
        worth = 20 * self.group()[1] if jacks else 0
        for seat in self.seats:
            if jacks == "minus" and seat == finisher:
                points[seat] -= worth
            if jacks == "plus" and seat != finisher:
                points[seat] += worth
        totals = [total + self.multiplier * more for total, more in zip(self.totals, points, strict=True)]
        self.totals = [0 if total == 125 else total for total in totals]
