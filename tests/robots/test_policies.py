"""Rule policies: choices that are evident to an experienced player."""

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
from tests.games.bridge.test_rules import start_second_turn
from tests.games.gurka import test_rules as gurka
from tests.games.king.test_rules import CLUBS
from tests.games.king.test_rules import start_contract as king
from tests.games.king.test_rules import start_session as sitting_at_king
from tests.games.rifki import test_rules as rifki
from tests.games.rikiki.test_rules import start_session
from tests.games.rummy import test_rules as rummy
from tests.games.ten_down.test_rules import begin_round
from tests.games.ten_down.test_rules import start_session as sitting_at_ten_down
from tests.robots.positions import collect_positions


def choose_steadily(game):
    """Return the steady robot's action in notation."""
    return str(make_robot("steady", game.game.about.key).choose(game.view(), Random(1), lambda: False))


def deal_rikiki(*hands, then, number=5, **options):
    """Deal a round of Rikiki, round 5 by default, in which seat 0 deals and bids first."""
    return start_session(after=number - 1, **options).deal(*hands, then=then, number=number)


@pytest.mark.parametrize(
    ("hand", "bid"),
    [
        ("AS KS QS JS TS", "bid 5"),
        ("AS KS QS JS 2H", "bid 4"),
        ("AS KS 3H 2C 2D", "bid 2"),
        ("2C 3C 2D 3D 2H", "bid 0"),
    ],
)
def test_rikiki_bids_sure_tricks(hand, bid):
    assert choose_steadily(deal_rikiki(hand, then="4S")) == bid


def test_rikiki_bids_nearest_allowed_number():
    game = deal_rikiki("2C 3C", "4C 5C", "2D 3D", "AS KS QS JS 2H", then="4S", hook="never")
    assert choose_steadily(game.do("bid 1, bid 0, bid 0")) == "bid 4"
    bound = deal_rikiki("2C 3C", "4C 5C", "2D 3D", "AS KS QS JS 2H", then="4S")
    assert choose_steadily(bound.do("bid 1, bid 0, bid 0")) in ("bid 3", "bid 5")


def test_rikiki_ducks_with_highest_loser_when_bid_is_made():
    game = deal_rikiki("KC", "AC QC 3C 2C 2D", then="4S").do("bid 1, bid 0, bid 0, bid 0, play KC")
    assert choose_steadily(game) == "play QC"


def test_rikiki_discards_winners_when_bid_is_made():
    game = deal_rikiki("KC", "AD 3D 3H 2D 2H", then="4S").do("bid 1, bid 0, bid 0, bid 0, play KC")
    assert choose_steadily(game) == "play AD"


def test_rikiki_wins_needed_trick():
    game = deal_rikiki("9C", "2C", "3C", "AC 4C 2D 3D 2H", then="4S")
    game.do("bid 0, bid 0, bid 0, bid 1, play 9C, play 2C, play 3C")
    assert choose_steadily(game) == "play AC"


def test_rikiki_does_not_trump_unneeded_trick():
    game = deal_rikiki("9C", "3S 8H 7H 6H 5H", then="4S").do("bid 1, bid 0, bid 0, bid 0, play 9C")
    assert choose_steadily(game) == "play 8H"


def test_rifki_declares_contract_that_suits_hand():
    assert (
        choose_steadily(rifki.start_session().deal("AS KS QS JS TS 9S 8S AH KH AD KD AC KC", number=13))
        == "contract spades"
    )
    low = rifki.start_session().deal("2S 3S 4S 2H 3H 4H 5H 2D 3D 4D 2C 3C 4C", number=13)
    assert choose_steadily(low) not in rifki.TRUMP_CONTRACT_TEXTS


def test_rifki_keeps_declaration():
    assert choose_steadily(rifki.start_contract("clubs", "2S 3S 4S 2H 3H 4H 5H 2D 3D 4D 2C 3C 4C")).startswith("play")


def test_rifki_wins_trick_with_lowest_winner():
    hand = "AC JC 2D 3D 4D 5D 6D 7D 2H 3H 4H 5H 6H"
    game = rifki.start_contract("spades", hand, "8C", "TC", "9C", first=3).do("play 9C, play TC, play 8C")
    assert choose_steadily(game) == "play JC"


