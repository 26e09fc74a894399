"""Who may see how much of a session: the table of cases, and what guests are sent."""

import json

import pytest
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.journal import Occupant, OccupantLine
from cardtable.store.profiles import Profile, ProfileStore
from cardtable.store.visibility import decide, encode_redacted
from tests.records.archive_sessions import make_header

NOTHING, FINISHED, ON_REQUEST, WHOLE = "nothing", "finished rounds", "on request", "whole"


@pytest.mark.parametrize(
    ("kind", "viewer", "is_open", "is_abandoned", "over"),
    [
        ("a table of a tournament's round", "home", NOTHING, NOTHING, NOTHING),
        ("a table of a tournament's round", "player", NOTHING, NOTHING, NOTHING),
        ("a session of the club", "home", FINISHED, FINISHED, WHOLE),
        ("a session of the club", "player", NOTHING, FINISHED, WHOLE),
        ("a session whose hands the host has revealed", "home", ON_REQUEST, WHOLE, WHOLE),
        ("a session whose hands the host has revealed", "player", NOTHING, FINISHED, WHOLE),
        ("a session at home", "home", ON_REQUEST, WHOLE, WHOLE),
        ("a session of robots", "home", WHOLE, WHOLE, WHOLE),
    ],
)
def test_who_sees_how_much(kind, viewer, is_open, is_abandoned, over):
    facts = {
        "is_secret": "tournament" in kind,
        "is_club_only": "club" in kind or "tournament" in kind,
        "has_people": "robots" not in kind,
    }
    states = ("open", "abandoned", "over")
    assert [decide(viewer, state, **facts) for state in states] == [is_open, is_abandoned, over]


ANNA, EMIL = "0123456789abcdef", "fedcba9876543210"
SEATS = (Occupant("Anna", player=ANNA), Occupant("Bo", "steady"), Occupant("Cara"), Occupant("Dora"))
HEADER = replace(make_header("rikiki", "~Anna steady ~Cara ~Dora"), seats=SEATS)


@pytest.mark.parametrize(("anna", "emil"), [("Anna", "Emil"), ("Hanna", "Emilia")])
def test_guests_learn_names_but_no_seed_and_no_profile(anna, emil):
    """With the profiles at hand, players have their present nicks."""
    players = tuple([Profile(nick, id=id_) for nick, id_ in (("Hanna", ANNA), ("Emilia", EMIL))])
    profile_store = ProfileStore(players=players) if anna == "Hanna" else ProfileStore()
    arrivals = [OccupantLine(seat=3, name="Emil", player=EMIL), OccupantLine(seat=2, name="Bo", robot="steady")]
    body = journal.encode(HEADER, arrivals)
    text = encode_redacted(HEADER, journal.read(body).entries, profile_store)
    header, *lines = map(json.loads, text.splitlines())
    assert [seat["name"] for seat in header["seats"]] == [anna, "Bo", "Cara", "Dora"]
    assert [(line["sit"], line["name"], line.get("robot")) for line in lines] == [(3, emil, None), (2, "Bo", "steady")]
    assert header["seed"] == 0
    assert "player" not in text
