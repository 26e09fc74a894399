"""What a table promises: judging, chance, undo, void, end and talk, as the journal's page has them."""

import pytest

from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import Line, SessionResult
from cardtable.engine.referee import IllegalAction
from tests.engine.toy import KEEP, TIMED, Recorded, Word, after_the_session, dealt, refused, told


def test_a_session_is_first_then_deal_and_trump_each_round():
    table = after_the_session()
    assert [text.split()[0] for text in table.chances()] == ["first", "deal", "trump", "deal", "trump"]
    assert [score.points for score in table.scores] == [(2, 2), (2, 2)]
    assert (table.turn, table.totals, table.ranks, table.ended) == (OVER, (8, 8), (1, 1), True)


def test_chance_inside_a_round_is_drawn_at_once_and_between_rounds_when_told():
    table = dealt()
    table.mix()
    assert table.lines[-1].chance.startswith("shuffle ")
    assert table.turn >= 0
    table.keep(3)
    assert (table.turn, table.playing, table.round) == (CHANCE, False, 1)
    table.advance()
    assert (table.playing, table.round) == (True, 2)


def test_going_on_while_somebody_is_to_act_does_nothing():
    table = dealt()
    lines = list(table.lines)
    table.advance()
    assert table.lines == lines


# Judging


@pytest.mark.parametrize("seat", [CHANCE, OVER, 2, 99, None])
def test_who_is_no_seat_to_act_may_not(seat):
    table = dealt()
    refused(table, Line(seat=seat, action="keep"), "is not to act")
    with pytest.raises(IllegalAction):
        table.play(seat if seat is not None else CHANCE, KEEP)


def test_the_other_seat_may_not_act():
    table = dealt()
    refused(table, Line(seat=1 - table.turn, action="keep"), "is not to act")
    with pytest.raises(IllegalAction, match="is not to act"):
        table.play(1 - table.turn, KEEP)


@pytest.mark.parametrize("turn", [CHANCE, OVER])
def test_nobody_plays_for_chance_or_after_the_end(turn):
    table = Recorded() if turn == CHANCE else after_the_session()
    lines = len(table.lines)
    for seat in (CHANCE, OVER, 0, 1):
        with pytest.raises(IllegalAction):
            table.play(seat, KEEP)
        refused(table, Line(seat=seat, action="keep"), "is not to act|has ended")
    assert (table.turn, len(table.lines)) == (turn, lines)


def test_only_legal_actions_and_only_their_exact_text():
    table = dealt()
    for text in ("KEEP", "keep ", " keep", "", "first 0", "keep keep"):
        refused(table, Line(seat=table.turn, action=text), "is not legal here")
    with pytest.raises(IllegalAction, match="burn is not legal now"):
        table.play(table.turn, Word("burn"))


def test_an_equal_action_from_elsewhere_counts_as_the_shared_one():
    table = dealt()
    table.play(table.turn, Word("keep"))
    assert table.decisions == 1


@pytest.mark.parametrize(
    "text", ["deal AC AD AH", "deal AC AC AH AS", "deal AC AD AH 2S", "first 0", "trump C", "shuffle AC AD", "deal"]
)
def test_an_outcome_that_cannot_come_here_is_refused(text):
    table = Recorded()
    table.apply_line(Line(chance="first 1"))
    refused(table, Line(chance=text), "cannot come here|not a card|is not an outcome of chance")


def test_chance_may_not_speak_while_a_seat_is_to_act():
    refused(dealt(), Line(chance="deal AC AD AH AS"), "not for chance to speak")


def test_a_recorder_that_fails_leaves_the_table_as_it_was():
    def fail(_line):
        raise OSError

    table = dealt()
    before, table.record = told(table), fail
    for act in (
        lambda: table.play(table.turn, KEEP),
        lambda: table.void("clock"),
        lambda: table.say("well played"),
    ):
        with pytest.raises(OSError):  # noqa: PT011
            act()
    assert told(table) == before


def test_a_watcher_hears_of_each_event_after_it_and_of_nothing_taken_back():
    table, heard = Recorded(), []
    table.on_event = lambda event: heard.append((str(event).partition(" ")[0], table.turn))
    table.apply_line(Line(chance="first 1"))
    table.advance()
    table.keep()
    table.undo(1)
    table.say("hm")
    table.void("clock")
    assert heard == [("first", CHANCE), ("deal", CHANCE), ("trump", 1), ("keep", 0)]


