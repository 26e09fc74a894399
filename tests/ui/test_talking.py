"""Messages and table talk: typing, delivery, journal."""

import pytest
from rich.cells import cell_len

from cardtable.engine.errors import CardtableError
from cardtable.engine.log_entries import Said
from cardtable.session.session_events import MAX_TALK_LENGTH, Stage
from cardtable.store import sessions
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
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


@pytest.mark.parametrize("size", SIZES)
async def test_messages_and_talk_golden(size):
    async with sit_at(create_session("rikiki", 11), size) as table:
        await send_talk(table, "well dealt, Ada")
        await table.write("my QH is")
        table.check_golden("talk")
        await table.press("escape")
        assert (size[0] == 60) or "Anna: well dealt" in table.text or "You: well dealt" in table.text


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


async def test_talk_sent_during_robot_turn_survives_leaving():
    async with at_table(TableApp(create_session("rikiki", 11), robot_client=GatedRobots())) as table:
        await table.wait_for_thinking_robot()
        await table.press("m b y e enter escape escape")
        await table.app.pop_screen()
    again = sessions.resume(table.screen.session.path)
    again.close()
    assert len(read_talk_lines(table)) == 1


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


async def test_key_sheet_lists_text_input_keys():
    async with sit_at(create_session("rikiki", 11), (120, 40)) as table:
        await table.press("m x f1")
        await table.sees("Backspace ", "Delete Ctrl+D", "Ctrl+K Ctrl+U", "your earlier messages", "Ctrl+L")
        assert "Backspace Delete" not in table.text, "Backspace and Delete have different effects"


@pytest.mark.parametrize("size", SIZES)
async def test_joiners_in_talk(size):
    """The journal keeps joiners, and the screen shows no gap in their place."""
    persian, coder = "می\u200cروم", "👩\u200d💻"
    async with sit_at(create_session("rikiki", 11), size) as table:
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


async def test_footer_click_equals_key():
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.press("m h i")
        await table.click_text("send")
        assert list_talk(table) == ["hi"]
        await table.press("h o")
        await table.click_text("close")
        assert table.overlay is None
        await table.press("m")
        assert get_draft(table) == "ho", "the draft is kept"


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
