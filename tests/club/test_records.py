"""Sessions that are over, at the host and in the archives of those who sat there."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.client.client import MOST, MOST_LISTED, ClubClient, SessionDownloader
from cardtable.club.client.connection import Login
from cardtable.club.protocol import SeatInfo, TableInfo
from cardtable.club.server.finished_sessions import FinishedSessions
from cardtable.club.table_text import people_words
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import MAX_SESSION_BYTES, Line, Occupant
from cardtable.plain.club.lobby import describe_people_changes
from cardtable.records.ratings import KnownPlayers, Player
from cardtable.session.round_replay import SessionReplay
from cardtable.session.session_events import SessionOver, Stage
from cardtable.store import (
    archive_index,
    club_import,
    credit_ledger,
    paths,
    profiles,
    sessions,
    summaries,
)
from cardtable.store.profiles import find_seats
from tests.club.over_loopback import Guest, club
from tests.club.test_guest_table import at_a_table, together
from tests.club.test_lobby import lobby, shows
from tests.session.session_player import Sitting, session
from tests.ui.screen_text import screen_text
from tests.ui.table_host import wait_until


@pytest.fixture
def home(monkeypatch, tmp_path):
    """Makes another home the one of this program; each has a name."""

    def enter(name):
        monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path / name))

    enter("the host's")
    return enter


def over():
    """A session of Anna, Bob and robots, played to its end."""
    it = session("gurka", people=2)
    Sitting(it).to(SessionOver)
    it.close()
    return summaries.summarize(paths.archive_folder() / f"{it.header.id}.jsonl")


async def told(nick, session):
    """What the host says to somebody who asks for a session."""
    return await FinishedSessions().journal(nick, session)


# What the host tells


async def test_those_who_sat_there_are_told_of_a_session_that_is_over(home):
    ended = over()
    assert ended.state == "over"
    assert await FinishedSessions().of("Anna") == await FinishedSessions().of("Bob") == (ended.id,)
    assert await FinishedSessions().of("Cleo") == await FinishedSessions().of("Ada") == ()


async def test_they_get_all_of_it_but_its_seed(home):
    ended = over()
    read = journal.read((await told("Bob", ended.id)).encode())
    before = journal.read(ended.path.read_bytes())
    assert [entry.line for entry in read.entries] == [entry.line for entry in before.entries]
    assert (read.header.seed, before.header.seed) == (0, 7)


async def test_a_session_that_is_played_is_told_to_nobody(home):
    it = session("gurka", people=2)
    assert await FinishedSessions().of("Anna") == ()
    assert await told("Anna", it.header.id) == ""
    Sitting(it).step()
    it.close()
    assert await told("Anna", it.header.id) == ""


async def test_nor_is_it_while_a_copy_of_it_lies_in_the_archive(home):
    it = session("gurka", people=2)
    paths.create_folder(paths.archive_folder())
    (paths.archive_folder() / it.path.name).write_bytes(it.path.read_bytes())
    it.close()
    assert await told("Anna", it.header.id) == ""


async def test_who_had_no_seat_gets_none(home):
    ended = over()
    assert await told("Cleo", ended.id) == await told("Ada", ended.id) == ""


@pytest.mark.parametrize("session", ["", "index", "figures", "../sessions/x", "/etc/passwd", "x" * 64, "20261120"])
async def test_what_is_no_session_is_told_to_nobody(home, session):
    await FinishedSessions().of("Anna")  # now there is an index
    over()
    assert await told("Anna", session) == ""


async def test_one_that_was_given_up_is_told_up_to_its_last_finished_round(home):
    it = session("gurka", people=2)
    sitting = Sitting(it)
    while not (it.referee.scores and it.referee.playing):
        sitting.step()
    it.close()
    sessions.abandon(it.path)
    assert await FinishedSessions().of("Anna") == (it.header.id,)
    text = await told("Anna", it.header.id)
    assert text.count('"deal ') == 1
    assert it.header.id in text
    assert journal.read(text.encode()).header.seed == 0


async def test_a_player_is_told_by_her_nick_of_today_and_not_by_her_id(home):
    profiles.register("Anna")
    ended = over()
    (id_,) = [who.player for who in ended.header.seats if who.player]
    profiles.update_profile("Anna", "Annika", "", "")
    assert await FinishedSessions().of("Anna") == ()
    assert await FinishedSessions().of("Annika") == (ended.id,)
    text = await told("Annika", ended.id)
    assert id_ not in text
    assert journal.read(text.encode()).header.seats[0] == Occupant("Annika")


async def test_who_does_not_read_gets_no_second_one(home):
    ended = over()
    async with club() as (room, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        (visit,) = room._visits
        visit._answers.append(protocol.PastJournal(ended.id, ""))
        await room.hear(visit, protocol.AskJournal(ended.id))
        assert [type(each) for each in visit._answers][1:] == [protocol.RequestFailed]


# What is kept at home


async def kept(home, who="Anna", me="Guest"):
    """A session as it is kept in the home of who sat there."""
    ended = over()
    text = await told(who, ended.id)
    home(who)
    return club_import.import_session(ended.id, text, "The club of Cleo", who, me)


async def test_it_is_in_the_archive_at_home(home):
    path = await kept(home)
    (summary,) = archive_index.list_finished()
    assert (summary.path, summary.state, summary.header.club) == (path, "over", "The club of Cleo")
    assert SessionReplay(path).rounds == summary.round


async def test_it_counts_for_her_but_not_in_ratings(home):
    home("Anna")
    profiles.register("Anna")
    profiles.register("Bob")
    home("the host's")
    summary = summaries.summarize(await kept(home, me="Anna"))
    players = KnownPlayers(profiles.load()[0]).find_players(summary)
    assert players[0] == Player("Anna")
    assert players[1] == Player("Bob", stranger="Guest")
    assert find_seats(profiles.load()[0], "Bob", summary.header) == []
    assert not summary.is_rated


async def test_it_is_not_gone_on_with_and_a_copy_is_a_session_of_hers(home):
    it = session("gurka", people=2)
    sitting = Sitting(it)
    while not (it.referee.scores and it.referee.playing):
        sitting.step()
    it.close()
    sessions.abandon(it.path)
    text = await told("Anna", it.header.id)
    home("Anna")
    path = club_import.import_session(it.header.id, text, "The club of Cleo", "Anna", "Guest")
    assert summaries.summarize(path).state == "given-up"
    with pytest.raises(CardtableError, match="played at a club"):
        sessions.resume(path)
    copied = sessions.fork(path)
    assert (copied.header.club, copied.header.origin.id) == (None, it.header.id)
    assert copied.header.seed
    copied.close()


async def test_what_she_has_is_never_written_over(home):
    path = await kept(home)
    before = path.read_bytes()
    home("the host's")
    (id_,) = await FinishedSessions().of("Anna")
    text = await told("Anna", id_)
    home("Anna")
    assert not club_import.is_missing(id_)
    with pytest.raises(CardtableError):
        club_import.import_session(id_, text, "Another club", "Anna", "Guest")
    assert path.read_bytes() == before


def cut(text):
    return text.rstrip()[:-1]


def with_a_header(**members):
    def changed(text):
        read = journal.read(text.encode())
        header = replace(read.header, **members)
        return journal.encode([header, *[entry.line for entry in read.entries]]).decode()

    return changed


def with_a_line(line):
    def changed(text):
        read = journal.read(text.encode())
        return journal.encode([read.header, line, *[entry.line for entry in read.entries]]).decode()

    return changed


BAD = {
    "nothing": lambda _: "\n",
    "torn": cut,
    "no journal": lambda _: "{}\n[]\n",
    "half a character": lambda text: text + "\ud800",
    "damaged": lambda text: text.replace("play", "blay", 1),
    "another session": with_a_header(id="20260101-000000-gurka-aaaa"),
    "a path": with_a_header(id="../sessions/mine"),
    "of others": with_a_header(seats=tuple(Occupant(name) for name in ("Xenia", "Yves", "Zoe", "Will"))),
    "no game": with_a_header(game="chess"),
    "too few seats": with_a_header(seats=(Occupant("Anna"),)),
    "what cannot be played": with_a_line(Line(seat=0, action="play 2C")),
    "a seat that is not there": with_a_line(Line(sit=9, name="Anna")),
    "a robot that is not there": with_a_header(seats=(Occupant("Anna"), *[Occupant("Ada", "god")] * 3)),
    "too long": lambda text: text + " " * MAX_SESSION_BYTES,
}


@pytest.mark.parametrize("changed", BAD.values(), ids=BAD)
async def test_a_bad_journal_costs_one_line_and_is_not_kept(home, changed):
    ended = over()
    text = changed(await told("Anna", ended.id))
    home("Anna")
    with pytest.raises(CardtableError):
        club_import.import_session(ended.id, text, "The club", "Anna", "Guest")
    assert not paths.archive_folder().exists() or not [*paths.archive_folder().iterdir()]


async def test_names_from_elsewhere_are_clean(home):
    ended = over()
    seats = (Occupant("Anna"), Occupant("B\x1b[31mob" + "b" * 100), *ended.header.seats[2:])
    text = with_a_header(seats=seats)(await told("Anna", ended.id))
    home("Anna")
    path = club_import.import_session(ended.id, text, "\x1b]0;club\x07" + "x" * 100, "Anna", "Guest")
    assert b"\\u001b" not in path.read_bytes()
    header = summaries.summarize(path).header
    assert all(len(text) <= 24 for text in (header.club, header.seats[1].name))


async def test_it_moves_no_credits_at_home(home):
    home("Anna")
    profiles.register("Anna")
    home("the host's")
    ended = over()
    winner = ended.header.seats[ended.ranks.index(1)]
    seats = [Occupant("Anna") if who == winner else replace(who, name="Xenia") for who in ended.header.seats]
    text = with_a_header(seats=tuple(seats))(await told("Anna", ended.id))
    home("Anna")
    credit_ledger.take_stakes(ended.id, [Occupant("Anna")], 10)
    club_import.import_session(ended.id, text, "The club", "Anna", "Anna")
    credit_ledger.pay_out()
    assert [move.why for move in profiles.find("Anna").ledger] == ["stake", "returned"]


# On the way


class Host:
    """A host that a guest's program asks for sessions."""

    def __init__(self):
        self.asked, self.kept, self.failed = [], [], []
        self.fetching = SessionDownloader(
            "Guest", self.asked.append, lambda *kept: self.kept.append(kept), self.failed.append
        )

    async def says(self, session, text):
        await self.fetching.receive(protocol.PastJournal(session, text), "The club", "Anna")


