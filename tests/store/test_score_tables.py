"""Files of score tables: saving, damage, and listing."""

from contextlib import closing

import pytest

from cardtable.engine.checksummed_jsonl import append_crc
from cardtable.engine.errors import CardtableError
from cardtable.games import GAMES
from cardtable.scoring import score_table
from cardtable.store import archive_index, paths, profiles, score_tables, sessions, summaries
from cardtable.store.errors import DamagedJournal
from tests.scoring.tables import NAMES, play_session_with_entries
from tests.store.playing import NOW, split_lines


def create_score_table(game="rifki", first=0, names=None):
    chosen = GAMES[game]
    return score_tables.create(chosen, names or NAMES[: chosen.about.usual_seats], chosen.options(), first, now=NOW)


def create_unfinished_table(rounds=6):
    """Return a closed score table with a line of every kind except the end."""
    _, first, entered = play_session_with_entries("rifki", 1)
    with closing(create_score_table(first=first)) as opened:
        for each in entered[:rounds]:
            opened.enter_round(each)
        opened.enter_round(entered[0], 1)
        opened.undo()
        opened.rename("Friday")
        opened.rename_players(["Anna", "Tom", "Ida", "Max"])
    return opened


def create_finished_table():
    """Return the path of a finished score table in the archive."""
    _, first, entered = play_session_with_entries("rifki", 1)
    with closing(create_score_table(first=first)) as opened:
        for each in entered:
            opened.enter_round(each)
        opened.end()
    return opened.path


def capture_table(table):
    return table.rounds.copy(), table.sheet.running_totals, table.name, table.header.seats, table.undone, table.ended


def test_entered_rounds_are_restored():
    closed = create_unfinished_table()
    with closing(score_tables.resume(closed.path)) as opened:
        assert capture_table(opened.table) == capture_table(closed.table)
        assert opened.names == ["Anna", "Tom", "Ida", "Max"]
        opened.undo()
    with closing(score_tables.resume(closed.path)) as opened:
        assert len(opened.table.rounds) == 5


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"round":{"contract":"kupa","taken":[6,4,2,0]}}', "12 of 13 hearts: 1 still missing"),
        (b'{"round":{"contract":"kupa","taken":[6,4,3]}}', "there must be a count of each seat"),
        (b'{"round":{"contract":"kupa","taken":[14,0,0,-1]}}', "at most 13 each"),
        (b'{"round":{"contract":"kupa"}}', "there must be a count of each seat"),
        (b'{"round":{"taken":[6,4,2,1]}}', "choose one of the options"),
        (b'{"round":{"contract":"koz","taken":[13,0,0,0],"more":"x"}}', "there is no 'more'"),
        (b'{"round":{"contract":["koz"],"taken":[13,0,0,0]}}', "Expected"),
        (b'{"round":null}', "round is null"),
        (b'{"undo":9}', "9 changes cannot be undone"),
        (b'{"undo":1,"name":"x"}', "2 things instead of one"),
        (b'{"number":1,"undo":1}', "only a round has a number"),
        (b'{"seats":[{"name":"Anna"},{"name":"Tom"}]}', "there are 4 seats"),
        (b'{"seats":[{"name":"A"},{"name":"B"},{"name":"C"},{"name":"D","robot":"steady"}]}', "robots do not play"),
        (b'{"round":{"contract":"kupa","taken":[6,4,2,1]},"number":99}', "there is no round 99"),
        (b'{"end":{"totals":[0,0,0,0],"ranks":[1,1,1,1]}}', "the session is not over"),
        (b'{"seat":0,"action":"bid 1"}', "holds nothing known"),
    ],
)
def test_invalid_line_is_named_with_its_number(write_journal, line, message):
    data = create_unfinished_table(2).path.read_bytes()
    sealed, _ = append_crc(line, score_table.read(data).crc)
    with pytest.raises(DamagedJournal, match=message) as error_info:
        score_tables.resume(write_journal(data + sealed))
    assert error_info.value.line == len(split_lines(data)) + 1
    assert write_journal(data + sealed).read_bytes() == data + sealed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((b'"game":"rifki"', b'"game":"whist"'), "the game 'whist' is not installed"),
        ((b'"first":0', b'"first":4'), "there is no such first seat"),
        ((b'{"name":"Lea"}', b'{"name":"Lea","robot":"steady"}'), "robots do not play with real cards"),
        ((b',{"name":"Lea"}', b""), "Rifki is not for 3 seats"),
        ((b'"cardtable_scores":2', b'"cardtable_scores":3'), "written by a newer version"),
        ((b'"cardtable_scores":2', b'"cardtable_scores":1'), "written by an older version"),
        ((b'"cardtable_scores":2', b'"cardtable_scores":0'), "version or id is not valid"),
        ((b'"direction":"counter-clockwise"', b'"direction":"up"'), "option direction cannot be"),
    ],
)
def test_invalid_header_is_reported(write_journal, change, message):
    with closing(create_score_table()) as opened:
        body = score_table.read(opened.path.read_bytes()).header_body
    assert change[0] in body
    with pytest.raises(DamagedJournal, match=message):
        score_tables.resume(write_journal(append_crc(body.replace(*change), 0)[0]))


