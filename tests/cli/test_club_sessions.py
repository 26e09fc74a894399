"""Club sessions in progress, as commands show them."""

import io
import json
import sys
from contextlib import contextmanager
from itertools import product
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from cardtable.club.server import status_file
from cardtable.engine import journal
from cardtable.engine.journal import Header, Occupant, Terms
from cardtable.engine.referee import Referee
from cardtable.games import GAMES, KEYS
from cardtable.store import atomic_io, paths, sessions, summaries
from cardtable.testing.cases import play_random_action
from tests.journal_lines import select_lines

CLUB = "abcdefghjkmnpqrs"
ID = "20261120-083728-{}-7f3a"
LONGER = {"rummy": {"limit": 500}}
"""House rules under which the first round does not end the session."""
READ = (
    "list", "list --json", "show {}", "show {} --json", "show {} --csv", "replay {}", "replay {} --round 1",
    "replay {} --show-hands", "trace {}", "trace {} --show-hands", "export {}", "export {} --format csv",
    "export {} --format journal", "export {} --show-hands", "export {} --format journal --show-hands",
    "review {} --seat 0", "verify {}", "statistics", "rankings", "resume {} --plain", "resume {} --copy --plain",
    "resume --plain", "reveal {}", "replay {} --svg -", "replay {} --svg - --round 2", "replay {} --svg - --show-hands",
    "export {} --format svg", "export {} --format svg --show-hands",
)  # fmt: skip
"""All commands that read a session."""


def create_lines(key, world, *, host=CLUB, created="2026-11-20T08:37:28Z", decisions=2):
    """Return the lines of a session of two people in its second round; ``world`` seeds the cards and actions."""
    game = GAMES[key]
    options, seats = game.options(**LONGER.get(key, {})), game.about.usual_seats
    occupants = [
        Occupant("Anna"),
        Occupant("Cara"),
        *[Occupant(name, "steady") for name in ("Bo", "Cy", "Dee", "Eve")],
    ][:seats]
    header = Header(
        cardtable=3, id=ID.format(key), game=key, created=created, seed=7, options=options.to_dict(),
        seats=tuple(occupants), host=host,
    )  # fmt: skip
    lines = [header]
    cards, rng = Random("cards"), Random("played")
    table = Referee(game, seats, options, 7, lines.append, lambda _position: cards)
    while not table.scores:
        play_random_action(table, rng)
    other_cards, rng = Random(f"cards {world}"), Random(f"played {world}")
    table.randomness = lambda _position: other_cards
    table.advance()
    for _ in range(decisions):
        play_random_action(table, rng)
    assert table.playing
    assert len(table.scores) == 1
    return lines


def encode_lines(lines):
    return journal.encode(lines[0], lines[1:])


def write_journal(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_lines(lines))
    return path


@pytest.fixture
def read_in_two_worlds(cardtable, monkeypatch):
    """Return a function that runs every reading command on a session with either deal of its round in progress.

    The function checks that the deals make no difference, and returns the outputs of the commands and the exports.
    """

    def read(path, name):
        outputs = {}
        before = path.read_bytes()
        for command in READ:
            monkeypatch.setattr(sys, "stdin", io.StringIO(""))
            result = cardtable(*command.format(name).split())
            outputs[command] = result.code, result.out, result.err
        for typed in ("8", "watch 8", "archive\n1\ngo on\nreplay\nexport markdown\nexport journal open"):
            monkeypatch.setattr(sys, "stdin", io.StringIO(f"{typed}\nquit\n"))
            result = cardtable("--plain")
            outputs[typed] = result.code, result.out, result.err
        exports = sorted(paths.exports_folder().glob("*"))
        exported = [export.read_text() for export in exports]
        for export in exports:
            export.unlink()
        assert path.read_bytes() == before
        return outputs, exported

    def compare(path, name, encode_world):
        assert encode_world(1) != encode_world(2)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_world(1))
        outputs, exported = read(path, name)
        path.write_bytes(encode_world(2))
        other_outputs, other_exported = read(path, name)
        for command, output in outputs.items():
            assert output == other_outputs[command], command
        assert exported == other_exported
        return outputs, exported

    return compare


