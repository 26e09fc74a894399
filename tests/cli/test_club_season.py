"""Tables of results over a season, as commands."""

import csv
import io
import json

import pytest
from msgspec.structs import replace

from cardtable.store import profiles, seasons
from tests.records.archive_sessions import archive_random_session
from tests.toy.game_plugins import break_plugin

NOON = 1_793_880_000
"""2026-11-05T12:00:00Z."""


@pytest.fixture(autouse=True)
def budapest(set_zone):
    set_zone("Europe/Budapest")


@pytest.fixture(autouse=True)
def sample_sessions():
    """Archive sessions of the club at noon of three days in November, and one of this machine."""
    for id_, days, host in (("g5", 0, "club"), ("g6", 1, "club"), ("g7", 2, "club"), ("home", 0, None)):
        ended = NOON + days * 86400
        archive_random_session("gurka", "~Anna ~Bob ~Cleo steady", id_=id_, seed=days, ended=ended, host=host)


def show(cardtable, *options):
    return json.loads(cardtable("club", "season", "show", "autumn", "--json", *options).out)


def test_season_from_new_to_delete(cardtable):
    made = cardtable("club", "season", "new", "Autumn", "--game", "gurka", "--from", "2026-11-05", "--until",
                     "2026-11-06", "--ranked-by", "average")  # fmt: skip
    assert made.read_output() == "Autumn: Gurka; from 2026-11-05 to 2026-11-06 CET. 2 sessions count so far.\n"
    season = show(cardtable)
    assert {key: season[key] for key in season if key != "tables"} == {
        "season": "Autumn", "games": ["gurka"], "from": "2026-11-05T00:00:00+01:00",
        "until": "2026-11-07T00:00:00+01:00", "ranked_by": "average", "min_sessions": 1, "closed": False,
        "sessions": ["g5", "g6"],
        "missing": [],
    }  # fmt: skip
    assert {row["player"] for row in season["tables"][0]["rows"]} == {"Anna", "Bob", "Cleo"}
    assert {row["sessions"] for row in season["tables"][0]["rows"]} == {2}
    assert "Steady" in {row["player"] for row in show(cardtable, "--robots")["tables"][0]["rows"]}
    assert cardtable("club", "season", "add", "Autumn", "hom").out == "Autumn counts 3 sessions now.\n"
    assert cardtable("club", "season", "remove", "Autumn", "g6").out == "Autumn counts 2 sessions now.\n"
    assert show(cardtable)["sessions"] == ["g5", "home"]
    text = cardtable("club", "season", "show", "Autumn", "--with-sessions").out.splitlines()
    assert text[6].split() == ["place", "player", "played", "won", "beaten", "points", "average"]
    assert [line.split()[0] for line in text[-2:]] == ["g5", "home"]
    assert cardtable("club", "season", "close", "Autumn").out == "Autumn is closed with 2 sessions.\n"
    assert cardtable("club", "season", "add", "Autumn", "g7").err == "cardtable: the season Autumn is closed\n"
    assert json.loads(cardtable("club", "season", "list", "--json").out)[0]["closed"] is True
    assert cardtable("club", "season", "delete", "Autumn").code == 0
    assert seasons.load() == ()


@pytest.mark.parametrize(("is_installed", "state"), [(False, "is not installed"), (True, "cannot be loaded")])
def test_season_is_not_closed_while_a_game_is_missing(cardtable, monkeypatch, is_installed, state):
    """Its sessions would not be counted, and a closed season cannot be changed."""
    if is_installed:
        break_plugin(monkeypatch, "hearts")
    cardtable("club", "season", "new", "Autumn", "--game", "gurka")
    seasons.change("Autumn", lambda season: replace(season, games=("gurka", "hearts")))
    refused = cardtable("club", "season", "close", "Autumn").read_error(1)
    assert refused == f"Autumn cannot be closed now: hearts {state}, so its sessions would not count"
    assert not seasons.load()[0].is_closed


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("new Autumn --game king", "there is a season called Autumn already"),
        ("new X --game gurka --ranked-by points", "in Gurka the fewest points win"),
        ("new X --game king --from 2026-03-29T02:30", "this machine's clock skips that time"),
        ("new X --game king --from tomorrow", "enter a date such as 2026-11-05"),
        ("new X --game king --from 2026-11-06 --until 2026-11-05", "--until must be later than --from"),
        ("new X", "--game is missing"),
        ("show Winter", "no season is called 'Winter'; there are: Autumn"),
        ("add Autumn g", "several sessions begin with 'g'"),
        ("add Autumn g5", "counts this session already"),
        ("add Autumn nothing", "there is no such session"),
        ("add King g5", "the season King counts King only"),
        ("remove Autumn home", "does not count such a session"),
        ("export Autumn table.txt", "must end with .md or .csv"),
        ("export Autumn missing/table.csv", "No such file or directory"),
        ("export Autumn notes.csv", "notes.csv: it already exists; choose another name"),
    ],
)
def test_mistakes_are_explained(cardtable, tmp_path, words, error):
    (tmp_path / "notes.csv").write_text("my notes")
    seasons.add(seasons.Season("Autumn", ("gurka",)))
    seasons.add(seasons.Season("King", ("king",)))
    before = seasons.load()
    result = cardtable("club", "season", *words.split())
    assert (result.code in (1, 2), error in result.err, result.err.count("\n")) == (True, True, 1), result.err
    assert seasons.load() == before
    assert (tmp_path / "notes.csv").read_text() == "my notes"


def test_game_that_is_not_installed_is_escaped(cardtable):
    seasons.add(seasons.Season("Spring", ("\x1b]52;c;AAAA\x07",)))
    for command in ("list", "show Spring", "show Spring --with-sessions", "export Spring"):
        out = cardtable("club", "season", *command.split()).read_output()
        assert "\x1b" not in out


def test_export_follows_renames(cardtable, tmp_path):
    profiles.register("Anna")
    archive_random_session("gurka", "Anna ~Bob steady steady", id_="g8", host="club")
    profiles.update_profile("Anna", "Agatha", "", "")
    seasons.add(seasons.Season("Autumn", ("gurka",), ends=NOON))
    assert cardtable("club", "season", "export", "autumn", "table.csv").code == 0
    data = (tmp_path / "table.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    [first, *rows] = csv.DictReader(io.StringIO(data.decode("utf-8-sig")))
    assert {row["player"]: row["kind"] for row in (first, *rows)} == {"Agatha": "member", "Bob": "guest"}
    assert first["table"] == "Gurka"
    assert float(first["average_points"]) <= float(rows[0]["average_points"])
    assert cardtable("club", "season", "export", "autumn", "table.md").code == 0
    assert (
        (tmp_path / "table.md").read_text().startswith("# Autumn\n\nGurka: 1 session begun until 2026-11-05 13:00 CET.")
    )
    assert cardtable("club", "season", "export", "autumn").out == (tmp_path / "table.md").read_text()
    for file in ((), ("-",)):
        printed = cardtable("club", "season", "export", "autumn", *file, "--format", "csv")
        assert printed.out.startswith("table,place,player,kind,")
