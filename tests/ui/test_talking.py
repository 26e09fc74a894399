"""Messages and table talk: typing, delivery, journal."""

import pytest
from rich.cells import cell_len
from textual import events

from cardtable.engine.errors import CardtableError
from cardtable.engine.log_entries import Said
from cardtable.session.session_events import MAX_TALK_LENGTH, Stage
from cardtable.store import sessions
from cardtable.ui.toolkit.dialog import Dialog
from tests import golden_files
from tests.ui.screen_text import screen_text
from tests.ui.table_host import (
    GatedRobots,
    TableApp,
    confirm_curtain,
    create_session,
    open_table,
    wait_for_curtain,
    wait_for_input,
    wait_for_thinking_robot,
    wait_until,
)


async def type_text(pilot, text):
    await pilot.press(*["space" if character == " " else character for character in text])


async def send_talk(pilot, text):
    await pilot.press("m")
    await type_text(pilot, text)
    await pilot.press("enter")


def list_talk(app):
    return [note.text for note in app.table.frame.messages if isinstance(note, Said)]


def read_talk_lines(app):
    """Return the journal's lines of table talk."""
    lines = app.table.session.path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if '"say":' in line]


def get_draft(app):
    return app.table.view.overlay.text_input.text


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 18)])
async def test_messages_and_talk_golden(size):
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, size) as pilot:
        await send_talk(pilot, "well dealt, Ada")
        await type_text(pilot, "my QH is")
        golden_files.check_golden(f"talk_{size[0]}x{size[1]}.txt", screen_text(app))
        await pilot.press("escape")
        await pilot.pause()
        assert (size[0] == 60) or "Anna: well dealt" in screen_text(app) or "You: well dealt" in screen_text(app)


async def test_talk_reaches_messages_and_journal():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, (80, 24)) as pilot:
        await send_talk(pilot, "hello")
        assert list_talk(app) == ["hello"]
        assert len(read_talk_lines(app)) == 1
        assert '{"seat":0,"say":"hello"' in read_talk_lines(app)[0]
        assert get_draft(app) == "", "the line is empty again, the messages stay open"


@pytest.mark.parametrize(
    ("size", "row"),
    [((60, 18), "Somebody: a long story about the queen of hearts that…"), ((80, 24), "Somebody: a long")],
)
async def test_talk_of_others_is_visible_at_every_size(size, row):
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, size) as pilot:
        await app.table.controller.say("a long story about the queen of hearts that fits in no line of the table", 1)
        await pilot.pause()
        assert [line.rstrip().endswith(row) for line in screen_text(app).split("\n")].count(True) == 1


async def test_letters_and_digits_are_text_while_typing():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, (80, 24)) as pilot:
        before = app.table.frame.view
        await pilot.press("m")
        await type_text(pilot, "hlsmuioc?=12 ,")
        assert get_draft(app) == "hlsmuioc?=12 ,"
        assert app.table.frame.view is before
        assert app.requests == []


async def test_empty_line_sends_nothing():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, (80, 24)) as pilot:
        await send_talk(pilot, "  ")
        assert (read_talk_lines(app), list_talk(app)) == ([], [])
        assert app.table.frame.waiting, "Enter in an empty line does not bid"


async def test_escape_closes_and_keeps_draft():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, (80, 24)) as pilot:
        await pilot.press("m", "h", "i", "escape")
        assert app.table.view.overlay is None
        await pilot.press("m")
        assert get_draft(app) == "hi"


async def test_talk_while_robots_play():
    robots = GatedRobots()
    app = TableApp(create_session("rikiki", 11, level="steady"), robot_client=robots)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_for_thinking_robot(pilot, app)
        await send_talk(pilot, "well")
        assert len(read_talk_lines(app)) == 1, "the journal has the line before the robot has chosen"
        await type_text(pilot, "played")
        robots.gate.set()
        await wait_for_input(pilot, app)
        assert get_draft(app) == "played"
        await pilot.press("enter")
        assert list_talk(app) == ["well", "played"]


async def test_talk_sent_during_robot_turn_survives_leaving():
    app = TableApp(create_session("rikiki", 11), robot_client=GatedRobots())
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_for_thinking_robot(pilot, app)
        await pilot.press("m", "b", "y", "e", "enter", "escape", "escape")
        await app.pop_screen()
    again = sessions.resume(app.table.session.path)
    again.close()
    assert len(read_talk_lines(app)) == 1


async def test_clearing_screen_keeps_journal():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, (80, 24)) as pilot:
        await send_talk(pilot, "hello")
        await type_text(pilot, "wait")
        await pilot.press("ctrl+u")
        assert (get_draft(app), list_talk(app)) == ("", ["hello"]), "Ctrl+U clears the draft, not the messages"
        await pilot.press("ctrl+l")
        await wait_until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is app.table)
        assert list_talk(app) == ["hello"], "clearing needs confirmation"
        await pilot.press("ctrl+l")
        await wait_until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.screen is app.table)
        assert app.table.frame.messages == ()
        assert "No messages yet" in screen_text(app)
        assert len(read_talk_lines(app)) == 1


async def test_up_and_down_recall_history():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, (80, 24)) as pilot:
        await send_talk(pilot, "one")
        await type_text(pilot, "two")
        await pilot.press("enter", "x", "up")
        assert get_draft(app) == "two"
        await pilot.press("up", "up")
        assert get_draft(app) == "one"
        await pilot.press("down", "down")
        assert get_draft(app) == "x"


