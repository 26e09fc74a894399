"""Metropolis sampling of hidden hands."""

from collections import Counter
from itertools import islice
from math import log
from random import Random

import pytest

from cardtable.engine.cards import OF_SUIT, cards
from cardtable.robots.kit.search import iter_metropolis_hands

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