# End, talk, forfeit


def test_the_end_is_written_once_with_what_the_rounds_add_up_to():
    table = dealt()
    table.keep(2)
    table.undo(2)
    table.keep(4)
    table.advance()
    table.keep(4)
    table.advance()
    assert [line.end for line in table.lines if line.end] == [SessionResult((8, 8), (1, 1), 2)]


def test_a_session_killed_before_its_end_was_written_gets_it_when_it_goes_on():
    lines = after_the_session().lines
    table = Recorded()
    for line in lines[:-1]:
        table.apply_line(line)
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
def test_an_end_that_the_rounds_do_not_add_up_to_is_refused(end):
    table = Recorded()
    for line in after_the_session().lines[:-1]:
        table.apply_line(line)
    refused(table, Line(end=end), "not what the rounds add up to")


def test_an_end_need_not_say_how_many_decisions_were_taken_back():
    table = Recorded()
    for line in after_the_session().lines[:-1]:
        table.apply_line(line)
    table.apply_line(Line(end=SessionResult((8, 8), (1, 1))))
    assert table.ended


def test_no_end_before_the_last_round_is_over():
    refused(dealt(), Line(end=SessionResult((0, 0), (1, 1), 0)), "not over")


def test_only_talk_and_names_follow_the_end():
    table = after_the_session()
    for line in (
        Line(chance="deal AC AD AH AS"),
        Line(seat=0, action="keep"),
        Line(undo=1),
        Line(void="clock"),
        Line(forfeit=0),
        Line(end=SessionResult((8, 8), (1, 1), 0)),
    ):
        refused(table, line, "only talk may follow")
    table.say("well played", 0)
    table.rename("Friday")
    assert [line.say or line.name for line in table.lines[-2:]] == ["well played", "Friday"]


def test_talk_comes_from_a_seat_or_from_nobody_at_the_table():
    table = dealt()
    table.say("hello")
    table.say("hello", 1)
    for seat in (-1, 2):
        refused(table, Line(say="hello", seat=seat), f"there is no seat {seat}")


@pytest.mark.parametrize("text", ["x" * 4096, "\x00" * 1000, "\U0001f0a1" * 1100, "\ud83c"])
def test_text_that_no_line_can_keep_is_refused(text):
    table = dealt()
    lines = len(table.lines)
    for write in (table.say, table.rename, table.void):
        with pytest.raises(IllegalAction, match="too long to be kept, or not Unicode"):
            write(text)
    assert (len(table.lines), table.playing) == (lines, True)


def test_no_clock_loses_a_game_without_one():
    table = dealt()
    refused(table, Line(forfeit=table.turn, why="clock"), "nobody can lose this game by the clock")


def by_the_clock():
    """A table in its second round, where each player has a clock; the first round brought 2 points each."""
    table = dealt(game=TIMED)
    table.keep(4)
    table.advance()
    table.keep()
    return table


def test_who_runs_out_of_time_loses_the_session_and_the_round_in_play_does_not_count():
    table = by_the_clock()
    loser = table.turn
    table.forfeit(loser, "clock")
    assert table.lines[-2] == Line(forfeit=loser, why="clock")
    assert table.lines[-1].end == SessionResult(table.totals, table.ranks, 0)
    assert table.ranks == tuple(2 if seat == loser else 1 for seat in (0, 1))
    assert (table.turn, table.ended, table.playing) == (OVER, True, False)
    assert (table.raw_totals, [score.totals for score in table.scores]) == ((2, 2), [(2, 2)])


def test_only_a_clock_that_runs_can_run_out():
    table = by_the_clock()
    refused(table, Line(forfeit=1 - table.turn, why="clock"), "its clock does not run")
    between = dealt(game=TIMED)
    between.keep(4)
    refused(between, Line(forfeit=0, why="clock"), "its clock does not run")


def test_only_talk_and_the_end_follow_a_forfeit():
    table = by_the_clock()
    table.apply_line(Line(forfeit=table.turn, why="clock"))
    assert not table.ended
    refused(table, Line(forfeit=table.turn, why="clock"), "its clock does not run")
    refused(table, Line(undo=1), "cannot be taken back")
    refused(table, Line(void="clock"), "no round is in progress")
    table.say("what a pity", 0)
    table.advance()
    assert (table.ended, table.lines[-1].end) == (True, SessionResult((4, 4), table.ranks, 0))
