"""The searcher, on a toy: a die lies under a cup, and betting on a number pays if it is that."""

import gc
from itertools import combinations
from random import Random
from types import SimpleNamespace

import pytest

from cardtable.engine.cards import cards, iter_cards, mask_of
from cardtable.engine.game import Action
from cardtable.games.rikiki import expert as rikiki
from cardtable.robots.kit.search import (
    DROP_INTERVAL,
    MAX_CANDIDATES,
    MIN_WORLDS,
    MonteCarloSearch,
    SearchSpec,
    compute_lead,
    make_rollout_chooser,
    make_sampler,
)
from tests.games.rikiki.test_rules import sitting


class Bet(Action, frozen=True):
    """That the die shows this number or less."""

    number: int


BETS = tuple(map(Bet, range(1, 7)))
VIEW = SimpleNamespace(seat=1, legal=BETS)


class Die:
    """What lies under the cup, and the bet on it."""

    def __init__(self, shows, bet=None):
        self.shows, self.bet = shows, bet

    def copy(self):
        return Die(self.shows, self.bet)

    def apply(self, bet):
        assert self.bet is None, "each candidate has a world of its own"
        self.bet = bet


def rolled(_view, rng):
    return Die(rng.randrange(1, 7))


def pays(die, _luck):
    """To whoever bets: 7 less the number, if that is not too small; to the other nothing."""
    return (0.0, 7.0 - die.bet.number if die.shows <= die.bet.number else 0.0)


def never():
    return False


def compare(view=VIEW, seed=1, stop=never, also=None, rollout=pays, **hooks):
    guide = SearchSpec(
        **{"imagine": make_sampler(rolled), "rollouts": make_rollout_chooser(rollout), "worlds": 400, **hooks}
    )
    return MonteCarloSearch(guide).compare(view, Random(seed), stop, also)


def test_what_does_best_on_average_is_chosen():
    assert compare()[0].action in (Bet(3), Bet(4))  # 12 of 6 each; the others bring 10 or less
    assert compare()[0].mean == pytest.approx(2.0, abs=0.3)


def test_candidates_are_compared_in_the_same_worlds_with_the_same_luck():
    met = []

    def rollout(die, luck):
        met.append((die.shows, luck))
        return pays(die, luck)

    compare(rollout=rollout, worlds=MIN_WORLDS - 1)
    worlds = [met[at : at + 6] for at in range(0, len(met), 6)]
    assert len(worlds) == MIN_WORLDS - 1
    assert all(len(set(world)) == 1 for world in worlds)
    assert len(set(met)) == MIN_WORLDS - 1


def test_what_falls_clearly_behind_is_dropped_and_stands_last():
    found = compare()
    numbers = [len(candidate.values) for candidate in found]
    assert numbers[0] == 400
    assert numbers == sorted(numbers, reverse=True)
    assert all(n == 400 or (n - MIN_WORLDS) % DROP_INTERVAL == 0 for n in numbers)
    assert {candidate.action for candidate in found[2:]} >= {Bet(1), Bet(6)}
    assert numbers[-1] < 100


def test_dominated_candidates_stand_last():
    found = compare(dominated=lambda _view: [Bet(3), Bet(4), Bet(6)])
    assert found[0].action in (Bet(2), Bet(5))
    assert {candidate.action for candidate in found[3:]} == {Bet(3), Bet(4), Bet(6)}
    assert found[3].mean > found[0].mean, "they are compared nevertheless"


def test_a_game_says_how_far_a_candidate_may_fall_behind():
    early, late = [
        sum([len(candidate.values) for candidate in compare(drop_threshold=errors)]) for errors in (2.0, 4.0)
    ]
    assert early < late


def test_what_comes_to_the_same_in_every_world_is_looked_at_once():
    found = compare(rollout=lambda die, _luck: (0.0, float(die.shows)))
    assert [len(candidate.values) for candidate in found] == [MIN_WORLDS] * 6


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_not_looked_for_while_it_searches(collects):
    found = []

    def rollout(die, luck):
        found.append(gc.isenabled())
        if len(found) == 100:
            raise ArithmeticError
        return pays(die, luck)

    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        with pytest.raises(ArithmeticError):
            compare(rollout=rollout)
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()
    assert found == [False] * 100


def test_one_candidate_takes_no_time():
    def never_asked(_view, _rng):
        raise AssertionError

    (found,) = compare(imagine=make_sampler(never_asked), candidates=lambda view: view.legal[3:4])
    assert (found.action, found.values, found.mean) == (Bet(4), [], 0.0)


