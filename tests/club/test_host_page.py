"""A club opened from the running program: the form, the invitation, closing."""

import asyncio
import re
import socket
import sys
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from cardtable.club import protocol
from cardtable.club.administration import Approve, SetApproval
from cardtable.club.client.connection import Offline
from cardtable.club.server import disk_space, server, status_file
from cardtable.club.server.server_options import ServerOptions
from cardtable.store import passwords, profiles
from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE
from cardtable.store.settings import Settings
from cardtable.ui import command_palette
from cardtable.ui.app import CardtableApp
from cardtable.ui.club import host_page
from cardtable.ui.club.local_server import LocalServer
from cardtable.ui.toolkit.preferences import Preferences
from tests.club.lobby_screen import shows
from tests.club.loopback_club import Guest, joined
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import wait_until
from tests.ui.test_palette import run_command

ANY_PORT = ("end", "up", "left", "end")
"""Keys that choose any free port; then the cursor is on the button that opens the club."""


@pytest.fixture(autouse=True)
def anna(home):
    """Sign in as the player Anna."""
    profiles.register("Anna")
    profiles.sign_in("Anna")


def read_notifications(app):
    """Return the texts of all notifications."""
    return " ".join(list_notices(app))


def list_command_names(app):
    return {command.name for command in command_palette.list_commands(app.context, app.screen)}


@asynccontextmanager
async def running_app():
    app = CardtableApp(Preferences(Settings(robot_pace=0, trick_pause=0)))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, shows(app, "Rikiki"))
        yield app, pilot


async def open_host_form(app, pilot):
    app.context.show("open_to_others")
    await wait_until(pilot, shows(app, "this machine only"))


async def open_club_by_keys(app, pilot):
    """Open a club by keys and return its address."""
    await open_host_form(app, pilot)
    await pilot.press(*ANY_PORT, "enter")
    await wait_until(pilot, shows(app, "Tell the others:"))
    return f"ws://{re.search(r'cardtable join (localhost:[0-9]+)', screen_text(app))[1]}"


async def test_guest_plays_with_the_person_hosting():
    async with running_app() as (app, pilot):
        url = await open_club_by_keys(app, pilot)
        async with Guest(url, "Bob") as bob:
            await wait_until(pilot, shows(app, "Bob joins"))
            await pilot.press("enter")
            await wait_until(pilot, shows(app, "here: Bob (guest), Anna"))
            await pilot.press("n", "enter")
            await bob.wait_until(lambda: bob.tables)
            (table,) = bob.tables
            await bob.send(protocol.SitDown(table))
            await wait_until(pilot, shows(app, "Anna, Bob, free, free"))
            await pilot.press("enter")
            await bob.wait_until(lambda: bob.view)
            await wait_until(pilot, shows(app, "round 1", "Bob", "You"))


async def test_discarding_changed_host_form_needs_confirmation():
    async with running_app() as (app, pilot):
        await open_host_form(app, pilot)
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "Rikiki"))
        await open_host_form(app, pilot)
        await pilot.press("right", "escape")
        await wait_until(pilot, shows(app, "Discard it?"))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "others on my network"))
        await pilot.press("escape", "enter")
        await wait_until(pilot, shows(app, "Rikiki"))
        await open_club_by_keys(app, pilot)
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "Rikiki"))


async def test_host_page_leads_back_to_the_open_lobby():
    async with running_app() as (app, pilot):
        await open_club_by_keys(app, pilot)
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "here: Anna"))
        lobby = app.screen
        await run_command(pilot, app, "Open to others")
        await wait_until(pilot, shows(app, "cardtable join localhost:", "Anna joins"))
        await pilot.press("home", "enter")
        await wait_until(pilot, lambda: app.screen is lobby)
        assert lobby.page.client.connection.is_connected


async def test_quitting_closes_the_club_for_guests():
    async with AsyncExitStack() as stack:
        async with running_app() as (app, pilot):
            bob = await stack.enter_async_context(joined(await open_club_by_keys(app, pilot), "Bob"))
            await pilot.press("ctrl+q")
        assert bob.link.end_reason == "The club has closed."