def test_rifki_ducks_penalty_trick_with_highest_loser():
    game = rifki.start_contract("kiz", "AS JS 3S 2C", "KS", "5S", "QS 7S", first=3).do("play 7S, play 5S, play KS")
    assert choose_steadily(game) in ("play JS", "play AS")
    game = rifki.start_contract("kiz", "AS JS 3S 2C", "KS", "QS", "6S 7S", first=3).do("play 7S, play QS, play KS")
    assert choose_steadily(game) == "play JS"


def test_rifki_ducks_trick_with_highest_loser():
    hand = "AC 9C 2C 3D 4D 5D 6D 7D 2H 3H 4H 5H 6H"
    game = rifki.start_contract("el-almaz", hand, "8C", "JC", "TC", first=3).do("play TC, play JC, play 8C")
    assert choose_steadily(game) == "play 9C"


def test_rifki_discards_worst_card():
    game = rifki.start_contract("el-almaz", "AD 2D 3D 2H 3H 4H 5H 2C 3C 4C 5C 6C 7C", "AS", first=1).do("play AS")
    assert choose_steadily(game) == "play AD"


def test_gurka_plays_middle_cards_first():
    assert choose_steadily(gurka.deal_round("2C 3D 8H 8S TD QC KC")) in ("play 8H", "play 8S")
    assert choose_steadily(gurka.deal_round("3C", "2C 3D 4H 4S 8D KC AC").do("play 3C")) == "play 8D"


def test_gurka_heads_to_keep_lowest_card():
    assert choose_steadily(gurka.deal_round("KC", "2D 5H 8S 8D TC KD AC").do("play KC")) != "play 2D"
    assert choose_steadily(gurka.deal_round("9C", "2D 5H 8S 8D TC KC AC").do("play 9C")) == "play TC"


def test_bridge_plays_six_with_cover():
    assert choose_steadily(start_second_turn("QH", "6H KH 9H 7D 7C")) == "play 6H"


def test_bridge_avoids_six_without_cover():
    assert choose_steadily(start_second_turn("QH", "6H QD KC 9C 7S")) == "play QD"


def test_bridge_keeps_jack_while_another_card_fits():
    assert choose_steadily(start_second_turn("QH", "JH JC 9H 7D 7C")) == "play 9H"


def test_bridge_starts_with_most_frequent_rank():
    assert choose_steadily(start_second_turn("QH", "7H 9H 9D 9C 6C")) == "play 9H"


def test_bridge_names_longest_suit():
    assert choose_steadily(start_second_turn("QH", "JS 9D TD 7C 8C", "9H", "TH").do("play JS")) in ("suit C", "suit D")
    assert choose_steadily(start_second_turn("QH", "JS 9D TD KD 8C", "9H", "TH").do("play JS")) == "suit D"


def test_bridge_calls_bridge_with_fewest_points():
    assert (
        choose_steadily(start_second_turn("QH", "9H 9D 9C 9S KD").do("play 9H, play 9D, play 9C, play 9S")) == "bridge"
    )
    game = start_second_turn("9H", "9D 9C 9S AD AC", seats=2, then="TC TD").do("play 9D, play 9C, play 9S")
    assert choose_steadily(game) == "done"


def test_bridge_shares_eights_to_move_again():
    three = start_second_turn("QH", "8H 8D 9D TD KD").do("play 8H, play 8D")
    assert choose_steadily(three) == "eights share"
    four = start_second_turn("QH", "8H 8D 9D TD KD", seats=4).do("play 8H, play 8D")
    assert choose_steadily(four) == "eights next"


def deal_ten_down(*hands, trump="S", bids="", seats=4, **options):
    """Deal round 1 of the room with 5 cards; seat 0 begins."""
    return begin_round(sitting_at_ten_down(seats, **options), *hands, trump=trump, bids=bids)


@pytest.mark.parametrize(
    ("hand", "bid"), [("AS AS KS KS QS", "bid 5"), ("AS AS KS KS 7H", "bid 4"), ("7C 8C 7D 8D 7H", "bid 0")]
)
def test_ten_down_bids_sure_tricks(hand, bid):
    assert choose_steadily(deal_ten_down(hand)) == bid


