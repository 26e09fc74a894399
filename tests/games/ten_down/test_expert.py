"""Expert of Ten Down: rollouts by the rules, likely hands, evident choices."""

from collections import Counter
from itertools import combinations
from random import Random

from cardtable.engine.cards import BIT, COPY_OFFSET, iter_cards, mask_of, normalize_copies
from cardtable.games import GAMES
from cardtable.games.ten_down import expert as ten_down
from tests.notation import ScriptedGame

GAME = GAMES["ten_down"]


def deal_round(number, trump, *hands, seats=3, **options):
    """Deal the first round of a short room; seat 0 is to bid."""
    return ScriptedGame("ten_down", seats, room=number, **options).deal(*hands, number=number).do(f"trump {trump}")


def test_candidates_merge_equivalent_cards():
    game = deal_round(5, "S", "9H 9H TH TH JH").do("bid 0, bid 0, bid 0")
    assert [str(action) for action in ten_down.list_candidates(game.view(0))] == ["play 9H", "play JH"]
    game = deal_round(5, "S", "9H 7C 7C 7D 7D", "8H 8H TH TH 8C").do("bid 0, bid 0, bid 0, play 9H")
    assert [str(action) for action in ten_down.list_candidates(game.view(1))] == ["play 8H", "play TH"]


def test_sampled_hands_fit_bids():
    game = deal_round(5, "S", "7C 8C 9D TD QH").do("bid 0, bid 4, bid 0")
    rng, view = Random(2), game.view(0)

    def count_spades(imagine):
        return sum((imagine(view, rng).hands[1] >> 39 & 0x1FFF).bit_count() for _ in range(60))

    assert count_spades(ten_down.sample_likely_state) > count_spades(GAME.imagine) + 20


def test_imagined_endings_match_number_of_ways():
    """The other seat may hold either of two identical unseen cards."""
    game = deal_round(5, "S", "9H 7C 7C 8D 8D", "TD QC JC 9D 7D", seats=2).do("bid 0, bid 0")
    view, rng = game.do("play 9H, play TD, play 7C, play JC, play QC, play 7C").view(0), Random(3)
    hidden = [
        c for c in iter_cards(ten_down.find_unseen_cards(view)) if not BIT[c % COPY_OFFSET] & view.excluded_cards[1]
    ]
    weights = Counter(normalize_copies(mask_of(hand)) for hand in combinations(hidden, 2))
    met = Counter(GAME.imagine(view, rng).hands[1] for _ in range(10 * sum(weights.values())))
    assert set(met) <= set(weights)
    assert all(abs(met[hand] - 10 * number) < 5.5 * (10 * number) ** 0.5 for hand, number in weights.items())
