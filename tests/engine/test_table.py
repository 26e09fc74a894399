"""What a table promises: judging, chance, undo, void, end and talk, as the journal's page has them."""

from random import Random

import pytest

from cardtable.engine.chance import Deal, First, Trump
from cardtable.engine.contract import CHANCE, OVER
from cardtable.engine.journal import End, Line
from cardtable.engine.table import IllegalAction, Table
from tests.engine.toy import GAME, KEEP, Options, Recorded, Word, dealt, told


def refused(table, line, why):
    """The line is refused for this reason, and changes nothing."""
    before = told(table)
    with pytest.raises(IllegalAction, match=why):
        table.take(line)
    assert told(table) == before


def told_now(table):
    """The state alone."""
    return dict(vars(table._state))


def after_the_session():
    table = dealt()
    table.keep(4)
    table.go_on()
    table.keep(4)
    return table


def test_a_session_is_first_then_deal_and_trump_each_round():
    table = after_the_session()
    assert [text.split()[0] for text in table.chances()] == ["first", "deal", "trump", "deal", "trump"]
    assert [score.points for score in table.scores] == [(2, 2), (2, 2)]
    assert (table.turn, table.totals, table.ranks, table.ended) == (OVER, (4, 4), (1, 1), True)


def test_chance_inside_a_round_is_drawn_at_once_and_between_rounds_when_told():
    table = dealt()
    table.mix()
    assert table.lines[-1].chance.startswith("shuffle ")
    assert table.turn >= 0
    table.keep(3)
    assert (table.turn, table.playing, table.round) == (CHANCE, False, 1)
    table.go_on()
    assert (table.playing, table.round) == (True, 2)


def test_going_on_while_somebody_is_to_act_does_nothing():
    table = dealt()
    lines = list(table.lines)
    table.go_on()
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
        table.chair(1 - table.turn).play(KEEP)


@pytest.mark.parametrize("turn", [CHANCE, OVER])
def test_nobody_plays_for_chance_or_after_the_end(turn):
    table = Recorded() if turn == CHANCE else after_the_session()
    lines = len(table.lines)
    for seat in (CHANCE, OVER, 0, 1):
        with pytest.raises(IllegalAction):
            table.play(seat, KEEP)
    assert (table.turn, len(table.lines)) == (turn, lines)


def test_only_legal_actions_and_only_their_exact_text():
    table = dealt()
    for text in ("KEEP", "keep ", " keep", "", "first 0", "keep keep"):
        refused(table, Line(seat=table.turn, action=text), "is not legal here")
    with pytest.raises(IllegalAction, match="burn is not legal now"):
        table.play(table.turn, Word("burn"))


def test_an_equal_action_from_elsewhere_counts_as_the_shared_one():
    table = dealt()
    table.chair(table.turn).play(Word("keep"))
    assert table.decisions == 1


@pytest.mark.parametrize(
    "text", ["deal AC AD AH", "deal AC AC AH AS", "deal AC AD AH 2S", "first 0", "trump C", "shuffle AC AD", "deal"]
)
def test_an_outcome_that_cannot_come_here_is_refused(text):
    table = Recorded()
    table.take(Line(chance="first 1"))
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


# Undo


def test_undo_takes_back_the_last_decisions_whoever_made_them():
    table = dealt()
    positions = [told_now(table)]
    for _ in range(3):
        table.keep()
        positions.append(told_now(table))
    table.undo(2)
    assert told_now(table) == positions[1]
    assert (table.decisions, table.undone) == (1, 2)
    table.undo(1)
    assert told_now(table) == positions[0]
    assert (table.decisions, table.undone) == (0, 3)


def test_how_far_back_a_seat_s_own_last_decision_lies():
    table = dealt()
    first = table.turn
    assert (table.since(first), table.since(1 - first)) == (0, 0)
    table.keep()
    assert (table.since(first), table.since(1 - first)) == (1, 0)
    table.keep()
    assert (table.since(first), table.since(1 - first)) == (2, 1)
    table.mix()
    assert (table.since(first), table.since(1 - first)) == (0, 0)


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
    before = told_now(table)
    table.keep()
    assert len(table.scores) == 1
    table.undo(1)
    assert (told_now(table), table.scores, table.running) == (before, [], (0, 0))
    table.keep()
    table.go_on()
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
    again = Table(GAME, 2, Options(), 12345)
    for line in table.lines[:-1]:
        again.take(line)
    assert (again.turn, again.ended) == (OVER, False)
    again.take(Line(undo=1))
    assert (again.turn >= 0, len(again.scores)) == (True, 1)


# Void


def test_a_void_round_keeps_its_number_and_its_draws_come_again_but_never_first():
    table = dealt()
    table.keep()
    table.void("clock")
    assert (table.turn, table.playing, table.round, table.totals) == (CHANCE, False, 1, (0, 0))
    table.go_on()
    assert table.round == 1
    assert [text.split()[0] for text in table.chances()] == ["first", "deal", "trump", "deal", "trump"]
    assert table.chances()[1] != table.chances()[3]


