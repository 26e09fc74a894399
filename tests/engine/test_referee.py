"""Referee: judging, chance, end, talk and forfeit."""

import pytest

from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import (
    ActionLine,
    ChanceLine,
    ForfeitLine,
    NameLine,
    ResultLine,
    SessionResult,
    TalkLine,
    UndoLine,
    VoidLine,
)
from cardtable.engine.referee import IllegalAction
from tests.engine.toy import (
    KEEP,
    TIMED,
    RecordingReferee,
    ToyAction,
    assert_refused,
    capture_state,
    deal_first_round,
    play_whole_session,
)

# Judging


@pytest.mark.parametrize("seat", [CHANCE, OVER, 2, 99])
def test_action_of_nonexistent_seat_is_refused(seat):
    table = deal_first_round()
    assert_refused(table, ActionLine(seat, "keep"), "is not to act")
    with pytest.raises(IllegalAction):
        table.play(seat, KEEP)


def test_action_out_of_turn_is_refused():
    table = deal_first_round()
    assert_refused(table, ActionLine(1 - table.turn, "keep"), "is not to act")
    with pytest.raises(IllegalAction, match="is not to act"):
        table.play(1 - table.turn, KEEP)


def test_illegal_or_inexact_action_text_is_refused():
    table = deal_first_round()
    for text in ("KEEP", "keep ", " keep", "", "first 0", "keep keep"):
        assert_refused(table, ActionLine(table.turn, text), "is not legal here")
    with pytest.raises(IllegalAction, match="'burn' is not legal here"):
        table.play(table.turn, ToyAction("burn"))


@pytest.mark.parametrize(
    "text", ["deal AC AD AH", "deal AC AC AH AS", "deal AC AD AH 2S", "first 0", "trump C", "shuffle AC AD", "deal"]
)
def test_impossible_chance_outcome_is_refused(text):
    table = RecordingReferee()
    table.apply_line(ChanceLine("first 1"))
    assert_refused(table, ChanceLine(text), "cannot come here|not a card|is not an outcome of chance")


def test_chance_outcome_on_a_seat_turn_is_refused():
    assert_refused(deal_first_round(), ChanceLine("deal AC AD AH AS"), "no outcome of chance is due")


def test_failing_recorder_leaves_state_unchanged():
    def fail(_line):
        raise OSError

    table = deal_first_round()
    before, table.record = capture_state(table), fail
    for act in (lambda: table.play(table.turn, KEEP), lambda: table.void("clock"), lambda: table.say("well played")):
        with pytest.raises(OSError):  # noqa: PT011
            act()
    assert capture_state(table) == before


def test_on_event_is_called_after_each_event():
    table, heard = RecordingReferee(), []
    table.on_event = lambda event: heard.append((str(event).partition(" ")[0], table.turn))
    table.apply_line(ChanceLine("first 1"))
    table.advance()
    table.keep()
    table.undo(1)
    table.say("hm")
    table.void("clock")
    assert heard == [("first", CHANCE), ("deal", CHANCE), ("trump", 1), ("keep", 0)]


# End, talk, forfeit


def test_missing_end_line_is_recorded_on_advance():
    lines = play_whole_session().lines
    table = RecordingReferee.replay(lines[:-1])
    assert not table.ended
    table.advance()
    assert (table.lines, table.ended) == (lines[-1:], True)


@pytest.mark.parametrize(
    "end",
    [
        SessionResult((8, 9), (1, 1), 0),
        SessionResult((8, 8), (1, 2), 0),
        SessionResult((8, 8), (1, 1), 1),
        SessionResult((8,), (1,), 0),
        SessionResult((), ()),
    ],
)
def test_wrong_end_line_is_refused(end):
    table = RecordingReferee.replay(play_whole_session().lines[:-1])
    assert_refused(table, ResultLine(end), "not the sum of the rounds")


def test_end_line_without_undone_count():
    table = RecordingReferee.replay(play_whole_session().lines[:-1])
    table.apply_line(ResultLine(SessionResult((8, 8), (1, 1))))
    assert table.ended


def test_end_line_before_last_round_is_refused():
    assert_refused(deal_first_round(), ResultLine(SessionResult((0, 0), (1, 1), 0)), "not over")


def test_only_talk_and_names_may_follow_end_line():
    table = play_whole_session()
    for line in (
        ChanceLine("deal AC AD AH AS"),
        ActionLine(0, "keep"),
        UndoLine(decisions=1),
        VoidLine("clock"),
        ForfeitLine(0),
        ResultLine(SessionResult((8, 8), (1, 1), 0)),
    ):
        assert_refused(table, line, "only talk may follow")
    table.say("well played", 0)
    table.record_line(NameLine("Friday"))
    assert table.lines[-2:] == [TalkLine(text="well played", seat=0), NameLine("Friday")]


def test_talk_from_nonexistent_seat_is_refused():
    table = deal_first_round()
    table.say("hello")
    table.say("hello", 1)
    for seat in (-1, 2):
        assert_refused(table, TalkLine(text="hello", seat=seat), f"there is no seat {seat}")


@pytest.mark.parametrize("text", ["x" * 4096, "\x00" * 1000, "\U0001f0a1" * 1100, "\ud83c"])
def test_unrecordable_text_is_refused(text):
    table = deal_first_round()
    lines = len(table.lines)
    for write in (table.say, lambda text: table.record_line(NameLine(text)), table.void):
        with pytest.raises(IllegalAction, match="too long, or not Unicode"):
            write(text)
    assert (len(table.lines), table.playing) == (lines, True)


def test_forfeit_is_refused_in_game_without_clock():
    table = deal_first_round()
    assert_refused(table, ForfeitLine(table.turn, "clock"), "nobody can lose this game by the clock")


def play_with_clock():
    """Return a referee of a game with clocks in its second round; the first round gave each seat 2 points."""
    table = deal_first_round(game=TIMED)
    table.keep(4)
    table.advance()
    table.keep()
    return table


def test_forfeit_by_clock_discards_round_in_progress():
    table = play_with_clock()
    loser = table.turn
    table.forfeit(loser, "clock")
    assert table.lines[-2] == ForfeitLine(loser, "clock")
    assert table.lines[-1].result == SessionResult(table.totals, table.ranks, 0)
    assert table.ranks == tuple(2 if seat == loser else 1 for seat in (0, 1))
    assert (table.turn, table.ended, table.playing) == (OVER, True, False)
    assert (table.raw_totals, [score.totals for score in table.scores]) == ((2, 2), [(2, 2)])


def test_forfeit_requires_a_running_clock():
    table = play_with_clock()
    assert_refused(table, ForfeitLine(1 - table.turn, "clock"), "its clock does not run")
    between = deal_first_round(game=TIMED)
    between.keep(4)
    assert_refused(between, ForfeitLine(0, "clock"), "its clock does not run")


def test_only_talk_and_end_line_may_follow_forfeit():
    table = play_with_clock()
    table.apply_line(ForfeitLine(table.turn, "clock"))
    assert not table.ended
    assert_refused(table, ForfeitLine(table.turn, "clock"), "its clock does not run")
    assert_refused(table, UndoLine(decisions=1), "cannot be undone")
    assert_refused(table, VoidLine("clock"), "no round is in progress")
    table.say("what a pity", 0)
    table.advance()
    assert (table.ended, table.lines[-1].result) == (True, SessionResult((4, 4), table.ranks, 0))
