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
from cardtable.club.server import server, status_file
from cardtable.club.server.server_options import ServerOptions
from cardtable.store import profiles
from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE
from cardtable.ui import command_palette
from cardtable.ui.club import host_page
from cardtable.ui.club.local_server import LocalServer
from tests.club.lobby_screen import running_app
from tests.club.loopback_club import Guest, joined
from tests.ui.test_palette import run_command

ANY_PORT = "end up left end"
"""Keys that choose any free port; then the cursor is on the button that opens the club."""


@pytest.fixture(autouse=True)
def anna(home):
    """Sign in as the player Anna."""
    profiles.register("Anna")
    profiles.sign_in("Anna")


def list_command_names(anna):
    return {command.name for command in command_palette.list_commands(anna.app.context, anna.app.screen)}


async def open_host_form(anna):
    anna.app.context.show("open_to_others")
    await anna.sees("this machine only")


async def open_club_by_keys(anna):
    """Open a club by keys and return its address."""
    await open_host_form(anna)
    await anna.press(f"{ANY_PORT} enter", "Tell the others:")
    return f"ws://{re.search(r'cardtable join (localhost:[0-9]+)', anna.text)[1]}"


async def test_person_hosting_meets_a_guest():
    async with running_app() as anna:
        url = await open_club_by_keys(anna)
        async with Guest(url, "Bob") as bob:
            await anna.sees("Bob joins")
            await anna.press("enter", "here: Bob (guest), Anna")
            await anna.press("n enter")
            await bob.wait_until(lambda: bob.tables)


async def test_discarding_changed_host_form_needs_confirmation():
    async with running_app() as anna:
        await open_host_form(anna)
        await anna.press("escape", "Rikiki")
        await open_host_form(anna)
        await anna.press("right escape", "Discard it?")
        await anna.press("escape", "others on my network")
        await anna.press("escape enter", "Rikiki")
        await open_club_by_keys(anna)
        await anna.press("escape", "Rikiki")


async def test_host_page_leads_back_to_the_open_lobby():
    async with running_app() as anna:
        await open_club_by_keys(anna)
        await anna.press("enter", "here: Anna")
        lobby = anna.app.screen
        await run_command(anna.pilot, anna.app, "Open to others")
        await anna.sees("cardtable join localhost:", "Anna joins")
        await anna.press("home enter")
        await anna.wait_until(lambda: anna.app.screen is lobby)
        assert lobby.page.client.connection.is_connected


async def test_quitting_closes_the_club_for_guests():
    async with AsyncExitStack() as stack:
        async with running_app() as anna:
            bob = await stack.enter_async_context(joined(await open_club_by_keys(anna), "Bob"))
            await anna.press("ctrl+q")
        assert bob.link.end_reason == "The club has closed."


@pytest.mark.parametrize("closing", [False, True], ids=["opened", "closed"])
async def test_exit_while_the_club_opens_or_closes(closing):
    async with running_app() as anna:
        if closing:
            await open_club_by_keys(anna)
            anna.app.run_worker(anna.app.context.close_club)
        else:
            await open_host_form(anna)
            await anna.press(ANY_PORT)
            await anna.page.action_press()
        anna.app.exit()
    with status_file.hold_host_lock():
        pass  # none is open any more


@pytest.mark.parametrize("how", ["by the palette", "on its page"])
async def test_closing_the_club_disconnects_guests(how):
    async with running_app() as anna:
        async with joined(await open_club_by_keys(anna), "Bob") as bob:
            if how == "by the palette":
                await run_command(anna.pilot, anna.app, "Close the club")
            else:
                await anna.press("home down enter")
            await bob.wait_until(lambda: bob.link.end_reason == "The club has closed.")
        await anna.wait_until(lambda: "Close the club" not in list_command_names(anna))
        await open_club_by_keys(anna)  # once more


