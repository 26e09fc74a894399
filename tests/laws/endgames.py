"""Referee of endgames: finds, by brute force, choices of robots that are certainly worse than another one.

    python -m tests.laws.endgames [DECISIONS [SEED]]

prints a table of all games and levels. The referee shares no code with ``robots/kit/endgame.py``: it deals the hidden
cards in every way, plays the round again from the deal, and keeps the deals in which every play is legal and the seat
has the same view. In these, in random order, it follows every play of every seat to the end of the round.
"""

import sys
from collections import Counter, defaultdict
from itertools import combinations, islice
from math import factorial, prod
from random import Random
from typing import NamedTuple

from cardtable.engine.cards import COPY_OFFSET, PACK_36, PACK_52, RANK, TWO_PACKS_32, iter_cards
from cardtable.engine.chance import Deal
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.referee import ignore_event
from cardtable.engine.tricks import Play
from cardtable.robots.kit.robot import decide, load_search_spec, make_robot
from cardtable.testing.cases import Case
from tests.laws.sessions import CASES_BY_GAME

TRICK_GAMES = ("king", "rifki", "rikiki", "ten_down", "gurka")
PACKS = {"king": PACK_36, "ten_down": TWO_PACKS_32}
MAX_CARDS = {"gurka": 2}
MAX_DEALS, MAX_LINES = 2_000, 1_300
"""Limits of the deals and of the orders in which all hands can be played."""
MIN_GAIN_DEALS = 24
"""Number of random deals of which one has to show that another card is better."""
SEARCH_DEALS = 100
"""Largest number of deals in which the candidates of a search are judged."""
INTERVAL = 7
"""One of this many decisions of a session is examined, so that all its rounds occur."""


class Decision(NamedTuple):
    """Choice between cards near the end of a round, with the events since the deal and the state before it."""

    case: Case
    view: object
    undealt: object
    deal: Deal
    events: list
    number: int
    """Number of decisions before this one in the session."""


def iter_decisions(case, seed):
    """Yield the choices between cards, with few cards left, in a session of steady robots."""
    rng, state, steady, number = Random(seed), case.create_state(), make_robot("steady", case.game.about.key), 0
    events = []
    while state.turn != OVER:
        if state.turn == CHANCE:
            event = state.draw_chance(rng)
            if isinstance(event, Deal):
                undealt, events = state.copy(), []
        else:
            view, number = state.view(state.turn), number + 1
            event = decide(steady, view, seed, number)
            if len(list_plays(state)) > 1 and view.hand.bit_count() <= MAX_CARDS.get(case.game.about.key, 4):
                yield Decision(case, view, undealt, events[0], events[1:], number)
        events.append(event)
        state.apply(event)


def iter_views(case, seed):
    """Yield the views of a session of steady robots in which a seat has a choice, each with the number of decisions."""
    table, steady = case.create_referee(seed, ignore_event), make_robot("steady", case.game.about.key)
    while table.turn != OVER:
        table.advance()
        while table.turn >= 0:
            view = table.view(table.turn)
            if len(view.legal) > 1:
                yield view, table.decisions
            table.play(table.turn, decide(steady, view, seed, table.decisions))


def list_plays(state):
    return [action for action in state.legal() if isinstance(action, Play)]


def iter_deals(decision):
    """Yield the cards left to each seat in every way that contradicts no void; one of cards that play alike is used."""
    view, key = decision.view, decision.case.game.about.key
    seen = Counter(c % COPY_OFFSET for cards in (view.hand, *view.played) for c in iter_cards(cards))
    hidden = []
    for card in iter_cards(PACKS.get(key, PACK_52)):
        if seen[card % COPY_OFFSET]:
            seen[card % COPY_OFFSET] -= 1
        elif card != getattr(view, "trump_card", None):
            hidden.append(card)
    tell = (lambda c: RANK[c]) if key == "gurka" else (lambda c: c % COPY_OFFSET)
    sizes = [0 if seat == view.seat else size for seat, size in enumerate(view.sizes)]
    for hands in iter_splits(hidden, sizes, view.excluded_cards, tell):
        yield [iter_cards(view.hand) if seat == view.seat else hand for seat, hand in enumerate(hands)]


def iter_splits(hidden, sizes, excluded_cards, tell):
    """Yield the ways to take sets of these sizes from ``hidden``; of those that look alike, one."""
    if not sizes:
        yield ()
        return
    seen = set()
    possible = [card for card in hidden if not excluded_cards[0] >> card % COPY_OFFSET & 1]
    for part in combinations(possible, sizes[0]):
        look = tuple(map(tell, part))
        if look not in seen:
            seen.add(look)
            left = [card for card in hidden if card not in part]
            yield from ((part, *rest) for rest in iter_splits(left, sizes[1:], excluded_cards[1:], tell))


def replay(decision, hands):
    """Return the state after the round is played again with these hands left; ``None`` if that contradicts the view."""
    view, used = decision.view, Counter()
    order = [card for hand, played in zip(hands, view.played, strict=True) for card in (*hand, *iter_cards(played))]
    order = [card % COPY_OFFSET for card in order]
    rest = Counter(card % COPY_OFFSET for card in decision.deal.order)
    rest.subtract(order)
    if len(order) < len(decision.deal.order):  # a trump card may be turned up
        turned = decision.deal.order[len(order)] % COPY_OFFSET
        order += [turned] if rest[turned] else []
        rest.subtract([turned] if rest[turned] else [])
    cards = []
    for card in (*order, *rest.elements()):
        cards.append(card + COPY_OFFSET * used[card])
        used[card] += 1
    state = decision.undealt.copy()
    state.apply(Deal(tuple(cards)))
    for event in decision.events:
        if state.turn != CHANCE and event not in state.legal():
            return None
        state.apply(event)
    return state if state.view(view.seat) == view else None


