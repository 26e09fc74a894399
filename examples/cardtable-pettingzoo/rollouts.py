"""Measure random play in parallel: games of cardtable as environments, beside the nearest games of RLCard.

    python -m pip install rlcard
    python rollouts.py --episodes 10000 --workers 2

At each step the seat to act gets its observation and its legal mask, and makes a legal choice at random. RLCard's
environments are used as its own agents use them. Without RLCard only the figures of cardtable are printed. An episode
is a round. The games of a pair are not the same, so compare the choices a second of processor time rather
than the episodes; the last column is that of cardtable as a multiple of the row.
"""

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from time import perf_counter, process_time
from typing import Final, NamedTuple

import numpy as np
from cardtable_pettingzoo import CardGameEnv

try:
    import rlcard
except ImportError:
    rlcard = None

NEAREST: Final = {"rummy": "gin-rummy", "bridge": "uno"}
"""Nearest game of RLCard by game of cardtable: melding with two players, and matching suit or rank."""
CHUNK: Final = 250
"""Number of episodes that a process plays at a time."""


class Rate(NamedTuple):
    """Result of the rollouts of a game."""

    episodes: int
    choices: int
    seconds: float
    """Time that has passed."""
    processor_seconds: float
    """Processor time of all processes together."""

    @property
    def speed(self) -> float:
        """Number of choices in a second of processor time."""
        return self.choices / self.processor_seconds


def play_cardtable(key: str, episodes: int, seed: int) -> int:
    """Play rounds at random; return the number of choices."""
    rng, choices = np.random.default_rng(seed), 0
    table = CardGameEnv(key)
    for episode in range(episodes):
        table.reset(seed * CHUNK + episode)
        while not table.terminations[table.agent_selection]:
            legal = table.observe(table.agent_selection)["action_mask"].nonzero()[0]
            table.step(legal[int(rng.random() * len(legal))])
            choices += 1
    return choices


def play_rlcard(name: str, episodes: int, seed: int) -> int:
    """Play rounds at random; return the number of choices."""
    rng, choices = np.random.default_rng(seed), 0
    table = rlcard.make(name, config={"seed": seed})
    for _ in range(episodes):
        state, _ = table.reset()
        while not table.is_over():
            legal = list(state["legal_actions"])
            state, _ = table.step(legal[int(rng.random() * len(legal))])
            choices += 1
    return choices


def measure(play: Callable[[int, int], int], episodes: int, workers: ProcessPoolExecutor) -> Rate:
    """Play the episodes in the worker processes, and return the rate."""
    chunks = [min(CHUNK, episodes - start) for start in range(0, episodes, CHUNK)]
    start = perf_counter()
    choices, seconds = zip(*workers.map(partial(play_timed, play), chunks, range(len(chunks))), strict=True)
    return Rate(episodes, sum(choices), perf_counter() - start, sum(seconds))


def play_timed(play: Callable[[int, int], int], episodes: int, seed: int) -> tuple[int, float]:
    """Play the episodes; return the number of choices and the processor time in seconds."""
    start = process_time()
    return play(episodes, seed), process_time() - start


def main() -> None:
    """Print the rate of each game."""
    parser = argparse.ArgumentParser(description="Measure random play in parallel, beside RLCard.")
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    with ProcessPoolExecutor(arguments.workers) as workers:
        for key, name in NEAREST.items():
            ours = measure(partial(play_cardtable, key), arguments.episodes, workers)
            rates = {f"cardtable {key}": ours}
            if rlcard is not None:
                rates[f"rlcard {name}"] = measure(partial(play_rlcard, name), arguments.episodes, workers)
            for label, rate in rates.items():
                print(
                    f"{label:20} {rate.episodes:6,} episodes in {rate.seconds:6.1f} s"
                    f"  {rate.episodes / rate.seconds:6,.0f} episodes/s  {rate.speed:8,.0f} choices/s"
                    f"  {ours.speed / rate.speed:5.2f}"
                )


if __name__ == "__main__":
    main()
