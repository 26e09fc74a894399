"""Robots from files: loading, imports, errors."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from cardtable.games import KEYS
from cardtable.robots.kit import file_robots
from cardtable.robots.kit.file_robots import RobotFailed, load_robot
from cardtable.robots.kit.robot import decide
from cardtable.workers import time_limit
from tests.robots.positions import collect_positions

PAGE = Path(__file__).parents[2] / "docs" / "robots.md"
FILE = """
from dataclasses import dataclass
from functools import partial

@dataclass(frozen=True, slots=True)
class Nth:
    game: object
    n: int = 0

    def choose(self, view, rng, stop):
        return view.legal[self.n]

last = partial(Nth, n=-1)
none = partial(Nth, n=None)
word = 7

class Asks:
    def __init__(self, game):
        self.game = game

    def choose(self, view, rng, stop):
        return self.game.imagine(view, rng).legal()[0]

class Cheats(Nth):
    def choose(self, view, rng, stop):
        return "play the ace"

class Quits(Nth):
    def choose(self, view, rng, stop):
        raise SystemExit("enough")

class Left(BaseException):
    pass

class Leaves(Nth):
    def choose(self, view, rng, stop):
        raise Left

class Unequal:
    def __eq__(self, other):
        raise Left("no match")

    __hash__ = None

class Compares(Nth):
    def choose(self, view, rng, stop):
        return Unequal()

def late(game):
    raise LookupError("only on Sundays")

def never(game):
    raise SystemExit("no more")
"""


@pytest.fixture
def robots_file(tmp_path):
    """Path of a file with several robots."""
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return path


@pytest.mark.parametrize("key", KEYS)
def test_class_or_function_creates_robot(robots_file, key):
    view, seed, decisions = collect_positions(key)[0]
    first, last, asks = [
        decide(load_robot(f"{robots_file}:{name}", key), view, seed, decisions) for name in ("Nth", "last", "Asks")
    ]
    assert (first, last, asks) == (view.legal[0], view.legal[-1], view.legal[0])


def test_robot_of_page(tmp_path):
    path = tmp_path / "lowest.py"
    path.write_text(re.search(r"```python\n(class Lowest.*?)```", PAGE.read_text(), re.DOTALL)[1])
    view, *_ = collect_positions("gurka")[0]
    assert load_robot(f"{path}:Lowest", "gurka").choose(view, Random(1), lambda: False) == view.legal[0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("theirs.py:Nth", "there is no file .*theirs.py"),
        ("mine.py", "^mine.py: say which robot of the file, as mine.py:NAME$"),
        ("mine.py:", "^mine.py: say which robot "),
        ("mine.py:Cheat", "mine.py: no robot is called 'Cheat'; did you mean Cheats?"),
        ("mine.py:word", "^mine.py: word is no class or function, so it cannot create a robot$"),
        ("mine.py:_Cheats", "mine.py: no robot is called '_Cheats'; did you mean Cheats?"),
        ("mine.pyw:Nth", "^a robot from a file is path.py:name, not '/.*'$"),
        ("mine", "^a robot from a file is path.py:name, not '/.*'$"),
        ("mine:Nth", "^a robot from a file is path.py:name, not '/.*'$"),
    ],
)
def test_rejects_missing_robot(robots_file, name, message):
    with pytest.raises(ValueError, match=message):
        load_robot(str(robots_file.with_name(name)), "gurka")


@pytest.mark.parametrize("name", ["mine:Nth", "bots/mine", r"bots\mine", "x" * 100 + ":Nth"])
def test_rejects_malformed_path(name):
    with pytest.raises(ValueError, match=r"^a robot from a file is path.py:name, not '") as error:
        load_robot(name, "gurka")
    assert len(str(error.value)) < 110


def test_plain_word_is_treated_as_level():
    with pytest.raises(ValueError, match=r"^no level is called 'mine'; the levels are"):
        load_robot("mine", "gurka")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class Nth(:", r"mine.py has failed: SyntaxError: .*\(mine.py, line 1\)"),
        ("\nimport sys; sys.exit('now')", r"mine.py has failed: SystemExit: now \(mine.py, line 2\)"),
    ],
)
def test_error_while_importing_file(robots_file, text, message):
    robots_file.write_text(text)
    with pytest.raises(RobotFailed, match=message):
        load_robot(f"{robots_file}:Nth", "gurka")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("late", r"^mine.py:late has failed: LookupError: only on Sundays \(mine.py, line 50\)"),
        ("never", r"^mine.py:never has failed: SystemExit: no more \(mine.py, line 53\)"),
    ],
)
def test_error_while_creating_robot(robots_file, name, message):
    with pytest.raises(RobotFailed, match=message):
        load_robot(f"{robots_file}:{name}", "gurka")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none", r"^mine.py:none has failed: TypeError: .* \(mine.py, line 11\)"),
        ("Cheats", "^mine.py:Cheats has chosen play the ace, which is not legal$"),
        ("Leaves", r"^mine.py:Leaves has failed: Left:  \(mine.py, line 37\)"),
        ("Compares", r"^mine.py:Compares has failed: Left: no match \(mine.py, line 41\)"),
        ("Quits", r"^mine.py:Quits has failed: SystemExit: enough \(mine.py, line 30\)"),
        ("len", "^mine.py:len has failed: "),
    ],
)
def test_error_while_choosing(robots_file, name, message):
    robots_file.write_text(FILE + "len = lambda game: None")
    view, seed, decisions = collect_positions("gurka")[0]
    robot = load_robot(f"{robots_file}:{name}", "gurka")
    with pytest.raises(RobotFailed, match=message):
        decide(robot, view, seed, decisions)


ENDLESS = """
class Endless:
    def __init__(self, game): pass
    def choose(self, view, rng, stop):
        while True: pass
