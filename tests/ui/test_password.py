"""Password at the curtain, at a hot seat and for a single player."""

import pytest

from cardtable.session.session_events import Stage
from cardtable.store import passwords, profiles, sessions, summaries
from cardtable.ui.table.overlays import PasswordOverlay
from tests import golden_files
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, create_session, take_first_action, wait_for_input, wait_until

SIZES = [(80, 24), (120, 40), (60, 18)]
SMALL = SIZES[0]


@pytest.fixture(autouse=True)
def anna(monkeypatch):
    """Register Anna with a password that has not been entered in this run."""
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    profiles.register("Anna", password="sesame77", again="sesame77")
    profiles.register("Bob")
    forget_entered_passwords(monkeypatch)


def forget_entered_passwords(monkeypatch):
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())


def asks_password_of(app, nick):
    """Return true if the curtain asks the player with this nick for the password."""
    return (
        app.table.frame.stage is Stage.CURTAIN
        and app.table.frame.password_nick == nick
        and isinstance(app.table.view.overlay, PasswordOverlay)
    )


@pytest.mark.parametrize("size", SIZES)
async def test_password_prompt_golden(size):
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=size) as pilot:
        await wait_until(pilot, lambda: asks_password_of(app, "Anna"))
        await pilot.press(*"sesa")
        golden_files.check_golden(f"password_{size[0]}x{size[1]}.txt", screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.view.overlay.error)
        golden_files.check_golden(f"password_wrong_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_single_player_enters_password_once():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: asks_password_of(app, "Anna"))
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, lambda: app.table.frame.waiting)
        assert app.table.view.overlay is None
        for _ in range(20):
            await wait_for_input(pilot, app)
            assert app.table.frame.stage is not Stage.CURTAIN
            take_first_action(app.table)
    again = TableApp(create_session("gurka", 12))
    async with again.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: again.table.frame.waiting)


async def test_password_is_asked_after_change_of_nick():
    create_session("rikiki", 11, people=2).close()
    profiles.update_profile("Anna", "Berta", "", "")
    [summary] = summaries.list_unfinished()
    app = TableApp(sessions.resume(summary.path))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: asks_password_of(app, "Berta"))
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, lambda: app.table.frame.waiting)
        assert app.table.frame.names[0] == "Anna", "the session keeps the nick"


@pytest.mark.parametrize("once", [False, True], ids=["each time", "once"])
async def test_hot_seat_asks_each_turn_or_once(once):
    if once:
        profiles.set_ask_once("Anna", once=True)
    app = TableApp(create_session("bridge", 7, seats=2, people=2))
    async with app.run_test(size=SMALL) as pilot:
        handover_seats = []
        while handover_seats.count(0) < 3:
            await wait_for_input(pilot, app)
            if app.table.frame.stage is not Stage.CURTAIN:
                take_first_action(app.table)
                continue
            if app.table.frame.handover_seat == 0 and not (once and 0 in handover_seats):
                assert asks_password_of(app, "Anna")
                await pilot.press(*"sesame77")
            else:
                assert not app.table.frame.password_nick
            handover_seats.append(app.table.frame.handover_seat)
            await pilot.press("enter")
            await wait_until(pilot, lambda: app.table.frame.waiting)
        assert 1 in handover_seats


@pytest.mark.parametrize("typed", [[], ["x"], [*"sesam"], [*"sesame77", "e"], [*"SESAME"], ["space"], ["?"]])
async def test_only_password_shows_hand(typed):
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: asks_password_of(app, "Anna"))
        await pilot.press(*typed, "enter")
        await wait_for_input(pilot, app)
        assert asks_password_of(app, "Anna")
        app.table.controller.proceed()  # whatever else would let the curtain up
        await wait_for_input(pilot, app)
        assert asks_password_of(app, "Anna")


async def test_keys_and_clicks_do_not_bypass_password():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: asks_password_of(app, "Anna"))
        for y in range(24):
            for x in (3, 30, 40, 50):
                if y < 23:
                    await pilot.click(offset=(x, y))
        assert asks_password_of(app, "Anna")
        await pilot.press("tab", "ctrl+z", "f2", "up", "pageup", *"hlsdvcmi=n")
        assert asks_password_of(app, "Anna")
        assert app.table.view.overlay.text_input.text == "hlsdvcmi=n"
        assert app.requests == []
        await pilot.press("f1")
        assert "show my hand" in screen_text(app)
        await pilot.press("x")
        assert asks_password_of(app, "Anna")
        await pilot.press("ctrl+l")
        assert app.table.view.overlay.text_input.text == ""
        await pilot.press("escape")
        assert len(app.requests) == 1


async def test_wait_after_three_wrong_passwords():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: asks_password_of(app, "Anna"))
        for _ in range(3):
            await pilot.press("x", "enter")
            await wait_until(pilot, lambda: app.table.view.overlay.error)
        assert "wait 10 seconds" in screen_text(app)
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, lambda: app.table.view.overlay.error)
        assert "then try again" in screen_text(app)
        assert asks_password_of(app, "Anna")


async def test_password_is_never_on_screen():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: asks_password_of(app, "Anna"))
        for character in "sesame77":
            await pilot.press(character)
            assert "ses" not in screen_text(app)
        assert "••••••" in screen_text(app)
        await pilot.press("left", "backspace")
        assert "•••••" in screen_text(app)


@pytest.mark.parametrize("how", [sessions.resume, sessions.open_read_only], ids=["go on", "look"])
async def test_resumed_session_asks_again(how, monkeypatch):
    """Even while the points of a round are shown."""
    profiles.verify_password("Anna", "sesame77")
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        while app.table.frame.stage is not Stage.ROUND_END:
            await wait_for_input(pilot, app)
            if app.table.frame.stage is Stage.PLAY:
                app.table.controller.submit(app.view.legal[0])
        path = app.table.session.path
    forget_entered_passwords(monkeypatch)
    later = TableApp(how(path))
    async with later.run_test(size=SMALL) as pilot:
        if how is sessions.resume:
            await wait_for_input(pilot, later)
            assert later.table.frame.stage is Stage.ROUND_END
            await pilot.press("enter")
        await wait_until(pilot, lambda: asks_password_of(later, "Anna"))
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, lambda: later.table.frame.stage is not Stage.CURTAIN)


async def read_screen_before_password(seed):
    """Return the rows of the screen before the password is entered, without the public trump suit."""
    app = TableApp(create_session("ten_down", seed))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: asks_password_of(app, "Anna"))
        return [row for row in screen_text(app).split("\n") if "trump" not in row]


async def test_screen_before_password_is_independent_of_cards():
    assert await read_screen_before_password(11) == await read_screen_before_password(12)


async def test_no_question_without_password():
    profiles.remove_password("Anna", "sesame77")
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: app.table.frame.waiting)
