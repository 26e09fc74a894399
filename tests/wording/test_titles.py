"""Titles of rounds: in score sheets, with suit symbols, in words."""

import pytest

from cardtable.engine.cards import HEARTS, KING
from cardtable.engine.game import CardsTitle, Contract, EndingTitle, HighTitle
from cardtable.games.king.rules.actions import CONTRACTS
from cardtable.games.rifki.rules import NEGATIVE_CONTRACTS, TRUMP_CONTRACTS
from cardtable.wording.formatting import describe_title, format_round_title
from cardtable.wording.statistics import parse_contract


@pytest.mark.parametrize(
    ("title", "text", "sign", "words"),
    [
        (CardsTitle(10, HEARTS), "10H", "10♥", "10 cards, hearts are trump"),
        (CardsTitle(13, no_trump=True), "13", "13–", "13 cards, no trump"),
        (CardsTitle(1), "1", "1", "1 card"),
        (Contract("Trump", HEARTS), "Trump H", "Trump ♥", "Trump hearts"),
        (Contract("No Queens", short="Queens"), "No Queens", "No Queens", "No Queens"),
        (EndingTitle("out"), "out", "out", ""),
        (EndingTitle("bridge", 3), "bridge ×3", "bridge ×3", ""),
        (HighTitle(KING, HEARTS), "KH", "K high", ""),
        (HighTitle(KING), "K high", "K high", ""),
    ],
)
def test_round_titles(title, text, sign, words):
    assert (str(title), format_round_title(title), describe_title(title)) == (text, sign, words)


def test_short_names_of_contracts():
    titles = [Contract("No Queens", short="Queens"), Contract("No Trump"), Contract("Trump", HEARTS)]
    assert [format_round_title(title, short=True) for title in titles] == ["Queens", "No Trump", "Trump ♥"]


@pytest.mark.parametrize("one", [*CONTRACTS, *NEGATIVE_CONTRACTS, *TRUMP_CONTRACTS], ids=str)
def test_contract_is_parsed_from_its_text(one):
    parsed = parse_contract(str(one.named))
    assert (parsed.name, parsed.trump) == (one.named.name, one.named.trump) == (one.named.name, one.trump)
