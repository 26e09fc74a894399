"""Session runner: whole sessions without a screen, a thread or waiting."""

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
from tests.played_at import ManualClock
from tests.session.session_player import SessionPlayer, create_session

SHORT_OPTIONS = {"rikiki": {"length": "short"}, "rummy": {"seats": 2}, "bridge": {"seats": 2}}


def create_short_session(key, **how):
    return create_session(key, **SHORT_OPTIONS.get(key, {}), **how)


def collect_types(wanted):
    return {type(each) for each in wanted}


@pytest.mark.parametrize("key", KEYS)
def test_session_runs_to_its_end(key):
    with closing(create_short_session(key)) as it:
        sitting = SessionPlayer(it)
        run = sitting.run_until()
    assert run.pending == SessionOver()
    assert collect_types(sitting.pending_inputs) - {AwaitingNextRound} == {AutoAdvance, AwaitingRobot, AwaitingPlayer}
    assert sitting.pending_inputs.count(AwaitingNextRound()) == len(run.referee.scores) - 1
    [summary] = archive_index.list_finished()
    assert summary.ranks == run.referee.ranks
    read = session_files.parse_session(it.path, it.path.read_bytes())
    told = [entry.line.chance or entry.line.action for entry in read.entries]
    assert [str(seen.event) for seen in sitting.observed_events] == list(filter(None, told)), "each line was told once"


@pytest.mark.parametrize("key", KEYS)
def test_events_have_views_of_the_only_person(key):
    sitting = SessionPlayer(create_short_session(key))
    sitting.run_until(lambda run: run.referee.decisions > 60)
    events = sitting.observed_events
    assert {seat for seen in events for seat in (*seen.before, *seen.after)} == {0}
    for seen, then in pairwise(events):
        assert seen.after[0] == then.before[0]
    assert sitting.run.views == {0: sitting.run.referee.view(0)}


def test_open_hands_give_views_of_all_seats():
    robots = SessionPlayer(create_short_session("rikiki", people=0)).run_until_pending(AwaitingRobot)
    person = SessionPlayer(create_session("rikiki", open_hands="on")).run_until_pending(AwaitingPlayer)
    assert set(robots.views) == set(person.views) == {*range(4)}


def test_forced_silent_action_advances_automatically():
    """In Bridge, the end of a turn in which nothing else is possible."""
    sitting = SessionPlayer(create_short_session("bridge"))
    run = sitting.run_until(lambda run: run.pending == AutoAdvance() and run.referee.turn == 0)
    [done] = run.views[0].legal
    [seen] = run.advance()
    assert seen.event == done
    assert run.compute_undo_distance(2) > 1, "nobody comes back to it"


def test_session_of_robots_only():
    sitting = SessionPlayer(create_short_session("gurka", people=0))
    run = sitting.run_until_pending(AwaitingNextRound)
    assert run.hot_seat.seat is None
    assert collect_types(sitting.pending_inputs) == {AutoAdvance, AwaitingRobot}
    assert run.message_log.messages_by_seat.keys() == {0, 1, 2, 3}


def test_play_out_of_turn_changes_nothing():
    run = SessionRunner(create_short_session("rikiki"))
    with pytest.raises(IllegalAction):
        run.play(None)
    sitting = SessionPlayer(create_short_session("gurka"))
    run = sitting.run_until_pending(AwaitingPlayer)
    chosen = run.views[0].legal[0]
    run.play(chosen)
    wants = sitting.run_until_pending(AwaitingPlayer).pending
    before = run.referee.decisions
    with pytest.raises(IllegalAction):
        run.play(chosen)
    assert (run.referee.decisions, run.pending) == (before, wants)


def test_take_back_of_last_decision():
    sitting = SessionPlayer(create_short_session("ten_down"))
    run = sitting.run_until_pending(AwaitingPlayer)
    before = run.views[0]
    run.play(before.legal[0])
    sitting.run_until_pending(AwaitingPlayer)
    assert run.take_back(1) == (TAKEN_BACK, UNRATED)
    assert (run.views[0], run.pending) == (before, AwaitingPlayer(0))
    assert run.message_log.messages_by_seat[0][-2:] == [TAKEN_BACK, UNRATED]


@pytest.mark.promise("The table", "The first move with the coach on is marked in the journal and ends the rating.")
def test_first_coached_action_is_marked():
    sitting = SessionPlayer(create_short_session("ten_down"))
    run = sitting.run_until_pending(AwaitingPlayer)
    run.play(run.views[0].legal[0])
    assert run.coached_decision is None
    sitting.run_until_pending(AwaitingPlayer)
    run.is_coached, view = True, run.views[0]
    assert run.play(view.legal[0])[0] == UNRATED
    decision = run.coached_decision
    assert (decision.view, decision.action) == (view, view.legal[0])
    sitting.run_until_pending(AwaitingPlayer)
    assert run.explain_coached_undo_refusal(decision, 1) == ""
    assert UNRATED not in run.play(run.views[0].legal[0])
    assert run.coached_decision is not decision
    assert run.explain_coached_undo_refusal(decision, 1) == "you have played another card since"
    sitting.run_until_pending(AwaitingPlayer)
    run.take_back(1)
    assert run.coached_decision is None
    marked = [entry.line.action for entry in run.session.journal().entries if entry.line.coach]
    assert marked == [str(view.legal[0])]
    run.close()
    again = sessions.resume(run.session.path)
    assert again.referee.coached
    again.close()


