"""Four programs save settings, profiles and sessions in one home at the same time."""

import json
import subprocess
import sys
from zlib import crc32

from cardtable.store import archive_index, credit_ledger, paths, profiles, settings, summaries
from tests.budgets import get_trials
from tests.store.concurrent_program import SETTING_VALUES, STAKE, STAKE_INTERVAL, get_own_settings

ROUNDS = get_trials("four programs")


def test_concurrent_programs_lose_no_changes():
    command = [sys.executable, "-m", "tests.store.concurrent_program"]
    programs = [
        subprocess.Popen([*command, str(number), str(ROUNDS)], stdout=subprocess.PIPE, text=True)
        for number in range(len(SETTING_VALUES))
    ]
    outputs = [program.communicate()[0] for program in programs]
    assert [program.returncode for program in programs] == [0] * len(programs)
    results = [json.loads(text) for text in outputs]
    chosen, complaints = settings.load()
    assert complaints == []
    assert [get_own_settings(chosen, number) for number in range(len(SETTING_VALUES))] == [
        each["settings"] for each in results
    ]
    credit_ledger.pay_out()
    for each in results:
        player = profiles.find(each["nick"])
        assert player.name == f"Round {ROUNDS - 1}"
        staked = [move.session for move in player.ledger if move.why == "stake"]
        assert len(set(staked)) == len(staked) == len(range(0, ROUNDS, STAKE_INTERVAL))
        moved = dict.fromkeys(staked, 0)
        for move in player.ledger:
            moved[move.session] += move.change * (move.why != "gift")
        assert set(moved.values()) == {-STAKE}, "each stake is taken once, whoever looked meanwhile"
        for name, seen in each["journals"].items():
            [path] = [
                folder / name
                for folder in (paths.sessions_folder(), paths.archive_folder())
                if (folder / name).exists()
            ]
            assert crc32(path.read_bytes()) == seen
    listed = {summary.id for summary in archive_index.list_summaries() if summary.error is None}
    assert listed == {name.removesuffix(summaries.JOURNAL_SUFFIX) for each in results for name in each["journals"]}
    assert not list(paths.home().rglob("*.new"))