def test_a_stop_leaves_the_best_found_so_far():
    asked = []

    def stop():
        asked.append(True)
        return len(asked) == 5

    assert [len(candidate.values) for candidate in compare(stop=stop)] == [5] * 6


def test_at_least_one_world_is_looked_at_however_late_it_is():
    assert [len(candidate.values) for candidate in compare(stop=lambda: True)] == [1] * 6


def test_points_of_others_count_against_the_own():
    assert compute_lead(SimpleNamespace(seat=2), (3.0, 6.0, 10.0, 0.0)) == 7.0
    found = compare(rollout=lambda die, luck: (2 * pays(die, luck)[1], pays(die, luck)[1]))
    assert found[0].action in (Bet(1), Bet(6))
    assert found[0].points
    assert sum(found[0].values) == -sum(points[1] for points in found[0].points)


def test_what_an_action_is_worth_later_counts_too():
    found = compare(future_value=lambda _view, bet: 5.0 * (bet.number == 6))
    assert found[0].action == Bet(6)
    assert found[0].mean == pytest.approx(6.0)


def test_what_points_are_worth_is_the_game_s_to_say():
    assert compare(value=lambda _view, points: points[1] >= 1)[0].action == Bet(6)


def test_the_same_generator_gives_the_same_figures():
    assert compare(seed=7) == compare(seed=7)
    assert compare(seed=7) != compare(seed=8)


def test_what_is_chosen_by_rule_stands_unless_another_is_clearly_ahead():
    threes = [
        [compare(worlds=40, seed=seed, **hooks)[0].action for seed in range(30)].count(Bet(3))
        for hooks in ({}, {"rule": lambda _view: Bet(3)}, {"rule": lambda _view: Bet(4)})
    ]
    assert threes[2] + 5 <= threes[0] <= threes[1] - 5
    assert compare(rule=lambda _view: Bet(6))[0].action in (Bet(3), Bet(4))
    one = compare(worlds=1, rule=lambda _view: Bet(6))
    assert [candidate.action for candidate in one[:2]] == [Bet(6), max(one, key=lambda bet: bet.mean).action]


def test_where_playouts_are_dear_half_of_the_candidates_stay_after_each_share_of_them():
    played = []
    found = compare(rollout=lambda die, luck: played.append(luck) or pays(die, luck), budget=lambda *_: 360)
    assert [len(candidate.values) for candidate in found] == [20 + 40 + 60, 20 + 40 + 60, 20 + 40, 20, 20, 20]
    assert len(played) == 360
    assert found[0].action in (Bet(3), Bet(4))
    few = compare(budget=lambda *_: 360, worlds=4)
    assert sum(len(candidate.values) for candidate in few) <= 4 * 6
    assert len(compare(budget=lambda *_: 360, stop=lambda: True)[0].values) == 1


class Three(Action, frozen=True):
    """Three cards."""

    cards: int

    def cards_used(self):
        return self.cards


HAND = cards("2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC")
THREES = tuple([Three(mask_of(three)) for three in combinations(iter_cards(HAND), 3)])


def test_of_very_many_candidates_those_are_compared_whose_cards_did_well():
    played = []

    def rollout(world, luck):
        played.append(luck)
        return (sum(iter_cards(world.bet.cards)) + 8 * Random(f"{luck} {world.bet.cards}").random(), 0.0)

    view = SimpleNamespace(seat=0, legal=THREES)
    asked = {"rollout": rollout, "budget": lambda *_: 400, "also": THREES[0]}
    for seed in range(5):
        played.clear()
        found = compare(view, seed, **asked)
        assert sum(iter_cards(found[0].action.cards)) >= 30  # of 33 at most
        assert len(found) == MAX_CANDIDATES + 1
        assert THREES[0] in [candidate.action for candidate in found[1:]]
        assert len(played) <= 400 + MAX_CANDIDATES
    assert compare(view, 1, **asked) == compare(view, 1, **asked)


def test_rikiki_a_card_above_and_one_below_what_lies_in_the_trick_are_both_looked_at():
    game = sitting(after=4).deal("8S", "7S 9S", then="2D", number=5).do("bid 0, bid 0, bid 0, bid 1, play 8S")
    assert [str(action) for action in rikiki.SEARCH_SPEC.candidates(game.view())] == ["play 7S", "play 9S"]
