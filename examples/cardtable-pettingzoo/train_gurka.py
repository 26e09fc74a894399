"""Train the robot of ``gurka_learned.py`` by self-play, and write its weights to ``gurka_weights.py``.

    python train_gurka.py --rounds 20000

All seats play by the same network, which chooses at random in proportion to its probabilities. After each batch of
rounds, the policy gradient (REINFORCE) makes those choices more probable that led to fewer points than the mean of the
table. Needs numpy only, and takes a few minutes.
"""

import argparse
import textwrap
from base64 import b64encode
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

import numpy as np
from cardtable_pettingzoo import CardGameEnv
from gurka_learned import SEATS, Network, list_columns

BATCH: Final = 250
"""Number of rounds played at the same time, after which the weights change."""
LEARNING_RATE: Final = 0.002
ENTROPY_WEIGHT: Final = 0.01
"""Weight of the entropy of the choices, which keeps the network from deciding too early."""
POINTS_SCALE: Final = 10.0
WEIGHTS: Final = Path(__file__).with_name("gurka_weights.py")


class Choices(NamedTuple):
    """Choices of a batch of rounds, one in each row."""

    observations: np.ndarray
    masks: np.ndarray
    chosen: np.ndarray
    rewards: np.ndarray


class Adam:
    """The optimiser of Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015)."""

    def __init__(self, weights: list[np.ndarray]) -> None:
        self._means = [np.zeros_like(one) for one in weights]
        self._squares = [np.zeros_like(one) for one in weights]
        self._steps = 0

    def ascend(self, weights: list[np.ndarray], gradients: list[np.ndarray], rate: float) -> None:
        """Change the weights in place, in the direction of the gradients."""
        self._steps += 1
        for number, gradient in enumerate(gradients):
            self._means[number] += 0.1 * (gradient - self._means[number])
            self._squares[number] += 0.001 * (gradient**2 - self._squares[number])
            mean = self._means[number] / (1 - 0.9**self._steps)
            square = self._squares[number] / (1 - 0.999**self._steps)
            weights[number] += rate * mean / (np.sqrt(square) + 1e-8)


def compute_probabilities(ratings: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the probability of each choice (softmax); illegal choices have none."""
    legal = np.where(masks, ratings, -np.inf)
    powers = np.exp(legal - legal.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def play_batch(tables: list[CardGameEnv], network: Network, columns: np.ndarray, rng: np.random.Generator) -> Choices:
    """Play a round at each table, and return all choices between several cards."""
    observations, masks, chosen, choosers = [], [], [], []
    for table in tables:
        table.reset(int(rng.integers(2**63)))
    playing = list(range(len(tables)))
    while playing:
        seen = [tables[number].observe(tables[number].agent_selection) for number in playing]
        inputs = np.stack([one["observation"] for one in seen])[:, columns]
        legal = np.stack([one["action_mask"] for one in seen])
        probabilities = compute_probabilities(network.rate(inputs)[0], legal)
        draws = (probabilities.cumsum(axis=1) > rng.random((len(playing), 1))) & (legal == 1)
        cards = np.where(draws.any(axis=1), draws.argmax(axis=1), probabilities.argmax(axis=1))
        free = legal.sum(axis=1) > 1
        observations.append(inputs[free])
        masks.append(legal[free])
        chosen.append(cards[free])
        choosers += [(n, tables[n].agent_selection) for n, is_free in zip(playing, free, strict=True) if is_free]
        for number, card in zip(playing, cards, strict=True):
            tables[number].step(card)
        playing = [number for number in playing if not any(tables[number].terminations.values())]
    rewards = np.array([tables[number].rewards[agent] for number, agent in choosers]) / POINTS_SCALE
    return Choices(np.concatenate(observations), np.concatenate(masks), np.concatenate(chosen), rewards)


def compute_gradients(network: Network, choices: Choices) -> list[np.ndarray]:
    """Return the gradients of the expected reward and the entropy, averaged over the choices."""
    ratings, hidden = network.rate(choices.observations)
    probabilities = compute_probabilities(ratings, choices.masks)
    logarithms = np.log(np.maximum(probabilities, 1e-9))
    entropy = -(probabilities * logarithms).sum(axis=1, keepdims=True)
    upwards = -probabilities * choices.rewards[:, None]
    upwards[np.arange(len(choices.chosen)), choices.chosen] += choices.rewards
    upwards -= ENTROPY_WEIGHT * probabilities * (logarithms + entropy)
    upwards = (upwards / len(upwards)).astype(np.float32)
    below = upwards @ network.weights[2].T * (hidden > 0)
    return [choices.observations.T @ below, below.sum(axis=0), hidden.T @ upwards, upwards.sum(axis=0)]


def train(rounds: int, seed: int) -> Network:
    """Return a network trained by this number of rounds; print the progress."""
    rng, tables = np.random.default_rng(seed), [CardGameEnv("gurka", seats=SEATS) for _ in range(BATCH)]
    columns = list_columns(tables[0].encoder)
    network = Network(len(columns), tables[0].codec.size)
    for number in (0, 2):
        shape = network.shapes[number]
        network.weights[number] = rng.normal(0, 1 / np.sqrt(shape[0]), shape).astype(np.float32)
    adam, batches, start = Adam(network.weights), max(rounds // BATCH, 1), monotonic()
    for batch in range(batches):
        choices = play_batch(tables, network, columns, rng)
        adam.ascend(network.weights, compute_gradients(network, choices), LEARNING_RATE * (1 - batch / batches))
        if (batch + 1) % 20 == 0 or batch + 1 == batches:
            spread = np.mean([max(table.rewards.values()) - min(table.rewards.values()) for table in tables])
            print(
                f"{(batch + 1) * BATCH:6} rounds, {monotonic() - start:4.0f} s, losers of a round {spread:5.2f} points"
            )
    return network


def write_weights(network: Network, path: Path) -> None:
    """Write the weights as a Python file, rounded to half precision."""
    numbers = np.concatenate([weight.ravel() for weight in network.weights]).astype("<f2")
    lines = textwrap.wrap(b64encode(numbers.tobytes()).decode(), 112)
    text = "\n".join([f'    "{line}"' for line in lines])
    title = '"""Weights of the robot in ``gurka_learned.py``, written by ``train_gurka.py``."""'
    path.write_text(f"{title}\n\nWEIGHTS = (\n{text}\n)\n", encoding="utf-8")


def main() -> None:
    """Train and write the weights."""
    parser = argparse.ArgumentParser(description="Train a robot of Gurka by self-play.")
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=WEIGHTS)
    arguments = parser.parse_args()
    write_weights(train(arguments.rounds, arguments.seed), arguments.output)


if __name__ == "__main__":
    main()