@pytest.mark.parametrize("people", [1, 2])
def test_coach_is_for_one_person_only(people):
    sitting = SessionPlayer(create_short_session("rikiki", people=people))
    sitting.run.is_coached = True
    sitting.run_until(lambda run: run.referee.decisions > 9)
    assert sitting.run.referee.coached == (people == 1)


def test_no_take_back_past_new_cards_or_with_several_people():
    run = SessionPlayer(create_short_session("rikiki")).run_until_pending(AwaitingPlayer)
    assert (run.compute_undo_distance(1), run.take_back(1)) == (0, ())
    sitting = SessionPlayer(create_short_session("rikiki", people=2))
    sitting.run_until(lambda run: run.referee.decisions > 5)
    assert sitting.run.compute_undo_distance(1) == 0


def test_take_back_of_round_end_before_next_deal():
    sitting = SessionPlayer(create_short_session("gurka"))
    run = sitting.run_until_pending(AwaitingNextRound)
    run.take_back(1)
    assert isinstance(run.pending, AwaitingPlayer | AwaitingRobot | AutoAdvance)
    assert not run.referee.scores


def test_hot_seat_players_are_called_in_turn():
    sitting = SessionPlayer(create_short_session("rikiki", people=2))
    run = sitting.run_until_pending(AwaitingHandover)
    first = run.pending.seat
    assert run.hot_seat.seat is None
    with pytest.raises(IllegalAction):
        run.play(run.views[first].legal[0])
    run.confirm_handover()
    assert (run.pending, run.public_only) == (AwaitingPlayer(first), False)
    run.play(run.views[first].legal[0])
    sitting.run_until_pending(AwaitingHandover)
    assert (run.pending, run.public_only) == (AwaitingHandover(1 - first), True)


def test_no_handover_when_same_player_acts_again():
    run = SessionPlayer(create_short_session("rummy", people=2)).run_until_pending(AwaitingPlayer)
    run.play(next(action for action in run.views[run.hot_seat.seat].legal if str(action) == "stock"))
    assert run.pending == AwaitingPlayer(run.hot_seat.seat)


def test_handover_follows_shared_view_of_points():
    sitting = SessionPlayer(create_short_session("rikiki", people=2))
    run = sitting.run_until_pending(AwaitingNextRound)
    assert not run.public_only
    run.advance()
    assert run.public_only
    assert isinstance(sitting.run_until_pending(AwaitingHandover).pending, AwaitingHandover)


def test_hot_seat_has_views_of_people_only():
    sitting = SessionPlayer(create_short_session("rikiki", people=2))
    assert set(sitting.run_until_pending(AwaitingHandover).views) == {0, 1}