async def test_key_sheet_lists_text_input_keys():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, (120, 40)) as pilot:
        await pilot.press("m", "x", "f1")
        text = screen_text(app)
        for words in ("Backspace ", "Delete Ctrl+D", "Ctrl+K Ctrl+U", "your earlier messages", "Ctrl+L"):
            assert words in text
        assert "Backspace Delete" not in text, "Backspace and Delete have different effects"


async def test_earlier_talk_is_recalled_after_resume():
    game = create_session("rikiki", 11)
    game.referee.say("mine", 0)
    game.referee.advance()
    game.referee.say("of another", 1)
    game.close()
    app = TableApp(sessions.resume(game.path))
    async with open_table(app, (80, 24)) as pilot:
        await pilot.press("m", "up", "up")
        assert get_draft(app) == "mine"


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 18)])
async def test_joiners_in_talk(size):
    """The journal keeps joiners, and the screen shows no gap in their place."""
    persian, coder = "می\u200cروم", "👩\u200d💻"
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, size) as pilot:
        await pilot.press("m")
        app.post_message(events.Paste(f"{persian} {coder}."))
        await pilot.pause()
        row = next(row for row in screen_text(app).split("\n") if "روم" in row)
        assert f"{persian} 👩💻." in row
        assert cell_len(row) == sum(map(cell_len, row)), "the width does not depend on joiners"
        await pilot.press("enter")
        await pilot.pause()
        assert f'"say":"{persian} {coder}."' in read_talk_lines(app)[0]
        assert f"{persian} 👩💻." in screen_text(app)


async def test_talk_limit_is_shown_and_paste_is_cut():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, (80, 24)) as pilot:
        await pilot.press("m", *"x" * 3)
        assert app.table.view.overlay.paste("y" * 1000)
        await pilot.press("z")
        await pilot.pause()
        assert len(get_draft(app)) == MAX_TALK_LENGTH
        assert f"at most {MAX_TALK_LENGTH} characters" in screen_text(app)
        await pilot.press("enter")
        assert list_talk(app) == ["xxx" + "y" * (MAX_TALK_LENGTH - 3)]


async def test_hostile_text_is_neutralised():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, (80, 24)) as pilot:
        await pilot.press("m")
        app.post_message(events.Paste("\x1b]52;c;aGk=\x07[@click=app.quit]hi[/]\u202e\nthere"))
        await pilot.pause()
        assert "[/]\ufffd there" in screen_text(app), "the draft is neutralised, too"
        await pilot.press("enter")
        await pilot.pause()
        [line] = list_talk(app)
        assert line == "]52;c;aGk=[@click=app.quit]hi[/]\ufffd there"
        assert "\x1b" not in screen_text(app)
        assert "\u202e" not in screen_text(app)


async def test_talk_is_not_merged_with_actions():
    """In Bridge one message lists all actions of a seat."""
    app = TableApp(create_session("bridge", 11))
    async with open_table(app, (80, 24)) as pilot:
        await send_talk(pilot, "plays well")
        await pilot.press("escape", "enter")
        await pilot.pause()
        assert "You: plays well" in screen_text(app)


async def test_resume_shows_talk_of_whole_session():
    game = create_session("rikiki", 11)
    game.referee.say("before the deal", 1)
    game.referee.advance()
    game.referee.say("after\x07  it", 0)
    game.close()
    app = TableApp(sessions.resume(game.path))
    async with open_table(app, (80, 24)):
        assert list_talk(app) == ["before the deal", "after\ufffd it"]


async def test_unsaved_talk_stays_as_draft_with_reason():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, (80, 24)) as pilot:

        def full(_line):
            raise CardtableError("the session is full")

        app.table.session.referee.record = full
        await send_talk(pilot, "hello")
        await pilot.pause()
        assert get_draft(app) == "hello"
        assert list_talk(app) == []
        assert "the session is full" in screen_text(app)


async def test_footer_click_equals_key():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, (80, 24)) as pilot:
        await pilot.press("m", "h", "i")
        await pilot.pause()
        row = screen_text(app).split("\n")[23]
        await pilot.click(offset=(row.index("send"), 23))
        assert list_talk(app) == ["hi"]
        await pilot.click(offset=(row.index("close"), 23))
        assert app.table.view.overlay is None


class TestHotSeat:
    async def test_talk_is_sent_by_player_at_keyboard(self):
        app = TableApp(create_session("rikiki", 11, seats=4, people=2))
        async with app.run_test(size=(80, 24)) as pilot:
            await confirm_curtain(pilot, app)
            me = app.table.frame.seat
            await send_talk(pilot, "mine")
            assert f'{{"seat":{me},"say":"mine"' in read_talk_lines(app)[0]

    async def test_draft_survives_curtain_and_enter_shows_no_hand(self):
        app = TableApp(create_session("rikiki", 11, seats=4, people=2))
        async with app.run_test(size=(80, 24)) as pilot:
            await confirm_curtain(pilot, app)
            me = app.table.frame.seat
            await pilot.press("m", "h", "i")
            app.table.controller.submit(app.table.frame.view.legal[0])
            await wait_for_curtain(pilot, app)
            await pilot.pause()
            assert get_draft(app) == "hi"
            await pilot.press("enter")
            await pilot.pause()
            assert app.table.frame.stage is Stage.CURTAIN
            assert f'{{"seat":{me},"say":"hi"' in read_talk_lines(app)[0]
            assert "press" in screen_text(app).lower()
            assert app.table.view.overlay is None
