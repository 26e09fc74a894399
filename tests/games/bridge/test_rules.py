"""Bridge: the worked examples of its rules, and a situation for each rule.

Seat 0 starts the first round. Hands that are not given in full are filled up with the lowest cards left.
"""

from random import Random

import pytest

from cardtable.engine.cards import SPADES, cards, names
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import ActionLine
from cardtable.engine.referee import IllegalAction, Referee
from cardtable.games.bridge.hints import name_action
from cardtable.games.bridge.rules import GAME
from cardtable.games.bridge.rules.actions import DONE, GIVE
from tests.journal_lines import select_lines
from tests.notation import ScriptedGame

NINES = "9C 9D 9H 9S"
BRIDGE_OF_NINES = "play 9C, play 9D, play 9H, play 9S, bridge"
SUITS = ["suit C", "suit D", "suit H", "suit S"]


def start_session(seats=3, **options):
    return ScriptedGame("bridge", seats, **options)


def start_second_turn(top, hand, *others, seats=3, then="", **options):
    """Deal a round in which seat 0 has played `top`, a card without effect; seat 1 with `hand` is on turn."""
    return start_session(seats, **options).deal(top, hand, *others, then=then).do(f"play {top}, done")


def exhaust_blind(hands=("KS JC JD JH 6C", "6S KC KD KH 7C", "7S TS JS QS AS", "8S 9S 6D 6H 7D")):
    """Return a round in which seat 1 has covered KS with 6S, has drawn the whole blind in vain and must draw again.

    The other hands hold all other spades, jacks and 6s.
    """
    return start_session(4).deal(*hands).do("play KS, done, play 6S").do("draw", times=17)


# The worked examples


def test_example_1_reshuffle_doubles_points():
    game = start_session().deal(f"{NINES} 6C", "TC AC QC 7C JC").do(BRIDGE_OF_NINES)
    assert (str(game.score.title), game.score.points[1]) == ("bridge", 55)
    game = exhaust_blind(("KS JC JD JH 6C", "6S KC KD KH 7C", "TS AS QS 7S JS", "8S 9S 6D 6H 7D"))
    game.do("shuffle KS, play KS, play KC, play KD, play KH, bridge")
    assert (str(game.score.title), game.score.points[2]) == ("bridge ×2", 110)
    assert game.score.figures[2] == (55, 0)


def test_example_2_going_out_with_two_jacks():
    assert go_out_with_two_jacks().do("jacks minus").table.totals == (-10, 65, 110)
    game = go_out_with_two_jacks().do("jacks plus")
    assert game.table.totals == (30, 105, 150)
    assert (game.turn, game.table.ranks) == (OVER, (1, 2, 3))


def go_out_with_two_jacks():
    """Play two rounds to totals of 30, 50 and 80; in the third, seat 0 goes out with JS JH."""
    game = start_session()
    game.deal(f"{NINES} TC", "AC AD TD TH 7C", "JC JD AH AS TS").do(BRIDGE_OF_NINES)
    game.deal("JC 6C 6D 6H 6S", "7D 7H 7S 8C 8D", f"{NINES} 7C").do(BRIDGE_OF_NINES)
    assert game.table.totals == (30, 50, 80)
    game.deal("JS JH QD QH QC", "AC 9D TC TS TH", "TD JC KC KD KH")
    game.do("play KC, play KD, done, play QD, play QH, play QC, done, play TC, play TS, play TH, done, play KH, done")
    game.do("play JS, play JH")
    assert (game.hand(1), game.hand(2)) == ("AC 9D", "JC TD")
    return game


def test_example_3_total_of_125_becomes_0():
    game = start_session(2, totals=(110, 20)).deal(f"{NINES} AC", "6C 6D 6H 6S 7C").do(BRIDGE_OF_NINES)
    assert game.score.points == (15, 0)
    assert (game.table.totals, game.turn) == ((0, 20), CHANCE)
    assert (0, "has exactly 125: back to 0") in game.format_notes(1)
    game = start_session(2, totals=(111, 20)).deal(f"{NINES} AC", "6C 6D 6H 6S 7C").do(BRIDGE_OF_NINES)
    assert (game.table.totals, game.turn) == ((126, 20), OVER)
    assert game.table.ranks == (2, 1)


