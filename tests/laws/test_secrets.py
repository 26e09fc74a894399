"""Hidden information: a view and everything made from it contain only what the seat knows."""

from collections import Counter
from importlib import import_module
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.robot import load_search_spec, make_robot
from cardtable.robots.kit.search import MonteCarloSearch
from cardtable.testing import invariants, session_checks
from cardtable.testing.cases import iter_random_positions, list_cases
from cardtable.testing.worlds import compare_twins
from tests.budgets import LONG, get_trials
from tests.laws.sessions import CASES, CASES_BY_GAME, MAX_DECISIONS, get_share
from tests.robots.positions import ROBOTS
from tests.toy.game_plugins import plug_in

MIN_PAIRS = get_trials("pairs")
"""Minimum number of pairs of worlds for each game."""
EXAMPLES = Path(__file__).parents[2] / "examples"
PAIRS_PER_PHASE = 8 if LONG else 3
"""Minimum number of pairs of worlds of each phase in each case, if there are so many."""
EXPERT_INTERVAL = 20
"""One of this many pairs is shown to an expert, which is slow, besides the first ones of each phase."""
FIRST_EXPERT_PAIRS = max(MIN_PAIRS // 250, 3)
EXPERT_WORLDS = None if LONG else 30
"""Number of worlds of an expert's search, if not the usual one: more pairs are worth more than longer searches."""

TWIN_POSITIONS = MAX_DECISIONS if LONG else 1
"""Every round that begins before this number of positions is compared with twin worlds, and a tenth of the others."""

every_case = pytest.mark.parametrize("case", CASES, ids=str)


class OccasionalExpert:
    """Expert that is used for few pairs of worlds; for the others the first action is chosen."""

    def __init__(self, robot):
        self.robot, self.request_counts = robot, Counter()

    def choose(self, view, rng, stop):
        kinds = frozenset(str(action).partition(" ")[0] for action in view.legal)
        pair = self.request_counts[kinds] // 2
        self.request_counts[kinds] += 1
        if pair < FIRST_EXPERT_PAIRS or pair % EXPERT_INTERVAL == 0:
            return self.robot.choose(view, rng, stop)
        return view.legal[0]


def make_robots(key, levels):
    spec = load_search_spec(key)
    expert = MonteCarloSearch(replace(spec, worlds=EXPERT_WORLDS or spec.worlds))
    return [OccasionalExpert(expert) if level == "expert" else make_robot(level, key) for level in levels]


def compare_pairs(cases, robots, min_pairs):
    """Compare pairs of worlds of these cases until there are enough of them."""
    pairs, most_seeds = 0, min_pairs // 10
    for seed in range(most_seeds):
        pairs += sum(invariants.compare_worlds(case, seed, robots, PAIRS_PER_PHASE) for case in cases)
        if pairs >= min_pairs:
            return
    pytest.fail(f"{pairs} pairs of worlds only")


@pytest.mark.parametrize("key", GAMES)
def test_hidden_cards_make_no_difference(key):
    """Worlds that differ in hidden cards give the same view, choice and random numbers in every phase."""
    levels = [level for level, game in ROBOTS if game == key]
    compare_pairs(CASES_BY_GAME[key], make_robots(key, levels), MIN_PAIRS)


@pytest.mark.parametrize("key", ["hearts", "spades"])
def test_hidden_cards_of_packages_make_no_difference(monkeypatch, key):
    monkeypatch.syspath_prepend(EXAMPLES / f"cardtable-{key}")
    module = import_module(f"cardtable_{key}")
    plug_in(monkeypatch, module)
    levels = LEVELS if LONG else ["random", "novice"]  # the others search, with no policy of the game
    compare_pairs(list_cases(module.GAME), make_robots(key, levels), get_trials("pairs of packages"))


@every_case
def test_no_seat_can_tell_twin_worlds_apart(case):
    """Exchanged hidden cards change nothing that a seat or a spectator sees or reads, at any position."""
    for seed in range(get_share(get_trials("twins"), case)):
        compare_twins(case, seed, TWIN_POSITIONS)


@every_case
def test_zones_and_texts(case):
    """Each position gives each seat zones, refusals and log entries without a hidden card."""
    for seed in range(get_share(get_trials("words"), case)):
        session_checks.check_zones_and_texts(case, seed, MAX_DECISIONS)


@pytest.mark.parametrize("key", GAMES)
def test_public_view_reveals_no_hand(key):
    """Worlds that other seats cannot tell apart have the same public view; log entries name no other cards."""
    rng, case = Random(f"covered {key}"), CASES_BY_GAME[key][0]
    for position in iter_random_positions(case, 0):
        if rng.random() < 0.2:
            invariants.assert_public_view_safe(case.game, position.state, rng)


def deal_first_round(key, **options):
    """Return a referee of a game just after the first deal."""
    table = Referee(GAMES[key], GAMES[key].about.usual_seats, GAMES[key].options(**options), 1)
    table.advance()
    return table


@pytest.mark.parametrize("open_hands", ["off", "on"])
@pytest.mark.parametrize("key", GAMES)
def test_view_shows_only_own_hand(key, open_hands):
    """Open hands are a matter of the screen."""
    table = deal_first_round(key, open_hands=open_hands)
    for seat in range(table.seats):
        hands = {zone.seat: zone.cards for zone in table.game.scene(table.view(seat)) if zone.name == "hand"}
        assert hands.keys() == {*range(table.seats)}
        assert None not in hands.pop(seat)
        assert {card for hand in hands.values() for card in hand} == {None}


@pytest.mark.parametrize("minutes", [1, 10])
@pytest.mark.parametrize("key", GAMES)
def test_round_clock_changes_no_rule(key, minutes):
    table = deal_first_round(key, round_clock=minutes)
    assert table.view(0).options.round_clock == minutes
    assert table.list_legal_texts() == deal_first_round(key).list_legal_texts()
