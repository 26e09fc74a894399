"""Duplicate matches between two robots, each a level or a robot from a file, and the executors that play them.

Robot A plays in one seat and robot B in all others; or A plays in one seat, B in another, and a third robot in the
remaining ones. In partnership games, sides take the place of seats. Each deal is played in every seating, so that the
cards favour neither robot. The result of a deal is the points of A minus the points of B, averaged over the seatings.
A match is divided into work items; the results do not depend on the division.

Executors run work items, which do a part of their work at a time, in this process, in other processes of this machine,
or on a Dask cluster. All three have the interface of ``concurrent.futures.Executor``, and give the same results.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from itertools import islice, permutations
from random import Random
from statistics import fmean, stdev
from time import monotonic, thread_time
from typing import Final, Generic, NamedTuple, ParamSpec, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from cardtable.engine.game import (
    CHANCE,
    OVER,
    Action,
    AnyGame,
    Declaration,
    Score,
    Seat,
    Sides,
    View,
    competition_ranks,
)
from cardtable.engine.journal import Line
from cardtable.engine.options import Options
from cardtable.engine.referee import Referee, ignore_event
from cardtable.engine.text_format import format_unknown_name, normalize_name
from cardtable.games import GAMES, find_plugin_failure
from cardtable.robots.kit.file_robots import RobotFailed, check_robot, list_strangers, load_robot, read_bundles
from cardtable.robots.kit.robot import Robot, decide, make_robot

P = ParamSpec("P")
T = TypeVar("T")
_WAIT_SECONDS: Final = 1.0
"""Timeout of a wait for results, in seconds.

On systems that do not interrupt a wait, Ctrl+C takes effect after at most this time.
"""


class ExecutorPool(NamedTuple):
    """Executor with its current capacity."""

    executor: Executor
    capacity: Callable[[], int]
    """Return the number of work items to submit at a time.

    With several workers there are two for each, so that no worker has to wait for the next item.
    """


class _InlineExecutor(Executor):
    """Executor that runs each call immediately, in this process."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        done = Future[T]()
        done.set_result(fn(*args, **kwargs))
        return done


INLINE_POOL: Final = ExecutorPool(_InlineExecutor(), lambda: 1)


@contextmanager
def open_pool(game: str, workers: int, cluster: str | None, robots: Iterable[str] = ()) -> Iterator[ExecutorPool]:
    """Yield a pool for work on a game with ``robots``, and cancel unfinished work at the end.

    The pool is the cluster at the address ``cluster`` if there is one, this process if ``workers`` is 1 and all code is
    of this program, and ``workers`` child processes otherwise. Raises ``CardtableError`` if the cluster cannot be
    reached or is lost, and ``RobotFailed`` if code of others ends a process.
    """
    strangers = list_strangers(game, robots)
    if cluster is not None:
        from cardtable.robots import dask_cluster as dask  # noqa: PLC0415 - lazy: optional

        with dask.open_cluster(cluster, game, read_bundles(robots)) as (executor, threads):
            yield ExecutorPool(executor, lambda: 2 * max(threads(), 1))  # one work item waits for each worker
    elif workers == 1 and not strangers:
        yield INLINE_POOL
    else:
        from cardtable.robots.process_executor import ProcessExecutor  # noqa: PLC0415 - lazy: startup

        with ProcessExecutor(workers) as executor, _name_strangers(strangers):
            yield ExecutorPool(executor, lambda: 2 * workers)


@contextmanager
def _name_strangers(strangers: Sequence[str]) -> Iterator[None]:
    """Raise ``RobotFailed`` with the names of ``strangers``, if there are any, where a child process is lost."""
    from cardtable.workers.client import WorkerError, WorkerTimeout  # noqa: PLC0415 - lazy: startup

    try:
        yield
    except WorkerError:
        raise
    except ChildProcessError as error:
        if not strangers:
            raise
        fault = "has not answered in time" if isinstance(error, WorkerTimeout) else "has ended its process"
        raise RobotFailed(f"{' or '.join(strangers)} {fault}") from None


class WorkItem(Protocol[T]):
    """Piece of work for one process, which can be pickled and does not depend on other pieces."""

    def play(self) -> "WorkChunk[T]":
        """Do a part of the work, and return its results with the work that remains."""


