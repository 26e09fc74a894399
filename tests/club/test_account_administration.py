"""Acts of the host on accounts: bans, mutes, revoked tokens, another code, and newcomers approved by hand."""

import asyncio
import threading
from random import Random

import asyncssh
import pytest

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin, HostedOrigin, LoginIdentity
from cardtable.club.server import accounts as account_administration
from cardtable.club.server import admission, club_file
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.admission import BanList, contains_address, parse_network
from cardtable.club.server.club_file import Ban, ClubFile, ClubState
from cardtable.club.server.limits import LoginError
from cardtable.engine.errors import CardtableError
from cardtable.store import profiles
from tests.club.account_logins import (
    CODE,
    NEIGHBOUR,
    ORIGIN,
    OTHER_ORIGIN,
    Clock,
    add_keys,
    assert_refused,
    hash_hex,
    log_in,
    make_nicks,
)
from tests.club.loopback_club import (
    club,
    create_host_session,
    enter_once,
    full_disk,
    joined,
    poll_until,
    read_refusal,
    start_table,
)
from tests.club.test_browser_server import browser, read_page, submit_login, web_endpoint
from tests.club.test_ssh_server import enter_by_ssh, ssh_endpoint

BANNED = "you are banned from this club"


# --- bans


async def test_banned_guest_is_refused_with_every_credential():
    accounts = ClubAccounts(CODE)
    _, token = await log_in(accounts, "Bob", code=CODE)
    add_keys(accounts, "Bob", "SHA256:bob")
    await accounts.administration.ban("bob")
    restarted = ClubAccounts(CODE)
    for credentials in ({"token": token}, {"password": token}):
        refusal = await assert_refused(restarted, "BOB", **credentials)
        assert (str(refusal), refusal.missing, refusal.retry_after) == (BANNED, "", None)
    with pytest.raises(LoginError, match=BANNED):
        restarted.authenticator.log_in_by_token(LoginIdentity(OTHER_ORIGIN, "Bob"), token)
    with pytest.raises(LoginError, match=BANNED):
        await restarted.authenticator.register("Bob", "sesame77", ORIGIN)
    assert profiles.find("Bob") is None
    assert "is not free" in str(await assert_refused(restarted, "BOB", code=CODE)), "as for everybody"
    assert restarted.store.bans.find(LoginIdentity(ORIGIN, credential="SHA256:bob"))
    assert not restarted.store.bans.find(LoginIdentity(ORIGIN, credential="SHA256:other"))
    assert restarted.store.bans.find(LoginIdentity(ORIGIN, credential=hash_hex(token)))
    program = HostedOrigin(OTHER_ORIGIN.address)
    await assert_refused(restarted, "Bob", program, token=restarted.authenticator.issue_hosted_token("Bob", program))
    await log_in(restarted, "Cleo", code=CODE)  # the address is not banned
    await restarted.administration.unban("Bob")
    assert (await log_in(restarted, "Bob", token=token))[0].keys == ("SHA256:bob",)


async def test_banned_player_stays_banned_under_another_nick(anna_with_password):
    accounts = ClubAccounts()
    _, token = await log_in(accounts, "Anna", password="sesame77")
    await accounts.administration.ban("Anna")
    profiles.update_profile("Anna", "Hanna", "", "")
    for credentials in ({"token": token}, {"password": "sesame77"}):
        assert str(await assert_refused(accounts, "Hanna", **credentials)) == BANNED
    with pytest.raises(LoginError, match=BANNED):
        await accounts.authenticator.sign_in("Hanna", "sesame77", ORIGIN)
    profiles.remove("Hanna", "sesame77")
    profiles.register("Anna", password="sesame77", again="sesame77")  # registered anew
    assert str(await assert_refused(accounts, "Anna", password="sesame77")) == BANNED


async def test_nick_stays_banned_after_account_is_forgotten():
    accounts = ClubAccounts()
    await log_in(accounts, "Bob")
    await accounts.administration.ban("Bob")
    await accounts.administration.forget("Bob")
    assert "is not free" in str(await assert_refused(accounts, "Bob"))


