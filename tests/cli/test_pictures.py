"""SVG pictures: ``replay --svg`` and ``export --format svg``."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest

from cardtable.engine import journal
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES, KEYS
from cardtable.store import paths, settings
from cardtable.store.settings import Settings
from tests.cli.playing import PEOPLE, ROBOTS, parse_error, write_session

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<&">\x1b[1m'


@pytest.fixture
def path(tmp_path):
    """Return the file of a session with three finished rounds of 1, 2 and 3 cards."""
    return write_session(tmp_path / "a.jsonl")


def parse(text):
    """Check that a picture is well-formed and loads nothing, and return it."""
    assert re.findall(r"https?:[^\"' ]*", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"url\(|href|@import|@font-face|<image|<script|<style", text)
    return ET.fromstring(text)


def read_texts(text):
    """Return all words of a picture in one line."""
    return " ".join(" ".join(each.text for each in parse(text).iter(f"{SVG}text")).split())


def read_title(text):
    return parse(text).find(f"{SVG}title").text


@pytest.mark.parametrize("key", KEYS)
def test_table_of_every_game(cardtable, key):
    seats = ",".join(["random"] * GAMES[key].about.usual_seats)
    cardtable("simulate", key, "--sessions", 1, "--seed", 4, "--output", "s.jsonl", "--seats", seats)
    for columns, rows in ((60, 18), (80, 24), (120, 40)):
        words = ("replay", "s.jsonl", "--svg", "-", "--size", f"{columns}x{rows}")
        out = cardtable(*words, "--trick", 1).read_output()
        assert parse(out).get("viewBox") == f"0 0 {8 * columns} {16 * rows}"
        assert read_title(out).startswith(f"{GAMES[key].about.title}, round 1")
        assert {"Ada", "Bo"} <= set(re.findall(r"\w+", read_texts(out)))
        assert out == cardtable(*words, "--turn", 1).out


@pytest.mark.parametrize(
    ("options", "moment"),
    [
        ("", "round 1 of 28, After the deal"),
        ("--round 3", "round 3 of 28, After the deal"),
        ("--round 3 --step 2", "round 3 of 28, Bids bid 2 of 4"),
        ("--round 3 --step 5", "round 3 of 28, Trick 1 card 1 of 4"),
        ("--round 3 --trick 2", "round 3 of 28, Trick 2 card 4 of 4"),
        ("--round 3 --trick 2 --step 3", "round 3 of 28, Trick 2 card 3 of 4"),
    ],
)
def test_moments(cardtable, path, options, moment):
    out = cardtable("replay", path, "--svg", "-", *options.split()).read_output()
    assert read_title(out) == f"Rikiki, {moment}: Ada, Bo, Cy, Dee"
    assert moment.split()[1] in read_texts(out)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("--round 4", "there is no round 4 to replay; there are 3 rounds"),
        ("--trick 2", "there is no trick 2 in round 1; it has 1 trick"),
        ("--trick 1 --step 5", "there is no step 5 in trick 1; it has 4 steps"),
        ("--round 2 --step 13", "there is no step 13 in round 2; it has "),
        ("--seat Eve", "nobody called 'Eve' played in it"),
    ],
)
def test_moments_that_do_not_exist(cardtable, path, options, error):
    assert error in cardtable("replay", path, "--svg", "out.svg", *options.split()).read_error(1)
    assert not Path("out.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("replay a.jsonl --trick 2", "--trick, --turn, --step and --size need --svg"),
        ("replay a.jsonl --size 80x24", "--trick, --turn, --step and --size need --svg"),
        ("replay a.jsonl --svg - --size huge", "--size: 'huge' is not a size such as 80x24"),
        ("replay a.jsonl --svg - --size 59x24", "from 60x18 to 300x100"),
        ("replay a.jsonl --svg - --size 80x999", "from 60x18 to 300x100"),
        ("replay a.jsonl --svg - --step 0", "--step: 0 is not in the range"),
        ("replay a.jsonl --svg .", "--svg: file '.' is a directory"),
        ("export a.jsonl --output out.pdf", "must end with .md, .csv, .jsonl or .svg, or --format must be given"),
    ],
)
def test_invalid_options(cardtable, path, arguments, error):
    assert error in cardtable(*arguments.split()).read_error(2)


def deal_other_cards(path):
    """Swap the card of Ada with that of Cy, in a session of which only the first deal is known."""
    read = journal.read(path.read_bytes())
    lines = [entry.line for entry in read.entries]
    for i, line in enumerate(lines):
        if isinstance(line, journal.ChanceLine) and line.is_deal:
            cards = line.outcome.split()[1:]
            cards[0], cards[2] = cards[2], cards[0]
            lines[i] = msgspec.structs.replace(line, outcome=" ".join(["deal", *cards]))
    path.with_name("b.jsonl").write_bytes(journal.encode(read.header, lines))
    return path.with_name("b.jsonl")


def test_view_of_a_seat_hides_the_other_hands(cardtable, tmp_path):
    first = write_session(tmp_path / "a.jsonl", rounds=0)
    other = deal_other_cards(first)
    for viewer, is_same in (("Bo", True), ("3", True), ("Ada", False), ("2", False), ("", False)):
        seen, seen_then = [cardtable("replay", each, "--svg", "-", "--seat", viewer).out for each in (first, other)]
        assert seen
        assert (seen == seen_then) is is_same, viewer


def test_names_are_escaped(cardtable, tmp_path):
    path = write_session(tmp_path / "a.jsonl", (Occupant(HOSTILE, "steady"), *ROBOTS[1:]))
    for command in (["replay", path, "--svg", "-"], ["export", path, "--format", "svg"]):
        drawn = cardtable(*command).read_output()
        assert '<&">\ufffd[1m' in read_texts(drawn).replace(" ", "")
        assert '<&">\ufffd[1m' in read_title(drawn)


def test_nobody_is_you_and_the_same_bytes_come_again(cardtable, tmp_path, monkeypatch):
    path = write_session(tmp_path / "a.jsonl", PEOPLE)
    drawn = cardtable("replay", path, "--svg", "-", "--show-hands").out
    assert "You" not in read_texts(drawn)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "20")
    assert cardtable("replay", path, "--svg", "-", "--show-hands").out == drawn


@pytest.mark.parametrize("command", ["replay a.jsonl --svg -", "export a.jsonl --format svg"])
def test_pictures_follow_theme_and_flags_but_no_variable_of_terminals(cardtable, path, command, monkeypatch):
    usual = cardtable(*command.split()).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert cardtable(*command.split()).out == usual
    letters = cardtable(*command.split(), "--ascii").out
    assert letters.isascii()
    assert not usual.isascii()
    mono = cardtable(*command.split(), "--mono").out
    assert len(set(re.findall('fill="(.*?)"', mono))) <= 3
    other = next(file.stem for file in paths.shipped_theme_files() if file.stem != "classic")
    settings.save(Settings(), Settings(theme=other))
    themed = cardtable(*command.split()).out
    assert themed != usual
    assert read_texts(themed) == read_texts(usual)


@pytest.mark.parametrize(
    ("option", "format_"), [("out.md", "markdown"), ("out.csv", "csv"), ("out.jsonl", "journal"), ("out.svg", "svg")]
)
def test_export_into_a_new_file(cardtable, path, option, format_):
    printed = cardtable("export", path, "--format", format_)
    assert printed.out == cardtable("export", path, "--format", format_, "--output", "-").out
    assert cardtable("export", path, "--output", option).read_output() == ""
    assert Path(option).read_bytes() == printed.out.encode()


@pytest.mark.parametrize("command", ["replay a.jsonl --svg {}", "export a.jsonl --output {} --format csv"])
def test_nothing_is_overwritten(cardtable, path, command):
    before = path.read_bytes()
    assert "it already exists; choose another name" in cardtable(*command.format(path).split()).read_error(1)
    assert path.read_bytes() == before
    assert "cannot be written" in parse_error(cardtable(*command.format("no-folder/out.svg").split()).err)


def test_score_sheet_has_every_number_of_show(cardtable, path):
    drawn = cardtable("export", path, "--format", "svg").read_output()
    assert read_title(drawn) == "Rikiki, score sheet: Ada, Bo, Cy, Dee"
    text = read_texts(drawn).replace(" ", "").replace("−", "-")
    for line in cardtable("export", path, "--format", "csv").out.splitlines()[1:]:
        number, _, *cells, _ = line.split(",")
        signed = [f"+{cell}" if i % 4 == 2 and int(cell) > 0 else cell for i, cell in enumerate(cells)]
        assert "".join(signed) in text, number
    assert "Notover;3roundsfinished." in text
