"""Puzzles: the file, which is parsed strictly, and the lists of the players with their dates."""

import json
from datetime import UTC, date, datetime, timedelta
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.engine.value_checks import decode_view, encode_view
from cardtable.games import GAMES, KEYS, import_rules
from cardtable.store import paths, profiles, puzzle_files, sessions
from cardtable.store.puzzle_files import InvalidPuzzle, PuzzleProgress
from tests.overriding import override
from tests.puzzles import add_puzzle, encode_puzzle, make_puzzle
from tests.toy.game_plugins import plug_in_from

TODAY = date(2026, 11, 20)


def change(**members):
    """Return a function that changes members of a puzzle, and of its view those that begin with `view_`."""

    def apply(puzzle):
        for name, value in members.items():
            inner, member = (puzzle["view"], name[5:]) if name.startswith("view_") else (puzzle, name)
            inner[member] = value(inner[member]) if callable(value) else value

    return apply


HOSTILE = {
    "another version": (change(puzzle=2), "newer version"),
    "unknown member": (change(more=1), "more"),
    "no view": (lambda puzzle: puzzle.pop("view"), "view"),
    "control characters": (change(why=["\x1b[2J"]), "cannot be shown"),
    "path as game": (change(game="../../x"), "game"),
    "seats": (change(seats=2), "number of seats"),
    "house rule": (change(options={"hook": "no"}), "hook"),
    "cards twice": (change(view_hand=lambda cards: cards | 1 << 60), "Rikiki"),
    "huge number": (change(view_totals=[10**400, 0, 0, 0]), "number"),
    "endless list": (change(view_legal=lambda legal: legal * 1000), "list"),
    "other seat": (change(view_seat=9), "Rikiki"),
    "another seat to act": (change(view_turn=1), "seat to act"),
    "no round in progress": (change(view_playing=False), "seat to act"),
    "illegal choice": (change(chosen="play 2C and rm"), "choice"),
    "missing choice": (change(choices=lambda choices: choices[:-1]), "choices"),
    "choice twice": (change(choices=lambda choices: choices[:-1] + choices[:1]), "choices"),
    "no order": (change(choices=lambda choices: choices[::-1]), "values"),
    "no number": (change(choices=lambda choices: [{**choices[0], "worth": 1e300}, *choices[1:]]), "choices"),
    "scores": (change(scores=[{"a": 1}]), "scores"),
    "score of too few seats": (change(scores=lambda scores: [{**scores[0], "points": [0, 0, 0]}]), "a score"),
    "score without a column": (change(scores=lambda scores: [{**scores[0], "figures": [[1]] * 4}]), "a score"),
}


@pytest.mark.parametrize(("spoil", "message"), HOSTILE.values(), ids=HOSTILE)
def test_invalid_puzzles_are_refused(spoil, message):
    puzzle = json.loads(encode_puzzle())
    del puzzle["crc"]
    puzzle_files.parse(json.dumps(puzzle).encode())
    spoil(puzzle)
    with pytest.raises(InvalidPuzzle, match=message) as error:
        puzzle_files.parse(json.dumps(puzzle).encode())
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 250


def test_endless_search_for_hidden_cards_is_ended(monkeypatch):
    def imagine(_view, rng):
        while rng.random() < 2:
            pass

    monkeypatch.setattr(puzzle_files, "GAMES", {"rikiki": override(GAMES["rikiki"], imagine=imagine)})
    with pytest.raises(InvalidPuzzle, match="the cards cannot be right"):
        puzzle_files.parse(encode_puzzle())


def test_bytes_that_are_no_puzzle_are_refused():
    data = encode_puzzle()
    for bad in (b"", b"{}", b"[" * 5000, data[:-9], data.replace(b"Rikiki", b"Rikoko"), b" " * (2 << 20), b"\xff"):
        with pytest.raises(InvalidPuzzle):
            puzzle_files.parse(bad)


@pytest.mark.parametrize("key", KEYS)
def test_file_fits_every_deal_that_the_player_could_imagine(key):
    data = encode_puzzle(key)
    puzzle = puzzle_files.parse(data)
    game = GAMES[key]
    view = decode_view(game, puzzle.view)
    states = [game.imagine(view, Random(number)) for number in range(8)]
    assert {bytes(encode_view(state.view(view.seat))) for state in states} == {bytes(encode_view(view))}
    assert len({bytes(encode_view(state.view((view.seat + 1) % puzzle.seats))) for state in states}) > 1
    assert set(json.loads(data)) == {
        *("puzzle", "game", "title", "options", "seats", "view", "scores", "choices", "chosen", "why", "lasting", "crc")
    }
    for name in (b"Anna", b"Bo", b"Cy", b"Dee", b"seed"):
        assert name not in data