async def test_network_club_has_a_code_unless_removed(monkeypatch):
    offers = []

    @asynccontextmanager
    async def refused(offer, **_):
        offers.append(offer)
        raise OSError(1, "not here")
        yield

    monkeypatch.setattr(server, "open_club", refused)
    async with running_app() as anna:
        await open_host_form(anna)
        await anna.press("right", "others on my network")
        code = re.search(r"The code +‹ +(\w+)", anna.text)[1]
        for keys in ("end", "home down right down right down right end"):
            await anna.press(f"{keys} enter", "no club can be opened: not here")
    assert offers == [
        ServerOptions("The club of Anna", "", 7036, code),
        ServerOptions("The club of Anna", "", 7036, "", web_port=7038, ssh_port=7037),
    ]
    assert re.fullmatch(r"[a-z2-9]{8}", code)


async def test_reports_port_in_use(monkeypatch):
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(host_page, "PORTS", (port, 0))
        async with running_app() as anna:
            await open_host_form(anna)
            await anna.press("end enter", f"another program of this machine listens at port {port}")
            await anna.press("up left end enter", "Tell the others:")


async def test_reports_missing_optional_packages(monkeypatch):
    for module in (
        "cardtable.ui.club.local_server",
        "cardtable.club.server.server",
        "cardtable.club.server.websocket_endpoint",
    ):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.delattr("cardtable.club.server.server")
    monkeypatch.setitem(sys.modules, "websockets.asyncio.server", None)
    async with running_app() as anna:
        anna.app.context.show("open_to_others")
        await anna.sees("A club needs more libraries.")


async def test_hosted_client_cannot_open_a_club(monkeypatch):
    monkeypatch.setenv(ADMISSION_TOKEN_VARIABLE, "word")
    async with running_app() as anna:
        assert "Open to others" not in list_command_names(anna)
        anna.app.context.show("open_to_others")
        await anna.is_told("cannot open another one")


async def test_keeping_order_on_the_page():
    async with running_app() as anna:
        url = await open_club_by_keys(anna)
        async with Guest(url, "Bob") as bob, Guest(url, "Cleo") as cleo:
            await bob.wait_until(lambda: bob.welcome)
            await bob.send(protocol.OpenTable("rikiki", 4))
            await anna.sees("Bob          guest", "Cleo         guest", "waits for players, Bob")
            await anna.choose(("person", "Bob"), "A guest of the club, known on 1 device")
            await anna.choose("mute", "Nick: Bob", "for ever", "Silence a person in the lobby")
            await anna.press("end enter")
            await bob.wait_until(lambda: bob.talk)
            await anna.sees("Let a muted person talk again.")
            await anna.choose("kick")
            await anna.enter("bye")
            await bob.wait_until(lambda: bob.link.end_reason == "The host has disconnected you: bye.")
            await anna.sees("Bob is not here any more.")
            await anna.press("escape", "Cleo         guest")
            await anna.choose(("person", "Cleo"), "Cleo   in your club")
            anna.page.move_cursor_to("ban")
            await anna.press("enter right", "Target: Cleo", "1 hour", "Ban also the addresses")
            await anna.press("down down")
            await anna.enter("spam")
            await cleo.wait_until(lambda: cleo.link.end_reason.startswith("The host has banned you until 2"))
            assert cleo.link.end_reason.endswith(": spam.")
            await anna.sees("Cleo is not here any more.")
            await anna.press("escape", "Nobody.", "Cleo         banned")
            await anna.choose(("banned", "Cleo"), "Unban   in your club")
            await anna.press("enter")
            await anna.sees("The club")
            await anna.sees_no_more("Cleo         banned")
            anna.page.move_cursor_to("say")
            await anna.press("enter enter", "Type something to say")
            await anna.press("escape")
            await anna.choose("code", "Everybody", "Also disconnect everybody")
            assert "except" not in anna.text.casefold()
            await anna.press("escape")
            await anna.choose("invite")
            await anna.write("Dora")
            await anna.press("end enter", "For Dora alone, good once", "--nick Dora --word ")


