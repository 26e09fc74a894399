"""Robot of Gurka for four players that has learned by self-play, and its training.

    cardtable arena gurka --a gurka_learned.py:Learned --b random --deals 1000
    python gurka_learned.py --rounds 20000 --seed 1

A network with one hidden layer rates the cards from the hand, the trick and the cards that each seat has played; the
robot plays the legal card with the highest rating. The training writes its weights to ``gurka_weights.py``: all seats
play by the same network, which chooses at random in proportion to its probabilities. After each batch of rounds, the
policy gradient (REINFORCE) makes those choices more probable that led to fewer points than the mean of the table.
"""

import argparse
import textwrap
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from cardtable.engine.game import Action, AnyGame, View
from cardtable.robots.kit.encoding import ActionCodec, ViewEncoder

if TYPE_CHECKING:
    from cardtable_pettingzoo import CardGameEnv

SEATS: Final = 4
FIELDS: Final = ("hand", "trick", "played")
"""Fields of the view that the network gets."""
HIDDEN: Final = 48
"""Number of hidden units."""
BATCH: Final = 250
"""Number of rounds played at the same time, after which the weights change."""
BATCHES_PER_REPORT: Final = 8
ROUNDS_OF_REPORT: Final = 1000
"""Number of rounds against random play that measure the progress; the cards are the same each time."""
LEARNING_RATE: Final = 0.002
ENTROPY_WEIGHT: Final = 0.01
"""Weight of the entropy of the choices, which keeps the network from deciding too early."""
POINTS_SCALE: Final = 10.0
WEIGHTS: Final = Path(__file__).with_name("gurka_weights.py")


