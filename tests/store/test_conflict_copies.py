"""Copies of the files of a home that programs leave which synchronise it between machines; sessions: `test_copies`."""

from datetime import date

import pytest
from msgspec.structs import replace

from cardtable.store import erasure, home_folder, passwords, paths, player_progress, profiles, puzzle_files
from cardtable.store.player_progress import LessonProgress
from cardtable.store.profiles import Transaction
from cardtable.store.puzzle_files import PlayerPuzzles, PuzzleProgress, PuzzlesFile
from tests.store.test_copies import COPY_NAMES

TOOL_NAMES = [name for name in COPY_NAMES if "{}" in name]
TODAY = date(2026, 11, 28)
PUZZLE, OTHER_PUZZLE = "0123456789abcdef", "fedcba9876543210"


@pytest.fixture
def machines(tmp_path, monkeypatch):
    """Return a function that switches to the home of a machine, and one that lets a file of it arrive here as a copy.

    Both machines begin with the player Anna.
    """
    here = paths.home()
    profiles.register("Anna")
    there = tmp_path / "there"
    there.mkdir()
    (there / "profiles.json").write_bytes(paths.profiles_file().read_bytes())

    def use(home):
        monkeypatch.setenv("CARDTABLE_HOME", str(home))

    def receive(file, name=TOOL_NAMES[0]):
        copy = here / (name.format(file.stem) + file.suffix)
        copy.write_bytes((there / file.name).read_bytes())
        use(here)
        return copy

    return lambda: use(there), receive


def list_nicks():
    return [player.nick for player in profiles.read().players]


@pytest.mark.parametrize("name", TOOL_NAMES)
@pytest.mark.parametrize(
    "file",
    [*paths.linkable_files(), paths.tournaments_file(), paths.tournament_keys_file()],
    ids=lambda file: file.name,
)
def test_copy_of_each_file_is_found(file, name, home):
    file, copy = home / file.name, home / (name.format(file.stem) + file.suffix)
    home.mkdir()
    file.write_bytes(b"one")
    copy.write_bytes(b"two")
    assert home_folder.list_copies() == [(file, copy)]
    report = home_folder.merge_copies()
    assert report.added == []
    if file == paths.known_games_file():
        assert report.superfluous == [copy]
    else:
        [message] = report.ignored
        assert message.startswith(f"{copy.name}: a copy of {file.name} from another machine, ")
        assert message.endswith(" to use it instead, or delete it")
    assert copy.read_bytes() == b"two"


def test_other_files_are_no_copies(home):
    home.mkdir()
    for file in (*paths.linkable_files(), paths.tournaments_file(), paths.club_status_file(), paths.club_lock_file()):
        file.write_bytes(b"{}")
        file.with_name(f"{file.name}.bak").write_bytes(b"{}")
        file.with_name(f"{file.name}.4711.new").write_bytes(b"{}")
        file.with_name(f".{file.name}.part").write_bytes(b"{}")
    (home / "mysettings.toml").touch()
    assert home_folder.list_copies() == []


def test_copy_beside_the_target_of_a_link(home, tmp_path):
    home.mkdir()
    (tmp_path / "shared").mkdir()
    target = tmp_path / "shared" / "my-players.json"
    target.touch()
    paths.profiles_file().symlink_to(target)
    copy = target.with_name("my-players (1).json")
    copy.touch()
    assert home_folder.list_copies() == [(paths.profiles_file(), copy)]


@pytest.mark.parametrize("name", TOOL_NAMES)
def test_unknown_player_is_added(machines, name):
    use_other, receive = machines
    profiles.register("Lea")
    use_other()
    profiles.register("Tom", name="Tom Berg")
    tom = profiles.find("Tom")
    copy = receive(paths.profiles_file(), name)
    report = home_folder.merge_copies()
    assert report.added == [f"{copy.name}: from this copy of another machine joined the players: Tom"]
    assert report.ignored == []
    assert list_nicks() == ["Anna", "Lea", "Tom"]
    assert profiles.find("Tom") == tom
    assert profiles.get_current_nick() == "Lea"
    assert home_folder.merge_copies() == ([], [], [copy])
    assert copy.exists()


@pytest.mark.parametrize("later", [False, True], ids=["removed before", "removed after"])
def test_removed_player_is_not_added(machines, later):
    use_other, receive = machines
    profiles.register("Tom")
    home_folder.merge_copies()
    data = paths.profiles_file().read_bytes()
    use_other()
    paths.profiles_file().write_bytes(data)
    profiles.register("Eva")
    copy = receive(paths.profiles_file())
    if later:
        home_folder.merge_copies()
    profiles.remove("Tom", "")
    assert home_folder.merge_copies().ignored == []
    assert list_nicks() == ["Anna", "Eva"]
    assert copy.exists()


def test_player_removed_on_a_third_machine_is_not_added(machines):
    use_other, receive = machines
    use_other()
    profiles.register("Tom")
    receive(paths.profiles_file(), TOOL_NAMES[0])
    use_other()
    profiles.remove("Tom", "")
    receive(paths.profiles_file(), TOOL_NAMES[-1])
    home_folder.merge_copies()
    assert list_nicks() == ["Anna"]


