"""Session runner: whole sessions without a screen, a thread or waiting."""

from contextlib import closing
from itertools import pairwise

import pytest
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.claims import ClaimVerdict
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import ActionLine, ChanceLine, MarkLine, TalkLine
from cardtable.engine.log_entries import DEALT_AGAIN, TAKEN_BACK, UNRATED, Dealt, Said, SystemLogEntry
from cardtable.engine.referee import IllegalAction
from cardtable.engine.tricks import Play
from cardtable.games import KEYS
from cardtable.games.bridge.rules.actions import BRIDGE, EIGHTS_ACTIONS, BridgeWith
from cardtable.records.review import load_reviewed_session
from cardtable.session.playable_session import play_choice
from cardtable.session.robot_client import CoachClient
from cardtable.session.session_events import (
    AutoAdvance,
    AwaitingHandover,
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRemote,
    AwaitingRobot,
    ObservedEvent,
    SessionOver,
    create_talk_entry,
)
from cardtable.session.session_runner import SessionRunner
from cardtable.store import archive_index, passwords, profiles, session_files, sessions, summaries
from tests.games.bridge.sessions import begin_session
from tests.journal_lines import HOSTILE_TALK, select_lines
from tests.journal_times import ManualClock
from tests.session.session_player import SessionPlayer, create_session

SHORT_OPTIONS = {"rikiki": {"length": "short"}, "rummy": {"seats": 2}, "bridge": {"seats": 2}}


def create_short_session(key, **how):
    return create_session(key, **SHORT_OPTIONS.get(key, {}), **how)


def collect_types(pending_inputs):
    return {type(each) for each in pending_inputs}


@pytest.mark.parametrize("key", KEYS)
def test_session_runs_to_its_end(key):
    with closing(create_short_session(key)) as session:
        player = SessionPlayer(session)
        runner = player.run_until()
    assert runner.pending == SessionOver()
    assert collect_types(player.pending_inputs) - {AwaitingNextRound} == {AutoAdvance, AwaitingRobot, AwaitingPlayer}
    assert player.pending_inputs.count(AwaitingNextRound()) == len(runner.referee.scores) - 1
    [summary] = archive_index.list_finished()
    assert summary.ranks == runner.referee.ranks
    read = session_files.parse_session(session.path, session.path.read_bytes())
    lines = select_lines(ActionLine | ChanceLine, read)
    texts = [line.action if isinstance(line, ActionLine) else line.outcome for line in lines]
    assert [str(seen.event) for seen in player.observed_events] == texts, "each line is one event"


@pytest.mark.parametrize("key", KEYS)
def test_events_have_views_of_the_only_person(key):
    player = SessionPlayer(create_short_session(key))
    player.run_until(lambda runner: runner.referee.decisions > 60)
    events = player.observed_events
    assert {seat for seen in events for seat in (*seen.before, *seen.after)} == {0}
    for seen, then in pairwise(events):
        assert seen.after[0] == then.before[0]
    assert player.runner.views == {0: player.runner.referee.view(0)}


def test_open_hands_give_views_of_all_seats():
    robots = SessionPlayer(create_short_session("rikiki", people=0)).run_until_pending(AwaitingRobot)
    person = SessionPlayer(create_session("rikiki", open_hands="on")).run_until_pending(AwaitingPlayer)
    assert set(robots.views) == set(person.views) == {*range(4)}


def test_forced_silent_action_advances_automatically():
    """In Bridge, the end of a turn in which nothing else is possible."""
    player = SessionPlayer(create_short_session("bridge"))
    runner = player.run_until(lambda runner: runner.pending == AutoAdvance() and runner.referee.turn == 0)
    [done] = runner.views[0].legal
    [seen] = runner.advance()
    assert seen.event == done
    assert runner.compute_undo_distance(2) > 1, "an undo passes over the forced action"