async def test_ban_of_address_with_and_without_person():
    accounts = ClubAccounts()
    _, token = await log_in(accounts, "Bob")
    await accounts.administration.ban("Bob", networks=["192.0.2.1"])
    await accounts.administration.ban_network("2001:db8:7:1::99")
    for address in ("192.0.2.1", "::ffff:192.0.2.1", "2001:db8:7:1:ffff::1"):
        assert str(await assert_refused(accounts, "Cleo", ConnectionOrigin(address))) == BANNED
    await log_in(accounts, "Cleo", NEIGHBOUR)
    await log_in(accounts, "Dora", ConnectionOrigin("2001:db8:7:2::1"))
    assert [ban.networks for ban in accounts.store.bans.bans] == [("192.0.2.1/32",), ("2001:db8:7:1::/64",)]
    await accounts.administration.unban("2001:db8:7:1::5")
    await accounts.administration.unban("Bob")
    await log_in(accounts, "Bob", token=token)


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("192.0.2.7", "192.0.2.7/32"),
        (" 192.0.2.7/24 ", "192.0.2.0/24"),
        ("::ffff:192.0.2.7", "192.0.2.7/32"),
        ("2001:db8::7", "2001:db8::/64"),
        ("2001:db8::7/128", "2001:db8::/64"),
        ("2001:db8::/32", "2001:db8::/32"),
    ],
)
def test_banned_network_is_normalised(text, network):
    assert parse_network(text) == network


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "127.1.2.0/24", "::1", "::1/128", "0.0.0.0/0", "::/0", "::ffff:127.0.0.1", "Bob", "", "1"]
)
def test_network_that_cannot_be_banned(text):
    with pytest.raises(CardtableError, match=r"is no address|cannot be banned") as error:
        parse_network(text)
    assert "\n" not in error.value.reason


async def test_own_address_and_proxy_cannot_be_banned():
    accounts = ClubAccounts()
    accounts.store.bans.own_networks = ("localhost", "192.0.2.7", "2001:db8:1::/48")
    await log_in(accounts, "Bob")
    own_networks = (
        accounts.administration.ban("Bob", networks=["192.0.2.0/24"]),
        accounts.administration.ban_network("2001:db8:1:5::1"),
    )
    for ban in own_networks:
        with pytest.raises(CardtableError, match="which is this machine or its proxy, and cannot be banned"):
            await ban
    assert accounts.store.bans.bans == ()


def test_banned_network_contains_exactly_its_addresses():
    rng = Random(5)
    for _ in range(300):
        bits = rng.randrange(1, 33)
        address, other = rng.randrange(2**24 * 128, 2**32), rng.randrange(2**32)
        network = parse_network(f"{_dotted(address)}/{bits}")
        assert contains_address(network, _dotted(address))
        assert contains_address(network, f"::ffff:{_dotted(other)}") == (address >> (32 - bits) == other >> (32 - bits))


def _dotted(address):
    return ".".join(map(str, address.to_bytes(4, "big")))


async def test_ban_ends_by_itself():
    accounts = ClubAccounts(clock=(clock := Clock()))
    _, token = await log_in(accounts, "Bob")
    await accounts.administration.ban("Bob", clock.now + 3600)
    await accounts.administration.mute("Bob", clock.now + 3600)
    assert str(await assert_refused(accounts, "Bob", token=token)).startswith(f"{BANNED} until 2001-09-09 ")
    with pytest.raises(CardtableError, match="the end must be in the future"):
        await accounts.administration.ban("Bob", clock.now)
    clock.now += 3600
    await log_in(accounts, "Bob", token=token)
    await accounts.store.save_pending()
    assert not accounts.store.is_muted("Bob")
    assert (accounts.store.bans.bans, accounts.store.bans.mutes) == ((), ())
    await accounts.store.save_all()
    assert b'"bans"' not in club_file.paths.club_file().read_bytes()


async def test_longest_ban_is_reported():
    stored = Ban("Bob", 2000), Ban(networks=("192.0.2.0/24",)), Ban(networks=("192.0.2.1/32",), until=9)
    bans = BanList(ClubState(ClubFile(bans=stored), "", lambda: 5.0), ())
    assert bans.find(LoginIdentity(ORIGIN, "Bob")).until == 0
    assert bans.find(LoginIdentity(ConnectionOrigin(), "Bob")).until == 2000


async def test_ban_during_a_login_takes_effect():
    """A person who is banned between the check of the credentials and the welcome does not get in."""
    async with club() as (room, url):
        await enter_once(url, "Bob")
        person = room.accounts.find_returning_account("Bob")
        await room.administration.ban("Bob")
        with pytest.raises(LoginError, match=BANNED):
            room.add_client(person, "", ORIGIN)


async def test_token_revoked_during_a_login_takes_effect():
    async with club() as (room, url):
        token = (await enter_once(url, "Bob")).welcome.token
        accounts = room.accounts
        save_pending = accounts.save_pending

        async def revoke_and_save():
            accounts.save_pending = save_pending
            await room.administration.revoke_tokens("Bob")

        accounts.save_pending = revoke_and_save
        assert "does not know you" in await read_refusal(url, "Bob", token=token)


