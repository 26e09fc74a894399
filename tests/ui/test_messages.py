"""Messages in the panel, and messages replayed for a returning player."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from cardtable.engine.cards import card
from cardtable.engine.game import CHANCE
from cardtable.engine.log_entries import TAKEN_BACK, CustomLogEntry, Dealt, Drew, MadeBid, PlayedCard, Said, TookTrick
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.session.round_replay import replay_messages
from cardtable.session.session_events import LoggedMessage, MessageLog, MissedMessages, Stage
from cardtable.store import seating, sessions
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.paint.curtain import paint_curtain
from cardtable.ui.table.paint.panel import format_newest_talk, list_newest_rows, wrap_messages
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from cardtable.wording.log_entries import format_message
from tests.ui.canvas_rendering import APPEARANCE, RIKIKI, make_view_frame
from tests.ui.driver import SIZES

TEN = card("TH")


def start_second_round():
    """Return a session of Rikiki in its second round, and its referee."""
    rikiki = GAMES["rikiki"]
    session = sessions.create(
        rikiki, seating.create_default_seats(rikiki, rikiki.options()), rikiki.options(), 7, now=datetime.now(UTC)
    )
    table = session.referee
    while table.round < 2:
        if table.turn == CHANCE:
            table.advance()
        else:
            table.play(table.turn, table.view(table.turn).legal[0])
    return session, table


def bid(table, text):
    """Make a bid for the seat to act."""
    table.play(table.turn, next(a for a in table.view(table.turn).legal if str(a) == f"bid {text}"))


def replay_for_first_seat(session):
    """Return the messages replayed for seat 0 from the session's journal."""
    news = MessageLog([0])
    replay_messages(session.path, news)
    return news.messages_by_seat[0]


def test_long_message_wraps_between_cards():
    frame = SimpleNamespace(
        human_count=2,
        is_local=True,
        messages=[Drew(0, 1, (TEN,)), PlayedCard(0, TEN)],
        names=["You"],
        game_view=get_game_view("bridge"),
    )
    assert [row[:2] for row in wrap_messages(frame, 24)[0]] == [("You", "draw TH and play"), ("", "TH")]
    assert [row[:2] for row in wrap_messages(frame, 25)[0]] == [("You", "draw TH and play TH")]


NOTICE = CustomLogEntry(None, "Round 1 of Cup: table 2, seat 1; sit down.")


@pytest.mark.parametrize(
    ("notes", "is_local", "line"),
    [
        ([Said(1, "hi there"), MadeBid(2, 0)], True, "Ada: hi there"),
        ([Said(None, "Kim: well played")], False, "Spectator Kim: well played"),
        ([Said(1, "hi"), Said(2, "hello")], True, "Bo: hello"),
        ([Said(1, "hi"), Said(0, "hello Ada")], True, ""),
        ([Said(1, "hi"), *[MadeBid(2, 0)] * 8], True, ""),
        ([NOTICE, MadeBid(2, 0)], False, f"**** {NOTICE.third_person}"),
        ([NOTICE], True, ""),
        ([CustomLogEntry(1, "passes")], False, ""),
    ],
)
def test_newest_talk_of_others(notes, is_local, line):
    frame = SimpleNamespace(messages=notes, names=["You", "Ada", "Bo"], seat=0, is_local=is_local)
    assert format_newest_talk(frame) == line


@pytest.mark.parametrize(
    ("human_count", "is_local", "row"),
    [
        (1, True, ("—", "Round 2 — 2 cards each")),
        (2, True, ("****", "round 2: 2 cards each")),
        (1, False, ("****", "round 2: 2 cards each")),
    ],
)
def test_new_round_is_a_heading_where_no_person_talks(human_count, is_local, row):
    frame = SimpleNamespace(
        human_count=human_count,
        is_local=is_local,
        messages=[Dealt(None, 2, 2)],
        names=["You"],
        game_view=get_game_view("rikiki"),
    )
    assert [row[:2] for row in wrap_messages(frame, 40)[0]] == [row]