@pytest.mark.parametrize("closing", [False, True], ids=["opened", "closed"])
async def test_exit_while_the_club_opens_or_closes(closing):
    async with running_app() as (app, pilot):
        if closing:
            await open_club_by_keys(app, pilot)
            app.run_worker(app.context.close_club)
        else:
            await open_host_form(app, pilot)
            await pilot.press(*ANY_PORT)
            await app.screen.page.action_press()
        app.exit()
    with status_file.hold_host_lock():
        pass  # none is open any more


async def test_page_warns_before_the_disk_space_is_used_up(monkeypatch):
    monkeypatch.setattr(disk_space, "measure_use", lambda _most: disk_space.DiskUse(90 * 10**6, 10**8))
    async with running_app() as (app, pilot):
        await open_club_by_keys(app, pilot)
        await wait_until(pilot, shows(app, "Attention: the sessions take up 90 of 100 MB; at the limit no new table"))


@pytest.mark.parametrize("how", ["by the palette", "on its page"])
async def test_closing_the_club_disconnects_guests(how):
    async with running_app() as (app, pilot):
        async with joined(await open_club_by_keys(app, pilot), "Bob") as bob:
            if how == "by the palette":
                await run_command(pilot, app, "Close the club")
            else:
                await pilot.press("home", "down", "enter")
            await bob.wait_until(lambda: bob.link.end_reason == "The club has closed.")
        await wait_until(pilot, lambda: "Close the club" not in list_command_names(app))
        await open_club_by_keys(app, pilot)  # once more


async def test_network_club_has_a_code_unless_removed(monkeypatch):
    offers = []

    @asynccontextmanager
    async def refused(offer, **_):
        offers.append(offer)
        raise OSError(1, "not here")
        yield

    monkeypatch.setattr(server, "open_club", refused)
    async with running_app() as (app, pilot):
        await open_host_form(app, pilot)
        await pilot.press("right")
        await wait_until(pilot, shows(app, "others on my network"))
        code = re.search(r"The code +‹ +(\w+)", screen_text(app))[1]
        for keys in ("end", "home down right down right down right end"):
            await pilot.press(*keys.split(), "enter")
            await wait_until(pilot, shows(app, "no club can be opened: not here"))
    assert offers == [
        ServerOptions("The club of Anna", "", 7036, code),
        ServerOptions("The club of Anna", "", 7036, "", web_port=7038, ssh_port=7037),
    ]
    assert re.fullmatch(r"[a-z2-9]{8}", code)


async def test_reports_port_in_use(monkeypatch):
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(host_page, "PORTS", (port, 0))
        async with running_app() as (app, pilot):
            await open_host_form(app, pilot)
            await pilot.press("end", "enter")
            await wait_until(pilot, shows(app, f"another program of this machine listens at port {port}"))
            await pilot.press("up", "left", "end", "enter")
            await wait_until(pilot, shows(app, "Tell the others:"))


async def test_reports_club_already_open():
    async with server.open_club(ServerOptions("Fridays", port=0)), running_app() as (app, pilot):
        await open_host_form(app, pilot)
        await pilot.press(*ANY_PORT, "enter")
        await wait_until(pilot, shows(app, "a club is open here already"))


async def test_reports_missing_optional_packages(monkeypatch):
    for module in (
        "cardtable.ui.club.local_server",
        "cardtable.club.server.server",
        "cardtable.club.server.websocket_endpoint",
    ):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.delattr("cardtable.club.server.server")
    monkeypatch.setitem(sys.modules, "websockets.asyncio.server", None)
    async with running_app() as (app, pilot):
        app.context.show("open_to_others")
        await wait_until(pilot, lambda: "a club needs more libraries:" in read_notifications(app))


async def test_hosted_client_cannot_open_a_club(monkeypatch):
    monkeypatch.setenv(ADMISSION_TOKEN_VARIABLE, "word")
    async with running_app() as (app, pilot):
        assert "Open to others" not in list_command_names(app)
        app.context.show("open_to_others")
        await wait_until(pilot, lambda: "cannot open another one" in read_notifications(app))


