"""The code of a club; one-time words for newcomers and other devices, over every transport; changed passwords."""

import asyncio

import asyncssh
import pytest

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.client.connection import Login
from cardtable.club.server import admission, club_file, server
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.limits import LIMITS, LoginError
from cardtable.club.server.requests import LOGGED_OUT
from cardtable.club.server.server_options import ServerOptions
from cardtable.engine.errors import CardtableError
from cardtable.store import profiles
from tests.club.account_logins import (
    BY_SSH,
    CODE,
    NEIGHBOUR,
    ORIGIN,
    OTHER_ORIGIN,
    Clock,
    ControlledSaves,
    assert_refused,
    log_in,
    read_refused_login,
    running_client,
    start_login,
    visit,
)
from tests.club.guests import choose_randomly
from tests.club.lobby_screen import lobby_app
from tests.club.loopback_club import (
    club,
    connected_guests,
    create_host_session,
    enter_once,
    hosted_listener,
    joined,
    read_refusal,
    wait_for_all,
)
from tests.club.test_browser_server import browser, read_page, submit_login, web_endpoint
from tests.club.test_ssh_server import assert_denied, connect_ssh, enter_by_ssh, guest_terminal, ssh_endpoint

DAY = 24 * 3600


READ_OUT = " Kmnp-Q R\u2013\uff33t_\u200b"
"""The generated code as somebody types it who was told it, or as a phone writes it."""


async def test_generated_code_as_it_is_read_out(home):
    accounts = ClubAccounts(CODE)
    async with club(code=CODE) as (_, url):
        await enter_once(url, "Anna", code=READ_OUT)
    async with ssh_endpoint(accounts) as (_, port), guest_terminal(port, "Bob", READ_OUT):
        pass
    async with web_endpoint(accounts) as (url, _), browser() as cleo:
        assert (await submit_login(cleo, url, "Cleo", READ_OUT))[0] == 303


@pytest.mark.parametrize("code", ["Sesame77", "sesame", "cardroom"])
async def test_chosen_code_is_only_trimmed(code):
    accounts = ClubAccounts(code)
    await log_in(accounts, "Anna", code=f" {code}\n")
    for typed in (code.swapcase(), f"{code[:4]}-{code[4:]}", f"{code[:4]} {code[4:]}"):
        assert (await assert_refused(accounts, "Bob", code=typed)).missing == "code"


@pytest.mark.parametrize("code", [CODE, "Sesame77"])
async def test_wrong_forms_of_a_code_count(code):
    accounts = ClubAccounts(code)
    assert (await assert_refused(accounts, "Eve", code="  ")).retry_after is None
    for _ in range(LIMITS.wrong_codes.number):
        assert (await assert_refused(accounts, "Eve", code=" ABCD-EFGH ")).retry_after is None
    assert (await assert_refused(accounts, "Eve", code=code)).retry_after


@pytest.mark.parametrize(
    ("credential", "typed"),
    [*dict.fromkeys(("nick", "code", "word", "password"), "x" * 201).items(), ("code", "\udcff"), ("word", "\udcff")],
)
async def test_credential_that_cannot_be_sent(credential, typed):
    async with club(code=CODE) as (_, url):
        refusal = await read_refusal(url, **{"nick": "Anna", "code": CODE, credential: typed})
    assert refusal == "a name or text is too long, or is not valid text"


async def test_invitation_is_good_once_for_its_nick():
    accounts = ClubAccounts(CODE)
    word = await accounts.administration.create_invitation("bob")
    assert word not in club_file.paths.club_file().read_text("utf-8")
    refusal = await assert_refused(accounts, "Cleo", code=word)
    assert (str(refusal), refusal.missing) == (
        "that word is not good for your nick, or not any more; ask the host",
        "code",
    )
    accounts = ClubAccounts(CODE)  # a restart
    person, token = await log_in(accounts, "Bob", code=admission.format_word(word).upper())
    assert (person.nick, person.is_member, person.has_played) == ("Bob", False, False)
    await assert_refused(ClubAccounts(CODE), "Bob", NEIGHBOUR, code=word)
    await log_in(accounts, "Bob", token=token)
    assert accounts.store.invitations.invitations == ()


async def test_invited_nick_is_reserved_until_the_invitation_ends():
    accounts = ClubAccounts(clock=(clock := Clock()))
    await accounts.administration.create_invitation("Coco", DAY)
    for nick in ("coco", "Сосо"):
        assert "is not free" in str(await assert_refused(accounts, nick))
    clock.now += DAY
    await log_in(accounts, "Coco")
    word = await accounts.administration.create_invitation("Cleo")
    await accounts.administration.withdraw_invitation("cleo")
    with pytest.raises(CardtableError, match="Cleo is not invited"):
        await accounts.administration.withdraw_invitation("Cleo")
    await log_in(accounts, "Cleo", code=word)  # as anybody could


