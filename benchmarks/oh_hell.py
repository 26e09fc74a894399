"""Matches in OpenSpiel's oh_hell: two of our robots against two of OpenSpiel, on the same deals with seats exchanged.

    make spiel ARGS="--b ismcts:1000 --deals 60 --seed 1 --workers 2"

OpenSpiel is not in the project's environment; the command creates ``.venv-spiel`` with it.  Rounds of 10 cards are
played by Rikiki's scoring.  Each deal is played with A in the first and third seat and B in the others, and the other
way round; its outcome is the score of A above that of B, averaged over all seats.  Names of robots:

    ismcts:N   OpenSpiel's ISMCTS, N simulations in worlds that the seat cannot distinguish from the true one
    flat:N     flat Monte Carlo: every action played out at random in the same N such worlds
    peeks:N    OpenSpiel's ISMCTS unchanged: in its worlds the cards out of play are the true ones
    sees:N     OpenSpiel's MCTS, N simulations; it sees all cards
    knows      our expert if it saw all cards, as in ``ceiling.py``
    R          one of our levels, or a robot from a file, as in ``cardtable arena``

The first is OpenSpiel's search in Python, which takes far longer than the third, which is in C++.

Every deal is played by OpenSpiel and by our rules side by side: legal actions and scores have to be equal.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from math import log, sqrt
from operator import or_
from random import Random
from statistics import fmean, stdev
from time import thread_time
from typing import Protocol

import pyspiel
from ceiling import make_omniscient_robot
from numpy.random import RandomState
from open_spiel.python.algorithms.ismcts import TIE_TOLERANCE, ISMCTSBot, ISMCTSFinalPolicyType, ISMCTSNode
from open_spiel.python.algorithms.mcts import Evaluator

from cardtable.engine.cards import COPY_OFFSET, SUITS, Card, iter_cards
from cardtable.engine.chance import Deal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action
from cardtable.engine.options import read
from cardtable.games import GAMES
from cardtable.games.rikiki.rules import RikikiState, RikikiView, sample_hands
from cardtable.robots.arena import SESSIONS_PER_SEED
from cardtable.robots.kit.file_robots import load_robot
from cardtable.robots.kit.robot import decide

SEATS, CARDS = 4, 10
EARLIER_ROUNDS = 9
"""Rounds of Rikiki before a round of 10 cards."""
RULES = {"players": SEATS, "num_tricks_fixed": CARDS, "off_bid_penalty": True, "points_per_trick": 2}
"""Parameters for Rikiki's scoring: 10 points and 2 a trick for an exact bid, else minus 2 for each trick of difference.
"""
OH_HELL = pyspiel.load_game("oh_hell", RULES)
EXPLORE = 20.0
"""Exploration constant of OpenSpiel's searches, in points."""
DEALING = SEATS * CARDS + 3
"""Number of chance actions in oh_hell before the first bid: cards each, the dealer, the cards, trumps."""
SIDES = ((0, 2), (1, 3))
"""Seats of A in the two games of a deal."""
SPIEL_CARD = [card % 13 * 4 + "CDSH".index(SUITS[card // 13]) for card in range(COPY_OFFSET)]
"""By our card, the number of the card in OpenSpiel."""


class Player(Protocol):
    """A player at a seat of both games."""

    def step(self, theirs: pyspiel.State, ours: RikikiState) -> int:
        """Return the chosen action as a number of OpenSpiel."""


@dataclass
class SearchBot:
    """A bot of OpenSpiel."""

    bot: pyspiel.Bot

    def step(self, theirs: pyspiel.State, ours: RikikiState) -> int:  # noqa: ARG002 - it knows its own game
        return self.bot.step(theirs)


@dataclass
class ResamplingBot:
    """A bot of OpenSpiel that searches in worlds which its seat cannot distinguish from the true one."""

    bot: ISMCTSBot
    rng: Random

    def step(self, theirs: pyspiel.State, ours: RikikiState) -> int:
        view, history = ours.view(ours.turn), list_actions(theirs)
        self.bot.set_resampler(lambda _state, _seat: sample_world(view, history, self.rng))
        return int(self.bot.step(theirs))


class FastISMCTSBot(ISMCTSBot):
    """OpenSpiel's search in Python with the same choices, which queries each value only once."""

    def lookup_or_create_node(self, state: pyspiel.State) -> ISMCTSNode:
        return self._nodes.get(self.get_state_key(state)) or self.create_new_node(state)

    def _select_candidate_actions(self, node: ISMCTSNode) -> list[int]:
        """Return the actions with the highest upper confidence bound (UCB1)."""
        spread = self._uct_c * self._uct_c * log(node.total_visits)
        bounds = {action: child.value() + sqrt(spread / child.visits) for action, child in node.child_info.items()}
        threshold = max(bounds.values()) - TIE_TOLERANCE
        return [action for action, bound in bounds.items() if bound > threshold]


class Rollouts(Evaluator):
    """An evaluator by random rollouts."""

    def __init__(self, rng: Random) -> None:
        self.play_out = make_random_rollout(rng)

    def evaluate(self, state: pyspiel.State) -> list[float]:
        """Return the points of a random rollout by seat."""
        return self.play_out(state)

    def prior(self, state: pyspiel.State) -> list[tuple[int, float]]:
        """Return the same prior probability for each legal action."""
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


class Flat:
    """Flat Monte Carlo in a fixed number of worlds."""

    def __init__(self, worlds: int, rng: Random) -> None:
        self.worlds, self.rng, self.play_out = worlds, rng, make_random_rollout(rng)

    def step(self, theirs: pyspiel.State, ours: RikikiState) -> int:
        totals = dict.fromkeys(theirs.legal_actions(), 0.0)
        if len(totals) == 1:
            return next(iter(totals))
        view, history = ours.view(ours.turn), list_actions(theirs)
        for _ in range(self.worlds):
            sampled = sample_world(view, history, self.rng)
            for action in totals:
                state = sampled.clone()
                state.apply_action(action)
                totals[action] += self.play_out(state)[view.seat]
        return max(totals, key=totals.__getitem__)


def list_actions(theirs: pyspiel.State) -> list[int]:
    """Return all actions since the deal."""
    return theirs.history()[DEALING:]


def sample_world(view: RikikiView, history: Sequence[int], rng: Random) -> pyspiel.State:
    """Return a random state of OpenSpiel that the seat of a view cannot distinguish from the true one."""
    assert view.trump_card is not None
    hands = map(or_, sample_hands(view, rng), view.played)
    state = create_spiel_deal([iter_cards(hand) for hand in hands], view.trump_card, view.dealer)
    for action in history:
        state.apply_action(action)
    return state


def make_random_rollout(rng: Random) -> Callable[[pyspiel.State], list[float]]:
    """Return a function that plays a state out at random and returns its points by seat."""
    bots = [pyspiel.make_uniform_random_bot(seat, rng.randrange(2**31)) for seat in range(SEATS)]

    def play_out(state: pyspiel.State) -> list[float]:
        returns: list[float] = pyspiel.evaluate_bots(state, bots, 0)  # the seed is for chance, of which none is left
        return returns

    return play_out


class OwnRobot:
    """One of our robots, or a robot from a file; it gets the view of its seat."""

    def __init__(self, name: str, seed: int) -> None:
        self.robot, self.seed, self.decisions = load_robot(name, "rikiki"), seed, 0
        self.spent: list[float] = []
        """Processor seconds of each decision with more than one legal action."""

    def step(self, theirs: pyspiel.State, ours: RikikiState) -> int:
        view = ours.view(ours.turn)
        start = thread_time()
        action = decide(self.robot, view, self.seed, len(theirs.history()))
        if len(view.legal) > 1:
            self.spent.append(thread_time() - start)
        return encode_action(action)


class OmniscientExpert(OwnRobot):
    """Our expert if it saw all cards."""

    def step(self, theirs: pyspiel.State, ours: RikikiState) -> int:
        self.robot = make_omniscient_robot("rikiki", ours)
        return super().step(theirs, ours)


def create_player(name: str, seed: int) -> Player:
    """Return the player of a name.  Raises ``ValueError`` for an unknown name."""
    kind, _, count = name.partition(":")
    if name == "knows":
        return OmniscientExpert("expert", seed)
    if kind not in ("ismcts", "flat", "peeks", "sees"):
        return OwnRobot(name, seed)
    if not count.isdecimal():
        raise ValueError(f"{kind} needs a number, such as {kind}:1000")
    rng = Random(seed)
    if kind == "flat":
        return Flat(int(count), rng)
    if kind == "ismcts":
        final_policy = ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        luck = RandomState(seed % 2**32)
        return ResamplingBot(
            FastISMCTSBot(
                OH_HELL, Rollouts(rng), EXPLORE, int(count), random_state=luck, final_policy_type=final_policy
            ),
            rng,
        )
    spiel_seed = seed % 2**31  # an int of C++
    rollouts = pyspiel.RandomRolloutEvaluator(1, spiel_seed)
    if kind == "sees":
        return SearchBot(pyspiel.MCTSBot(OH_HELL, rollouts, EXPLORE, int(count), 1000, False, spiel_seed, False))
    final_policy = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    return SearchBot(pyspiel.ISMCTSBot(spiel_seed, rollouts, EXPLORE, int(count), -1, final_policy, False, False))


def encode_action(action: Action) -> int:
    """Return the number in OpenSpiel of one of our actions: cards by rank and suit, then bids."""
    if action.amount is not None:
        return COPY_OFFSET + action.amount
    return SPIEL_CARD[action.cards_used().bit_length() - 1]


def deal_both(order: Sequence[Card]) -> tuple[pyspiel.State, RikikiState]:
    """Return the same deal in both games."""
    game = GAMES["rikiki"]
    ours = game.start(SEATS, read(game.options, {"bonuses": "off"}))
    assert isinstance(ours, RikikiState)
    ours.finished = EARLIER_ROUNDS
    ours.apply(Deal(tuple(order)))
    hands = [order[at : at + CARDS] for at in range(0, SEATS * CARDS, CARDS)]
    return create_spiel_deal(hands, order[SEATS * CARDS], ours.first_bidder), ours


def create_spiel_deal(hands: Sequence[Sequence[int]], trump: int, first: int) -> pyspiel.State:
    """Return a deal of OpenSpiel in which ``first`` bids first."""
    state = OH_HELL.new_initial_state()
    state.apply_action(CARDS)
    state.apply_action((first - 1) % SEATS)  # the dealer
    for cards in zip(*hands, strict=True):
        for card in cards:
            state.apply_action(SPIEL_CARD[card])
    state.apply_action(SPIEL_CARD[trump])
    return state


def play_deal(order: Sequence[Card], seated: Sequence[Player]) -> RikikiState:
    """Play a deal in both games; assert that they agree."""
    theirs, ours = deal_both(order)
    while not theirs.is_terminal():
        legal = theirs.legal_actions()
        if not ours.playing:  # the last trick plays itself with us
            theirs.apply_action(legal[0])
            continue
        actions = {encode_action(action): action for action in ours.legal()}
        assert theirs.current_player() == ours.turn
        assert sorted(actions) == sorted(legal)
        chosen = seated[ours.turn].step(theirs, ours)
        theirs.apply_action(chosen)
        ours.apply(actions[chosen])
    assert ours.score is not None
    assert [round(points) for points in theirs.returns()] == list(ours.score.points)
    return ours


@dataclass(frozen=True)
class Outcome:
    """Outcome of a deal."""

    lead: float
    own_points: float
    exact: tuple[float, float]
    spent: list[float]


def play_outcome(a: str, b: str, seed: int) -> Outcome:
    """Play a deal with the seats exchanged."""
    order = list(map(Card, range(COPY_OFFSET)))
    Random(f"oh_hell {seed}").shuffle(order)
    sides: tuple[list[int], list[int]] = ([], [])
    exact: tuple[list[bool], list[bool]] = ([], [])
    spent: list[float] = []
    for places in SIDES:
        seated = [create_player(a if seat in places else b, SEATS * seed + seat) for seat in range(SEATS)]
        score = play_deal(order, seated).score
        assert score is not None
        for seat in range(SEATS):
            side = 0 if seat in places else 1
            sides[side].append(score.points[seat])
            exact[side].append(score.figures[seat][0] == score.figures[seat][1])
        spent += [seconds for seat in places if isinstance(robot := seated[seat], OwnRobot) for seconds in robot.spent]
    return Outcome(fmean(sides[0]) - fmean(sides[1]), fmean(sides[0]), (fmean(exact[0]), fmean(exact[1])), spent)


def iter_outcomes(a: str, b: str, seeds: Sequence[int], workers: int) -> Iterator[Outcome]:
    """Yield the outcomes of deals, with several processes in order of completion."""
    if workers == 1:
        yield from map(partial(play_outcome, a, b), seeds)
        return
    with ProcessPoolExecutor(workers) as pool:
        for done in as_completed([pool.submit(play_outcome, a, b, seed) for seed in seeds]):
            yield done.result()


def main() -> None:
    """Play the deals; print a line and a JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--a", default="expert", help="who is judged")
    parser.add_argument("--b", default="ismcts:1000", help="whom it is compared with")
    parser.add_argument("--deals", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    for name in (options.a, options.b):
        try:
            create_player(name, 1)
        except (ValueError, CardtableError) as error:
            parser.error(str(error))
    first = SESSIONS_PER_SEED * options.seed
    seeds = range(first, first + options.deals)
    finished = []
    for deal in iter_outcomes(options.a, options.b, seeds, options.workers):
        finished.append(deal)
        if sys.stderr.isatty():
            print(f"\r{len(finished)} of {options.deals} deals", end="", file=sys.stderr, flush=True)
    leads, spent = [deal.lead for deal in finished], [seconds for deal in finished for seconds in deal.spent]
    report = {
        "game": "oh_hell",
        "a": options.a,
        "b": options.b,
        "deals": len(finished),
        "mean": round(fmean(leads), 4),
        "se": round(stdev(leads) / len(leads) ** 0.5, 4) if len(leads) > 1 else None,
        "own": round(fmean(deal.own_points for deal in finished), 4),
        "exact": [round(fmean(deal.exact[side] for deal in finished), 4) for side in (0, 1)],
        "ms_mean": round(1000 * fmean(spent), 4) if spent else None,
        "ms_max": round(1000 * max(spent), 4) if spent else None,
    }
    print(
        f"\roh_hell {options.a} against {options.b}, two and two: {len(finished)} deals, {report['mean']:+.2f} ± "
        f"{report['se'] or 0:.2f} points a deal, own {report['own']:.2f}, exact bids {report['exact'][0]:.1%} against "
        f"{report['exact'][1]:.1%}, {report['ms_mean'] or 0:.1f} ms a decision, {report['ms_max'] or 0:.0f} at most"
    )
    print(json.dumps(report))


if __name__ == "__main__":
    main()
