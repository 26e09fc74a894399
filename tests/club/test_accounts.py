"""Accounts of a club: players, tokens, nicks that are taken or freed, and accounts that cannot be saved."""

import asyncio
import json
from random import Random

import msgspec
import pytest

from cardtable.club import protocol
from cardtable.club.addresses import LoginIdentity
from cardtable.club.server import account_store, authenticator, club_file
from cardtable.club.server.accounts import ClubAccounts, get_owner_token
from cardtable.club.server.limits import HOUR, LoginError
from cardtable.engine.errors import CardtableError
from cardtable.store import passwords, paths, profiles
from tests.club.account_logins import (
    BY_SSH,
    CODE,
    NEIGHBOUR,
    ORIGIN,
    Clock,
    ControlledSaves,
    assert_refused,
    hash_hex,
    log_in,
    start_login,
    wait_for_changes,
)
from tests.club.bad_lines import FaultyProxy
from tests.club.loopback_club import Guest, club, joined, poll_until, start_table


@pytest.mark.parametrize(
    ("player", "nick"),
    [("Anna", "Anna"), ("Anna", "ANNA"), ("Anna", "Ａｎｎａ"), ("ßeta", "Sseta"), ("ǅemal", "ǄEMAL")],
)
async def test_player_without_password_is_refused(player, nick):
    profiles.register(player)
    accounts = ClubAccounts(CODE)
    refusal = await assert_refused(accounts, nick, code=CODE)
    assert "is not free" in str(refusal)
    await assert_refused(accounts, nick, code=CODE, password="anything")
    profiles.set_password(player, "", "sesame77", "sesame77")
    person, _ = await log_in(accounts, nick, code=CODE, password="sesame77")
    assert (person.nick, person.is_member) == (player, True)


@pytest.mark.parametrize("typed", ["irem", "IREM", "ırem", "i\u0307rem"])
async def test_dots_of_a_typed_nick_do_not_matter(typed):
    profiles.register("İrem", password="sesame77", again="sesame77")
    accounts = ClubAccounts()
    assert "İrem is not free" in str(await assert_refused(accounts, typed))
    person, token = await log_in(accounts, typed, password="sesame77")
    assert (person.nick, person.is_member) == ("İrem", True)
    assert (await log_in(accounts, typed, token=token))[0].nick == "İrem"
    _, token = await log_in(accounts, "İlkay")
    assert "İlkay is not free" in str(await assert_refused(accounts, "ilkay"))
    assert (await log_in(accounts, "ilkay", token=token))[0].nick == "İlkay"


async def test_known_nicks_that_differ_in_dots_stay_apart():
    profiles.register("İrem", password="sesame77", again="sesame77")
    people = (club_file.KnownGuest("Irem"), club_file.KnownGuest("İlkay"), club_file.KnownGuest("Ilkay"))
    club_file.update_club_file(lambda _: club_file.ClubFile(people=people))
    accounts = ClubAccounts()
    assert [accounts.store.find_person(nick).nick for nick in ("İrem", "Irem", "Ilkay", "İlkay")] == [
        "İrem", "Irem", "Ilkay", "İlkay"
    ]  # fmt: skip
    assert not accounts.store.find_person("Irem").is_member
    assert "Irem is not free" in str(await assert_refused(accounts, "Irem"))
    await accounts.administration.forget("Ilkay")
    await accounts.administration.erase("Irem")
    assert [person.nick for person in club_file.read_club_file().people] == ["İlkay"]
    assert profiles.find("İrem") is not None


@pytest.mark.parametrize("nick", ["Anna", "Tom"])
async def test_all_logins_fail_while_profiles_are_unreadable(nick, anna_with_password):
    """No nick of a player is free meanwhile, and logins work again once the file can be read."""
    accounts = ClubAccounts()
    _, token = await log_in(accounts, "Coco")
    whole = paths.profiles_file().read_bytes()
    paths.profiles_file().write_bytes(b"{")
    for credentials in ({}, {"password": "sesame77"}, {"token": token}):
        refusal = await assert_refused(accounts, nick, **credentials)
        assert str(refusal) == "the host cannot read its list of players; try again later"
        assert refusal.retry_after
    assert accounts.store.find_returning_account(nick) is None
    with pytest.raises(LoginError, match="cannot read"):
        await accounts.authenticator.sign_in(nick, "sesame77", ORIGIN)
    with pytest.raises(LoginError, match="cannot read"):
        await accounts.authenticator.register("Coco", "sesame77", ORIGIN)
    paths.profiles_file().write_bytes(whole)
    await log_in(accounts, "Anna", password="sesame77")


