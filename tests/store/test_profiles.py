"""Profiles: the file, registration, changes, passwords and ids."""

import json
import stat

import msgspec
import pytest

from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.store import passwords, paths, profiles
from cardtable.store.profiles import InvalidProfile
from tests.engine.toy import make_header

pytestmark = pytest.mark.usefixtures("cheap_passwords")
"""Only `test_scrypt_costs_of_new_passwords` uses the real costs."""


@pytest.fixture
def clock(monkeypatch):
    """Clock that a test sets, in seconds."""
    now = [100.0]
    monkeypatch.setattr(passwords, "monotonic", lambda: now[0])
    return now


def write_profiles_file(data):
    path = paths.profiles_file()
    paths.create_folder(path.parent)
    path.write_bytes(data)
    return path


def test_sign_in_of_unknown_nick_is_refused():
    with pytest.raises(InvalidProfile, match="There is no player Anna any more"):
        profiles.sign_in("Anna")
    assert profiles.get_current_nick() == "Guest"


def test_profiles_file_is_private_and_has_no_password():
    profiles.register("Anna", password="sesame77", again="sesame77")
    profiles.register("Tom")
    for path in (paths.profiles_file(), paths.home() / "profiles.json.bak", paths.home() / "home.lock"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert b"sesame77" not in path.read_bytes()


@pytest.mark.parametrize(
    ("registration", "field", "message"),
    [
        ({"nick": "An"}, "nick", "3 to 8 letters"),
        ({"nick": "Ada"}, "nick", "robot"),
        ({"nick": "Tom"}, "nick", "already"),
        ({"nick": "Ｔｏｍ"}, "nick", "already a player Tom"),
        ({"nick": "Anna", "name": "A\u202e"}, "name", "cannot be shown"),
        ({"nick": "Anna", "name": "x" * 41}, "name", "40 characters"),
        ({"nick": "Anna", "name": "A\x1b[31m"}, "name", "cannot be shown"),
        ({"nick": "Anna", "email": "anna"}, "email", "anna@example.org"),
        ({"nick": "Anna", "email": "a@b@example.org"}, "email", "anna@example.org"),
        ({"nick": "Anna", "email": "a@example..org"}, "email", "anna@example.org"),
        ({"nick": "Anna", "email": "a@exa\u202emple.org"}, "email", "anna@example.org"),
        ({"nick": "Anna", "password": "two words", "again": "two words"}, "password", "no spaces"),
        ({"nick": "Anna", "password": "tab\there", "again": "tab\there"}, "password", "no spaces"),
        ({"nick": "Anna", "password": "sesame77", "again": "Sesame"}, "again", "type the same one twice"),
        ({"nick": "Anna", "password": "x" * 65, "again": "x" * 65}, "password", "64 characters"),
        ({"nick": "Anna", "again": "sesame77"}, "again", "at least 8 characters"),
        ({"nick": "Аnna"}, "nick", "one alphabet"),
        ({"nick": "ТОМ"}, "nick", "already"),
    ],
)
def test_invalid_registration_names_its_field(registration, field, message):
    profiles.register("Tom")
    before = paths.profiles_file().read_bytes()
    with pytest.raises(InvalidProfile, match=message) as refused:
        profiles.register(**registration)
    assert refused.value.field == field
    assert paths.profiles_file().read_bytes() == before


def test_player_is_found_however_the_dots_are_typed():
    profiles.register("İrem")
    for typed in ("İREM", "irem", "IREM", "Irem", "ırem", "i\u0307rem"):
        assert profiles.find(typed).nick == "İrem"
        with pytest.raises(InvalidProfile, match="already a player İrem"):
            profiles.register(typed)
    assert profiles.add_profile_ids([Occupant("Irem")])[0].player == profiles.find("İrem").id


def test_older_nicks_that_differ_in_dots_stay_apart():
    players = [{"nick": nick, "id": id_ * 16} for nick, id_ in (("İrem", "1"), ("Irem", "2"))]
    write_profiles_file(json.dumps({"profiles": 2, "signed_in": None, "players": players}).encode())
    assert [profiles.find(nick).nick for nick in ("İrem", "Irem")] == ["İrem", "Irem"]
    profiles.remove_unchecked("Irem")
    assert [player.nick for player in profiles.read().players] == ["İrem"]
    profiles.remove_unchecked("Irem")
    assert [player.nick for player in profiles.read().players] == ["İrem"]


def test_real_name_keeps_its_joiners():
    profiles.register("Anna", "علی\u200cرضا 👩\u200d💻")
    assert profiles.read().find("Anna").name == "علی\u200cرضا 👩\u200d💻"


def test_nick_change_keeps_the_first_nick():
    profiles.register("Anna", "Anna B")
    profiles.register("Tom")
    made = profiles.find("Anna").id
    profiles.sign_in("Anna")
    profiles.update_profile("Anna", "Berta", "Anna B", "")
    assert profiles.find("Anna") is None
    profile = profiles.find("Berta")
    assert (profile.id, profile.first_nick, profile.name) == (made, "Anna", "Anna B")
    assert profiles.get_current_nick() == "Berta", "she has signed in all the same"
    profiles.update_profile("Berta", "BERTA", "", "")
    assert profiles.find("BERTA").first_nick == "Anna", "also with other capitals"
    wrong = (("Tom", "already"), ("TОM", "alphabet"), ("ТОМ", "already"), ("1st", "letter"), ("Ada", "robot"))
    for called, message in wrong:
        with pytest.raises(InvalidProfile, match=message) as refused:
            profiles.update_profile("BERTA", called, "", "")
        assert refused.value.field == "nick"
    profiles.update_profile("BERTA", "Anna", "", "")
    assert profiles.find("Anna").first_nick == ""


def test_password_is_changed_and_removed_with_the_old_one_only():
    profiles.register("Anna", password="sesame77", again="sesame77")
    before = paths.profiles_file().read_bytes()
    for change, typed in (
        (profiles.set_password, ("wrong", "open7777", "open7777")),
        *((function, ("wrong",)) for function in (profiles.remove_password, profiles.remove)),
    ):
        with pytest.raises(InvalidProfile, match="That is not the password") as refused:
            change("Anna", *typed)
        assert refused.value.field == "old"
    assert paths.profiles_file().read_bytes() == before


def test_delay_after_three_wrong_passwords(clock):
    profiles.register("Anna", password="sesame77", again="sesame77")
    for _ in range(2):
        assert profiles.verify_password("Anna", "no") == "That is not the password"
    assert profiles.verify_password("Anna", "no") == "That is not the password; wait 10 seconds"
    clock[0] += 9.5
    assert profiles.verify_password("Anna", "sesame77") == "Wait 1 second, then try again", "also with the right one"
    clock[0] += 1
    assert profiles.verify_password("Anna", "no") == "That is not the password; wait 10 seconds"
    clock[0] += 10.5
    assert profiles.verify_password("Anna", "sesame77") is None
    assert profiles.verify_password("Anna", "no") == "That is not the password", "the count begins anew"


def test_scrypt_costs_of_new_passwords(monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", passwords.SCRYPT_COSTS[1:])
    hashed = passwords.hash_password("sésame")
    assert (hashed.n, hashed.r, hashed.p, len(hashed.salt)) == (2**15, 8, 1, 32)
    assert passwords.hash_password("sésame").salt != hashed.salt
    assert passwords.verify(hashed, "se\u0301same") is None, "however the keyboard makes the letter"


ANNA = {"nick": "Anna", "id": "a" * 16}
GOOD = {"profiles": 2, "signed_in": None, "players": [ANNA]}
PASSWORD_HASH = {"n": 2**15, "r": 8, "p": 1, "salt": "0" * 32, "key": "0" * 64}
TRANSACTION = {"at": "2026-11-20T08:37:28Z", "session": "x", "why": "stake", "change": -5}


def make_store(**members):
    return {**GOOD, "players": [{**ANNA, **members}]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"profiles":2,"signed_in":"\\ud800"}', "truncated"),
        (b'{"profiles":2,"players":[' + b"{}," * 1_000_000 + b"{}]}", "length <= 200"),
        (b'{"profiles":2,"players":[{"nick":"Anna","nick":"Zoe","id":"00112233445566aa"}]}', "occurs twice"),
        (make_store(id=""), "id"),
        ({**GOOD, "signed_in": "Tom"}, "the player who is signed in"),
        ({**GOOD, "players": [ANNA, {"nick": "ANNA", "id": "b" * 16}]}, "the same nick"),
        ({**GOOD, "players": [ANNA] * 201}, "length"),
        (make_store(nick="A\x1b]52;c;AAAA\x07"), "nick"),
        (make_store(first_nick="\u202eevil"), "nick"),
        (make_store(id="x" * 16), "id"),
        ({**GOOD, "players": [{"nick": nick, "id": "0" * 16} for nick in ("Anna", "Tom")]}, "the same id"),
        (make_store(name="\u202eevil"), "real name"),
        (make_store(name=5), "name"),
        (make_store(email="evil"), "e-mail"),
        (make_store(password={**PASSWORD_HASH, "n": 2**40}), "a way that this version does not know"),
        (make_store(password={**PASSWORD_HASH, "r": 10**9}), "a way that this version does not know"),
        (make_store(password={**PASSWORD_HASH, "salt": "zz"}), "salt"),
        (make_store(password={**PASSWORD_HASH, "key": "0" * 63}), "key"),
        (make_store(ask_once="yes"), "ask_once"),
        (make_store(ledger=[{**TRANSACTION, "change": 10**15 - 1}]), "change"),
        (make_store(ledger=[{**TRANSACTION, "change": 1.5}]), "change"),
        (make_store(ledger=[{**TRANSACTION, "why": "theft"}]), "theft"),
        (make_store(ledger=[{**TRANSACTION, "more": 1}]), "more"),
        (make_store(ledger=[{**TRANSACTION, "session": "../../etc"}]), "session"),
        (make_store(ledger=[{**TRANSACTION, "at": "yesterday\n"}]), "at"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_invalid_profiles_file_is_reported_and_unchanged(data, message):
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    path = write_profiles_file(data)
    store, complaint = profiles.load()
    assert store == profiles.ProfileStore()
    assert "profiles.json: " in complaint
    assert message in complaint
    assert complaint.isprintable()
    assert len(complaint) <= 200
    for change in (lambda: profiles.register("Tom"), lambda: profiles.sign_in(None)):
        with pytest.raises(CardtableError, match=r"profiles\.json"):
            change()
    assert profiles.get_current_nick() == "Guest"
    assert path.read_bytes() == data
    assert not path.with_name("profiles.json.bak").exists()


def test_too_many_players_are_refused_unread(monkeypatch):
    write_profiles_file(
        json.dumps({**GOOD, "players": [{"nick": f"Anna{number:04}"} for number in range(201)]}).encode()
    )
    looked_at = []
    monkeypatch.setattr(profiles, "find_profile_error", lambda *arguments: looked_at.append(arguments))
    assert "length <= 200" in profiles.load()[1]
    assert looked_at == []


def test_occupants_get_profile_ids():
    profiles.register("Anna")
    anna, zoe, bo = profiles.add_profile_ids([Occupant("Anna"), Occupant("Zoe"), Occupant("Bo", "steady")])
    assert anna == Occupant("Anna", player=profiles.find("Anna").id)
    assert (zoe, bo) == (Occupant("Zoe"), Occupant("Bo", "steady")), "guests and robots have none"
    before = paths.profiles_file().read_bytes()
    assert profiles.add_profile_ids([Occupant("Anna")]) == (anna,)
    assert paths.profiles_file().read_bytes() == before


def test_guest_is_not_the_player_who_takes_their_nick_at_the_same_table():
    """Bob, who has a password, calls himself Max afterwards: the guest Max need not know Bob's password."""
    profiles.register("Bob", password="correct-horse", again="correct-horse")
    seats = profiles.add_profile_ids([Occupant("Bob"), Occupant("Max"), Occupant("Bo", "steady")])
    header = make_header(seats=seats)
    assert profiles.map_profile_nicks(header) == {0: "Bob"}
    profiles.update_profile("Bob", "Max", "", "")
    assert profiles.map_profile_nicks(header) == {0: "Max"}
    assert profiles.find_seats(profiles.load()[0], "Max", header) == [0]


def test_no_ids_if_profiles_cannot_be_read():
    write_profiles_file(b"damaged")
    assert profiles.add_profile_ids([Occupant("Anna")]) == (Occupant("Anna"),)


@pytest.mark.parametrize("length", [1, 7, 65])
def test_new_password_that_is_too_short_or_too_long(length):
    profiles.register("Anna")
    password = "a" * length
    for change in (profiles.set_password, lambda nick, _old, *typed: profiles.reset_password(nick, *typed)):
        with pytest.raises(InvalidProfile, match="characters") as refused:
            change("Anna", "", password, password)
        assert refused.value.field == "password"


def test_old_short_password_stays_valid(monkeypatch):
    profiles.register("Anna")
    store = profiles.read()
    short = msgspec.structs.replace(store.players[0], password=passwords.hash_password("abc"))
    profiles.PROFILES.update(lambda store: store.with_profile(short))
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())  # as in a new run of the program
    assert profiles.verify_password("Anna", "ab")
    assert profiles.verify_password("Anna", "abc") is None
    profiles.set_password("Anna", "abc", "sesame77", "sesame77")


def test_new_nick_is_valid_allowed_and_free():
    profiles.register("Anna")
    profiles.check_new_nick("Tom")
    profiles.check_new_nick("ANNA", exclude_nick="Anna")
    for nick in ("anna", "Guest", ""):
        with pytest.raises(InvalidProfile):
            profiles.check_new_nick(nick)
