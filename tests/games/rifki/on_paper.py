"""Rifki on paper: an independent implementation of its rules page.

It reads hands, duties, contracts left and points from the journal's texts alone and never asks the engine.
"""

RANKS = "23456789TJQKA"
WORTH = {"rifki": -320, "kiz": -100, "erkek": -60, "kupa": -30, "son-iki": -180, "el-almaz": -50}
TRUMP = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}


def is_penalty(contract, card):
    """Return True if the card costs its taker points."""
    return {
        "rifki": card == "KH",
        "kiz": card[0] == "Q",
        "erkek": card[0] in "KJ",
        "kupa": card[1] == "H",
    }.get(contract, False)


class Session:
    """Declarers, contracts left and totals."""

    def __init__(self, options):
        self.options = options
        self.step = 1 if options["direction"] == "clockwise" else 3
        self.number, self.totals = 0, [0] * 4
        self.first = self.round = None
        self.is_short = options.get("length") == "short"
        self.left = [{"negative": 2, "trump": 1} if self.is_short else {"negative": 3, "trump": 2} for _ in range(4)]
        self.times = dict.fromkeys(WORTH, 0)

    @property
    def declarer(self):
        return (self.first + self.step * (self.number - 1)) % 4

    def chance(self, text):
        word, *arguments = text.split(" ")
        if word == "first":
            self.first = int(arguments[0])
            return
        hands = [set(arguments[13 * seat : 13 * seat + 13]) for seat in range(4)]
        if self.first is None:
            self.first = next(seat for seat in range(4) if "2D" in hands[seat])
        self.number += 1
        self.round = Round(self, hands)

    def open_contracts(self):
        """Return the contracts that the declarer may still declare."""
        left, choices = self.left[self.declarer], []
        if left["negative"]:
            choices += [name for name, times in self.times.items() if times < 2]
        if left["trump"]:
            choices += TRUMP
        return choices

    def finish(self):
        """Record the finished round."""
        name = self.round.contract
        self.left[self.declarer]["trump" if name in TRUMP else "negative"] -= 1
        if name in WORTH:
            self.times[name] += 1
        points = self.round.points()
        self.totals = [total + one for total, one in zip(self.totals, points, strict=True)]


class Round:
    """A round, from its hands."""

    def __init__(self, session, hands):
        self.session, self.hands, self.options = session, hands, session.options
        self.contract, self.led_yet, self.over = None, False, False
        self.turn, self.trick, self.tricks = session.declarer, [], []
        self.hearts_discarded = self.hearts_seen = False

    @property
    def won(self):
        return [sum(taker == seat for taker, _ in self.tricks) for seat in range(4)]

    def legal(self):
        if self.over:
            return []
        choices = []
        if not self.led_yet:
            choices = [f"contract {name}" for name in self.session.open_contracts() if name != self.contract]
            if self.contract is None:
                return sorted(choices)
        return sorted(choices + [f"play {card}" for card in self.cards()])

    def cards(self):
        hand = self.hands[self.turn]
        if not self.trick:
            return self.leads(hand)
        suit = self.trick[0][1][1]
        same = {card for card in hand if card[1] == suit}
        if same:
            top = max(RANKS.index(card[0]) for _, card in self.trick if card[1] == suit)
            return {c for c in same if is_penalty(self.contract, c) and RANKS.index(c[0]) < top} or same
        if self.contract in TRUMP:
            return self.ruffs(hand) or hand
        return {card for card in hand if is_penalty(self.contract, card)} or hand

    def leads(self, hand):
        unlocked = self.hearts_seen if self.options["hearts_unlock"] == "any" else self.hearts_discarded
        if self.contract not in ("rifki", "kupa") or unlocked:
            return hand
        return {card for card in hand if card[1] != "H"} or hand

    def ruffs(self, hand):
        trump = TRUMP[self.contract]
        trumps = {card for card in hand if card[1] == trump}
        lying = [RANKS.index(card[0]) for _, card in self.trick if card[1] == trump]
        if self.options["must_overruff"] == "on" and lying:
            return {card for card in trumps if RANKS.index(card[0]) > max(lying)} or trumps
        return trumps

    def act(self, action):
        word, argument = action.split(" ")
        if word == "contract":
            self.contract = argument
            return
        self.led_yet = True
        self.play(argument)
        if not self.over and not self.trick and all(len(hand) == 1 for hand in self.hands):
            for _ in range(4):
                self.play(*self.hands[self.turn])
        if self.over:
            self.session.finish()

    def play(self, card):
        self.hands[self.turn].remove(card)
        self.trick.append((self.turn, card))
        self.turn = (self.turn + self.session.step) % 4
        if len(self.trick) == 4:
            self.take()

    def take(self):
        suit = self.trick[0][1][1]
        trumps = [(RANKS.index(c[0]), s) for s, c in self.trick if c[1] == TRUMP.get(self.contract)]
        followed = [(RANKS.index(c[0]), s) for s, c in self.trick if c[1] == suit]
        self.turn = max(trumps or followed)[1]
        cards = [card for _, card in self.trick]
        self.tricks.append((self.turn, cards))
        self.hearts_seen |= any(card[1] == "H" for card in cards)
        self.hearts_discarded |= suit != "H" and any(card[1] == "H" for card in cards)
        self.trick = []
        left = {card for hand in self.hands for card in hand}
        by_cards = self.contract in ("rifki", "kiz", "erkek", "kupa")
        self.over = not left or (by_cards and not any(is_penalty(self.contract, card) for card in left))

    def points(self):
        if self.contract in TRUMP:
            return [50 * won for won in self.won]
        if self.contract == "el-almaz":
            return [-50 * won for won in self.won]
        if self.contract == "son-iki":
            last = [taker for taker, _ in self.tricks[11:]]
            return [-180 * last.count(seat) for seat in range(4)]
        points = [0] * 4
        for taker, cards in self.tricks:
            points[taker] += WORTH[self.contract] * sum(is_penalty(self.contract, card) for card in cards)
        return points
