"""Search: candidates, worlds, rollouts, trees and sampling."""

from collections import Counter
from itertools import combinations, islice
from math import log
from random import Random
from types import SimpleNamespace

import pytest

from cardtable.engine.cards import OF_SUIT, cards, iter_cards, mask_of
from cardtable.engine.game import CHANCE, Action
from cardtable.robots.kit import search
from cardtable.robots.kit.search import (
    DROP_INTERVAL,
    MAX_CANDIDATES,
    MIN_WORLDS,
    MonteCarloSearch,
    Tree,
    iter_metropolis_hands,
)
from cardtable.robots.kit.search_spec import (
    SearchSpec,
    TreeSearchConfig,
    compute_lead,
    limit_worlds,
    make_rollout_chooser,
    make_sampler,
    no_tree,
)


class DieBet(Action, frozen=True):
    """Bet that the die shows this number or less."""

    number: int


BETS = tuple(map(DieBet, range(1, 7)))
VIEW = SimpleNamespace(seat=1, legal=BETS)


class Die:
    """The hidden die and the bet on it."""

    def __init__(self, shows, bet=None):
        self.shows, self.bet = shows, bet

    def copy(self):
        return Die(self.shows, self.bet)

    def apply(self, bet):
        assert self.bet is None, "each candidate has a world of its own"
        self.bet = bet


def roll_die(_view, rng):
    return Die(rng.randrange(1, 7))


def pay_bet(die, _luck):
    """Pay the bettor 7 less the number if the number is not too small; pay the other seat nothing."""
    return (0.0, 7.0 - die.bet.number if die.shows <= die.bet.number else 0.0)


def never_stop():
    return False


def run_search(view=VIEW, seed=1, stop=never_stop, also=None, rollout=pay_bet, **hooks):
    spec = SearchSpec(
        **{"sample_worlds": make_sampler(roll_die), "rollouts": make_rollout_chooser(rollout), "worlds": 400, **hooks}
    )
    return MonteCarloSearch(spec).compare(view, Random(seed), stop, also)


def test_chooses_best_mean():
    assert run_search()[0].action in (DieBet(3), DieBet(4))  # 12 of 6 each; the others bring 10 or less
    assert run_search()[0].mean == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize(
    ("milliseconds", "budget", "worlds"),
    [(0, None, 400), (1, None, 41), (100, None, 1), (1, 200, 400), (1, 1100, 90), (100, 240, 4)],
)
def test_slow_rollouts_reduce_the_measured_worlds(monkeypatch, milliseconds, budget, worlds):
    """Six candidates, or a budget of rollouts for 400 worlds, in a quarter of a second."""
    clock = [0.0]

    def pay_late(die, luck):
        clock[0] += milliseconds / 1000
        return pay_bet(die, luck)

    monkeypatch.setattr(search, "thread_time", lambda: clock[0])
    compute_budget = (lambda _view, _rng: budget) if budget else None
    spec = SearchSpec(make_sampler(roll_die), make_rollout_chooser(pay_late), 400, budget=compute_budget)
    assert search.measure_worlds(spec, VIEW, Random(1)) == worlds
    limited = limit_worlds(spec, worlds)
    assert limited.worlds == worlds
    assert not budget or limited.budget(VIEW, Random(1)) == budget * worlds // 400


def test_candidates_share_worlds_and_luck():
    met = []

    def rollout(die, luck):
        met.append((die.shows, luck))
        return pay_bet(die, luck)

    run_search(rollout=rollout, worlds=MIN_WORLDS - 1)
    worlds = [met[at : at + 6] for at in range(0, len(met), 6)]
    assert len(worlds) == MIN_WORLDS - 1
    assert all(len(set(world)) == 1 for world in worlds)
    assert len(set(met)) == MIN_WORLDS - 1


def test_clearly_worse_candidates_are_dropped():
    candidates = run_search()
    numbers = [len(candidate.values) for candidate in candidates]
    assert numbers[0] == 400
    assert numbers == sorted(numbers, reverse=True)
    assert all(n == 400 or (n - MIN_WORLDS) % DROP_INTERVAL == 0 for n in numbers)
    assert {candidate.action for candidate in candidates[2:]} >= {DieBet(1), DieBet(6)}
    assert numbers[-1] < 100


def test_dominated_candidates_rank_last():
    candidates = run_search(dominated=lambda _view: [DieBet(3), DieBet(4), DieBet(6)])
    assert candidates[0].action in (DieBet(2), DieBet(5))
    assert {candidate.action for candidate in candidates[3:]} == {DieBet(3), DieBet(4), DieBet(6)}
    assert candidates[3].mean > candidates[0].mean, "a better mean does not move a dominated candidate up"


