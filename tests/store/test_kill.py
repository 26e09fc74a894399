"""Programs killed at random moments: acknowledged decisions survive and the session continues."""

import subprocess
import sys
import time
from random import Random

from cardtable.engine import journal
from cardtable.engine.journal import ActionLine, ResultLine
from cardtable.store import sessions
from tests.journal_lines import select_lines
from tests.store.playing import create_session

PLAYER = """
import sys
from pathlib import Path
from random import Random
from cardtable.engine.game import CHANCE
from cardtable.store import sessions
session = sessions.resume(Path(sys.argv[1]))
table, rng = session.referee, Random()
while not table.ended:
    if table.turn == CHANCE:
        table.advance()
    else:
        table.play(table.turn, rng.choice(table.view(table.turn).legal))
    assert session.save_error is None
    print(table.decisions, flush=True)
"""
KILLS = 12


def test_kill_loses_no_acknowledged_decision():
    rng, path, known, played = Random(1), None, b"", 0
    for _ in range(KILLS):
        if path is None:
            session = create_session()
            session.close()
            path, known = session.path, session.path.read_bytes()
        with subprocess.Popen([sys.executable, "-c", PLAYER, str(path)], stdout=subprocess.PIPE, text=True) as player:
            output = player.stdout.readline()
            time.sleep(rng.random() * 0.03)
            player.kill()
            output += player.stdout.read()
        acknowledged = int(output[: output.rindex("\n")].split("\n")[-1])
        played += acknowledged
        if not path.exists():  # it was over
            path = path.parent.parent / "archive" / path.name
        data = path.read_bytes()
        assert data.startswith(known)
        entries = journal.read(data).entries
        decisions = len(select_lines(ActionLine, entries))
        assert acknowledged <= decisions <= acknowledged + 1
        is_over = isinstance(entries[-1].line, ResultLine)  # it may not have been moved into the archive yet
        known, path = data, None if is_over else path
        if path is not None:
            session = sessions.resume(path)
            assert session.referee.decisions == decisions
            session.close()
            known = session.path.read_bytes()
            path = session.path if not session.referee.ended else None
    assert played > KILLS