def test_play_out_of_turn_changes_nothing():
    runner = SessionRunner(create_short_session("rikiki"))
    with pytest.raises(IllegalAction):
        runner.play(None)
    player = SessionPlayer(create_short_session("gurka"))
    runner = player.run_until_pending(AwaitingPlayer)
    chosen = runner.views[0].legal[0]
    runner.play(chosen)
    pending = player.run_until_pending(AwaitingPlayer).pending
    before = runner.referee.decisions
    with pytest.raises(IllegalAction):
        runner.play(chosen)
    assert (runner.referee.decisions, runner.pending) == (before, pending)


def test_take_back_of_last_decision():
    player = SessionPlayer(create_short_session("ten_down"))
    runner = player.run_until_pending(AwaitingPlayer)
    before = runner.views[0]
    runner.play(before.legal[0])
    player.run_until_pending(AwaitingPlayer)
    assert runner.take_back(1) == (TAKEN_BACK, UNRATED)
    assert (runner.views[0], runner.pending) == (before, AwaitingPlayer(0))
    assert runner.message_log.messages_by_seat[0][-2:] == [TAKEN_BACK, UNRATED]


async def test_first_coached_action_is_marked():
    player = SessionPlayer(create_short_session("ten_down"))
    runner = player.run_until_pending(AwaitingPlayer)
    runner.play(runner.views[0].legal[0])
    assert runner.coached_decision is None
    player.run_until_pending(AwaitingPlayer)
    runner.is_coached, view = True, runner.views[0]
    assert runner.play(view.legal[0])[0] == UNRATED
    decision = runner.coached_decision
    assert (decision.view, decision.action) == (view, view.legal[0])
    player.run_until_pending(AwaitingPlayer)
    coach = CoachClient(runner, lambda: None)
    coach.follow_session()
    assert coach.explain_undo_refusal(1) is None
    assert UNRATED not in runner.play(runner.views[0].legal[0])
    assert runner.coached_decision is not decision
    assert coach.explain_undo_refusal(1) == "you have played another card since"
    await coach.stop()
    player.run_until_pending(AwaitingPlayer)
    runner.take_back(1)
    assert runner.coached_decision is None
    marked = [line.action for line in select_lines(ActionLine, runner.session.journal()) if line.coach]
    assert marked == [str(view.legal[0])]
    runner.close()
    again = sessions.resume(runner.session.path)
    assert again.referee.coached
    again.close()


def test_measured_worlds_are_in_the_journal():
    """All later searches of the session get the number, even if the decision is undone or the session resumed."""
    player = SessionPlayer(create_short_session("ten_down"))
    runner = player.run_until_pending(AwaitingRobot)
    assert runner.create_robot_request().worlds is None
    runner.play(runner.create_robot_request().view.legal[0], worlds=32)
    player.run_until_pending(AwaitingPlayer)
    runner.play(runner.views[0].legal[0])
    player.run_until_pending(AwaitingPlayer)
    runner.take_back(1)
    assert [line.worlds for line in select_lines(ActionLine, runner.session.journal()) if line.worlds] == [32]
    assert runner.create_hint_request(runner.views[0]).worlds == 32
    runner.close()
    again = sessions.resume(runner.session.path)
    assert (again.referee.worlds, again.referee.copy().worlds) == (32, 32)
    assert load_reviewed_session(again.journal(), 0, is_abandoned=True).worlds == 32
    again.close()


@pytest.mark.parametrize("people", [1, 2])
def test_coach_is_for_one_person_only(people):
    player = SessionPlayer(create_short_session("rikiki", people=people))
    player.runner.is_coached = True
    player.run_until(lambda runner: runner.referee.decisions > 9)
    assert player.runner.referee.coached == (people == 1)


def test_no_take_back_past_new_cards_or_with_several_people():
    runner = SessionPlayer(create_short_session("rikiki")).run_until_pending(AwaitingPlayer)
    assert (runner.compute_undo_distance(1), runner.take_back(1)) == (0, ())
    player = SessionPlayer(create_short_session("rikiki", people=2))
    player.run_until(lambda runner: runner.referee.decisions > 5)
    assert player.runner.compute_undo_distance(1) == 0