@pytest.fixture
def anna_password(monkeypatch):
    """Password of Anna, not yet entered in this run of the program."""
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    profiles.register("Anna", password="sesame77", again="sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    return "sesame77"


def test_only_person_enters_password_once(anna_password):
    sitting = SessionPlayer(create_short_session("gurka"))
    run = sitting.run_until_pending(AwaitingHandover)
    assert run.pending == AwaitingHandover(0, "Anna")
    run.confirm_handover()
    assert run.pending == AwaitingHandover(0, "Anna"), "nobody sits down without it"
    assert run.submit_password("nine")
    assert run.submit_password(anna_password) == ""
    assert run.pending == AwaitingHandover(0)
    run.confirm_handover()
    assert run.pending == AwaitingPlayer(0)
    sitting.run_until_pending(AwaitingNextRound)
    run.advance()
    assert AwaitingHandover not in collect_types(
        [run.pending, *sitting.pending_inputs[sitting.pending_inputs.index(AwaitingRobot(1)) :]]
    )


def test_hot_seat_player_enters_password_each_turn(anna_password):
    sitting = SessionPlayer(create_short_session("rummy", people=2))
    run = sitting.run_until(lambda run: run.pending == AwaitingHandover(0, "Anna"))
    for _ in range(2):
        run.submit_password(anna_password)
        run.confirm_handover()
        assert run.pending == AwaitingPlayer(0)
        run = sitting.run_until(lambda run: run.pending == AwaitingHandover(0, "Anna"))


def create_timed_player(key, **options):
    it, time = create_session(key, **options), ManualClock()
    it.clocks.set_time_source(time)
    return SessionPlayer(it), time


def test_round_is_redealt_after_timeout():
    sitting, time = create_timed_player("rikiki", round_clock=1)
    run = sitting.run_until_pending(AwaitingPlayer)
    hand = run.views[0].hand
    time.seconds += 59
    assert (run.seconds_left, run.apply_timeout()) == (1, ())
    time.seconds += 1
    assert run.apply_timeout() == (DEALT_AGAIN,)
    assert run.pending == AutoAdvance()
    sitting.run_until_pending(AwaitingPlayer)
    assert run.referee.round == 1
    assert run.views[0].hand != hand
    assert run.seconds_left == 60


def test_session_is_lost_after_player_timeout():
    sitting, time = create_timed_player("rummy", seats=2, clock=5)
    run = sitting.run_until_pending(AwaitingPlayer)
    time.seconds += 300
    assert run.apply_timeout() == (SystemLogEntry(0, "lost"),)
    assert run.pending == SessionOver()
    assert run.referee.ranks == (2, 1)


def test_clock_stops_for_robots_and_between_rounds():
    sitting, time = create_timed_player("gurka", round_clock=1)
    run = sitting.run_until_pending(AwaitingRobot)
    time.seconds += 1000
    assert (run.seconds_left, run.apply_timeout()) == (None, ())
    sitting.run_until_pending(AwaitingNextRound)
    time.seconds += 1000
    assert run.apply_timeout() == ()


@pytest.mark.parametrize(("key", "choose"), [("gurka", lambda view: view.legal[0]), ("rikiki", None)])
def test_claim_plays_out_decided_round(key, choose):
    sitting = SessionPlayer(create_short_session(key, seed=5), choose)
    run = sitting.run_until(
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


def test_talk_reaches_all_players_and_the_journal():
    run = SessionPlayer(create_short_session("rikiki", people=2)).run_until_pending(AwaitingPlayer)
    assert run.say("well  played", 1) == (create_talk_entry("well played", 1),)
    assert [own[-1] for own in run.message_log.messages_by_seat.values()] == [create_talk_entry("well played", 1)] * 2
    assert run.session.journal().entries[-1].line.say == "well  played"


def test_talk_of_a_spectator_has_no_seat():
    run = SessionPlayer(create_short_session("rikiki", people=0)).run_until_pending(AwaitingRobot)
    assert run.say("hm", 0) == (create_talk_entry("hm", None),)


def test_follow_session_of_another_program():
    with closing(create_short_session("rikiki")) as it:
        there, here = SessionPlayer(it), SessionRunner(sessions.open_read_only(it.path))
        there.run_until(lambda run: run.referee.decisions == 3)
        assert here.pending == AwaitingRemote(0)
        here.poll()
        happened = []
        while here.pending != AwaitingRemote(0):
            happened += here.apply_next()
        assert [seen.event for seen in happened] == [seen.event for seen in there.observed_events]
        assert here.views == {0: it.referee.view(0)}
        there.run.say("hello", 0)
        there.run_until()
        here.poll()
        assert here.apply_next() == (create_talk_entry("hello", 0),)
        while isinstance(here.pending, AwaitingRemote):
            here.apply_next()
        assert (here.pending, here.referee.ranks) == (SessionOver(), it.referee.ranks)


def test_followed_hot_seat_session_shows_no_hands():
    with closing(create_short_session("rikiki", people=2)) as it:
        SessionPlayer(it).run_until_pending(AwaitingPlayer)
        here = SessionRunner(sessions.open_read_only(it.path))
        assert (here.people, here.pending) == ((), AwaitingRemote(0))
        assert not any(view.hand or view.legal for view in here.views.values())


def test_following_own_session_requires_password(anna_password):
    with closing(create_short_session("rikiki")) as it:
        SessionPlayer(it).run_until_pending(AwaitingHandover)
        here = SessionRunner(sessions.open_read_only(it.path))
        assert here.pending == AwaitingHandover(0, "Anna")
        here.submit_password(anna_password)
        here.confirm_handover()
        assert here.pending == AwaitingRemote(0)


def test_unrecorded_change_is_not_logged():
    run = SessionPlayer(create_short_session("gurka")).run_until_pending(AwaitingPlayer)
    run.session.close()
    told = list(run.message_log.notes)
    for change in (lambda: run.say("hello", 0), lambda: run.play(run.views[0].legal[0])):
        with pytest.raises(CardtableError):
            change()
    assert (run.message_log.notes, run.pending) == (told, AwaitingPlayer(0))


def test_resumed_session_reloads_messages_of_its_round():
    it = create_short_session("gurka")
    first = SessionPlayer(it).run_until(lambda run: run.referee.decisions == 5)
    it.close()
    with closing(sessions.resume(it.path)) as again:
        run = SessionRunner(again)
        assert (run.pending, run.views, run.message_log.notes) == (first.pending, first.views, [])
        run.load_recent_messages()
        assert run.message_log.notes == first.message_log.notes