def test_example_4_each_six_must_be_covered():
    game = start_second_turn("QH", "6H 6C KC 9D TS")
    assert game.legal() == ["play 6H"]
    assert game.do("play 6H").legal() == ["play 6C"]
    assert game.do("play 6C").legal() == ["play KC"]
    assert game.do("play KC").legal() == ["done"]


def test_example_5_cover_is_drawn():
    game = start_second_turn("QH", "6H 9D 9S TS TC", then="7C 8H")
    assert game.do("play 6H").legal() == ["draw"]
    assert game.do("draw").legal() == ["draw"]
    assert game.do("draw").legal() == ["play 8H"]
    game.do("play 8H, done")
    assert (game.view(2).sizes, game.turn) == ((4, 5, 7), 0)


def test_example_6_two_and_three_eights():
    game = start_session().deal("8C 8D 8H").do("play 8C, play 8D")
    assert game.legal() == ["eights next", "eights share", "play 8H"]
    game.do("eights next")
    assert (game.view(0).sizes, game.turn) == ((3, 9, 5), 2)
    assert game.format_notes(0)[0] == (0, "makes the next player draw 4")
    game = start_session().deal("8C 8D 8H").do("play 8C, play 8D, eights share")
    assert (game.view(0).sizes, game.turn) == ((3, 7, 7), 0)
    game = start_session().deal("8C 8D 8H").do("play 8C, play 8D, play 8H, eights share")
    assert (game.view(0).sizes, game.turn) == ((2, 9, 7), 2)
    assert game.format_notes(0) == [
        (0, "shares the 8s"),
        (1, "draws 4 cards"),
        (1, "is skipped twice"),
        (2, "draws 2 cards"),
        (2, "is skipped"),
    ]


def test_example_7_aces_skip_players():
    assert start_session(4).deal("AC AD").do("play AC, play AD, done").turn == 3
    game = start_session().deal("AC AD AH").do("play AC, play AD, play AH, done")
    assert game.turn == 2
    assert game.format_notes(0) == [(1, "is skipped twice"), (2, "is skipped")]


def test_example_8_jack_names_suit():
    game = start_session().deal("JD", "KD 9S JH 7C 7H").do("play JD, suit S")
    assert game.legal() == ["play 9S", "play JH"]
    assert (game.view(1).named, game.view(1).named_by) == (SPADES, 0)


def test_example_9_draws_for_last_eight():
    game = start_session(2).deal("TC TD TS TH 8S", f"{NINES} KD", then="AC 7H")
    game.do("play TC, play TD, play TS, play TH, done, play 9H, play 9C, play 9D, play 9S, done, play 8S")
    assert game.hand(1) == "AC KD 7H"
    assert (str(game.score.title), game.score.points) == ("out", (0, 25))


def test_example_10_call_of_bridge():
    game = start_session().deal("TS", "TH", "TD TC AH 6S 7C").do("play TS, done, play TH, done, play TD, play TC")
    assert game.legal() == ["bridge", "done"]
    game.do("bridge")
    assert (str(game.score.title), game.score.points[2]) == ("bridge", 15)


def test_example_11_empty_hand_on_six():
    game = empty_hand_on_six(then="7C 8S QD")
    assert (game.hand(0), game.legal()) == ("", ["draw"])
    assert game.do("draw, draw").legal() == ["draw"]
    assert game.do("draw").legal() == ["play QD"]
    assert game.do("play QD").legal() == ["done"]


def empty_hand_on_six(then):
    game = start_session(2).deal("TC TH TS TD 6D", "9D", then=then)
    return game.do("play TC, play TH, play TS, play TD, done, play 9D, done, play 6D")


def test_example_12_bridge_of_jacks():
    game = start_session().deal("JC", "JD", "JH JS KD 6C 7C")
    game.do("play JC, suit H, play JD, suit H, play JH, play JS")
    assert game.legal() == ["bridge", *SUITS]
    assert game.do("bridge").legal() == ["jacks minus", "jacks plus"]
    game.do("jacks minus")
    assert (game.score.points[2], game.score.figures[2]) == (-30, (10, -40))


# The first card of a turn