async def test_banned_ssh_key_does_not_return_under_another_nick(home):
    accounts, key = ClubAccounts(CODE), asyncssh.generate_private_key("ssh-ed25519")
    async with ssh_endpoint(accounts) as (_, port):
        await enter_by_ssh(port, "Bob", CODE, keys=[key])
        await accounts.administration.ban("Bob")
        for nick in ("Bob", "Cleo"):
            with pytest.raises(asyncssh.DisconnectError, match=BANNED):
                await enter_by_ssh(port, nick, CODE, keys=[key])
        await enter_by_ssh(port, "Dora", CODE)
        accounts.store.bans.add(Ban(networks=("127.0.0.0/8",)))
        with pytest.raises(asyncssh.DisconnectError, match=BANNED):
            await enter_by_ssh(port, "Eric", CODE)


async def test_banned_browser_is_refused(home):
    accounts = ClubAccounts(CODE)
    async with web_endpoint(accounts) as (url, _), browser() as anna, browser() as other:
        await submit_login(anna, url)
        await accounts.administration.ban("Anna")
        status, page = await read_page(anna, url)
        assert (status, BANNED in page) == (403, True)
        assert (await submit_login(other, url, "Bob"))[0] == 303
        accounts.store.bans.add(Ban(networks=("127.0.0.0/8", "::1/128")))
        for path in ("", "/?anew"):
            status, page = await read_page(other, url + path)
            assert (status, BANNED in page) == (403, True)
        assert BANNED in (await submit_login(other, url, "Cleo"))[1]


# --- mutes, tokens, code


@pytest.mark.parametrize("login", ["token", "password"])
async def test_renamed_player_stays_muted(login, anna_with_password):
    accounts = ClubAccounts()
    _, token = await log_in(accounts, "Anna", password="sesame77")
    await accounts.administration.mute("Anna")
    profiles.update_profile("Anna", "Hanna", "", "")
    await log_in(accounts, "Hanna", **{login: {"token": token, "password": "sesame77"}[login]})
    assert accounts.store.is_muted("Hanna")
    await accounts.administration.unmute("Hanna")


async def test_mute_is_stored_until_it_is_ended():
    accounts = ClubAccounts()
    await log_in(accounts, "Bob")
    await accounts.administration.mute("bob")
    await accounts.administration.mute("BOB")
    assert [each.nick for each in ClubAccounts().store.bans.mutes] == ["Bob"]
    await accounts.administration.unmute("Bob")
    assert not ClubAccounts().store.is_muted("Bob")


async def test_revoked_tokens(anna_with_password):
    """A player comes back by password, a guest by invitation only."""
    accounts = ClubAccounts()
    logins = {"Anna": {"password": "sesame77"}, "Bob": {}}
    tokens = {nick: (await log_in(accounts, nick, **login))[1] for nick, login in logins.items()}
    for nick in tokens:
        add_keys(accounts, nick, f"SHA256:{nick}")
    await accounts.administration.create_device_word("Bob")
    assert [await accounts.administration.revoke_tokens(nick) for nick in ("Anna", "bob")] == [False, True]
    assert accounts.store.invitations.invitations == ()
    for nick, token in tokens.items():
        await assert_refused(accounts, nick, token=token)
        assert ClubAccounts().store.find_returning_account(nick).keys == ()
    await log_in(accounts, "Anna", password="sesame77")
    await assert_refused(accounts, "Bob")
    word = await accounts.administration.create_invitation("Bob")
    await log_in(accounts, "Bob", code=word)


async def test_code_that_is_removed_is_remembered():
    accounts = ClubAccounts(CODE)
    new = await accounts.administration.change_code()
    assert (accounts.store.code, club_file.read_club_file().code, len(new)) == (new, new, 8)
    await accounts.administration.change_code("")
    await log_in(accounts, "Dora")
    assert club_file.read_club_file().code == new


async def test_code_for_everybody_is_needed_once_for_each_device():
    accounts = ClubAccounts(CODE)
    tokens = {nick: (await log_in(accounts, nick, code=CODE))[1] for nick in ("Anna", "Bob", "Emil")}
    _, second = await log_in(accounts, "Bob", code=await accounts.administration.create_invitation("Bob"))
    word = await accounts.administration.create_invitation("Bob")
    assert await accounts.administration.change_code("another1", everybody=True, except_nicks=["anna"]) == "another1"
    accounts = ClubAccounts("another1")
    await log_in(accounts, "Anna", token=tokens["Anna"])
    refusal = await assert_refused(accounts, "Bob", token=tokens["Bob"])
    assert (str(refusal), refusal.missing) == ("the club has a new code; ask its host for it", "code")
    assert (await assert_refused(accounts, "Bob", token=tokens["Bob"], code=CODE)).missing == "code"
    await assert_refused(accounts, "Bob", code=word)
    await log_in(accounts, "Bob", token=tokens["Bob"], code="another1")
    await accounts.store.save_pending()
    accounts = ClubAccounts("another1")
    await log_in(accounts, "Bob", token=tokens["Bob"])
    await assert_refused(accounts, "Bob", token=second)
    for known in ({"token": second}, {}):  # the code alone is not enough for a known nick
        await assert_refused(accounts, "Emil", code="another1", **known)


