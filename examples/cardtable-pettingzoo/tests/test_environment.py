"""The environments of all installed games."""

import copy
import pickle
import re
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from cardtable_pettingzoo import ILLEGAL_REWARD, CardGameEnv, env, format_observations
from pettingzoo.test import api_test, seed_test

from cardtable.games import GAMES, KEYS

CYCLES = 500
README = Path(__file__).parent.parent / "README.md"


def test_code_of_the_readme():
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    made: dict[str, object] = {}
    exec(block, made)  # noqa: S102 - our own page
    assert not made["table"].agents


@pytest.mark.parametrize("key", GAMES)
def test_api_of_pettingzoo(key, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # observations are no pictures
        api_test(env(key), num_cycles=CYCLES)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("key", GAMES)
def test_seed_determines_the_episode(key):
    seed_test(lambda: env(key), num_cycles=CYCLES)


def play_randomly(table, seed):
    """Play an episode of legal choices at random; return the sum of rewards of each agent, and all observations."""
    rng, seen = np.random.default_rng(seed), []
    totals = dict.fromkeys(table.possible_agents, 0.0)
    table.reset(seed)
    for agent in table.agent_iter():
        observation, reward, terminated, truncated, _ = table.last()
        totals[agent] += reward
        seen.append(observation)
        assert table.observation_space(agent).contains(observation)
        legal = np.flatnonzero(observation["action_mask"])
        table.step(None if terminated or truncated else rng.choice(legal))
    return totals, seen


def play_on(table, seed, choices=None):
    """Make this number of choices at random, or all; return each agent with its observation and reward."""
    rng, seen = np.random.default_rng(seed), []
    while table.agents and len(seen) != choices:
        observation, reward, terminated, truncated, _ = table.last()
        legal = np.flatnonzero(observation["action_mask"])
        seen.append((table.agent_selection, observation["observation"].tolist(), legal.tolist(), reward))
        table.step(None if terminated or truncated else rng.choice(legal))
    return seen


def copy_by_pickle(table):
    return pickle.loads(pickle.dumps(table))  # noqa: S301 - written a moment ago


@pytest.mark.parametrize("choices", [0, 1, 2, 9, 40])
@pytest.mark.parametrize("key", GAMES)
def test_pickled_environment_continues_equally(key, choices):
    """Also within a meld."""
    table = env(key)
    table.reset(seed=1)
    play_on(table, choices, choices)
    pickled = copy_by_pickle(table)
    assert play_on(pickled, 2) == play_on(copy.deepcopy(table), 2) == play_on(table, 2)


def test_pickled_environments_continue_in_another_process():
    tables = [env(key) for key in GAMES]
    for table in tables:
        table.reset(seed=1)
        play_on(table, 1, 9)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        elsewhere = [*pool.map(play_on, tables, [2] * len(tables))]
    assert elsewhere == [play_on(table, 2) for table in tables]


def test_environment_is_pickled_before_its_first_episode():
    table = copy_by_pickle(env("gurka", seats=6, rounds=None, options={"limit": 21}))
    assert len(table.possible_agents) == 6
    play_randomly(table.unwrapped, 2)
    assert max(table.unwrapped._state.totals) > 21


@pytest.mark.parametrize("key", GAMES)
def test_arrays_of_observations_can_be_changed(key):
    table = env(key)
    table.reset(seed=1)
    before = table.last()[0]["action_mask"].tolist()
    for array in table.last()[0].values():
        array[:] = 0
    assert table.last()[0]["action_mask"].tolist() == before


@pytest.mark.parametrize("key", GAMES)
def test_rewards_of_a_round_sum_to_zero(key):
    for seed in range(3):
        totals, _ = play_randomly(CardGameEnv(key), seed)
        assert sum(totals.values()) == pytest.approx(0)
        assert key != "gurka" or any(totals.values())


def test_reward_is_the_distance_from_the_mean():
    """In Gurka the lowest total wins."""
    table = CardGameEnv("gurka", rounds=None)
    totals, _ = play_randomly(table, 1)
    points = {agent: table._state.totals[seat] for agent, seat in table._seat_of.items()}
    mean = sum(points.values()) / len(points)
    assert totals == pytest.approx({agent: mean - own_points for agent, own_points in points.items()})


def test_round_that_ends_with_an_outcome_of_chance():
    """In this round of Bridge no card is left to draw after a reshuffle."""
    table = CardGameEnv("bridge")
    totals, _ = play_randomly(table, 157)
    assert table._state.finished == table._last_round
    assert sum(totals.values()) == pytest.approx(0)
    assert any(totals.values())


def test_several_rounds_and_sessions():
    table = CardGameEnv("king", rounds=3)
    totals, _ = play_randomly(table, 2)
    assert table._state.finished == table._last_round
    assert any(totals.values())
    session = CardGameEnv("gurka", rounds=None, options={"limit": 21})
    play_randomly(session, 2)
    assert max(session._state.totals) > 21


def reset_often(table):
    """Begin episodes; return the rounds with which they begin, and the seats of the first agent."""
    rounds, seats = set(), set()
    for seed in range(60):
        table.reset(seed)
        rounds.add(table._state.round)
        seats.add(table._seat_of["player_0"])
    return rounds, seats


def test_episodes_begin_with_any_round_and_seat():
    assert reset_often(CardGameEnv("ten_down")) == ({*range(1, 11)}, {*range(4)})
    assert reset_often(CardGameEnv("ten_down", rounds=8)) == ({1, 2, 3}, {*range(4)})
    assert reset_often(CardGameEnv("gurka", seats=6)) == ({*range(1, 7)}, {*range(6)})
    assert reset_often(CardGameEnv("rummy", rounds=None)) == ({1}, {0, 1})


@pytest.mark.parametrize("key", GAMES)
def test_information_state_is_all_that_was_observed_and_chosen(key):
    table = CardGameEnv(key)
    table.reset(3)
    size, rng = table.codec.size, np.random.default_rng(3)
    past = {agent: np.empty((0, table.encoder.size + size)) for agent in table.agents}
    while not any(table.terminations.values()):
        actor, before = table.agent_selection, {}
        for agent in table.agents:
            now = table.observe(agent)["observation"][: table.encoder.size]
            before[agent] = np.append(now, np.zeros(size))
        agent = rng.choice(table.agents)
        assert np.array_equal(table.information_state(agent), np.vstack([past[agent], before[agent]]))
        decided = False
        while not decided:
            choice = rng.choice(np.flatnonzero(table.observe(actor)["action_mask"]))
            table.step(choice)
            before[actor][table.encoder.size + choice] += 1
            decided = not table._path
        past = {agent: np.vstack([past[agent], before[agent]]) for agent in table.agents}


@pytest.mark.parametrize("key", GAMES)
def test_state_is_the_observations_of_all(key):
    table = env(key)
    table.reset(seed=1)
    play_on(table, 1, 9)
    assert table.state_space.contains(table.state())
    parts = np.split(table.state(), len(table.possible_agents))
    for agent, part in zip(table.possible_agents, parts, strict=True):
        assert part.tolist() == table.observe(agent)["observation"].tolist()


def test_table_of_observations_is_current():
    table = format_observations([GAMES[key] for key in KEYS])
    assert table in README.read_text(encoding="utf-8"), "put in what python -m cardtable_pettingzoo prints"


def test_equal_cards_are_counted():
    """The second card of two is another choice than the first."""
    table = CardGameEnv("rummy")
    observation = table._append_choices(np.zeros(0), (5, 5, 7))
    assert (observation[5], observation[7], observation.sum()) == (2, 1, 3)


def test_a_meld_is_a_sequence_of_choices():
    """The same agent chooses the cards of a meld one by one, and sees its choices so far."""
    table = CardGameEnv("rummy")
    labels, size = table.codec.labels, table.codec.size
    for seed in range(20):
        table.reset(seed)
        agent = table.agent_selection
        table.step(labels.index("stock"))
        while (observation := table.observe(agent))["action_mask"][labels.index("meld")]:
            for place, word in enumerate(["meld", None, None, None, "end"]):
                assert table.agent_selection == agent
                legal = np.flatnonzero(table.observe(agent)["action_mask"])
                choice = labels.index(word) if word and labels.index(word) in legal else legal[0]
                table.step(choice)
                chosen = table.observe(agent)["observation"][-size:].sum()
                if labels[choice] == "end":
                    assert chosen == 0
                    break
                assert chosen == place + 1
            else:
                pytest.fail("the meld does not end")
            assert table._state.view(table._seat_of[agent]).table
            return
        assert observation["observation"].shape == table.observation_space(agent)["observation"].shape
    pytest.fail("no hand has a meld")


def test_illegal_choice_ends_the_episode(caplog):
    table = env("gurka")
    table.reset(1)
    agent = table.agent_selection
    illegal = np.flatnonzero(table.observe(agent)["action_mask"] == 0)[0]
    table.step(illegal)
    assert all(table.terminations.values())
    assert table.rewards[agent] == ILLEGAL_REWARD
    assert "Illegal move made" in caplog.text
    raw = CardGameEnv("gurka")
    raw.reset(1)
    with pytest.raises(ValueError, match="is not legal"):
        raw.step(illegal)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "gurca"}, "gurka"),
        ({"game": "gurka", "seats": 5}, "Gurka has 4 or 6 seats, not 5"),
        ({"game": "gurka", "rounds": 0}, "at least one round, not 0"),
        ({"game": "gurka", "options": {"limit": 7}}, "option limit cannot be 7"),
    ],
)
def test_wrong_arguments_are_explained(arguments, message):
    with pytest.raises(ValueError, match=message):
        env(**arguments)