class WorkChunk(NamedTuple, Generic[T]):
    """Results of a part of a work item."""

    results: Sequence[T]
    remaining_item: WorkItem[T] | None
    """Remaining work; ``None`` if the item is finished."""


def run_items(work_items: Iterable[WorkItem[T]], pool: ExecutorPool) -> Iterator[T]:
    """Run the work items in ``pool``, and yield their results as they arrive, in any order.

    Raises ``CardtableError`` if a game fails, and ``ChildProcessError`` if a child process dies.
    """
    items, pending = iter(work_items), set[Future[WorkChunk[T]]]()
    while True:
        pending |= {
            pool.executor.submit(_play_item, item) for item in islice(items, max(0, pool.capacity() - len(pending)))
        }
        if not pending:
            return
        ready, pending = wait(pending, _WAIT_SECONDS, FIRST_COMPLETED)
        for future in sorted(ready, key=lambda future: future.exception() is not None):  # results before an error
            chunk = future.result()
            if chunk.remaining_item is not None:
                pending.add(pool.executor.submit(_play_item, chunk.remaining_item))
            yield from chunk.results


def _play_item(item: WorkItem[T]) -> WorkChunk[T]:
    """Do a part of the work of an item.

    Raises ``GameFailed`` if the code of a plug-in caused an exception; it has the text of the exception, since only
    robots play.
    """
    try:
        return item.play()
    except Exception as error:
        raise find_plugin_failure(error, with_text=True) or error from None


def play_session(
    game: AnyGame, levels: Sequence[str], options: Options, seed: int, record: Callable[[Line], None]
) -> Referee:
    """Play a session of robots to its end, and return its referee.

    ``levels`` has the level of each seat, and ``record`` is called with each line of the journal.
    """
    referee = Referee(game, len(levels), options, seed, record)
    robots = [make_robot(level, game.about.key) for level in levels]
    while referee.turn != OVER:
        play_round(referee, robots)
    return referee


def play_round(referee: Referee, robots: Sequence[Robot]) -> None:
    """Deal, and let the robots, one for each seat, play until the round or the session is over."""
    referee.advance()
    while referee.turn >= 0:
        seat = referee.turn
        referee.play(seat, decide(robots[seat], referee.view(seat), referee.seed, referee.decisions))


CHUNK_SECONDS: Final = 0.5
"""Seconds after which a work item returns the results it has so far."""
SESSIONS_PER_SEED: Final = 1_000_000


class Seating(msgspec.Struct, frozen=True):
    """Assignment of the robots to the seats."""

    a: tuple[Seat, ...]
    b: tuple[Seat, ...]
    levels: tuple[str, ...]


