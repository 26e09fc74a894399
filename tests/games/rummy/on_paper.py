"""Rummy on paper: an independent implementation of its rules page.

It never asks the engine. A session is a generator: it yields the seat on turn (`None` for chance) with the seat's legal
texts, and is sent the text of each event.
"""

from functools import cache
from itertools import combinations

LOW = "A23456789TJQK"
HIGH = "23456789TJQKA"
POINTS = {**{rank: int(rank) for rank in "23456789"}, "T": 10, "J": 10, "Q": 10, "K": 10, "A": 15}
SUITS = "CDHS"


def count_points(cards):
    """Return the points of a combination, given its cards in order."""
    if is_sequence(cards) and cards[0][0] == "A":
        return 1 + count_points(cards[1:])
    return sum(POINTS[card[0]] for card in cards)


def is_sequence(cards):
    ranks = "".join(card[0] for card in cards)
    return len({card[1] for card in cards}) == 1 and (ranks in LOW or ranks in HIGH)


def is_group(cards):
    suits = "".join(card[1] for card in cards)
    return len({card[0] for card in cards}) == 1 and len(cards) <= 4 and suits == "".join(sorted(suits))


def add_card(combination, card):
    """Return the combination with the card, an ace on top if possible; `None` if the card does not fit."""
    if len({one[0] for one in combination}) == 1:
        groups = [tuple(sorted([*combination, card], key=lambda one: SUITS.index(one[1])))]
        return groups[0] if is_group(groups[0]) else None
    for sequence in ((*combination, card), (card, *combination)):
        if is_sequence(sequence) and len(sequence) <= 13:
            return sequence
    return None


def iter_sequences():
    for suit in SUITS:
        for order in (LOW, HIGH):
            for start in range(13):
                for stop in range(start + 3, 14):
                    yield tuple(rank + suit for rank in order[start:stop])


def iter_groups():
    for rank in HIGH:
        for size in (3, 4):
            yield from combinations([rank + suit for suit in SUITS], size)


COMBINATIONS = {cards: frozenset(cards) for cards in (*iter_sequences(), *iter_groups())}


@cache
def list_melds(hand):
    """Return the combinations that the hand holds, as tuples in order."""
    return [cards for cards, members in COMBINATIONS.items() if members <= hand]


def iter_steps(hand, table):
    """Yield each possible meld or addition as its text, its cards and the table after it.

    It need not leave a turn that can be completed.
    """
    for cards in list_melds(hand):
        yield f"meld {' '.join(cards)}", cards, (*table, cards)
    for card in hand:
        for number, combination in enumerate(table, 1):
            more = add_card(combination, card)
            if more:
                yield f"add {card} {number}", (card,), (*table[: number - 1], more, *table[number:])


@cache
def can_be_completed(hand, table, must, barred):
    if must is None and (not hand or hand - barred):
        return True
    for _, cards, after in iter_steps(hand, table):
        if must is not None and not any(card[1] == must[1] or card[0] == must[0] for card in cards):
            continue  # as long as that card lies in the hand nothing helps it but its own suit and rank
        if can_be_completed(hand - set(cards), after, None if must in cards else must, barred):
            return True
    return False


class Session:
    """State of the table, advanced by `play`."""

    def __init__(self, seats, options):
        self.seats, self.options = range(seats), options
        self.number, self.finished, self.totals = 0, 0, [0] * seats

    def play(self):
        first = int((yield None, [])[len("first ") :])
        while True:
            yield from self.play_round((first + self.finished) % 2)
            self.finished += 1
            reached = max(self.totals) >= self.options["limit"] and self.totals[0] != self.totals[1]
            if reached or self.finished == 50:
                return

    def play_round(self, seat):
        pack = (yield None, [])[len("deal ") :].split()
        self.number = self.finished + 1
        self.hands = [frozenset(pack[:13]), frozenset(pack[13:26])]
        self.pile, self.stock = pack[26:27], pack[27:]
        self.table, self.points, self.began = (), [0, 0], []
        while all(self.hands) and self.stock:
            yield from self.play_turn(seat)
            seat = 1 - seat
        for seat in self.seats:
            self.totals[seat] += self.points[seat] - sum(POINTS[card[0]] for card in self.hands[seat])

    def play_turn(self, seat):
        action = yield seat, ["stock", *self.iter_takes(seat)]
        self.began.append(action)
        must, barred = None, frozenset()
        if action == "stock":
            self.hands[seat] |= {self.stock.pop(0)}
        else:
            must, barred = self.get_obligations(number := int(action[len("take ") :]))
            self.hands[seat] |= set(self.pile[-number:])
            del self.pile[-number:]
        while self.hands[seat]:
            action = yield seat, self.iter_legal_actions(self.hands[seat], must, barred)
            kind, _, rest = action.partition(" ")
            if kind == "drop":
                self.hands[seat] -= {rest}
                self.pile.append(rest)
                return
            [(cards, after)] = [step[1:] for step in iter_steps(self.hands[seat], self.table) if step[0] == action]
            before = sum(map(count_points, self.table))
            self.hands[seat] -= set(cards)
            self.table = after
            self.points[seat] += sum(map(count_points, after)) - before
            if must in cards:
                must = None

    def iter_takes(self, seat):
        for number in range(1, len(self.pile) + 1):
            if number == 1 and self.began[-20:] == ["take 1"] * 20:
                continue
            if can_be_completed(self.hands[seat] | set(self.pile[-number:]), self.table, *self.get_obligations(number)):
                yield f"take {number}"

    def get_obligations(self, number):
        """Return the card that must be used after taking `number` cards, and the cards that may not be dropped."""
        cards = frozenset(self.pile[-number:])
        must = None if number == 1 else self.pile[-number]
        return must, cards if number == 1 or self.options["taken_cards"] == "must-keep" else frozenset()

    def iter_legal_actions(self, hand, must, barred):
        for action, cards, after in iter_steps(hand, self.table):
            if can_be_completed(hand - set(cards), after, None if must in cards else must, barred):
                yield action
        if must is None:
            for card in hand - barred:
                yield f"drop {card}"