def follow(state, action):
    after = state.copy()
    after.apply(action)
    return after


def can_go_out(state, seat):
    """Return True if the seat on turn can play all its cards before another seat has a turn, and draws none."""
    return state.turn == seat and any(is_way_out(state, follow(state, action), seat) for action in state.legal())


def is_way_out(before, after, seat):
    """Return True if an action, given the states before and after it, goes out or leads to a way out."""
    if after.hands[seat] & ~before.hands[seat]:
        return False
    return can_go_out(after, seat) if after.playing else not after.hands[seat]


class Judge:
    """Values of a seat, its lead over the mean of the others, in the ways to play on."""

    def __init__(self, game, seat):
        self.sign, self.seat, self.known = -1 if game.lowest_wins else 1, seat, {}

    def list_values(self, state):
        """Return the least and the greatest value of all ways to play on, and the one that the seat can secure."""
        if not state.playing:
            points = state.score.points
            value = self.sign * (points[self.seat] - (sum(points) - points[self.seat]) / (len(points) - 1))
            return value, value, value
        key = state.position_key()
        if key not in self.known:
            least, most, secure = zip(
                *(self.list_values(follow(state, play)) for play in list_plays(state)), strict=True
            )
            self.known[key] = min(least), max(most), (max if state.turn == self.seat else min)(secure)
        return self.known[key]

    def can_secure(self, wanted):
        """Return True if one strategy of the seat secures the value wanted in each of some states that look alike."""
        if any(self.list_values(state)[2] < value for state, value in wanted):
            return False
        if all(self.list_values(state)[0] >= value for state, value in wanted):
            return True
        after = defaultdict(list)
        for state, value in wanted:
            for play in list_plays(state):
                after[play].append((follow(state, play), value))
        return (any if wanted[0][0].turn == self.seat else all)(map(self.can_secure, after.values()))


def list_deals(decision):
    """Return the deals that may fit the view of a decision, in random order; ``None`` if they are too many."""
    if prod(map(factorial, decision.view.sizes)) > MAX_LINES:
        return None
    deals = list(islice(iter_deals(decision), MAX_DEALS + 1))
    return Random(0).sample(deals, len(deals)) if len(deals) <= MAX_DEALS else None


def judge(decision, action):
    """Return the verdict on an action: ``fine``, ``worse`` (certainly) or ``too many`` (deals for the referee)."""
    view = decision.view
    if not isinstance(action, Play):
        return "fine"
    deals = list_deals(decision)
    if deals is None:
        return "too many"
    states, scale, gains = [], Judge(decision.case.game, view.seat), set()
    rivals = [play for play in view.legal if isinstance(play, Play) and play != action]
    for state in (replay(decision, hands) for hands in deals):
        if state is None:
            continue
        states.append(state)
        _, best, secure = scale.list_values(follow(state, action))
        values = {rival: scale.list_values(follow(state, rival)) for rival in rivals}
        gains |= {rival for rival in rivals if values[rival][1] > secure}
        rivals = [rival for rival in rivals if values[rival][2] >= best]
        if not rivals or (len(states) == MIN_GAIN_DEALS and not gains):
            return "fine"
    for rival in gains.intersection(rivals):
        wanted = [(follow(state, rival), scale.list_values(follow(state, action))[1]) for state in states]
        if scale.can_secure(wanted):
            return "worse"
    return "fine"


def judge_search(decision, _seed):
    """Return the verdict on the candidates of the search: ``fine``, ``better`` or ``too many``.

    ``better``: no candidate is worth at least as much as some other card in each deal, if the others join against the
    seat and all cards are visible. ``none``: no card is left out.
    """
    spec, view = load_search_spec(decision.case.game.about.key), decision.view
    dominated = spec.dominated(view)
    kept = [one for one in spec.candidates(view) if one not in dominated and one.kind in ("play", "claim")]
    left_out = [play for play in view.legal if isinstance(play, Play) and play not in kept]
    deals = list_deals(decision) if left_out else []
    if not deals:
        return "none" if deals == [] else "too many"
    scale, states = Judge(decision.case.game, view.seat), [replay(decision, hands) for hands in deals[:SEARCH_DEALS]]
    values = [
        {action: scale.list_values(follow(state, action))[2] for action in (*kept, *left_out)}
        for state in states
        if state is not None
    ]
    covered = [any(all(each[one] >= each[play] for each in values) for one in kept) for play in left_out]
    return "fine" if all(covered) else "better"


def judge_robot(robot):
    """Return a function for ``examine`` that judges the choices of ``robot``."""
    return lambda decision, seed: judge(decision, decide(robot, decision.view, seed, decision.number))


def examine(key, give_verdict, decisions, seed=0):
    """Return how many decisions get each verdict, in sessions of each way to play the game."""
    verdicts, cases = Counter(), CASES_BY_GAME[key]
    each = -(-decisions // len(cases))
    for case in cases:
        left = each
        while left > 0:
            for decision in islice(iter_decisions(case, seed), seed % INTERVAL, INTERVAL * left, INTERVAL):
                verdicts[give_verdict(decision, seed)] += 1
                left -= 1
            seed += 1
    return verdicts


def main(decisions=1_000, seed=0):
    print("| game | level | decisions | too many deals | certainly worse |")
    print("| --- | --- | --- | --- | --- |")
    for key in TRICK_GAMES:
        for level in ("steady", "expert"):
            verdicts = examine(key, judge_robot(make_robot(level, key)), decisions, seed)
            print(
                f"| {key} | {level} | {verdicts.total():,} | {verdicts['too many']:,} | {verdicts['worse']} |",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
