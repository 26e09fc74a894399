"""Accounts of a club: players of the host, tokens, nicks that are taken, forgotten or expire."""

import json
from random import Random

import msgspec
import pytest

from cardtable.club import protocol
from cardtable.club.server import account_store, club_file
from cardtable.club.server.accounts import ClubAccounts, get_owner_token
from cardtable.club.server.limits import LoginError
from cardtable.store import passwords, paths, profiles
from tests.club.account_logins import CODE, NEIGHBOUR, ORIGIN, Clock, assert_refused, hash_hex, log_in
from tests.club.bad_lines import FaultyProxy
from tests.club.loopback_club import Guest, club, joined, poll_until, start_table


@pytest.mark.parametrize("nick", ["Anna", "ANNA", "Ａｎｎａ"])
async def test_player_without_password_is_refused(nick):
    profiles.register("Anna")
    accounts = ClubAccounts(CODE)
    refusal = await assert_refused(accounts, nick, code=CODE)
    assert "is not free" in str(refusal)
    await assert_refused(accounts, nick, code=CODE, password="anything")
    profiles.set_password("Anna", "", "sesame77", "sesame77")
    person, _ = await log_in(accounts, nick, code=CODE, password="sesame77")
    assert (person.nick, person.is_member) == ("Anna", True)


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
    await accounts.store.save_all(())
    token = club_file.read_club_file().owner_token
    assert (await log_in(accounts, "Anna", token=token))[0].nick == "Anna"
    assert (get_owner_token("Anna", token), get_owner_token("Bob", token)) == (token, "")
    await assert_refused(accounts, "Bob", token=token)
    await assert_refused(accounts, "Cleo", token=token)
    await assert_refused(accounts, "Anna", token=token + "x")
    profiles.set_password("Anna", "", "sesame77", "sesame77")
    await assert_refused(accounts, "Anna", token=token)


async def test_token_invalid_after_password_change(anna_with_password):
    accounts = ClubAccounts()
    _, token = await log_in(accounts, "Anna", password="sesame77")
    profiles.remove_password("Anna", "sesame77")
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


async def test_former_nick_of_a_player_is_free_only_after_the_player_has_used_the_new_one(anna_with_password):
    accounts = ClubAccounts()
    await log_in(accounts, "Anna", password="sesame77")
    profiles.update_profile("Anna", "Hanna", "", "")
    assert "is not free" in str(await assert_refused(accounts, "Anna"))
    await log_in(accounts, "Hanna", password="sesame77")
    await log_in(accounts, "Anna")


async def test_club_id_is_created_once(home):
    accounts = ClubAccounts()
    await accounts.store.save_all(())
    assert len(accounts.store.id) == 32
    assert (ClubAccounts().store.id, club_file.read_club_file().id) == (accounts.store.id, accounts.store.id)


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


async def test_forget_person_while_the_club_is_open():
    profiles.register("Dora", password="sesame77", again="sesame77")
    accounts, tokens = ClubAccounts(), {}
    for nick, password in (("Anna", ""), ("Bob", ""), ("Dora", "sesame77")):
        _, tokens[nick] = await log_in(accounts, nick, password=password)
    for nick in ("anna", "Dora"):
        await accounts.administration.forget(nick)
        await assert_refused(accounts, nick, token=tokens[nick.title()])
    await log_in(accounts, "Bob", token=tokens["Bob"])
    person, token = await log_in(accounts, "Anna")
    assert len(person.tokens) == 1
    await log_in(accounts, "Dora", password="sesame77")
    await log_in(ClubAccounts(), "Anna", token=token)


async def test_no_profile_id_reaches_a_client(anna_with_password):
    player = profiles.find("Anna").id
    async with club() as (_, url):
        recorder = FaultyProxy(url, Random(0))
        async with recorder.open() as between, joined(between, "Anna", password="sesame77") as anna:
            table = await start_table(anna)
            await anna.send(protocol.AskRounds(table))
            await poll_until(lambda: any('"rounds"' in frame for frame in recorder.frames))
    assert [frame for frame in recorder.frames if player in frame] == []
