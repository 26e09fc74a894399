"""Speed of the engine: random play of Rikiki compared with OpenSpiel's oh_hell, in one process.

Without OpenSpiel, which is not in the project's environment, only the engine's own figures are printed.  For the
comparison, in an environment that ``make`` sets up:

    make .venv-spiel/ready
    .venv-spiel/bin/python benchmarks/engine.py

Both sides play rounds of the same sizes in the same loop: get the legal actions, choose one at random, apply it.  An
action is a bid or a card; the time of dealing is included on both sides.  Rikiki deals a pack at once; oh_hell deals
card by card through chance nodes, whose outcomes are queried with ``chance_outcomes``, as OpenSpiel's players do, or,
since they are equally likely here, with the faster ``legal_actions``.  oh_hell has no round of 13 cards, because one
card is turned up: it plays 12.  The sides take turns at several short runs, measured in processor time, of which the
best counts, so that neither other work on the machine nor the state of its caches matters; the ratio is the median over
the turns.
"""

import random
import time
import timeit
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any, NamedTuple

from msgspec.structs import replace

from cardtable.engine.cards import OF_SUIT
from cardtable.engine.game import CHANCE, OVER, State
from cardtable.engine.referee import ignore_event
from cardtable.engine.trick_game import TrickState
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.games.rikiki.rules import FULL_SESSION, GAME, Options, RikikiState
from cardtable.robots.arena import play_session
from cardtable.robots.kit.robot import decide, load_search_spec, make_robot
from cardtable.robots.kit.search_spec import Rollout

try:
    import pyspiel
except ImportError:
    pyspiel = None

TURNS = 30
SESSIONS = 1
RUNS = 20
REPEATS = 100
WARM_UP_RUNS = 100
"""Warm-up runs: legal plays are cached when first computed."""
RNG = random.Random(1)


def play_rikiki() -> int:
    """Play whole sessions; return the number of actions."""
    actions, rnd = 0, RNG.random
    for _ in range(SESSIONS):
        state = RikikiState(Options())
        while state.turn == CHANCE:
            state.apply(state.draw_chance(RNG))
            while state.turn >= 0:
                legal = state.legal()
                state.apply(legal[int(rnd() * len(legal))])
                actions += 1
    return actions


def play_oh_hell(games: list[Any], draw: Callable[[Any], int]) -> int:
    """Play the same rounds in OpenSpiel, with ``draw`` for chance; return the number of actions without deals."""
    actions, rnd = 0, RNG.random
    for _ in range(SESSIONS):
        for game in games:
            state = game.new_initial_state()
            while state.is_chance_node():
                state.apply_action(draw(state))
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(rnd() * len(legal))])
                actions += 1
    return actions


class Round(NamedTuple):
    """A round at its first lead."""

    state: State[Any]
    cards: int
    """Number of cards still to be played."""
    rollout: Rollout[Any]
    """The rollout of the seat that leads."""


def list_first_leads(key: str) -> list[Round]:
    """Return the rounds of a session of steady robots at their first lead.

    Last tricks are included, as in oh_hell, although they are automatic in Rikiki; rounds of one card have no lead.
    """
    game, robot, rollouts, rounds = GAMES[key], make_robot("steady", key), load_search_spec(key).rollouts, list[Round]()
    state = game.start(game.about.usual_seats, game.options())
    led_round = 0
    while state.turn != OVER:
        if state.turn == CHANCE:
            state.apply(state.draw_chance(RNG))
            continue
        if led_round < state.round and isinstance(state.legal()[0], Play):
            led_round = state.round
            assert isinstance(state, TrickState)
            cards = sum([hand.bit_count() for hand in state.hands])
            rounds.append(Round(state.copy(), cards, rollouts(state.view(state.turn))))
        state.apply(decide(robot, state.view(state.turn), led_round, len(rounds)))
    return rounds


def play_out_rounds(rounds: Sequence[Round]) -> int:
    """Play rounds out by the rule policy, as the searcher does; return the number of cards."""
    for state, _, rollout in rounds:
        rollout(state.copy(), RNG.random())
    return sum([round_.cards for round_ in rounds])


