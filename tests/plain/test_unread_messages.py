"""Unread messages of a hot seat: public ones at the curtain, private ones after it."""

from datetime import UTC, datetime

from cardtable.engine.cards import iter_cards
from cardtable.engine.journal import Occupant
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.games import GAMES
from cardtable.plain.table_dialog import UnreadMessages
from cardtable.session.session_runner import SessionRunner
from cardtable.store import sessions
from cardtable.wording.missed import format_missed_events
from tests.overriding import override


def start_session(rummy=GAMES["rummy"]):
    """Return a session of Rummy for two people after the deal, its unread messages and the seat on turn."""
    people = (Occupant("Anna"), Occupant("Bob"))
    run = SessionRunner(sessions.create(rummy, people, rummy.options(), 7, now=datetime(2026, 11, 20, tzinfo=UTC)))
    messages = UnreadMessages(run, ("Anna", "Bob"))
    messages.add(run.advance())
    return run, messages, run.referee.turn


def play_actions(run, messages, *kinds):
    """Play actions of these kinds with the seat on turn."""
    for kind in kinds:
        run.confirm_handover()
        legal = run.views[run.referee.turn].legal
        messages.add(run.play(next(action for action in legal if str(action).startswith(kind))))


def test_private_messages_follow_the_curtain(capsys):
    run, messages, me = start_session()
    play_actions(run, messages, "stock", "drop")
    messages.print_public(1 - me)
    output = capsys.readouterr().out
    assert output.startswith("So far:\n")
    assert "draws a card and discards " in output
    messages.print_unread(1 - me)
    assert capsys.readouterr().out == "", "public messages are not repeated"
    play_actions(run, messages, "stock", "drop")
    messages.print_public(me)
    output = capsys.readouterr().out
    assert output.startswith("Since your last turn, just now:\n")
    assert output.count("\n") == 2
    messages.print_unread(me)
    assert " of " in capsys.readouterr().out, "the player learns which card they drew"


def test_curtain_has_the_events_of_the_screen(capsys):
    run, messages, me = start_session()
    play_actions(run, messages, "stock", "drop", "stock", "drop")
    [(name, event)] = format_missed_events(run.get_missed_messages(me).messages, ("Anna", "Bob"))
    messages.print_public(me)
    assert f"{name}: {event[:20]}" in capsys.readouterr().out


def test_private_entries_are_not_at_the_curtain(capsys):
    def narrate_with_secret(event, before, after):
        secret = CustomLogEntry(after.seat, "holds {}", "hold {}", tuple(iter_cards(after.hand)))
        return (*GAMES["rummy"].narrate(event, before, after), *[secret] * (before.turn >= 0))

    run, messages, me = start_session(override(GAMES["rummy"], narrate=narrate_with_secret))
    play_actions(run, messages, "stock", "drop")
    messages.print_public(1 - me)
    curtain = capsys.readouterr().out
    assert "draws a card and discards " in curtain
    assert "holds" not in curtain
    messages.print_unread(1 - me)
    assert capsys.readouterr().out.count("Bob holds") == 2, "after each of Anna's two decisions"
