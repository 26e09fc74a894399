"""Subcommands of ``cardtable club`` and their prompt, with a club that is open in another thread; backups."""

import asyncio
import io
import re
import sys
from pathlib import Path
from threading import Event, Thread
from time import sleep

import pytest

from cardtable.cli import club_administration, params
from cardtable.cli.club import CLUB_COMMANDS
from cardtable.club import administration
from cardtable.club.server import lobby, server, status_file
from cardtable.club.server.server_options import ServerOptions
from cardtable.store import profiles
from tests.cli.playing import parse_error
from tests.club.guests import choose_randomly
from tests.club.loopback_club import joined, start_table


class OpenClub:
    """A club in a thread of its own, with the guests Anna and Bob, who sit at a table."""

    def __init__(self):
        self.lines, self.ready = [], Event()
        self.thread = Thread(target=lambda: asyncio.run(self.run()), daemon=True)

    async def run(self):
        self.loop, self.done = asyncio.get_running_loop(), asyncio.Event()
        options = ServerOptions("Fridays", port=0, code="sesame77")
        async with server.open_club(
            options, think=choose_randomly, log=lambda event: self.lines.append(str(event))
        ) as club:
            url, self.disk_space = f"ws://{club.address}", club.lobby.disk_space
            async with joined(url, "Anna", code="sesame77") as anna, joined(url, "Bob", code="sesame77") as self.bob:
                self.table = await start_table(anna, self.bob)
                while not status_file.paths.club_status_file().exists():
                    await asyncio.sleep(0.002)
                self.ready.set()
                await self.done.wait()

    def __enter__(self):
        self.thread.start()
        assert self.ready.wait(20)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.done.set)
        self.thread.join()


@pytest.fixture
def open_club(home, cheap_passwords, monkeypatch):
    monkeypatch.setattr(lobby, "NEWS_DELAY", 0.01)
    with OpenClub() as club:
        yield club


def test_keeping_order_by_commands(cardtable, open_club):
    def run(*arguments):
        return cardtable("club", *arguments).read_output()

    name = open_club.table.split("-", 2)[2]
    heading, anna, bob = run("who").splitlines()
    assert heading.split() == ["nick", "transport", "address", "since", "tables", "devices"]
    assert [anna.split()[:4], bob.split()[:4]] == [[guest, "guest", "join", "127.0.0.1"] for guest in ("Anna", "Bob")]
    assert name in bob
    assert run("tables").splitlines()[1].split()[:4] == [name, "Rikiki", "round", "1"]
    assert run("say", "Good", "evening", "--all") == "Sent to all who are here: Anna, Bob.\n"
    assert run("mute", "bob", "--for", "1653w").startswith("Bob is muted until 20")
    assert run("mute", "bob", "--for", "2h").startswith("Bob is muted until 2")
    assert run("bans").splitlines()[1].split()[:2] == ["muted", "Bob"]
    assert run("unmute", "Bob") == "Bob can talk again.\n"
    assert run("kick", "Bob", "that", "is", "enough") == "Bob is disconnected (1 connection), and may come back.\n"
    assert open_club.bob.link.end_reason == "The host has disconnected you: that is enough."
    assert run("ban", "192.0.2.7", "--for", "7d").startswith("192.0.2.7 is banned until 2")
    assert run("unban", "192.0.2.7") == "192.0.2.7 may come back.\n"
    assert run("bans") == "Nobody is banned or muted.\n"
    assert run("close", name).startswith(f"The table {name} is closed.")
    assert run("tables") == "No table is open.\n"
    first, command, *_ = run("invite", "Dora").splitlines()
    assert first.startswith("For Dora alone, good once and until 2")
    assert command.strip().startswith("cardtable join localhost:")
    assert run("invitations").splitlines()[1].startswith("Dora  2")
    assert "no longer good" in run("withdraw", "Dora")
    assert run("invitations") == "Nobody is invited.\n"
    assert run("approval") == "Approval is off: newcomers come in by the code alone.\n"
    assert run("approval", "on").startswith("Newcomers with the right code wait")
    assert run("approval") == "Approval is on: newcomers with the right code wait.\nNo newcomer waits.\n"
    assert run("who").endswith("No newcomer waits.\n")
    assert run("code", "another77").startswith("The code is another77. People who")
    assert "an invitation lets them back" in run("revoke", "Bob")
    assert run("forget", "Bob") == run("forget", "Anna").replace("Anna", "Bob")
    assert run("who").startswith("Nobody is here.")
    profiles.register("Anna")
    assert run("reset", "Anna").startswith("The new password of Anna is ")
    assert run("erase", "Anna", "--yes") == "The data of Anna is erased. In 1 session the name is Erased 1 now.\n"
    assert "the administrator says: Good evening --all" in open_club.lines