def test_player_who_is_here_stays(machines):
    """Another machine has removed her; its version of the file has lost."""
    use_other, receive = machines
    use_other()
    profiles.remove("Anna", "")
    receive(paths.profiles_file())
    home_folder.merge_copies()
    assert list_nicks() == ["Anna"]


def test_another_player_of_the_same_nick_is_named(machines):
    use_other, receive = machines
    profiles.register("Tom")
    use_other()
    profiles.register("Tom")
    copy = receive(paths.profiles_file())
    before = profiles.read()
    report = home_folder.merge_copies()
    assert report.added == []
    [message] = report.ignored
    assert message.startswith(f"{copy.name}: a copy of profiles.json from another machine, in which these players")
    assert "not as here: Tom;" in message
    assert profiles.read() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda anna: replace(anna, password=passwords.hash_password("sesame77")),
        lambda anna: replace(anna, ledger=(Transaction("2026-11-28T20:00:00Z", "one", "gift", 50),)),
        lambda anna: replace(anna, nick="Hanna", first_nick="Anna"),
    ],
    ids=["password", "credits", "nick"],
)
def test_other_data_of_a_known_player_do_not_count(machines, change, cheap_passwords):
    use_other, receive = machines
    use_other()
    profiles.PROFILES.update(lambda store: store.with_changed(store.players[0], change(store.players[0])))
    copy = receive(paths.profiles_file())
    before = profiles.read()
    [message] = home_folder.merge_copies().ignored
    assert "in which these players are not as here: " in message
    assert profiles.read() == before
    assert copy.exists()


def test_damaged_copy_is_named(machines):
    use_other, receive = machines
    use_other()
    paths.profiles_file().write_bytes(paths.profiles_file().read_bytes().replace(b"Anna", b"Eve"))
    copy = receive(paths.profiles_file())
    [message] = home_folder.merge_copies().ignored
    assert message.startswith(f"{copy.name}: a copy of profiles.json from another machine, which cannot be used: ")
    assert list_nicks() == ["Anna"]


def test_progress_in_lessons_is_added_once(machines):
    use_other, receive = machines
    player_progress.save_lesson("Anna", "one", LessonProgress(done=True))
    player_progress.save_lesson("Anna", "two", LessonProgress(step=1))
    player_progress.save_lesson("Anna", "three", LessonProgress(step=4))
    use_other()
    player_progress.save_lesson("Anna", "one", LessonProgress(step=5, needed_answer=True))
    player_progress.save_lesson("Anna", "two", LessonProgress(step=3, needed_answer=True))
    player_progress.save_lesson("Anna", "three", LessonProgress(done=True))
    player_progress.save_lesson("Guest", "one", LessonProgress(done=True))
    copy = receive(paths.lesson_progress_file())
    assert home_folder.merge_copies().added == [
        f"{copy.name}: from this copy of another machine progress in lessons was added"
    ]
    assert player_progress.load_lessons("Anna")[0] == {
        "one": LessonProgress(done=True),
        "two": LessonProgress(step=3, needed_answer=True),
        "three": LessonProgress(done=True, step=4),
    }
    assert player_progress.load_lessons("Guest")[0] == {"one": LessonProgress(done=True)}
    player_progress.save_lesson("Anna", "two", LessonProgress())
    assert home_folder.merge_copies() == ([], [], [copy])
    assert player_progress.load_lessons("Anna")[0]["two"] == LessonProgress()


def test_progress_of_removed_players_is_not_added(machines):
    use_other, receive = machines
    use_other()
    player_progress.save_lesson("Anna", "one", LessonProgress(done=True))
    receive(paths.lesson_progress_file())
    erasure.erase_profile("Anna")
    assert home_folder.merge_copies().added == []
    assert player_progress.LESSONS.read().players == {}


def write_puzzles(**puzzles):
    own = {profiles.get_player_key("Anna"): PlayerPuzzles(**puzzles)}
    puzzle_files.PUZZLES.file.write(paths.puzzles_file(), PuzzlesFile(players=own))


def test_progress_in_puzzles_is_added_once(machines):
    use_other, receive = machines
    fresh = PuzzleProgress(game="gurka", title="Gurka", round=1, due=TODAY)
    solved = fresh.add_attempt(TODAY, is_right=True)
    write_puzzles(puzzles={PUZZLE: fresh}, searched=("one 0",))
    use_other()
    write_puzzles(puzzles={PUZZLE: solved, OTHER_PUZZLE: fresh}, searched=("two 0",))
    copy = receive(paths.puzzles_file())
    assert home_folder.merge_copies().added == [
        f"{copy.name}: from this copy of another machine puzzles or progress in them were added"
    ]
    own = puzzle_files.load_puzzles("Anna")[0]
    assert own == PlayerPuzzles({PUZZLE: solved, OTHER_PUZZLE: fresh}, ("one 0", "two 0"))
    puzzle_files.remove_puzzle("Anna", OTHER_PUZZLE)
    assert home_folder.merge_copies() == ([], [], [copy])
    assert OTHER_PUZZLE not in puzzle_files.load_puzzles("Anna")[0].puzzles


def test_erasure_names_a_copy_with_the_person(machines):
    use_other, receive = machines
    profiles.register("Tom")
    use_other()
    profiles.register("Ida")
    copy = receive(paths.profiles_file())
    assert erasure.erase_sessions("Anna").unchanged_files == (copy,)
    assert erasure.erase_sessions("Tom").unchanged_files == ()
