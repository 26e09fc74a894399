"""The loop that runs a session: whole sessions without a screen, a thread or waiting."""

from contextlib import closing
from itertools import pairwise

import pytest

from cardtable.engine.claim import ClaimVerdict
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.log_entries import DEALT_AGAIN, TAKEN_BACK, UNRATED, SystemLogEntry
from cardtable.engine.referee import IllegalAction
from cardtable.engine.tricks import Play
from cardtable.games import KEYS
from cardtable.session.message_log import create_talk_entry
from cardtable.session.session_events import (
    AutoAdvance,
    AwaitingHandover,
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRemote,
    AwaitingRobot,
    SessionOver,
)
from cardtable.session.session_runner import SessionRunner
from cardtable.store import archive_index, passwords, profiles, session_files, sessions
from tests.session.session_player import Sitting, session

SHORT = {"rikiki": {"length": "short"}, "rummy": {"seats": 2}, "bridge": {"seats": 2}}


def begun(key, **how):
    return session(key, **SHORT.get(key, {}), **how)


def kinds(wanted):
    return {type(each) for each in wanted}


@pytest.mark.parametrize("key", KEYS)
def test_a_session_of_each_game_is_run_to_its_end(key):
    with closing(begun(key)) as it:
        sitting = Sitting(it)
        run = sitting.on()
    assert run.pending == SessionOver()
    assert kinds(sitting.wanted) - {AwaitingNextRound} == {AutoAdvance, AwaitingRobot, AwaitingPlayer}
    assert sitting.wanted.count(AwaitingNextRound()) == len(run.referee.scores) - 1
    [summary] = archive_index.list_finished()
    assert summary.ranks == run.referee.ranks
    read = session_files.parse_session(it.path, it.path.read_bytes())
    told = [entry.line.chance or entry.line.action for entry in read.entries]
    assert [str(seen.event) for seen in sitting.events] == list(filter(None, told)), "each line was told once"


@pytest.mark.parametrize("key", KEYS)
def test_what_happens_is_told_as_the_only_person_saw_it(key):
    sitting = Sitting(begun(key))
    sitting.on(lambda run: run.referee.decisions > 60)
    events = sitting.events
    assert {seat for seen in events for seat in (*seen.before, *seen.after)} == {0}
    for seen, then in pairwise(events):
        assert seen.after[0] == then.before[0]
    assert sitting.run.views == {0: sitting.run.referee.view(0)}


def test_where_all_hands_lie_open_every_view_is_told():
    assert set(Sitting(begun("rikiki", people=0)).to(AwaitingRobot).views) == {0, 1, 2, 3}
    assert set(Sitting(session("rikiki", open_hands="on")).to(AwaitingPlayer).views) == {0, 1, 2, 3}


def test_a_choice_without_a_word_is_nobodys():
    """In Bridge the end of a turn in which nothing more can be done."""
    sitting = Sitting(begun("bridge"))
    run = sitting.on(lambda run: run.pending == AutoAdvance() and run.referee.turn == 0)
    [done] = run.views[0].legal
    [seen] = run.advance()
    assert seen.event == done
    assert run.compute_undo_distance(2) > 1, "nobody comes back to it"


def test_robots_alone_are_asked_one_by_one():
    sitting = Sitting(begun("gurka", people=0))
    run = sitting.to(AwaitingNextRound)
    assert run.hot_seat.seat is None
    assert kinds(sitting.wanted) == {AutoAdvance, AwaitingRobot}
    assert run.message_log.messages_by_seat.keys() == {0, 1, 2, 3}


def test_who_is_not_to_choose_changes_nothing():
    run = SessionRunner(begun("rikiki"))
    with pytest.raises(IllegalAction):
        run.play(None)
    sitting = Sitting(begun("gurka"))
    run = sitting.to(AwaitingPlayer)
    chosen = run.views[0].legal[0]
    run.play(chosen)
    before, wants = run.referee.decisions, sitting.to(AwaitingPlayer).pending
    before = run.referee.decisions
    with pytest.raises(IllegalAction):
        run.play(chosen)
    assert (run.referee.decisions, run.pending) == (before, wants)


def test_the_last_decision_is_taken_back_and_told():
    sitting = Sitting(begun("ten_down"))
    run = sitting.to(AwaitingPlayer)
    before = run.views[0]
    run.play(before.legal[0])
    sitting.to(AwaitingPlayer)
    assert run.take_back(1) == (TAKEN_BACK, UNRATED)
    assert (run.views[0], run.pending) == (before, AwaitingPlayer(0))
    assert run.message_log.messages_by_seat[0][-2:] == [TAKEN_BACK, UNRATED]