async def test_new_invitation_replaces_the_earlier_one():
    accounts = ClubAccounts(CODE)
    first, second = [await accounts.administration.create_invitation("Bob") for _ in range(2)]
    await assert_refused(accounts, "Bob", code=first)
    await log_in(accounts, "Bob", code=second)


@pytest.mark.parametrize("nick", ["", "B", "Bob!", "Воb1"])
async def test_invalid_nick_cannot_be_invited(nick):
    with pytest.raises(CardtableError):
        await ClubAccounts().administration.create_invitation(nick)


@pytest.mark.parametrize("seconds", [0, -1, 366 * DAY, float("nan")])
async def test_invalid_time_of_an_invitation(seconds):
    with pytest.raises(CardtableError, match="at most a year"):
        await ClubAccounts().administration.create_invitation("Bob", seconds)


async def test_owner_of_a_seat_is_not_invited_by_mistake():
    create_host_session("Bob", "Cleo")
    with pytest.raises(CardtableError, match="Bob has a seat in an unfinished session"):
        async with club() as (room, _):
            await room.administration.create_invitation("Bob")


async def test_invitation_of_a_player(anna_with_password):
    """It logs in without the password, but not a player who has none or who has taken the nick since."""
    accounts = ClubAccounts(CODE)
    person, token = await log_in(accounts, "Anna", code=await accounts.administration.create_invitation("anna"))
    assert person.is_member
    await log_in(accounts, "Anna", token=token)
    for_guest = await accounts.administration.create_invitation("Bob")
    profiles.register("Bob", password="sesame77", again="sesame77")
    assert str(await assert_refused(accounts, "Bob", code=for_guest)) == "Bob is another player here now; ask the host"
    profiles.register("Cleo")
    with pytest.raises(CardtableError, match="first set a password for Cleo at the host"):
        await accounts.administration.create_invitation("Cleo")


async def test_two_uses_at_once_admit_one(monkeypatch):
    controlled_saves, accounts = ControlledSaves(monkeypatch), ClubAccounts(CODE)
    controlled_saves.finish("works")
    word = await accounts.administration.create_invitation("Bob")
    logins = [await start_login(accounts, "Bob", origin, code=word) for origin in (ORIGIN, OTHER_ORIGIN)]
    controlled_saves.finish("works")
    results = await asyncio.gather(*logins, return_exceptions=True)
    assert [type(each) for each in results] == [tuple, LoginError]


async def test_word_is_never_delayed_by_wrong_tries():
    accounts = ClubAccounts(CODE)
    word = await accounts.administration.create_invitation("Bob")
    for _ in range(LIMITS.wrong_codes.number):
        await assert_refused(accounts, "Bob", code=admission.generate_word())
    assert "too many wrong tries" in str(await assert_refused(accounts, "Bob", code=CODE))
    await log_in(accounts, "Bob", code=word)


async def test_forgetting_a_person_withdraws_invitations():
    accounts = ClubAccounts(CODE)
    await log_in(accounts, "Bob", code=CODE)
    await accounts.administration.create_invitation("Bob")
    await accounts.administration.forget("Bob")
    await log_in(accounts, "Bob", NEIGHBOUR, code=CODE)
    await accounts.administration.create_device_word("Bob")
    await accounts.administration.forget("bob")
    assert (accounts.store.invitations.invitations, ClubAccounts().store.invitations.invitations) == ((), ())


async def test_number_of_invitations_is_limited(monkeypatch, set_limit):
    monkeypatch.setattr(admission, "MAX_INVITATIONS", 2)
    set_limit("all_device_words", number=4)
    accounts = ClubAccounts(clock=(clock := Clock()))
    for nick in ("Anna", "Bob", "Bob"):
        await accounts.administration.create_invitation(nick)
    with pytest.raises(CardtableError, match="2 people are invited already"):
        await accounts.administration.create_invitation("Cleo")
    for nick, origin in (("Dora", ORIGIN), ("Eric", NEIGHBOUR), ("Fred", OTHER_ORIGIN)):
        await log_in(accounts, nick, origin)
    for _ in range(2):
        await accounts.administration.create_device_word("Dora")
    with pytest.raises(CardtableError, match="too many words"):  # of the same network
        await accounts.administration.create_device_word("Eric")
    await accounts.administration.create_device_word("Fred")
    clock.now += admission.DEVICE_WORD_SECONDS
    monkeypatch.undo()
    for _ in range(3):
        await accounts.administration.create_device_word("Dora")
    with pytest.raises(CardtableError, match="you have 3 words"):
        await accounts.administration.create_device_word("Dora")


