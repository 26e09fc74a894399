"""What the coach says of choices in each game: named situations, in the notation of the journal."""

from importlib import import_module

import pytest

from cardtable.robots.kit.lesson import YOURSELF, how_often, inside, name
from tests.games.bridge import test_rules as bridge
from tests.games.gurka import test_rules as gurka
from tests.games.king import test_rules as king
from tests.games.rifki import test_rules as rifki
from tests.games.rummy import test_rules as rummy


def reasons(game):
    """What is said to the seat to act of everything that it may do, by the texts of the journal."""
    view = game.view()
    lesson = import_module(f"cardtable.games.{game.game.about.key}.coach").LESSON
    told = lesson.reasons(view, view.legal, game.imagined(view.seat))
    return dict(zip(map(str, view.legal), [tuple(map(YOURSELF.told, each)) for each in told], strict=True))


def aim(game):
    view = game.view()
    return import_module(f"cardtable.games.{game.game.about.key}.coach").LESSON.aim(view)


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (0, "0 of 10"), (0.001, "1 of 100"), (0.02, "1 of 50"), (0.05, "1 of 20"), (0.08, "1 of 10"), (0.34, "3 of 10"),
        (0.66, "7 of 10"), (0.92, "9 of 10"), (0.95, "19 of 20"), (0.98, "49 of 50"), (0.999, "99 of 100"),
        (1, "10 of 10"),
    ],
)  # fmt: skip
def test_all_and_none_are_said_only_where_that_is_so_and_little_is_not_told_as_more(share, told):
    assert how_often(share) == told


# Tricks


def test_king_a_queen_is_given_away_where_it_cannot_take_the_trick():
    game = king.contract("no-queens", "AC", "KC QC 9C 6C", "JC TC").do("play AC")
    told = reasons(game)
    assert told["play QC"] == ("is thrown on another's trick",)
    assert told["play KC"] == ("is safe here",)
    assert told["play 6C"] == ("loses this trick",)


def test_king_the_highest_that_stays_under():
    game = king.contract("no-tricks", "9C TD JD", "QC 8C 7C AS", "6C", "KC").do("play 9C")
    told = reasons(game)
    assert told["play 8C"] == ("is the highest that stays under",)
    assert told["play 7C"] == ("loses this trick",)
    assert told["play QC"][0].startswith("takes this trick in ")


def test_king_trumps_are_saved_and_suits_run_out():
    game = king.contract("hearts", "AC", "7H 8D 9D KD").do("play AC")
    told = reasons(game)
    assert told["play 7H"][0].startswith("takes this trick")
    assert told["play 8D"][:2] == ("loses this trick", "keeps KD")
    assert "saves your trumps" in told["play 8D"]
    assert "saves your trumps" not in told["play 7H"]
    game = king.contract("no-king", "8D 6C 7C TC", "AH").do("play 8D")
    assert not any("trumps" in reason for reason in sum(reasons(game).values(), ()))


def test_king_contracts_by_what_is_held():
    game = king.sitting().deal("QC QD KC 9C 8C 6C 7C 6S 7S", number=9)
    told = reasons(game)
    assert told["contract clubs"] == ("you hold 6 clubs",)
    assert told["contract hearts"] == ("you hold 0 hearts",)
    assert told["contract no-queens"] == ("you hold 2 of the cards that count",)
    assert told["contract no-king"] == ("you hold none of the cards that count",)
    assert told["contract no-tricks"] == ()


def test_king_nothing_more_is_to_be_collected_where_points_are_lost():
    game = king.contract("no-tricks", "AC", "6C", "7C", "8C")
    assert [aim(game).reached(points) for points in (0, -4)] == [True, False]
    game.do("play AC, play 6C, play 7C, play 8C")
    assert [aim(game).reached(points) for points in (-4, -8)] == [True, False]
    assert aim(king.contract("clubs")) is None
    assert aim(game.do("offer 12")) is None, "an answer is settled, not hoped for"


def test_king_what_an_offer_leaves():
    told = reasons(king.contract("no-queens", "AC", "6C").do("play AC"))
    assert told["offer 12"] == ("leaves 24 to the others",)
    game = king.contract("no-queens", "AC KC", "6C 7C", "8C 9C", "TC JC")
    game.do("play AC, play 6C, play 8C, play TC, play KC, play 7C, play 9C, play JC")
    assert reasons(game)["claim"] == ("you collect all 36 points left",)


