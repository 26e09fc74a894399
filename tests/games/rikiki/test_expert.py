"""Rikiki's expert: rollouts, sampling of hidden hands, exact endings, evident choices."""

from collections import Counter
from itertools import combinations, islice, repeat
from math import exp
from random import Random

import pytest

from cardtable.engine.cards import BIT, PACK_52, RANK, SUIT, iter_cards
from cardtable.engine.game import CHANCE
from cardtable.engine.tricks import PLAY
from cardtable.games.rikiki import expert
from cardtable.games.rikiki.expert import SEARCH_SPEC, make_hand_likelihood, make_rollout, sample_worlds
from cardtable.games.rikiki.policy import steady
from cardtable.games.rikiki.rules import GAME, Options, RikikiState, find_unseen_cards
from cardtable.robots.hints import advise
from cardtable.robots.kit.bidding_policy import DEFAULT_WEIGHTS, ViewFeatures
from cardtable.robots.kit.search import MonteCarloSearch
from tests.games.rikiki.test_rules import start_session
from tests.robots.positions import choose_expert_action


def list_candidate_texts(game):
    """Return the search's candidates in notation."""
    return [str(action) for action in SEARCH_SPEC.candidates(game.view())]


def iter_states(seed):
    """Yield states of a session played by steady robots, each some plays after the bids."""
    rng, state = Random(seed), RikikiState(Options())
    while state.finished < 28:
        if state.turn == CHANCE:
            state.apply(state.draw_chance(rng))
            after = rng.randrange(max(1, 4 * state.cards - 4))
        elif not state.bidding and 4 * state.cards - sum(hand.bit_count() for hand in state.hands) == after:
            yield state.copy()
            after = -1
        else:
            view = state.view(state.turn)
            state.apply(view.legal[0] if len(view.legal) == 1 else steady(view, rng))


