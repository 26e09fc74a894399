"""Menus of actions: their text, and the input that they understand."""

from functools import cache

import pytest
from msgspec.structs import replace

from cardtable.engine.bidding import BIDS
from cardtable.engine.card_order import CardOrder
from cardtable.engine.cards import BIT, NAME, Card, Cards, card, cards, iter_cards, names
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import PLAY
from cardtable.games import GAMES
from cardtable.games.bridge.rules.actions import SUIT_ACTIONS
from cardtable.games.king.rules.actions import NAMINGS, OFFERS, TAKES
from cardtable.games.rummy.rules.actions import ADD, DROP, MELD, STOCK
from cardtable.plain.action_menu import AmbiguousInput, choose_action, describe_menu, make_menu, parse_action
from cardtable.plain.position_text import make_action_menu
from cardtable.plain.speech_text import to_spoken
from cardtable.robots.kit.hint_spec import format_action
from tests.overriding import override
from tests.toy import layaway


def list_plays(text):
    return [PLAY[card(name)] for name in text.split()]


def find_meld(text):
    return next(action for action in MELD if str(action) == f"meld {text}")


def create_menu(legal):
    """Return a menu in which each action is named by its cards."""
    return make_menu(legal, lambda action: to_spoken(action.description or action.argument_text or action.kind))


MELD_MENU = create_menu(
    [
        find_meld("7S 8S 9S"),
        find_meld("7C 7D 7S"),
        ADD[3][card("7S")],
        DROP[card("7S")],
        DROP[card("9S")],
        ADD[2][card("TH")],
    ]
)


def describe(legal):
    return describe_menu(create_menu(legal), lambda _: "")


class TestDescribeMenu:
    def test_cards_are_numbered_words(self):
        assert describe(list_plays("7S AS")) == ["1: play the seven of spades; 2: ace of spades."]

    def test_cards_are_listed_in_the_order_of_the_hand(self):
        order = CardOrder(ranks="ATKQ987", trumps=(card("JC"), card("9C")))
        menu = make_menu(list_plays("9C JC KC TC AS 7S"), lambda action: action.notation, card_order=order)
        assert describe_menu(menu, lambda _: "") == ["1: play KC; 2: TC; 3: 7S; 4: AS; 5: 9C; 6: JC."]
        assert parse_action("2", menu) == PLAY[card("TC")]

    def test_bids_are_a_range(self):
        assert describe(BIDS[:5]) == ["Bid 0 to 4."]

    def test_forbidden_bid_is_left_out(self):
        legal = [*BIDS[:3], *BIDS[4:8]]
        assert describe(legal) == ["Bid 0 to 2 or 4 to 7."]
        with pytest.raises(AmbiguousInput):
            parse_action("3", create_menu(legal))

    def test_cards_come_before_other_actions(self):
        assert describe([*NAMINGS[:2], *list_plays("7S")]) == [
            "1: play the seven of spades.", "2: contract No Tricks; 3: No Hearts."
        ]  # fmt: skip

    def test_offers_beside_cards_need_their_word(self):
        legal = [*list_plays("7S 8S"), *OFFERS]
        assert describe(legal) == ["1: play the seven of spades; 2: eight of spades.", "Offer and a number, 1 to 36."]
        assert parse_action("offer 12", create_menu(legal)) == OFFERS[11]
        with pytest.raises(AmbiguousInput):
            parse_action("12", create_menu(legal))

    def test_items_with_commas_are_separated_by_semicolons(self):
        assert describe([find_meld("7S 8S 9S"), find_meld("7C 7D 7S")]) == [
            "1: meld the seven, eight and nine of spades; 2: sevens of clubs, diamonds and spades."
        ]

    def test_explanation_follows_its_action(self):
        legal = [STOCK, *list_plays("7S 8S")]
        explained = describe_menu(create_menu(legal), lambda action: "the deepest" * (action == legal[2]))
        assert explained == ["1: play the seven of spades; 2: eight of spades (the deepest).", "3: The stock."]