def test_puzzle_needs_two_choices():
    puzzle = make_puzzle(choice_counts=range(2, 3))
    assert len(puzzle_files.parse(puzzle_files.encode(puzzle)).choices) == 2
    with pytest.raises(InvalidPuzzle, match="choices"):
        puzzle_files.parse(puzzle_files.encode(replace(puzzle, choices=puzzle.choices[:1])))


def test_same_position_has_the_same_id():
    puzzle, data = make_puzzle(), json.loads(encode_puzzle())
    again = puzzle_files.parse(
        json.dumps({**data, "why": ["else"]} | {"crc": None}).encode().replace(b', "crc": null', b"")
    )
    assert again.id == puzzle.id
    assert make_puzzle(number=1).id != puzzle.id


def list_under_earlier_id(nick, puzzle, **progress):
    """Write the file and the list of a player as earlier versions of the program did; return the earlier id."""
    path = paths.puzzles_folder() / f"{puzzle.earlier_id}.json"
    paths.create_folder(path.parent)
    path.write_bytes(puzzle_files.encode(puzzle))
    listed = {"game": puzzle.game, "title": puzzle.title, "round": 1, "due": "2026-11-20", **progress}
    content = {"puzzles": 1, "players": {nick: {"puzzles": {puzzle.earlier_id: listed}}}}
    paths.puzzles_file().write_text(json.dumps(content))
    return puzzle.earlier_id


@pytest.mark.parametrize("key", KEYS)
def test_progress_under_an_earlier_id(key):
    puzzle = make_puzzle(key)
    earlier = list_under_earlier_id("Guest", puzzle, tried="2026-11-19", attempts=3, solved=2)
    path = puzzle_files.get_path(puzzle.id)
    assert path.stem == earlier
    # it is the same puzzle, also if its file comes once more
    own = puzzle_files.load_puzzles("Guest")[0]
    assert own.list_due(TODAY) == [puzzle.id]
    assert puzzle_files.add_puzzles("Guest", [puzzle], TODAY) == 0
    assert puzzle_files.find_puzzle(own.puzzles, earlier) == puzzle.id
    assert puzzle_files.record_attempt("Guest", puzzle.id, TODAY, is_right=True).attempts == 4
    # the list has the new id now, and the file its old name
    [stored] = json.loads(paths.puzzles_file().read_bytes())["players"]["Guest"]["puzzles"]
    assert stored == puzzle.id
    assert list(paths.puzzles_folder().iterdir()) == [path]
    puzzle_files.remove_puzzle("Guest", puzzle.id)
    assert not path.exists()


def test_due_puzzles_are_counted_without_reading_one(monkeypatch):
    list_under_earlier_id("Guest", make_puzzle())
    monkeypatch.setattr(puzzle_files, "find_id", pytest.fail)
    assert puzzle_files.count_due("Guest", TODAY) == 1


def test_later_of_two_attempts_counts_under_several_ids():
    puzzle = make_puzzle()
    add_puzzle("Guest", TODAY)
    puzzle_files.record_attempt("Guest", puzzle.id, TODAY, is_right=True)
    listed = json.loads(paths.puzzles_file().read_bytes())["players"]["Guest"]["puzzles"][puzzle.id]
    earlier = list_under_earlier_id("Guest", puzzle, tried="2026-11-19", attempts=3)
    content = json.loads(paths.puzzles_file().read_bytes())
    content["players"]["Guest"]["puzzles"][puzzle.id] = listed
    paths.puzzles_file().write_text(json.dumps(content))
    assert puzzle_files.load_puzzles("Guest")[0].puzzles[puzzle.id].attempts == 1
    # both files are removed with the puzzle
    assert {path.stem for path in paths.puzzles_folder().iterdir()} == {puzzle.id, earlier}
    puzzle_files.remove_puzzle("Guest", puzzle.id)
    assert not list(paths.puzzles_folder().iterdir())


def test_lost_file_of_a_puzzle_is_imported_under_an_earlier_id():
    puzzle = make_puzzle()
    list_under_earlier_id("Guest", puzzle, attempts=3)
    puzzle_files.get_path(puzzle.id).unlink()
    assert puzzle_files.add_puzzles("Guest", [puzzle], TODAY) == 0
    assert puzzle_files.load_puzzles("Guest")[0].puzzles[puzzle.id].attempts == 3
    assert puzzle_files.load_file(puzzle_files.get_path(puzzle.id)).id == puzzle.id


def test_copy_of_the_list_with_earlier_ids():
    puzzle = make_puzzle()
    list_under_earlier_id("Guest", puzzle, tried="2026-11-19", attempts=3)
    copy = paths.puzzles_file().read_bytes()
    paths.puzzles_file().unlink()
    add_puzzle("Guest", TODAY)
    assert puzzle_files.merge_copy(copy).added
    assert [each.attempts for each in puzzle_files.load_puzzles("Guest")[0].puzzles.values()] == [3]


