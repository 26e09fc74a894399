"""Messages and table talk: typing, delivery, journal."""

import asyncio

import pytest
from rich.cells import cell_len
from textual import events

from cardtable.engine.errors import CardtableError
from cardtable.engine.log_entries import Said
from cardtable.session.message_log import MAX_TALK_LENGTH
from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.ui.toolkit.dialog import Dialog
from tests import golden_files
from tests.ui.screen_text import screen_text
from tests.ui.table_host import AtOnce, Host, asked, session, until


async def typing(pilot, text):
    await pilot.press(*["space" if character == " " else character for character in text])


async def says(pilot, text):
    await pilot.press("m")
    await typing(pilot, text)
    await pilot.press("enter")


def talk(app):
    return [note.text for note in app.table.frame.messages if isinstance(note, Said)]


def kept(app):
    """Return the journal's lines of table talk."""
    lines = app.table.session.path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if '"say":' in line]


def draft(app):
    return app.table.view.overlay.text_input.text


class Slow(AtOnce):
    """Robots that choose once `released` is set."""

    def __init__(self):
        super().__init__()
        self.may = asyncio.Event()

    async def choose(self, request):
        await self.may.wait()
        return await super().choose(request)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 18)])
async def test_messages_and_talk_look_as_drawn(size):
    app = Host(session("rikiki", 11))
    async with app.run_test(size=size) as pilot:
        await asked(pilot, app)
        await says(pilot, "well dealt, Ada")
        await typing(pilot, "my QH is")
        golden_files.check(f"talk_{size[0]}x{size[1]}.txt", screen_text(app))
        await pilot.press("escape")
        await pilot.pause()
        assert (size[0] == 60) or "Anna: well dealt" in screen_text(app) or "You: well dealt" in screen_text(app)


@pytest.mark.promise("The table", "`m` opens messages and table talk; what is typed reaches everyone and the journal.")
async def test_what_is_typed_goes_to_everybody_and_into_the_journal():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        await says(pilot, "hello")
        assert talk(app) == ["hello"]
        assert len(kept(app)) == 1
        assert '{"seat":0,"say":"hello"' in kept(app)[0]
        assert draft(app) == "", "the line is empty again, the messages stay open"


async def test_letters_and_digits_are_no_keys_while_one_types():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        before = app.table.frame.view
        await pilot.press("m")
        await typing(pilot, "hlsmuioc?=12 ,")
        assert draft(app) == "hlsmuioc?=12 ,"
        assert app.table.frame.view is before
        assert app.told == []


async def test_an_empty_line_says_nothing():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        await says(pilot, "  ")
        assert (kept(app), talk(app)) == ([], [])
        assert app.table.frame.waiting, "nor is a bid made"


async def test_escape_closes_and_what_was_typed_is_there_again():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        await pilot.press("m", "h", "i", "escape")
        assert app.table.view.overlay is None
        await pilot.press("m")
        assert draft(app) == "hi"


async def test_what_is_typed_stays_while_robots_play_on_and_can_be_said_meanwhile():
    thinker = Slow()
    app = Host(session("rikiki", 11, level="steady"), thinker=thinker)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.table.frame.thinking_robot is not None or app.table.controller.is_awaiting_input)
        if app.table.controller.is_awaiting_input:
            await pilot.press("enter")
            await until(pilot, lambda: app.table.frame.thinking_robot is not None)
        await says(pilot, "well")
        assert len(kept(app)) == 1, "it is in the journal while the robot still thinks"
        await typing(pilot, "played")
        thinker.may.set()
        await asked(pilot, app)
        assert draft(app) == "played"
        await pilot.press("enter")
        assert talk(app) == ["well", "played"]


async def test_talk_while_a_robot_thinks_is_not_lost_on_leaving():
    app = Host(session("rikiki", 11), thinker=Slow())
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app) if app.table.controller.is_awaiting_input else None
        await pilot.press("m", "b", "y", "e", "enter", "escape", "escape")
        await app.pop_screen()
    again = sessions.resume(app.table.session.path)
    again.close()
    assert len(kept(app)) == 1


@pytest.mark.promise("The table", "`m` opens messages and table talk; what is typed reaches everyone and the journal.")
async def test_the_screen_can_be_cleared_and_the_journal_keeps_the_talk():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        await says(pilot, "hello")
        await typing(pilot, "wait")
        await pilot.press("ctrl+u")
        assert (draft(app), talk(app)) == ("", ["hello"]), "the line is cleared, and only the line"
        await pilot.press("ctrl+l")
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.table)
        assert talk(app) == ["hello"], "it is asked first"
        await pilot.press("ctrl+l")
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.table)
        assert app.table.frame.messages == ()
        assert "Nothing has been said yet" in screen_text(app)
        assert len(kept(app)) == 1


async def test_up_and_down_recall_what_was_said():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        await says(pilot, "one")
        await typing(pilot, "two")
        await pilot.press("enter", "x", "up")
        assert draft(app) == "two"
        await pilot.press("up", "up")
        assert draft(app) == "one"
        await pilot.press("down", "down")
        assert draft(app) == "x"


async def test_the_key_sheet_names_the_keys_of_the_line():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=(120, 40)) as pilot:
        await asked(pilot, app)
        await pilot.press("m", "x", "f1")
        shown = screen_text(app)
        for words in ("Backspace ", "Delete Ctrl+D", "Ctrl+K Ctrl+U", "what you said before", "Ctrl+L"):
            assert words in shown
        assert "Backspace Delete" not in shown, "they do not the same"