async def test_one_is_asked_for_after_the_other_and_a_bad_one_is_told(home):
    ended = over()
    text = await told("Anna", ended.id)
    home("Anna")
    host = Host()
    host.fetching.request(["bad", ended.id, "no/id", "missing"])
    assert host.asked == [protocol.AskJournal("bad")]
    await host.says(ended.id, text)  # not asked for yet
    assert not host.kept
    await host.says("bad", "nonsense\n")
    assert host.failed[0].startswith("A session of yours could not be saved here")
    assert host.asked[1:] == [protocol.AskJournal(ended.id)]
    await host.says(ended.id, text)
    assert [session for session, _ in host.kept] == [ended.id]
    assert host.asked[2:] == [protocol.AskJournal("missing")]
    await host.says("missing", "")
    assert len(host.failed) == 1


async def test_a_session_that_others_have_ended_is_asked_for_once_its_table_is_gone(home):
    visiting, asked = ClubClient("ws://localhost", Login("Anna")), []
    visiting._later = visiting._fetching._ask = asked.append
    places = SeatInfo("Anna"), SeatInfo("Bob")
    hers = TableInfo("hers", "gurka", {}, places, "Bob", playing=True)
    visiting._hear(protocol.LobbyNews(("Bob",), (hers, replace(hers, table="others", places=places[1:]))))
    asked.clear()
    visiting._hear(protocol.LobbyNews(("Bob",), gone=("hers", "others")))
    assert [each for each in asked if isinstance(each, protocol.AskJournal)] == [protocol.AskJournal("hers")]


