"""Readers that are fuzzed accept what they begin with, and endure what is made of it."""

from random import Random

import pytest

from tests.lab.fuzz.__main__ import main
from tests.lab.fuzz.readers import READERS, read_journal
from tests.store.fuzz import mutate


@pytest.mark.parametrize("name", READERS)
def test_reader_endures_changed_seeds(name):
    rng, reader = Random(name), READERS[name]
    for seed in reader.make_seeds():
        reader.read(seed)
        for _ in range(5):
            reader.read(mutate(seed, rng, 3))


def test_failure_of_a_reader_is_noticed(monkeypatch):
    monkeypatch.setattr("cardtable.store.session_files.replay_journal", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        read_journal(READERS["journals"].make_seeds()[0])


def test_input_in_a_file_is_read_alone(monkeypatch, tmp_path):
    (tmp_path / "crash").write_bytes(b"\xff")
    monkeypatch.setattr("sys.argv", ["fuzz", "frames", str(tmp_path / "crash")])
    monkeypatch.setenv("CARDTABLE_HOME", "")
    assert main() == 0
