"""Taking back decisions, and rounds that are void: neither changes what was seen."""

import pytest
from msgspec.structs import replace

from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import Line
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from tests.engine.toy import GAME, Options, Recorded, after_the_session, dealt, refused, told


def now(table):
    """The state alone."""
    return told(table)[0]


def test_undo_takes_back_the_last_decisions_whoever_made_them():
    table = dealt()
    positions = [now(table)]
    for _ in range(3):
        table.keep()
        positions.append(now(table))
    table.undo(2)
    assert now(table) == positions[1]
    assert (table.decisions, table.undone) == (1, 2)
    table.undo(1)
    assert now(table) == positions[0]
    assert (table.decisions, table.undone) == (0, 3)


def test_how_far_back_a_seat_s_own_last_decision_lies():
    table = dealt()
    first = table.turn
    assert (table.compute_undo_distance(first), table.compute_undo_distance(1 - first)) == (0, 0)
    table.keep()
    assert (table.compute_undo_distance(first), table.compute_undo_distance(1 - first)) == (1, 0)
    table.keep()
    assert (table.compute_undo_distance(first), table.compute_undo_distance(1 - first)) == (2, 1)
    table.mix()
    assert (table.compute_undo_distance(first), table.compute_undo_distance(1 - first)) == (0, 0)


def test_it_is_told_why_nothing_can_be_taken_back():
    table = dealt()
    first = table.turn
    assert table.explain_undo_refusal(first) == "new cards have come"
    table.keep()
    assert table.explain_undo_refusal(first) == ""
    assert table.explain_undo_refusal(1 - first) == "new cards have come"


def test_what_needed_no_word_is_no_own_decision_to_come_back_to():
    table = dealt()
    first = table.turn
    table.keep()
    table.game = replace(GAME, forced_silent_action=lambda view: view.legal[0] if view.turn != first else None)
    table.keep()
    assert (table.compute_undo_distance(first), table.compute_undo_distance(1 - first)) == (2, 0)


def test_undo_counts_decisions_and_no_talk():
    table = dealt()
    table.keep()
    table.say("hm", 1)
    table.rename("Friday")
    table.undo(1)
    assert table.decisions == 0


@pytest.mark.parametrize("decisions", [0, -1, 2, 10**14])
def test_no_other_number_of_decisions_can_be_taken_back(decisions):
    table = dealt()
    table.keep()
    refused(table, Line(undo=decisions), "cannot be taken back here, at most 1")


def test_undo_never_passes_chance():
    table = dealt()
    table.keep()
    table.mix()
    refused(table, Line(undo=1), "at most 0")
    table.keep()
    refused(table, Line(undo=2), "at most 1")
    table.undo(1)


def test_the_decision_that_ended_a_round_can_be_taken_back_until_the_next_deal():
    table = dealt()
    table.keep(3)
    before = now(table)
    table.keep()
    assert len(table.scores) == 1
    table.undo(1)
    assert (now(table), table.scores, table.raw_totals) == (before, [], (0, 0))
    table.keep()
    table.advance()
    refused(table, Line(undo=1), "at most 0")


def test_undo_never_passes_a_void():
    table = dealt()
    table.keep()
    table.void("clock")
    refused(table, Line(undo=1), "at most 0")


def test_nothing_is_taken_back_after_the_end():
    table = after_the_session()
    refused(table, Line(undo=1), "the session has ended")


def test_a_journal_may_take_back_the_last_decision_of_all_before_its_end():
    table = after_the_session()
    again = Referee(GAME, 2, Options(), 12345)
    for line in table.lines[:-1]:
        again.apply_line(line)
    assert (again.turn, again.ended) == (OVER, False)
    again.apply_line(Line(undo=1))
    assert (again.turn >= 0, len(again.scores)) == (True, 1)


def test_a_void_round_keeps_its_number_and_its_draws_come_again_but_never_first():
    table = dealt()
    table.keep()
    table.void("clock")
    assert (table.turn, table.playing, table.round, table.totals) == (CHANCE, False, 1, (0, 0))
    table.advance()
    assert table.round == 1
    assert [text.split()[0] for text in table.chances()] == ["first", "deal", "trump", "deal", "trump"]
    assert table.chances()[1] != table.chances()[3]


def test_void_stands_only_from_the_deal_to_the_last_decision():
    table = Recorded()
    refused(table, Line(void="clock"), "no round is in progress")
    table.apply_line(Line(chance="first 0"))
    refused(table, Line(void="clock"), "no round is in progress")
    table.apply_line(Line(chance="deal AC AD AH AS"))
    table.apply_line(Line(void="clock"))
    refused(table, Line(void="clock"), "no round is in progress")
    table.advance()
    table.keep(4)
    refused(table, Line(void="clock"), "no round is in progress")


def test_a_round_whose_end_was_taken_back_can_be_void():
    table = dealt()
    table.keep(4)
    table.undo(1)
    table.void("clock")
    table.advance()
    assert (table.round, table.scores) == (1, [])


def test_a_round_can_be_void_while_chance_owes_a_shuffle():
    table = dealt()
    table.apply_line(Line(seat=table.turn, action="mix"))
    table.apply_line(Line(void="clock"))
    refused(table, Line(chance="shuffle AC AD"), "cannot come here")
    table.advance()
    assert table.turn >= 0


def draw_in_rummy(table, seat, *texts):
    """The seat does these things."""
    for text in texts:
        table.play(seat, next(a for a in table.view(seat).legal if str(a).startswith(text)))


def test_a_card_drawn_unseen_stays_drawn():
    table = Referee(GAMES["rummy"], 2, GAMES["rummy"].options(), 7)
    table.advance()
    me = table.turn
    draw_in_rummy(table, me, "stock")
    assert (table.compute_undo_distance(me), table.explain_undo_refusal(me)) == (0, "you have seen what came")
    draw_in_rummy(table, me, "drop")
    assert table.compute_undo_distance(me) == 1, "what she dropped she may choose anew"
    draw_in_rummy(table, 1 - me, "stock", "drop")
    assert table.compute_undo_distance(me) == 3, "what the other one drew she has not seen"
    assert table.compute_undo_distance(1 - me) == 1
    table.undo(3)
    assert table.view(me).drew
    assert table.compute_undo_distance(me) == 0


def test_a_card_taken_face_up_may_be_given_back():
    table = Referee(GAMES["rummy"], 2, GAMES["rummy"].options(), 7)
    table.advance()
    me, before = table.turn, table.view(table.turn)
    draw_in_rummy(table, me, "take 1")
    assert table.compute_undo_distance(me) == 1
    table.undo(1)
    assert table.view(me) == before


def test_journals_in_which_a_drawn_card_was_given_back_stay_good():
    lines: list[Line] = []
    table = Referee(GAMES["rummy"], 2, GAMES["rummy"].options(), 7, lines.append)
    table.advance()
    draw_in_rummy(table, table.turn, "stock")
    table.undo(1)
    again = Referee(GAMES["rummy"], 2, GAMES["rummy"].options(), 0)
    for line in lines:
        again.apply_line(line)
    assert again.view(0) == table.view(0)
