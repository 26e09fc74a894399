"""Players in plain text: list, registration, passwords, ledger."""

import pytest

from cardtable.store import credit_ledger, passwords, profiles, summaries
from tests.plain.answers import split_answers

PICKER = "cardtable: choose a number, or type help."
NO_PASSWORD_ON_PIPE = "A password cannot be typed unseen through a pipe; no password was set."


def test_registered_player_is_listed_and_plays(plain):
    result = plain(
        typed=["players", "register Anna", "Anna Berg", "anna@example.org", "players", "sign out", "players"]
    )
    nobody, name, email, done, anna, out, last, _ = split_answers(result)
    assert nobody == ["You play as Guest, without credits. register NICK makes a player."]
    assert name == ["Real name, or an empty line:"]
    assert email == ["E-mail address, or an empty line:"]
    assert done[:3] == [NO_PASSWORD_ON_PIPE, "You now play as Anna.", PICKER]
    assert anna == ["Anna: 1000 credits, signed in."]
    assert out[0] == "You now play as Guest."
    assert last[0] == "Anna: 1000 credits."
    anna = profiles.find("Anna")
    assert (anna.name, anna.email, anna.password) == ("Anna Berg", "anna@example.org", None)
    assert plain(typed=["sign in Anna"]).out.count("You now play as Anna.") == 1
    assert profiles.get_current_nick() == "Anna"


def test_invalid_nick_or_address_is_requested_again(plain):
    profiles.register("Tom")
    for nick, message in (
        ("1st", "A nick starts with a letter."),
        ("tom", "There is already a player Tom; choose another nick."),
        ("ANNABELLA", "A nick is one word of 3 to 8 letters or digits."),
        ("TOM", "There is already a player Tom; choose another nick."),
    ):
        assert split_answers(plain(typed=[f"register {nick}"]))[0] == [message]
    replies = split_answers(plain(typed=["register Anna", "", "anna at home", "anna@example.org"]))
    assert replies[2] == ["Enter an e-mail address like anna@example.org.", "E-mail address, or an empty line:"]
    assert profiles.find("Anna").email == "anna@example.org"
    assert plain(typed=["ledger Nobody"]).out.count("There is no player Nobody.") == 1


def test_password_is_typed_twice_and_hidden(plain, type_passwords):
    type_passwords("sesame77", "sesam", "sesame77", "sesame77")
    result = plain(typed=["register Anna", "", ""])
    assert split_answers(result)[2][0] == "The two passwords differ; type the same one twice."
    assert "It does not encrypt your files" in result.out
    assert "sesam" not in result.out
    assert profiles.find("Anna").password


def test_password_change_needs_the_old_one(plain, type_passwords):
    first, changed = ["sesame77"] * 2, ["open7777"] * 2
    type_passwords(*first, "wrong", *changed, "sesame77", "open7777", "opened77", *changed)
    profiles.register("Anna")
    replies = split_answers(plain(typed=["password Anna", "password Anna", "password Tom"]))
    assert replies[0] == ["Anna now has a new password."]
    assert replies[1] == [
        "That is not the password.",
        "The two passwords differ; type the same one twice.",
        "Anna now has a new password.",
    ]
    assert replies[2] == ["There is no player Tom. players lists them."]
    assert not profiles.verify_password("Anna", "open7777")
    type_passwords("", "open7777", "")
    replies = split_answers(plain(typed=["password Anna", "password Anna"]))
    assert replies[:2] == [["Nothing was changed."], ["Nothing was changed."]]
    assert profiles.find("Anna").password


def test_password_removal_needs_yes_and_the_password(plain, type_passwords):
    profiles.register("Anna", password="sesame77", again="sesame77")
    type_passwords("wrong", "", "sesame77")
    question = "Anybody at this computer can then play as Anna. Type yes to remove the password."
    removal = "remove password Anna"
    replies = split_answers(plain(typed=[removal, "", removal, "yes", removal, "YES", removal]))
    assert replies[0] == [question]
    assert replies[1] == ["Nothing was changed."]
    assert replies[3] == ["That is not the password.", "Nothing was changed."]
    assert replies[5] == ["Anna now has no password."]
    assert replies[6] == ["Anna has no password."]
    assert profiles.find("Anna").password is None


