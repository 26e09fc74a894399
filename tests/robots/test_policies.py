"""What the rule policies do where a player who knows the game is in no doubt."""

from random import Random

import pytest

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import COPY_OFFSET
from cardtable.engine.game import OVER
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.games.rummy.policy import HURRY_THRESHOLD, estimate_hurry
from cardtable.games.ten_down.rules import TenDownView
from cardtable.robots.kit.robot import decide, make_robot
from tests.games.bridge.test_rules import turn_on
from tests.games.gurka import test_rules as gurka
from tests.games.king.test_rules import CLUBS
from tests.games.king.test_rules import contract as king
from tests.games.king.test_rules import sitting as sitting_at_king
from tests.games.rifki import test_rules as rifki
from tests.games.rikiki.test_rules import sitting
from tests.games.rummy import test_rules as rummy
from tests.games.ten_down.test_rules import begin
from tests.games.ten_down.test_rules import sitting as sitting_at_ten_down
from tests.notation import ScriptedGame
from tests.robots.positions import positions


def steady(game):
    """What a steady robot does now."""
    return str(make_robot("steady", game.game.about.key).choose(game.view(), Random(1), lambda: False))


def rikiki(*hands, then, number=5, **options):
    """Round 5: seat 0 deals and bids first."""
    return sitting(after=number - 1, **options).deal(*hands, then=then, number=number)


@pytest.mark.parametrize(
    ("hand", "bid"),
    [
        ("AS KS QS JS TS", "bid 5"),
        ("AS KS QS JS 2H", "bid 4"),
        ("AS KS 3H 2C 2D", "bid 2"),
        ("2C 3C 2D 3D 2H", "bid 0"),
    ],
)
def test_rikiki_bids_the_tricks_that_are_sure(hand, bid):
    assert steady(rikiki(hand, then="4S")) == bid


def test_rikiki_bids_the_nearest_number_that_is_left():
    game = rikiki("2C 3C", "4C 5C", "2D 3D", "AS KS QS JS 2H", then="4S", hook="never")
    assert steady(game.do("bid 1, bid 0, bid 0")) == "bid 4"
    bound = rikiki("2C 3C", "4C 5C", "2D 3D", "AS KS QS JS 2H", then="4S")
    assert steady(bound.do("bid 1, bid 0, bid 0")) in ("bid 3", "bid 5")


def test_rikiki_ducks_with_the_highest_loser_once_the_bid_is_made():
    game = rikiki("KC", "AC QC 3C 2C 2D", then="4S").do("bid 1, bid 0, bid 0, bid 0, play KC")
    assert steady(game) == "play QC"


def test_rikiki_throws_away_what_might_take_a_trick_once_the_bid_is_made():
    game = rikiki("KC", "AD 3D 3H 2D 2H", then="4S").do("bid 1, bid 0, bid 0, bid 0, play KC")
    assert steady(game) == "play AD"


def test_rikiki_takes_the_trick_that_is_still_needed():
    game = rikiki("9C", "2C", "3C", "AC 4C 2D 3D 2H", then="4S")
    game.do("bid 0, bid 0, bid 0, bid 1, play 9C, play 2C, play 3C")
    assert steady(game) == "play AC"


def test_rikiki_trumps_no_trick_that_it_does_not_need():
    game = rikiki("9C", "3S 8H 7H 6H 5H", then="4S").do("bid 1, bid 0, bid 0, bid 0, play 9C")
    assert steady(game) == "play 8H"


def test_rifki_declares_what_the_hand_is_made_for():
    assert steady(rifki.sitting().deal("AS KS QS JS TS 9S 8S AH KH AD KD AC KC", number=13)) == "contract spades"
    low = rifki.sitting().deal("2S 3S 4S 2H 3H 4H 5H 2D 3D 4D 2C 3C 4C", number=13)
    assert steady(low) not in rifki.KOZ_SAID


def test_rifki_does_not_change_what_it_has_declared():
    assert steady(rifki.declared("clubs", "2S 3S 4S 2H 3H 4H 5H 2D 3D 4D 2C 3C 4C")).startswith("play")


def test_rifki_takes_a_trick_of_trump_as_cheaply_as_it_can():
    hand = "AC JC 2D 3D 4D 5D 6D 7D 2H 3H 4H 5H 6H"
    game = rifki.declared("spades", hand, "8C", "TC", "9C", first=3).do("play 9C, play TC, play 8C")
    assert steady(game) == "play JC"


def test_rifki_ducks_under_what_costs_with_the_highest_card_that_can():
    game = rifki.declared("kiz", "AS JS 3S 2C", "KS", "5S", "QS 7S", first=3).do("play 7S, play 5S, play KS")
    assert steady(game) in ("play JS", "play AS")
    game = rifki.declared("kiz", "AS JS 3S 2C", "KS", "QS", "6S 7S", first=3).do("play 7S, play QS, play KS")
    assert steady(game) == "play JS"


