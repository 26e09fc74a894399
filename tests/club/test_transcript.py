"""Golden transcript of a visit of three people, frame by frame; ``UPDATE_GOLDEN=1`` rewrites it."""

import json
from time import time
from typing import get_args

from cardtable.club import protocol
from cardtable.engine.journal import Occupant, PlayerClock
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store import seasons, tournaments
from cardtable.store.tournaments import Tournament, TournamentRound, TournamentTable
from cardtable.store.unfinished_tables import AbandonedStack
from tests.club.offline_club import ScriptedClub
from tests.golden_files import GOLDEN, check_golden
from tests.records.archive_sessions import archive_random_session
from tests.session.session_player import SessionPlayer, create_session

GOLDEN_NAME = "club/visit.jsonl"
CODE = "kmnpqrst"


def create_abandoned_session():
    """Create a session of Anna and Bob that was abandoned after one round; return its id."""
    session = create_session("rikiki", people=2, length="short")
    SessionPlayer(session).run_until(lambda run: len(run.referee.scores) == 1)
    session.close()
    AbandonedStack().abandon(session.path)
    return session.header.id


def archive_season():
    """Make a season with a finished session of Anna and Bob."""
    archive_random_session("rikiki", "~Anna ~Bob novice novice", host="club", length="short")
    seasons.add(seasons.Season("Autumn", ("rikiki",)))


def call_round():
    """Call the first round of a tournament of Anna, Bob and Cleo."""
    people, robot = tuple(map(Occupant, ("Anna", "Bob", "Cleo"))), Occupant("Ada", "steady")
    tables = TournamentTable(people[:2]), TournamentTable((people[2], robot))
    options, clock = GAMES["ten_down"].options().to_header(), PlayerClock(60, 600)
    called = TournamentRound(tables, "calling", call_until=int(time()) + 180)
    key = bytes(range(16))
    cup = Tournament(
        "0" * 16, "Cup", "ten_down", options, people, (called,), "steady", 120, False, 0,
        tournaments.compute_commitment(key), clock=clock,
    )  # fmt: skip
    tournaments.add(cup, key)


async def play_round(club, *people):
    """Play the first legal action of each player until the round ends."""
    while people[0].update.stage is not Stage.ROUND_END:
        guest = next(guest for guest in people if guest.view.legal)
        await club.send(guest, protocol.Act(guest.update.table, guest.update.at, str(guest.view.legal[0])))


async def run_visit(club, past):
    """Play the whole visit.

    Login, a table, a round, an absent player, an unfinished session, a tournament, the end of the club.
    """
    await club.connect("Anna")
    anna = await club.connect("Anna", code=CODE)
    bob = await club.connect("Bob", code=CODE)
    await club.send(bob, protocol.Say("A round of Rikiki?"))
    await club.send(bob, protocol.SayTo("Anna", "Are you there?"))
    await club.send(anna, protocol.Report("Bob"))
    wish = protocol.OpenTable("rikiki", 4, {"length": "short"}, "Fridays", draws_seats=False, rated=False)
    await club.send(anna, wish)
    (table,) = club.room.table_manager.registry.list_lobby_tables()
    await club.send(bob, protocol.Start(table))
    await club.send(bob, protocol.SitDown(table, 2))
    await club.send(anna, protocol.Start(table, "novice"))
    cleo = await club.connect("Cleo", code=CODE)
    await club.send(cleo, protocol.Watch(table))
    await club.send(cleo, protocol.Say("Good luck", table))
    await club.send(anna, protocol.Act(table, 99, "bid 0"))
    await play_round(club, anna, bob)
    await club.send(bob, protocol.AskRounds(table))
    await club.send(anna, protocol.VoteRematch(table))
    await club.send(bob, protocol.DeclineRematch(table))
    await club.send(anna, protocol.AcknowledgeRound(table, 1))
    await club.send(anna, protocol.SendAway(table, "Cleo"))
    await club.send(cleo, protocol.Watch(table))
    await club.send(bob, protocol.Disconnect())
    await club.send(anna, protocol.VoteSubstitute(table, 2))
    await club.send(anna, protocol.EndWait(table))
    await club.send(anna, protocol.GiveSeat(table, 2, "Cleo"))
    await club.send(anna, protocol.VoteSubstitute(table, 2))
    bob = await club.connect("Bob", token=bob.token)
    await club.send(bob, protocol.SitDown(table))
    for guest in (anna, bob):
        await club.send(guest, protocol.Leave(table))
    await club.send(bob, protocol.AskUnfinished())
    await club.send(bob, protocol.ResumeSession(table))
    await club.send(bob, protocol.Leave(table))
    await club.send(anna, protocol.AskFinished())
    await club.send(anna, protocol.AskJournal(past))
    await club.send(bob, protocol.AskDeviceWord())
    await club.send(anna, protocol.AskSeasons())
    await club.send(anna, protocol.AskSeason("Autumn"))
    await club.send(bob, protocol.AskSeason("Winter"))
    await club.send(bob, protocol.RenameSelf("Rob"))
    await club.send(bob, protocol.AskDevices())
    await club.send(bob, protocol.WithdrawDevice("0123ab"))
    await club.send(anna, protocol.CheckIn("Cup"))
    await club.send(anna, protocol.OpenTable("gurka", 4, private=True))
    (private_table,) = club.room.table_manager.registry.list_lobby_tables()
    await club.send(anna, protocol.InviteToTable(private_table, "Bob"))
    await club.send(anna, protocol.AdmitSpectators(private_table, admitted=False))
    await club.send(cleo, protocol.Register("sesame77"))
    await club.send(bob, protocol.SignIn("Cleo", "sesame77"))
    await club.send(cleo, protocol.ChangePassword("sesame77", "another77", revoke_others=True))
    await club.close()


async def test_visit_matches_golden_transcript(monkeypatch):
    past, club = create_abandoned_session(), ScriptedClub(monkeypatch, CODE)
    archive_season()
    call_round()
    await club.room.open()
    await run_visit(club, past)
    check_golden(GOLDEN_NAME, club.text)


def test_golden_transcript_has_every_message():
    lines = [json.loads(line) for line in (GOLDEN / GOLDEN_NAME).read_text(encoding="utf-8").splitlines()]
    kinds = {
        message.__struct_config__.tag for message in (*protocol.CLIENT_MESSAGES, *get_args(protocol.AnyServerMessage))
    }
    assert {line["frame"]["type"] for line in lines} == kinds
