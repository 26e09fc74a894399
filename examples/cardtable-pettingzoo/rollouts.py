"""Measure random play of the environments, one by one and in batches, beside the nearest games of OpenSpiel and RLCard.

    python -m pip install open_spiel rlcard
    python rollouts.py --episodes 1000

At each choice the player to act gets the observation and the legal mask as arrays, and makes a legal choice at random.
A batch is a number of tables at which one choice each is made at a time, with the observations stacked for a network:
a list of environments here, ``SyncVectorEnv`` in OpenSpiel; RLCard has none. What is not installed is left out. An
episode is a round. The games of a group are not the same, so compare the choices a second of processor time rather than
the episodes; the last column is that of cardtable's tables one by one as a multiple of the row.
"""

import argparse
from collections.abc import Callable
from functools import partial
from random import Random
from time import process_time
from typing import Final, NamedTuple

import numpy as np
from cardtable_pettingzoo import CardGameEnv

try:
    import pyspiel
    from open_spiel.python.rl_agent import StepOutput
    from open_spiel.python.rl_environment import Environment
    from open_spiel.python.vector_env import SyncVectorEnv
except ImportError:
    pyspiel = None
try:
    import rlcard
except ImportError:
    rlcard = None

BATCH: Final = 100
"""Number of tables of a batch."""


class Nearest(NamedTuple):
    """Names of the games that are like one of cardtable."""

    openspiel: str
    rlcard: str | None


GAMES: Final = {
    "rikiki": Nearest("oh_hell(players=4)", None),
    "rummy": Nearest("gin_rummy", "gin-rummy"),
    "bridge": Nearest("crazy_eights(players=4)", "uno"),
}
"""Nearest games: bidding tricks, melding, and matching suit or rank."""


class Rate(NamedTuple):
    """Result of the rollouts of a game."""

    choices: int
    entries: int
    """Length of an observation."""


def play_cardtable(key: str, episodes: int) -> Rate:
    rng, choices, table = Random(1), 0, CardGameEnv(key)
    for episode in range(episodes):
        table.reset(episode)
        while not table.terminations[table.agent_selection]:
            legal = table.observe(table.agent_selection)["action_mask"].nonzero()[0]
            table.step(rng.choice(legal))
            choices += 1
    return Rate(choices, len(table.observe(table.agent_selection)["observation"]))


def choose_randomly(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a random legal choice for each row of masks."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def play_cardtable_batch(key: str, episodes: int) -> Rate:
    rng, choices = np.random.default_rng(1), 0
    tables = [CardGameEnv(key) for _ in range(BATCH)]
    observations = np.empty((0, 0))
    for start in range(0, episodes, BATCH):
        for number, table in enumerate(tables):
            table.reset(start + number)
        playing = tables
        while playing:
            seen = [table.observe(table.agent_selection) for table in playing]
            observations = np.stack([one["observation"] for one in seen])
            masks = np.stack([one["action_mask"] for one in seen])
            for table, choice in zip(playing, choose_randomly(masks, rng), strict=True):
                table.step(choice)
            choices += len(playing)
            playing = [table for table in playing if not table.terminations[table.agent_selection]]
    return Rate(choices, observations.shape[1])


def play_openspiel(name: str, episodes: int) -> Rate:
    """Play with states of OpenSpiel, without its class of environments."""
    rng, choices, game = Random(1), 0, pyspiel.load_game(name)
    observe = (
        pyspiel.State.observation_tensor
        if game.get_type().provides_observation_tensor
        else pyspiel.State.information_state_tensor
    )
    observation = np.empty(0)
    for _ in range(episodes):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, probabilities)[0])
                continue
            player = state.current_player()
            observation = np.array(observe(state, player), np.float32)
            state.apply_action(int(rng.choice(np.array(state.legal_actions_mask(player)).nonzero()[0])))
            choices += 1
    return Rate(choices, len(observation))


def play_openspiel_batch(name: str, episodes: int) -> Rate:
    """Play with OpenSpiel's environments, which give the observations of all players at each choice."""
    rng, choices = np.random.default_rng(1), 0
    tables = SyncVectorEnv([Environment(pyspiel.load_game(name), seed=number) for number in range(BATCH)])
    size, observations = tables.envs[0].action_spec()["num_actions"], np.empty((0, 0))
    for _ in range(0, episodes, BATCH):
        steps, done = tables.reset(), [False] * BATCH
        while not all(done):
            players = [step.observations["current_player"] for step in steps]
            rows = [(step.observations, max(player, 0)) for step, player in zip(steps, players, strict=True)]
            observations = np.array([seen["info_state"][player] for seen, player in rows], np.float32)
            masks = np.zeros((BATCH, size), np.int8)
            for number, (seen, player) in enumerate(rows):
                masks[number, seen["legal_actions"][player]] = 1
            chosen = choose_randomly(masks, rng)
            choices += BATCH - sum(done)
            steps, _, ended, _ = tables.step([StepOutput(choice, None) for choice in chosen])
            done = [was or now for was, now in zip(done, ended, strict=True)]
    return Rate(choices, observations.shape[1])


def play_rlcard(name: str, episodes: int) -> Rate:
    rng, choices, table = Random(1), 0, rlcard.make(name, config={"seed": 1})
    observation = np.empty(0)
    for _ in range(episodes):
        state, _ = table.reset()
        while not table.is_over():
            observation = np.asarray(state["obs"], np.float32)
            state, _ = table.step(rng.choice(list(state["legal_actions"])))
            choices += 1
    return Rate(choices, observation.size)


def main() -> None:
    """Print the rate of each game."""
    parser = argparse.ArgumentParser(description="Measure random play, beside OpenSpiel and RLCard.")
    parser.add_argument("--episodes", type=int, default=1_000)
    episodes = parser.parse_args().episodes
    for key, nearest in GAMES.items():
        players: dict[str, Callable[[int], Rate]] = {
            f"cardtable {key}": partial(play_cardtable, key),
            f"cardtable {key}, batch": partial(play_cardtable_batch, key),
        }
        if pyspiel is not None:
            players[f"OpenSpiel {nearest.openspiel}"] = partial(play_openspiel, nearest.openspiel)
            players[f"OpenSpiel {nearest.openspiel}, batch"] = partial(play_openspiel_batch, nearest.openspiel)
        if rlcard is not None and nearest.rlcard is not None:
            players[f"RLCard {nearest.rlcard}"] = partial(play_rlcard, nearest.rlcard)
        own_speed = 0.0
        for label, play in players.items():
            start = process_time()
            rate = play(episodes)
            speed = rate.choices / (process_time() - start)
            own_speed = own_speed or speed
            print(f"{label:40} {rate.entries:5} entries  {speed:8,.0f} choices/s  {own_speed / speed:6.2f}")


if __name__ == "__main__":
    main()