def test_unfit_drawn_card_ends_turn():
    game = start_second_turn("QH", "7C 8C 9C TC TD", then="9D")
    assert game.legal() == ["draw"]
    game.do("draw")
    assert (game.turn, game.hand(1)) == (2, "7C 8C 9C TC 9D TD")
    assert game.format_notes(1) == [(1, "draws 9D")]
    assert game.format_notes(2) == [(1, "draws a card")]


@pytest.mark.parametrize(
    ("hand", "seen", "unseen"),
    [("7C QD", "draws KS for the 7", "draws a card for the 7"),
     ("7C 7D", "draws KS AS for the 7s", "draws 2 cards for the 7s")],
)  # fmt: skip
def test_sevens_are_the_reason_for_a_draw(hand, seen, unseen):
    sevens = [f"play {card}" for card in hand.split() if card[0] == "7"]
    game = start_session().deal(hand, then="KS AS").do(", ".join([*sevens, "done"]))
    assert (game.format_notes(1), game.format_notes(2)) == ([(1, seen)], [(1, unseen)])


def test_keeping_drawn_card_has_no_effect():
    game = start_second_turn("QH", "7C 8C 9C TC TD", then="7H").do("draw, done")
    assert (game.turn, game.view(2).sizes) == (2, (4, 6, 5))
    assert game.format_notes(2) == [(1, "keeps the card")]


# More cards, and the end of a turn


# 7s, 8s and aces


# The run and bridge


def test_bridge_on_fourth_six_needs_no_cover():
    game = start_session().deal("6C 6D 6H 6S 7S").do("play 6C, play 6D, play 6H, play 6S")
    assert game.legal() == ["bridge", "play 7S"]
    assert game.do("bridge").score.points[0] == 0


def test_fourth_six_as_last_card():
    game = (
        start_session(2)
        .deal("9C 6C 6D 6H 6S", "9D")
        .do("play 9C, done, play 9D, done, play 6D, play 6C, play 6H, play 6S")
    )
    assert (game.hand(0), game.legal()) == ("", ["bridge", "draw"])
    game.do("bridge")
    assert (str(game.score.title), game.view(0).finisher) == ("bridge", 0)


def test_drawing_declines_bridge_and_restarts_run():
    game = start_session(4).deal("6C 6D 6H 6S", "7S 8S 9S TS JS", "QS KS AS JC JD", "JH")
    game.do("play 6C, play 6D, play 6H, play 6S")
    assert game.legal() == ["bridge", "draw"]
    assert game.do("draw").view(0).run == 0
    game.do("draw", times=16).do("shuffle 6D 6C 6H")
    assert game.do("play 6D").view(0).run == 1


def test_run_continues_over_reshuffle():
    game = start_session(4).deal("6C 6D 6H 7C 7D", "7H 8H 9H TH JH", "QH KH AH JC JD", "JS 6S")
    game.do("play 6C, play 6D, play 6H").do("draw", times=17).do("shuffle 6D 6C")
    assert (game.view(0).run, names(game.view(0).stack)) == (3, "6H")
    assert "bridge" in game.do("play 6D").legal()


# The blind runs out


def test_shuffle_excludes_top_card():
    game = exhaust_blind()
    with pytest.raises(IllegalAction):
        game.do("shuffle 6S")
    with pytest.raises(IllegalAction):
        game.do("shuffle KS 6S")


def test_round_ends_when_no_card_is_left():
    """Seat 0 draws the whole blind on its first card; among equal totals the seat that could not draw comes last."""
    game = start_session(4, totals=(-60, 0, 0, 0))
    game.deal("6H", "7H 8H 9H TH JH", "QH KH AH JC JD", "JS 6C 6D 6S 7C").do("play 6H").do("draw", times=16)
    assert (game.view(0).blind, game.legal()) == (0, ["draw"])
    game.do("draw")
    assert (str(game.score.title), game.score.points) == ("no cards", (135, 30, 75, 20))
    assert game.table.totals == (75, 30, 75, 20)
    assert (game.view(0).finisher, game.view(0).starter) == (None, 2)
    assert game.format_notes(1)[0] == (None, "no card is left to draw: the round is over")