class TestParseAction:
    @pytest.mark.parametrize(
        "typed", ["1", "play 7S", "PLAY 7s", "7S", "7s", "7♠", "7 of spades", "seven of spades", " play   7S "]
    )
    def test_card_in_every_spelling(self, typed):
        assert parse_action(typed, create_menu(list_plays("7S TS"))) == PLAY[card("7S")]

    @pytest.mark.parametrize("typed", ["TS", "ts", "10S", "10♠", "10 of spades", "ten of spades", "t of spades"])
    def test_ten_in_every_spelling(self, typed):
        assert parse_action(typed, create_menu(list_plays("7S TS"))) == PLAY[card("TS")]

    @pytest.mark.parametrize("typed", ["3", "bid 3"])
    def test_bid(self, typed):
        assert parse_action(typed, create_menu(BIDS[:5])) == BIDS[3]

    @pytest.mark.parametrize("typed", ["12", "take 12"])
    def test_part_of_an_offer(self, typed):
        assert parse_action(typed, create_menu(TAKES)) == TAKES[12]

    @pytest.mark.parametrize("typed", ["contract no-hearts", "no-hearts", "No-Hearts"])
    def test_contract(self, typed):
        assert str(parse_action(typed, create_menu(NAMINGS))) == "contract no-hearts"

    @pytest.mark.parametrize("typed", ["suit H", "h", "hearts", "heart", "suit hearts", "♥"])
    def test_suit(self, typed):
        assert str(parse_action(typed, create_menu(SUIT_ACTIONS))) == "suit H"

    @pytest.mark.parametrize(
        "typed",
        ["meld 7S 8S 9S", "7s 8s 9s", "9S, 8S, 7S", "meld 9 of spades 8s 7s", "meld seven, eight and nine of spades"],
    )
    def test_combination_in_any_order(self, typed):
        assert parse_action(typed, MELD_MENU) == find_meld("7S 8S 9S")

    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("drop 7s", "drop 7S"),
            ("discard 7s", "drop 7S"),
            ("add 7s", "add 7S 3"),
            ("lay off 7s", "add 7S 3"),
            ("9S", "drop 9S"),
        ],
    )
    def test_unambiguous_part_is_enough(self, typed, meant):
        assert str(parse_action(typed, MELD_MENU)) == meant

    def test_ambiguous_input_lists_the_actions(self):
        with pytest.raises(
            AmbiguousInput,
            match=r"^That could be lay off the seven of spades on meld 3 or discard the seven of spades\.$",
        ):
            parse_action("7S", MELD_MENU)

    @pytest.mark.parametrize("typed", ["0", "3", "99", "1" * 5000])
    def test_number_outside_the_menu(self, typed):
        with pytest.raises(AmbiguousInput, match=r"^Type 1 or 2, not \d+\.$"):
            parse_action(typed, create_menu(list_plays("7S TS")))

    @pytest.mark.parametrize("typed", ["8S", "play", "play 7S TS", "7S 7S", "7", "bid 7S", "\x1b[2J", "-1", "²"])
    def test_rejects_other_input(self, typed):
        with pytest.raises(AmbiguousInput):
            parse_action(typed, create_menu(list_plays("7S TS")))


@cache
def take(hand, table):
    """Return the capture of cards of the table with a card of the hand, which alone is selected."""
    return Take(card(hand), cards(table))


class Take(Action, frozen=True):
    kind = "take"
    card: Card
    captured: Cards

    @property
    def notation(self):
        return names((self.card, *iter_cards(self.captured)))

    @property
    def argument_text(self):
        return f"{names(iter_cards(self.captured))} with {NAME[self.card]}"

    def cards_used(self):
        return BIT[self.card]


SIX, SEVEN, THREE, SUM = take("6S", "3D 3H"), take("7D", "7H"), take("3C", "3D"), take("7S", "3D 4D")
OTHER_SUM = take("7S", "3H 4D")


