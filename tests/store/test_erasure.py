"""Erasure of a person's data: profile, progress, and name and chat in the sessions."""

import json
import os
from random import Random

import pytest

from cardtable.engine import journal, replay
from cardtable.engine.checksummed_jsonl import append_crc
from cardtable.engine.errors import CardtableError
from cardtable.games import GAMES
from cardtable.store import archive_index, erasure, paths, player_progress, profiles, sessions, summaries, tournaments
from cardtable.store.player_progress import LessonProgress
from cardtable.store.unfinished_tables import AbandonedStack
from tests.store.playing import play_randomly
from tests.store.test_seat_players import create_session, registered_players
from tests.store.tournament_tables import store_tournament

__all__ = ["registered_players"]


def write_session(name, header, *lines, sealed=True):
    """Write a journal of Rikiki with these members in the header, and return its path."""
    first = {"cardtable": 2, "id": name, "game": "rikiki", "created": "2026-11-20T08:37:28Z", "seed": 1}
    first |= {"options": {"seats": 4}, **header}
    data, crc = b"", 0
    for members in (first, *lines):
        body = json.dumps(members, separators=(",", ":")).encode()
        line, crc = append_crc(body, crc)
        data += line if sealed else body + b"\n"
    path = paths.archive_folder() / f"{name}.jsonl"
    paths.create_folder(path.parent)
    path.write_bytes(data)
    return path


def read_members(path):
    """Return the members of each line of a valid journal, without its checksum."""
    parsed = journal.read(path.read_bytes())
    return [json.loads(parsed.header_body), *[json.loads(entry.body) for entry in parsed.entries]]


def seat(name, **members):
    return {"name": name, **members}


def test_erased_player_has_another_name_and_id_everywhere():
    anna = profiles.find("Anna")
    first, second = create_session("Anna", "Tom"), create_session("Anna", "Tom")
    AbandonedStack().abandon(second.path)
    player_progress.save_lesson("Anna", "x", LessonProgress(done=True))
    archive_index.list_summaries()
    before = summaries.load_referee(first.path)
    result = erasure.erase_sessions("anna")
    erasure.erase_profile("Anna")
    assert result.name == "Erased 1"
    assert set(result.sessions) == {first.header.id, second.header.id}
    assert result.unchanged_files == ()
    ids = set()
    for path in (summaries.find_path(id_) for id_ in result.sessions):
        header = summaries.summarize_full(path).header
        assert [occupant.name for occupant in header.seats] == ["Erased 1", "Tom", "Ada", "Bo"]
        ids.add(header.seats[0].player)
    (player,) = ids
    assert player != anna.id
    assert summaries.load_referee(first.path).state.view(1) == before.state.view(1)
    assert profiles.find("Anna") is None
    assert profiles.find("Tom")
    for file in paths.home().rglob("*"):
        if file.is_file():
            assert b"Anna" not in file.read_bytes(), file
            assert anna.id.encode() not in file.read_bytes(), file


def test_chat_and_seat_changes_of_the_erased_person():
    tom = profiles.find("Tom").id
    path = write_session(
        "talk",
        {"seats": [seat("Anna"), seat("Tom", player=tom), seat("Bob"), seat("Ada", robot="steady")], "later": [1.50]},
        {"say": "I am Tom", "seat": 1, "at": 0.125},
        {"say": "Tom is fast", "seat": 0, "at": 1},
        {"sit": 1, "name": "Tom", "robot": "steady", "at": 2},
        {"say": "TOM: Hello", "at": 3},
        {"say": "Tommy: Hello", "at": 3},
        {"sit": 1, "name": "Tomas", "player": tom, "at": 4},
        {"say": "back", "seat": 1, "at": 4},
        {"sit": 1, "name": "Cleo", "at": 5},
        {"say": "mine now", "seat": 1, "at": 5},
        {"name": "Fridays", "at": 6},
    )
    erasure.erase_sessions("Tom")
    head, *lines = read_members(path)
    player = head["seats"][1].pop("player")
    assert (head["seats"][1], head["later"]) == ({"name": "Erased 1"}, [1.5])
    assert player not in ("", tom)
    assert lines == [
        {"say": "(erased)", "seat": 1, "at": 0.125},
        {"say": "Tom is fast", "seat": 0, "at": 1},
        {"sit": 1, "name": "Erased 1", "robot": "steady", "at": 2},
        {"say": "Erased 1: (erased)", "at": 3},
        {"say": "Tommy: Hello", "at": 3},
        {"sit": 1, "name": "Erased 1", "player": player, "at": 4},
        {"say": "(erased)", "seat": 1, "at": 4},
        {"sit": 1, "name": "Cleo", "at": 5},
        {"say": "mine now", "seat": 1, "at": 5},
        {"name": "Fridays", "at": 6},
    ]


@pytest.mark.parametrize(
    ("header", "is_changed"),
    [
        ({"seats": [seat("Bob"), seat("Tom"), seat("Ada", robot="steady"), seat("Bo", robot="steady")]}, True),
        ({"seats": [seat("bob"), seat("Tom"), seat("Ada", robot="steady"), seat("Bo", robot="steady")]}, True),
        ({"seats": [seat("Bob", player="0123456789abcdef"), *[seat("Tom")] * 3]}, False),
        ({"seats": [seat("Bob"), *[seat("Tom")] * 3], "club": "example.org"}, False),
        ({"seats": [seat("Bobby"), *[seat("Tom")] * 3]}, False),
    ],
)
@pytest.mark.parametrize("sealed", [True, False])
def test_guest_is_recognised_by_nick_in_sessions_of_this_home(header, is_changed, sealed):
    path = write_session("one", header, {"say": "Hi", "seat": 1}, sealed=sealed)
    before = path.read_bytes()
    result = erasure.erase_sessions("Bob")
    assert result.sessions == (("one",) if is_changed else ())
    assert (path.read_bytes() != before) == is_changed
    assert read_members(path)[0]["seats"][0]["name"] == ("Erased 1" if is_changed else header["seats"][0]["name"])