async def test_guest_login_unlocks_no_profile_of_the_host(monkeypatch):
    profiles.register("Bob", password="sesame77", again="sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    async with running_app() as (app, pilot):
        url = await open_club_by_keys(app, pilot)
        async with joined(url, "Bob", password="sesame77"):
            assert profiles.find("Bob").is_locked


async def test_keeping_order_on_the_page():
    async with running_app() as (app, pilot):
        url = await open_club_by_keys(app, pilot)
        async with Guest(url, "Bob") as bob, Guest(url, "Cleo") as cleo:
            await bob.wait_until(lambda: bob.welcome)
            await bob.send(protocol.OpenTable("rikiki", 4))
            await wait_until(pilot, shows(app, "Bob          guest", "Cleo         guest", "waits for players, Bob"))
            app.screen.page.move_cursor_to(("person", "Bob"))
            await pilot.press("enter")
            await wait_until(pilot, shows(app, "A guest of the club, known on 1 device"))
            app.screen.page.move_cursor_to("mute")
            await pilot.press("enter")
            await wait_until(pilot, shows(app, "Nick: Bob", "for ever", "Silence a person in the lobby"))
            await pilot.press("end", "enter")
            await bob.wait_until(lambda: bob.talk)
            await wait_until(pilot, shows(app, "Let a muted person talk again."))
            app.screen.page.move_cursor_to("kick")
            await pilot.press("enter", *"bye", "enter")
            await bob.wait_until(lambda: bob.link.end_reason == "The host has disconnected you: bye.")
            await wait_until(pilot, shows(app, "Bob is not here any more."))
            await pilot.press("escape")
            await wait_until(pilot, shows(app, "Cleo         guest"))
            app.screen.page.move_cursor_to(("person", "Cleo"))
            await pilot.press("enter")
            await wait_until(pilot, shows(app, "Cleo   in your club"))
            app.screen.page.move_cursor_to("ban")
            await pilot.press("enter", "right")
            await wait_until(pilot, shows(app, "Target: Cleo", "1 hour", "Ban also the addresses"))
            await pilot.press("down", "down", *"spam", "enter")
            await cleo.wait_until(lambda: cleo.link.end_reason.startswith("The host has banned you until 2"))
            assert cleo.link.end_reason.endswith(": spam.")
            await wait_until(pilot, shows(app, "Cleo is not here any more."))
            await pilot.press("escape")
            await wait_until(pilot, shows(app, "Nobody.", "Cleo         banned"))
            app.screen.page.move_cursor_to(("banned", "Cleo"))
            await pilot.press("enter")
            await wait_until(pilot, shows(app, "Unban   in your club"))
            await pilot.press("enter")
            await wait_until(pilot, lambda: "Cleo         banned" not in screen_text(app) and shows(app, "The club")())
            app.screen.page.move_cursor_to("say")
            await pilot.press("enter", "enter")
            await wait_until(pilot, shows(app, "Type something to say"))
            await pilot.press("escape")
            app.screen.page.move_cursor_to("code")
            await pilot.press("enter")
            await wait_until(pilot, shows(app, "Everybody", "Also disconnect everybody"))
            assert "except" not in screen_text(app).casefold()
            await pilot.press("escape")
            app.screen.page.move_cursor_to("invite")
            await pilot.press("enter", *"Dora", "end", "enter")
            await wait_until(pilot, shows(app, "For Dora alone, good once", "--nick Dora --word "))


@asynccontextmanager
async def form_about(app, pilot, nick, command, **login):
    """Open a club and, while ``nick`` is in it, the form of a command about them."""
    async with joined(await open_club_by_keys(app, pilot), nick, **login):
        await wait_until(pilot, shows(app, f"{nick}          "))
        app.screen.page.move_cursor_to(("person", nick))
        await pilot.press("enter")
        await wait_until(pilot, shows(app, f"{nick}   in your club"))
        app.screen.page.move_cursor_to(command)
        await pilot.press("enter")
        await wait_until(pilot, shows(app, f"Nick: {nick}"))
        yield


async def test_new_password_and_code_stay_on_the_page():
    profiles.register("Bob", password="sesame77", again="sesame77")
    async with running_app() as (app, pilot):
        async with form_about(app, pilot, "Bob", "reset", password="sesame77"):
            await pilot.press("enter")
            await wait_until(pilot, shows(app, "Reset   in your club", "The new password of Bob is "))
            password = re.search(r"The new password of Bob is (\S+)", screen_text(app))[1]
            assert profiles.verify_password("Bob", password) is None
            await pilot.press("escape", "escape")
        app.screen.page.move_cursor_to("code")
        await pilot.press("enter", *"another77", "enter")
        await wait_until(pilot, shows(app, "Code   in your club", "The code is another77. People who have been here"))
        assert not list_notices(app)


async def test_page_asks_before_everybody_is_thrown_out_or_erased():
    async with running_app() as (app, pilot):
        async with form_about(app, pilot, "Bob", "erase"):
            await pilot.press("escape")
        await wait_until(pilot, shows(app, "Bob is not here any more."))
        await pilot.press("enter", "enter")
        await wait_until(pilot, shows(app, "Erase them?", "This erases the data of Bob for good."))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "Erase   in your club"))
        await pilot.press("enter", "enter")
        await wait_until(pilot, lambda: "The data of Bob is erased." in read_notifications(app))
        await pilot.press("escape")
        app.screen.page.move_cursor_to("code")
        await pilot.press("enter", "down", "right", "down", "enter")
        await wait_until(pilot, shows(app, "Change the code?", "This disconnects everybody;"))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "Code   in your club"))
        assert "The code is" not in screen_text(app)
        await pilot.press("enter", "enter")
        await wait_until(pilot, shows(app, "The code is ", "Disconnected: nobody."))


