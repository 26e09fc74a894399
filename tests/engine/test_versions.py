"""Marks in journals of versions 2 and 3, packages and versions of games, and occupants that change."""

import json

import pytest

from cardtable.engine import journal, replay
from cardtable.engine.checksummed_jsonl import JournalError
from cardtable.engine.errors import GameFailed
from cardtable.engine.game import OVER
from cardtable.engine.journal import SENTENCES, MarkLine, Occupant, OccupantLine, TalkLine
from cardtable.engine.referee import IllegalAction
from cardtable.games import GAMES
from tests.engine.journal_bytes import LINES, append_sealed, read_lines
from tests.engine.toy import GAME, Options, RecordingReferee, ToyState, make_header
from tests.overriding import override
from tests.toy.game_plugins import break_plugin

SEALED_JOURNAL = journal.encode(make_header(), LINES)
MAX = Occupant("Max", player="0123456789abcdef")


def make_unsealed_journal(version, head=None, **line):
    """Return a journal of a header and one line in this version, without checksums."""
    members = {**json.loads(SEALED_JOURNAL.split(b"\n")[0]), "cardtable": version, **(head or {})}
    del members["crc"]
    return b"".join(json.dumps(each).encode() + b"\n" for each in (members, line))


def test_seat_with_profile_id():
    seats = [{"name": "Anna", "player": "0123456789abcdef"}, {"name": "Bo", "robot": "steady"}]
    read = journal.read(make_unsealed_journal(2, {"seats": seats}, say="hello"))
    assert read.header.seats == (Occupant("Anna", player="0123456789abcdef"), Occupant("Bo", "steady"))


def test_sit_line_names_new_occupant():
    body = b'{"sit":1,"name":"Max","player":"0123456789abcdef","when":1795422000}'
    [line] = read_lines(append_sealed(body, before=SEALED_JOURNAL))[len(LINES) :]
    assert (line.seat, line.occupant, line.when) == (1, MAX, 1795422000)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"sit": 1}, "required field `name`"),
        ({"sit": 1, "name": None}, "Expected `str`"),
        ({"sit": None, "name": "Max"}, "sit is null"),
        ({"sit": 1, "name": "Max", "say": "hello"}, "2 things instead of one"),
        ({"sit": "1", "name": "Max"}, "Expected `int"),
        ({"sit": 1, "name": "Max", "player": 5}, "Expected `str"),
        ({"say": "hello", "when": 1.5}, "Expected `int"),
        ({"say": "hello", "when": -1}, "before 1970"),
    ],
)
def test_invalid_members_of_lines(line, message):
    with pytest.raises(JournalError, match=message) as error_info:
        journal.read(make_unsealed_journal(2, **line))
    assert error_info.value.line == 2


# Marks


def encode_version(version, *lines):
    return journal.encode(make_header(cardtable=version), lines)


@pytest.mark.parametrize("mark", SENTENCES)
def test_mark_is_talk_in_version_2(mark):
    line = MarkLine(mark, at=1)
    assert json.loads(encode_version(3, line).splitlines()[1])["mark"] == mark
    body = b'{"say":"%s","at":1,"crc":' % SENTENCES[mark].encode()
    assert encode_version(2, line).splitlines()[1].startswith(body)
    assert read_lines(encode_version(2, line)) == read_lines(encode_version(3, line)) == [line]


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("seat", [0, None])
@pytest.mark.parametrize("change", ["{}", "{} ", " {}", "Kay: {}"])
def test_talk_is_never_read_as_a_mark(version, seat, change):
    lines = [TalkLine(text=change.format(text), seat=seat) for text in SENTENCES.values()]
    read = read_lines(encode_version(version, *lines))
    assert [type(line) for line in read] == [TalkLine] * 3
    assert [line.text.strip() for line in read] == [line.text.strip() for line in lines]


def test_member_mark_has_no_meaning_in_version_2():
    [line] = read_lines(make_unsealed_journal(2, say="hello", mark="private"))
    assert line == TalkLine(text="hello")
    with pytest.raises(JournalError, match="nothing known"):
        journal.read(make_unsealed_journal(2, mark="private"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"mark": "public"}, "Invalid enum value 'public'"),
        ({"mark": None}, "mark is null"),
        ({"mark": "private", "say": "hello"}, "2 things instead of one"),
    ],
)
def test_invalid_mark_is_damage(line, message):
    with pytest.raises(JournalError, match=message):
        journal.read(make_unsealed_journal(3, **line))


def test_mark_may_follow_the_end():
    table = RecordingReferee()
    while not table.ended:
        table.advance()
        table.keep(table.turn >= 0)
    table.record_line(MarkLine("at-club"))
    for version in (2, 3):
        assert replay.load(journal.read(encode_version(version, *table.lines)), {"toy": GAME}).ended


# Packages


def test_missing_game_is_named_with_its_package():
    outside = make_unsealed_journal(2, {"game": "hearts", "package": "cardtable-hearts 1.0"}, say="hello")
    with pytest.raises(
        JournalError, match=r"'hearts' is not installed; it comes with 'cardtable-hearts 1\.0'"
    ) as error_info:
        replay.load(journal.read(outside), {"toy": GAME})
    assert error_info.value.line == 1


