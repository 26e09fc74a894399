"""What several people hear in turn: at the curtain what everybody may, after it what only one was told."""

from datetime import UTC, datetime

from cardtable.engine.journal import SeatOf
from cardtable.games import GAMES
from cardtable.plain.hearing import Hearing
from cardtable.play.news import lines
from cardtable.store import sessions


def begun():
    """Rummy of two people, dealt; the session and who is to act."""
    rummy = GAMES["rummy"]
    people = (SeatOf("Anna"), SeatOf("Bob"))
    session = sessions.create(rummy, people, rummy.options(), 7, now=datetime(2026, 11, 20, tzinfo=UTC))
    hearing = Hearing(session, ("Anna", "Bob"))
    session.table.go_on()
    return session, hearing, session.table.turn


def act(session, *kinds):
    """Whoever is to act does these things."""
    table = session.table
    for kind in kinds:
        table.play(table.turn, next(a for a in table.view(table.turn).legal if str(a).startswith(kind)))


def test_the_curtain_tells_what_everybody_saw_and_what_one_alone_was_told_comes_after_it(capsys):
    session, hearing, me = begun()
    act(session, "stock", "drop")
    hearing.tell_all(1 - me)
    heard = capsys.readouterr().out
    assert heard.startswith("So far:\n")
    assert "draws a card, drops " in heard
    hearing.tell(1 - me)
    assert capsys.readouterr().out == "", "nothing is told twice"
    act(session, "stock", "drop")
    hearing.tell_all(me)
    heard = capsys.readouterr().out
    assert heard.startswith("Since your last turn, just now:\n")
    assert heard.count("\n") == 2
    hearing.tell(me)
    assert " of " in capsys.readouterr().out, "which card she drew herself"


def test_what_is_told_is_what_the_screen_s_curtain_tells(capsys):
    session, hearing, me = begun()
    act(session, "stock", "drop", "stock", "drop")
    [(who, what)] = lines(hearing._news.missed(me, datetime.now(UTC)).told, ("Anna", "Bob"))
    hearing.tell_all(me)
    assert f"{who}: {what[:20]}" in capsys.readouterr().out
