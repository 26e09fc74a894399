"""Messages in the panel, at the curtain and for a returning player; table talk."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from rich.cells import cell_len

from cardtable.engine.cards import card
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE
from cardtable.engine.log_entries import TAKEN_BACK, CustomLogEntry, Dealt, Drew, MadeBid, PlayedCard, Said, TookTrick
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.session.round_replay import replay_messages
from cardtable.session.session_events import MAX_TALK_LENGTH, LoggedMessage, MessageLog, MissedMessages, Stage
from cardtable.store import seating, sessions
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.paint.curtain import paint_curtain
from cardtable.ui.table.paint.panel import format_newest_talk, list_newest_rows
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from cardtable.wording.formatting import insert_suit_signs
from cardtable.wording.log_entries import format_message
from tests.ui.canvas_rendering import APPEARANCE, RIKIKI, make_view_frame
from tests.ui.driver import SIZES, at_table, sit_at
from tests.ui.table_host import GatedRobots, TableApp, create_session


async def send_talk(table, text):
    await table.press("m", *text, "enter")


def list_talk(table):
    return [note.text for note in table.frame.messages if isinstance(note, Said)]


def read_talk_lines(table):
    """Return the journal's lines of table talk."""
    lines = table.screen.session.path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if '"say":' in line]


def get_draft(table):
    return table.overlay.text_input.text


async def test_messages_and_talk_golden():
    async with sit_at(create_session("rikiki", 11)) as table:
        await send_talk(table, "well dealt, Ada")
        await table.write("my QH is")
        await table.check_golden_in_sizes("talk")


async def test_talk_reaches_messages_and_journal():
    async with sit_at(create_session("rikiki", 11)) as table:
        await send_talk(table, "hello")
        assert list_talk(table) == ["hello"]
        [line] = read_talk_lines(table)
        assert '{"seat":0,"say":"hello"' in line
        assert get_draft(table) == "", "the line is empty again, the messages stay open"


@pytest.mark.parametrize(
    ("size", "row"),
    [((60, 18), "Somebody: a long story about the queen of hearts that…"), ((80, 24), "Somebody: a long")],
)
async def test_talk_of_others_is_visible_at_every_size(size, row):
    async with sit_at(create_session("rikiki", 11), size) as table:
        await table.screen.controller.say("a long story about the queen of hearts that fits in no line of the table", 1)
        await table.pilot.pause()
        assert [line.rstrip().endswith(row) for line in table.rows].count(True) == 1


async def test_letters_and_digits_are_text_while_typing():
    async with sit_at(create_session("rikiki", 11)) as table:
        before = table.frame.view
        await table.press("m")
        await table.write("hlsmuioc?=12 ,")
        assert get_draft(table) == "hlsmuioc?=12 ,"
        assert table.frame.view is before
        assert table.app.requests == []


async def test_empty_line_sends_nothing():
    async with sit_at(create_session("rikiki", 11)) as table:
        await send_talk(table, "  ")
        assert (read_talk_lines(table), list_talk(table)) == ([], [])
        assert table.frame.waiting, "Enter in an empty line does not bid"


async def test_talk_while_robots_play():
    robots = GatedRobots()
    async with at_table(TableApp(create_session("rikiki", 11, level="steady"), robot_client=robots)) as table:
        await table.wait_for_thinking_robot()
        await send_talk(table, "well")
        assert len(read_talk_lines(table)) == 1, "the journal has the line before the robot has chosen"
        await table.write("played")
        robots.gate.set()
        await table.wait_for_input()
        assert get_draft(table) == "played"
        await table.press("enter")
        assert list_talk(table) == ["well", "played"]


async def test_clearing_screen_keeps_journal():
    async with sit_at(create_session("rikiki", 11)) as table:
        await send_talk(table, "hello")
        await table.write("wait")
        await table.press("ctrl+u")
        assert (get_draft(table), list_talk(table)) == ("", ["hello"]), "Ctrl+U clears the draft, not the messages"
        await table.press("ctrl+l")
        await table.is_at(Dialog)
        await table.press("escape")
        await table.is_at(TableScreen)
        assert list_talk(table) == ["hello"], "clearing needs confirmation"
        await table.press("ctrl+l enter")
        await table.sees("No messages yet")
        assert table.frame.messages == ()
        assert len(read_talk_lines(table)) == 1


async def test_joiners_in_talk():
    """The journal keeps joiners, and the screen shows no gap in their place."""
    persian, coder = "می\u200cروم", "👩\u200d💻"
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.press("m")
        await table.paste(f"{persian} {coder}.")
        row = next(row for row in table.rows if "روم" in row)
        assert f"{persian} 👩💻." in row
        assert cell_len(row) == sum(map(cell_len, row)), "the width does not depend on joiners"
        await table.press("enter")
        assert f'"say":"{persian} {coder}."' in read_talk_lines(table)[0]
        await table.sees(f"{persian} 👩💻.")