async def test_wrong_new_codes_of_known_people_are_counted():
    accounts = ClubAccounts(CODE)
    _, token = await log_in(accounts, "Bob", code=CODE)
    await accounts.administration.change_code(everybody=True)
    refusals = [await assert_refused(accounts, "Bob", token=token, code="wrong") for _ in range(6)]
    assert refusals[-1].retry_after


# --- approval


async def test_approval_is_good_from_one_address_only():
    accounts = ClubAccounts(clock=(clock := Clock()))
    await accounts.administration.change_settings(approval=True)
    for origin in (ORIGIN, OTHER_ORIGIN):
        await assert_refused(accounts, "Bob", origin)
    with pytest.raises(CardtableError, match="several wait to be let in as Bob, from "):
        await accounts.administration.approve("Bob")
    await accounts.administration.approve("Bob", ORIGIN.address)
    accounts = ClubAccounts(clock=clock)  # a restart
    await assert_refused(accounts, "Bob", OTHER_ORIGIN)
    assert (await assert_refused(accounts, "Bob", NEIGHBOUR)).retry_after == admission.NEWCOMER_RETRY_SECONDS
    await assert_refused(accounts, "Bobby")
    await log_in(accounts, "Bob")
    clock.now += admission.NEWCOMER_WAIT_SECONDS + 1
    assert accounts.store.newcomers.waiting == ()
    with pytest.raises(CardtableError, match="nobody waits to be let in as Bob"):
        await accounts.administration.approve("Bob")


async def test_one_network_cannot_push_out_all_waiting_newcomers(monkeypatch):
    monkeypatch.setattr(admission, "MAX_NEWCOMERS", 12)
    accounts = ClubAccounts()
    await accounts.administration.change_settings(approval=True)
    await assert_refused(accounts, "Anna", OTHER_ORIGIN)
    refusals = [await assert_refused(accounts, nick) for nick in make_nicks("E", 10)]
    assert str(refusals[-1]) == "8 newcomers from your address wait to be let in; wait"
    for number, nick in enumerate(make_nicks("F", 20)):
        await assert_refused(accounts, nick, ConnectionOrigin(f"192.0.2.{number + 10}"))
    assert len(accounts.store.newcomers.waiting) == 12
    assert accounts.store.newcomers.waiting[0].nick == "Anna"


# --- the disk


async def test_act_that_cannot_be_saved_is_undone():
    accounts = ClubAccounts(CODE)
    host, store = accounts.administration, accounts.store
    for nick in ("Anna", "Bob", "Cleo"):
        await log_in(accounts, nick, code=CODE)
        for act in (host.ban(nick), host.mute(nick), host.create_invitation(nick)):
            await act
    word = await host.create_invitation("Dora")
    await host.change_settings(approval=True)
    await assert_refused(accounts, "Eric", code=CODE)

    def read_all():
        return (
            store.state.contents,
            sorted(store.accounts, key=str),
            store.newcomers.waiting,
            store.code,
            club_file.read_club_file(),
        )

    before = read_all()
    acts = [
        host.ban("Bob", store.clock() + 60), host.ban_network("192.0.2.1"), host.unban("Anna"),
        host.mute("Anna", store.clock() + 60), host.unmute("Bob"), host.revoke_tokens("Bob"),
        host.change_code("another1", everybody=True), host.change_settings(approval=False), host.approve("Eric"),
        host.reject("Eric"), host.create_invitation("Fred"), host.create_invitation("Bob"),
        host.withdraw_invitation("Anna"), host.create_device_word("Bob"), host.forget("Bob"),
    ]  # fmt: skip
    with full_disk():
        for act in acts:
            with pytest.raises(CardtableError, match="the disk is full"):
                await act
            assert read_all() == before
        with pytest.raises(LoginError, match="the disk is full"):
            await accounts.authenticator.log_in(LoginIdentity(ORIGIN, "Dora"), code=word)
        assert read_all() == before