def test_hot_seat_players_are_called_in_turn():
    player = SessionPlayer(create_short_session("rikiki", people=2))
    runner = player.run_until_pending(AwaitingHandover)
    first = runner.pending.seat
    assert runner.hot_seat.seat is None
    with pytest.raises(IllegalAction):
        runner.play(runner.views[first].legal[0])
    runner.confirm_handover()
    assert (runner.pending, runner.public_only) == (AwaitingPlayer(first), False)
    runner.play(runner.views[first].legal[0])
    player.run_until_pending(AwaitingHandover)
    assert (runner.pending, runner.public_only) == (AwaitingHandover(1 - first), True)


@pytest.fixture
def anna_password(monkeypatch):
    """Password of Anna, not yet entered in this run of the program."""
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    profiles.register("Anna", password="sesame77", again="sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    return "sesame77"


def test_only_person_enters_password_once(anna_password):
    player = SessionPlayer(create_short_session("gurka"))
    runner = player.run_until_pending(AwaitingHandover)
    assert runner.pending == AwaitingHandover(0, "Anna")
    runner.confirm_handover()
    assert runner.pending == AwaitingHandover(0, "Anna"), "nobody sits down without the password"
    assert runner.submit_password("nine")
    assert runner.submit_password(anna_password) is None
    assert runner.pending == AwaitingHandover(0)
    runner.confirm_handover()
    assert runner.pending == AwaitingPlayer(0)
    player.run_until_pending(AwaitingNextRound)
    runner.advance()
    assert AwaitingHandover not in collect_types(
        [runner.pending, *player.pending_inputs[[*map(type, player.pending_inputs)].index(AwaitingRobot) :]]
    )


def create_timed_player(key, **options):
    session, time = create_session(key, **options), ManualClock()
    session.clocks.set_time_source(time)
    return SessionPlayer(session), time


def test_round_is_redealt_after_timeout():
    player, time = create_timed_player("rikiki", round_clock=1)
    runner = player.run_until_pending(AwaitingPlayer)
    hand = runner.views[0].hand
    time.seconds += 59
    assert (runner.seconds_left, runner.apply_timeout()) == (1, ())
    time.seconds += 1
    assert runner.apply_timeout() == (DEALT_AGAIN,)
    assert runner.pending == AutoAdvance()
    player.run_until_pending(AwaitingPlayer)
    assert runner.referee.round == 1
    assert runner.views[0].hand != hand
    assert runner.seconds_left == 60


@pytest.mark.parametrize(("key", "choose"), [("gurka", lambda view: view.legal[0]), ("rikiki", None)])
def test_claim_plays_out_decided_round(key, choose):
    player = SessionPlayer(create_short_session(key, seed=5), choose)
    runner = player.run_until(
        lambda runner: (
            isinstance(runner.pending, AwaitingPlayer)
            and isinstance(runner.views[0].legal[0], Play)
            and runner.referee.check_claim(0)() is ClaimVerdict.DECIDED
        )
    )
    number = runner.referee.round
    claim_entry, *happened = runner.claim_rest()
    assert claim_entry == SystemLogEntry(0, "plays out")
    assert all(isinstance(seen.event, Play) for seen in happened)
    assert (len(runner.referee.scores), runner.referee.turn in (CHANCE, OVER)) == (number, True)


def test_talk_reaches_all_players_and_the_journal():
    runner = SessionPlayer(create_short_session("rikiki", people=2)).run_until_pending(AwaitingPlayer)
    assert runner.say("well  played", 1) == (create_talk_entry("well played", 1),)
    assert [own[-1] for own in runner.message_log.messages_by_seat.values()] == [
        create_talk_entry("well played", 1)
    ] * 2
    assert runner.session.journal().entries[-1].line.text == "well  played"


def test_talk_of_a_spectator_has_no_seat():
    runner = SessionPlayer(create_short_session("rikiki", people=0)).run_until_pending(AwaitingRobot)
    assert runner.say("hm", 0) == (create_talk_entry("hm", None),)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("people", [0, 1])
def test_nobody_can_type_a_mark(people, version):
    runner = SessionPlayer(create_short_session("rikiki", people=people)).runner
    runner.close()
    read = session_files.load_journal(runner.session.path)
    lines = [entry.line for entry in read.entries]
    runner.session.path.write_bytes(journal.encode(replace(read.header, cardtable=version), lines))
    runner = resume(runner).runner
    for text in HOSTILE_TALK:
        runner.say(text, 0)
    read = session_files.load_journal(runner.session.path)
    assert len(select_lines(TalkLine, read)) == len(HOSTILE_TALK)
    assert select_lines(MarkLine, read) == []
    assert summaries.summarize_full(runner.session.path).marks == set()
    assert {type(note) for note in resume(runner).runner.message_log.notes} <= {Said, Dealt}


def test_follow_session_of_another_program():
    with closing(create_short_session("rikiki")) as session:
        player, follower = SessionPlayer(session), SessionRunner(sessions.open_read_only(session.path))
        player.run_until(lambda runner: runner.referee.decisions == 3)
        assert follower.pending == AwaitingRemote(0)
        follower.poll()
        happened = []
        while follower.pending != AwaitingRemote(0):
            happened += follower.apply_next()
        assert [seen.event for seen in happened] == [seen.event for seen in player.observed_events]
        assert follower.views == {0: session.referee.view(0)}
        player.runner.say("hello", 0)
        player.run_until()
        follower.poll()
        assert follower.apply_next() == (create_talk_entry("hello", 0),)
        while isinstance(follower.pending, AwaitingRemote):
            follower.apply_next()
        assert (follower.pending, follower.referee.ranks) == (SessionOver(), session.referee.ranks)


def test_followed_hot_seat_session_shows_no_hands():
    with closing(create_short_session("rikiki", people=2)) as session:
        SessionPlayer(session).run_until_pending(AwaitingPlayer)
        follower = SessionRunner(sessions.open_read_only(session.path))
        assert (follower.people, follower.pending) == ((), AwaitingRemote(0))
        assert not any(view.hand or view.legal for view in follower.views.values())


def test_following_own_session_requires_password(anna_password):
    with closing(create_short_session("rikiki")) as session:
        SessionPlayer(session).run_until_pending(AwaitingHandover)
        follower = SessionRunner(sessions.open_read_only(session.path))
        assert follower.pending == AwaitingHandover(0, "Anna")
        follower.submit_password(anna_password)
        follower.confirm_handover()
        assert follower.pending == AwaitingRemote(0)


def test_unrecorded_change_is_not_logged():
    runner = SessionPlayer(create_short_session("gurka")).run_until_pending(AwaitingPlayer)
    runner.session.close()
    notes = list(runner.message_log.notes)
    for change in (lambda: runner.say("hello", 0), lambda: runner.play(runner.views[0].legal[0])):
        with pytest.raises(CardtableError):
            change()
    assert (runner.message_log.notes, runner.pending) == (notes, AwaitingPlayer(0))


def test_resumed_session_reloads_messages_of_its_round():
    session = create_short_session("gurka")
    first = SessionPlayer(session).run_until(lambda runner: runner.referee.decisions == 5)
    session.close()
    with closing(sessions.resume(session.path)) as again:
        runner = SessionRunner(again)
        assert (runner.pending, runner.views, runner.message_log.notes) == (first.pending, first.views, [])
        runner.load_recent_messages()
        assert runner.message_log.notes == first.message_log.notes


# Practice with open hands


def start_practice(key="bridge", **how):
    """Return a player in practice with open hands, on turn after some decisions of the first round."""
    player = SessionPlayer(create_session(key, open_hands="on", **how))
    player.run_until(lambda runner: runner.pending == AwaitingPlayer(0) and runner.referee.decisions > 3)
    return player


def read_lines(runner):
    """Return the lines of the journal on the disk that robots or the player have decided."""
    return select_lines(ActionLine, session_files.load_journal(runner.session.path))


def resume(runner):
    """Close the session and return a player who resumes it."""
    runner.close()
    return SessionPlayer(sessions.resume(runner.session.path))


def test_extra_card_is_recorded_and_undone():
    runner = start_practice(seats=3).runner
    before = runner.views
    for number in (1, 2):
        events = runner.give_card()
        assert [str(seen.event) for seen in events] == ["give"]
        assert runner.views[0].hand.bit_count() == before[0].hand.bit_count() + number
    assert [(line.seat, line.action, line.robot) for line in read_lines(runner)[-2:]] == [(0, "give", None)] * 2
    runner = resume(runner).runner
    assert runner.views[0].hand.bit_count() == before[0].hand.bit_count() + 2
    assert runner.take_back(2) == (TAKEN_BACK,)
    assert runner.take_back(2) == (TAKEN_BACK,)
    assert (runner.views, runner.pending) == (before, AwaitingPlayer(0))


@pytest.mark.parametrize("key", KEYS)
def test_robots_finish_the_round(key):
    player = start_practice(key, **{"bridge": {"seats": 2}, "rummy": {"limit": 500}}.get(key, {}))
    runner = player.runner
    before, decisions = runner.views, runner.referee.decisions
    assert runner.finish_round() == (SystemLogEntry(None, "finished"),)
    player.pending_inputs.clear()
    player.run_until(lambda runner: not runner.referee.playing)
    assert collect_types(player.pending_inputs) <= {AwaitingRobot, AutoAdvance}
    assert len(runner.referee.scores) == runner.referee.round
    assert not runner.is_finishing_round
    marks = [(line.seat, line.robot) for line in read_lines(runner)[decisions:] if line.action != "done"]
    assert {robot for seat, robot in marks if seat == 0} == {"steady"}
    assert {robot for seat, robot in marks if seat} <= {None}
    distance = runner.referee.decisions - decisions
    assert runner.compute_undo_distance(2) == distance
    runner = resume(runner).runner
    assert runner.compute_undo_distance(2) == distance
    runner.take_back(2)
    assert (runner.views, runner.pending) == (before, AwaitingPlayer(0))


def test_interrupted_finish_leaves_the_turn_to_the_player():
    player = start_practice("ten_down")
    player.runner.finish_round()
    player.run_until(lambda runner: runner.referee.turn == 0 and runner.referee.decisions > 10)
    assert player.runner.pending == AwaitingRobot(0)
    assert resume(player.runner).runner.pending == AwaitingPlayer(0)


def test_practice_is_possible_with_open_hands_only():
    player = SessionPlayer(create_session("bridge", seats=2))
    runner = player.run_until_pending(AwaitingPlayer)
    assert (runner.give_card(), runner.finish_round(), runner.pending) == ((), (), AwaitingPlayer(0))
    robots = SessionPlayer(create_session("bridge", people=0, seats=2, open_hands="on"))
    runner = robots.run_until_pending(AwaitingRobot)
    assert (runner.give_card(), runner.finish_round()) == ((), ())


# Decisions that arise together


def reach_bridge_of_eights():
    """Return a session runner in which the person has just played the fourth 8."""
    return SessionRunner(begin_session("8C 8D 8H 8S AS", 4), remote_seats=())


@pytest.mark.parametrize("at_once", [True, False])
def test_bridge_and_eights_are_undone_together(at_once):
    runner = reach_bridge_of_eights()
    before = runner.views
    for action in [BridgeWith(EIGHTS_ACTIONS[1])] if at_once else [BRIDGE, EIGHTS_ACTIONS[1]]:
        events = play_choice(runner, action)
        assert [seen.event for seen in events if isinstance(seen, ObservedEvent)] == [*action.steps]
    assert runner.pending == AwaitingNextRound()
    for again in (runner, resume(runner).runner):
        assert again.compute_undo_distance(2) == 2
    again.take_back(2)
    assert (again.views, again.pending) == (before, AwaitingPlayer(0))


def test_rest_of_a_choice_is_left_out_if_its_beginning_is_refused():
    class Refusing:
        progress, played = (1, 4), []

        def play(self, action):
            self.played.append(action)
            return ()

    session = Refusing()
    assert list(play_choice(session, BridgeWith(EIGHTS_ACTIONS[0]))) == []
    assert session.played == [BRIDGE]