def test_warning_about_the_disk(cardtable, open_club, monkeypatch):
    assert re.search(r"\ndisk +the sessions take up 0 of 4000 MB\n", cardtable("club").out)
    assert cardtable("doctor").code == 0
    open_club.loop.call_soon_threadsafe(open_club.disk_space.add, "", 3600 * 10**6)
    warning = "the sessions take up 3600 of 4000 MB; at the limit no new table can begin"
    while not status_file.read_status().disk.stage:
        sleep(0.002)
    assert f" {warning}\n" in cardtable("club").out
    assert parse_error(cardtable("doctor").err) == f"the open club: {warning}"
    assert open_club.lines.count(warning) == 1


ERRORS = [
    (("kick", "Bbo"), 1, "nobody here is called Bbo; did you mean Bob?"),
    (("close", "x"), 1, "no table is called 'x'; the tables are {table}"),
    (("mute", "Dora"), 1, "nobody called Dora has been in the club"),
    (("mute", "anan"), 1, "nobody called anan has been in the club; did you mean Anna?"),
    (("kick",), 2, "NICK is missing; see cardtable club kick --help"),
    (("kik", "Bob"), 2, "no command is called 'kik'; did you mean kick?"),
    (
        ("ban", "Bob", "--for", "2x"),
        2,
        "--for: write a number with m, h, d or w for minutes, hours, days or weeks, such as 2h or 7d; "
        "see cardtable club ban --help",
    ),
    (("kick", "x" * 65), 1, "a name or text is too long, or is not valid text"),
    (("say", "\ud800"), 1, "a name or text is too long, or is not valid text"),
    (("ban", "Bob", "--for", "5200w"), 2, "--for: the longest time is 1653w; see cardtable club ban --help"),
    (("mute", "Bob", "--for", "99999999999m"), 2, "--for: the longest time is 1653w; see cardtable club mute --help"),
    (("invite", "Bob", "--for", "53w"), 2, "--for: the longest time is 365d; see cardtable club invite --help"),
    (
        ("code", "--everybody"),
        1,
        "this disconnects everybody; each device then needs the new code once, and invitations end; add --yes to do it",
    ),
]