async def test_cancelled_act_is_still_saved():
    accounts = ClubAccounts()
    await log_in(accounts, "Bob")
    task = asyncio.create_task(accounts.administration.ban("Bob"))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert ClubAccounts().store.bans.find(LoginIdentity(ORIGIN, "Bob"))


# --- erasing


async def test_erase_a_member_of_the_open_club(anna_with_password):
    """Profile, account, name and chat disappear; the others can go on with the session."""
    async with club() as (room, url):
        async with joined(url, "Anna", password="sesame77") as anna, joined(url, "Bob") as bob:
            table = await start_table(anna, bob)
            await anna.send(protocol.Say("I am Anna", table))
            await bob.wait_until(lambda: any("I am" in str(note) for note in bob.notes))
            await room.administration.mute("Anna")
            with pytest.raises(CardtableError, match="Anna is here; end their visit first"):
                await room.erase("anna")
        token = anna.welcome.token
        await poll_until(lambda: room.present_nicks == () and not room.table_manager.registry.list_lobby_tables())
        result = await room.erase("anna")
        assert (result.name, result.sessions, result.unchanged_files) == ("Erased 1", (table,), ())
        assert [each.master for each in club_file.read_club_file().tables] == ["Erased 1"]
        for file in club_file.paths.home().rglob("*"):
            if file.is_file():
                assert b"Anna" not in file.read_bytes(), file
        assert "does not know you" in await read_refusal(url, "Anna", token=token)
        async with joined(url, "Bob", token=bob.welcome.token) as bob:
            await bob.send(protocol.AskUnfinished())
            await bob.sit_down(table)
            assert [info.name for info in bob.seats][:2] == ["Erased 1", "Bob"]
        async with joined(url, "Anna"):  # anybody may take the nick
            pass
    with pytest.raises(CardtableError, match="nobody called Cleo"):
        await ClubAccounts().administration.erase("Cleo")


async def test_erase_while_the_club_is_closed(anna_with_password):
    accounts = ClubAccounts()
    _, token = await log_in(accounts, "Anna", password="sesame77")
    await accounts.administration.create_invitation("Anna")
    profiles.update_profile("Anna", "Hanna", "", "")
    session = create_host_session("Hanna", "Bob")
    await ClubAccounts().administration.erase("Hanna")
    text = club_file.paths.club_file().read_text("utf-8")
    assert profiles.find("Hanna") is None
    assert not any(nick in text for nick in ("Anna", "Hanna", hash_hex(token)))
    assert b"Hanna" not in (club_file.paths.sessions_folder() / f"{session}.jsonl").read_bytes()
    await assert_refused(ClubAccounts(), "Hanna", token=token)
    assert (await ClubAccounts().administration.erase("Bob")).sessions == (session,)  # known by the session only


async def test_person_at_a_table_in_play_is_not_erased():
    async with club() as (room, url), joined(url, "Bob") as bob:
        async with joined(url, "Cleo") as cleo:
            table = await start_table(bob, cleo)
        await bob.wait_until(lambda: bob.update.absences)
        with pytest.raises(CardtableError, match=f"Cleo has a seat at the table {table}; close the table first"):
            await room.erase("Cleo")
        assert room.accounts.find_returning_account("Cleo")


async def test_nobody_logs_in_during_an_erasure(monkeypatch):
    accounts, may_end, begun = ClubAccounts(), threading.Event(), asyncio.Event()
    _, token = await log_in(accounts, "Bob")
    erase_sessions, loop = account_administration.erase_sessions, asyncio.get_running_loop()

    def wait_and_erase(nick):
        loop.call_soon_threadsafe(begun.set)
        may_end.wait(10)
        return erase_sessions(nick)

    monkeypatch.setattr(account_administration, "erase_sessions", wait_and_erase)
    erasing = asyncio.create_task(accounts.administration.erase("Bob"))
    await begun.wait()
    with pytest.raises(LoginError, match="your data is being erased"):
        accounts.store.check_ban(accounts.store.find_returning_account("Bob"), ORIGIN)
    may_end.set()
    await erasing
    await assert_refused(accounts, "Bob", token=token)
    await log_in(accounts, "Bob")


async def test_failed_erasure_can_be_repeated():
    accounts = ClubAccounts()
    _, token = await log_in(accounts, "Bob")
    session = create_host_session("Bob", "Cleo")
    with full_disk(), pytest.raises(CardtableError, match="the disk is full"):
        await accounts.administration.erase("Bob")
    await log_in(accounts, "Bob", token=token)
    assert (await accounts.administration.erase("Bob")).sessions == (session,)
    assert accounts.store.find_returning_account("Bob") is None
