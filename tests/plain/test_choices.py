"""What is listed, and what is understood of what is typed."""

import pytest

from cardtable.engine.bidding import BIDS
from cardtable.engine.cards import card
from cardtable.engine.tricks import PLAY
from cardtable.games.bridge.rules.actions import NAME_SUIT
from cardtable.games.king.rules.actions import NAMINGS, OFFERS, TAKES
from cardtable.games.rummy.rules.actions import ADD, DROP, MELD, STOCK, TAKE
from cardtable.plain.choices import Unclear, choices, listed, understood


def plays(text):
    return [PLAY[card(name)] for name in text.split()]


def meld(text):
    return next(action for action in MELD if str(action) == f"meld {text}")


MELDING = choices(
    [meld("7S 8S 9S"), meld("7C 7D 7S"), ADD[3][card("7S")], DROP[card("7S")], DROP[card("9S")], ADD[2][card("TH")]]
)


def told(given):
    return listed(given, lambda _: "")


class TestListed:
    def test_cards_follow_what_is_done_with_them(self):
        assert told(choices(plays("7S AS"))) == ["play: 1 7S, 2 AS"]

    def test_bids_stand_for_themselves(self):
        assert told(choices(BIDS[:5])) == ["bid: 0 to 4"]

    def test_a_bid_that_is_forbidden_is_left_out(self):
        assert told(choices([*BIDS[:3], *BIDS[4:8]])) == ["bid: 0 to 2, 4 to 7"]

    def test_one_is_always_there(self):
        given = choices([BIDS[0], BIDS[2], BIDS[3]])
        assert told(given) == ["1 bid 0, 2 bid 2, 3 bid 3"]
        assert [understood(str(number), given) for number in (1, 2, 3)] == [BIDS[0], BIDS[2], BIDS[3]]

    def test_cards_come_before_what_could_be_said_instead(self):
        assert told(choices([*NAMINGS[:2], *plays("7S")])) == ["play: 1 7S", "contract: 2 no-tricks, 3 no-hearts"]

    def test_many_numbers_beside_cards_are_told_by_the_first_and_the_last(self):
        given = choices([*plays("7S 8S"), *OFFERS])
        assert told(given) == ["play: 1 7S, 2 8S", "offer: 3 to 38 for offer 1 to offer 36"]
        assert understood("12", given) == OFFERS[9]

    def test_what_needs_a_word_gets_one(self):
        given = choices([STOCK, TAKE[1], TAKE[3]])
        assert listed(given, lambda action: "deep" * (action == TAKE[3])) == ["1 stock", "2 take 1, 3 take 3 (deep)"]


class TestUnderstood:
    @pytest.mark.parametrize(
        "typed", ["1", "play 7S", "PLAY 7s", "7S", "7s", "7♠", "7 of spades", "seven of spades", " play   7S "]
    )
    def test_a_card_however_it_is_said(self, typed):
        assert understood(typed, choices(plays("7S TS"))) == PLAY[card("7S")]

    @pytest.mark.parametrize("typed", ["TS", "ts", "10S", "10♠", "10 of spades", "ten of spades", "t of spades"])
    def test_a_ten(self, typed):
        assert understood(typed, choices(plays("7S TS"))) == PLAY[card("TS")]

    @pytest.mark.parametrize("typed", ["3", "bid 3"])
    def test_a_bid(self, typed):
        assert understood(typed, choices(BIDS[:5])) == BIDS[3]

    @pytest.mark.parametrize("typed", ["12", "take 12"])
    def test_a_part_of_an_offer(self, typed):
        assert understood(typed, choices(TAKES)) == TAKES[12]

    @pytest.mark.parametrize("typed", ["contract no-hearts", "no-hearts", "No-Hearts"])
    def test_a_contract(self, typed):
        assert str(understood(typed, choices(NAMINGS))) == "contract no-hearts"

    @pytest.mark.parametrize("typed", ["suit H", "h", "hearts", "heart", "suit hearts", "♥"])
    def test_a_suit(self, typed):
        assert str(understood(typed, choices(NAME_SUIT))) == "suit H"

    @pytest.mark.parametrize("typed", ["meld 7S 8S 9S", "7s 8s 9s", "9S, 8S, 7S", "meld 9 of spades 8s 7s"])
    def test_a_combination_with_its_cards_in_any_order(self, typed):
        assert understood(typed, MELDING) == meld("7S 8S 9S")

    @pytest.mark.parametrize(("typed", "meant"), [("drop 7s", "drop 7S"), ("add 7s", "add 7S 3"), ("9S", "drop 9S")])
    def test_as_much_as_no_other_action_has_is_enough(self, typed, meant):
        assert str(understood(typed, MELDING)) == meant

    def test_what_could_be_several_is_asked(self):
        with pytest.raises(Unclear, match=r"^That could be add 7S 3 or drop 7S\.$"):
            understood("7S", MELDING)

    @pytest.mark.parametrize("typed", ["0", "3", "99", "1" * 5000])
    def test_a_number_that_is_not_in_the_list(self, typed):
        with pytest.raises(Unclear, match=r"^There is no \d+ in the list\.$"):
            understood(typed, choices(plays("7S TS")))

    @pytest.mark.parametrize("typed", ["8S", "play", "play 7S TS", "7S 7S", "7", "bid 7S", "\x1b[2J", "-1", "²"])
    def test_what_is_no_action(self, typed):
        with pytest.raises(Unclear):
            understood(typed, choices(plays("7S TS")))
