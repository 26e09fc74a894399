"""Players and passwords on the command line."""

from io import StringIO

import pytest

from cardtable.plain import players as plain_passwords
from cardtable.store import passwords, profiles
from tests.cli.playing import PEOPLE, write_session


@pytest.mark.parametrize("signed_in", [None, "Anna", "Tom"])
def test_archive_is_readable_by_everyone(cardtable, home, monkeypatch, signed_in):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    profiles.register("Tom")
    profiles.register("Anna", password="sesame77", again="sesame77")
    profiles.sign_in(signed_in)
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    assert profiles.is_password_required("Anna"), "another run of the program"
    id_ = "20261119-193200-rikiki-11bb"
    write_session(home / "archive" / f"{id_}.jsonl", PEOPLE, rounds=28, id_=id_)
    for command in (["list"], ["show", id_], ["replay", id_], ["trace", id_], ["export", id_]):
        out = cardtable(*command).read_output()
        assert "Anna" in out or command[0] == "trace"


def test_forgotten_password_is_reset(cardtable, home, monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    typed = iter(["sesame99", "sesame99"])
    monkeypatch.setattr("cardtable.plain.console.is_on_terminal", lambda: True)
    monkeypatch.setattr(plain_passwords, "is_on_terminal", lambda: True)
    monkeypatch.setattr(plain_passwords, "getpass", lambda _prompt: next(typed))
    out = cardtable("reset-password", "anna").read_output()
    assert out.splitlines() == [
        f"The old password of Anna is not needed: you can change the files in {home}.",
        "Anna now has a new password.",
    ]
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    assert profiles.verify_password("Anna", "sesame99") is None


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("", 1), ("n", 1)])
def test_forgotten_password_is_removed_after_a_question(cardtable, monkeypatch, answer, code):
    profiles.register("Anna", password="sesame77", again="sesame77")
    monkeypatch.setattr("cardtable.plain.console.is_on_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", StringIO(f"{answer}\n"))
    result = cardtable("reset-password", "--remove", "anna")
    assert "Anybody at this computer can then play as Anna. Remove the password? [y/N]" in result.out
    assert result.code == code
    assert (profiles.find("Anna").password is None) is (code == 0)


@pytest.mark.parametrize(
    ("nick", "typed", "message"),
    [
        ("Anna", ("sesame", "sesame"), "A new password has at least 8 characters"),
        ("Anna", ("sesame78", "sesame79"), "The two passwords differ; type the same one twice"),
        ("Anna", ("",), "No new password was typed, so nothing has changed"),
        ("Tom", (), "there is no player Tom"),
        ("Anna", None, "a password cannot be typed unseen through a pipe; use a terminal"),
    ],
)
def test_rejects_password_reset(cardtable, monkeypatch, nick, typed, message):
    profiles.register("Anna", password="sesame77", again="sesame77")
    lines = iter(typed or ())
    monkeypatch.setattr("cardtable.plain.console.is_on_terminal", lambda: typed is not None)
    monkeypatch.setattr(plain_passwords, "is_on_terminal", lambda: True)
    monkeypatch.setattr(plain_passwords, "getpass", lambda _prompt: next(lines))
    assert cardtable("reset-password", nick).read_error(1, prints=bool(typed)) == message
    assert profiles.verify_password("Anna", "sesame77") is None
