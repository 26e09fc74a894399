"""What strangers learn about who is known to a club: nothing without the code, and then no more than it costs."""

from contextlib import AsyncExitStack
from itertools import count

import asyncssh
import pytest

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.server.account_store import AccountObserver
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.limits import LoginError
from cardtable.store import passwords, profiles
from tests.club.account_logins import CODE, ORIGIN, log_in
from tests.club.loopback_club import Guest, club, create_host_session, joined
from tests.club.test_browser_server import browser, submit_login, web_endpoint
from tests.club.test_ssh_server import AnsweringClient, assert_denied, enter_by_ssh, forge_key_pair, ssh_endpoint

FREE = "Zoe"
TAKEN = ("Anna", "Emil", "Ida", "Bob", "Coco", "Сосо", "Mallory", "Dora", "Cleo")
"""Nicks of players with and without a password and before a change of the nick, of guests, of one who is banned, of one
who is invited, and of a seat in an unfinished session; one only looks like another.
"""
NICKS = (FREE, *TAKEN)


async def let_people_in(accounts):
    """Make people known to a club in all ways."""
    create_host_session("Cleo", "Finn")
    for nick, password in (("Anna", "sesame77"), ("Emil", ""), ("Ida", "sesame77")):
        profiles.register(nick, password=password, again=password)
    for nick in ("Bob", "Coco", "Mallory"):
        await log_in(accounts, nick, code=CODE)
    for nick in ("Anna", "Ida"):
        await log_in(accounts, nick, code=CODE, password="sesame77")
    profiles.update_profile("Ida", "Hilda", "", "")
    await accounts.administration.ban("Mallory")
    await accounts.administration.create_invitation("Dora")


class SeatOfCleo(AccountObserver):
    """A club with an unfinished session of Cleo."""

    async def has_seat(self, nick):
        return nick == "Cleo"


@pytest.fixture(autouse=True)
def many_wrong_tries(set_limit):
    set_limit("wrong_codes", number=1000)
    set_limit("wrong_passwords_of_one", number=1000)
    set_limit("wrong_passwords", number=1000)


@pytest.fixture
async def accounts():
    known = ClubAccounts(CODE, observer=SeatOfCleo())
    await let_people_in(known)
    return known


async def read_refusals(accounts, nicks, origin=None, *, is_private=True, **credentials):
    """Return the different refusals of a login under these nicks; each is from another address unless one is given."""
    refusals = set()
    for nick, number in zip(nicks, count(1), strict=False):
        with pytest.raises(LoginError) as refusal:
            await log_in(accounts, nick, origin or ConnectionOrigin(f"198.51.100.{number}", is_private), **credentials)
        error = refusal.value
        refusals.add((str(error).replace(nick, "NICK"), error.missing, error.retry_after))
    return refusals


CREDENTIALS = [
    {},
    {"code": "wrong"},
    {"code": "wrong", "password": "sesame77"},
    {"code": "abcd-efgh-jkmn-pqrs"},
    {"password": "abcd-efgh-jkmn-pqrs"},
    {"token": "guessed"},
    {"token": "guessed", "code": CODE},
    {"code": CODE, "password": "wrong"},
    {"code": CODE, "password": "abcd-efgh-jkmn-pqrs"},
]


@pytest.mark.parametrize("credentials", CREDENTIALS, ids=str)
async def test_same_refusal_for_every_nick(accounts, credentials):
    for is_private in (True, False):
        assert len(await read_refusals(accounts, NICKS, is_private=is_private, **credentials)) == 1
    assert accounts.store.find_account(FREE) is None


async def test_one_hash_for_every_nick(accounts, monkeypatch):
    hashed, is_correct = [], passwords.is_correct
    monkeypatch.setattr(
        passwords, "is_correct", lambda stored, password: hashed.append(stored.n) or is_correct(stored, password)
    )
    for nick, number in zip(NICKS, count(1), strict=False):
        origin = ConnectionOrigin(f"198.51.100.{number}")
        with pytest.raises(LoginError):
            await log_in(accounts, nick, origin, code=CODE, password="wrong")
        with pytest.raises(LoginError):
            await accounts.authenticator.sign_in(nick, "wrong", origin)
        with pytest.raises(LoginError):
            await log_in(accounts, nick, origin, code="wrong", password="sesame77")
    assert hashed == [passwords.SCRYPT_COSTS[0][0]] * 2 * len(NICKS)


async def test_that_a_nick_is_free_is_seen_only_by_taking_it(accounts):
    for is_private, missing in ((True, "password"), (False, "nick")):
        ((reason, asked, retry_after),) = await read_refusals(accounts, TAKEN, is_private=is_private, code=CODE)
        assert (reason.startswith("NICK is not free"), asked, retry_after) == (True, missing, None)
    await log_in(accounts, FREE, code=CODE)
    assert len(await read_refusals(accounts, NICKS, code=CODE)) == 1


