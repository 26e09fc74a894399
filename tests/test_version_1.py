"""Journals of version 1: results of the golden archive stay the same."""

import hashlib
import os
from pathlib import Path
from random import Random

import pytest

from cardtable.store import archive_index, summaries
from tests.version_1 import EXPECTED, HERE, reckoned, told, unpack

GAMES = sorted(path.name.removesuffix(".tar.xz") for path in HERE.glob("*.tar.xz"))


@pytest.mark.parametrize("game", GAMES)
def test_the_sessions_of_a_game_are_what_they_were(game):
    found = {path.stem: {"played": summaries.summarize(path).played, **told(path)} for path in unpack(game)}
    assert len(found) == 20
    for id_, session in found.items():
        assert session == EXPECTED["sessions"][id_], id_


def test_their_order_ratings_and_statistics_are_what_they_were_whatever_the_times_of_their_files():
    paths = [path for game in GAMES for path in unpack(game)]
    for path, seconds in zip(paths, Random(1).sample(range(10**9), len(paths)), strict=True):
        os.utime(path, (seconds, seconds))
    assert [summary.id for summary in archive_index.list_summaries()] == EXPECTED["order"]
    found = reckoned()
    assert found["ratings"] == EXPECTED["ratings"]
    assert found["statistics"] == EXPECTED["statistics"]


@pytest.mark.parametrize("name", EXPECTED["saves"])
def test_the_sample_sessions_stay_as_they_are_and_are_what_they_were(name):
    path = Path(__file__).parent.parent / "saves" / name
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    assert {"bytes": digest, **told(path)} == EXPECTED["saves"][name]
