"""Chance: outcomes as text, and the generators that draw them."""

from random import Random

import pytest

from cardtable.engine.cards import PACK_36, PACK_52, card, iter_cards
from cardtable.engine.chance import Deal, FirstCard, FirstSeatDraw, Shuffle, Trump, is_permutation_of, read, shuffled
from tests.engine.toy import GAME, Options, RecordingReferee, deal_first_round


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("deal AS 7H 2C", Deal((card("AS"), card("7H"), card("2C")))),
        ("shuffle TD", Shuffle((card("TD"),))),
        ("first 0", FirstSeatDraw(0)),
        ("first 12", FirstSeatDraw(12)),
        ("trump C", Trump(0)),
        ("trump S", Trump(3)),
        ("first-card JH", FirstCard(card("JH"))),
    ],
)
def test_outcome_text_round_trip(text, outcome):
    assert read(text) == outcome
    assert str(outcome) == text


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "deal", "deal ", "deal AS  7H", "deal AS 7H ", "deal as", "deal AS,7H", "deal 10S", "deal AS 1S",
        "Deal AS", "shuffle", "first", "first one", "first 00", "first +1", "first 1_0", "first ٣", "first 1 2",
        "trump", "trump ", "trump CD", "trump X", "trump c", "trump -1", "first-card", "first-card AS AH", "play AS",
    ],
)  # fmt: skip
def test_invalid_outcome_text_is_refused(text):
    with pytest.raises(ValueError, match="is not an outcome of chance"):
        read(text)


@pytest.mark.parametrize("pack", [PACK_36, PACK_52])
def test_shuffled_pack_is_a_permutation(pack):
    order = shuffled(pack, Random(1))
    assert is_permutation_of(order, pack)
    assert list(order) != iter_cards(pack)
    assert shuffled(pack, Random(1)) == order
    assert not is_permutation_of(order[1:], pack)
    assert not is_permutation_of((*order[1:], order[1]), pack)
    assert not is_permutation_of((*order, order[0]), pack)


def test_shuffle_orders_are_equally_likely():
    rng, counts = Random(20261120), {}
    for _ in range(6000):
        order = shuffled(0b111, rng)
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert sum((n - 1000) ** 2 / 1000 for n in counts.values()) < 20.5  # chi-square, 5 degrees of freedom, p = 0.001


# --- random generators of the chance outcomes


def draw_outcome(seed, round_, voids, number, owed):
    """Return the outcome of this kind from the generator of (seed, round, voids, number of the outcome)."""
    state = GAME.start(2, Options())
    state.order, state.owed = (12, 25, 38, 51), owed
    return str(state.draw_chance(Random(f"{seed} {round_} {voids} {number}")))


def test_each_outcome_has_its_own_generator():
    table = deal_first_round(77)
    table.keep(4)
    table.advance()
    for _ in range(2):
        table.void("clock")
        table.advance()
    assert table.list_outcomes() == [
        draw_outcome(77, 0, 0, 0, FirstSeatDraw),
        draw_outcome(77, 1, 0, 0, Deal),
        draw_outcome(77, 1, 0, 1, Trump),
        draw_outcome(77, 2, 0, 0, Deal),
        draw_outcome(77, 2, 0, 1, Trump),
        draw_outcome(77, 2, 1, 0, Deal),
        draw_outcome(77, 2, 1, 1, Trump),
        draw_outcome(77, 2, 2, 0, Deal),
        draw_outcome(77, 2, 2, 1, Trump),
    ]


def test_resumed_referee_counts_voids_and_outcomes():
    def play(table):
        table.void("clock")
        table.advance()
        table.mix()

    def finish(table):
        table.mix()
        table.void("clock")
        table.advance()

    whole = deal_first_round()
    play(whole)
    resumed = RecordingReferee.replay(whole.lines)
    known = len(whole.lines)
    finish(whole)
    finish(resumed)
    assert whole.lines[known:] == resumed.lines
