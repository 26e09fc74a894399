"""What version 2 of the journal adds, and that it means nothing in version 1."""

import json

import pytest

from cardtable.engine import journal, replay
from cardtable.engine.game import OVER
from cardtable.engine.journal import JournalError, Line, Occupant
from cardtable.engine.referee import IllegalAction
from tests.engine.toy import GAME, Recorded, header
from tests.engine.written import LINES, lines_of, sealed

TWO = journal.encode([header(cardtable=2), *LINES])
MAX = Occupant("Max", player="0123456789abcdef")


def by_hand(version, head=None, **line):
    """A journal of two lines in this version, without checksums."""
    members = {**json.loads(TWO.split(b"\n")[0]), "cardtable": version, **(head or {})}
    del members["crc"]
    return b"".join(json.dumps(each).encode() + b"\n" for each in (members, line))


def test_new_journals_are_of_version_2():
    assert journal.VERSION == 2


def test_a_seat_has_the_id_of_a_profile():
    seats = [{"name": "Anna", "player": "0123456789abcdef"}, {"name": "Bo", "robot": "steady"}]
    read = journal.read(by_hand(2, {"seats": seats}, say="hello"))
    assert read.header.seats == (Occupant("Anna", player="0123456789abcdef"), Occupant("Bo", "steady"))


def test_somebody_else_sits_down():
    body = b'{"sit":1,"name":"Max","player":"0123456789abcdef","when":1795422000}'
    [line] = lines_of(sealed(body, before=TWO))[len(LINES) :]
    assert (line.sit, line.new_occupant, line.when) == (1, MAX, 1795422000)
    assert line.table_name is None
    assert not line.is_talk


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"sit": 1}, "nobody is named"),
        ({"sit": 1, "name": None}, "nobody is named"),
        ({"sit": None, "name": "Max"}, "sit is null"),
        ({"sit": 1, "name": "Max", "say": "hello"}, "not one thing but 2"),
        ({"sit": "1", "name": "Max"}, "Expected `int"),
        ({"sit": 1, "name": "Max", "player": 5}, "Expected `str"),
        ({"say": "hello", "when": 1.5}, "Expected `int"),
        ({"say": "hello", "when": -1}, "before 1970"),
    ],
)
def test_what_a_line_of_version_2_cannot_say(line, why):
    with pytest.raises(JournalError, match=why) as found:
        journal.read(by_hand(2, **line))
    assert found.value.line == 2


def test_in_version_1_all_that_means_nothing():
    seats = [{"name": "Anna", "player": 17}, {"name": "Bo", "robot": "steady"}]
    read = journal.read(by_hand(1, {"seats": seats, "package": ["x"]}, name="Friday", sit="no", player=[1], when="now"))
    assert read.header.seats == (Occupant("Anna"), Occupant("Bo", "steady"))
    assert read.header.package is None
    assert [entry.line for entry in read.entries] == [Line(name="Friday")]
    with pytest.raises(JournalError, match="nothing known"):
        journal.read(by_hand(1, sit=1))


def test_a_game_that_is_not_installed_is_named_with_its_package():
    outside = by_hand(2, {"game": "hearts", "package": "cardtable-hearts 1.0"}, say="hello")
    with pytest.raises(
        JournalError, match=r"'hearts' is not installed; it comes with 'cardtable-hearts 1\.0'"
    ) as found:
        replay.load(journal.read(outside), {"toy": GAME})
    assert found.value.line == 1


# At the table


def test_who_sits_down_changes_nothing_of_the_game_and_stays_when_something_is_taken_back():
    table = Recorded()
    table.advance()
    table.keep()
    before = table.view(0), table.view(1), table.decisions
    table.change_occupant(1, MAX)
    assert (table.view(0), table.view(1), table.decisions) == before
    assert table.lines[-1] == Line(sit=1, name="Max", player=MAX.player)
    table.undo(1)
    assert table.new_occupants == {1: MAX}
    table.change_occupant(1, Occupant("Bo", "steady"))
    assert table.new_occupants == {1: Occupant("Bo", "steady")}
    assert journal.replace_occupants(header(), table.new_occupants).people == [0]


def test_only_at_a_seat_of_the_table_and_only_until_it_is_over():
    table = Recorded()
    for seat in (-1, 2):
        with pytest.raises(IllegalAction, match="no seat"):
            table.change_occupant(seat, MAX)
    while table.turn != OVER:
        table.advance()
        table.keep(table.turn >= 0)
    with pytest.raises(IllegalAction, match="ended"):
        table.change_occupant(0, MAX)
    assert table.new_occupants == {}


def test_a_journal_with_such_a_line_gives_the_table_back():
    table = Recorded()
    table.advance()
    table.change_occupant(0, MAX)
    table.keep()
    again = replay.load(journal.read(journal.encode([header(cardtable=2), *table.lines])), {"toy": GAME})
    assert (again.new_occupants, again.view(0)) == ({0: MAX}, table.view(0))