def test_forced_draws_lapse_when_no_card_is_left():
    hands = ("KS JC JD JH 6C", "6S KC KD KH 7C", "8S 8C TS AS QS", "7S JS 9S 6D 6H")
    game = exhaust_blind(hands).do("shuffle KS, play KS, done, play 8S, play 8C, eights next")
    assert game.view(3).due == (3,) * 4
    game.do("shuffle 8S KS 6S")
    assert game.hand(3) == "6D 6H 6S 7S 8S 9S JS KS", "cards drawn before the lapse are kept"
    assert str(game.score.title) == "no cards ×3"
    assert game.score.points[3] == 3 * (20 + 10)
    assert game.score.figures[3] == (30, 0)


# The end of a round


def go_out_with_three_eights(**options):
    """Play a round of three players in which seat 0 goes out with three 8s."""
    game = start_session(**options).deal("KD KC 8C 8D 8H", "9C TH", "TC QH", then="AC AD AH AS QS QD")
    return game.do("play KD, play KC, done, play 9C, done, play TC, done, play 8C, play 8D, play 8H")


def test_last_draws_reshuffle_and_then_lapse():
    """Seat 2 calls bridge with four 8s; only four of the eight cards for seat 3 are left."""
    hands = ("8S JC JD JH 6C", "7S 9S TS JS QS", "6S 8C 8D 8H 7C", "KS AS 6D 6H 7D")
    game = start_session(4).deal(*hands).do("play 8S, done, play 6S").do("draw", times=15)
    game.do("shuffle 8S, play 8S, play 8C, play 8D, play 8H, bridge, eights next")
    assert (game.turn, game.view(3).due, game.view(3).playing) == (CHANCE, (3,) * 8, True)
    game.do("shuffle 8D 8C 8S 6S")
    assert game.hand(3) == "8C 6D 7D 8D 6H 6S 8S KS AS"
    assert (str(game.score.title), game.score.points[3]) == ("bridge ×3", 75)


# The first card by lot


def test_random_first_card():
    game = start_session(opening="random").deal("QC QH 9D TD 7S")
    assert game.turn == CHANCE
    with pytest.raises(IllegalAction):
        game.do("first-card AS")
    game.do("first-card QC")
    assert (game.turn, game.legal(), game.view(0).run) == (0, ["done", "play QH"], 1)
    assert game.format_notes(1) == [(0, "plays QC by lot")]


# What a seat knows


def test_hands_are_open_after_round():
    game = start_session().deal(f"{NINES} 6C", "TC AC QC 7C JC").do(BRIDGE_OF_NINES)
    zones = {zone.seat: zone for zone in game.game.scene(game.view(0)) if zone.name == "hand"}
    assert names(zones[1].cards) == "7C TC JC QC AC"


def test_playable_cards():
    game = start_second_turn("QH", "6H 9D 9S TS TC", then="8H")
    possible = "7H 8H 9H TH JH KH AH 6H QC QD QS JC JD JS"
    assert game.view(0).playable_cards & ~cards("QH") == cards(possible)
    game.do("play 6H, draw, play 8H")
    assert game.view(0).playable_cards == cards("8C 8D 8H 8S")


def test_drawing_excludes_fitting_cards():
    game = start_second_turn("QH", "7C 8C 9C TC TD", then="9D").do("draw")
    fits = cards("6H 7H 8H 9H TH JH QH KH AH QC QD QS JC JD JS")
    assert game.view(0).excluded_cards[1] == fits
    assert not any(world.hands[1] & fits for world in game.sample_states(0))


def test_drawn_card_with_choice_is_known_to_fit():
    game = start_second_turn("QH", "7C 8C 9C TC TD", then="7H").do("draw")
    for _ in range(2):
        fits = cards("6H 7H 8H 9H TH JH QH KH AH QC QD QS JC JD JS")
        assert {(world.hands[1] & fits).bit_count() for world in game.sample_states(0)} == {1}
        if game.turn == 1:
            assert all("play" in str(world.legal()[0]) for world in game.sample_states(0))
            game.do("done")


