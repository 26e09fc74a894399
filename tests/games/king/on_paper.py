"""King on paper: an independent implementation of its rules page.

It never asks the engine. A session is a generator: it yields the seat on turn (`None` for chance) with the seat's legal
texts, and is sent the text of each event.
"""

from contextlib import suppress

NEGATIVE = ["no-tricks", "no-hearts", "no-queens", "no-jacks", "no-last-two", "no-king"]
POSITIVE = ["clubs", "diamonds", "hearts", "spades", "no-trump", "miser"]
HEARTS_WAIT = ["no-hearts", "no-king", "neg-jar", "poz-jar"]
KING_FALLS = ["no-king", "neg-jar"]
UPWARDS = "6789TJQKA"
SEATS = range(4)


class RoundSettled(Exception):
    """Raised when a round ends before its ninth trick."""


class Session:
    """A session and its score sheet, advanced by `play`."""

    def __init__(self, options):
        self.options, self.is_short = options, options.get("length") == "short"
        self.number, self.totals, self.tricks = 0, [0] * 4, [0] * 4
        self.had = [[] for _ in SEATS]

    def play(self):
        for number in range(20 if self.is_short else 40):
            self.dealer = number % 4
            yield from self.play_round((yield None, [])[len("deal ") :].split())

    def play_round(self, pack):
        self.number += 1
        self.hands = [pack[9 * seat : 9 * seat + 9] for seat in SEATS]
        self.tricks, self.points, self.trick, self.complete = [0] * 4, [0] * 4, [], 0
        contract, action = None, (yield self.dealer, [f"contract {one}" for one in self.list_contracts()])
        while action.startswith("contract "):
            contract = action[len("contract ") :]
            others = [f"contract {one}" for one in self.list_contracts() if one != contract]
            action = yield self.dealer, others + [f"play {card}" for card in self.list_first_leads(contract)]
        self.had[self.dealer].append(contract)
        with suppress(RoundSettled):
            yield from self.play_tricks(contract, action[len("play ") :])
        weight = 1 if contract.endswith("jar") else 4
        self.totals = [total + weight * more for total, more in zip(self.totals, self.points, strict=True)]

    def list_contracts(self):
        """Return the contracts left to the dealer."""
        had = self.had[self.dealer]
        once = [one for one in [*NEGATIVE, "neg-jar", "poz-jar"] if one not in had]
        if self.is_short:
            negative, jar = sum(one in NEGATIVE for one in had), sum("jar" in one for one in had)
            once = [one for one in once if (negative < 3 if one in NEGATIVE else jar < 1)]
        return once + (POSITIVE if sum(one in POSITIVE for one in had) < (1 if self.is_short else 2) else [])

    def play_tricks(self, contract, card):
        seat = self.dealer
        for number in range(1, 10):
            for _ in SEATS:
                if card is None:
                    card = self.hands[seat][0] if number == 9 else (yield from self.choose_card(seat, contract))
                self.hands[seat].remove(card)
                self.trick.append((seat, card))
                seat, card = (seat + 1) % 4, None
            seat = self.find_taker(contract)
            self.tricks[seat] += 1
            self.score_trick(contract, seat, number)
            self.trick, self.complete = [], number
            if contract in NEGATIVE and self.count_points_left() == 0:
                return

    def choose_card(self, seat, contract):
        """Yield until the seat plays a card; offers and claims may come first."""
        plays = [f"play {card}" for card in self.list_playable(seat, contract)]
        if contract not in NEGATIVE or self.options["offers"] == "off":
            action = yield seat, plays
        elif self.complete >= 2:
            action = yield seat, [*plays, "claim"]
            if action == "claim":
                self.points[seat] -= self.count_points_left()
                raise RoundSettled
        else:
            action = yield seat, [*plays, *(f"offer {n}" for n in range(1, self.count_points_left() + 1))]
            if action.startswith("offer "):
                yield from self.answer_offer(seat, int(action[len("offer ") :]))
                action = yield seat, plays
        return action[len("play ") :]

    def answer_offer(self, offerer, points):
        claims, free = [0] * 4, self.count_points_left() - points
        claims[offerer] = points
        for step in (1, 2, 3):
            if free:
                seat = (offerer + step) % 4
                claims[seat] = int((yield seat, [f"take {n}" for n in range(free + 1)])[len("take ") :])
                free -= claims[seat]
        if free == 0:
            self.points = [have - more for have, more in zip(self.points, claims, strict=True)]
            raise RoundSettled

    def count_points_left(self):
        """Return how many of the 36 points are left after the complete tricks."""
        return 36 + sum(self.points)

    def list_first_leads(self, contract):
        hand = self.hands[self.dealer]
        may = self.list_leads(hand, contract)
        if contract in KING_FALLS and "KH" in hand:
            several = [card for card in may if sum(other[1] == card[1] for other in hand) > 1]
            return several or may
        return may

    def list_leads(self, hand, contract):
        return [card for card in hand if contract not in HEARTS_WAIT or card[1] != "H"] or hand

    def list_playable(self, seat, contract):
        hand = self.hands[seat]
        if not self.trick:
            return self.list_leads(hand, contract)
        suit = self.trick[0][1][1]
        following = [card for card in hand if card[1] == suit]
        if contract in KING_FALLS and "KH" in hand:
            ace = suit == "H" and "AH" in [card for _, card in self.trick]
            if not following or (ace and self.options["king_drop"] == "under-ace"):
                return ["KH"]
        return following or hand

    def find_taker(self, contract):
        order = UPWARDS[::-1] if contract == "miser" else UPWARDS
        led = self.trick[0][1][1]
        trump = contract[0].upper() if contract in POSITIVE[:4] else led
        suit = trump if any(card[1] == trump for _, card in self.trick) else led
        return max((order.index(card[0]), seat) for seat, card in self.trick if card[1] == suit)[1]

    def score_trick(self, contract, taker, number):
        if contract in POSITIVE:
            for seat in SEATS:
                if taker == self.dealer:
                    self.points[seat] += 12 if seat == self.dealer else 0
                else:
                    self.points[seat] += 0 if seat == self.dealer else 4
            return
        cards = [card for _, card in self.trick]
        worth = {
            "no-tricks": 4,
            "no-hearts": 4 * sum(card[1] == "H" for card in cards),
            "no-queens": 9 * sum(card[0] == "Q" for card in cards),
            "no-jacks": 9 * sum(card[0] == "J" for card in cards),
            "no-last-two": 18 if number >= 8 else 0,
            "no-king": 36 if "KH" in cards else 0,
        }
        if contract == "poz-jar":
            self.points[taker] += sum(worth.values())
        else:
            self.points[taker] -= sum(worth.values()) if contract == "neg-jar" else worth[contract]
