"""``list``, ``show``, ``verify`` and ``resume``: output for sessions, and those lost by the clock."""

import csv
import io
import json
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from cardtable.engine import journal
from cardtable.engine.journal import ForfeitLine
from cardtable.games import GAMES
from cardtable.store import score_tables
from tests.cli.playing import PEOPLE, trace_lines, write_session
from tests.store.playing import NOW, create_session


def test_list_of_empty_home(cardtable):
    assert cardtable("list").read_output() == ""
    assert json.loads(cardtable("list", "--json").out) == []


def test_list_has_a_line_for_each_session(cardtable, home):
    going, over = "20261120-083728-rikiki-7f3a", "20261119-193200-rikiki-11bb"
    abandoned = "20261118-193200-rikiki-11bb"
    write_session(home / "sessions" / f"{going}.jsonl", PEOPLE, rounds=2, decisions=1, id_=going)
    write_session(home / "archive" / f"{over}.jsonl", PEOPLE, rounds=28, id_=over)
    write_session(home / "archive" / f"{abandoned}.jsonl", PEOPLE, rounds=1, decisions=1, id_=abandoned)
    out = cardtable("list").read_output()
    lines = {line.split(" ", 1)[0]: line.split(" ")[1:] for line in out.splitlines()}
    assert set(lines) == {going, over, abandoned}
    assert lines[going][:3] == ["rikiki", "open", "3"]
    assert lines[over][:3] == ["rikiki", "over", "28"]
    assert lines[abandoned][:3] == ["rikiki", "abandoned", "2"]
    assert lines[going][4:] == ["Anna,Bo,Cy,Dee"]
    assert out.startswith(going)
    array = {item["id"]: item for item in json.loads(cardtable("list", "--json").out)}
    assert ",".join(map(str, array[over]["totals"])) == lines[over][3]
    assert min(array[over]["places"]) == 1
    assert array[going]["places"] is None
    assert array[going]["players"] == [
        {"name": "Anna"}, {"name": "Bo", "robot": "steady"}, {"name": "Cy", "robot": "steady"},
        {"name": "Dee", "robot": "steady"},
    ]  # fmt: skip


def test_list_with_filters(cardtable, home):
    going, over = "20261120-083728-rikiki-7f3a", "20261119-193200-rikiki-11bb"
    write_session(home / "sessions" / f"{going}.jsonl", PEOPLE, rounds=2, decisions=1, id_=going)
    write_session(home / "archive" / f"{over}.jsonl", PEOPLE, rounds=28, id_=over)
    for arguments, ids in (
        (("--state", "open"), [going]),
        (("--state", "over"), [over]),
        (("--state", "abandoned"), []),
        (("--game", "rikiki"), [going, over]),
        (("--game", "king"), []),
        (("--player", "Anna"), [going, over]),
        (("--player", "anna"), [going, over]),
        (("--player", "ＡＮＮＡ"), [going, over]),
        (("--player", "Nobody"), []),
        (("--player", "Cy", "--state", "over"), [over]),
    ):
        result = cardtable("list", *arguments)
        assert (result.code, [line.split(" ")[0] for line in result.out.splitlines()]) == (0, ids), arguments
        assert [item["id"] for item in json.loads(cardtable("list", "--json", *arguments).out)] == ids


def test_list_reports_broken_session(cardtable, home):
    good = write_session(home / "sessions" / "20261120-083728-rikiki-7f3a.jsonl", PEOPLE, decisions=1)
    (home / "sessions" / "20261120-083728-rikiki-0bad.jsonl").write_bytes(b"no journal\n" * 3)
    result = cardtable("list")
    assert result.out.startswith(good.stem)
    assert "20261120-083728-rikiki-0bad.jsonl:1: " in result.read_error(1, prints=True)
    listed = json.loads(cardtable("list", "--json", may_fail=True).out)
    assert {item["id"] for item in listed} == {good.stem, good.stem[:-4] + "0bad"}


def test_resume_without_unfinished_session_fails(cardtable):
    assert "no unfinished session" in cardtable("resume").read_error(1)