@pytest.mark.parametrize(("drawn", "then"), [("7H", "play 7H"), ("7D", "draw")])
def test_next_action_reveals_if_drawn_card_covers(drawn, then):
    game = start_second_turn("QH", "6H 9D 9S TS TC", then=f"{drawn} 8H").do("play 6H, draw")
    covers = cards("6H 7H 8H 9H TH JH QH KH AH 6C 6D 6S JC JD JS")
    assert {(world.hands[1] & covers).bit_count() for world in game.sample_states(0)} == {0, 1}
    game.do(then)
    known = {"play 7H": ((4, covers),), "draw": ((5, covers), (1, 0))}
    assert game.view(0).holdings[1] == known[then]


def test_new_hidden_card_may_be_excluded_one():
    game = start_session().deal("QH 7H 6C 6D 6S", "7C 8C 9C TC TD", "9H 7D 7S 8D 8S", then="9D QS")
    game.do("play QH, done, draw, play 9H, done")
    lacking = game.view(0).excluded_cards[1]
    assert cards("QS JS") & lacking == cards("QS JS")
    game.do("play 7H, done")
    assert game.view(0).excluded_cards[1] == 0
    worlds = [(world.hands[1] & lacking).bit_count() for world in game.sample_states(0)]
    assert set(worlds) == {0, 1}, "none but the new card"


def test_shuffled_cards_are_only_in_hands_that_drew():
    game = exhaust_blind().do("shuffle KS, play KS, done, play TS, done, play 8S, done, shuffle TS 6S KS")
    shuffled = cards("TS 6S KS")
    for world in game.sample_states(2):
        assert (world.hands[0] & shuffled).bit_count() == 2
        assert not (world.hands[1] | world.hands[3]) & shuffled
        assert not world.hands[1] & cards("6C 6D 6H 7S 8S 9S TS JS QS AS JC JD JH"), (
            "seat 1 had no card to play when it drew"
        )


# Words


def test_reasons_of_illegal_plays():
    game = start_second_turn("QH", "9H 7C 8C TC TD", "8H")
    assert game.explain_illegal("7C") == "Play a heart, a queen or a jack"
    assert game.explain_illegal("AS") == "You do not hold that card"
    assert game.explain_illegal() == "You must play: you hold a playable card"
    assert game.explain_illegal("9H 7C") == "Play one card at a time"
    game.do("play 9H")
    assert game.explain_illegal("TC") == "You may only play another 9 now"
    assert game.explain_illegal() == "You have played a card: no need to draw"
    game.do("done, play 8H, done")
    assert game.turn == 1


def test_reasons_on_eights_and_jacks():
    game = start_second_turn("QH", "8H 8C JD 7C TD").do("play 8H, play 8C")
    assert game.explain_illegal() == "First choose who draws for your 8s"
    game = start_second_turn("QH", "JD 7C TD 8C 9C", "9H 7H 8H TH KH").do("play JD")
    assert game.explain_illegal() == "Name a suit to end your turn"
    game.do("suit S")
    assert game.explain_illegal("9H") == "You must draw: you hold no spade and no jack"
    assert game.explain_illegal() == "You must draw a card first"
    game = start_second_turn("QH", "7C 8C 9C TC TD")
    assert game.explain_illegal("7C") == "You must draw: you hold no heart, no queen and no jack"
    game = start_session().deal("JD", "KD 9S").do("play JD, suit S")
    assert game.explain_illegal("KD") == "Spades are named: play a spade or a jack"


def test_reasons_on_six():
    game = start_second_turn("QH", "6H 9H 7C TD KD").do("play 6H")
    assert game.explain_illegal("7C") == "Cover the 6 with a heart, a jack or a 6"
    assert game.explain_illegal() == "You must cover the 6"
    game = start_second_turn("QH", "6H 9S 7C TD KD").do("play 6H")
    assert game.explain_illegal() == "Cover the 6: draw until you can"


def test_reasons_after_draw():
    game = start_second_turn("QH", "7C 8C 9C TC TD", then="7H").do("draw")
    assert game.explain_illegal("7C") == "You may only play the card you drew"
    assert game.explain_illegal() == "You have already drawn"
    assert name_action(game.view(1), DONE) == "Keep the card"
    assert name_action(game.do("play 7H").view(1), DONE) == "End {your} turn"