async def test_letting_newcomers_in_on_the_page():
    async with running_app() as (app, pilot):
        url = await open_club_by_keys(app, pilot)
        app.screen.page.move_cursor_to("approval")
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "State", "Set whether newcomers wait until you approve them."))
        await pilot.press("end", "enter")
        await wait_until(pilot, shows(app, "The club of Anna is open"))
        async with Guest(url, "Bob", delays=(0.0, 0.01)) as bob:
            await wait_until(pilot, shows(app, "Waiting to be let in", "approve", "reject", "from 127.0.0.1"))
            bob.link.state = Offline()
            app.screen.page.move_cursor_to(("approve", "Bob", "127.0.0.1"))
            await pilot.press("enter")
            await wait_until(pilot, lambda: "Waiting to be let in" not in screen_text(app))
            assert "Bob may come in" in read_notifications(app)
        async with joined(url, "Bob"):
            await wait_until(pilot, shows(app, "Bob          guest"))


async def test_page_takes_keys_while_a_decision_is_saved(monkeypatch):
    is_saved, execute = asyncio.Event(), LocalServer.execute

    async def execute_slowly(server, command):
        if isinstance(command, Approve):
            await is_saved.wait()
        return await execute(server, command)

    monkeypatch.setattr(LocalServer, "execute", execute_slowly)
    async with running_app() as (app, pilot):
        url = await open_club_by_keys(app, pilot)
        await app.context.get_page_state(LocalServer).execute(SetApproval("on"))
        async with Guest(url, "Bob", delays=(0.0, 0.01)):
            await wait_until(pilot, shows(app, "Waiting to be let in"))
            app.screen.page.move_cursor_to(("approve", "Bob", "127.0.0.1"))
            try:
                await pilot.press("enter", "home")
                assert app.screen.page.cursor == "lobby"
            finally:
                is_saved.set()
            await wait_until(pilot, lambda: "Bob may come in" in read_notifications(app))


async def test_host_reads_the_limits_on_guests():
    async with running_app() as (app, pilot):
        await open_club_by_keys(app, pilot)
        while not shows(app, "What guests can use at most", "Enter read")():
            await pilot.press("down")
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "unread answers of each connection: 100"))
        await pilot.press("end")
        await wait_until(pilot, shows(app, "wrong codes of each address: 5 at once, then 6 per minute"))