def choose(typed, *legal):
    """Return the action that the text chooses in a game of captures, or the answer to it."""
    game = override(GAMES["rummy"], explain_illegal=lambda *_: "Play a card of your hand")
    view = replace(game.start(2, game.options()).view(0), turn=0, legal=legal)
    try:
        return choose_action(typed, game, view, create_menu(legal))
    except AmbiguousInput as answer:
        return str(answer)


@pytest.mark.parametrize("typed", ["the", "a", "from the"])
def test_words_without_meaning_choose_nothing(typed):
    assert choose(typed, STOCK) == f'I don\'t know "{typed}" here. Type help.'


class TestCaptures:
    legal = (SIX, SEVEN, SUM, PLAY[card("2S")])

    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            *[(text, SIX) for text in ("6S", "six of spades", "take six of spades", "take 6s", "3h with 6S")],
            *[(text, SIX) for text in ("take 3D 3H with 6S", "threes of diamonds and hearts", "take 3H")],
            *[(text, SEVEN) for text in ("take 7H", "7H", "7D", "take 7H with 7D")],
            *[(text, SUM) for text in ("take 3D 4D", "4D", "7S", "4d 3d with the seven of spades")],
            ("2S", PLAY[card("2S")]),
        ],
    )
    def test_unambiguous_words_are_enough(self, typed, meant):
        assert choose(typed, *self.legal) == meant

    def test_several_choices_of_a_card_are_listed(self):
        both = (
            "That could be take the three and four of diamonds with the seven of spades "
            "or take the four of diamonds and the three of hearts with the seven of spades."
        )
        assert choose("7S", *self.legal, OTHER_SUM) == choose("take 4D", *self.legal, OTHER_SUM) == both
        assert choose("3H 7S", *self.legal, OTHER_SUM) == OTHER_SUM
        legal = (PLAY[card("6S")], SIX)
        assert choose("6S", *legal).startswith("That could be play the six of spades or take the threes")
        assert (choose("play 6S", *legal), choose("take 6S", *legal)) == legal

    def test_all_captured_cards_mean_no_further_ones(self):
        more = take("9S", "2C 3D 4D")
        assert choose("take 3D 4D", SUM, more) == SUM
        assert choose("take 2C", SUM, more) == more

    @pytest.mark.parametrize("typed", ["take 3D 2H", "take 3D 4D 4H", "KS", "6S 7S"])
    def test_other_cards_have_the_reason_of_the_game(self, typed):
        assert choose(typed, *self.legal) == "Play a card of your hand."

    def test_games_without_captures_play_one_card(self):
        assert choose("6S 7S", *list_plays("6S 7S")) == "You can play only one card at a time."

    def test_part_of_a_meld_selects_it(self):
        drop, meld = DROP[card("7S")], find_meld("7S 8S 9S")
        assert choose("meld 7S", drop, meld) == meld
        assert choose("7S", drop, meld) == drop
        assert choose("7S 8S", drop, meld) == "Play a card of your hand."


class Ask(Action, frozen=True):
    kind = "ask"
    seat: Seat

    @property
    def notation(self):
        return str(self.seat)

    @property
    def argument_text(self):
        return f"{{{self.seat}}} for aces"


class SayGo(Action, frozen=True):
    kind = "go"
    label = "say go"


def test_choices_name_players_and_have_labels():
    view = replace(layaway.GAME.start(3, layaway.Options()).view(0), turn=0, legal=(Ask(1), Ask(2), SayGo()))
    menu = make_action_menu(layaway.GAME, view, ["You", "Ada", "Bo"])
    assert describe_menu(menu, lambda _: "") == ["1: ask Ada for aces; 2: Bo for aces.", "3: say go."]
    assert [parse_action(typed, menu) for typed in ("ask bo", "go")] == [Ask(2), SayGo()]
    assert [format_action(action) for action in menu.legal] == ["Ask seat 1 for aces", "Ask seat 2 for aces", "Say go"]
