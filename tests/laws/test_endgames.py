"""Near the end of a round no level above novice plays what is certainly worse; certain ways out are taken."""

from itertools import chain, count, islice
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import OF_SUIT, PACK_36, PACK_52, cards, iter_cards, names
from cardtable.engine.game import find_action
from cardtable.records.puzzles import create_puzzle
from cardtable.records.review import PastDecision, judge_decision
from cardtable.robots.hints import advise
from cardtable.robots.kit.robot import decide, load_search_spec, make_robot, no_time_limit
from cardtable.robots.kit.search import evaluate_all
from cardtable.robots.kit.search_spec import no_tree
from tests.budgets import get_trials
from tests.games.king import test_rules as king
from tests.games.rifki import test_rules as rifki
from tests.games.rikiki import test_rules as rikiki
from tests.games.ten_down import test_rules as ten_down
from tests.laws import endgames
from tests.laws.sessions import CASES_BY_GAME, get_share
from tests.records.review_journals import review_decision
from tests.robots.positions import choose_expert_action


def ruff_in_rikiki():
    """Hearts are trump; the bid is 2, and the hand 3H AH, behind 8C QC."""
    game = rikiki.start_session(after=1).deal("3C 2D", "8C 2S", "QC 3S", "3H AH", then="2H", number=2)
    return game.do("bid 0, bid 0, bid 2, bid 1, play 8C, play QC")


def ruff_in_ten_down():
    """Spades are trump; the bid is 2, and the hand 7S AS, behind AD."""
    hands = "7S AS", "8C 8D", "7D 7H", "AD 9C"
    return ten_down.begin_round(ten_down.start_session(after=3), *hands, trump="S", bids="0 2 0 1").do("play AD")


@pytest.mark.parametrize(
    ("position", "low", "high"),
    [(ruff_in_rikiki, "3H", "AH"), (ruff_in_ten_down, "7S", "AS")],
    ids=["rikiki", "ten_down"],
)
def test_low_trump_ruffs_as_the_ace_takes_the_last_trick(position, low, high):
    """If all tricks are needed, the card that surely takes this one may be sure to take a later one, too."""
    game = position()
    key, best = game.game.about.key, f"play {low}"
    assert choose_expert_action(game) == best
    assert str(advise(key, game.view(), Random(1), no_time_limit).lines[0].action) == best
    session, decision, evaluation = review_decision(game, f"play {high}")
    assert evaluation.choices[0].action == best
    assert evaluation.cost > 1
    assert create_puzzle(session, decision, evaluation, load_search_spec(key)).choices[0].action == best


def reach_last_cards(start, pack, *left):
    """Start a round and play all cards but those of ``left``; to each trick all follow suit, and seat 0 takes it."""
    hands, tricks = [text.split() for text in left], []
    for suit in OF_SUIT:
        gone = names(iter_cards(pack & suit & ~cards(" ".join(left)))[::-1]).split()
        tricks += [gone[first : first + 4] for first in range(0, len(gone), 4)]
    game = start(*[" ".join(hand) for hand in map(list.__add__, hands, map(list, zip(*tricks, strict=True)))])
    for trick in tricks:
        for _ in trick:
            game.do(f"play {trick[game.turn]}")
    return game


def start_son_iki(*hands):
    return rifki.start_contract("son-iki", *hands)


def start_no_last_two(*hands):
    return king.start_contract("no-last-two", *hands)


@pytest.mark.parametrize(
    ("start", "pack", "left", "lead", "better"),
    [
        (start_son_iki, PACK_52, ("2D 3H 7H", "2C 4C 9C", "TC JC QH", "KH AH 4S"), None, "3H"),
        (start_son_iki, PACK_52, ("9D 4H 4S", "7C 8C JC", "KC AC 6D", "TD QD KD"), None, "9D"),
        (start_no_last_two, PACK_36, ("TC 8C AC", "7C QC 8S", "6H 8H 9H", "QH KH 6D"), "TC", "QC"),
    ],
    ids=["2D for 3H", "4H for 9D", "7C for QC"],
)
def test_certain_loss_is_seen_among_many_deals(start, pack, left, lead, better):
    game = reach_last_cards(start, pack, *left)
    if lead:
        game.do(f"play {lead}")
    for level in ("steady", "expert"):
        assert str(decide(make_robot(level, game.game.about.key), game.view(), 1, 0)) == f"play {better}"