def draw_by_outcomes(state: Any) -> int:
    """Draw an outcome of a chance node by ``chance_outcomes``; all are equally likely."""
    outcomes = state.chance_outcomes()
    return outcomes[int(RNG.random() * len(outcomes))][0]


def draw_by_actions(state: Any) -> int:
    """Draw an outcome of a chance node by ``legal_actions``, without querying probabilities."""
    actions = state.legal_actions()
    return actions[int(RNG.random() * len(actions))]


def measure_rate(play: Callable[[], int]) -> float:
    """Return the actions per second of one run."""
    start = time.thread_time()
    actions = play()
    return actions / (time.thread_time() - start)


def print_comparison() -> None:
    """Print the rates of both sides and their ratio."""
    players = {"rikiki": play_rikiki}
    rounds = list_first_leads("rikiki")
    players["rikiki, rollouts by rule policy"] = lambda: play_out_rounds(rounds)
    if pyspiel is not None:
        sizes = [min(cards, 12) for cards in FULL_SESSION]
        games = [pyspiel.load_game("oh_hell", {"players": 4, "num_tricks_fixed": cards}) for cards in sizes]
        players["oh_hell, chance_outcomes"] = lambda: play_oh_hell(games, draw_by_outcomes)
        players["oh_hell, legal_actions"] = lambda: play_oh_hell(games, draw_by_actions)
    for play in players.values():
        for _ in range(WARM_UP_RUNS):
            play()
    turns = [
        {name: max(measure_rate(play) for _ in range(RUNS)) for name, play in players.items()} for _ in range(TURNS)
    ]
    for name in players:
        random, rules = (median([turn[own_name] / turn[name] for turn in turns]) for own_name in list(players)[:2])
        fastest = max(turn[name] for turn in turns)
        print(f"{name:36} {fastest:10,.0f} actions/s   rikiki {random:5.2f}, rollouts {rules:5.2f} times as fast")


def measure_microseconds(call: Callable[[], object], number: int = 500) -> float:
    """Return the minimum time of a call in microseconds."""
    return min(timeit.repeat(call, timer=time.thread_time, number=number, repeat=REPEATS)) / number * 1e6


def create_first_lead() -> RikikiState:
    """Return a round of 13 cards after the bids, with the largest possible number of hidden cards."""
    state = RikikiState(Options())
    while state.cards < 13 or None in state.view(0).bids:
        state.apply(state.draw_chance(RNG) if state.turn == CHANCE else state.legal()[0])
    return state


def simulate_session(key: str) -> int:
    """Play a session of random robots with views, referee and journal lines; return the number of decisions."""
    game = GAMES[key]
    return play_session(game, ["random"] * game.about.usual_seats, game.options(), 1, ignore_event).decisions


def main() -> None:
    """Print every figure."""
    print_comparison()
    state = create_first_lead()
    view = state.view(state.turn)
    print(f"{'copy':36} {measure_microseconds(state.copy):10.2f} us")
    print(f"{'view':36} {measure_microseconds(lambda: state.view(0)):10.2f} us")
    print(f"{'imagine, 39 hidden cards':36} {measure_microseconds(lambda: GAME.imagine(view, RNG)):10.2f} us")
    voids = [0, OF_SUIT[0], OF_SUIT[1], OF_SUIT[2] | OF_SUIT[3]]
    void_view = replace(view, excluded_cards=tuple([voids[(seat - view.seat) % 4] for seat in range(4)]))
    print(f"{'the same, 3 seats with voids':36} {measure_microseconds(lambda: GAME.imagine(void_view, RNG)):10.2f} us")
    whole_rounds = [round_._replace(cards=1) for round_ in list_first_leads("king")]
    best = max(measure_rate(lambda: play_out_rounds(whole_rounds)) for _ in range(TURNS))
    print(f"{'king, whole rounds by rule policy':36} {best:10,.0f} rounds/s")
    for key in GAMES:
        best = max(measure_rate(partial(simulate_session, key)) for _ in range(TURNS))
        print(f"{'sessions of random robots, ' + key:36} {best:10,.0f} decisions/s")


if __name__ == "__main__":
    main()
