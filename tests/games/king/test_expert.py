"""King's expert: rounds played on as the rules have them, what is worth a look, and what is in no doubt."""

from collections import Counter
from itertools import islice
from random import Random
from statistics import fmean

import pytest
from msgspec.structs import replace

from cardtable.games.king.expert import SEARCH_SPEC, estimate_naming_cost, make_state_knowledge
from cardtable.games.king.expert.rollouts import play_out
from cardtable.games.king.policy import steady
from cardtable.games.king.rules.actions import Options
from cardtable.games.king.rules.contracts import CONTRACTS
from cardtable.games.king.rules.state import KingState
from cardtable.robots.kit.robot import make_robot
from tests.games.king.test_rules import CLUBS, contract, sitting
from tests.robots.positions import positions


def expert(game):
    """What an expert does now."""
    return str(make_robot("expert", "king").choose(game.view(), Random(1), lambda: False))


def looked_at(game):
    """What is worth a look, without the kind of action."""
    return [str(action).partition(" ")[2] for action in SEARCH_SPEC.candidates(game.view())]


def rounds(named, number, **options):
    """States in rounds of a contract played by steady robots, each some plays after the deal."""
    rng = Random(named.text)
    for _ in range(number):
        state = KingState(Options(offers="off", **options))
        state.apply(state.draw_chance(rng))
        state.contract = named
        for _ in range(rng.randrange(30)):
            if state.playing:
                steady_plays(state, rng)
        if state.playing:
            yield state


def steady_plays(state, rng):
    """The seat to act plays a card."""
    view = state.view(state.turn)
    legal = tuple([action for action in view.legal if str(action).startswith("play")])
    state.apply(legal[0] if len(legal) == 1 else steady(replace(view, legal=legal), rng))


@pytest.mark.parametrize("drop", ["under-ace", "void-only"])
@pytest.mark.parametrize("named", CONTRACTS, ids=str)
def test_rounds_are_played_on_as_steady_robots_play_them(named, drop):
    same = []
    for state in rounds(named, 12, king_drop=drop):
        points = list(play_out(state.copy()))
        while state.playing:
            steady_plays(state, Random(1))
        same.append(points == list(state.points))
    assert sum(same) >= len(same) - 1, "rounding may tell cards apart that are worth the same"
    assert len(same) > 5


POSITIVE = ["clubs", "diamonds", "hearts", "spades", "no-trump", "miser"]


@pytest.mark.parametrize("named", CONTRACTS, ids=str)
def test_what_all_collect_together_is_in_the_rules(named):
    for state in rounds(named, 10):
        assert sum(play_out(state)) == (108 if named.text in POSITIVE else named.total_points)


def test_all_that_is_looked_at_is_legal():
    kinds = Counter()
    for view, _, _ in positions("king"):
        found = SEARCH_SPEC.candidates(view)
        assert found
        assert set(found) <= set(view.legal)
        assert len(set(found)) == len(found)
        kinds[str(found[0]).partition(" ")[0]] += 1
    assert set(kinds) >= {"contract", "play", "take"}


@pytest.mark.parametrize(
    ("text", "hand", "worth_a_look"),
    [
        ("no-tricks", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D"),
        ("no-queens", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D QC"),
        ("neg-jar", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D KC"),
        ("miser", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D"),
    ],
)
def test_of_cards_that_come_to_the_same_one_is_looked_at(text, hand, worth_a_look):
    assert sorted(looked_at(contract(text, hand))) == sorted(worth_a_look.split())


def test_cards_on_both_sides_of_one_that_lies_in_the_trick_are_not_the_same():
    game = contract("no-tricks", "8C", "7C 9C TC").do("play 8C")
    assert looked_at(game)[:2] == ["7C", "9C"]


def test_an_offer_is_looked_at_with_a_bad_hand_only():
    led, bad = "6C 7C 8C 6D 7D 8D 6S 7S 8S", "AC KC QC AD KD QD AS KS QS"
    kinds = [{str(action).split()[0] for action in SEARCH_SPEC.candidates(game.view())} for game in offering(led, bad)]
    assert kinds == [{"play", "offer"}, {"play"}]


def offering(led, bad):
    """Who may offer with the worst hand, and with a good one."""
    yield contract("no-tricks", led, bad).do("play 6C")
    yield contract("no-tricks", bad, led).do("play AC")


@pytest.mark.parametrize(
    ("hand", "named"),
    [
        ("AS KS AH KH AD KD AC KC QC", "contract no-trump"),
        ("6S 7S 8S 6H 7H 8H 6D 7D 6C", "contract miser"),
    ],
)
def test_names_the_contract_that_the_hand_is_made_for(hand, named):
    assert expert(sitting().deal(hand, number=9)) == named


def test_the_last_positive_contract_is_kept_longer_than_the_first():
    named = {contract.text: contract for contract in CONTRACTS}
    assert estimate_naming_cost((named["miser"],), named["no-trump"]) < estimate_naming_cost((), named["no-trump"]) < 0
    assert estimate_naming_cost((), named["no-trump"]) < estimate_naming_cost((), named["no-tricks"]) < 0, (
        "it brings more"
    )


@pytest.mark.parametrize(
    ("text", "led", "hand", "played"),
    [
        ("no-queens", "KS", "AS QS 7S", "QS"),
        ("no-tricks", "9S", "8S 6S AH KH AD KD AC 6C 7C", "8S"),
        ("no-last-two", "9S", "AS 8S 6S KH AD KD AC 6C 7C", "AS"),
    ],
    ids=str,
)
def test_gets_rid_of_what_may_cost(text, led, hand, played):
    assert expert(contract(text, led, hand, "TS", "JS").do(f"play {led}")) == f"play {played}"


def test_leaves_the_trick_to_a_partner_who_has_it():
    assert expert(contract("spades", "6C", "7C", "AC 8C", "9C").do("play 6C, play 7C")) == "play 8C"


def test_takes_nothing_of_an_offer_with_a_good_hand_and_all_with_one_that_would_lose_more():
    good, bad = "6D 7D 8D 6H 7H 6S 7S 6C 7C", "AD KD QD AH KH AS KS AC KC"
    offered = [contract("no-tricks", "TC 9C 8C", "JC", hand).do("play TC, offer 12") for hand in (good, bad)]
    assert [expert(game) for game in offered] == ["take 0", "take 24"]


def test_who_offers_is_taken_to_hold_a_bad_hand():
    game, rng = contract("no-tricks", "TC 9C 8C").do("play TC, offer 24"), Random(1)
    view, worlds = game.view(), range(60)
    as_it_may_be = fmean(make_state_knowledge(game.game.imagine(view, rng), 1).estimate_loss() for _ in worlds)
    as_it_likely_is = fmean(
        make_state_knowledge(world, 1).estimate_loss() for world in islice(SEARCH_SPEC.imagine(view, rng), len(worlds))
    )
    assert as_it_may_be < 10 < 12 < as_it_likely_is


def test_claims_what_it_takes_in_any_case():
    game = contract("no-last-two", CLUBS)
    while game.turn != 0 or game.view().complete < 2:
        game.do(next(text for text in game.legal() if text.startswith("play")))
    assert expert(game) == "claim"
