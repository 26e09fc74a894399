"""Rifki's expert: rollouts by the rules, candidates, evident choices."""

from cardtable.games.rifki import expert as rifki
from tests.notation import ScriptedGame


def start_contract(contract, *hands, **options):
    """Deal the first round; seat 0 declares the contract, if there is one."""
    game = ScriptedGame("rifki", 4, direction="clockwise", **options).do("first 0").deal(*hands, number=13)
    return game.do(f"contract {contract}") if contract else game


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