def test_search_ends_early_if_candidates_are_equal():
    candidates = run_search(rollout=lambda die, _luck: (0.0, float(die.shows)))
    assert [len(candidate.values) for candidate in candidates] == [MIN_WORLDS] * 6


def test_single_candidate_needs_no_rollout():
    def fail_to_imagine(_view, _rng):
        raise AssertionError

    (candidate,) = run_search(sample_worlds=make_sampler(fail_to_imagine), candidates=lambda view: view.legal[3:4])
    assert (candidate.action, candidate.values, candidate.mean) == (DieBet(4), [], 0.0)


def test_stop_returns_best_so_far():
    asked = []

    def stop():
        asked.append(True)
        return len(asked) == 5

    assert [len(candidate.values) for candidate in run_search(stop=stop)] == [5] * 6


def test_points_of_others_reduce_value():
    assert compute_lead(SimpleNamespace(seat=2), (3.0, 6.0, 10.0, 0.0)) == 7.0
    candidates = run_search(rollout=lambda die, luck: (2 * pay_bet(die, luck)[1], pay_bet(die, luck)[1]))
    assert candidates[0].action in (DieBet(1), DieBet(6))
    assert candidates[0].points
    assert sum(candidates[0].values) == -sum(points[1] for points in candidates[0].points)


def test_choice_by_rule_needs_clear_lead_to_replace():
    threes = [
        [run_search(worlds=40, seed=seed, **hooks)[0].action for seed in range(30)].count(DieBet(3))
        for hooks in ({}, {"rule": lambda _view: DieBet(3)}, {"rule": lambda _view: DieBet(4)})
    ]
    assert threes[2] + 5 <= threes[0] <= threes[1] - 5
    assert run_search(rule=lambda _view: DieBet(6))[0].action in (DieBet(3), DieBet(4))
    one = run_search(worlds=1, rule=lambda _view: DieBet(6))
    assert [candidate.action for candidate in one[:2]] == [DieBet(6), max(one, key=lambda bet: bet.mean).action]


def test_sequential_halving_with_budget():
    played = []
    candidates = run_search(rollout=lambda die, luck: played.append(luck) or pay_bet(die, luck), budget=lambda *_: 360)
    assert [len(candidate.values) for candidate in candidates] == [20 + 40 + 60, 20 + 40 + 60, 20 + 40, 20, 20, 20]
    assert len(played) == 360
    assert candidates[0].action in (DieBet(3), DieBet(4))
    few = run_search(budget=lambda *_: 360, worlds=4)
    assert sum(len(candidate.values) for candidate in few) <= 4 * 6
    assert len(run_search(budget=lambda *_: 360, stop=lambda: True)[0].values) == 1


class CardTriple(Action, frozen=True):
    """Action with three cards."""

    cards: int

    def cards_used(self):
        return self.cards


HAND = cards("2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC")
CARD_TRIPLES = tuple([CardTriple(mask_of(three)) for three in combinations(iter_cards(HAND), 3)])


def test_many_candidates_are_preselected_by_cards():
    played = []

    def rollout(world, luck):
        played.append(luck)
        return (sum(iter_cards(world.bet.cards)) + 8 * Random(f"{luck} {world.bet.cards}").random(), 0.0)

    view = SimpleNamespace(seat=0, legal=CARD_TRIPLES)
    asked = {"rollout": rollout, "budget": lambda *_: 400, "also": CARD_TRIPLES[0]}
    for seed in range(5):
        played.clear()
        candidates = run_search(view, seed, **asked)
        assert sum(iter_cards(candidates[0].action.cards)) >= 30  # of 33 at most
        assert len(candidates) == MAX_CANDIDATES + 1
        assert CARD_TRIPLES[0] in [candidate.action for candidate in candidates[1:]]
        assert len(played) <= 400 + MAX_CANDIDATES
    assert run_search(view, 1, **asked) == run_search(view, 1, **asked)


# --- tree search of a toy game


class CoinCall(Action, frozen=True):
    """Statement that the coin shows this side."""

    side: str


HEADS, TAILS = CoinCall("heads"), CoinCall("tails")


class CoinGame:
    """A hidden coin and the calls of two seats in turn."""

    def __init__(self, shows="heads", calls=()):
        self.shows, self.calls = shows, calls

    @property
    def playing(self):
        return len(self.calls) < 2

    @property
    def turn(self):
        return len(self.calls)

    def legal(self):
        return HEADS, TAILS

    def copy(self):
        return CoinGame(self.shows, self.calls)

    def apply(self, says):
        self.calls = (*self.calls, says)