def test_game_that_is_installed_later(monkeypatch):
    puzzle = replace(make_puzzle(), game="hearts")
    assert puzzle_files.add_puzzles("Guest", [puzzle], TODAY) == 1
    [listed] = puzzle_files.load_puzzles("Guest")[0].puzzles
    assert listed == puzzle.earlier_id
    about = replace(GAMES["rikiki"].about, key="hearts")
    plug_in_from(monkeypatch, import_rules("rikiki"), "hearts 1.0", about=about)
    [listed] = puzzle_files.load_puzzles("Guest")[0].puzzles
    assert listed == puzzle.id != puzzle.earlier_id
    assert puzzle_files.add_puzzles("Guest", [puzzle], TODAY) == 0


def test_spacing():
    progress, day = PuzzleProgress("king", "King", 1, TODAY), TODAY
    dates = []
    for is_right in (True, True, False, True, True, True, True):
        assert progress.is_due(day)
        progress = progress.add_attempt(day, is_right=is_right)
        assert not progress.is_due(day)
        dates.append((progress.due - day).days)
        day = progress.due
    assert dates[:-1] == [1, 3, 1, 1, 3, 7]
    assert progress.is_done
    assert not progress.is_due(date.max)
    assert (progress.attempts, progress.solved) == (7, 6)


def test_early_attempt_changes_the_dates_only_if_wrong():
    progress = PuzzleProgress("king", "King", 1, TODAY).add_attempt(TODAY, is_right=True)
    early = progress.add_attempt(TODAY, is_right=True)
    assert (early.due, early.level, early.attempts) == (progress.due, 1, 2)
    assert early.add_attempt(TODAY, is_right=False).level == 0


def test_clock_that_jumps_back():
    far = TODAY + timedelta(days=4000)
    solved = PuzzleProgress("king", "King", 1, TODAY).add_attempt(far, is_right=True)
    for progress in (PuzzleProgress("king", "King", 1, far), solved):
        assert progress.is_due(TODAY)
        again = progress.add_attempt(TODAY, is_right=True)
        assert (again.due - TODAY).days in (1, 3)


def test_puzzles_of_the_game_played_last_come_first():
    rikiki, gurka = [add_puzzle("Guest", TODAY, key, searched="") for key in ("rikiki", "gurka")]
    for day, key, order in ((1, "gurka", [gurka, rikiki]), (2, "rikiki", [rikiki, gurka])):
        occupants, options = [Occupant(name) for name in ("Guest", "Anna", "Bert", "Cleo")], GAMES[key].options()
        sessions.create(GAMES[key], occupants, options, 1, now=datetime(2026, 11, day, tzinfo=UTC)).close()
        assert puzzle_files.load_puzzles("Guest")[0].list_next(TODAY) == order


def test_lists_of_players():
    profiles.register("Anna")
    first = add_puzzle("Anna", TODAY, searched="s/0")
    second = add_puzzle("Anna", TODAY + timedelta(days=1), "gurka", searched="t/0")
    assert add_puzzle("Guest", TODAY, searched="") == first
    own, error = puzzle_files.load_puzzles("Anna")
    assert error is None
    assert own.searched == ("s/0", "t/0")
    assert own.list_due(TODAY) == [first, second]
    puzzle_files.record_attempt("Anna", first, TODAY, is_right=True)
    assert puzzle_files.count_due("Anna", TODAY) == 1
    # a puzzle of somebody else waits until it is tried
    assert puzzle_files.count_due("Guest", TODAY) == 0
    assert puzzle_files.load_puzzles("Guest")[0].list_next(TODAY) == [first]
    puzzle_files.record_attempt("Guest", first, TODAY, is_right=False)
    assert puzzle_files.count_due("Guest", TODAY + timedelta(days=1)) == 1
    assert puzzle_files.load_puzzles("Guest")[0].puzzles[first].imported
    assert puzzle_files.add_puzzles("Anna", [make_puzzle()], TODAY, "u/0", recent=["t/0"]) == 0
    own = puzzle_files.load_puzzles("Anna")[0]
    assert own.puzzles[first].attempts == 1
    assert own.searched == ("t/0", "u/0")
    # the list follows the profile, not the nick
    profiles.update_profile("Anna", "Hanna", "", "")
    assert puzzle_files.load_puzzles("Hanna")[0] == own
    # a file is removed with the last list that has it
    puzzle_files.remove_puzzle("Hanna", first)
    assert puzzle_files.get_path(first).is_file()
    puzzle_files.remove_puzzle("Guest", first)
    assert not puzzle_files.get_path(first).exists()
    with pytest.raises(CardtableError, match="not in your list"):
        puzzle_files.record_attempt("Guest", first, TODAY, is_right=True)