def test_rifki_nothing_more_is_to_be_collected():
    game = rifki.declared("kiz", "AC", "2C", "3C", "QC 4C")
    assert [aim(game).reached(points) for points in (0, -100)] == [True, False]
    game.do("play AC")
    assert reasons(game)["play QC"] == ("is thrown on another's trick",)
    assert aim(rifki.declared("clubs")) is None


def test_gurka_the_lowest_card_and_what_is_kept_for_the_end():
    game = gurka.dealt("9C", "3C 9H QD KC AH 7S 8S").do("play 9C")
    told = reasons(game)
    assert told["play 3C"] == ("loses this trick", "is your lowest card")
    assert told["play AH"] == ("takes this trick", "keeps 3C")
    assert [aim(game).reached(points) for points in (0, -9)] == [True, False]


# Bridge


def test_bridge_what_cards_do_to_the_others():
    told = reasons(bridge.turn_on("9C", "7C 8C AC JD KC"))
    assert told["play 7C"] == ("makes the next player draw 1", "keeps a jack", "leaves you 4 cards")
    assert told["play 8C"] == (
        "makes the next player draw 2", "passes over the next player", "keeps a jack", "leaves you 4 cards"
    )  # fmt: skip
    assert told["play AC"] == ("passes over the next player", "keeps a jack", "leaves you 4 cards")
    assert told["play JD"] == ("lets you name the suit", "leaves you 4 cards")
    assert told["play KC"] == ("keeps a jack", "leaves you 4 cards")


def test_bridge_two_at_the_table_and_the_suit_that_is_named():
    told = reasons(bridge.turn_on("9C", "AC 8C 9D JD KC", seats=2))
    assert "gives you another turn" in told["play AC"]
    game = bridge.turn_on("9C", "JD TD KD 6S 6H").do("play JD")
    assert reasons(game)["suit D"] == ("you hold 2 diamonds",)
    assert reasons(game)["suit C"] == ("you hold 0 clubs",)


def test_bridge_a_six_must_be_covered():
    assert reasons(bridge.turn_on("9C", "6C KD"))["play 6C"][0] == "must be covered"


def test_bridge_the_second_seven_and_the_end_of_the_turn():
    game = bridge.turn_on("9C", "7C 7D 9D JD KC").do("play 7C")
    told = reasons(game)
    assert told["play 7D"][0] == "makes the next player draw 2"
    assert told["done"] == ("ends your turn",)


# Rummy


def test_rummy_what_the_other_can_do_with_a_card():
    game = rummy.sitting("5C 6C 7C KH", then="2D").do("stock, meld 5C 6C 7C")
    told = reasons(game)
    (drop,) = [text for text in told if text == "drop KH"]
    assert told[drop][0] == "rids you of 10 points"
    assert told[drop][1].startswith("the other player can")
    for text, words in told.items():
        if text in ("drop 4C", "drop 8C"):
            assert words[1] == "the other can use it in 10 of 10", "it fits on the table"


def test_rummy_what_is_brought_and_taken():
    game = rummy.sitting("5C 6C 7C KH", then="KD")
    told = reasons(game.do("stock"))
    assert told["meld 5C 6C 7C"] == ("brings 18 points",)
    game = rummy.sitting("5C 6C KH KS", then="7C")
    told = reasons(game)
    assert told["take 1"] == ("lets you meld 5C 6C 7C",)
    assert told["stock"] == ()


# Names


def test_actions_are_called_as_players_say_them():
    game = king.sitting().deal(number=9)
    called = {str(action): name(action) for action in game.view().legal}
    assert called["contract no-queens"] == "No Queens"
    assert called["contract spades"] == "Trump spades"
    assert {inside(action) for action in game.view().legal} == set(called.values())
    told = [(name(action), inside(action)) for action in bridge.turn_on("9C", "JD").do("play JD").view().legal]
    assert ("Hearts", "hearts") in told
    assert [name(action) for action in rummy.sitting(then="KD").view().legal] == ["The stock", "Take 1"]
