"""The robot of Gurka that has learned, and its training."""

import sys
from math import log
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parent.parent
sys.path.append(str(FOLDER))

import gurka_learned  # noqa: E402 - a file of robots is not installed
from gurka_learned import SEATS, Network  # noqa: E402

from cardtable.games import GAMES  # noqa: E402
from cardtable.robots.arena import Match, play_deals, summarize_results  # noqa: E402
from cardtable.robots.kit.file_robots import RobotFailed, load_robot  # noqa: E402
from cardtable.robots.kit.robot import make_generator, no_time_limit  # noqa: E402

ROBOT = f"{FOLDER / 'gurka_learned.py'}:Learned"


def test_it_is_better_than_random_play():
    match = Match("gurka", ROBOT, "random", "random", SEATS, GAMES["gurka"].options(), deals=60, seed=1)
    result = summarize_results([deal for number in range(60) for deal in play_deals(match, number)])
    assert result.mean > 3 * result.error


def test_it_plays_with_four_only():
    state = GAMES["gurka"].start(6, GAMES["gurka"].options(seats=6))
    rng = make_generator(1, 0, 0)
    state.apply(state.draw_chance(rng))
    with pytest.raises(RobotFailed, match="this robot has learned to play with 4 players"):
        load_robot(ROBOT, "gurka").choose(state.view(state.turn), rng, no_time_limit)


def make_network():
    rng, network = np.random.default_rng(1), Network(5, 3)
    network.weights = [rng.normal(size=shape) for shape in network.shapes]
    return network


def test_gradients_are_those_of_the_expected_reward():
    """They equal the differences when each of some weights is changed a little."""
    rng, network = np.random.default_rng(2), make_network()
    choices = gurka_learned.Choices(
        rng.normal(size=(6, 5)),
        np.array([[1, 1, 1], [1, 1, 0]] * 3),
        np.array([0, 1, 2, 0, 1, 1]),
        rng.normal(size=6),
    )

    def compute_aim():
        probabilities = gurka_learned.compute_probabilities(network.rate(choices.observations)[0], choices.masks)
        entropies = [-sum(p * log(p) for p in row if p) for row in probabilities]
        chosen = np.log(probabilities[np.arange(6), choices.chosen])
        return np.mean(chosen * choices.rewards + gurka_learned.ENTROPY_WEIGHT * np.array(entropies))

    gradients = gurka_learned.compute_gradients(network, choices)
    for weight, gradient in zip(network.weights, gradients, strict=True):
        place = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
        before = compute_aim()
        weight[place] += 1e-6
        assert (compute_aim() - before) / 1e-6 == pytest.approx(gradient[place], rel=1e-3)
        weight[place] -= 1e-6


def test_training_repeats_with_its_seed(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(gurka_learned, "BATCH", 4)
    monkeypatch.setattr(gurka_learned, "ROUNDS_OF_REPORT", 4)
    network, again = [gurka_learned.train(8, seed=1) for _ in range(2)]
    assert "8 rounds" in capsys.readouterr().out
    assert all(map(np.array_equal, network.weights, again.weights))
    gurka_learned.write_weights(network, tmp_path / "weights.py")
    written: dict[str, str] = {}
    exec((tmp_path / "weights.py").read_text(), written)  # noqa: S102 - written by this test
    other = Network(network.shapes[0][0], network.shapes[3][0])
    other.read(written["WEIGHTS"])
    for one, copy in zip(network.weights, other.weights, strict=True):
        assert one == pytest.approx(copy, abs=1e-2)
    assert network.weights[3].any()
    with pytest.raises(ValueError, match="train again"):
        Network(1, 1).read(written["WEIGHTS"])