class Match(msgspec.Struct, frozen=True):
    """Specification of a match.

    Raises ``ValueError`` if the values do not fit together or the game does not allow them.
    """

    game: str
    a: str
    """Robot A: a level, or ``path.py:name`` for a robot from a file."""
    b: str
    field: str
    """Robot in the seats that neither A nor B takes; the same as ``b`` in a match of two robots."""
    seats: int
    options: Options
    deals: int
    """Number of deals, or of sessions if ``whole`` is True."""
    seed: int
    whole: bool = False
    """True if whole sessions are played."""
    contract: str = ""
    """Notation of the contract that the first dealer or declarer must name; ``""`` for a free choice."""

    def __post_init__(self) -> None:
        for robot in (self.a, self.b, self.field):
            check_robot(robot)
        about = GAMES[self.game].about
        if self.seats not in about.seats:
            raise ValueError(f"{about.title} has {about.seats_in_words()} seats, not {self.seats}")
        if self.field != self.b and len(self._sides) == 2:
            only = "seats" if self.seats == 2 else "sides"
            raise ValueError(f"{about.title} with 2 {only} has no other places for a field")
        if self.contract:
            if self.contract not in list_contracts(self.game):
                raise ValueError(_format_unknown_contract(self.game, self.contract))
            if self.whole:
                raise ValueError("a contract is named for a deal, not for whole sessions")

    @property
    def rounds(self) -> int:
        """Number of rounds of each session that are used as deals of the match."""
        if self.whole or self.contract or not GAMES[self.game].rounds_independent:
            return 1
        return _count_rounds(self.game, self.seats, self.options)

    @property
    def sessions(self) -> int:
        return -(-self.deals // self.rounds)

    def list_seatings(self) -> list[Seating]:
        """Return all seatings of the robots; if ``field`` equals ``b``, there is one for each seat or side of A."""
        everyone = range(self.seats)
        if self.field == self.b:
            pairs = [(a, tuple([seat for seat in everyone if seat not in a])) for a in self._sides]
        else:
            pairs = list(permutations(self._sides, 2))
        return [
            Seating(a, b, tuple([self.a if s in a else self.b if s in b else self.field for s in everyone]))
            for a, b in pairs
        ]

    @property
    def _sides(self) -> Sides:
        return GAMES[self.game].sides(self.seats, self.options)


class DealResult(msgspec.Struct, frozen=True):
    """Result of one deal, or of one whole session, over all seatings."""

    number: int
    lead: float
    """Mean points per round of A minus those of B; positive if A is ahead, whatever total wins the game."""
    own_points: float
    """Mean points per round of A, with the sign of the score sheet."""
    win_share: float
    """Share of first places that A has won, from 0 to 1; a first place is divided among those who share it."""
    exact_shares: tuple[float, float] | None
    """Shares of bids made exactly by A and by B, from 0 to 1; ``None`` in games without exact bids."""
    decisions: int
    """Number of decisions of A with more than one legal action."""
    seconds: float
    """Processor time of these decisions, in seconds."""
    max_seconds: float
    """Processor time of the longest of these decisions, in seconds."""


class Result(msgspec.Struct, frozen=True):
    """Summary of the deals played so far.

    A figure is ``None`` if there are too few deals, or no such figure in the game.

    ``mean`` is the mean of ``DealResult.lead``; ``own_points``, ``win_share`` and ``exact_shares`` are means over the
    deals, too. ``ms_mean`` and ``ms_max`` are the mean and the longest time of a decision of A, in milliseconds.
    """

    deals: int
    mean: float | None = None
    error: float | None = None
    """Standard error of ``mean``; ``None`` with fewer than two deals."""
    own_points: float | None = None
    win_share: float | None = None
    exact_shares: tuple[float, float] | None = None
    ms_mean: float | None = None
    ms_max: float | None = None


class ForcedContractRobot:
    """Robot that names a given contract if it is legal, and otherwise follows another robot."""

    def __init__(self, robot: Robot, contract: str) -> None:
        self._robot, self._naming = robot, f"contract {contract}"

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        for action in view.legal:
            if str(action) == self._naming:
                return action
        return self._robot.choose(view, rng, stop)


class TimedRobot:
    """Wrapper of a robot that measures the processor time of its decisions."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.seconds: list[float] = []
        """Processor time of each decision, in seconds."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        start = thread_time()
        action = self._robot.choose(view, rng, stop)
        self.seconds.append(thread_time() - start)
        return action


class _SeatedSession:
    """Session of a match in one seating, continued from the ``lines`` of its journal.

    New lines are appended to them.
    """

    def __init__(self, match: Match, seating: Seating, seed: int, lines: list[Line]) -> None:
        self._match, self._seating, self._game = match, seating, GAMES[match.game]
        self._table = Referee(self._game, match.seats, match.options, seed, lines.append)
        for line in lines:
            self._table.apply_line(line)

    @property
    def rounds(self) -> int:
        return len(self._table.scores)

    def play(self) -> "_SeatingResult":
        """Play a round, or the whole session if the match consists of sessions, and return its result."""
        before, match = self.rounds, self._match
        # new robots: a session may continue in another process
        robots = _load_robots(self._seating.levels, match.game)
        timed = [TimedRobot(robots[seat]) for seat in self._seating.a]
        for seat, robot in zip(self._seating.a, timed, strict=True):
            robots[seat] = robot
        if match.contract:
            robots = [ForcedContractRobot(robot, match.contract) for robot in robots]
        play_round(self._table, robots)
        while match.whole and self._table.turn != OVER:
            play_round(self._table, robots)
        spent = [seconds for robot in timed for seconds in robot.seconds]
        own = self._compute_mean_points(self._seating.a, before)
        return _SeatingResult(
            lead=own - self._compute_mean_points(self._seating.b, before),
            own_points=-own if self._game.lowest_wins else own,
            win_share=self._compute_win_share(),
            exact_shares=self._compute_exact_shares(before),
            seconds=spent,
        )

    def _compute_mean_points(self, seats: Sequence[Seat], start: int) -> Fraction:
        """Return the mean points per round of the given seats over the rounds from index ``start``.

        Larger is better.
        """
        rounds = [_get_comparable_points(self._game, score) for score in self._table.scores[start:]]
        return Fraction(sum([points[seat] for points in rounds for seat in seats]), len(seats) * len(rounds))

    def _compute_win_share(self) -> Fraction:
        ranks = (
            self._table.ranks
            if self._match.whole
            else competition_ranks(_get_comparable_points(self._game, self._table.scores[-1]))
        )
        assert ranks is not None
        return Fraction(len([seat for seat in self._seating.a if ranks[seat] == 1]), ranks.count(1))

    def _compute_exact_shares(self, start: int) -> tuple[Fraction, Fraction] | None:
        if not self._game.exact_bids:
            return None
        scores = self._table.scores[start:]

        def compute_share(seats: Sequence[Seat]) -> Fraction:
            figures = [score.figures[seat] for score in scores for seat in seats]
            return Fraction(len([bid for bid, won in figures if bid == won]), len(figures))

        return compute_share(self._seating.a), compute_share(self._seating.b)


class _SeatingResult(msgspec.Struct, frozen=True):
    """Result of one deal, or of one whole session, in one seating."""

    lead: Fraction
    """Points per round of A minus those of B."""
    own_points: Fraction
    """Points per round of A, with the sign of the score sheet."""
    win_share: Fraction
    exact_shares: tuple[Fraction, Fraction] | None
    """Shares of bids made exactly by A and by B; ``None`` in games without exact bids."""
    seconds: list[float]
    """Processor time of each decision of A, in seconds."""


def _load_robots(names: Iterable[str], game: str) -> list[Robot]:
    """Return the robots. Raises ``RobotFailed`` if a file has no robot of this name."""
    try:
        return [load_robot(name, game) for name in names]
    except ValueError as error:
        raise RobotFailed(str(error)) from None


def _get_comparable_points(game: AnyGame, score: Score) -> tuple[int, ...]:
    """Return the points scored in a round, by seat, negated if the lowest total wins, so that larger is always
    better.
    """
    return tuple([-points for points in score.points]) if game.lowest_wins else score.points


def play_deals(match: Match, session: int, journals: Sequence[list[Line]] = ()) -> Iterator[DealResult]:
    """Play the deals of the session with index ``session``, and yield their results.

    ``journals`` has the journal lines of each seating if the session has begun before, and is empty otherwise. New
    lines are appended to it, so that the session can be continued by another call.
    """
    seed, seatings = SESSIONS_PER_SEED * match.seed + session, match.list_seatings()
    lines = journals or [[] for _ in seatings]
    tables = [_SeatedSession(match, seating, seed, journal) for seating, journal in zip(seatings, lines, strict=True)]
    first = session * match.rounds
    for number in range(first + tables[0].rounds, min(first + match.rounds, match.deals)):
        yield _combine_seatings(number, [table.play() for table in tables])


def _combine_seatings(number: int, results: Sequence[_SeatingResult]) -> DealResult:
    spent = [seconds for result in results for seconds in result.seconds]
    exact = [result.exact_shares for result in results if result.exact_shares]

    def average(values: Sequence[Fraction]) -> float:
        return float(sum(values) / len(results))

    return DealResult(
        number=number,
        lead=average([result.lead for result in results]),
        own_points=average([result.own_points for result in results]),
        win_share=average([result.win_share for result in results]),
        exact_shares=(average([a for a, _ in exact]), average([b for _, b in exact])) if exact else None,
        decisions=len(spent),
        seconds=sum(spent),
        max_seconds=max(spent, default=0.0),
    )


class _MatchItem(msgspec.Struct, frozen=True):
    """Work item that plays the deals of some sessions of a match."""

    match: Match
    sessions: range
    lines: tuple[list[Line], ...] = ()
    """Journal lines of the first session in each seating; empty if the session has not begun."""

    def play(self) -> WorkChunk[DealResult]:
        """Play deals for about ``CHUNK_SECONDS`` seconds."""
        results: list[DealResult] = []
        deadline, lines = monotonic() + CHUNK_SECONDS, self.lines
        for session in self.sessions:
            lines = lines or tuple([[] for _ in self.match.list_seatings()])
            for outcome in play_deals(self.match, session, lines):
                results.append(outcome)
                if monotonic() >= deadline:
                    return WorkChunk(results, self._make_remaining_item(outcome, lines))
            lines = ()
        return WorkChunk(results, None)

    def _make_remaining_item(self, outcome: DealResult, lines: tuple[list[Line], ...]) -> "_MatchItem | None":
        """Return the work that remains after the deal of ``outcome``.

        ``None`` if it was the last deal of the item or the match.
        """
        session, finished_rounds = divmod(outcome.number + 1, self.match.rounds)
        left = range(session, self.sessions.stop)
        if not left or outcome.number + 1 == self.match.deals:
            return None
        return replace(self, sessions=left, lines=lines if finished_rounds else ())


def play_match(match: Match, pool: ExecutorPool = INLINE_POOL) -> Iterator[DealResult]:
    """Play a match, and yield the results of the deals as they arrive; with several workers in any order."""
    return run_items(_split_match(match, pool), pool)


def _split_match(match: Match, pool: ExecutorPool) -> Iterator[_MatchItem]:
    """Yield work items for all sessions.

    Large ones first, to send few of them, and small ones last, so that all workers finish at about the same time.
    """
    first = 0
    while first < match.sessions:
        many = max(1, (match.sessions - first) // (2 * pool.capacity()))
        yield _MatchItem(match, range(first, first + many))
        first += many


def summarize_results(outcomes: Sequence[DealResult]) -> Result:
    """Return the summary of ``outcomes``, whose order does not matter."""
    if not outcomes:
        return Result(deals=0)
    ahead = [deal.lead for deal in outcomes]
    exact = [deal.exact_shares for deal in outcomes if deal.exact_shares is not None]
    decisions = sum([deal.decisions for deal in outcomes])
    return Result(
        deals=len(outcomes),
        mean=fmean(ahead),
        error=stdev(ahead) / len(ahead) ** 0.5 if len(ahead) > 1 else None,
        own_points=fmean([deal.own_points for deal in outcomes]),
        win_share=fmean([deal.win_share for deal in outcomes]),
        exact_shares=(fmean([a for a, _ in exact]), fmean([b for _, b in exact])) if exact else None,
        ms_mean=1000 * sum([deal.seconds for deal in outcomes]) / decisions if decisions else None,
        ms_max=1000 * max([deal.max_seconds for deal in outcomes]) if decisions else None,
    )


def list_contracts(key: str) -> list[str]:
    """Return, in notation, the contracts that the first dealer or declarer of a game may name.

    Empty in games without contracts.
    """
    return [declaration.notation for declaration in _list_declarations(key)]


def find_contract(key: str, name: str) -> str:
    """Return the notation of the contract with this notation or title.

    Case, blanks, hyphens and underscores are ignored.

    Raises ``ValueError`` if the game has no such contract.
    """
    for declaration in _list_declarations(key):
        if normalize_name(name) in (normalize_name(declaration.notation), normalize_name(declaration.named.words)):
            return declaration.notation
    raise ValueError(_format_unknown_contract(key, name))


def _format_unknown_contract(key: str, name: str) -> str:
    """Return the error message for an unknown contract, or for the common name of contracts that differ in their
    suit.
    """
    declarations = _list_declarations(key)
    if not declarations:
        return f"{GAMES[key].about.title} has no contracts"
    alike = [one for one in declarations if normalize_name(one.named.name) == normalize_name(name)]
    if len(alike) < 2:
        return format_unknown_name("contract", name, [one.notation for one in declarations])
    *others, last = [one.notation for one in alike]
    return f"{alike[0].named.name} is named by its suit: {', '.join(others)} or {last}"


def _list_declarations(key: str) -> list[Declaration]:
    game = GAMES[key]
    state = game.start(game.about.usual_seats, game.options())
    while state.turn == CHANCE:
        state.apply(state.draw_chance(Random(1)))
    return [action for action in state.legal() if isinstance(action, Declaration)]


@cache
def _count_rounds(key: str, seats: int, options: Options) -> int:
    """Return the number of rounds of a session, found by playing one at random.

    All sessions must have the same length.
    """
    return len(play_session(GAMES[key], ["random"] * seats, options, 1, ignore_event).scores)
