"""Passwords in plain text."""

import pytest

from cardtable.cli import main as cli
from cardtable.games import GAMES
from cardtable.plain import console, players, table
from cardtable.plain.console import QuitRequested
from cardtable.store import passwords, profiles, session_setup, summaries


@pytest.fixture(autouse=True)
def registered_player(cheap_passwords, monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())


def test_password_is_requested_until_correct(type_passwords, capsys):
    type_passwords("wrong", "sesame77")
    players.require_password("Anna")
    assert not profiles.is_password_required("Anna")
    assert capsys.readouterr().out == "That is not the password.\n"
    players.require_password("Anna")
    players.require_password("Tom")


def test_undecodable_password_is_requested_again(monkeypatch, capsys):
    typed = iter([b"pass\xe9word", b"\xff", b"sesame88", b"\xff", b"sesame88"])
    monkeypatch.setattr(players, "is_on_terminal", lambda: True)
    monkeypatch.setattr(players, "getpass", lambda _prompt: next(typed).decode())
    assert players.ask_new_password() == ("sesame88", "sesame88")
    assert capsys.readouterr().out.splitlines() == ["", "That cannot be read as UTF-8; type it again."] * 3


def test_empty_line_quits(type_passwords):
    type_passwords("")
    with pytest.raises(QuitRequested):
        players.require_password("Anna")
    assert profiles.is_password_required("Anna")


@pytest.mark.parametrize("seats", [[], ["--seats", "person:Anna,steady,steady,steady"]])
def test_password_over_a_pipe_begins_no_session(seats, capsys):
    assert cli.run(["play", "rikiki", "--plain", *seats]) == 1
    output = capsys.readouterr()
    assert output.err == ("cardtable: Anna has a password, which cannot be asked for through a pipe; use a terminal\n")
    assert not output.out
    assert not summaries.list_unfinished()


def test_no_hand_is_shown_before_the_password(type_passwords, monkeypatch, capsys):
    type_passwords("wrong", "")
    monkeypatch.setattr(console, "is_on_terminal", lambda: True)
    session = players.begin_session(session_setup.create_default_setup(GAMES["rikiki"], "Anna"))
    with pytest.raises(QuitRequested):
        table.play_session(session, table.Settings(), [])
    assert capsys.readouterr().out == "That is not the password.\n"


def test_stake_needs_the_password(type_passwords, monkeypatch, capsys):
    type_passwords("")
    monkeypatch.setattr("cardtable.cli.launch.require_terminal", lambda: None)
    assert cli.run(["play", "ten_down", "--option", "room=50", "--seats", "person:Anna,steady"]) == 1
    assert capsys.readouterr().err == "cardtable: the session was not started: it needs the password\n"
    assert profiles.find("Anna").credits == 1000
    assert not summaries.list_unfinished()