"""


def test_robot_that_never_chooses_is_interrupted(robots_file, monkeypatch):
    monkeypatch.setattr(time_limit, "LIMIT_SECONDS", 0.01)
    robots_file.write_text(ENDLESS)
    view, seed, decisions = collect_positions("gurka")[0]
    message = r"^mine.py:Endless has failed: no answer within 0.01 s \(mine.py, line 5\)"
    with pytest.raises(RobotFailed, match=message):
        decide(load_robot(f"{robots_file}:Endless", "gurka"), view, seed, decisions)


def test_threads_unpack_same_bundle(robots_file, tmp_path, monkeypatch):
    creating, unpacked = threading.Barrier(4), threading.Barrier(4)

    def create_together(**options):
        """Create a folder once all threads create one, or after a moment if only one of them does."""
        with suppress(threading.BrokenBarrierError):
            creating.wait(0.05)
        return TemporaryDirectory(**options)

    def unpack_and_read(_thread):
        file_robots.unpack_bundles(files, tmp_path)
        unpacked.wait()
        return file_robots.resolve_path(robots_file).read_text()

    monkeypatch.setattr(file_robots, "TemporaryDirectory", create_together)
    files = (file_robots.read_bundle(robots_file),)
    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(unpack_and_read, range(4))] == [FILE] * 4


STYLED = """
from dataclasses import dataclass, field

import manners
import style

@dataclass
class Styled:
    game: object
    before: list = field(default_factory=lambda: [manners.known()])

    def choose(self, view, rng, stop):
        import habits
        return view.legal[{0: -1, 3: 0}[style.WHICH + self.before[0] + habits.LATE]]
"""


def test_robot_imports_modules_of_own_folder(tmp_path):
    """Modules with equal names in two folders stay separate, even if imported late or by another module."""
    robots = []
    for number, folder in enumerate((tmp_path / "old", tmp_path / "new")):
        folder.mkdir()
        (folder / "bot.py").write_text(STYLED)
        (folder / "style.py").write_text(f"import manners\nWHICH = {number}")
        (folder / "manners.py").write_text("import random, style\n\ndef known():\n    return style.WHICH")
        (folder / "habits.py").write_text(f"LATE = {number}")
        (folder / "random.py").write_text("raise LookupError('what all have goes before')")
        robots.append(load_robot(f"{folder / 'bot.py'}:Styled", "gurka"))
    view, seed, decisions = collect_positions("gurka")[0]
    for _ in range(2):
        assert [decide(robot, view, seed, decisions) for robot in robots] == [view.legal[-1], view.legal[0]]