async def test_what_was_said_before_the_table_was_opened_is_recalled():
    game = session("rikiki", 11)
    game.referee.say("mine", 0)
    game.referee.advance()
    game.referee.say("of another", 1)
    game.close()
    app = Host(sessions.resume(game.path))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        await pilot.press("m", "up", "up")
        assert draft(app) == "mine"


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 18)])
async def test_joiners_in_talk(size):
    """The journal keeps joiners, and the screen shows no gap in their place."""
    persian, coder = "می\u200cروم", "👩\u200d💻"
    app = Host(session("rikiki", 11))
    async with app.run_test(size=size) as pilot:
        await asked(pilot, app)
        await pilot.press("m")
        app.post_message(events.Paste(f"{persian} {coder}."))
        await pilot.pause()
        row = next(row for row in screen_text(app).split("\n") if "روم" in row)
        assert f"{persian} 👩💻." in row
        assert cell_len(row) == sum(map(cell_len, row)), "so wide in every terminal"
        await pilot.press("enter")
        await pilot.pause()
        assert f'"say":"{persian} {coder}."' in kept(app)[0]
        assert f"{persian} 👩💻." in screen_text(app)


async def test_the_limit_is_said_and_what_is_pasted_is_cut_there():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        await pilot.press("m", *"x" * 3)
        assert app.table.view.overlay.paste("y" * 1000)
        await pilot.press("z")
        await pilot.pause()
        assert len(draft(app)) == MAX_TALK_LENGTH
        assert f"At most {MAX_TALK_LENGTH} characters" in screen_text(app)
        await pilot.press("enter")
        assert talk(app) == ["xxx" + "y" * (MAX_TALK_LENGTH - 3)]


async def test_hostile_text_is_harmless():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        await pilot.press("m")
        app.post_message(events.Paste("\x1b]52;c;aGk=\x07[@click=app.quit]hi[/]\u202e\nthere"))
        await pilot.pause()
        assert "[/]\ufffd there" in screen_text(app), "in the line, too"
        await pilot.press("enter")
        await pilot.pause()
        [said] = talk(app)
        assert said == "]52;c;aGk=[@click=app.quit]hi[/]\ufffd there"
        assert "\x1b" not in screen_text(app)
        assert "\u202e" not in screen_text(app)


async def test_talk_is_not_joined_with_what_its_player_does():
    """In Bridge one message lists all actions of a seat."""
    app = Host(session("bridge", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        await says(pilot, "plays well")
        await pilot.press("escape", "enter")
        await pilot.pause()
        assert "You: plays well" in screen_text(app)


async def test_who_comes_back_finds_the_talk_of_the_whole_session():
    game = session("rikiki", 11)
    game.referee.say("before the deal", 1)
    game.referee.advance()
    game.referee.say("after\x07  it", 0)
    game.close()
    app = Host(sessions.resume(game.path))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        assert talk(app) == ["before the deal", "after\ufffd it"]


async def test_what_cannot_be_kept_stays_typed_and_the_reason_is_told():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)

        def full(_line):
            raise CardtableError("the session is full")

        app.table.session.referee.record = full
        await says(pilot, "hello")
        await pilot.pause()
        assert draft(app) == "hello"
        assert talk(app) == []
        assert "the session is full" in screen_text(app)


async def test_a_click_on_the_footer_does_what_its_key_does():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        await pilot.press("m", "h", "i")
        await pilot.pause()
        row = screen_text(app).split("\n")[23]
        await pilot.click(offset=(row.index("say it"), 23))
        assert talk(app) == ["hi"]
        await pilot.click(offset=(row.index("close"), 23))
        assert app.table.view.overlay is None


class TestHotSeat:
    @staticmethod
    async def at_anna(pilot, app):
        await until(pilot, lambda: app.table.frame.stage is Stage.CURTAIN and app.table.controller.is_awaiting_input)
        await pilot.press("enter")
        await until(pilot, lambda: app.table.frame.waiting)

    async def test_the_line_is_from_the_person_at_the_keyboard(self):
        app = Host(session("rikiki", 11, seats=4, people=2))
        async with app.run_test(size=(80, 24)) as pilot:
            await self.at_anna(pilot, app)
            me = app.table.frame.seat
            await says(pilot, "mine")
            assert f'{{"seat":{me},"say":"mine"' in kept(app)[0]

    async def test_a_curtain_does_not_take_the_line_nor_does_enter_show_the_next_hand(self):
        app = Host(session("rikiki", 11, seats=4, people=2))
        async with app.run_test(size=(80, 24)) as pilot:
            await self.at_anna(pilot, app)
            me = app.table.frame.seat
            await pilot.press("m", "h", "i")
            app.table.controller.submit(app.table.frame.view.legal[0])
            await until(
                pilot, lambda: app.table.frame.stage is Stage.CURTAIN and app.table.controller.is_awaiting_input
            )
            await pilot.pause()
            assert draft(app) == "hi"
            await pilot.press("enter")
            await pilot.pause()
            assert app.table.frame.stage is Stage.CURTAIN
            assert f'{{"seat":{me},"say":"hi"' in kept(app)[0]
            assert "press" in screen_text(app).lower()
            assert app.table.view.overlay is None