def test_nothing_is_taken_back_behind_new_cards_nor_where_several_play():
    run = Sitting(begun("rikiki")).to(AwaitingPlayer)
    assert (run.compute_undo_distance(1), run.take_back(1)) == (0, ())
    sitting = Sitting(begun("rikiki", people=2))
    sitting.on(lambda run: run.referee.decisions > 5)
    assert sitting.run.compute_undo_distance(1) == 0


def test_the_last_decision_of_a_round_is_taken_back_before_the_next_is_dealt():
    sitting = Sitting(begun("gurka"))
    run = sitting.to(AwaitingNextRound)
    run.take_back(1)
    assert isinstance(run.pending, AwaitingPlayer | AwaitingRobot | AutoAdvance)
    assert not run.referee.scores


def test_two_people_are_called_to_the_keyboard_in_turn():
    sitting = Sitting(begun("rikiki", people=2))
    run = sitting.to(AwaitingHandover)
    first = run.pending.seat
    assert run.hot_seat.seat is None
    with pytest.raises(IllegalAction):
        run.play(run.views[first].legal[0])
    run.confirm_handover()
    assert (run.pending, run.public_only) == (AwaitingPlayer(first), False)
    run.play(run.views[first].legal[0])
    sitting.to(AwaitingHandover)
    assert (run.pending, run.public_only) == (AwaitingHandover(1 - first), True)


def test_who_acts_again_is_not_called():
    run = Sitting(begun("rummy", people=2)).to(AwaitingPlayer)
    run.play(next(action for action in run.views[run.hot_seat.seat].legal if str(action) == "stock"))
    assert run.pending == AwaitingPlayer(run.hot_seat.seat)


def test_after_a_round_that_all_have_looked_at_whoever_acts_is_called():
    sitting = Sitting(begun("rikiki", people=2))
    run = sitting.to(AwaitingNextRound)
    assert not run.public_only
    run.advance()
    assert run.public_only
    assert isinstance(sitting.to(AwaitingHandover).pending, AwaitingHandover)


def test_everybody_at_a_hot_seat_is_told_her_own_and_nobody_elses_view():
    sitting = Sitting(begun("rikiki", people=2))
    assert set(sitting.to(AwaitingHandover).views) == {0, 1}