# --- transports


async def test_join_with_a_word(home, monkeypatch):
    """The word serves a known program only if its token is refused."""
    async with club(code=CODE) as (room, url):
        word = await room.administration.create_invitation("Bob")
        login = Login("Bob", word=word)
        for _ in range(2):  # the same command once more
            await visit(url, login)
        await room.administration.revoke_tokens("Bob")
        assert (await read_refused_login(url, login)).required_credential == "code"
        await visit(url, Login("Bob", word=await room.administration.create_invitation("Bob")))


@pytest.mark.parametrize("code", [CODE, ""])
async def test_ssh_with_a_word(home, code):
    """A device without a key gets a word of its own, and the old one goes on working."""
    accounts, key = ClubAccounts(code), asyncssh.generate_private_key("ssh-ed25519")
    async with ssh_endpoint(accounts) as (_, port):
        async with connect_ssh(port, "Bob", await accounts.administration.create_invitation("Bob")):
            accounts.store.mark_played(["Bob"])
        async with guest_terminal(port, "Bob", await accounts.administration.create_invitation("Bob")) as process:
            own = (await process.stdout.readline()).split()[-1]
        await enter_by_ssh(port, "Bob", await accounts.administration.create_invitation("Bob"), keys=[key])
        await enter_by_ssh(port, "Bob", keys=[key])
        await enter_by_ssh(port, "Bob", own)
        await assert_denied(port, "Bob", admission.generate_word())


async def test_lost_connection_keeps_an_account_with_another_device(home):
    """A guest who does not note the new word keeps the nick."""
    accounts = ClubAccounts(CODE)
    _, token = await log_in(accounts, "Bob", code=CODE)
    await log_in(accounts, "Bob", BY_SSH, code=await accounts.administration.create_invitation("Bob"))
    await accounts.authenticator.forget_unconfirmed_guest("Bob")
    await log_in(accounts, "Bob", token=token)


@pytest.mark.parametrize("code", [CODE, ""])
async def test_browser_with_a_word(home, code):
    accounts = ClubAccounts(code)
    async with web_endpoint(accounts) as (url, _), browser() as bob, browser() as other:
        word = await accounts.administration.create_invitation("Bob")
        _, text = await read_page(bob, url)
        assert '<script src="/login.js">' in text
        assert 'name="code"' in text
        assert "history.replaceState" in (await read_page(bob, f"{url}/login.js"))[1]
        assert (await submit_login(bob, url, "Bob", code=admission.format_word(word)))[0] == 303
        assert (await submit_login(other, url, "Bob", code=word))[0] == 403
        assert (await read_page(bob, url))[0] == 200


async def test_invitation_is_printed_for_every_transport(home):
    options = ServerOptions("Fridays", port=0, code=CODE, ssh_port=0, web_port=0)
    async with server.open_club(options, think=choose_randomly) as opened:
        word = await opened.lobby.administration.create_invitation("Bob")
        join, ssh, web = opened.format_personal_invitation("Bob", word)
        word_text = admission.format_word(word)
        assert join == f"cardtable join {opened.address} --nick Bob --word {word_text}"
        assert ssh.startswith("ssh -p ")
        assert ssh.endswith(f"Bob@localhost, then type {word_text}")
        assert web.partition("/#")[2] == f"nick=Bob&word={word_text}"
        new = await opened.lobby.administration.change_code()
        assert f"the code is {new}" in opened.invitation
        assert opened.lobby.accounts.bans.own_networks == ("localhost",)
        url = f"ws://localhost:{opened.port}"
        async with joined(url, "Bob", code=word) as bob:
            await bob.send(protocol.AskDeviceWord(), until=lambda: bob.device_word)
        assert bob.device_word.ways[0].endswith(f"--nick Bob --word {bob.device_word.word}")
        await enter_once(url, "Bob", code=bob.device_word.word)


async def test_device_words_are_for_guests(anna_with_password):
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        assert await anna.get_refusal(protocol.AskDeviceWord()) == "on another device you log in with your password"
        for _ in range(4):
            await bob.send(protocol.AskDeviceWord())
        await bob.wait_until(lambda: bob.refused)
        assert bob.refused == ["you have 3 words that are still good; use one, or wait ten minutes"]
        await enter_once(url, "Bob", code=bob.device_word.word)
        assert len(room.accounts.invitations.invitations) == 2
        assert "is not free" in await read_refusal(url, "Bob", code=bob.device_word.word)