def test_reasons_for_finisher():
    game = go_out_with_three_eights()
    assert game.explain_illegal() == "First choose who draws for your 8s"
    game = (
        start_session()
        .deal("JC", "JD", "JH JS KD 6C 7C")
        .do("play JC, suit H, play JD, suit H, play JH, play JS, bridge")
    )
    assert game.explain_illegal("KD") == "First choose how your jacks count"


def test_log_entries_of_round():
    game = start_session().deal("JC", "TS", "7C")
    assert game.format_notes(0) == [(None, "round 1: 5 cards each"), (0, "starts")]
    assert game.do("play JC").format_notes(2) == [(0, "JC")]
    assert game.do("suit S").format_notes(2) == [(0, "names spades")]
    game = start_session().deal(f"{NINES} 6C", "7C 7D 7H 7S TC", "6D 6H 6S 8C JC").do(BRIDGE_OF_NINES)
    assert game.format_notes(1) == [
        (0, "calls bridge"),
        (0, "0 in round 1"),
        (1, "+10 in round 1"),
        (2, "+20 in round 1"),
    ]
    assert (0, "goes out") in go_out_with_three_eights().format_notes(1)


# Practice with open hands


def test_extra_card_in_practice_is_the_top_of_the_blind():
    game = start_second_turn("QH", "6C 7C 8C 9C TC", then="KH AD", open_hands="on")
    assert (game.legal(), game.view().practice_actions) == (["draw"], (GIVE,))
    game.do("give")
    assert (game.hand(1), game.legal(), game.view().drew) == ("6C 7C 8C 9C TC KH", ["play KH"], 0)
    assert game.format_notes(0) == [(1, "gets an extra card"), (1, "draws a card")]
    game.do("give, play KH, done")
    assert (game.hand(1), game.turn) == ("6C 7C 8C 9C TC AD", 2)


def test_extra_cards_at_every_point_of_a_turn():
    game = start_second_turn("QH", "6H 9D 9S TS TC", then="7C 8D 8H KS", open_hands="on")
    game.do("play 6H, give, draw, give, play 8H")
    assert game.legal() == ["done", "play 8D"]
    game.do("give, play 8D, eights next")
    assert (game.hand(1), game.turn) == ("7C TC 9D 9S TS KS", 0)


@pytest.mark.parametrize("texts", ["play 8C, play 8D, play 8H, play 8S, bridge", "play 9C, play 9D, play 9H, play 9S"])
def test_no_extra_card_once_the_round_is_finished(texts):
    hand = texts.split(", bridge")[0].replace("play ", "").replace(",", "")
    game = start_session(open_hands="on").deal(f"{hand} TC").do(texts)
    assert game.view().practice_actions == (() if "bridge" in texts else (GIVE,))
    if "bridge" in texts:
        with pytest.raises(IllegalAction, match="'give' is not legal here"):
            game.do("give")


def test_no_extra_card_without_practice_or_blind():
    game = start_session()
    game.deal("9C")
    assert game.view().practice_actions == ()
    with pytest.raises(IllegalAction, match="'give' is not legal here"):
        game.do("give")
    game = start_session(open_hands="on").deal("9C").do("give", times=21)
    assert (game.view(0).sizes, game.view(0).blind) == ((26, 5, 5), 0)
    with pytest.raises(IllegalAction, match="'give' is not legal here"):
        game.do("give")


@pytest.mark.parametrize("seed", range(6))
def test_random_practice_keeps_all_rules(seed):
    """Views can be determinized, and journals replayed, whenever cards are given."""
    rng, lines = Random(seed), []
    table = Referee(GAME, 3, GAME.options(open_hands="on"), seed, lines.append)
    while not table.ended and table.round < 3:
        if table.turn < 0:
            table.advance()
            continue
        view = table.view(table.turn)
        table.play(table.turn, rng.choice([*view.legal, *view.practice_actions]))
        table.state.assert_invariants()
        for seat in range(3):
            assert GAME.imagine(table.view(seat), rng).view(seat) == table.view(seat)
    again = Referee(GAME, 3, GAME.options(open_hands="on"), seed)
    for line in lines:
        again.apply_line(line)
    assert again.view(0) == table.view(0)
    assert any(line.action == "give" for line in select_lines(ActionLine, lines))