@asynccontextmanager
async def form_about(anna, nick, command, **login):
    """Open a club and, while ``nick`` is in it, the form of a command about them."""
    async with joined(await open_club_by_keys(anna), nick, **login):
        await anna.sees(f"{nick}          ")
        await anna.choose(("person", nick), f"{nick}   in your club")
        anna.page.move_cursor_to(command)
        await anna.press("enter", f"Nick: {nick}")
        yield


async def test_new_password_and_code_stay_on_the_page():
    profiles.register("Bob", password="sesame77", again="sesame77")
    async with running_app() as anna:
        async with form_about(anna, "Bob", "reset", password="sesame77"):
            await anna.press("enter", "Reset   in your club", "The new password of Bob is ")
            password = re.search(r"The new password of Bob is (\S+)", anna.text)[1]
            assert profiles.verify_password("Bob", password) is None
            await anna.press("escape escape")
        await anna.choose("code")
        await anna.enter("another77", "Code   in your club", "The code is another77. People who have been here")
        assert not anna.notices


async def test_page_asks_before_everybody_is_thrown_out_or_erased():
    async with running_app() as anna:
        async with form_about(anna, "Bob", "erase"):
            await anna.press("escape")
        await anna.sees("Bob is not here any more.")
        await anna.press("enter enter", "Erase them?", "This erases the data of Bob for good.")
        await anna.press("escape", "Erase   in your club")
        await anna.press("enter enter")
        await anna.is_told("The data of Bob is erased.")
        await anna.press("escape")
        anna.page.move_cursor_to("code")
        await anna.press("enter down right down enter", "Change the code?", "This disconnects everybody;")
        await anna.press("escape", "Code   in your club")
        assert "The code is" not in anna.text
        await anna.press("enter enter", "The code is ", "Disconnected: nobody.")


async def test_letting_newcomers_in_on_the_page():
    async with running_app() as anna:
        url = await open_club_by_keys(anna)
        await anna.choose("approval", "State", "Set whether newcomers wait until you approve them.")
        await anna.press("end enter", "The club of Anna is open")
        async with Guest(url, "Bob", delays=(0.0, 0.01)) as bob:
            await anna.sees("Waiting to be let in", "approve", "reject", "from 127.0.0.1")
            bob.link.state = Offline()
            await anna.choose(("approve", "Bob", "127.0.0.1"))
            await anna.is_told("Bob may come in")
            await anna.sees_no_more("Waiting to be let in")
        async with joined(url, "Bob"):
            await anna.sees("Bob          guest")


async def test_page_takes_keys_while_a_decision_is_saved(monkeypatch):
    is_saved, execute = asyncio.Event(), LocalServer.execute

    async def execute_slowly(server, command):
        if isinstance(command, Approve):
            await is_saved.wait()
        return await execute(server, command)

    monkeypatch.setattr(LocalServer, "execute", execute_slowly)
    async with running_app() as anna:
        url = await open_club_by_keys(anna)
        await anna.app.context.get_page_state(LocalServer).execute(SetApproval("on"))
        async with Guest(url, "Bob", delays=(0.0, 0.01)):
            await anna.sees("Waiting to be let in")
            anna.page.move_cursor_to(("approve", "Bob", "127.0.0.1"))
            try:
                await anna.press("enter home")
                assert anna.page.cursor == "lobby"
            finally:
                is_saved.set()
            await anna.is_told("Bob may come in")


async def test_host_reads_the_limits_on_guests():
    async with running_app() as anna:
        await open_club_by_keys(anna)
        while not ("What guests can use at most" in anna.text and "Enter read" in anna.text):
            await anna.press("down")
        await anna.press("enter", "unread answers per connection: 100")
        await anna.press("end", "wrong codes per address: 5 at once, then 6 per minute")
