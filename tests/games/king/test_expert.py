"""King's expert: rollouts, candidates, evident choices."""

from functools import partial
from itertools import islice
from random import Random
from statistics import fmean

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import iter_cards
from cardtable.engine.value_checks import decode_view, encode_view
from cardtable.games import GAMES
from cardtable.games.king.expert import SEARCH_SPEC, estimate_naming_cost, make_state_knowledge
from cardtable.games.king.expert.rollouts import get_side_estimates, play_out
from cardtable.games.king.policy import make_knowledge, steady
from cardtable.games.king.rules import KingState
from cardtable.games.king.rules.actions import CONTRACTS, FULL_SESSION, SHORT_SESSION, Options
from cardtable.robots.arena import play_session
from cardtable.robots.kit.search import evaluate_all
from tests.games.king.test_rules import CLUBS, start_contract
from tests.robots.positions import choose_expert_action


def list_candidate_texts(game):
    """Return the search's candidates in notation, without the kind of action."""
    return [str(action).partition(" ")[2] for action in SEARCH_SPEC.candidates(game.view())]


def iter_states(named, number, **options):
    """Yield states in rounds of a contract played by steady robots, each some plays after the deal."""
    rng = Random(named.text)
    for _ in range(number):
        state = KingState(Options(offers="off", **options))
        state.apply(state.draw_chance(rng))
        state.contract = named
        for _ in range(rng.randrange(30)):
            if state.playing:
                play_steady_card(state, rng)
        if state.playing:
            yield state


def play_steady_card(state, rng):
    """Play a steady robot's card for the seat on turn."""
    view = state.view(state.turn)
    legal = tuple([action for action in view.legal if str(action).startswith("play")])
    state.apply(legal[0] if len(legal) == 1 else steady(replace(view, legal=legal), rng))


@pytest.mark.parametrize("drop", ["under-ace", "void-only"])
@pytest.mark.parametrize("named", CONTRACTS, ids=str)
def test_rollout_points_match_steady_robots(named, drop):
    same = []
    for state in iter_states(named, 12, king_drop=drop):
        points = list(play_out(state.copy()))
        while state.playing:
            play_steady_card(state, Random(1))
        same.append(points == list(state.points))
    assert sum(same) >= len(same) - 1, "rounding may tell cards apart that are worth the same"
    assert len(same) > 5


@pytest.mark.parametrize("named", CONTRACTS, ids=str)
def test_view_from_a_file_has_the_same_values(named):
    game, values = GAMES["king"], []
    view = next(state.view(state.turn) for state in iter_states(named, 12) if not state.trick)
    for read in (decode_view(game, encode_view(view)), view):
        get_side_estimates.cache_clear()
        candidates = evaluate_all(SEARCH_SPEC, read, view.legal, 8, Random(1))
        knowledge = make_knowledge(read, read.contract, sum(read.played))
        plain = [knowledge.evaluate_card(card) for card in iter_cards(view.hand)]
        values.append(([candidate.values for candidate in candidates], plain))
    assert values[0] == values[1]


@pytest.mark.parametrize(
    ("text", "hand", "worth_a_look"),
    [
        ("no-tricks", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D"),
        ("no-queens", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D QC"),
        ("neg-jar", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D KC"),
        ("miser", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D"),
    ],
)
def test_candidates_merge_equivalent_cards(text, hand, worth_a_look):
    assert sorted(list_candidate_texts(start_contract(text, hand))) == sorted(worth_a_look.split())


def test_offer_is_candidate_only_with_bad_hand():
    led, bad = "6C 7C 8C 6D 7D 8D 6S 7S 8S", "AC KC QC AD KD QD AS KS QS"
    kinds = [
        {str(action).split()[0] for action in SEARCH_SPEC.candidates(game.view())}
        for game in iter_offer_situations(led, bad)
    ]
    assert kinds == [{"play", "offer"}, {"play"}]


def iter_offer_situations(led, bad):
    """Yield a game in which the seat on turn may offer: first with the worst hand, then with a good one."""
    yield start_contract("no-tricks", led, bad).do("play 6C")
    yield start_contract("no-tricks", bad, led).do("play AC")


def test_last_positive_contract_costs_more_to_name():
    named = {contract.text: contract for contract in CONTRACTS}

    def cost(text, *declared, quota=FULL_SESSION):
        return estimate_naming_cost([named[each] for each in declared], named[text], quota)

    assert cost("no-trump", "miser") < cost("no-trump") < cost("no-tricks") < 0
    short = partial(cost, quota=SHORT_SESSION)
    assert short("no-trump") < short("neg-jar") < short("no-tricks") < 0
    assert short("no-trump") < short("no-trump", "no-king", "no-jacks", "no-tricks") < 0


@pytest.mark.parametrize("level", ["novice", "steady", "expert"])
def test_short_session_of_robots(level):
    game = GAMES["king"]
    table = play_session(game, [level, *["steady"] * 3], game.options(length="short"), 4, lambda _line: None)
    assert [len(declared) for declared in table.view(0).declared] == [5] * 4


def test_sampling_gives_offerer_bad_hand():
    game, rng = start_contract("no-tricks", "TC 9C 8C").do("play TC, offer 24"), Random(1)
    view, worlds = game.view(), range(60)
    as_it_may_be = fmean(make_state_knowledge(game.game.imagine(view, rng), 1).estimate_loss() for _ in worlds)
    as_it_likely_is = fmean(
        make_state_knowledge(world, 1).estimate_loss()
        for world in islice(SEARCH_SPEC.sample_worlds(view, rng), len(worlds))
    )
    assert as_it_may_be < 10 < 12 < as_it_likely_is


def test_claims_when_all_tricks_are_certain():
    game = start_contract("no-last-two", CLUBS)
    while game.turn != 0 or game.view().complete < 2:
        game.do(next(text for text in game.legal() if text.startswith("play")))
    assert choose_expert_action(game) == "claim"
