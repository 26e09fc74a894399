"""Seat changes in replays, messages and commands: each round names the players who sat there."""

import json

import pytest

from cardtable.engine import journal
from cardtable.engine.journal import Occupant
from cardtable.engine.log_entries import SeatChanged
from cardtable.records.review import load_reviewed_session
from cardtable.session.round_replay import replay_messages
from cardtable.session.session_events import MessageLog
from cardtable.store import paths
from cardtable.wording import export_formats, score_sheet
from cardtable.wording.log_entries import format_note
from tests.session.test_round_replay import RecordedSession

ID = "20261120-083728-gurka-7f3a"
MAX = Occupant("Max", player="0123456789abcdef")


@pytest.fixture
def played():
    """Session of Gurka: Tom leaves in the second round and a robot plays for him; in the third round Max takes the
    seat.
    """
    played = RecordedSession("gurka", 4, limit=50).play_through_round(1)
    played.header = journal.Header(
        **{name: getattr(played.header, name) for name in ("game", "created", "seed", "options")},
        cardtable=3, id=ID, seats=(Occupant("Anna"), Occupant("Tom"), Occupant("Bo", "steady"), Occupant("Cy",
        "steady")),
    )  # fmt: skip
    played.table.say("bye", 1)
    played.play_steps(4)
    played.table.change_occupant(1, Occupant("Ada", "novice"))
    played.play_through_round(2)
    played.table.change_occupant(1, MAX)
    return played.play_through_round(3)


@pytest.fixture
def path(played, home):
    paths.create_folder(paths.archive_folder())
    path = paths.archive_folder() / f"{ID}.jsonl"
    path.write_bytes(journal.encode(played.header, played.lines))
    return path


def test_message_log_has_seat_changes(path):
    news = MessageLog([0])
    replay_messages(path, news)
    assert [format_note(note, you=False) for note in news.notes if isinstance(note, SeatChanged)] == [
        "Ada, a novice robot, takes Tom's seat",
        "Max takes Ada's seat",
    ]


def test_hostile_names_are_sanitized(played, path):
    played.table.change_occupant(2, Occupant("[b]\x1b[31mX\u202e"))
    path.write_bytes(journal.encode(played.header, played.lines))
    news = MessageLog([0])
    replay_messages(path, news)
    assert all(format_note(note, you=False).isprintable() for note in news.notes)


COLUMN = "Max (Tom 1, Ada 2)"
"""Name of the column of the score sheet in which three players have made a round each."""


@pytest.mark.parametrize("form", ["markdown", "csv"])
def test_exported_score_sheet_names_the_players_of_earlier_rounds(path, form):
    assert COLUMN in export_formats.export_session(path, form).decode()


def test_score_sheet_names_nobody_twice_who_came_back(played, path):
    played.table.change_occupant(1, Occupant("Tom"))
    played.play_through_round(4)
    path.write_bytes(journal.encode(played.header, played.lines))
    assert score_sheet.load(path).names[1] == "Tom (Ada 2, Max 3)"
    played.table.change_occupant(1, MAX)
    path.write_bytes(journal.encode(played.header, played.lines))
    assert score_sheet.load(path).names[1] == "Max (Tom 1, Ada 2, Tom 4)"


def test_review_names_the_players_of_earlier_rounds(path):
    parsed = journal.read(path.read_bytes())
    assert load_reviewed_session(parsed, 1, is_abandoned=True).names[1] == COLUMN


# The commands, of the session as it was given up


@pytest.fixture
def cardtable(capfd):
    from cardtable.cli import main as cli  # noqa: PLC0415 - as the tests of commands do

    def run(*arguments):
        assert cli.run(list(arguments)) == 0
        return capfd.readouterr().out

    return run


def test_commands_report_seat_changes(cardtable, path):
    assert cardtable("verify", ID).startswith(f"ok {ID} gurka rounds=3")
    trace = [json.loads(line) for line in cardtable("trace", ID).splitlines()]
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        if '"sit"' in line:
            before, after = trace[number - 1], trace[number]
            assert {**before, "line": 0} == {**after, "line": 0}, "it changes nothing of the game"
    assert "Anna,Max,Bo,Cy" in cardtable("list")
    [listed] = json.loads(cardtable("list", "--json"))
    assert listed["players"][1] == {"name": "Max", "player": MAX.player, "previous": "Tom"}
    assert cardtable("list", "--player", "tom") == cardtable("list", "--player", "max") == cardtable("list")
    assert "Max" in cardtable("show", ID).splitlines()[1]


def test_replay_and_export_name_players_of_each_round(cardtable, path):
    output = cardtable("replay", ID)
    first, second, third = output.split("\nRound ")[1:]
    assert "Tom" in first
    assert "Max" not in first
    assert "Ada, a novice robot, takes Tom's seat." in second
    assert "\nMax takes Ada's seat.\n" in third
    assert "Tom" not in third
    text = cardtable("export", ID).split("## Round ")[1:]
    assert "Ada, a novice robot, takes Tom's seat." in text[1]
    assert ["Tom" in each for each in text] == [True, True, False]