@pytest.fixture
def locked(monkeypatch):
    """Anna has a password, which nobody has given in this run."""
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    profiles.register("Anna", password="sesame77", again="sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    return "sesame77"


def test_the_only_person_gives_her_password_once(locked):
    sitting = Sitting(begun("gurka"))
    run = sitting.to(AwaitingHandover)
    assert run.pending == AwaitingHandover(0, "Anna")
    run.confirm_handover()
    assert run.pending == AwaitingHandover(0, "Anna"), "nobody sits down without it"
    assert run.submit_password("nine")
    assert run.submit_password(locked) == ""
    assert run.pending == AwaitingHandover(0)
    run.confirm_handover()
    assert run.pending == AwaitingPlayer(0)
    sitting.to(AwaitingNextRound)
    run.advance()
    assert AwaitingHandover not in kinds([run.pending, *sitting.wanted[sitting.wanted.index(AwaitingRobot(1)) :]])


def test_where_people_take_turns_a_password_is_given_each_time(locked):
    sitting = Sitting(begun("rummy", people=2))
    run = sitting.on(lambda run: run.pending == AwaitingHandover(0, "Anna"))
    for _ in range(2):
        run.submit_password(locked)
        run.confirm_handover()
        assert run.pending == AwaitingPlayer(0)
        run = sitting.on(lambda run: run.pending == AwaitingHandover(0, "Anna"))


class Time:
    """Seconds that go by when somebody says so."""

    def __init__(self):
        self.gone = 0.0

    def __call__(self):
        return self.gone


def timed(key, **options):
    it, time = session(key, **options), Time()
    it.clocks.set_time_source(time)
    return Sitting(it), time


def test_a_round_is_void_when_its_time_is_over_and_dealt_again():
    sitting, time = timed("rikiki", round_clock=1)
    run = sitting.to(AwaitingPlayer)
    hand = run.views[0].hand
    time.gone += 59
    assert (run.seconds_left, run.apply_timeout()) == (1, ())
    time.gone += 1
    assert run.apply_timeout() == (DEALT_AGAIN,)
    assert run.pending == AutoAdvance()
    sitting.to(AwaitingPlayer)
    assert run.referee.round == 1
    assert run.views[0].hand != hand
    assert run.seconds_left == 60


def test_a_session_is_lost_when_the_time_of_a_person_is_over():
    sitting, time = timed("rummy", seats=2, clock=5)
    run = sitting.to(AwaitingPlayer)
    time.gone += 300
    assert run.apply_timeout() == (SystemLogEntry(0, "lost"),)
    assert run.pending == SessionOver()
    assert run.referee.ranks == (2, 1)


def test_no_clock_runs_while_robots_think_or_a_round_is_looked_at():
    sitting, time = timed("gurka", round_clock=1)
    run = sitting.to(AwaitingRobot)
    time.gone += 1000
    assert (run.seconds_left, run.apply_timeout()) == (None, ())
    sitting.to(AwaitingNextRound)
    time.gone += 1000
    assert run.apply_timeout() == ()


@pytest.mark.parametrize(("key", "choose"), [("gurka", lambda view: view.legal[0]), ("rikiki", None)])
def test_the_rest_is_played_out_where_no_play_can_change_it(key, choose):
    sitting = Sitting(begun(key, seed=5), choose)
    run = sitting.on(
        lambda run: (
            isinstance(run.pending, AwaitingPlayer)
            and isinstance(run.views[0].legal[0], Play)
            and run.referee.check_claim(0)() is ClaimVerdict.DECIDED
        )
    )
    number = run.referee.round
    told, *happened = run.claim_rest()
    assert told == SystemLogEntry(0, "plays out")
    assert all(isinstance(seen.event, Play) for seen in happened)
    assert (len(run.referee.scores), run.referee.turn in (CHANCE, OVER)) == (number, True)


def test_talk_is_told_to_everybody_and_stands_in_the_journal():
    run = Sitting(begun("rikiki", people=2)).to(AwaitingPlayer)
    assert run.say("well  played", 1) == (create_talk_entry("well played", 1),)
    assert [own[-1] for own in run.message_log.messages_by_seat.values()] == [create_talk_entry("well played", 1)] * 2
    assert run.session.journal().entries[-1].line.say == "well  played"


def test_who_watches_robots_speaks_as_nobody_at_the_table():
    run = Sitting(begun("rikiki", people=0)).to(AwaitingRobot)
    assert run.say("hm", 0) == (create_talk_entry("hm", None),)


def test_a_session_that_another_program_plays_is_followed_line_by_line():
    with closing(begun("rikiki")) as it:
        there, here = Sitting(it), SessionRunner(sessions.open_read_only(it.path))
        there.on(lambda run: run.referee.decisions == 3)
        assert here.pending == AwaitingRemote(0)
        here.poll()
        happened = []
        while here.pending != AwaitingRemote(0):
            happened += here.apply_next()
        assert [seen.event for seen in happened] == [seen.event for seen in there.events]
        assert here.views == {0: it.referee.view(0)}
        there.run.say("hello", 0)
        there.on()
        here.poll()
        assert here.apply_next() == (create_talk_entry("hello", 0),)
        while isinstance(here.pending, AwaitingRemote):
            here.apply_next()
        assert (here.pending, here.referee.ranks) == (SessionOver(), it.referee.ranks)


def test_of_people_at_another_keyboard_no_hand_is_seen():
    with closing(begun("rikiki", people=2)) as it:
        Sitting(it).to(AwaitingPlayer)
        here = SessionRunner(sessions.open_read_only(it.path))
        assert (here.people, here.pending) == ((), AwaitingRemote(0))
        assert not any(view.hand or view.legal for view in here.views.values())


def test_who_only_looks_on_at_her_own_session_gives_her_password_first(locked):
    with closing(begun("rikiki")) as it:
        Sitting(it).to(AwaitingHandover)
        here = SessionRunner(sessions.open_read_only(it.path))
        assert here.pending == AwaitingHandover(0, "Anna")
        here.submit_password(locked)
        here.confirm_handover()
        assert here.pending == AwaitingRemote(0)


def test_nothing_is_told_of_what_cannot_be_kept():
    run = Sitting(begun("gurka")).to(AwaitingPlayer)
    run.session.close()
    told = list(run.message_log.notes)
    for change in (lambda: run.say("hello", 0), lambda: run.play(run.views[0].legal[0])):
        with pytest.raises(CardtableError):
            change()
    assert (run.message_log.notes, run.pending) == (told, AwaitingPlayer(0))


def test_a_session_gone_on_with_recalls_what_happened_in_its_round():
    it = begun("gurka")
    first = Sitting(it).on(lambda run: run.referee.decisions == 5)
    it.close()
    with closing(sessions.resume(it.path)) as again:
        run = SessionRunner(again)
        assert (run.pending, run.views, run.message_log.notes) == (first.pending, first.views, [])
        run.load_recent_messages()
        assert run.message_log.notes == first.message_log.notes
