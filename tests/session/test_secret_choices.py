"""Session runner of a game in which seats choose at once: robots, hot seat, messages, replay, clocks."""

import pytest

from cardtable.engine.log_entries import CustomLogEntry
from cardtable.session.round_replay import replay_rounds
from cardtable.session.session_events import AwaitingHandover, AwaitingPlayer, AwaitingRobot
from cardtable.session.session_runner import SessionRunner
from cardtable.store import sessions
from tests.session.session_player import NOW, SessionPlayer, create_session
from tests.toy import blind
from tests.toy.game_plugins import plug_in


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, blind)


def test_robots_choose_before_people():
    player = SessionPlayer(create_session("blind"))
    runner = player.run_until_pending(AwaitingPlayer)
    assert [type(pending) for pending in player.pending_inputs[-2:]] == [AwaitingRobot, AwaitingRobot]
    assert runner.views[0].chosen == (False, True, True)
    assert runner.views[0].turn == 0
    assert not any(runner.views[0].shown)


def test_robots_get_their_own_view():
    player = SessionPlayer(create_session("blind"))
    for seat in (1, 2):
        runner = player.run_until_pending(AwaitingRobot)
        view = runner.create_robot_request().view
        assert (runner.pending.seat, view.seat, view.turn, view.choice) == (seat, seat, seat, None)
        player.answer()


def test_hot_seat_players_choose_one_after_the_other():
    player = SessionPlayer(create_session("blind", people=3))
    runner, called = player.runner, []
    while not any(runner.referee.view(0).shown):
        if isinstance(runner.pending, AwaitingHandover):
            called.append(runner.pending.seat)
            assert runner.public_only
        elif isinstance(runner.pending, AwaitingPlayer):
            seat = runner.pending.seat
            assert runner.snapshot(seat).view.legal
            assert runner.snapshot(seat).view.choice is None
            assert runner.snapshot(seat).others == {}
        player.answer()
    assert called == [0, 1, 2]


def test_player_at_the_keyboard_chooses_first():
    player = SessionPlayer(create_session("blind", people=3))
    runner = player.run_until(lambda runner: runner.referee.round == 2 and runner.referee.playing)
    runner.hot_seat.sit_down(1)
    runner.poll()
    assert runner.pending == AwaitingPlayer(1)


def test_messages_tell_only_who_has_chosen():
    player = SessionPlayer(create_session("blind", people=3))
    runner = player.run_until(lambda runner: any(runner.referee.state.chosen))
    own, other = (runner.message_log.messages_by_seat[seat][-1] for seat in (0, 1))
    assert own.cards
    assert other == CustomLogEntry(0, "lays cards away", "lay cards away", ())
    assert runner.message_log.notes[-1] == other


def test_resumed_session_has_the_same_messages():
    player = SessionPlayer(create_session("blind", people=3))
    runner = player.run_until(lambda runner: sum(runner.referee.state.chosen) == 2)
    messages = [runner.message_log.messages_by_seat[seat] for seat in range(3)]
    runner.close()
    again = SessionRunner(sessions.resume(runner.session.path), lambda: NOW)
    again.load_recent_messages()
    assert [again.message_log.messages_by_seat[seat] for seat in range(3)] == messages
    assert again.pending == AwaitingHandover(2)
    again.close()


def test_choices_out_of_order_are_replayed_with_their_seats():
    session = create_session("blind", people=3)
    table = session.referee
    table.advance()
    table.play(2, table.view(2).legal[0])
    table.play(0, table.view(0).legal[0])
    table.take_back_choice(2)
    table.play(2, table.view(2).legal[3])
    table.play(1, table.view(1).legal[0])
    (replayed,) = replay_rounds(session.journal())
    assert [step.seat for step in replayed.steps] == [0, 2, 1]
    for step in replayed.steps:
        assert step.event in step.view.legal
        assert step.notes[0].seat == step.seat
    session.close()


def test_single_person_cannot_undo_choices_of_all():
    player = SessionPlayer(create_session("blind"))
    runner = player.run_until(lambda runner: runner.referee.round == 1 and not runner.referee.playing)
    assert runner.take_back(2) == ()
    assert runner.explain_undo_refusal(2) == "all players have chosen"


def test_open_hands_do_not_show_choices():
    opened = create_session("blind", people=3)
    runner = SessionRunner(opened, lambda: NOW)
    runner.hands_open = True
    runner.advance()
    runner.hot_seat.sit_down(0)
    runner.poll()
    runner.play(runner.views[0].legal[-1])
    assert runner.snapshot(1).others[0].choice is None
    assert runner.snapshot(1).others[0].hand == 0
    assert runner.snapshot(1).others[2].hand == runner.views[2].hand
    assert runner.snapshot(0).view.choice
    runner.close()