def run_rollout(coin, _luck):
    """Let the remaining seats call tails; return 1 point for each right call."""
    sides = [each.side for each in coin.calls] + ["tails"] * (2 - len(coin.calls))
    return [float(side == coin.shows) for side in sides]


def play_tree(coins, explore=0.5):
    tree = Tree(run_rollout, explore)
    return [tree.play_out(coin, 0.0) for coin in coins]


def average_points(points, seat):
    return sum([each[seat] for each in points]) / len(points)


def test_tree_learns_better_choice_than_rule():
    points = play_tree([CoinGame() for _ in range(400)])
    assert run_rollout(CoinGame(), 0.0) == [0.0, 0.0]
    assert average_points(points[200:], 0) > 0.9
    assert average_points(points[200:], 1) > 0.9


def test_tree_does_not_learn_hidden_side():
    """Half of the coins show the other side, but the choice is the same in all worlds."""
    rng = Random(1)
    points = play_tree([CoinGame(rng.choice(["heads", "tails"])) for _ in range(2000)])
    assert average_points(points, 0) == pytest.approx(0.5, abs=0.05)
    assert average_points(points, 1) == pytest.approx(0.5, abs=0.05)


def test_seats_maximise_lead():
    """The second seat's call pays the first seat more; the second then prefers no points at all."""

    def rollout(coin, _luck):
        second_call = coin.calls[1].side if len(coin.calls) > 1 else "tails"
        return (3.0, 1.0) if second_call == "heads" else (0.0, 0.0)

    tree = Tree(rollout, 0.5)
    points = [tree.play_out(CoinGame(), 0.0) for _ in range(400)]
    assert average_points(points[200:], 0) < 0.3


def test_rollout_starts_at_chance():
    class Drawn(CoinGame):
        turn = CHANCE

    assert Tree(run_rollout, 0.5).play_out(Drawn("tails"), 0.0) == [1.0, 1.0]


@pytest.mark.parametrize("budget", [None, lambda _view, _rng: 400])
def test_tree_is_used_only_if_configured(budget):
    """Calling heads pays unless the other seat answers heads, which the rule never does."""

    class View:
        seat, legal = 0, (HEADS, TAILS)

    def rollout(coin, _luck):
        sides = [each.side for each in coin.calls] + ["tails"] * (2 - len(coin.calls))
        return {("heads", "tails"): (2.0, 0.0), ("heads", "heads"): (0.0, 2.0)}.get(tuple(sides), (1.0, 0.5))

    def choose_with_tree(deep):
        sample_worlds = make_sampler(lambda _view, _rng: CoinGame())
        spec = SearchSpec(sample_worlds, make_rollout_chooser(rollout), 200, budget=budget, tree_config=deep)
        return MonteCarloSearch(spec).choose(View(), Random(1), lambda: False)

    assert choose_with_tree(no_tree) == HEADS
    assert choose_with_tree(lambda _view: TreeSearchConfig(4, 0.5)) == TAILS


# --- metropolis sampling of hidden hands


OWN, CLUBS = cards("AS KS"), OF_SUIT[0]
HANDS = [OWN, cards("2D 3D"), cards("4C 5C")]
ASIDE = cards("6C 7D")


def sample_hands(likely=lambda _seat, _hand: 0.0, number=4000):
    """Count the sampled hands."""
    return Counter(map(tuple, islice(iter_metropolis_hands(HANDS, 0, ASIDE, [0, CLUBS, 0], likely, Random(1)), number)))


def test_sampling_is_uniform_without_likelihood():
    counts = sample_hands()
    # a seat without clubs has two of three diamonds; of the four cards left two are the third seat's
    assert len(counts) == 3 * 6
    assert all(hands[0] == OWN and not hands[1] & CLUBS for hands in counts)
    assert all(number == pytest.approx(4000 / 18, rel=0.35) for number in counts.values())


def test_sampling_follows_likelihood():
    four = cards("4C")
    counts = sample_hands(lambda seat, hand: log(3) if seat == 2 and hand & four else 0.0)
    holding = sum(number for hands, number in counts.items() if hands[2] & four)
    assert holding / 4000 == pytest.approx(3 / 4, abs=0.04)


def test_sampling_without_unseen_cards():
    assert [*islice(iter_metropolis_hands([OWN, 0], 0, 0, [0, 0], lambda _seat, _hand: 0.0, Random(1)), 2)] == [
        [OWN, 0]
    ] * 2