class PaperRollout:
    """Independent implementation of a rollout, card by card, from the view of the seat on turn."""

    def __init__(self, state, luck):
        self.eager = luck < 0.5
        self.die, self.stray = int(luck * 2**32), 0.4 if luck < expert.RULE_LUCK else 0
        self.short, self.later, self.leads = [], [], []
        view = state.view(state.turn)
        own, out = view.hand, find_unseen_cards(view)
        share = min(20, round(20 * 3 * own.bit_count() / max(1, out.bit_count()))) / 20
        for seat, hand in enumerate(state.hands):
            sight = ViewFeatures(hand, (out | own) & ~hand if seat != view.seat else out, share, state.order.trump)
            later = {c: sight.estimate_take(c, expert.LATER_WEIGHTS) for c in iter_cards(hand)}
            self.later.append(later)
            self.leads.append(
                {c: (sight.estimate_take(c, expert.LEAD_WEIGHTS) - later[c] / 2, SUIT[c]) for c in iter_cards(hand)}
            )
            self.short.append(state.find_bid(seat) - state.won[seat] - (0 if self.eager else sum(later.values())))

    def choose_card(self, state):
        seat, legal = state.turn, [play.card for play in state.legal()]
        wants, lead = self.short[seat] > 0, self.leads[seat].__getitem__
        if not state.trick:
            self.die = (self.die * 69069 + 1) % 2**32
            if self.die < self.stray * 2**32:
                return sorted(legal, key=lead)[self.die // 256 % len(legal)]
            return max(legal, key=lead) if wants else min(legal, key=lead)
        winner = state.order.winner
        over = [c for c in legal if winner((*state.trick, c)) == len(state.trick)]
        under = [c for c in legal if c not in over]
        if SUIT[legal[0]] != SUIT[state.trick[0]] or len({SUIT[c] for c in legal}) > 1:
            if wants:
                return min(over, key=RANK.__getitem__) if over else min(legal, key=lead)
            return max(under, key=lead) if under else max(over)
        if wants:
            return (min(over) if len(state.trick) == 3 else max(over)) if over else min(legal)
        return max(under) if under else max(over) if len(state.trick) == 3 else min(over)

    def play_card(self, state):
        seat, card, won = state.turn, self.choose_card(state), state.won[:]
        self.short[seat] += 0 if self.eager else self.later[seat][card]
        state.apply(PLAY[card])
        for taker in range(4):
            self.short[taker] -= state.won[taker] - won[taker]


@pytest.mark.parametrize("luck", [0.0, 0.4, 0.9, expert.RULE_LUCK])
@pytest.mark.parametrize("seed", range(3))
def test_rollout_points_match_paper_rollout(seed, luck):
    number = 0
    for state in iter_states(seed):
        points = list(make_rollout(state.view(state.turn))(state.copy(), luck))
        paper = PaperRollout(state, luck)
        while state.playing:
            paper.play_card(state)
        assert points == [10 + 2 * won if bid == won else -2 * abs(bid - won) for bid, won in state.score.figures]
        number += 1
    assert number > 20


def test_hand_evaluator_matches_policy():
    rng = Random(2)
    for number in range(1, 13):
        pack = rng.sample(range(52), number + 1)
        hand, turned = sum(BIT[c] for c in pack[1:]), pack[0]
        unseen = PACK_52 & ~hand & ~BIT[turned]
        share = 3 * number / unseen.bit_count()
        sight = ViewFeatures(hand, unseen, share, SUIT[turned])
        judged = expert.make_hand_evaluator(number, turned)(hand)
        assert judged == pytest.approx(
            sum(sight.estimate_take(c, DEFAULT_WEIGHTS.bidding) for c in iter_cards(hand)), abs=0.12
        )


def reach_ending(seed, left=2):
    """Return the view of the seat on turn in a round of 13 cards when each hand has `left` cards.

    No card lies aside.
    """
    rng, state = Random(seed), RikikiState(Options())
    state.finished = 12
    while not state.playing or state.hands[state.leader].bit_count() > left or state.trick:
        if state.turn == CHANCE:
            state.apply(state.draw_chance(rng))
            continue
        view = state.view(state.turn)
        state.apply(view.legal[0] if len(view.legal) == 1 else steady(view, rng))
    return state.view(state.turn)


def weigh_worlds(view):
    """Return the other hands that are consistent with the view, each with its likelihood by bids and plays."""
    others = [(view.seat + i) % 4 for i in (1, 2, 3)]
    cards = [c for c in range(52) if not BIT[c] & (view.hand | sum(view.played))]
    likeness, weights = make_hand_likelihood(view), {}
    for first in combinations(cards, 2):
        rest = [c for c in cards if c not in first]
        for second in combinations(rest, 2):
            hands = [first, second, [c for c in rest if c not in second]]
            masks = {seat: sum(BIT[c] for c in hand) for seat, hand in zip(others, hands, strict=True)}
            if not any(mask & view.excluded_cards[seat] for seat, mask in masks.items()):
                weights[tuple(masks.values())] = exp(sum(likeness(seat, mask) for seat, mask in masks.items()))
    return weights


def count_worlds(view, worlds, number):
    """Count how often each world is drawn."""
    counts = Counter()
    for world in islice(worlds, number):
        counts[tuple([world.hands[(view.seat + i) % 4] for i in (1, 2, 3)])] += 1
    return counts


def compute_chi_square(counts, weights):
    """Return chi-square per degree of freedom; it is about 1 if counts are proportional to weights."""
    number, total = sum(counts.values()), sum(weights.values())
    assert set(counts) <= set(weights)
    often = {world: number * weight / total for world, weight in weights.items() if number * weight / total > 5}
    return sum((counts[world] - mean) ** 2 / mean for world, mean in often.items()) / (len(often) - 1)


@pytest.mark.parametrize("seed", [2, 5, 12])
def test_sampled_worlds_match_exact_weights(seed):
    view = reach_ending(seed)
    worlds = weigh_worlds(view)
    assert len(worlds) > 10
    apart, rng = (GAME.imagine(view, rng) for rng in repeat(Random(4))), Random(4)
    assert compute_chi_square(count_worlds(view, apart, 40 * len(worlds)), dict.fromkeys(worlds, 1)) < 1.8
    assert compute_chi_square(count_worlds(view, sample_worlds(view, rng), 100 * len(worlds)), worlds) < 4


def test_highest_trump_is_certain_to_win():
    game = start_session(after=0).deal("2C", "3C", "4C", "AS", then="6S", number=1).do("bid 0, bid 0, bid 0")
    advice = advise("rikiki", game.view(), Random(1), lambda: False)
    assert advice.sentence == "Bid 1, which fits a hand worth about 1 trick; bid 0 is much worse."
    assert advice.lines[0].share == 1


def test_candidates_merge_equivalent_cards():
    game = (
        start_session(after=4)
        .deal("7C 9C JC KC AC", "8C 2C 3C 2D 3D", "TC", then="2S")
        .do("bid 2, bid 0, bid 1, bid 0")
    )
    assert list_candidate_texts(game) == ["play 7C", "play 9C", "play JC", "play KC"]


def test_takes_last_chance_for_needed_trick():
    game = start_session(after=1).deal("5D 6D", "3C 4C", "5C 6C", "KC 2C", then="2S", number=2)
    game.do("bid 0, bid 0, bid 1, bid 0, play 3C, play 5C")
    assert choose_expert_action(game) == "play KC", "to the last trick 2C will be beaten or another suit be led"


@pytest.mark.parametrize(
    ("number", "hand", "best", "seeds"),
    [(5, "TD JD AD KD 3D", ["KD", "AD"], [5, 17, 49]), (3, "4C 9C QD", ["9C", "QD"], [1, 2])],
)
def test_leads_top_card_when_all_tricks_are_needed(number, hand, best, seeds):
    """Few worlds distinguish the cards: with these seeds the samples show no difference or prefer another card."""
    hands = ["7S 8S 9S TS JS", "2H 3H 4H 5H 6H", "2S 3S 4S 5S 6S", "5C 6C 7C 8C TC"]
    hands = [" ".join(each.split()[:number]) for each in hands]
    hands[(number - 1) % 4] = hand
    game = start_session(after=number - 1).deal(*hands, then="2D", number=number)
    game.do(f"bid {number}, bid 0, bid 0, bid 1")
    assert {choose_expert_action(game, seed).removeprefix("play ") for seed in seeds} <= set(best)
    also = PLAY[min(iter_cards(game.view().hand))]
    ordered = MonteCarloSearch(SEARCH_SPEC).compare(game.view(), Random(seeds[0]), lambda: False, also)
    assert str(ordered[0].action).removeprefix("play ") in best


def test_bids_below_sure_tricks_rank_last():
    game = start_session(after=1, hook="always").deal("AS 2C", "3C 4C", "5C 6C", "7C 8C", then="9S", number=2)
    game.do("bid 1, bid 0, bid 0")
    candidates = MonteCarloSearch(SEARCH_SPEC).compare(game.view(), Random(1), lambda: False)
    assert [str(candidate.action) for candidate in candidates] == ["bid 2", "bid 0"]
