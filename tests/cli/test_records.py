"""Rankings and statistics as commands, and the types of every output of ``--json``."""

import json

import msgspec
import pytest

from cardtable.cli import launch
from cardtable.cli.json_output import OUTPUTS, create_schema
from cardtable.games import ABOUT, KEYS
from cardtable.records import aggregation
from cardtable.store import seasons
from cardtable.store.seasons import Season
from tests.cli.playing import write_session
from tests.records.archive_sessions import archive_random_session
from tests.records.review_journals import search_few_worlds
from tests.store.tournament_tables import finish, store_tournament

RATED_HINT = "a rating needs a finished session between rated players, with a deal not known before"
COUNTED_HINT = "it must be over, with a deal not known before; cardtable list shows all sessions"


@pytest.fixture
def sample_sessions():
    """Archive sessions of Anna: two of Gurka, and one of Rikiki that she abandoned after three rounds."""
    for seed in (1, 2):
        archive_random_session("gurka", "Anna Bob expert novice", id_=f"g{seed}", seed=seed, ended=1_000_000 + seed)
    archive_random_session("rikiki", "Anna Bob expert novice", id_="r1", rounds=3)


def split_rows(result):
    return [line.split() for line in result.splitlines()]


def test_rankings_list_best_first_in_each_game(cardtable, sample_sessions):
    rows = split_rows(cardtable("rankings").out)
    assert rows[0] == ["game", "place", "player", "rating", "±", "sessions", "won"]
    assert [row[:2] for row in rows[1:]] == [
        [game, str(place)] for game in ("rikiki", "gurka") for place in (1, 2, 3, 4)
    ]
    gurka = rows[5:]
    assert {row[2] for row in gurka} == {"Anna", "Bob", "Expert", "Novice"}
    ratings = [int(row[3]) for row in gurka]
    assert ratings == sorted(ratings, reverse=True)


def test_statistics_have_a_row_per_player_and_game(cardtable, sample_sessions):
    rows = split_rows(cardtable("statistics").out)
    assert [row[:2] for row in rows[1:3]] == [["Anna", "rikiki"], ["Anna", "gurka"]]
    assert len(rows) == 1 + 2 * 4
    [gurka] = split_rows(cardtable("statistics", "anna", "--game", "gurka").out)[1:]
    assert gurka[2:4] == ["2", "0"]
    [rikiki] = split_rows(cardtable("statistics", "Anna", "--game", "rikiki").out)[1:]
    assert rikiki[2:4] == ["1", "1"]
    assert rikiki[-1].endswith("%"), "the share of exact bids"


def test_statistics_as_json(cardtable, sample_sessions):
    rows = {each["game"]: each for each in json.loads(cardtable("statistics", "Anna", "--json").out)}
    assert sum(rows["gurka"]["place_counts"]) == len(rows["gurka"]["totals"]) == 2
    assert (rows["rikiki"]["rounds"], rows["rikiki"]["abandoned"], rows["rikiki"]["totals"]) == (3, 1, [])
    assert rows["rikiki"]["rating"] < 1000, "an abandoned session is rated as a last place"
    assert sum(bids["number"] for bids in rows["rikiki"]["bids"].values()) == 3
    assert rows["rikiki"]["worst_round"]["session"] == "r1"
    assert [sum(each["sessions"] for each in rows[game]["best_totals"]) for game in ("gurka", "rikiki")] == [2, 0]
    assert rows["gurka"]["best_totals"][0]["best"] == min(rows["gurka"]["totals"])
    assert rows["gurka"]["longest_day_streak"] >= 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("rankings", f"nobody is rated yet: {RATED_HINT}"),
        ("rankings king", f"nobody is rated in King yet: {RATED_HINT}"),
        ("statistics", f"no session counts yet: {COUNTED_HINT}"),
        ("statistics Zoe --game king", f"no session of Zoe in King counts yet: {COUNTED_HINT}"),
    ],
)
def test_no_rated_or_counted_session(cardtable, line, message):
    assert cardtable(*line.split()).read_error(1) == message
    assert json.loads(cardtable(*line.split(), "--json").out) == []


@pytest.mark.parametrize("at_terminal", [False, True])
@pytest.mark.parametrize("command", ["rankings", "statistics"])
def test_progress_is_shown_while_sessions_are_read(cardtable, sample_sessions, monkeypatch, command, at_terminal):
    monkeypatch.setattr(aggregation, "PROGRESS_INTERVAL", -1)
    monkeypatch.setattr(launch, "PROGRESS_SECONDS", -1)
    monkeypatch.setattr(launch, "is_terminal", lambda _stream: at_terminal)
    result = cardtable(command)
    assert result.out.startswith("game " if command == "rankings" else "player ")
    assert "1 of 3 sessions found" in result.err
    assert "2 of 3 sessions read" in result.err
    table = [line for line in result.err.splitlines() if "Anna" in line]
    assert bool(table) == at_terminal, "a terminal gets a first table before all sessions are read"
    again = cardtable(command)
    assert (again.out, again.err) == (result.out, "")


# --- the output of ``--json`` has the types of which ``schema`` prints the JSON schemas


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