def test_void_stands_only_from_the_deal_to_the_last_decision():
    table = Recorded()
    refused(table, Line(void="clock"), "no round is in progress")
    table.take(Line(chance="first 0"))
    refused(table, Line(void="clock"), "no round is in progress")
    table.take(Line(chance="deal AC AD AH AS"))
    table.take(Line(void="clock"))
    refused(table, Line(void="clock"), "no round is in progress")
    table.go_on()
    table.keep(4)
    refused(table, Line(void="clock"), "no round is in progress")


def test_a_round_whose_end_was_taken_back_can_be_void():
    table = dealt()
    table.keep(4)
    table.undo(1)
    table.void("clock")
    table.go_on()
    assert (table.round, table.scores) == (1, [])


def test_a_round_can_be_void_while_chance_owes_a_shuffle():
    table = dealt()
    table.take(Line(seat=table.turn, action="mix"))
    table.take(Line(void="clock"))
    refused(table, Line(chance="shuffle AC AD"), "cannot come here")
    table.go_on()
    assert table.turn >= 0


# Which generator each outcome comes from


def drawn(seed, round_, voids, number, owed):
    """What the generator of (seed, round, voids, number of the outcome) gives for this kind."""
    state = GAME.start(2, Options())
    state.order, state.owed = (12, 25, 38, 51), owed
    return str(state.lot(Random(f"{seed} {round_} {voids} {number}")))


def test_each_outcome_has_a_generator_of_its_own():
    table = dealt(77)
    table.keep(4)
    table.go_on()
    table.void("clock")
    table.go_on()
    assert table.chances() == [
        drawn(77, 0, 0, 0, First),
        drawn(77, 1, 0, 0, Deal),
        drawn(77, 1, 0, 1, Trump),
        drawn(77, 2, 0, 0, Deal),
        drawn(77, 2, 0, 1, Trump),
        drawn(77, 2, 1, 0, Deal),
        drawn(77, 2, 1, 1, Trump),
    ]


def test_deals_depend_neither_on_play_nor_on_undo_nor_on_a_resume():
    plain = after_the_session().chances()
    table = dealt()
    table.mix()
    table.keep(2)
    table.undo(1)
    table.keep(2)
    resumed = Recorded()
    for line in table.lines:
        resumed.take(line)
    resumed.go_on()
    assert [text for text in table.chances() + resumed.chances() if not text.startswith("shuffle")] == plain


def test_the_deal_after_a_void_depends_on_the_voids_of_its_round_only():
    def voided(rounds):
        table = dealt()
        for times in rounds:
            for _ in range(times):
                table.void("clock")
                table.go_on()
            table.keep(4)
            table.go_on()
        return [text for text in table.chances() if text.startswith("deal")]

    plain, first, second, twice = voided((0, 0)), voided((1, 0)), voided((0, 1)), voided((2, 1))
    assert first == [plain[0], first[1], plain[1]]
    assert second == [*plain, second[2]]
    assert twice == [plain[0], first[1], twice[2], plain[1], second[2]]
    assert len(set(twice)) == 5


def test_a_resumed_table_counts_voids_and_outcomes_of_its_round():
    def play(table):
        table.void("clock")
        table.go_on()
        table.mix()

    def finish(table):
        table.mix()
        table.void("clock")
        table.go_on()

    whole = dealt()
    play(whole)
    resumed = Recorded()
    for line in whole.lines:
        resumed.take(line)
    known = len(whole.lines)
    finish(whole)
    finish(resumed)
    assert whole.lines[known:] == resumed.lines


# End, talk, forfeit


def test_the_end_is_written_once_with_what_the_rounds_add_up_to():
    table = dealt()
    table.keep(2)
    table.undo(2)
    table.keep(4)
    table.go_on()
    table.keep(4)
    table.go_on()
    assert [line.end for line in table.lines if line.end] == [End((4, 4), (1, 1), 2)]


def test_a_session_killed_before_its_end_was_written_gets_it_when_it_goes_on():
    lines = after_the_session().lines
    table = Recorded()
    for line in lines[:-1]:
        table.take(line)
    assert not table.ended
    table.go_on()
    assert (table.lines, table.ended) == (lines[-1:], True)


@pytest.mark.parametrize(
    "end",
    [End((4, 5), (1, 1), 0), End((4, 4), (1, 2), 0), End((4, 4), (1, 1), 1), End((4,), (1,), 0), End((), ())],
)
def test_an_end_that_the_rounds_do_not_add_up_to_is_refused(end):
    table = Recorded()
    for line in after_the_session().lines[:-1]:
        table.take(line)
    refused(table, Line(end=end), "not what the rounds add up to")


def test_an_end_need_not_say_how_many_decisions_were_taken_back():
    table = Recorded()
    for line in after_the_session().lines[:-1]:
        table.take(line)
    table.take(Line(end=End((4, 4), (1, 1))))
    assert table.ended


def test_no_end_before_the_last_round_is_over():
    refused(dealt(), Line(end=End((0, 0), (1, 1), 0)), "not over")


def test_only_talk_and_names_follow_the_end():
    table = after_the_session()
    for line in (
        Line(chance="deal AC AD AH AS"),
        Line(seat=0, action="keep"),
        Line(undo=1),
        Line(void="clock"),
        Line(forfeit=0),
        Line(end=End((4, 4), (1, 1), 0)),
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
    refused(dealt(), Line(forfeit=0, why="clock"), "nobody can lose this game by the clock")