@pytest.mark.parametrize(
    ("key", "package", "rejected", "message"),
    [
        (
            "hearts",
            "cardtable-hearts 1.0",
            "cardtable_hearts 2.0",
            "cardtable_hearts 2.0 cannot be loaded: SyntaxError",
        ),
        ("hearts", None, "cardtable-hearts 1.0", "cardtable-hearts 1.0 cannot be loaded: SyntaxError"),
        ("", "cardtable-hearts 1.0", "cardtable-hearts 1.0", "no game of cardtable-hearts 1.0 can be loaded: "),
        ("", None, "cardtable-hearts 1.0", "'hearts' is not installed$"),
        ("spots", "cardtable-hearts 1.0", "cardtable-hearts 1.0", "'hearts' is not installed; it comes with "),
        ("hearts", "cardtable-hearts 1.0", "other-hearts 1.0", "'hearts' is not installed; it comes with "),
    ],
)
def test_game_that_cannot_be_loaded_is_not_called_missing(monkeypatch, key, package, rejected, message):
    break_plugin(monkeypatch, key, rejected)
    outside = make_unsealed_journal(2, {"game": "hearts", "package": package}, say="hello")
    with pytest.raises(JournalError, match=message):
        replay.load(journal.read(outside), GAMES)


def read_package(package, values, *, installed="toy-game 0.2", **parts):
    """Read a session of the toy that a package has written, with the toy of an installed package."""
    header = {"package": package, "options": {"stakes": "low", "round_clock": "off", **values}}
    game = override(GAME, package=installed, **parts)
    return journal.read(make_unsealed_journal(2, header, say="hello")), {"toy": game}


def test_house_rules_of_another_version_are_not_checked_when_read():
    read, games = read_package("toy-game 0.1", {"gone": 3, "stakes": "huge"})
    assert replay.load(read, games).options == Options(stakes="huge")
    with pytest.raises(ValueError, match=r"^written by toy-game 0\.1, installed is 0\.2: option stakes cannot be"):
        replay.read_current_rules(read.header, games)


def test_house_rule_of_the_same_version_has_to_be_valid():
    read, games = read_package("toy-game 0.2", {"stakes": "huge"})
    with pytest.raises(JournalError, match=r"^option stakes cannot be 'huge'"):
        replay.load(read, games)


def test_game_translates_house_rules_of_another_version():
    def translate(values, version):
        assert version == "0.1"
        return {"stakes": "high" if values["stakes"] == "huge" else values["stakes"]}

    read, games = read_package("toy-game 0.1", {"stakes": "huge"}, migrate_options=translate)
    assert replay.load(read, games).options == Options(stakes="high")
    replay.read_current_rules(read.header, games)


def test_illegal_line_of_another_version_is_explained():
    read, games = read_package("toy-game 0.1", {})
    outside = journal.read(make_unsealed_journal(2, {"package": "toy-game 0.1"}, chance="deal AS"))
    with pytest.raises(JournalError, match=r"^written by toy-game 0\.1, installed is 0\.2: "):
        replay.load(outside, games)
    assert replay.load(read, games)


def test_failure_in_a_session_of_another_version_is_explained():
    class FailingState(ToyState):
        def is_possible_chance(self, _chance):
            raise GameFailed("Toy (toy-game 0.2) has failed")

    _, games = read_package("toy-game 0.1", {}, start=lambda _seats, options: FailingState(options))
    outside = journal.read(make_unsealed_journal(2, {"package": "toy-game 0.1"}, chance="first 0"))
    with pytest.raises(GameFailed, match=r"^written by toy-game 0\.1, installed is 0\.2: Toy"):
        replay.load(outside, games)


def test_session_of_another_package_with_the_same_key_is_refused():
    read, games = read_package("toy-game 0.1", {}, installed="other-toy 3.0")
    with pytest.raises(JournalError, match=r"played with 'toy-game 0\.1', and 'toy' is now a game of 'other-toy 3\.0'"):
        replay.load(read, games)
    read, games = read_package("Toy_Game 0.1", {})
    assert replay.load(read, games)


# At the table


def test_seat_change_is_not_undone():
    table = RecordingReferee()
    table.advance()
    table.keep()
    before = table.view(0), table.view(1), table.decisions
    table.change_occupant(1, MAX)
    assert (table.view(0), table.view(1), table.decisions) == before
    assert table.lines[-1] == OccupantLine(1, "Max", player=MAX.player)
    table.undo(1)
    assert table.occupants.changed == {1: MAX}
    table.change_occupant(1, Occupant("Bo", "steady"))
    assert table.occupants.changed == {1: Occupant("Bo", "steady")}
    assert journal.replace_occupants(make_header(), table.occupants.changed).people == [0]


def test_seat_change_requires_seat_and_running_session():
    table = RecordingReferee()
    for seat in (-1, 2):
        with pytest.raises(IllegalAction, match="no seat"):
            table.change_occupant(seat, MAX)
    while table.turn != OVER:
        table.advance()
        table.keep(table.turn >= 0)
    with pytest.raises(IllegalAction, match="ended"):
        table.change_occupant(0, MAX)
    assert table.occupants.changed == {}


def test_replay_restores_seat_change():
    table = RecordingReferee()
    table.advance()
    table.change_occupant(0, MAX)
    table.keep()
    again = replay.load(journal.read(journal.encode(make_header(), table.lines)), {"toy": GAME})
    assert (again.occupants.changed, again.view(0)) == ({0: MAX}, table.view(0))
