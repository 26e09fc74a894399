"""Undo of decisions, and void rounds."""

import pytest

from cardtable.engine.journal import ChanceLine, Line, UndoLine, VoidLine
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from tests.engine.toy import GAME, RecordingReferee, assert_refused, capture_state, deal_first_round, play_whole_session
from tests.overriding import override


def capture_game_state(table):
    """Return only the game state of a referee."""
    return capture_state(table)[0]


def test_undo_distance_to_own_last_decision():
    table = deal_first_round()
    first = table.turn
    assert (table.compute_undo_distance(first), table.compute_undo_distance(1 - first)) == (0, 0)
    table.keep()
    assert (table.compute_undo_distance(first), table.compute_undo_distance(1 - first)) == (1, 0)
    table.keep()
    assert (table.compute_undo_distance(first), table.compute_undo_distance(1 - first)) == (2, 1)
    table.mix()
    assert (table.compute_undo_distance(first), table.compute_undo_distance(1 - first)) == (0, 0)


def test_explanation_of_refused_undo():
    table = deal_first_round()
    first = table.turn
    assert table.explain_undo_refusal(first) == "nothing to undo yet"
    table.keep()
    assert table.explain_undo_refusal(first) is None
    assert table.explain_undo_refusal(1 - first) == "nothing to undo yet"
    table.mix()
    assert table.explain_undo_refusal(first) == "new cards have been dealt"


def test_forced_silent_action_is_no_undo_target():
    table = deal_first_round()
    first = table.turn
    table.keep()
    table.game = override(GAME, forced_silent_action=lambda view: view.legal[0] if view.turn != first else None)
    table.keep()
    assert (table.compute_undo_distance(first), table.compute_undo_distance(1 - first)) == (2, 0)


@pytest.mark.parametrize("decisions", [0, -1, 2, 10**14])
def test_invalid_undo_count_is_refused(decisions):
    table = deal_first_round()
    table.keep()
    assert_refused(table, UndoLine(decisions=decisions), "cannot be undone here, at most 1")


def test_undo_stops_at_chance():
    table = deal_first_round()
    table.keep()
    table.mix()
    assert_refused(table, UndoLine(decisions=1), "at most 0")
    table.keep()
    assert_refused(table, UndoLine(decisions=2), "at most 1")
    table.undo(1)


def test_undo_of_round_end_until_next_deal():
    table = deal_first_round()
    table.keep(3)
    before = capture_game_state(table)
    table.keep()
    assert len(table.scores) == 1
    table.undo(1)
    assert (capture_game_state(table), table.scores, table.raw_totals) == (before, [], (0, 0))
    table.keep()
    table.advance()
    assert_refused(table, UndoLine(decisions=1), "at most 0")


def test_undo_stops_at_void():
    table = deal_first_round()
    table.keep()
    table.void("clock")
    assert_refused(table, UndoLine(decisions=1), "at most 0")


def test_no_undo_after_end_line():
    table = play_whole_session()
    assert_refused(table, UndoLine(decisions=1), "the session has ended")
    assert table.explain_undo_refusal(0) == "the session is over"


def test_void_is_allowed_only_during_a_round():
    table = RecordingReferee()
    assert_refused(table, VoidLine("clock"), "no round is in progress")
    table.apply_line(ChanceLine("first 0"))
    assert_refused(table, VoidLine("clock"), "no round is in progress")
    table.apply_line(ChanceLine("deal AC AD AH AS"))
    table.apply_line(VoidLine("clock"))
    assert_refused(table, VoidLine("clock"), "no round is in progress")
    table.advance()
    table.keep(4)
    assert_refused(table, VoidLine("clock"), "no round is in progress")


def play_by_prefix(table, seat, *texts):
    """Play, for each text, the first legal action of the seat that begins with it."""
    for text in texts:
        table.play(seat, next(a for a in table.view(seat).legal if str(a).startswith(text)))


def test_undo_stops_at_own_unseen_draw():
    table = Referee(GAMES["rummy"], 2, GAMES["rummy"].options(), 7)
    table.advance()
    me = table.turn
    play_by_prefix(table, me, "stock")
    assert (table.compute_undo_distance(me), table.explain_undo_refusal(me)) == (0, "you have seen a new card")
    play_by_prefix(table, me, "drop")
    assert table.compute_undo_distance(me) == 1, "a discard can be undone"
    play_by_prefix(table, 1 - me, "stock", "drop")
    assert table.compute_undo_distance(me) == 3, "the draw of the opponent is unknown to the player"
    assert table.compute_undo_distance(1 - me) == 1
    table.undo(3)
    assert table.view(me).drew
    assert table.compute_undo_distance(me) == 0


def test_undo_of_face_up_draw():
    table = Referee(GAMES["rummy"], 2, GAMES["rummy"].options(), 7)
    table.advance()
    me, before = table.turn, table.view(table.turn)
    play_by_prefix(table, me, "take 1")
    assert table.compute_undo_distance(me) == 1
    table.undo(1)
    assert table.view(me) == before


def test_replay_accepts_undo_of_unseen_draw():
    lines: list[Line] = []
    table = Referee(GAMES["rummy"], 2, GAMES["rummy"].options(), 7, lines.append)
    table.advance()
    play_by_prefix(table, table.turn, "stock")
    table.undo(1)
    again = Referee(GAMES["rummy"], 2, GAMES["rummy"].options(), 0)
    for line in lines:
        again.apply_line(line)
    assert again.view(0) == table.view(0)
