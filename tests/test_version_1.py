"""Journals of version 1: results of the golden archive stay the same."""

import hashlib
import os
from pathlib import Path
from random import Random

import pytest

from cardtable.store import archive_index, summaries
from tests.version_1 import EXPECTED, HERE, compute_records, summarize_session, unpack

GAMES = sorted(path.name.removesuffix(".tar.xz") for path in HERE.glob("*.tar.xz"))


@pytest.mark.parametrize("game", GAMES)
def test_sessions_of_a_game_are_unchanged(game):
    sessions = {
        path.stem: {"played": summaries.summarize(path).played, **summarize_session(path)} for path in unpack(game)
    }
    assert len(sessions) == 20
    for id_, session in sessions.items():
        assert session == EXPECTED["sessions"][id_], id_


def test_ratings_and_statistics_ignore_file_times():
    paths = [path for game in GAMES for path in unpack(game)]
    for path, seconds in zip(paths, Random(1).sample(range(10**9), len(paths)), strict=True):
        os.utime(path, (seconds, seconds))
    assert [summary.id for summary in archive_index.list_summaries()] == EXPECTED["order"]
    records = compute_records()
    assert records["ratings"] == EXPECTED["ratings"]
    assert records["statistics"] == EXPECTED["statistics"]


@pytest.mark.parametrize("name", EXPECTED["saves"])
def test_sample_sessions_are_unchanged(name):
    path = Path(__file__).parent.parent / "cardtable" / "saves" / name
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    assert {"bytes": digest, **summarize_session(path)} == EXPECTED["saves"][name]
