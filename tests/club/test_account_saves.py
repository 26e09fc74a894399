"""Accounts of a club that cannot be saved, or are changed during a save."""

import asyncio

import pytest

from cardtable.club.addresses import LoginIdentity
from cardtable.club.server import authenticator, club_file
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.limits import HOUR, LoginError
from cardtable.engine.errors import CardtableError
from cardtable.store import paths
from tests.club.account_logins import (
    BY_SSH,
    NEIGHBOUR,
    ORIGIN,
    Clock,
    ControlledSaves,
    assert_refused,
    hash_hex,
    log_in,
    start_login,
)
from tests.club.loopback_club import poll_until


@pytest.fixture
def controlled_saves(monkeypatch):
    return ControlledSaves(monkeypatch)


@pytest.mark.parametrize("later", [30, HOUR + 1])
async def test_failed_save_uncounts_only_its_own_nick(controlled_saves, later):
    accounts = ClubAccounts(max_new_nicks=1 if later > HOUR else 2, clock=(clock := Clock()))
    anna = await start_login(accounts, "Anna")
    clock.now += later
    bob = await start_login(accounts, "Bob")
    controlled_saves.finish("fails", "works")
    with pytest.raises(LoginError, match="the disk is full"):
        await anna
    await bob
    clock.now += HOUR - 1
    controlled_saves.finish("works")
    if later < HOUR:
        await log_in(accounts, "Cleo")
    assert "too many new nicks" in str(await assert_refused(accounts, "Dora"))


async def test_save_of_new_nick_fails_after_an_hour(controlled_saves):
    accounts = ClubAccounts(clock=(clock := Clock()))
    anna = await start_login(accounts, "Anna")
    clock.now += HOUR + 1
    bob = await start_login(accounts, "Bob", NEIGHBOUR)
    controlled_saves.finish("fails", "works", "works")
    with pytest.raises(LoginError, match="the disk is full"):
        await anna
    await bob
    await log_in(accounts, "Anna", NEIGHBOUR)


@pytest.mark.parametrize("results", [("fails", "fails"), ("fails", "works"), ("works", "works")])
async def test_unsaved_token_is_unknown(controlled_saves, results, anna_with_password):
    """The other tokens of the player stay valid."""
    accounts, tokens = ClubAccounts(), []
    for _ in range(authenticator.MAX_TOKENS):
        controlled_saves.finish("works")
        tokens.append((await log_in(accounts, "Anna", password="sesame77"))[1])
    first = asyncio.create_task(log_in(accounts, "Anna", password="sesame77"))
    await poll_until(lambda: accounts.store._change_count == authenticator.MAX_TOKENS + 1)
    second = asyncio.create_task(log_in(accounts, "Anna", NEIGHBOUR, password="sesame77"))
    await poll_until(lambda: accounts.store._change_count == authenticator.MAX_TOKENS + 2)
    controlled_saves.finish(*results)
    ends = await asyncio.gather(first, second, return_exceptions=True)
    new = [end[1] for end in ends if not isinstance(end, LoginError)]
    assert len(new) == results.count("works")
    known = accounts.store.find_returning_account("Anna").tokens
    assert len(known) == authenticator.MAX_TOKENS
    assert {hash_hex(token) for token in new} == {*known} - {hash_hex(token) for token in tokens}
    controlled_saves.finish("works")
    await accounts.store.save_all(())
    assert {*ClubAccounts().store.find_returning_account("Anna").tokens} == {*known}


async def test_failed_save_without_new_token_keeps_the_others(controlled_saves, anna_with_password):
    """A player who enters by ssh with a password gets no token."""
    accounts = ClubAccounts()
    controlled_saves.finish("works", "fails", "works")
    _, token = await log_in(accounts, "Anna", password="sesame77")
    with pytest.raises(LoginError, match="the disk is full"):
        await log_in(accounts, "Anna", BY_SSH, password="sesame77")
    assert accounts.authenticator.log_in_by_token(LoginIdentity(ORIGIN, "Anna"), token).nick == "Anna"
    await accounts.store.save_all(())
    assert ClubAccounts().authenticator.log_in_by_token(LoginIdentity(ORIGIN, "Anna"), token).nick == "Anna"


async def test_second_first_login_survives_failed_save(controlled_saves, anna_with_password):
    accounts = ClubAccounts()
    first = asyncio.create_task(log_in(accounts, "Anna", password="sesame77"))
    await poll_until(lambda: accounts.store._change_count == 1)
    second = asyncio.create_task(log_in(accounts, "Anna", NEIGHBOUR, password="sesame77"))
    await poll_until(lambda: accounts.store._change_count == 2)
    controlled_saves.finish("fails", "works")
    with pytest.raises(LoginError):
        await first
    _, token = await second
    await log_in(accounts, "Anna", token=token)
    await log_in(ClubAccounts(), "Anna", token=token)