async def test_owner_token_replaces_a_missing_password():
    profiles.register("Anna")
    profiles.register("Bob", password="sesame77", again="sesame77")
    accounts = ClubAccounts(CODE)
    await accounts.store.save_all()
    token = club_file.read_club_file().owner_token
    assert (await log_in(accounts, "Anna", token=token))[0].nick == "Anna"
    assert (get_owner_token("Anna", token), get_owner_token("Bob", token)) == (token, "")
    await assert_refused(accounts, "Bob", token=token)
    await assert_refused(accounts, "Cleo", token=token)
    await assert_refused(accounts, "Anna", token=token + "x")
    profiles.set_password("Anna", "", "sesame77", "sesame77")
    await assert_refused(accounts, "Anna", token=token)


async def test_token_belongs_to_profile_not_to_nick(anna_with_password):
    accounts = ClubAccounts()
    _, token = await log_in(accounts, "Anna", password="sesame77")
    profiles.update_profile("Anna", "Hanna", "", "")
    assert (await log_in(accounts, "Hanna", token=token))[0].nick == "Hanna"
    profiles.register("Anna", password="other777", again="other777")
    await assert_refused(accounts, "Anna", token=token)
    person, other = await log_in(accounts, "Anna", password="other777")
    assert person.tokens == (hash_hex(other),)
    profiles.remove("Hanna", "sesame77")
    await assert_refused(accounts, "Hanna", token=token)
    profiles.remove_password("Anna", "other777")
    await assert_refused(accounts, "Anna", token=other)


async def test_devices_of_a_renamed_player_log_in_under_the_former_nick(anna_with_password):
    """Each device uses the former nick once: the welcome tells it the present one."""
    accounts = ClubAccounts()
    tokens = [(await log_in(accounts, "Anna", password="sesame77"))[1] for _ in range(2)]
    profiles.update_profile("Anna", "Hanna", "", "")
    for token in tokens:
        assert (await log_in(accounts, "Anna", token=token))[0].nick == "Hanna"
    await assert_refused(accounts, "Anna", token="another")
    await accounts.administration.forget("Hanna")
    for nick in ("Anna", "Hanna"):
        await assert_refused(accounts, nick, token=tokens[0])
    await log_in(accounts, "Hanna", password="sesame77")


async def test_former_nick_of_a_player_stays_reserved(anna_with_password):
    accounts = ClubAccounts()
    _, token = await log_in(accounts, "Anna", password="sesame77")
    profiles.update_profile("Anna", "Hanna", "", "")
    assert "is not free" in str(await assert_refused(accounts, "Anna"))
    await log_in(accounts, "Hanna", password="sesame77")
    assert "is not free" in str(await assert_refused(ClubAccounts(), "Anna"))
    assert (await log_in(accounts, "Anna", token=token))[0].nick == "Hanna"


@pytest.mark.parametrize(
    ("nick", "message"),
    [
        ("Аnna", "use letters of one alphabet in a nick"),
        ("Annα", "use letters of one alphabet in a nick"),
        ("Сосо", "Сосо is not free"),
        ("BiIl", "BiIl is not free"),
        ("ЕVA", "use letters of one alphabet in a nick"),
    ],
)
async def test_rejects_nick_that_looks_like_another(nick, message):
    """Neither the nick of a guest nor that of a player of the host can be imitated."""
    profiles.register("Bill")
    accounts = ClubAccounts()
    for known in ("Anna", "Coco"):
        await log_in(accounts, known)
    refusal = await assert_refused(accounts, nick)
    assert str(refusal).startswith(message)
    assert accounts.store.find_returning_account(nick) is None


async def test_existing_mixed_alphabet_nicks_stay_valid(home):
    """Guests and players with such nicks can log in, and a guest can register."""
    people = [
        {"nick": nick, "player": "", "tokens": [protocol.hash_token("token").hex()]}
        for nick in ("Аnna", "Coco", "Сосо")
    ]
    paths.create_folder(paths.home())
    paths.club_file().write_text(json.dumps({"club": 2, "people": people}))
    players = [{"nick": "Вob", "id": "0123456789abcdef", "password": passwords.hash_password("sesame77")}]
    paths.profiles_file().write_bytes(msgspec.json.encode({"profiles": 2, "players": players}))
    accounts = ClubAccounts()
    for nick in ("Аnna", "Coco", "Сосо"):
        await log_in(accounts, nick, token="token")
    await log_in(accounts, "Вob", password="sesame77")
    await accounts.authenticator.register("Аnna", "sesame77", ORIGIN)
    assert profiles.find("Аnna")
    profiles.update_profile("Вob", "Вob", "Robert", "")
    assert profiles.find("Вob").name == "Robert"