@pytest.mark.parametrize("name", ["20261120", "./gone.jsonl", "gone.jsonl", "../..", ""])
@pytest.mark.parametrize("command", ["resume", "show", "trace", "verify"])
def test_missing_session(cardtable, command, name):
    assert cardtable(command, name).read_error(1)


def test_show_prints_score_sheet(cardtable, home):
    path = write_session(home / "archive" / "20261120-083728-rikiki-7f3a.jsonl", rounds=28)
    lines = cardtable("show", "20261120").read_output().splitlines()
    table = json.loads(cardtable("show", path, "--json").out)
    assert lines[0] == "Rikiki  20261120-083728-rikiki-7f3a"
    assert len(lines) == 3 + 28 + 1
    assert lines[3].split()[:2] == ["1", lines[3].split()[1]]
    assert lines[3 + 12].split()[:2] == ["13", "13"]
    best = max(table["totals"])
    assert lines[-1].startswith("over: 1. ")
    assert f" {best}" in lines[-1].split(",")[0]


def test_show_as_csv(cardtable):
    result = cardtable("show", write_session(Path("three.jsonl")), "--csv")
    rows = list(csv.reader(io.StringIO(result.out)))
    assert rows[0][:6] == ["round", "played", "Ada bid", "Ada won", "Ada points", "Ada total"]
    assert [row[0] for row in rows[1:]] == ["1", "2", "3"]
    assert {len(row) for row in rows} == {2 + 4 * 4 + 1}
    for row in rows[1:]:
        bid, won, points = map(int, row[2:5])
        assert points == (10 + 2 * won if bid == won else -2 * abs(bid - won))


def test_verify_reads_several_sessions_and_files(cardtable):
    ids = [f"20261120-083728-rikiki-{n:04x}" for n in range(1, 4)]
    Path("many.jsonl").write_bytes(
        b"".join(write_session(Path("one.jsonl"), rounds=n, id_=ids[n - 1]).read_bytes() for n in (1, 2, 3))
    )
    words = [line.split() for line in cardtable("verify", "many.jsonl", "./one.jsonl").read_output().splitlines()]
    assert [each[1] for each in words] == [*ids, ids[-1]]
    assert [each[3] for each in words] == ["rounds=1", "rounds=2", "rounds=3", "rounds=3"]


def test_verify_names_line_of_damage(cardtable):
    path = write_session(Path("three.jsonl"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:4], *lines[5:]]))
    result = cardtable("verify", "three.jsonl")
    assert result.code == 1
    assert result.out.startswith("bad three.jsonl:5: ")
    assert result.out.count("\n") == 1


def test_verify_marks_a_torn_tail(cardtable):
    path = write_session(Path("three.jsonl"))
    path.write_bytes(path.read_bytes()[:-5])
    assert cardtable("verify", path).read_output().endswith(" torn\n")


SINGLE_SESSION_COMMANDS = [["show"], ["replay", "--plain"], ["review"], ["resume", "--plain"], ["export"], ["score"]]


@pytest.mark.parametrize("command", [*SINGLE_SESSION_COMMANDS, ["resume", "--plain", "--copy"]])
def test_rejects_file_of_several_sessions(cardtable, command):
    one = write_session(Path("one.jsonl"))
    for number, data in enumerate((one.read_bytes() * 2, one.read_bytes() * 300)):
        path = Path(f"several{number}.jsonl")
        path.write_bytes(data)
        assert cardtable(*command, path).read_error(2).startswith(f"{path}: it holds several sessions; ")
        assert path.read_bytes() == data


@pytest.mark.parametrize("command", [*SINGLE_SESSION_COMMANDS, ["trace"], ["verify"]])
def test_rejects_oversized_file(cardtable, command):
    header = write_session(Path("one.jsonl")).read_bytes().splitlines(keepends=True)[0]
    for data, message in (
        (header * 30_000, "another header follows at once: these are no sessions"),
        (b'{"cardtable":2,"x":"' + b"a" * 5_000_000, "the line is longer than 4 KiB"),
    ):
        Path("long.jsonl").write_bytes(data)
        result = cardtable(*command, "long.jsonl")
        assert result.code == 1
        assert (
            result.err or result.out
        ) == f"{'bad' if command == ['verify'] else 'cardtable:'} long.jsonl:1: {message}\n"