def test_errors_are_one_line(cardtable, open_club, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    for arguments, code, error in ERRORS:
        expected = error.format(table=open_club.table.split("-", 2)[2])
        assert cardtable("club", *arguments).read_error(code) == expected


def test_help_of_every_command(cardtable):
    for name, (_, line) in CLUB_COMMANDS.items():
        out = cardtable("club", name, "--help").read_output()
        assert " ".join(out.split("\n\n")[1].split()) == line
    given = [administration.get_words(each) for each in administration.COMMANDS]
    assert {words[1] for words in given if words[0] == "club"} <= CLUB_COMMANDS.keys()


def test_every_command_is_documented():
    text = (Path(__file__).parents[2] / "docs/club.md").read_text(encoding="utf-8")
    for name in CLUB_COMMANDS:
        assert re.search(rf"(`|cardtable\s+club\s+){name}\b", text), name


def test_commands_need_an_open_club(cardtable):
    for words in ((), ("who",), ("log",), ("console",), ("invite", "Anna")):
        assert cardtable("club", *words).read_error(1) == "no club is open here; cardtable host opens one"


def test_erasing_without_a_club(cardtable):
    profiles.register("Anna")
    out = cardtable("club", "erase", "anna", "--yes").read_output()
    assert out.startswith("The data of Anna is erased.")
    assert profiles.find("Anna") is None


def test_console_executes_the_same_commands(cardtable, open_club, monkeypatch):
    typed = "who\nkick bbo\nkick\nkik Bob\nkick Bob don't shout\nhelp\nban --help\nquit\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    out = cardtable("club", "console").read_output()
    for text in (
        "Type help for what can be typed, and quit to end this; the club stays open.",
        "Anna  guest  join       127.0.0.1",
        "Nobody here is called bbo; did you mean Bob?",
        "NICK is missing; see kick --help.",
        "No command is called 'kik'; did you mean kick?",
        "Bob is disconnected (1 connection), and may come back.",
        "kick NICK [REASON]...: Disconnect a person, who may come back.",
        "Usage: ban [OPTIONS] NICK|ADDRESS",
    ):
        assert text in out
    assert "the administrator disconnects Bob: don't shout" in open_club.lines


def test_console_accepts_quoted_words(cardtable, open_club, monkeypatch):
    typed = """season new "Autumn, Friday's" --game rikiki
season show "Autumn
say He isn't "late"
ban Bob --for 1w --reason "that's enough"
"""
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    out = cardtable("club", "console").read_output()
    assert "Autumn, Friday's: Rikiki. " in out
    assert 'A double quote is missing in show "Autumn' in out
    assert 'the administrator says: He isn\'t "late"' in open_club.lines
    (line,) = [line for line in open_club.lines if line.startswith("the administrator bans Bob until")]
    assert line.endswith(": that's enough")


def test_log_lines_appear_above_typed_text(capsys):
    prompt = club_administration._Prompt(lambda _line: [])
    prompt.print_above("Bob\x1b joins")
    prompt._is_reading, prompt._get_typed = True, lambda: "kick B"
    prompt.print_above("Bob leaves")
    out = re.sub(r"\d\d:\d\d", "20:15", capsys.readouterr().out)
    assert out == "20:15 Bob\ufffd joins\n\r\x1b[K20:15 Bob leaves\n> kick B"


COMPLETIONS = {
    "ki": ["kick"],
    "kick b": ["Bob"],
    "kick ": ["Anna", "Bob"],
    "mute an": ["Anna"],
    "ban Bob --f": ["--for"],
    "close rik": ["{table}"],
    "approval ": ["on", "off"],
    "unban ": [],
    "approve ": [],
}


def test_console_completes_commands_nicks_and_tables(open_club):
    table = open_club.table.split("-", 2)[2]
    for line, words in COMPLETIONS.items():
        assert club_administration._complete_line(line) == [word.format(table=table) for word in words], line


def test_completion_without_a_club(home):
    assert params.create_name_completion("table")(None, None, "") == []
    assert params.create_name_completion("known")(None, None, "") == []


def test_commands_back_up_and_restore(cardtable, home, tmp_path):
    (home / "sessions").mkdir(parents=True)
    (home / "club.json").write_text("accounts")
    (home / "link").symlink_to("/etc/passwd")
    made = cardtable("club", "backup", "b.zip")
    error = made.read_error(0, prints=True)
    assert made.out.startswith("Saved 1 file (0.0 kB) in b.zip (0.")
    assert "left out, since" in error
    assert "link" in error
    refused = cardtable("club", "restore", "b.zip").read_error(1)
    assert "is not empty (club.json, link, sessions); move it away" in refused
    restore = ("club", "restore", "b.zip", "--into", "other")
    with status_file.hold_host_lock(home=tmp_path / "other"):
        assert cardtable(*restore).read_error(1) == "the club is open; close it first"
    cardtable(*restore).read_output()
    assert (tmp_path / "other/club.json").read_text() == "accounts"
    assert cardtable("club", "backup", "b.zip").read_error(1) == "b.zip: it already exists; choose another name"
    printed = cardtable("club", "backup", "-").read_error(2)
    assert printed == "a backup cannot be printed; give it the name of a new file"
    assert not (tmp_path / "-").exists()