# --- change of password


async def test_change_of_password(anna_with_password):
    async with club() as (room, url), connected_guests(url, "Anna") as (anna,):
        other = anna.welcome.token
        for old, new, message in (
            ("wrong777", "another77", "That is not the password"),
            ("sesame77", "short", "a new password has at least 8 characters"),
        ):
            anna.refused.clear()
            assert await anna.get_refusal(protocol.ChangePassword(old, new)) == message
        await anna.send(protocol.ChangePassword("sesame77", "another77"), until=lambda: anna.password_changes)
        assert anna.password_changes == [protocol.PasswordChanged()]
        await enter_once(url, "Anna", token=other)
        await anna.send(protocol.ChangePassword("another77", "third7777", revoke_others=True))
        await anna.wait_until(lambda: len(anna.password_changes) == 2)
        token = anna.password_changes[1].token
        await enter_once(url, "Anna", token=token)
        assert await read_refusal(url, "Anna", token=other)
        assert "That is not the password" in await read_refusal(url, "Anna", password="another77")
        await enter_once(url, "Anna", password="third7777")
        assert room.present_nicks == ("Anna",)


async def test_change_of_password_ends_the_visits_of_other_devices(anna_with_password):
    async with club() as (room, url), connected_guests(url, "Anna", "Anna", "Bob") as (anna, other, bob):
        async with hosted_listener(room, "Anna") as (own_url, token), joined(own_url, "Anna", token=token) as hosted:
            await anna.send(protocol.ChangePassword("sesame77", "another77"), until=lambda: anna.password_changes)
            for guest in (other, hosted):
                assert not guest.link.end_reason, "only the password is changed"
            await anna.send(protocol.ChangePassword("another77", "third7777", revoke_others=True))
            await wait_for_all((other, hosted), lambda guest: guest.link.end_reason == LOGGED_OUT)
            assert await read_refusal(own_url, "Anna", token=token)
        assert anna.link.is_connected
        assert bob.link.is_connected


async def test_password_is_changed_over_private_connections_only(anna_with_password):
    accounts = ClubAccounts()
    await log_in(accounts, "Anna", password="sesame77")
    readable = ConnectionOrigin("192.0.2.1", is_private=False)
    for nick, origin, message in (("Anna", readable, "others could read"), ("Bob", ORIGIN, "only players of the club")):
        with pytest.raises(LoginError, match=message):
            await accounts.authenticator.change_password(nick, "sesame77", "another77", origin)
    before = profiles.find("Anna")
    await accounts.administration.reset_password("Anna")
    with pytest.raises(CardtableError, match="changed meanwhile"):
        profiles.replace_password(before, "third7777")


async def test_client_uses_the_new_token_after_a_change_of_password(home, anna_with_password):
    async with club() as (_, url), running_client(url, Login("Anna", password="sesame77")) as program:
        client = program.client
        await program.wait_until(lambda: client.connection.is_connected)
        before = client.connection.login.token
        await client.send_request(protocol.ChangePassword("sesame77", "another77", revoke_others=True))
        await program.wait_until(lambda: client.answer_count)
        assert client.connection.login.token != before
        await client.connection.socket.close()
        await program.wait_until(lambda: not client.connection.is_connected or client.connection.end_reason)
        await program.wait_until(lambda: client.connection.is_connected)


# --- in plain lines and on screens


@pytest.mark.parametrize("size", [(80, 24), (60, 18)])
async def test_device_word_on_the_screen(size):
    async with club() as (room, url), lobby_app(url, size=size) as screen:
        room.format_personal_invitation = lambda nick, word: (f"cardtable join club --nick {nick} --word {word}",)
        await screen.sees("Become a player here")
        await screen.choose("account", "Join on another device, too")
        await screen.choose("device", "type it in place of the code", "for 10 minutes", "--nick Anna --word")
        await screen.press("enter")
        await screen.sees_no_more("10 minutes")


async def test_change_of_password_on_the_screen(anna_with_password):
    async with club() as (_, url), joined(url, "Anna", password="sesame77") as anna:
        async with lobby_app(url, token=anna.welcome.token, size=(120, 40)) as screen:
            await screen.sees("Change your password")
            await screen.choose("change password")
            for title, typed in (
                ("What is your password?", "sesame77"),
                ("Choose a password", "another77"),
                ("Repeat the password", "another77"),
            ):
                await screen.sees(title)
                await screen.enter(typed)
            await screen.sees("Log out your other devices?")
            await screen.press("enter", "Your password is changed.")
        await enter_once(url, "Anna", password="another77")
