"""Password at the curtain, at a hot seat and for a single player."""

from contextlib import asynccontextmanager

import pytest

from cardtable.session.session_events import Stage
from cardtable.store import passwords, profiles, sessions, summaries
from cardtable.ui.table.overlays import PasswordOverlay
from tests.ui.driver import at_table, sit_at
from tests.ui.table_host import TableApp, create_session, take_first_action


@pytest.fixture(autouse=True)
def anna(monkeypatch):
    """Register Anna with a password that has not been entered in this run."""
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    profiles.register("Anna", password="sesame77", again="sesame77")
    profiles.register("Bob")
    forget_entered_passwords(monkeypatch)


def forget_entered_passwords(monkeypatch):
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())


@asynccontextmanager
async def open_locked():
    """Open a table whose curtain asks Anna for her password."""
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.wait_until(lambda: asks_password_of(table.app, "Anna"))
        yield table


def asks_password_of(app, nick):
    """Return true if the curtain asks the player with this nick for the password."""
    return (
        app.table.frame.stage is Stage.CURTAIN
        and app.table.frame.password_nick == nick
        and isinstance(app.table.view.overlay, PasswordOverlay)
    )


async def test_password_prompt_golden():
    async with open_locked() as table:
        await table.press(*"sesa")
        await table.check_golden_in_sizes("password")
        await table.press("enter")
        await table.wait_until(lambda: table.overlay.error)
        await table.check_golden_in_sizes("password_wrong")


async def test_single_player_enters_password_once():
    async with open_locked() as table:
        await table.press(*"sesame77", "enter")
        await table.wait_until(lambda: table.frame.waiting)
        assert table.overlay is None
        for _ in range(20):
            await table.wait_for_input()
            assert table.frame.stage is not Stage.CURTAIN
            take_first_action(table.screen)
    async with at_table(TableApp(create_session("gurka", 12))) as table:
        await table.wait_until(lambda: table.frame.waiting)


async def test_password_is_asked_after_change_of_nick():
    create_session("rikiki", 11, people=2).close()
    profiles.update_profile("Anna", "Berta", "", "")
    [summary] = summaries.list_unfinished()
    async with at_table(TableApp(sessions.resume(summary.path))) as table:
        await table.wait_until(lambda: asks_password_of(table.app, "Berta"))
        await table.press(*"sesame77", "enter")
        await table.wait_until(lambda: table.frame.waiting)
        assert table.frame.names[0] == "Anna", "the session keeps the nick"


@pytest.mark.parametrize("once", [False, True], ids=["each time", "once"])
async def test_hot_seat_asks_each_turn_or_once(once):
    if once:
        profiles.set_ask_once("Anna", once=True)
    async with sit_at(create_session("bridge", 7, seats=2, people=2)) as table:
        handover_seats = []
        while handover_seats.count(0) < 3:
            await table.wait_for_input()
            if table.frame.stage is not Stage.CURTAIN:
                take_first_action(table.screen)
                continue
            if table.frame.handover_seat == 0 and not (once and 0 in handover_seats):
                assert asks_password_of(table.app, "Anna")
                await table.press(*"sesame77")
            else:
                assert not table.frame.password_nick
            handover_seats.append(table.frame.handover_seat)
            await table.press("enter")
            await table.wait_until(lambda: table.frame.waiting)
        assert 1 in handover_seats


@pytest.mark.parametrize("typed", [[], ["x"], [*"sesam"], [*"sesame77", "e"], [*"SESAME"], ["space"], ["?"]])
async def test_only_password_shows_hand(typed):
    async with open_locked() as table:
        await table.press(*typed, "enter")
        await table.wait_for_input()
        assert asks_password_of(table.app, "Anna")
        table.screen.controller.proceed()  # whatever else would let the curtain up
        await table.wait_for_input()
        assert asks_password_of(table.app, "Anna")


async def test_keys_and_clicks_do_not_bypass_password():
    async with open_locked() as table:
        for y in range(24):
            for x in (3, 30, 40, 50):
                if y < 23:
                    await table.click(x, y)
        assert asks_password_of(table.app, "Anna")
        await table.press("tab ctrl+z f2 up pageup", *"hlsdvcmi=n")
        assert asks_password_of(table.app, "Anna")
        assert table.overlay.text_input.text == "hlsdvcmi=n"
        assert table.app.requests == []
        await table.press("f1")
        await table.sees("show my hand")
        await table.press("x")
        assert asks_password_of(table.app, "Anna")
        await table.press("ctrl+l")
        assert table.overlay.text_input.text == ""
        await table.press("escape")
        assert len(table.app.requests) == 1


async def test_wait_after_three_wrong_passwords():
    async with open_locked() as table:
        for _ in range(3):
            await table.press("x enter")
            await table.wait_until(lambda: table.overlay.error)
        await table.sees("wait 10 seconds")
        await table.press(*"sesame77", "enter")
        await table.wait_until(lambda: table.overlay.error)
        await table.sees("then try again")
        assert asks_password_of(table.app, "Anna")


async def test_password_is_never_on_screen():
    async with open_locked() as table:
        for character in "sesame77":
            await table.press(character)
            assert "ses" not in table.text
        await table.sees("••••••")
        await table.press("left backspace")
        await table.sees("•••••")


@pytest.mark.parametrize("how", [sessions.resume, sessions.open_read_only], ids=["go on", "look"])
async def test_resumed_session_asks_again(how, monkeypatch):
    """Even while the points of a round are shown."""
    profiles.verify_password("Anna", "sesame77")
    async with sit_at(create_session("rikiki", 11)) as table:
        while table.frame.stage is not Stage.ROUND_END:
            await table.wait_for_input()
            if table.frame.stage is Stage.PLAY:
                table.screen.controller.submit(table.view.legal[0])
        path = table.screen.session.path
    forget_entered_passwords(monkeypatch)
    async with at_table(TableApp(how(path))) as table:
        if how is sessions.resume:
            await table.wait_for_input()
            assert table.frame.stage is Stage.ROUND_END
            await table.press("enter")
        await table.wait_until(lambda: asks_password_of(table.app, "Anna"))
        await table.press(*"sesame77", "enter")
        await table.wait_until(lambda: table.frame.stage is not Stage.CURTAIN)


async def read_screen_before_password(seed):
    """Return the rows of the screen before the password is entered, without the public trump suit."""
    async with sit_at(create_session("ten_down", seed)) as table:
        await table.wait_until(lambda: asks_password_of(table.app, "Anna"))
        return [row for row in table.rows if "trump" not in row]


async def test_screen_before_password_is_independent_of_cards():
    assert await read_screen_before_password(11) == await read_screen_before_password(12)


async def test_no_question_without_password():
    profiles.remove_password("Anna", "sesame77")
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.wait_until(lambda: table.frame.waiting)
