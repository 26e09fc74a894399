"""The output of ``--json`` has the types of which ``schema`` prints the JSON schemas."""

import json

import msgspec
import pytest

from cardtable.cli.json_output import OUTPUTS, create_schema
from cardtable.games import ABOUT, KEYS
from cardtable.store import seasons
from cardtable.store.seasons import Season
from tests.cli.playing import write_session
from tests.records.archive_sessions import archive_random_session
from tests.records.review_journals import search_few_worlds
from tests.store.tournament_tables import finish, store_tournament

COMMANDS = {
    **{name: [f"{name} --json"] for name in ("games", "list", "rankings", "statistics")},
    **{name: [f"{name} --json"] for name in ("club season list", "club tournament list")},
    "show": ["show {} --json"],
    "trace": ["trace {}"],
    "review": ["review {} --seat 0 --json"],
    "arena": [
        "arena rikiki --a random --b random --deals 2 --seed 1 --json",
        "arena king --a random --b random --deals 1 --seed 1 --contract each --json",
        "arena gurka --a random --b random --deals 1 --seed 1 --sessions --json",
    ],
    "club season show": ["club season show S --robots --json"],
    "club tournament show": ["club tournament show cup-gurka --json"],
}


@pytest.fixture
def session(home, monkeypatch):
    """Finished session of Rikiki in the archive, beside a file that cannot be opened; experts think briefly."""
    search_few_worlds(monkeypatch, 2)
    archive = home / "archive"
    write_session(archive / "20261119-193200-rikiki-11bb.jsonl", rounds=28, id_="20261119-193200-rikiki-11bb")
    (archive / "20261119-193200-rikiki-11bc.jsonl").write_text("no journal\n")
    seasons.add(Season("S", ("rikiki", "king"), added=("20261119-193200-rikiki-11bb",)))
    finish(store_tournament("gurka"))
    return "20261119-193200-rikiki-11bb"


@pytest.mark.parametrize("command", OUTPUTS)
def test_output_has_its_type(cardtable, session, command):
    for line in COMMANDS[command]:
        out = cardtable(*line.format(session).split(), may_fail=True).out
        for value in out.splitlines() if command in ("trace", "arena") else [out]:
            decoded = msgspec.json.decode(value, type=OUTPUTS[command])
            assert json.loads(msgspec.json.encode(decoded)) == json.loads(value)


@pytest.mark.parametrize("game", KEYS)
def test_statistics_of_every_game_have_their_type(cardtable, game):
    robots = ["steady"] * (max(ABOUT[game].seats) - 1)
    archive_random_session(game, " ".join(["Anna", *robots]), id_="a")
    archive_random_session(game, " ".join(["Anna", *robots]), id_="b", rounds=1)
    out = cardtable("statistics", "--json").out
    rows = msgspec.json.decode(out, type=OUTPUTS["statistics"])
    assert [row.player for row in rows] == ["Anna", "steady"]
    assert json.loads(msgspec.json.encode(rows)) == json.loads(out)


def test_rows_are_of_every_kind(cardtable, session):
    whole, damaged = json.loads(cardtable("list", "--json", may_fail=True).out)
    assert (damaged.keys(), whole.keys() > {"id", "game", "players"}) == ({"id", "error"}, True)
    assert {row["game"] for row in json.loads(cardtable("games", "--json").out)} == {*KEYS}


@pytest.mark.parametrize("command", OUTPUTS)
def test_schema_describes_every_member(cardtable, command):
    schema = json.loads(cardtable("schema", command).out)
    assert schema == create_schema(command)
    for definition in schema["$defs"].values():
        assert definition["description"], "the type has no docstring"
