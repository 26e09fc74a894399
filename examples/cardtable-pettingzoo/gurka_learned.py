"""Robot of Gurka for four players that ``train_gurka.py`` has trained.

    cardtable arena gurka --a gurka_learned.py:Learned --b random --deals 1000

A network with one hidden layer rates the cards from the hand, the trick and the cards that each seat has played; the
robot plays the legal card with the highest rating. ``gurka_weights.py``, which the training writes, has its weights.
"""

from base64 import b64decode
from collections.abc import Callable
from random import Random
from typing import Final

import numpy as np

from cardtable.engine.game import Action, AnyGame, View
from cardtable.robots.kit.encoding import ActionCodec, ViewEncoder

SEATS: Final = 4
FIELDS: Final = ("hand", "trick", "played")
"""Fields of the view that the network gets."""
HIDDEN: Final = 48
"""Number of hidden units."""


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
        from gurka_weights import WEIGHTS  # noqa: PLC0415 - written by the training, which imports this file

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
