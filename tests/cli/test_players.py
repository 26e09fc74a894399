"""Players on the command line: what a password does not lock."""

import pytest

from cardtable.store import passwords, profiles
from tests.cli.playing import PEOPLE, write


@pytest.mark.parametrize("signed_in", [None, "Anna", "Tom"])
def test_what_lies_in_the_archive_is_read_by_anybody(cardtable, home, monkeypatch, signed_in):
    monkeypatch.setattr(passwords, "COSTS", ((2**4, 8, 1),))
    profiles.register("Tom")
    profiles.register("Anna", password="sesame", again="sesame")
    profiles.sign_in(signed_in)
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    assert profiles.locked("Anna"), "another run of the program"
    id_ = "20261119-193200-rikiki-11bb"
    write(home / "archive" / f"{id_}.jsonl", PEOPLE, rounds=28, id_=id_)
    for command in (["list"], ["show", id_], ["replay", id_], ["trace", id_], ["export", id_]):
        told = cardtable(*command)
        assert (told.code, told.err) == (0, ""), command
        assert "Anna" in told.out or command[0] == "trace"
