"""Players in plain lines: who there is, registering, signing in, the ledger."""

import pytest

from cardtable.plain import passwords
from cardtable.store import ledgers, profiles
from cardtable.store import passwords as kept

NONE = "A password cannot be typed unseen through a pipe; there is none."


def answers(told):
    """What was said after each line that was typed, without the list of the picker."""
    return [said.splitlines() for said in told.out.split("> \n")[1:]]


def test_who_registers_is_listed_and_plays(plain):
    told = plain(typed=["players", "register Anna", "Anna Berg", "anna@example.org", "players", "sign out", "players"])
    nobody, name, email, done, anna, out, last, _ = answers(told)
    assert nobody == ["Guest plays now, who has no credits. register NICK makes a player."]
    assert name == ["Real name, or an empty line:"]
    assert email == ["E-mail address, or an empty line:"]
    assert done[:2] == [NONE, "Anna plays now."]
    assert anna == ["Anna: 1000 credits, plays now."]
    assert out[0] == "Guest plays now."
    assert last[0] == "Anna: 1000 credits."
    anna = profiles.find("Anna")
    assert (anna.name, anna.email, anna.password) == ("Anna Berg", "anna@example.org", None)
    assert plain(typed=["sign in Anna"]).out.count("Anna plays now.") == 1
    assert profiles.me() == "Anna"


def test_what_cannot_be_is_said_and_asked_again(plain):
    profiles.register("Tom")
    for nick, why in (
        ("anna", "A nick starts with a capital letter."),
        ("ANNABELLA", "A nick is one word of 3 to 8 letters or digits."),
        ("TOM", "There is a player TOM already."),
    ):
        assert answers(plain(typed=[f"register {nick}"]))[0] == [why]
    told = answers(plain(typed=["register Anna", "", "anna at home", "anna@example.org"]))
    assert told[2] == [NONE, "An e-mail address is like anna@example.org.", "E-mail address, or an empty line:"]
    assert profiles.find("Anna").email == "anna@example.org"
    assert plain(typed=["ledger Nobody"]).out.count("There is no player Nobody.") == 1


def test_a_password_is_typed_twice_and_unseen(plain, monkeypatch):
    monkeypatch.setattr(kept, "COSTS", ((2**4, 8, 1),))
    typed = iter(["sesame", "sesam", "sesame", "sesame"])
    monkeypatch.setattr(passwords, "on_terminal", lambda: True)
    monkeypatch.setattr(passwords, "getpass", lambda _prompt: next(typed))
    told = plain(typed=["register Anna", "", ""])
    assert answers(told)[2][0] == "The two passwords are not the same."
    assert "It does not lock the files" in told.out
    assert "sesam" not in told.out
    assert profiles.find("Anna").password


def test_the_ledger_has_every_movement(plain, home):
    profiles.register("Anna")
    plain(typed=["ten_down room=50 seats=me,steady", "quit"])
    ledgers.settle()
    [move] = profiles.find("Anna").ledger
    told = answers(plain(typed=["ledger Anna", "players"]))
    assert told[0] == ["Anna began with 1000 credits.", f"{move.at[:10]}: -50, stake, {move.session}.", "Now: 950."]
    assert told[1] == ["Anna: 950 credits, plays now."]


@pytest.mark.parametrize("typed", ["players all", "register", "ledger"])
def test_half_a_word_is_no_word(plain, typed):
    assert f"There is no {typed} here." in plain(typed=[typed]).out