def test_verify_recognises_index(cardtable, home):
    write_session(home / "archive" / "20261120-083728-rikiki-7f3a.jsonl", rounds=28)
    cardtable("list")
    result = cardtable("verify", *sorted((home / "archive").glob("*.jsonl")))
    assert result.out.startswith("ok 20261120-083728-rikiki-7f3a ")
    assert result.out.count("\n") == 1
    assert result.read_error(0, prints=True).endswith(
        "index.jsonl: it is an index that cardtable keeps of the sessions beside it; it holds no session"
    )


def test_verify_reads_score_tables_among_sessions(cardtable, home):
    game = GAMES["rikiki"]
    scores = score_tables.create(game, ["Anna", "Bo", "Cy", "Dee"], game.options(), now=NOW)
    scores.rename("Friday")
    scores.close()
    session = write_session(Path("one.jsonl"))
    Path("both.jsonl").write_bytes((session.read_bytes() + scores.path.read_bytes()) * 2)
    score_line = f"ok {scores.path.stem} rikiki rounds=0 totals=0,0,0,0 real-cards\n"
    assert cardtable("verify", "both.jsonl").read_output() == (cardtable("verify", session).out + score_line) * 2


def test_verify_continues_after_missing_file(cardtable):
    result = cardtable("verify", "./gone.jsonl", write_session(Path("three.jsonl")))
    assert result.read_error(1, prints=True)
    assert result.out.startswith("ok ")


@pytest.fixture
def lost_session(tmp_path):
    """Write a session of Rummy that its leader loses in the second round, and return its referee."""
    with closing(create_session("rummy", limit=500, clock=5)) as session:
        table, rng = session.referee, Random(1)
        while not table.scores or table.turn < 0 or table.totals[table.turn] < max(table.totals):
            table.advance()
            table.play(table.turn, rng.choice(table.view(table.turn).legal))
        table.forfeit(table.turn, "clock")
    (tmp_path / "lost").write_bytes(session.path.read_bytes())
    return table


def test_verify_counts_finished_rounds(cardtable, lost_session):
    totals = ",".join(map(str, lost_session.totals))
    out = cardtable("verify", "lost").read_output()
    assert out.endswith(f" rummy rounds={len(lost_session.scores)} totals={totals}\n")


def test_show_ranks_the_loser_last(cardtable, lost_session):
    session = json.loads(cardtable("show", "lost", "--json").out)
    assert session["totals"] == list(lost_session.totals)
    assert len(session["rounds"]) == len(lost_session.scores)
    loser = session["totals"].index(max(session["totals"]))
    assert session["places"] == [1 + (seat == loser) for seat in range(2)]
    assert f"2. {'Guest' if loser == 0 else 'Ada'}" in cardtable("show", "lost").out


def test_trace_has_no_turn_afterwards(cardtable, lost_session):
    steps = trace_lines(cardtable, "lost")
    for line, entry in steps[-2:]:
        assert ("forfeit" in line) or ("end" in line)
        assert (entry["turn"], entry["legal"], entry["round"]) == (None, [], lost_session.round)
        assert entry["totals"] == list(lost_session.raw_totals)


def test_forfeit_by_another_seat_is_damage(cardtable, lost_session, tmp_path):
    lines = journal.read((tmp_path / "lost").read_bytes())
    earlier_lines = [entry.line for entry in lines.entries[:-2]]
    other = ForfeitLine(1 - lines.entries[-2].line.seat, "clock")
    (tmp_path / "wrong").write_bytes(journal.encode(lines.header, [*earlier_lines, other]))
    result = cardtable("verify", "wrong")
    assert result.code == 1
    assert "is not to act" in result.out