def test_rifki_stays_below_with_the_highest_card_that_can():
    hand = "AC 9C 2C 3D 4D 5D 6D 7D 2H 3H 4H 5H 6H"
    game = rifki.declared("el-almaz", hand, "8C", "JC", "TC", first=3).do("play TC, play JC, play 8C")
    assert steady(game) == "play 9C"


def test_rifki_throws_away_the_worst_card():
    game = rifki.declared("el-almaz", "AD 2D 3D 2H 3H 4H 5H 2C 3C 4C 5C 6C 7C", "AS", first=1).do("play AS")
    assert steady(game) == "play AD"


def test_gurka_first_gets_rid_of_what_is_too_low_to_head_and_too_high_to_be_the_last():
    assert steady(gurka.dealt("2C 3D 8H 8S TD QC KC")) in ("play 8H", "play 8S")
    assert steady(gurka.dealt("3C", "2C 3D 4H 4S 8D KC AC").do("play 3C")) == "play 8D"


def test_gurka_heads_to_keep_its_lowest_card():
    assert steady(gurka.dealt("KC", "2D 5H 8S 8D TC KD AC").do("play KC")) != "play 2D"
    assert steady(gurka.dealt("9C", "2D 5H 8S 8D TC KC AC").do("play 9C")) == "play TC"


def test_gurka_heads_with_the_ace_rather_than_be_left_with_it():
    game = gurka.down_to(ScriptedGame("gurka", 4), "4C AC", "2C 2D", "3C 3D", "3H 9D").do("play 9D")
    assert steady(game) == "play AC"


def test_bridge_plays_a_6_that_it_can_cover():
    assert steady(turn_on("QH", "6H KH 9H 7D 7C")) == "play 6H"


def test_bridge_plays_no_6_that_it_cannot_cover():
    assert steady(turn_on("QH", "6H QD KC 9C 7S")) == "play QD"


def test_bridge_keeps_a_jack_as_long_as_another_card_fits():
    assert steady(turn_on("QH", "JH JC 9H 7D 7C")) == "play 9H"


def test_bridge_begins_with_the_rank_of_which_it_holds_most():
    assert steady(turn_on("QH", "7H 9H 9D 9C 6C")) == "play 9H"


def test_bridge_goes_out_if_it_can():
    game = turn_on("QH", "9H 9D 9C 9S TH").do("play 9H, play 9D, play 9C")
    assert game.view().hand.bit_count() == 2
    assert steady(game) == "play 9S"


def test_bridge_names_the_suit_of_which_it_holds_most():
    assert steady(turn_on("QH", "JS 9D TD 7C 8C", "9H", "TH").do("play JS")) in ("suit C", "suit D")
    assert steady(turn_on("QH", "JS 9D TD KD 8C", "9H", "TH").do("play JS")) == "suit D"


def test_bridge_is_called_by_who_holds_less_than_the_others():
    assert steady(turn_on("QH", "9H 9D 9C 9S KD").do("play 9H, play 9D, play 9C, play 9S")) == "bridge"
    game = turn_on("9H", "9D 9C 9S AD AC", seats=2, then="TC TD").do("play 9D, play 9C, play 9S")
    assert steady(game) == "done"


def test_bridge_shares_the_draws_of_its_8s_if_it_moves_again():
    three = turn_on("QH", "8H 8D 9D TD KD").do("play 8H, play 8D")
    assert steady(three) == "eights share"
    four = turn_on("QH", "8H 8D 9D TD KD", seats=4).do("play 8H, play 8D")
    assert steady(four) == "eights next"


def ten_down(*hands, trump="S", bids="", seats=4, **options):
    """Round 1 of the room with 5 cards: seat 0 begins."""
    return begin(sitting_at_ten_down(seats, **options), *hands, trump=trump, bids=bids)


@pytest.mark.parametrize(
    ("hand", "bid"),
    [("AS AS KS KS QS", "bid 5"), ("AS AS KS KS 7H", "bid 4"), ("7C 8C 7D 8D 7H", "bid 0")],
)
def test_ten_down_bids_the_tricks_that_are_sure(hand, bid):
    assert steady(ten_down(hand)) == bid


@pytest.mark.parametrize(("identical", "card"), [("first", "play AC"), ("last", "play KC")])
def test_ten_down_gives_its_ace_away_under_an_ace_unless_the_last_one_takes_the_trick(identical, card):
    game = ten_down("AC", "AC KC 7C 7D 7H", identical=identical, bids="1 0 0 0").do("play AC")
    assert steady(game) == card