async def test_ssh_key_unknown_if_it_cannot_be_saved(controlled_saves):
    """A newcomer stays one, and the return word of a guest is enough."""
    accounts = ClubAccounts()
    controlled_saves.finish("works", "fails", "fails")
    _, word = await log_in(accounts, "Bob", BY_SSH)
    with pytest.raises(LoginError, match="the disk is full"):
        await accounts.authenticator.log_in(LoginIdentity(BY_SSH, "Anna", credential="SHA256:x"))
    assert accounts.store.find_returning_account("Anna") is None
    await accounts.authenticator.log_in(LoginIdentity(BY_SSH, "Bob", credential="SHA256:x"), code=word)
    assert [each.keys for each in ClubAccounts().store.accounts] == [()]
    controlled_saves.finish("works")
    await log_in(accounts, "Anna", NEIGHBOUR)
    assert ClubAccounts().store.find_returning_account("Bob").keys == ("SHA256:x",)


async def test_failed_act_keeps_those_that_follow(controlled_saves):
    """The failed act is not on the disk either, although the next one was asked for before it failed."""
    accounts = ClubAccounts()
    host = accounts.administration
    controlled_saves.finish(*["works"] * 4)
    for nick in ("Anna", "Bob"):
        await log_in(accounts, nick)
        await host.ban(nick)
    acts = [asyncio.create_task(act) for act in (host.unban("Anna"), host.mute("Bob"), host.ban_network("192.0.2.1"))]
    await asyncio.sleep(0)
    controlled_saves.finish("fails", "works")
    refused, *_ = await asyncio.gather(*acts, return_exceptions=True)
    assert isinstance(refused, CardtableError)
    for known in (accounts, ClubAccounts()):
        assert [ban.nick for ban in known.store.bans.bans] == ["Anna", "Bob", ""]
        assert known.store.is_muted("Bob")


async def test_forget_person_during_a_save(controlled_saves):
    accounts = ClubAccounts()
    controlled_saves.finish("works")
    await log_in(accounts, "Anna")
    bob = await start_login(accounts, "Bob")
    forgetting = asyncio.create_task(accounts.administration.forget("Anna"))
    controlled_saves.finish("works", "works")
    await asyncio.gather(bob, forgetting)
    assert [person.nick for person in club_file.read_club_file().people] == ["Bob"]
    assert accounts.store.find_returning_account("Anna") is None


async def test_nobody_is_forgotten_if_the_club_file_is_lost():
    accounts = ClubAccounts()
    await log_in(accounts, "Anna")
    paths.club_file().unlink()
    await log_in(accounts, "Bob")
    assert [person.nick for person in club_file.read_club_file().people] == ["Anna", "Bob"]


async def test_reports_home_lock_that_cannot_be_opened(home):
    """The error has no path."""
    accounts = ClubAccounts()
    await log_in(accounts, "Anna")
    (home / "home.lock").unlink(missing_ok=True)
    (home / "home.lock").mkdir()
    with pytest.raises(CardtableError, match="the club's host cannot save: ") as refusal:
        await accounts.store.save_all(())
    assert str(home) not in str(refusal.value)


@pytest.mark.parametrize("credential", ["", "SHA256:x"])
async def test_newcomer_who_leaves_during_the_save_keeps_the_nick_only_with_a_key(controlled_saves, credential):
    """Nobody has learnt the return word of the others."""
    accounts = ClubAccounts()
    login = asyncio.create_task(accounts.authenticator.log_in(LoginIdentity(BY_SSH, "Anna", credential=credential)))
    await poll_until(lambda: accounts.store.find_account("Anna"))
    login.cancel()
    controlled_saves.finish("works", "works")
    with pytest.raises(asyncio.CancelledError):
        await login
    assert bool(accounts.store.find_account("Anna")) == bool(credential)
    await accounts.store.save_pending()
    assert bool(ClubAccounts().store.find_account("Anna")) == bool(credential)


async def test_host_need_not_let_in_again_who_left_during_the_save(controlled_saves):
    """An approval and an invitation stay good, those of a known guest for another device, too."""
    accounts = ClubAccounts()
    host = accounts.administration
    controlled_saves.finish(*["works"] * 5)
    await log_in(accounts, "Cleo")
    await host.set_requires_approval(True)
    await assert_refused(accounts, "Anna")
    await host.approve("Anna")
    words = {nick: await host.create_invitation(nick) for nick in ("Bob", "Cleo")}
    known = [*accounts.store.accounts]
    for nick in ("Anna", "Bob", "Cleo"):
        login = await start_login(accounts, nick, code=words.get(nick, ""))
        await poll_until(lambda: [*accounts.store.accounts] != known)
        login.cancel()
        controlled_saves.finish("works")
        with pytest.raises(asyncio.CancelledError):
            await login
        assert [*accounts.store.accounts] == known
    controlled_saves.finish(*["works"] * 4)
    await accounts.store.save_pending()
    for nick in ("Anna", "Bob", "Cleo"):
        await log_in(accounts, nick, code=words.get(nick, ""))
