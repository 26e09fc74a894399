"""Finished sessions: requests to the host, import at home, downloads, and the guest's screens."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.client.client import MAX_DOWNLOADS, MAX_QUEUED, ClubClient, ClubObserver, SessionDownloader
from cardtable.club.client.connection import ClubConnection, Login
from cardtable.club.protocol import SeatInfo, TableInfo
from cardtable.club.server.stored_sessions import FinishedSessions
from cardtable.club.table_text import format_people
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import MAX_SESSION_BYTES, ActionLine, Occupant, OccupantLine
from cardtable.plain.club.lobby import describe_people_changes
from cardtable.records.ratings import KnownPlayers, Player
from cardtable.session.round_replay import SessionReplay
from cardtable.session.session_events import SessionOver, Stage
from cardtable.store import archive_index, credit_ledger, paths, profiles, sessions, summaries
from cardtable.store.profiles import find_seats
from tests.club.guests import make_person
from tests.club.lobby_screen import lobby_app
from tests.club.loopback_club import club, poll_until
from tests.club.test_table_screen import guest_at_table, play_together_until
from tests.session.session_player import SessionPlayer, create_session


@pytest.fixture
def home(monkeypatch, tmp_path):
    """Return a function that makes another folder, by its name, the home of this program."""

    def enter(name):
        monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path / name))

    enter("the host's")
    return enter


def play_session():
    """Play a session of Anna, Bob and robots to its end and return its summary."""
    session = create_session("gurka", people=2)
    SessionPlayer(session).run_until_pending(SessionOver)
    session.close()
    return summaries.summarize(paths.archive_folder() / f"{session.header.id}.jsonl")


async def request_journal(nick, session):
    """Return the host's answer to a person who requests a session."""
    return await FinishedSessions().read_journal(make_person(nick), session)


async def list_ids(nick):
    """Return the host's answer to a person who requests the list of their sessions."""
    return await FinishedSessions().list_ids(make_person(nick))


# What the host tells


async def test_finished_session_listed_for_its_players(home):
    ended = play_session()
    assert ended.state == "over"
    for nick, ids in (("Anna", (ended.id,)), ("Bob", (ended.id,)), ("Cleo", ()), ("Ada", ())):
        assert await list_ids(nick) == ids


async def test_journal_is_complete_except_seed(home):
    ended = play_session()
    read = journal.read((await request_journal("Bob", ended.id)).encode())
    before = journal.read(ended.path.read_bytes())
    assert [entry.line for entry in read.entries] == [entry.line for entry in before.entries]
    assert (read.header.seed, before.header.seed) == (0, 7)


async def test_session_in_progress_is_not_available(home):
    session = create_session("gurka", people=2)
    assert await list_ids("Anna") == ()
    assert await request_journal("Anna", session.header.id) == ""
    SessionPlayer(session).answer()
    session.close()
    assert await request_journal("Anna", session.header.id) == ""


async def test_archived_copy_of_unfinished_session_not_available(home):
    session = create_session("gurka", people=2)
    paths.create_folder(paths.archive_folder())
    (paths.archive_folder() / session.path.name).write_bytes(session.path.read_bytes())
    session.close()
    assert await request_journal("Anna", session.header.id) == ""


async def test_no_journal_for_people_without_a_seat(home):
    ended = play_session()
    assert await request_journal("Cleo", ended.id) == await request_journal("Ada", ended.id) == ""


@pytest.mark.parametrize("session", ["", "index", "figures", "../sessions/x", "/etc/passwd", "x" * 64, "20261120"])
async def test_rejects_invalid_session_id(home, session):
    await list_ids("Anna")  # now there is an index
    play_session()
    assert await request_journal("Anna", session) == ""


def abandon_in_second_round():
    session = create_session("gurka", people=2)
    player = SessionPlayer(session)
    while not (session.referee.scores and session.referee.playing):
        player.answer()
    session.close()
    sessions.abandon(session.path)
    return session