def test_ten_down_takes_the_trick_that_is_still_needed_between_two():
    game = ten_down("9C", "AC 7C 7D 8D 7H", seats=2, bids="0 1").do("play 9C")
    assert steady(game) == "play AC"


@pytest.mark.parametrize(("bids", "bid"), [("1 0 0", "bid 2"), ("2 0 0", "bid 1"), ("0 0 0", "bid 1")])
def test_rikiki_bids_no_less_than_the_sure_tricks(bids, bid):
    game = rikiki("AS 2C", "3C 4C", "5C 6C", "7C 8C", then="9S", number=2, hook="always")
    assert steady(game.do(", ".join(f"bid {made}" for made in bids.split()))) == bid


def test_ten_down_bids_no_less_than_the_sure_tricks():
    hands = "8C 9C TC JC QC", "AC 9D TD JD QD", "KD AD 7H 8H KC", "AS AS 7C 8D 7D"
    assert steady(ten_down(*hands, bids="2 1 0", hook="on")) == "bid 3", "2 is forbidden"


@pytest.mark.parametrize(("key", "options"), [("rikiki", {"hook": "always"}), ("ten_down", {"hook": "on"})])
def test_no_steady_robot_bids_below_its_top_trumps(key, options):
    met = 0
    for seed in range(5):
        table = Referee(GAMES[key], 4, GAMES[key].options(**options), seed)
        while table.turn != OVER:
            table.advance()
            while table.turn >= 0:
                view = table.view(table.turn)
                action = decide(make_robot("steady", key), view, seed, table.decisions)
                if isinstance(action, Bid) and (sure := top_trumps(view)):
                    met += 1
                    assert action.tricks >= sure or max(bid.tricks for bid in view.legal) < sure
                table.play(table.turn, action)
    assert met


def top_trumps(view):
    """Count the trumps from the ace down of which the seat holds all copies."""
    number, copies = 0, 2 if isinstance(view, TenDownView) else 1
    for rank in range(12, -1, -1):
        card = 13 * (view.trump or 0) + rank
        held = (view.hand >> card & 1) + (view.hand >> card + COPY_OFFSET & 1)
        if view.trump is None or held < copies:
            break
        number += held
    return number


def test_ten_down_keeps_its_last_sure_trick_for_the_last():
    game = ten_down("AS KC", "TD TH", "JD JH", "QD QH", bids="0 1 0 0", after=3)
    assert steady(game.do("play QD")) == "play KC"


@pytest.mark.parametrize(
    ("hand", "card"),
    [("TH JH AH", "AH"), ("4H JH 2C", "JH"), ("3H QH TD", "QH"), ("AH KH 2H", "AH"), ("2C TC AC", "AC")],
)
def test_rikiki_leads_its_best_card_if_all_tricks_are_needed(hand, card):
    game = rikiki("3C 4C 5C", "3D 4D 5D", hand, "6C 7C 8C", then="9H", number=3)
    assert steady(game.do("bid 3, bid 0, bid 1, bid 0")) == f"play {card}"


def test_ten_down_leads_its_best_trump_if_all_tricks_are_needed():
    game = ten_down("8C AC 8S", "7C 7D", trump="C", seats=2, bids="3 0", after=2)
    assert steady(game) == "play AC"


def test_rummy_takes_as_much_as_it_can_use():
    game = rummy.dropped(rummy.sitting("9H KS 5H", "KD 9C 9D KH", then="5C"), "9H", "KD", "KS")
    assert steady(game) == "take 3"


@pytest.mark.parametrize(
    ("hand", "drew"),
    [
        ("6C 8D 7D 5D", "stock"),
        ("9C 8C 7D 2H", "take 1"),
        ("5C 7D", "stock"),
    ],
)
def test_rummy_takes_a_single_card_only_to_complete_a_meld(hand, drew):
    assert steady(rummy.sitting(hand, then="7C")) == drew


def test_rummy_draws_from_the_stock_if_the_pile_is_of_no_use():
    assert steady(rummy.sitting("2C 6D TH", "AS", then="KD")) == "stock"


def test_rummy_keeps_its_cards_back_until_it_can_go_out():
    game = rummy.sitting("TS JS QS 9D TD JD QD AC 2C 3C 4C 7H 8S").do("stock")
    assert steady(game).startswith("drop ")
    out = rummy.sitting(rummy.QUICK).do("stock")
    while out.table.playing:
        out.do(steady(out))
    assert out.score.figures[0] == (90, 0)


def test_rummy_lays_down_all_it_can_when_the_last_cards_are_drawn():
    game = rummy.sitting("AS AH AD")
    for _ in range(24):
        rummy.passed(game)
    game.do("stock")
    assert steady(game) == "meld AD AH AS"