async def test_unused_nick_is_freed_after_a_week():
    class WithCleo(account_store.AccountObserver):
        present_nicks = ("Cleo",)

    accounts = ClubAccounts(clock=(clock := Clock()), observer=WithCleo())
    for nick in ("Anna", "Bob", "Cleo", "Dora"):
        await log_in(accounts, nick)
    accounts.store.mark_played(["bob"])
    _, token = await log_in(accounts, "Eric")
    clock.now += account_store.GUEST_EXPIRY - 1
    await assert_refused(accounts, "Anna", NEIGHBOUR)
    await log_in(accounts, "Eric", token=token)
    await accounts.store.save_pending()
    clock.now += 2
    for nick in ("Bob", "Cleo", "Eric"):
        await assert_refused(accounts, nick, NEIGHBOUR)
    await log_in(accounts, "Anna", NEIGHBOUR)
    assert [person.nick for person in club_file.read_club_file().people] == ["Bob", "Cleo", "Eric", "Anna"]


async def test_sitting_down_marks_a_guest_as_played():
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob, Guest(url, "Cleo") as cleo:
        await start_table(anna, bob)
        await cleo.wait_until(lambda: cleo.tables)
        known = {person.nick: person.has_played for person in club_file.read_club_file().people}
        assert known == {"Anna": True, "Bob": True, "Cleo": False}


async def test_no_profile_id_reaches_a_client(anna_with_password):
    player = profiles.find("Anna").id
    async with club() as (_, url):
        recorder = FaultyProxy(url, Random(0))
        async with recorder.open() as between, joined(between, "Anna", password="sesame77") as anna:
            table = await start_table(anna)
            await anna.send(protocol.AskRounds(table))
            await poll_until(lambda: any('"rounds"' in frame for frame in recorder.frames))
    assert [frame for frame in recorder.frames if player in frame] == []


@pytest.fixture
def controlled_saves(monkeypatch):
    return ControlledSaves(monkeypatch)


async def test_concurrent_logins_share_one_save(controlled_saves):
    accounts = ClubAccounts()
    logins = [asyncio.create_task(log_in(accounts, nick)) for nick in ("Anna", "Bob", "Cleo")]
    await wait_for_changes(accounts, len(logins))
    assert not any(login.done() for login in logins)
    controlled_saves.finish("works")
    for person, token in await asyncio.gather(*logins):
        assert (await log_in(ClubAccounts(), person.nick, token=token))[0] == person


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


@pytest.mark.parametrize("results", [("fails", "fails"), ("fails", "works"), ("works", "works")])
async def test_unsaved_token_is_unknown(controlled_saves, results, anna_with_password):
    """The other tokens of the player stay valid."""
    accounts, tokens = ClubAccounts(), []
    for _ in range(authenticator.MAX_TOKENS):
        controlled_saves.finish("works")
        tokens.append((await log_in(accounts, "Anna", password="sesame77"))[1])
    first = asyncio.create_task(log_in(accounts, "Anna", password="sesame77"))
    await wait_for_changes(accounts, authenticator.MAX_TOKENS + 1)
    second = asyncio.create_task(log_in(accounts, "Anna", NEIGHBOUR, password="sesame77"))
    await wait_for_changes(accounts, authenticator.MAX_TOKENS + 2)
    controlled_saves.finish(*results)
    ends = await asyncio.gather(first, second, return_exceptions=True)
    new = [end[1] for end in ends if not isinstance(end, LoginError)]
    assert len(new) == results.count("works")
    known = accounts.store.find_returning_account("Anna").tokens
    assert len(known) == authenticator.MAX_TOKENS
    assert {hash_hex(token) for token in new} == {*known} - {hash_hex(token) for token in tokens}
    controlled_saves.finish("works")
    await accounts.store.save_all()
    assert {*ClubAccounts().store.find_returning_account("Anna").tokens} == {*known}


async def test_failed_save_without_new_token_keeps_the_others(controlled_saves, anna_with_password):
    """A player who enters by ssh with a password gets no token."""
    accounts = ClubAccounts()
    controlled_saves.finish("works", "fails", "works")
    _, token = await log_in(accounts, "Anna", password="sesame77")
    with pytest.raises(LoginError, match="the disk is full"):
        await log_in(accounts, "Anna", BY_SSH, password="sesame77")
    assert accounts.authenticator.log_in_by_token(LoginIdentity(ORIGIN, "Anna"), token).nick == "Anna"
    await accounts.store.save_all()
    assert ClubAccounts().authenticator.log_in_by_token(LoginIdentity(ORIGIN, "Anna"), token).nick == "Anna"


async def test_second_first_login_survives_failed_save(controlled_saves, anna_with_password):
    accounts = ClubAccounts()
    first = asyncio.create_task(log_in(accounts, "Anna", password="sesame77"))
    await wait_for_changes(accounts, 1)
    second = asyncio.create_task(log_in(accounts, "Anna", NEIGHBOUR, password="sesame77"))
    await wait_for_changes(accounts, 2)
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
        await accounts.store.save_all()
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
    await host.change_settings(approval=True)
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