async def test_abandoned_session_ends_with_last_finished_round(home):
    session = abandon_in_second_round()
    assert await list_ids("Anna") == (session.header.id,)
    text = await request_journal("Anna", session.header.id)
    assert text.count('"deal ') == 1
    assert session.header.id in text
    assert journal.read(text.encode()).header.seed == 0


async def test_journal_has_current_nick_instead_of_player_id(home):
    profiles.register("Anna")
    ended = play_session()
    (id_,) = [occupant.player for occupant in ended.header.seats if occupant.player]
    profiles.update_profile("Anna", "Annika", "", "")
    assert await list_ids("Anna") == ()
    assert await list_ids("Annika") == (ended.id,)
    text = await request_journal("Annika", ended.id)
    assert id_ not in text
    assert journal.read(text.encode()).header.seats[0] == Occupant("Annika")


# What is kept at home


async def import_played_session(home, nick="Anna", profile_nick="Guest"):
    """Play a session and import it into the home of one of its players."""
    ended = play_session()
    text = await request_journal(nick, ended.id)
    home(nick)
    return archive_index.import_session(ended.id, text, "The club of Cleo", nick, profile_nick)


async def test_imported_session_is_archived(home):
    path = await import_played_session(home)
    (summary,) = archive_index.list_finished()
    assert (summary.path, summary.state, summary.header.club) == (path, "over", "The club of Cleo")
    assert SessionReplay(path).rounds == summary.round


async def test_imported_session_is_not_rated(home):
    home("Anna")
    profiles.register("Anna")
    profiles.register("Bob")
    home("the host's")
    summary = summaries.summarize(await import_played_session(home, profile_nick="Anna"))
    players = KnownPlayers(profiles.load()[0]).find_players(summary)
    assert players[0] == Player("Anna")
    assert players[1] == Player("Bob", stranger="Guest")
    assert find_seats(profiles.load()[0], "Bob", summary.header) == []
    assert not summary.is_rated


async def test_imported_session_can_be_forked_but_not_resumed(home):
    session = abandon_in_second_round()
    text = await request_journal("Anna", session.header.id)
    home("Anna")
    path = archive_index.import_session(session.header.id, text, "The club of Cleo", "Anna", "Guest")
    assert summaries.summarize(path).state == "abandoned"
    with pytest.raises(CardtableError, match="played at a club"):
        sessions.resume(path)
    copied = sessions.fork(path)
    assert (copied.header.club, copied.header.origin.id) == (None, session.header.id)
    assert copied.header.seed
    copied.close()


async def test_import_never_overwrites(home):
    path = await import_played_session(home)
    before = path.read_bytes()
    home("the host's")
    (id_,) = await list_ids("Anna")
    text = await request_journal("Anna", id_)
    home("Anna")
    assert not archive_index.is_import_missing(id_)
    with pytest.raises(CardtableError):
        archive_index.import_session(id_, text, "Another club", "Anna", "Guest")
    assert path.read_bytes() == before


def truncate(text):
    return text.rstrip()[:-1]


def replace_header(**members):
    def changed(text):
        read = journal.read(text.encode())
        header = replace(read.header, **members)
        return journal.encode(header, [entry.line for entry in read.entries]).decode()

    return changed


def insert_line(line):
    def changed(text):
        read = journal.read(text.encode())
        return journal.encode(read.header, [line, *[entry.line for entry in read.entries]]).decode()

    return changed


CORRUPTIONS = {
    "nothing": lambda _: "\n",
    "torn": truncate,
    "no journal": lambda _: "{}\n[]\n",
    "half a character": lambda text: text + "\ud800",
    "damaged": lambda text: text.replace("play", "blay", 1),
    "another session": replace_header(id="20260101-000000-gurka-aaaa"),
    "a path": replace_header(id="../sessions/mine"),
    "of others": replace_header(seats=tuple(Occupant(name) for name in ("Xenia", "Yves", "Zoe", "Will"))),
    "no game": replace_header(game="chess"),
    "too few seats": replace_header(seats=(Occupant("Anna"),)),
    "what cannot be played": insert_line(ActionLine(0, "play 2C")),
    "a seat that is not there": insert_line(OccupantLine(9, "Anna")),
    "a robot that is not there": replace_header(seats=(Occupant("Anna"), *[Occupant("Ada", "god")] * 3)),
    "too long": lambda text: text + " " * MAX_SESSION_BYTES,
}