def test_summaries_of_open_finished_and_abandoned_tables():
    over = create_finished_table()
    assert over.parent == paths.archive_folder()
    with closing(create_score_table()) as opened:
        opened.enter_round({"contract": "kiz", "taken": (4, 0, 0, 0)})
    by_state = {summary.state: summary for summary in archive_index.list_summaries()}
    assert {state: summary.real_cards for state, summary in by_state.items()} == {"open": True, "over": True}
    assert (by_state["open"].round, by_state["open"].totals, by_state["open"].rounds) == (2, (-400, 0, 0, 0), 20)
    assert (by_state["over"].round, by_state["over"].ranks) == (20, score_tables.resume(over).table.sheet.ranks)
    assert not by_state["over"].is_rated
    assert [summary.real_cards for summary in archive_index.list_summaries()] == [True, True]  # from the index, too
    gone = sessions.abandon(opened.path)
    assert summaries.summarize(gone).state == "abandoned"
    assert summaries.summarize(sessions.restore(gone)).state == "open"


def test_renamed_players_have_new_names_everywhere():
    profiles.register("Zoe")
    with closing(create_score_table()) as opened:
        opened.enter_round({"contract": "kiz", "taken": (4, 0, 0, 0)})
        opened.rename_players(["Anna", "Zoe", "Ida", "Max"])
        assert opened.names == ["Anna", "Zoe", "Ida", "Max"]
        opened.undo()
        assert opened.names == ["Anna", "Zoe", "Ida", "Max"], "names are no change of a round"
    with closing(score_tables.resume(opened.path)) as again:
        assert again.names == ["Anna", "Zoe", "Ida", "Max"]
    header = summaries.summarize(opened.path).header
    assert [occupant.name for occupant in header.seats] == ["Anna", "Zoe", "Ida", "Max"]
    assert header.seats[1].player == profiles.load()[0].find("Zoe").id
    assert score_tables.find_previous_names("rifki") == ["Anna", "Zoe", "Ida", "Max"]


def test_limits_of_rounds_and_lines(monkeypatch):
    monkeypatch.setattr(score_table, "MAX_ROUNDS", 2)
    monkeypatch.setattr(score_table, "MAX_LINES", 4)
    entered = {"ended": "out", "by": "0", "jacks": "none", "times": "1", "hands": (0, 0, 0, 0)}
    with closing(create_score_table("bridge", names=NAMES[:4])) as opened:
        opened.enter_round(entered)
        opened.enter_round(entered)
        with pytest.raises(ValueError, match="at most 2 rounds"):
            opened.enter_round(entered)
        opened.rename("x")
        opened.rename("y")
        with pytest.raises(ValueError, match="at most 4 lines"):
            opened.undo()
    with pytest.raises(CardtableError, match="cannot be renamed: a score table has at most 4 lines"):
        score_tables.rename(opened.path, "Friday")


def test_table_open_elsewhere_is_read_only():
    with closing(create_score_table()) as first, closing(score_tables.resume(first.path)) as second:
        assert second.read_only
        with pytest.raises(CardtableError, match="cannot be changed"):
            second.enter_round({"contract": "kiz", "taken": (4, 0, 0, 0)})
        assert second.table.rounds == []


def test_previous_names_are_sanitized():
    assert score_tables.find_previous_names("rifki") == []
    create_score_table(names=["An\x1b[2Jna", "[red]Tom", "Ida\u202e", "L" * 100]).close()
    assert score_tables.find_previous_names("rifki") == ["An\ufffd[2Jna", "[red]Tom", "Ida\ufffd", "L" * 23 + "…"]
    assert score_tables.find_previous_names("king") == []