@pytest.mark.parametrize("key", KEYS)
def test_no_command_shows_the_round_in_progress(read_in_two_worlds, key):
    path = paths.sessions_folder() / f"{ID.format(key)}.jsonl"
    outputs, exported = read_in_two_worlds(path, ID.format(key), lambda world: encode_lines(create_lines(key, world)))
    assert outputs["replay {}"][0] == outputs["trace {}"][0] == outputs["export {}"][0] == 0
    assert "Round 1" in outputs["replay {}"][1]
    assert len(exported) == 1, "only one export hides the hands and is written"
    assert "round 1 of" in outputs["replay {} --svg -"][1]
    for command in ("replay {}", "trace {}", "export {}", "replay {} --svg -"):
        code, out, err = outputs[f"{command} --show-hands"]
        assert (code, out, f"cardtable reveal {ID.format(key)}" in err) == (1, "", True)
    assert "played at the club" in outputs["resume {} --plain"][2]


@pytest.mark.parametrize(
    "command",
    ["replay {}", "replay {} --svg -", "trace {}", "export {}", "export {} --format svg", "export {} --format journal"],
)
def test_commands_refuse_a_session_without_aids_before_its_end(cardtable, command):
    header, *lines = create_lines("gurka", 1)
    header = replace(header, cardtable=4, terms=Terms(rated=True, aids=False))
    write_journal(paths.sessions_folder() / f"{header.id}.jsonl", [header, *lines])
    for shown in ("", " --show-hands"):
        error = cardtable(*f"{command}{shown}".format(header.id).split()).read_error(1)
        assert "nobody can look at its deals before the end" in error
    assert "Anna" in cardtable("show", header.id).out


def create_lines_begun_at_home(key, world):
    """Return the lines of a session that was begun at home and continued by the club."""
    header, *lines = create_lines(key, world, host=None, created="2099-01-01T00:00:00Z")
    return [header, journal.MarkLine("at-club"), *lines]


KINDS = (create_lines_begun_at_home, create_lines)
PLACES = ("sessions", "elsewhere", "a copy", "torn")


@pytest.mark.parametrize(("kind", "place"), [*product(KINDS, PLACES), (create_lines, "archive")])
def test_copies_and_abandoned_sessions_show_no_hand(read_in_two_worlds, tmp_path, kind, place):
    folder = {"archive": paths.archive_folder(), "elsewhere": tmp_path / "backup"}.get(place, paths.sessions_folder())
    path = folder / (f"{ID.format('gurka')}{' (copy)' * (place == 'a copy')}.jsonl")
    name = path if place in ("elsewhere", "a copy") else ID.format("gurka")
    cut = -5 if place == "torn" else None
    read_in_two_worlds(path, name, lambda world: encode_lines(kind("gurka", world))[:cut])


@pytest.mark.parametrize("key", KEYS)
def test_reveal_lasts_until_the_next_deal(cardtable, key):
    path = write_journal(paths.sessions_folder() / f"{ID.format(key)}.jsonl", create_lines(key, 1))
    deal = [line.outcome for line in select_lines(journal.ChanceLine, create_lines(key, 1)) if line.is_deal][-1]
    before = path.read_bytes()
    refused = cardtable("reveal", ID.format(key))
    assert (refused.code, path.read_bytes()) == (1, before)
    assert "all hands of round 2" in refused.err
    assert "with Anna, Cara" in refused.err
    assert cardtable("reveal", ID.format(key), "--yes").code == 0
    [added_line] = [json.loads(line) for line in path.read_bytes().removeprefix(before).splitlines()]
    assert added_line["mark"] == "hands-revealed"
    assert deal in cardtable("export", ID.format(key), "--format", "journal", "--show-hands").out
    assert cardtable("export", ID.format(key), "--format", "journal").code == 1
    assert cardtable("replay", ID.format(key), "--show-hands").code == 0
    assert "nothing of this session is hidden" in cardtable("reveal", ID.format(key), "--yes").err
    assert cardtable("verify", ID.format(key)).code == 0
    header, *lines = [path.read_bytes(), *journal.read(path.read_bytes()).entries]
    with_next_deal = [entry.line for entry in lines] + [journal.VoidLine("clock"), journal.ChanceLine(deal)]
    write_journal(path, [journal.read(header).header, *with_next_deal])
    assert summaries.summarize_full(path).is_club_only