def test_rummy_is_not_caught_late_with_what_nobody_could_have_added_to():
    game = rummy.sitting("2C 2D 2H 2S JC JD JS")
    for _ in range(12):
        rummy.passed(game)
    assert steady(game.do("stock")).startswith("drop ")
    rummy.passed(rummy.passed(game)).do("stock")
    assert steady(game) == "meld 2C 2D 2H 2S"
    assert steady(game.do("meld 2C 2D 2H 2S")).startswith("drop "), "the fourth jack may be in the other hand"


def test_rummy_sees_by_what_is_laid_who_hurries():
    laid = rummy.passed(rummy.laid(rummy.sitting("QH QD QS"), "QD QH QS"))
    assert estimate_hurry(laid.view()) > HURRY_THRESHOLD
    assert estimate_hurry(rummy.passed(rummy.passed(rummy.sitting("QH QD QS"))).view()) < HURRY_THRESHOLD


def test_rummy_drops_no_card_that_fits_on_the_table():
    game = rummy.passed(rummy.laid(rummy.sitting("QH QD QS", "QC 2S 5H 9D"), "QD QH QS")).do("stock")
    assert steady(game) != "drop QC"


def test_rummy_uses_the_card_that_must_be_used():
    game = rummy.dropped(rummy.sitting("9H 2S 5H", "KD 9C 9D", then="5C"), "9H", "KD", "2S").do("take 3")
    assert steady(game) == "meld 9C 9D 9H"


@pytest.mark.parametrize(
    ("hand", "contract"),
    [
        ("AS KS QS JS TS 9S AH AD AC", "spades"),
        ("AS KS AH KH AD KD AC KC QC", "no-trump"),
        ("6S 7S 8S 6H 7H 8H 6D 7D 6C", "miser"),
    ],
)
def test_king_names_the_contract_that_the_hand_is_made_for(hand, contract):
    assert steady(sitting_at_king().deal(hand, number=9)) == f"contract {contract}"


def test_king_keeps_to_the_contract_it_has_named():
    assert steady(king("no-king", CLUBS)).startswith("play")


@pytest.mark.parametrize(
    ("contract", "led", "hand", "card"),
    [
        ("no-queens", "6S", "AS QS 7S", "7S"),
        ("no-queens", "KS", "AS QS 7S", "QS"),
        ("no-queens", "9S", "QD QH AH KH AD KD AC 6C 7C", "QD"),
        ("no-tricks", "9S", "8S 6S AH KH AD KD AC 6C 7C", "8S"),
        ("no-last-two", "9S", "AS 8S 6S KH AD KD AC 6C 7C", "AS"),
        ("no-king", "9S", "AH QH 6H 6D 7D 8D 6C 7C 8C", "AH"),
    ],
    ids=str,
)
def test_king_gets_rid_of_what_may_cost(contract, led, hand, card):
    assert steady(king(contract, led, hand, "TS", "JS").do(f"play {led}")) == f"play {card}"


def test_king_leaves_the_trick_to_a_partner_who_has_it():
    assert steady(king("spades", "6C", "7C", "AC 8C", "9C").do("play 6C, play 7C")) == "play 8C"


def test_king_claims_only_what_it_would_take_in_any_case():
    game = king("no-last-two", f"{CLUBS[:-6]} 6D 7D").do("play 6C")
    while game.turn != 0 or game.view().complete < 2:
        game.do(next(text for text in game.legal() if text.startswith("play")))
    assert "claim" in game.legal()
    assert steady(game) != "claim"
    game = king("no-last-two", CLUBS)
    while game.turn != 0 or game.view().complete < 2:
        game.do(next(text for text in game.legal() if text.startswith("play")))
    assert steady(game) == "claim"


def test_king_takes_little_of_an_offer_with_a_good_hand_and_more_with_a_bad_one():
    good = "6D 7D 8D 6H 7H 6S 7S 6C 7C"
    bad = "AD KD QD AH KH AS KS AC KC"
    answers = [steady(king("no-tricks", "TC 9C 8C", "JC", hand).do("play TC, offer 12")) for hand in (good, bad)]
    small, large = [int(text.removeprefix("take ")) for text in answers]
    assert small < 6 < large < 24


@pytest.mark.parametrize("key", GAMES)
def test_a_novice_often_does_what_a_steady_robot_does_but_not_always(key):
    novice, sound = make_robot("novice", key), make_robot("steady", key)
    pairs = []
    for view, seed, decisions in positions(key):
        both = [robot.choose(view, Random(f"{seed} {decisions}"), lambda: False) for robot in (novice, sound)]
        pairs.append(both[0] == both[1])
    assert len(pairs) // 2 < sum(pairs) < len(pairs)