def test_only_first_row_leaves_room_for_name():
    frame = SimpleNamespace(
        human_count=2, is_local=True, messages=[Dealt(None, 2, 2)], names=["You"], game_view=get_game_view("rikiki")
    )
    assert [row[:2] for row in wrap_messages(frame, 13)[0]] == [("****", "round 2:"), ("", "2 cards each")]


@pytest.mark.parametrize(
    ("room", "rows"),
    [
        (5, ["Ada: a long story of", " cards that nobody", " else ever saw", "Bo: well", "Ada bids 2"]),
        (4, ["Ada: a long story of", " cards that nobody…", "Bo: well", "Ada bids 2"]),
        (3, ["Ada: a long story…", "Bo: well", "Ada bids 2"]),
        (2, ["Bo: well", "Ada bids 2"]),
    ],
)
def test_oldest_visible_message_is_cut_at_its_end(room, rows):
    messages = [Said(0, "a long story of cards that nobody else ever saw"), Said(1, "well"), MadeBid(0, 2)]
    frame = SimpleNamespace(
        human_count=2, is_local=True, messages=messages, names=["Ada", "Bo"], game_view=get_game_view("rikiki")
    )
    assert [f"{row.sender} {row.text}" for row in list_newest_rows(frame, 20, room)] == rows


def test_replay_of_the_current_round():
    session, table = start_second_round()
    first = table.turn
    table.say("well  dealt\x07", 2)
    bid(table, 1)
    table.undo(1)
    bid(table, 2)
    dealt, *notes = replay_for_first_seat(session)
    assert isinstance(dealt, Dealt)
    assert (dealt.round, dealt.cards) == (2, 2)
    assert notes == [Said(2, "well dealt\ufffd"), MadeBid(first, 1), TAKEN_BACK, MadeBid(first, 2)]


def test_talk_text_is_unchanged():
    assert format_message(Said(0, "plays well"), ["You"]) == "plays well"
    assert format_message(CustomLogEntry(0, "plays well", "play well"), ["You"]) == "play well"


def test_unreadable_journal_replays_nothing():
    session, _ = start_second_round()
    session.path.write_bytes(b"{}\n")
    assert replay_for_first_seat(session) == []


CARDS = [LoggedMessage(PlayedCard(seat, card(name)), 1) for seat, name in enumerate(("TH", "9H", "8H"))]
TALK = [LoggedMessage(Said(1, f"well, well, {number}"), 1) for number in range(30)]


@pytest.mark.parametrize(
    ("messages", "lines", "left_out"),
    [
        ([*CARDS, LoggedMessage(TookTrick(0), 1), *TALK[:2]], ["Trick 1", "well, 0", "well, 1"], []),
        ([*CARDS, LoggedMessage(TookTrick(0), 1), *TALK], ["Trick 1", "well, 29"], ["well, 0"]),
        ([*TALK, *CARDS], ["Trick 1", "well, 29"], ["well, 0"]),
        (
            [
                each
                for n in range(1, 30)
                for each in (*[c._replace(trick=n) for c in CARDS], LoggedMessage(TookTrick(0), n), TALK[n])
            ],
            ["Trick 29"],
            ["well, 29", "Trick 1 "],
        ),
    ],
)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_curtain_prefers_events_over_talk(messages, lines, left_out, size):
    missed = MissedMessages(tuple(messages))
    view = Referee(RIKIKI, 4, RIKIKI.options(), 1).view(0)
    canvas = Canvas(*size, APPEARANCE)
    paint_curtain(
        canvas,
        compute_layout(*size),
        make_view_frame(RIKIKI, view, stage=Stage.CURTAIN, handover_seat=0, missed=missed),
    )
    assert all(words in str(canvas) for words in lines), canvas
    assert not any(words in str(canvas) for words in left_out), canvas
