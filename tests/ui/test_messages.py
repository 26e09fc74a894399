"""Messages in the panel, and those that are told again to who comes back."""

from datetime import UTC, datetime
from types import SimpleNamespace

from cardtable.engine.contract import CHANCE, Note
from cardtable.games import GAMES
from cardtable.play.news import News
from cardtable.play.story import TAKEN_BACK, story
from cardtable.store import seating, sessions
from cardtable.ui.kit.piece import piece
from cardtable.ui.table.paint.panel import folded
from cardtable.wording.words import Said, told


def begun():
    """A session of Rikiki in its second round, and its table."""
    rikiki = GAMES["rikiki"]
    session = sessions.create(
        rikiki, seating.usual(rikiki, rikiki.options()), rikiki.options(), 7, now=datetime.now(UTC)
    )
    table = session.table
    while table.round < 2:
        if table.turn == CHANCE:
            table.go_on()
        else:
            table.play(table.turn, table.view(table.turn).legal[0])
    return session, table


def bid(table, text):
    """The seat to act bids."""
    table.play(table.turn, next(a for a in table.view(table.turn).legal if str(a) == f"bid {text}"))


def heard(session):
    """What seat 0 is told of a session again."""
    news = News([0])
    story(session.path, news)
    return news.own[0]


def test_a_line_is_folded_where_its_cards_would_not_fit():
    sight = SimpleNamespace(messages=[Note(0, "draws TH"), Note(0, "TH")], names=["You"], piece=piece("bridge"))
    assert folded(sight, 21) == [("You", "draw TH, play"), (" You", "TH")]
    assert folded(sight, 22) == [("You", "draw TH, play TH")]


def test_only_the_first_line_leaves_room_for_the_name():
    sight = SimpleNamespace(messages=[Note(None, "round 2: 2 cards each")], names=["You"], piece=piece("rikiki"))
    assert folded(sight, 13) == [("****", "round 2:"), (" ****", "2 cards each")]


def test_the_round_is_told_from_its_deal_on():
    session, table = begun()
    first = table.turn
    bid(table, 1)
    notes = heard(session)
    assert notes[0].text.startswith("round 2: 2 cards each")
    assert notes[1:] == [Note(first, "bids 1")]


def test_what_was_taken_back_is_told_as_such():
    session, table = begun()
    first = table.turn
    bid(table, 1)
    table.undo(1)
    bid(table, 2)
    assert heard(session)[1:] == [Note(first, "bids 1"), TAKEN_BACK, Note(first, "bids 2")]


def test_all_talk_is_told_again_and_of_play_only_this_round():
    session, table = begun()
    table.say("well  dealt\x07", 2)
    first = table.turn
    bid(table, 1)
    notes = heard(session)
    assert notes[1:] == [Said(2, "well dealt\ufffd"), Note(first, "bids 1")]


def test_talk_is_what_was_said_also_ones_own():
    assert told(Said(0, "plays well"), ["You"]) == "plays well"
    assert told(Note(0, "plays well"), ["You"]) == "play well"


def test_nothing_is_told_where_the_journal_cannot_be_read():
    session, _ = begun()
    session.path.write_bytes(b"{}\n")
    assert heard(session) == []