async def test_no_host_is_asked_for_more_than_so_many_at_one_visit(home):
    host = Host()
    host.fetching.request([f"session-{number}" for number in range(2 * MOST)])
    for number in range(2 * MOST):
        await host.says(f"session-{number}", "")
    assert len(host.asked) == MOST


class Counted(str):
    """A text that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)


@pytest.fixture
def names(monkeypatch):
    """Many different texts, whose comparisons are counted."""
    monkeypatch.setattr(Counted, "compared", 0)
    return tuple([Counted(f"session-{number}") for number in range(1000)])


async def test_long_list_of_a_host_is_cut(home, names):
    """A list of any length takes time in proportion to it, and no more of it is stored than a host may send."""
    host = Host()
    for _ in range(2):
        host.fetching.request(names)
    assert len(host.fetching._wanted) == MOST_LISTED
    assert Counted.compared < 2 * len(names)
    host.fetching.request(["session-1", "session-1"])
    assert len(host.fetching._wanted) == MOST_LISTED


async def test_ids_of_a_host_that_are_none(home):
    paths.create_folder(paths.archive_folder())
    host = Host()
    host.fetching.request(["x" * 300, "../" * 1000, "a\x00", ""])
    assert (host.asked, host.kept, host.failed) == ([], [], [])


async def test_long_lists_of_people_and_tables(home, names):
    """They are compared in proportion to their length."""
    visiting = ClubClient("ws://localhost", Login("Anna"))
    visiting._later = visiting._fetching._ask = lambda _: None
    places = SeatInfo("Bob"), SeatInfo("Cleo")
    tables = tuple([TableInfo(name, "gurka", {}, places, "Bob", playing=True) for name in names])
    visiting._hear(protocol.LobbyNews(names, tables, guests=names))
    visiting._hear(protocol.LobbyNews(tuple(reversed(names)), (), names, tuple(reversed(names))))
    assert visiting.tables == {}
    assert people_words(visiting).count("(guest)") == len(names)
    assert [*describe_people_changes(names, visiting)] == []
    assert Counted.compared < 20 * len(names)


async def test_a_guest_asks_and_gets_it_over_the_wire(home):
    ended = over()
    heard = []
    async with club() as (_, url), Guest(url, "Anna") as anna:
        hear = anna.hear
        anna.link._hear = lambda message: (heard.append(message), hear(message))
        await anna.until(lambda: anna.welcome)
        await anna.say(protocol.AskFinished())
        await anna.until(lambda: any(isinstance(each, protocol.Finished) for each in heard))
        await anna.say(protocol.AskJournal(ended.id))
        await anna.until(lambda: any(isinstance(each, protocol.PastJournal) for each in heard))
    assert protocol.Finished((ended.id,)) in heard
    assert protocol.PastJournal(ended.id, await told("Anna", ended.id)) in heard


# On the screen


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """The archive of a guest whose home is not that of the host, which runs in this program, too."""
    folder = tmp_path / "archive of a guest"
    ways = {name: getattr(paths, name) for name in ("index_file", "statistics_file", "create_folder")}
    own = SimpleNamespace(**ways, archive_folder=lambda: folder, sessions_folder=lambda: tmp_path / "nothing")
    monkeypatch.setattr(club_import, "paths", own)
    return folder


async def test_a_session_that_has_just_ended_is_replayed_and_reviewed_at_the_guest_s_table(elsewhere):
    async with at_a_table("gurka") as (app, pilot, bob):
        assert not app.frame.is_recorded
        await together(app, pilot, bob, lambda: app.frame.stage is Stage.SESSION_END)
        await wait_until(pilot, lambda: app.frame.is_recorded)
        (path,) = elsewhere.iterdir()
        assert summaries.summarize(path).header.club == "The club"
        await wait_until(pilot, lambda: "replay" in screen_text(app))
        await pilot.press("r")
        await pilot.pause()
        await pilot.press("e")
        await wait_until(pilot, lambda: app.context.requests == [("replay", path, 1), ("review", path)])


async def test_who_looked_on_keeps_nothing(elsewhere):
    async with at_a_table("gurka", look_on=True) as (app, pilot, bob):
        await bob.play()
        await wait_until(pilot, lambda: app.frame.stage is Stage.SESSION_END)
        assert not app.frame.is_recorded
        assert not elsewhere.exists()


async def test_the_archive_and_her_statistics_are_reached_from_the_lobby():
    over()
    async with club() as (_, url), lobby(url) as (app, pilot):
        await wait_until(pilot, shows(app, "The club", "A new table"))
        await pilot.press("a")
        await wait_until(pilot, shows(app, "Archive", "Gurka", "Anna Bob"))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "A new table"))
        await pilot.press("t")
        await wait_until(pilot, shows(app, "Statistics", "Anna (guest)"))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "A new table"))
