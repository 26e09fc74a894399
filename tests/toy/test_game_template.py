"""New game as CONTRIBUTING describes it: a folder among the games and its key.

The game Pips, beside this file, consists of rules only.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cardtable

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
TESTS_OF_ALL_GAMES = (
    "laws/test_rules.py", "laws/test_secrets.py",
    "session", "plain/test_last_round.py", "records", "wording",
)  # fmt: skip


def test_game_with_rules_only_passes_all_games_tests(tmp_path):
    room = tmp_path
    shutil.copytree(Path(cardtable.__file__).parent, room / "cardtable")
    shutil.copytree(HERE / "pips", room / "cardtable" / "games" / "pips")
    games = room / "cardtable" / "games" / "__init__.py"
    with_it = re.sub(r"(?m)^(KEYS: Final = .*)\)$", r'\1, "pips")', games.read_text(encoding="utf-8"))
    games.write_text(with_it, encoding="utf-8")
    tests = [HERE / "with_pips.py", *[ROOT / "tests" / those for those in TESTS_OF_ALL_GAMES], "-k", "pips"]
    words = ["-P", "-m", "pytest", "-q", "--import-mode=append", "-p", "no:cacheprovider", *tests]
    path = os.pathsep.join([str(room), str(ROOT)])
    done = subprocess.run([sys.executable, *words], cwd=room, env={**os.environ, "PYTHONPATH": path},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