REVIEWED = 12
"""Number of decisions that are reviewed."""
MAX_CARDS = 8
"""Largest hand for which all ways out are tried."""


@pytest.mark.parametrize("level", ["steady", "expert"])
@pytest.mark.parametrize("key", endgames.TRICK_GAMES)
def test_no_play_is_certainly_worse(key, level):
    verdicts = endgames.examine(key, endgames.judge_robot(make_robot(level, key)), get_trials("endgames"))
    assert not verdicts["worse"]
    assert verdicts["fine"]


@pytest.mark.parametrize("key", endgames.TRICK_GAMES)
def test_search_leaves_out_no_better_card(key):
    """Cards that are no candidates, or are called dominated, are worth no more than a candidate in any deal."""
    assert not endgames.examine(key, endgames.judge_search, get_trials("candidates"))["better"]


LEVELS_THAT_GO_OUT = {"bridge": ["steady"], "rummy": ["steady", "expert"]}
"""Levels that never wait with a certain way out; the expert of Bridge does if others are likely to draw meanwhile."""


@pytest.mark.parametrize(
    ("case", "level"),
    [(case, level) for key, levels in LEVELS_THAT_GO_OUT.items() for level in levels for case in CASES_BY_GAME[key]],
    ids=str,
)
def test_certain_way_out_is_taken(case, level):
    """A robot goes out if its cards allow it before another seat has a turn, whatever is hidden."""
    robot = make_robot(level, case.game.about.key)
    for seed in range(get_share(get_trials("ways out"), case)):
        for view, number in endgames.iter_views(case, seed):
            world = case.game.imagine(view, Random(seed))
            if view.hand.bit_count() <= MAX_CARDS and endgames.can_go_out(world, view.seat):
                after = endgames.follow(world, decide(robot, view, seed, number))
                assert endgames.is_way_out(world, after, view.seat)


@pytest.mark.parametrize("key", endgames.TRICK_GAMES)
def test_mistake_of_a_review_costs_points_in_other_deals(key):
    """What a review calls a mistake in the last four cards is worse in all deals that fit, or in 2,000 of them."""
    spec = replace(load_search_spec(key), worlds=2_000, tree_config=no_tree)
    decisions = chain.from_iterable(endgames.iter_decisions(CASES_BY_GAME[key][0], seed) for seed in count())
    mistakes = 0
    for number, decision in enumerate(islice(decisions, 0, REVIEWED * endgames.INTERVAL, endgames.INTERVAL)):
        view = decision.view
        own = view.legal[number % len(view.legal)]
        evaluation, _ = judge_decision(key, 1, PastDecision(view.round, 0, decision.number, view, own))
        if evaluation.cost:
            best = find_action(view.legal, evaluation.choices[0].action)
            better, worse = evaluate_all(spec, view, [best, own], spec.worlds, Random(0))
            assert better.mean > worse.mean
            mistakes += 1
    assert mistakes


def test_referee_finds_certain_losses():
    """A robot that plays its highest card throws points away."""

    class Highest:
        def choose(self, view, rng, stop):
            return view.legal[-1]

    assert endgames.examine("rifki", endgames.judge_robot(Highest()), 40)["worse"]


def test_referee_finds_better_cards_left_out(monkeypatch):
    """A search that looks at the highest card only misses better ones."""
    spec = replace(load_search_spec("king"), candidates=lambda view: view.legal[-1:])
    monkeypatch.setattr(endgames, "load_search_spec", lambda _key: spec)
    assert endgames.examine("king", endgames.judge_search, 20)["better"]