@pytest.mark.parametrize(("identical", "card"), [("first", "play AC"), ("last", "play KC")])
def test_ten_down_plays_ace_under_first_ace(identical, card):
    game = deal_ten_down("AC", "AC KC 7C 7D 7H", identical=identical, bids="1 0 0 0").do("play AC")
    assert choose_steadily(game) == card


def test_ten_down_wins_needed_trick_with_two_seats():
    game = deal_ten_down("9C", "AC 7C 7D 8D 7H", seats=2, bids="0 1").do("play 9C")
    assert choose_steadily(game) == "play AC"


@pytest.mark.parametrize(("key", "options"), [("rikiki", {"hook": "always"}), ("ten_down", {"hook": "on"})])
def test_steady_robots_bid_at_least_top_trumps(key, options):
    met = 0
    for seed in range(5):
        table = Referee(GAMES[key], 4, GAMES[key].options(**options), seed)
        while table.turn != OVER:
            table.advance()
            while table.turn >= 0:
                view = table.view(table.turn)
                action = decide(make_robot("steady", key), view, seed, table.decisions)
                if isinstance(action, Bid) and (sure := count_top_trumps(view)):
                    met += 1
                    assert action.tricks >= sure or max(bid.tricks for bid in view.legal) < sure
                table.play(table.turn, action)
    assert met


def count_top_trumps(view):
    """Count the trumps from the ace down of which the seat holds all copies."""
    number, copies = 0, 2 if isinstance(view, TenDownView) else 1
    for rank in range(12, -1, -1):
        card = 13 * (view.trump or 0) + rank
        copy_count = (view.hand >> card & 1) + (view.hand >> card + COPY_OFFSET & 1)
        if view.trump is None or copy_count < copies:
            break
        number += copy_count
    return number


def test_ten_down_keeps_sure_trick_for_last():
    game = deal_ten_down("AS KC", "TD TH", "JD JH", "QD QH", bids="0 1 0 0", after=3)
    assert choose_steadily(game.do("play QD")) == "play KC"


@pytest.mark.parametrize(
    ("hand", "card"),
    [("TH JH AH", "AH"), ("4H JH 2C", "JH"), ("3H QH TD", "QH"), ("AH KH 2H", "AH"), ("2C TC AC", "AC")],
)
def test_rikiki_leads_best_card_when_all_tricks_are_needed(hand, card):
    game = deal_rikiki("3C 4C 5C", "3D 4D 5D", hand, "6C 7C 8C", then="9H", number=3)
    assert choose_steadily(game.do("bid 3, bid 0, bid 1, bid 0")) == f"play {card}"


def test_ten_down_leads_trump_when_all_tricks_are_needed():
    game = deal_ten_down("8C AC 8S", "7C 7D", trump="C", seats=2, bids="3 0", after=2)
    assert choose_steadily(game) == "play AC"


def test_rummy_takes_most_usable_cards():
    game = rummy.draw_and_drop(rummy.start_round("9H KS 5H", "KD 9C 9D KH", then="5C"), "9H", "KD", "KS")
    assert choose_steadily(game) == "take 3"


@pytest.mark.parametrize(("hand", "drew"), [("6C 8D 7D 5D", "stock"), ("9C 8C 7D 2H", "take 1"), ("5C 7D", "stock")])
def test_rummy_takes_single_card_only_for_meld(hand, drew):
    assert choose_steadily(rummy.start_round(hand, then="7C")) == drew


def test_rummy_draws_from_stock_if_pile_is_useless():
    assert choose_steadily(rummy.start_round("2C 6D TH", "AS", then="KD")) == "stock"


def test_rummy_holds_melds_until_going_out():
    game = rummy.start_round("TS JS QS 9D TD JD QD AC 2C 3C 4C 7H 8S").do("stock")
    assert choose_steadily(game).startswith("drop ")
    out = rummy.start_round(rummy.QUICK).do("stock")
    while out.table.playing:
        out.do(choose_steadily(out))
    assert out.score.figures[0] == (90, 0)


def test_rummy_discards_low_cards():
    assert choose_steadily(rummy.start_round("KS QS 3C 7H 9D").do("stock")) == "drop 2C"


def test_rummy_melds_in_last_turn():
    game = rummy.start_round("AS AH AD")
    for _ in range(24):
        rummy.drop_drawn_card(game)
    game.do("stock")
    assert choose_steadily(game) == "meld AD AH AS"