def test_hot_seat_password_once_or_always(plain, type_passwords):
    type_passwords("", "wrong", "sesame77")
    profiles.register("Tom")
    profiles.register("Anna", password="sesame77", again="sesame77")
    replies = split_answers(plain(typed=["ask once Tom", "ask once Anna", "ask once Anna", "ask twice Anna"]))
    assert replies[0] == ["Tom has no password. password Tom sets one."]
    assert replies[1] == ["Nothing was changed."]
    assert replies[2][-1] == "At a hot seat, the password of Anna is asked for once until you quit."
    assert replies[3][0].startswith('I don\'t know "ask twice Anna" here.')
    assert profiles.find("Anna").ask_once
    plain(typed=["ask always Anna"])
    assert not profiles.find("Anna").ask_once


def test_nick_change_and_removal_are_confirmed(plain):
    profiles.register("Anna")
    profiles.register("Tom")
    replies = split_answers(plain(typed=["nick Anna Tom", "nick Anna Berta", "players", "nick Anna Zoe"]))
    assert replies[0] == ["There is already a player Tom; choose another nick."]
    assert replies[1][0] == "Anna is now called Berta. Sessions keep the nick they were played under."
    assert replies[2] == ["Berta: 1000 credits.", "Tom: 1000 credits, signed in."]
    assert replies[3] == ["There is no player Anna. players lists them."]
    replies = split_answers(
        plain(typed=["remove Berta", "no", "remove Berta", "yes", "no", "remove Berta", "yes", "Berta"])
    )
    assert replies[0] == [
        "Name, address, password, 1000 credits and the ledger are deleted. Sessions stay, under their nick. "
        "Type yes to remove Berta."
    ]
    assert replies[1] == replies[4] == ["Nothing was changed."]
    assert replies[3] == ["This cannot be undone. Type the nick again."]
    assert replies[7][0] == "Berta has been removed."
    assert profiles.find("Berta") is None


def test_nick_change_and_removal_need_the_password(plain, type_passwords, monkeypatch):
    type_passwords("", "sesame77", "wrong", "sesame77")
    profiles.register("Anna", password="sesame77", again="sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    replies = split_answers(plain(typed=["nick Anna Berta", "nick Anna Berta"]))
    assert replies[0] == ["Nothing was changed."]
    assert replies[1][0].startswith("Anna is now called Berta.")
    replies = split_answers(plain(typed=["remove Berta", "yes", "Berta", "remove Berta", "yes", "Berta"]))
    assert replies[2] == ["That is not the password."]
    assert replies[5][0] == "Berta has been removed."


def test_no_password_change_through_a_pipe(plain):
    profiles.register("Anna")
    replies = split_answers(plain(typed=["password Anna"]))
    assert replies[0] == ["A password cannot be typed unseen through a pipe; use a terminal."]


def test_abandoning_needs_a_password_of_the_table(plain, type_passwords, monkeypatch):
    type_passwords("wrong", "", "wrong", "sesame77")
    profiles.register("Anna", password="sesame77", again="sesame77")
    plain(typed=["rikiki", "quit"])
    profiles.sign_in(None)
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    replies = split_answers(plain(typed=["give up 1", "yes", "give up 1", "yes"]))
    assert replies[1] == ["That is not the password.", "Nothing was changed."]
    assert replies[3][0] == "That is not the password."
    assert summaries.list_unfinished() == []


def test_ledger_lists_every_movement(plain, home):
    profiles.register("Anna")
    plain(typed=["ten_down room=50 seats=me,steady", "quit"])
    credit_ledger.pay_out()
    [move] = profiles.find("Anna").ledger
    replies = split_answers(plain(typed=["ledger Anna", "players"]))
    assert replies[0] == [
        "Starting credits of Anna: 1000.",
        f"{move.at[:10]}: -50, stake, {move.session}.",
        "Now: 950.",
    ]
    assert replies[1] == ["Anna: 950 credits, signed in."]


@pytest.mark.parametrize("typed", ["players all", "register", "ledger"])
def test_incomplete_commands_are_unknown(plain, typed):
    assert f'I don\'t know "{typed}" here.' in plain(typed=[typed]).out


def test_copies_of_shared_files_are_named_at_the_start(plain, home):
    profiles.register("Tom")
    copy = (home / "profiles.json").rename(home / "profiles 2.json")
    (home / "seasons~.json").write_text("{}")
    result = plain(typed=["players"])
    assert result.lines[0] == f"{copy.name}: from this copy of another machine joined the players: Tom"
    assert result.lines[1].startswith(
        "seasons~.json: a copy of seasons.json from another machine, which does not count; "
    )
    assert "Tom: 1000 credits." in result.lines
    assert plain().lines[0].startswith("seasons~.json: ")