def test_reveal_fails_while_club_is_open(cardtable):
    path = write_journal(paths.sessions_folder() / f"{ID.format('gurka')}.jsonl", create_lines("gurka", 1))
    before = path.read_bytes()
    with status_file.hold_host_lock():
        result = cardtable("reveal", ID.format("gurka"), "--yes")
    assert (result.code, path.read_bytes()) == (1, before)
    assert "the club is open" in result.err


def test_reveal_reads_session_under_the_lock(cardtable, monkeypatch):
    path = write_journal(paths.sessions_folder() / f"{ID.format('gurka')}.jsonl", create_lines("gurka", 1))
    lock = status_file.hold_host_lock

    @contextmanager
    def lock_after_another_program(refusal):
        with lock(refusal):
            sessions.reveal_hands(path)
            yield

    monkeypatch.setattr(status_file, "hold_host_lock", lock_after_another_program)
    result = cardtable("reveal", ID.format("gurka"))
    assert "nothing of this session is hidden" in result.err
    assert "all hands of round" not in result.err


def test_host_start_waits_for_lock_of_another_program(monkeypatch):
    """`cardtable club` takes the lock for a moment to see whether a club is open; a starting host waits for it."""
    tries = iter([False, False, True])
    monkeypatch.setattr(atomic_io, "lock", lambda _descriptor: next(tries))
    with status_file.hold_host_lock():
        pass
    assert next(tries, None) is None


def test_reveal_of_session_with_nothing_hidden(cardtable, tmp_path):
    path = write_journal(paths.sessions_folder() / f"{ID.format('gurka')}.jsonl", create_lines("gurka", 1, host=None))
    assert "nothing of this session is hidden" in cardtable("reveal", ID.format("gurka"), "--yes").err
    copy = write_journal(tmp_path / "a.jsonl", create_lines("rikiki", 1))
    before = copy.read_bytes(), path.read_bytes()
    assert "give its id instead" in cardtable("reveal", copy, "--yes").err
    assert (copy.read_bytes(), path.read_bytes()) == before


def test_revealed_session_repeats_message_after_deals():
    path = write_journal(paths.sessions_folder() / f"{ID.format('gurka')}.jsonl", create_lines("gurka", 1))
    sessions.reveal_hands(path)
    session, rng = sessions.resume(path), Random(1)
    while len(session.referee.scores) < 3:
        play_random_action(session.referee, rng)
    session.referee.advance()
    session.close()
    lines = [entry.line for entry in journal.read(session.path.read_bytes()).entries]
    deals = [number for number, line in enumerate(lines) if isinstance(line, journal.ChanceLine) and line.is_deal]
    assert [lines[number + 1].mark for number in deals[2:]] == ["hands-revealed"] * 2
    assert not session.can_deal_again


def test_revealed_session_offers_no_same_deal(cardtable, monkeypatch):
    header, *lines = create_lines("gurka", 1)
    seats = (header.seats[0], Occupant("Fay", "steady"), *header.seats[2:])
    path = write_journal(
        paths.sessions_folder() / f"{header.id}.jsonl", [msgspec.structs.replace(header, seats=seats), *lines]
    )
    sessions.reveal_hands(path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("help\nagain\nquit\n"))
    result = cardtable("resume", header.id, "--plain")
    assert "new: a new session with the same seats and house rules." in result.out
    assert "again: " not in result.out
    assert "no deal is played again; new starts another session." in result.out
    assert len([*summaries.iter_unfinished()]) == 1


@pytest.mark.parametrize("key", KEYS)
def test_finished_club_session_in_every_command(cardtable, key):
    game = GAMES[key]
    seats = [Occupant("Anna"), *[Occupant(name, "steady") for name in ("Bo", "Cy", "Dee", "Eve")]][
        : game.about.usual_seats
    ]
    options = game.options(**({"length": "short"} if "length" in game.options().to_dict() else {}))
    session = sessions.create(game, seats, options, 7, now=sessions.datetime.now(sessions.UTC), host_id=CLUB)
    rng, id_ = Random(1), session.header.id
    while not session.referee.ended:
        play_random_action(session.referee, rng)
    session.close()
    for command in ("verify", "show", "trace", "export", "replay"):
        assert cardtable(command, id_).read_output(), command
    assert "Deal number" not in cardtable("export", id_).out
    assert cardtable("export", id_, "--format", "journal").out == session.path.read_text()
    assert key in cardtable("statistics", "Anna").out
    assert "no problems" in cardtable("doctor").out
