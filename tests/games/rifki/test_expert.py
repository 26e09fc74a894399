"""Rifki's expert: rollouts by the rules, candidates, evident choices."""

from collections import Counter
from itertools import product
from random import Random

import pytest

from cardtable.engine.cards import PACK_52, iter_cards, mask_of
from cardtable.engine.game import CHANCE
from cardtable.games import GAMES
from cardtable.games.rifki import expert as rifki
from cardtable.games.rifki.rules import CONTRACTS
from tests.notation import ScriptedGame

GAME = GAMES["rifki"]


def start_contract(contract, *hands, **options):
    """Deal the first round; seat 0 declares the contract, if there is one."""
    game = ScriptedGame("rifki", 4, direction="clockwise", **options).do("first 0").deal(*hands, number=13)
    return game.do(f"contract {contract}") if contract else game


def create_midgame_state(contract, seed, cards=None, **options):
    """Return a state in which `contract` is declared and some cards have been played at random."""
    rng = Random(seed)
    state = GAME.start(4, GAME.options(**options))
    while state.turn == CHANCE:
        state.apply(state.draw_chance(rng))
    state.apply(contract)
    for _ in range(seed % 40 if cards is None else cards):
        plays = [action for action in state.legal() if action not in CONTRACTS]
        state.apply(rng.choice(plays))
        if not state.playing:
            break
    return state


def test_future_value_of_trump_contract():
    view = start_contract("").view(0)
    worth = {str(action): rifki.estimate_future_value(view, action) for action in view.legal}
    assert worth["contract hearts"] == 0
    assert worth["contract kiz"] == worth["contract rifki"] > 50


def test_candidates_merge_equivalent_cards():
    game = start_contract("erkek", "9C TC JC QC KC AC 2D 3D 5D 2S", "4D")
    assert {str(action) for action in rifki.list_candidates(game.view(0))} >= {
        "play JC",
        "play 9C",
        "play 2D",
        "play 5D",
    }
    assert len(rifki.list_candidates(game.view(0))) < len(game.legal())
    game.do("play 5D")
    assert rifki.choose_by_rule(game.view(1)) in rifki.list_candidates(game.view(1))


def test_card_in_trick_separates_candidates():
    game = start_contract("el-almaz", "9C 2D", "8C TC").do("play 9C")
    assert [str(action) for action in rifki.list_candidates(game.view(1))] == ["play 8C", "play TC"]


def list_endings(view):
    """Return all distributions of the unseen cards that are consistent with the view."""
    others = [seat for seat in range(4) if seat != view.seat]
    unseen = iter_cards(PACK_52 & ~view.hand & ~sum(view.played))
    endings = set()
    for owners in product(others, repeat=len(unseen)):
        hands = [mask_of([c for c, owner in zip(unseen, owners, strict=True) if owner == seat]) for seat in range(4)]
        fits = all(hands[s].bit_count() == view.sizes[s] and not hands[s] & view.excluded_cards[s] for s in others)
        if fits:
            hands[view.seat] = view.hand
            endings.add(tuple(hands))
    return endings


@pytest.mark.parametrize("name", ["clubs", "erkek", "el-almaz"])
def test_imagined_endings_are_uniform(name):
    contract = next(contract for contract in CONTRACTS if contract.name == name)
    for seed in range(40, 60):
        state = create_midgame_state(contract, seed, cards=42)
        if not state.playing:
            continue
        view, rng = state.view(state.turn), Random(seed)
        possible = list_endings(view)
        met = Counter(tuple(GAME.imagine(view, rng).hands) for _ in range(100 * len(possible)))
        assert set(met) == possible
        assert all(abs(number - 100) < 55 for number in met.values())
        if len(possible) > 1:
            return
    pytest.fail("no ending with a choice")