def test_rummy_melds_late_if_nothing_can_be_added():
    game = rummy.start_round("2C 2D 2H 2S JC JD JS")
    for _ in range(12):
        rummy.drop_drawn_card(game)
    assert choose_steadily(game.do("stock")).startswith("drop ")
    rummy.drop_drawn_card(rummy.drop_drawn_card(game)).do("stock")
    assert choose_steadily(game) == "meld 2C 2D 2H 2S"
    assert choose_steadily(game.do("meld 2C 2D 2H 2S")).startswith("drop "), "the fourth jack may be in the other hand"


def test_rummy_estimates_hurry_from_melds():
    laid = rummy.drop_drawn_card(rummy.draw_and_meld(rummy.start_round("QH QD QS"), "QD QH QS"))
    assert estimate_hurry(laid.view()) > HURRY_THRESHOLD
    assert (
        estimate_hurry(rummy.drop_drawn_card(rummy.drop_drawn_card(rummy.start_round("QH QD QS"))).view())
        < HURRY_THRESHOLD
    )


def test_rummy_does_not_drop_card_that_fits_table():
    game = rummy.drop_drawn_card(rummy.draw_and_meld(rummy.start_round("QH QD QS", "QC 2S 5H 9D"), "QD QH QS")).do(
        "stock"
    )
    assert choose_steadily(game) != "drop QC"


def test_rummy_melds_obligatory_card():
    game = rummy.draw_and_drop(rummy.start_round("9H 2S 5H", "KD 9C 9D", then="5C"), "9H", "KD", "2S").do("take 3")
    assert choose_steadily(game) == "meld 9C 9D 9H"


@pytest.mark.parametrize(
    ("hand", "contract"),
    [
        ("AS KS QS JS TS 9S AH AD AC", "spades"),
        ("AS KS AH KH AD KD AC KC QC", "no-trump"),
        ("6S 7S 8S 6H 7H 8H 6D 7D 6C", "miser"),
    ],
)
def test_king_names_contract_that_suits_hand(hand, contract):
    assert choose_steadily(sitting_at_king().deal(hand, number=9)) == f"contract {contract}"


def test_king_keeps_named_contract():
    assert choose_steadily(king("no-king", CLUBS)).startswith("play")


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
def test_king_plays_costly_cards_safely(contract, led, hand, card):
    assert choose_steadily(king(contract, led, hand, "TS", "JS").do(f"play {led}")) == f"play {card}"


def test_king_leaves_trick_to_winning_partner():
    assert choose_steadily(king("spades", "6C", "7C", "AC 8C", "9C").do("play 6C, play 7C")) == "play 8C"


def test_king_claims_only_certain_tricks():
    game = king("no-last-two", f"{CLUBS[:-6]} 6D 7D").do("play 6C")
    while game.turn != 0 or game.view().complete < 2:
        game.do(next(text for text in game.legal() if text.startswith("play")))
    assert "claim" in game.legal()
    assert choose_steadily(game) != "claim"
    game = king("no-last-two", CLUBS)
    while game.turn != 0 or game.view().complete < 2:
        game.do(next(text for text in game.legal() if text.startswith("play")))
    assert choose_steadily(game) == "claim"


def test_king_answer_to_offer_depends_on_hand():
    good = "6D 7D 8D 6H 7H 6S 7S 6C 7C"
    bad = "AD KD QD AH KH AS KS AC KC"
    answers = [
        choose_steadily(king("no-tricks", "TC 9C 8C", "JC", hand).do("play TC, offer 12")) for hand in (good, bad)
    ]
    small, large = [int(text.removeprefix("take ")) for text in answers]
    assert small < 6 < large < 24


@pytest.mark.parametrize("key", GAMES)
def test_novice_often_agrees_with_steady(key):
    novice, sound = make_robot("novice", key), make_robot("steady", key)
    pairs = []
    for view, seed, decisions in collect_positions(key):
        both = [robot.choose(view, Random(f"{seed} {decisions}"), lambda: False) for robot in (novice, sound)]
        pairs.append(both[0] == both[1])
    assert len(pairs) // 2 < sum(pairs) < len(pairs)
