"""The games of cardtable as PettingZoo environments, in which agents act one after the other (AEC).

    python -m cardtable_pettingzoo

prints the fields of the observations of all installed games.
"""

import sys
from collections.abc import Iterable, Mapping
from functools import cache
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from cardtable.engine import options as house
from cardtable.engine.game import CHANCE, OVER, AnyGame, Seat, State, View
from cardtable.games import GAMES, format_unknown_game
from cardtable.robots.kit.encoding import ActionCodec, Path, ViewEncoder

ILLEGAL_REWARD: Final = -100.0
"""Reward of an agent whose illegal action ends the episode."""


def env(game: str | AnyGame = "gurka", **arguments: Any) -> AECEnv:
    """Return an environment in which an illegal action ends the episode.

    The arguments are those of ``CardGameEnv``.
    """
    checked = wrappers.TerminateIllegalWrapper(CardGameEnv(game, **arguments), illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class _PastAction(NamedTuple):
    """Action of the round so far."""

    state: State[View]
    """The state before the action."""
    seat: Seat
    path: Path


@cache
def _make_encodings(game: AnyGame, seats: int) -> tuple[ActionCodec, ViewEncoder]:
    """Return the encodings of a game, which all its environments share."""
    return ActionCodec(game), ViewEncoder(game, seats)


class CardGameEnv(AECEnv):
    """A number of rounds of a game, with an agent at each seat.

    ``game`` is the key of an installed game, or a ``Game``. ``seats`` is by default the usual number. ``options`` has
    house rules by name, as in ``cardtable play GAME --option``. An episode has ``rounds`` rounds, or is a whole session
    if this is ``None``. It begins with a random round of a session, after rounds that were played at random, and the
    first agent has a random seat.

    An observation is a dictionary: ``observation`` is the encoded view of the seat, and ``action_mask`` has a 1 for
    each legal choice. An action that is made of several choices takes as many steps of the same agent; the last entries
    of the observation count its choices so far. When points are scored, the reward of an agent is the number of points
    by which it is better than the mean of all seats; the rewards of all agents sum to 0.

    Raises ``ValueError`` with a one-line message if the game is unknown, or the arguments do not fit the game.
    """

    metadata: Final = {"name": "cardtable_v1", "render_modes": [], "is_parallelizable": False}

    def __init__(
        self,
        game: str | AnyGame = "gurka",
        *,
        seats: int | None = None,
        options: Mapping[str, object] | None = None,
        rounds: int | None = 1,
    ) -> None:
        super().__init__()
        self.render_mode = None
        if isinstance(game, str):
            if game not in GAMES:
                raise ValueError(format_unknown_game(game))
            game = GAMES[game]
        if seats is not None and seats not in game.about.seats:
            raise ValueError(f"{game.about.title} has {game.about.seats_in_words()} seats, not {seats}")
        if rounds is not None and rounds < 1:
            raise ValueError(f"an episode has at least one round, not {rounds}")
        self.game, self._rounds = game, rounds
        self._options = house.read(game.options, options or {}, seats)
        self._seats = game.seats_for(self._options) if seats is None else seats
        self.codec, self.encoder = _make_encodings(game, self._seats)
        self.possible_agents = [f"player_{number}" for number in range(self._seats)]
        self.action_spaces = {agent: spaces.Discrete(self.codec.size) for agent in self.possible_agents}
        space = self._make_observation_space()
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        low, high = [np.tile(bound, self._seats) for bound in (space["observation"].low, space["observation"].high)]
        self.state_space = spaces.Box(low, high, dtype=np.float32)
        self._random = Random()
        self._first_random_state: tuple[Any, ...] | None = None
        """State of the random numbers at the beginning of the episode; ``None`` before the first one."""
        self._choices: list[int] = []
        """All choices of the episode."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without the game's objects, which may not be picklable; they follow from the choices.

        An installed game is named by its key.
        """
        derived = ("codec", "encoder", "_state", "_past")
        attributes = {name: value for name, value in vars(self).items() if name not in derived}
        key = self.game.about.key
        return {**attributes, "game": key if GAMES.get(key) is self.game else self.game}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        vars(self).update(attributes)
        if isinstance(self.game, str):
            self.game = GAMES[self.game]
        self.codec, self.encoder = _make_encodings(self.game, self._seats)
        if self._first_random_state is not None:
            self._random.setstate(self._first_random_state)
            self._begin()
            for index in self._choices:
                self._apply_choice(index)
            vars(self).update({**attributes, "game": self.game})

    def _make_observation_space(self) -> spaces.Dict:
        marks = self.codec.size if self.codec.has_sequences else 0
        lengths = [len(field.labels) for field in self.encoder.fields]
        low = np.repeat([field.low for field in self.encoder.fields], lengths)
        high = np.repeat([field.high for field in self.encoder.fields], lengths)
        entries = [np.concatenate([low, np.zeros(marks)]), np.concatenate([high, np.full(marks, np.inf)])]
        return spaces.Dict(
            {
                "observation": spaces.Box(*[bound.astype(np.float32) for bound in entries], dtype=np.float32),
                "action_mask": spaces.Box(0, 1, (self.codec.size,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 - of PettingZoo
        """Begin an episode; the same ``seed`` gives the same round, seats and cards."""
        if seed is not None:
            self._random = Random(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._first_random_state, self._choices = self._random.getstate(), []
        self.agent_selection = self.agents[0]
        self._begin()

    def _begin(self) -> None:
        first = self._random.randrange(self._seats)
        self._agent_at = [*self.possible_agents[first:], *self.possible_agents[:first]]
        self._seat_of = {agent: seat for seat, agent in enumerate(self._agent_at)}
        self._state = self._draw_first_state()
        self._last_round = None if self._rounds is None else self._state.finished + self._rounds
        self._path: Path = ()
        self._past: list[_PastAction] = []
        self._draw_chance()

    def _draw_first_state(self) -> State[View]:
        """Return the state before the first round of an episode, after a number of rounds played at random.

        Any round of a session is equally probable; where points end a session, so are as many rounds as there are
        seats, but another session begins if one ends before.
        """
        state, rng = self.game.start(self._seats, self._options), self._random
        if self._rounds is None:
            return state
        played = rng.randrange(max((self._options.rounds or self._seats) - self._rounds + 1, 1))
        for _ in range(played):
            finished = state.finished
            while state.turn != OVER and state.finished == finished:
                state.apply(state.draw_chance(rng) if state.turn == CHANCE else rng.choice(state.legal()))
            if state.turn == OVER:
                state = self.game.start(self._seats, self._options)
        return state

    def _draw_chance(self) -> None:
        """Draw all outcomes of chance that are due; then end the episode, or determine the next agent.

        A round can also end with an outcome of chance.
        """
        state = self._state
        while state.turn == CHANCE and state.finished != self._last_round:
            state.apply(state.draw_chance(self._random))
        if state.turn == OVER or state.finished == self._last_round:
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self._agent_at[state.turn]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation of an agent; its mask is empty unless it is to act."""
        view = self._state.view(self._seat_of[agent])
        path = self._path if view.legal else ()
        observation = np.frombuffer(self.encoder.observe(view), np.float32)
        if self.codec.has_sequences:
            observation = self._append_choices(observation, path)
        legal = () if self.terminations.get(agent) else view.legal
        return {"observation": observation, "action_mask": np.frombuffer(self.codec.mask(legal, path), np.int8).copy()}

    def _append_choices(self, observation: np.ndarray, path: Path) -> np.ndarray:
        """Return an observation followed by the number of times that an agent has made each choice."""
        return np.concatenate([observation, np.bincount(path, minlength=self.codec.size).astype(np.float32)])

    def information_state(self, agent: str) -> np.ndarray:
        """Return all that an agent has observed and chosen in this round (perfect recall).

        There is a row for each action of a seat, in order: what the agent observed before the action, followed by the
        number of times that it made each choice then, all 0 for actions of others. The last row is the present.
        """
        seat = self._seat_of[agent]
        now = _PastAction(self._state, self._state.turn, self._path)
        return np.stack(
            [
                self._append_choices(
                    np.frombuffer(self.encoder.observe(state.view(seat)), np.float32), path if actor == seat else ()
                )
                for state, actor, path in (*self._past, now)
            ]
        )

    def state(self) -> np.ndarray:
        """Return the observations of all agents, one after the other, for critics that may see all hands."""
        return np.concatenate([self.observe(agent)["observation"] for agent in self.possible_agents])

    def step(self, action: int | None) -> None:
        """Make a choice for the agent to act. Raises ``ValueError`` if it is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._choose(int(action))
        self._accumulate_rewards()

    def _choose(self, index: int) -> None:
        if not 0 <= index < self.codec.size or not self.codec.mask(self._state.legal(), self._path)[index]:
            raise ValueError(f"the choice {index} is not legal")
        before = self._state.totals
        self._choices.append(index)
        self._apply_choice(index)
        sign = -1 if self.game.lowest_wins else 1
        points = [sign * (new - old) for old, new in zip(before, self._state.totals, strict=True)]
        mean = sum(points) / len(points)
        self.rewards = {agent: points[self._seat_of[agent]] - mean for agent in self.agents}

    def _apply_choice(self, index: int) -> None:
        """Apply the action of which this is the last choice, and outcomes of chance; or note a choice before that."""
        self._path = (*self._path, index)
        action = self.codec.decode(self._path)
        if action is not None:
            state = self._state
            self._past.append(_PastAction(state.copy(), state.turn, self._path))
            self._path, finished = (), state.finished
            state.apply(action)
            self._draw_chance()
            if state.finished != finished:
                self._past.clear()

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def format_observations(games: Iterable[AnyGame]) -> str:
    """Return a table in Markdown of the fields of the observations of some games, with the usual number of seats."""
    lines = ["| game | entries | fields in order, with their shapes |\n| --- | ---: | --- |\n"]
    for game in games:
        _, encoder = _make_encodings(game, game.about.usual_seats)
        fields = [f"{field.name} {'×'.join(map(str, field.shape))}".rstrip() for field in encoder.fields]
        lines.append(
            f"| {game.about.title}, {game.about.usual_seats} seats | {encoder.size:,} | {', '.join(fields)} |\n"
        )
    return "".join(lines)


if __name__ == "__main__":
    sys.stdout.write(format_observations(GAMES.values()))
