"""A visit of three people as it goes over the wire, frame by frame; ``UPDATE_GOLDEN=1`` writes it anew."""

import json
from typing import get_args

from cardtable.club import protocol
from cardtable.session.session_events import Stage
from cardtable.store.sessions import AbandonedStack
from tests.club.by_hand import Club
from tests.golden_files import GOLDEN, check
from tests.session.session_player import Sitting, session

NAME = "club/visit.jsonl"
CODE = "kmnpqrst"


def given_up():
    """A session of Anna and Bob that was given up after a round."""
    it = session("rikiki", people=2, length="short")
    Sitting(it).on(lambda run: len(run.referee.scores) == 1)
    it.close()
    AbandonedStack().abandon(it.path)
    return it.header.id


async def play_a_round(club, *people):
    """Each does the first thing that is legal."""
    while people[0].update.stage is not Stage.ROUND_END:
        who = next(who for who in people if who.view.legal)
        await club.hears(who, protocol.Act(who.update.table, who.update.at, str(who.view.legal[0])))


async def visit(club, past):
    """Coming in, a table, a round, somebody away and back, an unfinished session, and the end of the club."""
    await club.comes("Anna")
    anna = await club.comes("Anna", code=CODE)
    bob = await club.comes("Bob", code=CODE)
    await club.hears(bob, protocol.Say("A round of Rikiki?"))
    await club.hears(anna, protocol.OpenTable("rikiki", 4, {"length": "short"}, "Fridays", lot=False))
    (table,) = club.room.table_manager.rows()
    await club.hears(bob, protocol.Start(table))
    await club.hears(bob, protocol.SitDown(table, 2))
    await club.hears(anna, protocol.Start(table, "novice"))
    cleo = await club.comes("Cleo", code=CODE)
    await club.hears(cleo, protocol.LookOn(table))
    await club.hears(cleo, protocol.Say("Good luck", table))
    await club.hears(anna, protocol.Act(table, 99, "bid 0"))
    await play_a_round(club, anna, bob)
    await club.hears(bob, protocol.AskRounds(table))
    await club.hears(anna, protocol.Ready(table, 1))
    await club.hears(cleo, protocol.Leave(table))
    await club.hears(bob, protocol.Disconnect())
    await club.hears(anna, protocol.StandIn(table, 2))
    await club.hears(anna, protocol.EndWait(table))
    await club.hears(anna, protocol.GiveSeat(table, 2, "Cleo"))
    await club.hears(anna, protocol.StandIn(table, 2))
    await club.hears(anna, protocol.PlayAgain(table))
    bob = await club.comes("Bob", token=bob.token)
    await club.hears(bob, protocol.SitDown(table))
    for who in (anna, bob):
        await club.hears(who, protocol.Leave(table))
    await club.hears(bob, protocol.AskUnfinished())
    await club.hears(bob, protocol.ResumeSession(table))
    await club.hears(bob, protocol.Leave(table))
    await club.hears(anna, protocol.AskFinished())
    await club.hears(anna, protocol.AskJournal(past))
    await club.hears(cleo, protocol.Register("sesame77"))
    await club.hears(bob, protocol.SignIn("Cleo", "sesame77"))
    await club.closes()


async def test_a_visit_goes_over_the_wire_as_it_is_written_down(monkeypatch):
    past, club = given_up(), Club(monkeypatch, CODE)
    await club.room.open()
    await visit(club, past)
    check(NAME, club.text)


def test_what_is_written_down_has_every_message():
    lines = [json.loads(line) for line in (GOLDEN / NAME).read_text(encoding="utf-8").splitlines()]
    kinds = {
        message.__struct_config__.tag
        for message in (*get_args(protocol.AnyClientMessage), *get_args(protocol.AnyServerMessage))
    }
    assert {line["frame"]["type"] for line in lines} == kinds


def test_every_frame_that_is_written_down_can_be_read():
    for line in (GOLDEN / NAME).read_text(encoding="utf-8").splitlines():
        frame = json.dumps(json.loads(line)["frame"])
        (protocol.decode_client if "from" in json.loads(line) else protocol.decode_server)(frame)