class Network:
    """A network with one hidden layer of rectified linear units."""

    def __init__(self, inputs: int, outputs: int) -> None:
        self.shapes = (inputs, HIDDEN), (HIDDEN,), (HIDDEN, outputs), (outputs,)
        self.weights = [np.zeros(shape, np.float32) for shape in self.shapes]

    def read(self, text: str) -> None:
        """Set the weights from Base64 text. Raises ``ValueError`` if they are those of a network of another size."""
        numbers = np.frombuffer(b64decode(text), "<f2").astype(np.float32)
        ends = np.cumsum([np.prod(shape) for shape in self.shapes])
        if len(numbers) != ends[-1]:
            raise ValueError("the weights are those of a network of another size: train again")
        parts = np.split(numbers, ends[:-1])
        self.weights = [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def rate(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the ratings of all choices, and the values of the hidden units, for each row of observations."""
        into, bias, out, last_bias = self.weights
        hidden = np.maximum(observations @ into + bias, 0)
        return hidden @ out + last_bias, hidden


def list_columns(encoder: ViewEncoder) -> np.ndarray:
    """Return the indices of the entries of an observation that the network gets."""
    return np.concatenate([np.arange(field.start, field.end) for field in encoder.fields if field.name in FIELDS])


class Learned:
    """The trained robot."""

    def __init__(self, game: AnyGame) -> None:
        from gurka_weights import WEIGHTS  # noqa: PLC0415 - written by the training

        self._codec, self._encoder = ActionCodec(game), ViewEncoder(game, SEATS)
        self._columns = list_columns(self._encoder)
        self._network = Network(len(self._columns), self._codec.size)
        self._network.read(WEIGHTS)

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long or random
        """Return the legal card with the highest rating."""
        if len(view.totals) != SEATS:
            raise ValueError(f"this robot has learned to play with {SEATS} players")
        observation = np.frombuffer(self._encoder.observe(view), np.float32)
        ratings, _ = self._network.rate(observation[self._columns])
        return max(view.legal, key=lambda action: ratings[self._codec.encode(action)[0]])


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


def play_batch(
    tables: "list[CardGameEnv]", rate: Callable[[np.ndarray, list[str]], np.ndarray], rng: np.random.Generator
) -> Choices:
    """Play a round at each table, and return all choices between several cards.

    ``rate`` returns the ratings of all cards, given the observations in rows and the agents that are to choose.
    """
    columns = list_columns(tables[0].encoder)
    observations, masks, chosen, choosers = [], [], [], []
    for table in tables:
        table.reset(int(rng.integers(2**63)))
    playing = tables
    while playing:
        seen = [table.observe(table.agent_selection) for table in playing]
        agents = [table.agent_selection for table in playing]
        inputs = np.stack([one["observation"] for one in seen])[:, columns]
        legal = np.stack([one["action_mask"] for one in seen])
        probabilities = compute_probabilities(rate(inputs, agents), legal)
        draws = (probabilities.cumsum(axis=1) > rng.random((len(playing), 1))) & (legal == 1)
        cards = np.where(draws.any(axis=1), draws.argmax(axis=1), probabilities.argmax(axis=1))
        free = legal.sum(axis=1) > 1
        observations.append(inputs[free])
        masks.append(legal[free])
        chosen.append(cards[free])
        choosers += [one for one, is_free in zip(zip(playing, agents, strict=True), free, strict=True) if is_free]
        for table, card in zip(playing, cards, strict=True):
            table.step(card)
        playing = [table for table in playing if not any(table.terminations.values())]
    rewards = np.array([table.rewards[agent] for table, agent in choosers]) / POINTS_SCALE
    return Choices(np.concatenate(observations), np.concatenate(masks), np.concatenate(chosen), rewards)


def measure_lead(tables: "list[CardGameEnv]", network: Network) -> tuple[float, float]:
    """Return how many points a round the best cards of the network gain over random play, and the standard error."""
    rng, rewards = np.random.default_rng(0), []

    def rate(inputs: np.ndarray, agents: list[str]) -> np.ndarray:
        is_learned = np.array(agents) == "player_0"
        return network.rate(inputs)[0] * np.where(is_learned, 1e6, 0)[:, None]

    for _ in range(ROUNDS_OF_REPORT // len(tables)):
        play_batch(tables, rate, rng)
        rewards += [table.rewards["player_0"] for table in tables]
    leads = np.array(rewards) * SEATS / (SEATS - 1)  # rewards are distances from the mean of all
    return leads.mean(), leads.std() / np.sqrt(len(leads))


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
    """Return a network trained by this number of rounds; print its lead over random play on the way."""
    from cardtable_pettingzoo import CardGameEnv  # noqa: PLC0415 - the robot can play without it

    rng, tables = np.random.default_rng(seed), [CardGameEnv("gurka", seats=SEATS) for _ in range(BATCH)]
    network = Network(len(list_columns(tables[0].encoder)), tables[0].codec.size)
    for number in (0, 2):
        shape = network.shapes[number]
        network.weights[number] = rng.normal(0, 1 / np.sqrt(shape[0]), shape).astype(np.float32)
    adam, batches, start = Adam(network.weights), max(rounds // BATCH, 1), process_time()
    for batch in range(batches + 1):
        if batch % BATCHES_PER_REPORT == 0 or batch == batches:
            lead, error = measure_lead(tables, network)
            print(f"{batch * BATCH:6} rounds {process_time() - start:5.0f} s  {lead:+.2f} ± {error:.2f} points a round")
        if batch < batches:
            choices = play_batch(tables, lambda inputs, _agents: network.rate(inputs)[0], rng)
            adam.ascend(network.weights, compute_gradients(network, choices), LEARNING_RATE * (1 - batch / batches))
    return network


def write_weights(network: Network, path: Path) -> None:
    """Write the weights as a Python file, rounded to half precision."""
    numbers = np.concatenate([weight.ravel() for weight in network.weights]).astype("<f2")
    lines = textwrap.wrap(b64encode(numbers.tobytes()).decode(), 112)
    text = "\n".join([f'    "{line}"' for line in lines])
    title = '"""Weights of the robot in ``gurka_learned.py``, which writes them."""'
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