@pytest.mark.parametrize("changed", CORRUPTIONS.values(), ids=CORRUPTIONS)
async def test_rejects_corrupted_journal(home, changed):
    ended = play_session()
    text = changed(await request_journal("Anna", ended.id))
    home("Anna")
    with pytest.raises(CardtableError):
        archive_index.import_session(ended.id, text, "The club", "Anna", "Guest")
    assert not paths.archive_folder().exists() or not [*paths.archive_folder().iterdir()]


async def test_imported_names_are_sanitized(home):
    ended = play_session()
    seats = (Occupant("Anna"), Occupant("B\x1b[31mob" + "b" * 100), *ended.header.seats[2:])
    text = replace_header(seats=seats)(await request_journal("Anna", ended.id))
    home("Anna")
    path = archive_index.import_session(ended.id, text, "\x1b]0;club\x07" + "x" * 100, "Anna", "Guest")
    assert b"\\u001b" not in path.read_bytes()
    header = summaries.summarize(path).header
    assert all(len(text) <= 24 for text in (header.club, header.seats[1].name))


async def test_import_moves_no_credits(home):
    home("Anna")
    profiles.register("Anna")
    home("the host's")
    ended = play_session()
    winner = ended.header.seats[ended.ranks.index(1)]
    seats = [
        Occupant("Anna") if occupant == winner else replace(occupant, name="Xenia") for occupant in ended.header.seats
    ]
    text = replace_header(seats=tuple(seats))(await request_journal("Anna", ended.id))
    home("Anna")
    credit_ledger.take_stakes(ended.id, [Occupant("Anna")], 10)
    archive_index.import_session(ended.id, text, "The club", "Anna", "Anna")
    credit_ledger.pay_out()
    assert [move.why for move in profiles.find("Anna").ledger] == ["stake", "returned"]


# On the way


class DownloadHost:
    """A host whose answers to a guest's downloader are given by the test."""

    def __init__(self):
        self.requests, self.imported, self.failures = [], [], []
        self.downloader = SessionDownloader(
            "Guest", self.requests.append, lambda *arguments: self.imported.append(arguments), self.failures.append
        )

    async def send_journal(self, session, text):
        await self.downloader.store_answer(protocol.FinishedJournal(session, text), "The club", "Anna")


async def test_downloads_one_session_at_a_time(home):
    ended = play_session()
    text = await request_journal("Anna", ended.id)
    home("Anna")
    host = DownloadHost()
    host.downloader.queue_sessions(["bad", ended.id, "no/id", "missing"])
    assert host.requests == [protocol.AskJournal("bad")]
    await host.send_journal(ended.id, text)  # not asked for yet
    assert not host.imported
    await host.send_journal("bad", "nonsense\n")
    assert host.failures[0].startswith("One of your sessions was not saved here")
    assert host.requests[1:] == [protocol.AskJournal(ended.id)]
    await host.send_journal(ended.id, text)
    assert [session for session, _ in host.imported] == [ended.id]
    assert host.requests[2:] == [protocol.AskJournal("missing")]
    await host.send_journal("missing", "")
    assert len(host.failures) == 1


async def test_journal_requested_after_own_table_is_gone(home, monkeypatch):
    asked = []

    async def send(_connection, message):
        asked.append(message)

    monkeypatch.setattr(ClubConnection, "send", send)
    client = ClubClient("ws://localhost", Login("Anna"), ClubObserver())
    places = SeatInfo("Anna"), SeatInfo("Bob")
    hers = TableInfo("hers", "gurka", {}, places, "Bob", playing=True)
    client.handle_message(protocol.LobbyNews(("Bob",), (hers, replace(hers, table="others", seats=places[1:]))))
    client.handle_message(protocol.LobbyNews(("Bob",), gone=("hers", "others")))
    await poll_until(lambda: len(asked) > 1)
    assert [each for each in asked if isinstance(each, protocol.AskJournal)] == [protocol.AskJournal("hers")]