async def test_talk_limit_is_shown_and_paste_is_cut():
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.press("m", *"x" * 3)
        assert table.overlay.paste("y" * 1000)
        await table.press("z")
        assert len(get_draft(table)) == MAX_TALK_LENGTH
        await table.sees(f"at most {MAX_TALK_LENGTH} characters")
        await table.press("enter")
        assert list_talk(table) == ["xxx" + "y" * (MAX_TALK_LENGTH - 3)]


async def test_hostile_text_is_neutralised():
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.press("m")
        await table.paste("\x1b]52;c;aGk=\x07[@click=app.quit]hi[/]\u202e\nthere")
        assert "[/]\ufffd there" in table.text, "the draft is neutralised, too"
        await table.press("enter")
        assert list_talk(table) == ["]52;c;aGk=[@click=app.quit]hi[/]\ufffd there"]
        assert not {"\x1b", "\u202e"} & set(table.text)


async def test_talk_is_not_merged_with_actions():
    """In Bridge one message lists all actions of a seat."""
    async with sit_at(create_session("bridge", 11)) as table:
        await send_talk(table, "plays well")
        await table.press("escape enter")
        await table.sees("You: plays well")


async def test_resume_shows_talk_of_whole_session():
    game = create_session("rikiki", 11)
    game.referee.say("before the deal", 1)
    game.referee.advance()
    game.referee.say("after\x07  it", 0)
    game.close()
    async with sit_at(sessions.resume(game.path)) as table:
        assert list_talk(table) == ["before the deal", "after\ufffd it"]
        await table.press("m up up")
        assert get_draft(table) == "after\ufffd it", "only the person's own talk is recalled"


async def test_unsaved_talk_stays_as_draft_with_reason():
    async with sit_at(create_session("rikiki", 11)) as table:

        def full(_line):
            raise CardtableError("the session is full")

        table.referee.record = full
        await send_talk(table, "hello")
        await table.pilot.pause()
        assert get_draft(table) == "hello"
        assert list_talk(table) == []
        await table.sees("the session is full")


async def test_draft_survives_curtain_and_enter_shows_no_hand():
    async with sit_at(create_session("rikiki", 11, seats=4, people=2)) as table:
        await table.confirm_curtain()
        me = table.frame.seat
        await table.press("m h i")
        table.screen.controller.submit(table.frame.view.legal[0])
        await table.wait_for_curtain()
        await table.pilot.pause()
        assert get_draft(table) == "hi"
        await table.press("enter")
        assert table.frame.stage is Stage.CURTAIN
        assert f'{{"seat":{me},"say":"hi"' in read_talk_lines(table)[0]
        assert "press" in table.text.lower()
        assert table.overlay is None


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
    ("room", "rows"),
    [
        (5, ["Ada: a long story of", " cards that nobody", " else ever saw", "Bo: well", "Ada bids 2"]),
        (4, ["Bo: well", "Ada bids 2"]),
        (1, ["Ada bids 2"]),
    ],
)
def test_messages_are_shown_whole(room, rows):
    messages = [Said(0, "a long story of cards that nobody else ever saw"), Said(1, "well"), MadeBid(0, 2)]
    frame = SimpleNamespace(
        human_count=2, is_local=True, messages=messages, names=["Ada", "Bo"], game_view=get_game_view("rikiki")
    )
    assert [f"{row.sender} {row.text}" for row in list_newest_rows(frame, 20, room)] == rows


@pytest.mark.parametrize(
    ("room", "rows"),
    [
        (4, ["Ada draws 9 cards,", " plays J♣ and names", " diamonds", "Bo plays 9♦"]),
        (3, ["Ada …cards, plays J♣", " and names diamonds", "Bo plays 9♦"]),
        (2, ["Ada …names diamonds", "Bo plays 9♦"]),
        (1, ["Bo plays 9♦"]),
    ],
)
def test_last_actions_of_a_turn_are_not_cut(room, rows):
    named = CustomLogEntry(0, "names diamonds")
    messages = [Drew(0, 9), PlayedCard(0, card("JC")), named, PlayedCard(1, card("9D"))]
    frame = SimpleNamespace(
        human_count=1, is_local=True, messages=messages, names=["Ada", "Bo"], game_view=get_game_view("bridge")
    )
    shown = [insert_suit_signs(f"{row.sender} {row.text}") for row in list_newest_rows(frame, 20, room)]
    assert shown == rows


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