async def test_known_nicks_cannot_be_told_once_no_new_one_is_left(accounts):
    fresh = ClubAccounts(CODE, max_new_nicks=1, observer=SeatOfCleo())
    await log_in(fresh, FREE, code=CODE)
    (refusal,) = await read_refusals(fresh, ("Yves", *TAKEN), ORIGIN, code=CODE)
    assert refusal[0].startswith("too many new nicks came from your address")


async def test_waiting_to_be_let_in_costs_a_new_nick(accounts):
    fresh = ClubAccounts(CODE, max_new_nicks=1, observer=SeatOfCleo())
    fresh.store.state.change(approval=True)
    for _ in range(2):  # the program asks again
        ((reason, *_),) = await read_refusals(fresh, [FREE], ORIGIN, code=CODE)
        assert reason.startswith("the host lets newcomers in by hand")
    (refusal,) = await read_refusals(fresh, ("Yves", *TAKEN), ORIGIN, code=CODE)
    assert refusal[0].startswith("too many new nicks came from your address")
    await fresh.administration.approve(FREE)
    await log_in(fresh, FREE, code=CODE)


async def test_nicks_in_a_mixed_alphabet_are_refused_alike(accounts):
    assert len(await read_refusals(accounts, ("Bоb", "Zоe"), code=CODE)) == 1


@pytest.mark.parametrize("login", [{}, {"code": "wrong"}, {"code": CODE}], ids=str)
async def test_same_refusal_in_a_full_club(login):
    """Neither a player's profile nor a seat at an open table shows itself."""
    async with club(code=CODE, max_guests=1) as (room, url), joined(url, "Finn", code=CODE) as finn:
        await let_people_in(room)
        await finn.send(protocol.OpenTable("rikiki", 4), until=lambda: finn.tables)
        reasons = set()
        for nick in (*NICKS, "Finn"):
            async with Guest(url, nick, **login) as stranger:
                await stranger.wait_until(
                    lambda stranger=stranger: stranger.link.end_reason or stranger.link.connection_error
                )
                reasons.add((stranger.link.end_reason or stranger.link.connection_error).replace(nick, "NICK"))
        assert len(reasons) == 1 or reasons == {
            "that is not the code of this club; ask its host",
            "too many wrong tries; try again in 10 seconds",
        }


@pytest.mark.parametrize("code", ["", "wrong", CODE])
async def test_same_questions_by_ssh(home, accounts, code):
    async with ssh_endpoint(accounts) as (_, port):
        seen = set()
        for nick in TAKEN:
            client = AnsweringClient(code, "wrong")
            await assert_denied(port, nick, client=client)
            seen.add(" ".join([*client.prompts, *client.instructions, *client.banners]).replace(nick, "NICK"))
        assert len(seen) == 1


async def find_accepted_offers(port, nick, *keys):
    """Return those of these public keys with which a host lets a client sign that has another private key only."""
    signing, pairs = [], asyncssh.load_keypairs([asyncssh.generate_private_key("ssh-ed25519")])
    for key in keys:
        pair = forge_key_pair(asyncssh.generate_private_key("ssh-ed25519"), key)
        sign = pair.sign
        pair.sign = lambda data, key=key, sign=sign: signing.append(key) or sign(data)
        pairs.append(pair)
    await assert_denied(port, nick, "wrong", keys=pairs)
    return signing


async def test_offer_of_a_key_tells_nothing_about_it(home):
    """Public keys are known to many; only who can sign with one learns that the club knows it, or has banned it."""
    accounts = ClubAccounts(CODE)
    anna_s, mallory_s, unknown = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(3))
    async with ssh_endpoint(accounts) as (_, port):
        for nick, key in (("Anna", anna_s), ("Mallory", mallory_s)):
            await enter_by_ssh(port, nick, CODE, keys=[key])
        await accounts.administration.ban("Mallory")
        for nick in ("Anna", "Mallory", FREE):
            offers = [anna_s, mallory_s, unknown]
            assert await find_accepted_offers(port, nick, *offers) == offers


@pytest.mark.parametrize("code", ["", "wrong", CODE])
async def test_same_page_in_a_browser(home, accounts, code):
    async with web_endpoint(accounts) as (url, _), AsyncExitStack() as stack:
        pages = set()
        for nick in TAKEN:
            visitor = await stack.enter_async_context(browser())
            for password in ("", "wrong"):
                status, page = await submit_login(visitor, url, nick, code, password=password)
                pages.add((password, status, page.replace(nick, "NICK")))
            port = url.rpartition(":")[2]
            async with visitor.get(url, headers={"Cookie": f"cardtable-club-{port}={nick}%20guessed"}) as answer:
                pages.add(("cookie", answer.status, (await answer.text()).replace(nick, "NICK")))
        assert len(pages) == 3