async def test_limit_of_downloads_per_visit(home):
    host = DownloadHost()
    host.downloader.queue_sessions([f"session-{number}" for number in range(2 * MAX_DOWNLOADS)])
    for number in range(2 * MAX_DOWNLOADS):
        await host.send_journal(f"session-{number}", "")
    assert len(host.requests) == MAX_DOWNLOADS


class CountedStr(str):
    """A string that counts its comparisons."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        CountedStr.compared += 1
        return str.__eq__(self, other)


@pytest.fixture
def counted_names(monkeypatch):
    """Many different strings whose comparisons are counted."""
    monkeypatch.setattr(CountedStr, "compared", 0)
    return tuple([CountedStr(f"session-{number}") for number in range(1000)])


async def test_long_session_list_is_truncated(home, counted_names):
    """The list is read in linear time, and only as many ids are stored as a host may send."""
    host = DownloadHost()
    for _ in range(2):
        host.downloader.queue_sessions(counted_names)
    assert len(host.downloader._queue) == MAX_QUEUED
    assert CountedStr.compared < 2 * len(counted_names)


async def test_long_lobby_lists_take_linear_time(home, counted_names):
    client = ClubClient("ws://localhost", Login("Anna"), ClubObserver())
    places = SeatInfo("Bob"), SeatInfo("Cleo")
    tables = tuple([TableInfo(name, "gurka", {}, places, "Bob", playing=True) for name in counted_names])
    client.handle_message(protocol.LobbyNews(counted_names, tables, guests=counted_names))
    client.handle_message(
        protocol.LobbyNews(tuple(reversed(counted_names)), (), counted_names, tuple(reversed(counted_names)))
    )
    assert client.tables == {}
    assert format_people(client).count("(guest)") == len(counted_names)
    assert [*describe_people_changes(counted_names, client)] == []
    assert CountedStr.compared < 20 * len(counted_names)


# On the screen


@pytest.fixture
def guest_archive(monkeypatch, tmp_path):
    """Archive of a guest, apart from the archive of the host that runs in the same program."""
    folder = tmp_path / "archive of a guest"
    functions = {name: getattr(paths, name) for name in ("index_file", "statistics_file", "create_folder")}
    folders = tmp_path / "nothing", folder
    own = SimpleNamespace(**functions, archive_folder=lambda: folder, journal_folders=lambda: folders)
    monkeypatch.setattr(archive_index, "paths", own)
    monkeypatch.setattr(archive_index, "list_all_journals", lambda: summaries.list_journals(folder))
    return folder


async def test_guest_replays_and_reviews_finished_session(guest_archive):
    async with guest_at_table("gurka") as (anna, bob):
        assert not anna.frame.is_recorded
        await play_together_until(anna, bob, lambda: anna.frame.stage is Stage.SESSION_END)
        await anna.wait_until(lambda: anna.frame.is_recorded)
        (path,) = guest_archive.iterdir()
        assert summaries.summarize(path).header.club == "The club"
        await anna.sees("replay")
        await anna.press("r", "Replay   Gurka", "After the deal")
        await anna.press("escape", "replay")
        await anna.press("e", "Review")


async def test_spectator_downloads_nothing(guest_archive):
    async with guest_at_table("gurka", as_spectator=True) as (anna, bob):
        await bob.play()
        await anna.sees("Enter shows the result")
        await anna.press("enter")
        await anna.wait_until(lambda: anna.frame.stage is Stage.SESSION_END)
        assert not anna.frame.is_recorded
        assert not guest_archive.exists()


async def test_lobby_opens_archive_and_statistics():
    play_session()
    async with club() as (_, url), lobby_app(url) as anna:
        await anna.sees("The club", "A new table")
        await anna.press("a", "Archive", "Gurka", "Anna Bob")
        await anna.press("escape", "A new table")
        await anna.press("t", "Statistics", "Anna (guest)")
        await anna.press("escape", "A new table")