def test_each_erased_person_has_a_number():
    first, second = create_session("Bob", "Cleo"), create_session("Bob", "Dora")
    assert [erasure.erase_sessions(nick).name for nick in ("Bob", "Cleo", "Dora")] == [f"Erased {n}" for n in (1, 2, 3)]
    assert erasure.erase_sessions("Bob").sessions == ()
    for session, people in ((first, ["Erased 1", "Erased 2"]), (second, ["Erased 1", "Erased 3"])):
        assert [occupant.name for occupant in summaries.summarize(session.path).header.seats][:2] == people


def test_open_session_is_erased_later():
    """All others are erased, and the profile remains so that the erasure can be repeated."""
    closed, open_path = create_session("Anna", "Tom"), create_session("Anna", "Tom").path
    session = sessions.resume(open_path)
    with pytest.raises(CardtableError, match=f"1 session with Anna in play: {open_path.stem}; close it, then erase"):
        erasure.erase_sessions("Anna")
    play_randomly(session.referee, Random(2), 2)
    session.close()
    assert b"Anna" not in closed.path.read_bytes()
    erasure.erase_sessions("Anna")
    assert b"Anna" not in open_path.read_bytes()


def test_damaged_file_is_reported_and_not_changed():
    session = create_session("Anna", "Tom")
    lines = session.path.read_bytes().splitlines(keepends=True)
    session.path.write_bytes(b"".join([lines[0], lines[2]]) + lines[1])
    torn = session.path.with_suffix(".torn")
    torn.write_text("Anna")
    before = session.path.read_bytes()
    result = erasure.erase_sessions("Anna")
    assert result.unchanged_files == (session.path, torn)
    assert result.sessions == ()
    assert session.path.read_bytes() == before


def test_torn_line_is_left_out():
    session = create_session("Anna", "Tom")
    with session.path.open("ab") as file:
        file.write(b'{"say":"Anna')
    erasure.erase_sessions("Anna")
    assert b"Anna" not in session.path.read_bytes()
    assert summaries.summarize(session.path).header


def test_random_journals_keep_everything_but_the_person():
    """The rewritten journal is valid and differs from the old one only in the person's name, id and chat."""
    rng = Random(3)
    for number in range(60):
        people = [rng.choice(["Bob", "Cleo", "Dora"]), "Eve"]
        lines = []
        for _ in range(rng.randrange(8)):
            place = rng.randrange(2)
            lines.append(
                rng.choice(
                    [
                        {"say": rng.choice(["Bob", "Hi"]), "seat": place},
                        {"say": rng.choice(["Bob: x", "Bob says", "Fred: Bob"])},
                        {"sit": place, "name": rng.choice(["Bob", "Gina"])},
                        {"seat": place, "action": "bid 1", "more": {"a": [1.25, "Bob"]}},
                    ]
                )
            )
        path = write_session(f"s{number}", {"seats": [*map(seat, people), *[seat("Ada", robot="steady")] * 2]}, *lines)
        before = read_members(path)
        erasure.erase_sessions("Bob")
        after = read_members(path)
        assert len(after) == len(before)
        for old, new in zip(before[1:], after[1:], strict=True):
            assert {**old, "say": 0, "name": 0} == {**new, "say": 0, "name": 0}
            assert new.get("name") != "Bob"
            if new.get("seat") is None:
                assert not new.get("say", "").startswith("Bob: ")
        assert "Bob" not in [occupant["name"] for occupant in after[0]["seats"]]
        path.unlink()


def test_failed_write_can_be_repeated(monkeypatch):
    path, write = create_session("Anna", "Tom").path, erasure.atomic_io.write_atomically

    def refuse(_path, _data, _close_old):
        raise OSError(28, os.strerror(28))

    before = path.read_bytes()
    monkeypatch.setattr(erasure.atomic_io, "write_atomically", refuse)
    with pytest.raises(CardtableError, match="No space left on device"):
        erasure.erase_sessions("Anna")
    assert path.read_bytes() == before
    monkeypatch.setattr(erasure.atomic_io, "write_atomically", write)
    assert erasure.erase_sessions("Anna").sessions == (path.stem,)
    assert replay.load(journal.read(path.read_bytes()), GAMES)


def test_erased_person_has_another_name_in_tournaments():
    tournament = store_tournament("gurka", state="finished")
    profile = profiles.find("Anna")
    tournaments.save(tournament.convert_people(lambda person: profiles.add_profile_ids([person])[0]))
    erasure.erase_sessions("Anna")
    erasure.erase_sessions("Emil")
    [erased] = tournaments.load()
    names = [person.name for person in erased.people]
    assert names == ["Erased 1", "Bob", "Cleo", "Dan", "Erased 2", "Finn", "Gina", "Hugo"]
    assert "Anna" not in paths.tournaments_file().read_text()
    assert profile.id not in paths.tournaments_file().read_text()
    assert erased.rounds[0].tables[0].seats[0] == erased.people[0]
