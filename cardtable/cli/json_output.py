"""Types of what commands print with ``--json``; ``cardtable schema`` prints their JSON schemas.

A command builds a value of its type and prints it with ``format_json``. A member that can be ``UNSET`` is left out of
the output then. Members are only ever added.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import click
import msgspec
from msgspec import UNSET, Meta, UnsetType

from cardtable.cli.main import commands
from cardtable.engine.options import Value
from cardtable.engine.text_format import sanitize
from cardtable.records.result_rows import BidRow, PlayerKind, PointsRow, RoundPoints, TotalsRow
from cardtable.store.seasons import Ranking
from cardtable.store.session_files import State
from cardtable.store.tournaments import RoundState, TournamentState
from cardtable.wording.formatting import read_docstring

json_array_option = click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")


def format_json(value: object, indent: int | None = None) -> str:
    """Return the JSON text of a value; with ``indent`` on several lines, indented by so many blanks for each level."""
    return json.dumps(msgspec.to_builtins(value), indent=indent)


def print_list(rows: Sequence[Any] | None, lines: Sequence[tuple[str, str]], hint: str) -> None:
    """Print ``rows`` as a JSON array if they are given, otherwise a line for each name and what is said about it.

    ``hint`` is printed if there are no lines.
    """
    if rows is not None:
        click.echo(format_json(list(rows), indent=1))
        return
    for name, about in lines:
        click.echo(f"{sanitize(name)}: {about}")
    if not lines:
        click.echo(hint)


class GameRow(msgspec.Struct, frozen=True, kw_only=True):
    """Game in ``games --json``."""

    game: Annotated[str, Meta(description="Key of the game, by which commands name it.")]
    title: str
    seat_counts: Annotated[tuple[int, ...], Meta(description="Numbers of players with which it can be played.")]
    package: Annotated[str, Meta(description="Name and version of the package that contains it.")]


class OccupantRow(msgspec.Struct, frozen=True, kw_only=True):
    """Occupant of a seat in ``list --json``."""

    name: str
    robot: Annotated[str | UnsetType, Meta(description="Level of a robot; left out for a person.")] = UNSET
    player: Annotated[str | UnsetType, Meta(description="Id of the person's profile; left out for guests.")] = UNSET
    previous: Annotated[
        str | UnsetType, Meta(description="Name of a previous occupant; left out if there was none.")
    ] = UNSET


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """Session in ``list --json``. A session that cannot be opened has only ``id`` and ``error``."""

    id: str
    error: Annotated[str | UnsetType, Meta(description="Reason why the file cannot be opened; left out if it can.")] = (
        UNSET
    )
    game: str | UnsetType = UNSET
    state: State | UnsetType = UNSET
    round: Annotated[
        int | UnsetType, Meta(description="Number of the round in progress or played last; 0 before the first deal.")
    ] = UNSET
    totals: Annotated[tuple[int, ...] | UnsetType, Meta(description="Points of each seat.")] = UNSET
    places: Annotated[
        tuple[int, ...] | UnsetType | None,
        Meta(description="Place of each seat, the best is 1; null while the session is not over."),
    ] = UNSET
    players: tuple[OccupantRow, ...] | UnsetType = UNSET
    created: Annotated[str | UnsetType, Meta(description="Time of the beginning, as ISO 8601 in UTC.")] = UNSET
    last_played: Annotated[str | UnsetType, Meta(description="Time of the last change, as ISO 8601 in UTC.")] = UNSET
    real_cards: Annotated[
        bool | UnsetType, Meta(description="True for a score table, which is kept for a game with real cards.")
    ] = UNSET


class RoundOutput(msgspec.Struct, frozen=True, kw_only=True):
    """Round in ``show --json``."""

    points: tuple[int, ...]
    totals: Annotated[tuple[int, ...], Meta(description="Points of each seat up to this round.")]


class ScoreSheetOutput(msgspec.Struct, frozen=True, kw_only=True):
    """Output of ``show --json``."""

    id: str
    rounds: tuple[RoundOutput, ...]
    totals: tuple[int, ...]
    places: Annotated[
        tuple[int, ...] | None,
        Meta(description="Place of each seat, the best is 1; null while the session is not over."),
    ]


class PositionOutput(msgspec.Struct, frozen=True, kw_only=True):
    """Line of ``trace``: the position after a line of a session."""

    line: int
    turn: Annotated[int | None, Meta(description="Seat to act; null if nobody is to act.")]
    legal: tuple[str, ...]
    round: int
    choosing: Annotated[
        tuple[int, ...] | UnsetType,
        Meta(description="Seats that still have to choose while several choose at once, else left out."),
    ] = UNSET
    tricks: Annotated[
        tuple[int, ...] | UnsetType,
        Meta(description="Tricks that each seat has taken in the round; left out in games without tricks."),
    ] = UNSET
    totals: tuple[int, ...]
    abandoned: Annotated[
        bool | UnsetType, Meta(description="True in the last line of an abandoned session, else left out.")
    ] = UNSET


class ChoiceRow(msgspec.Struct, frozen=True, kw_only=True):
    """Action that the expert compared, in ``review --json``."""

    action: str
    value: Annotated[
        float,
        Meta(
            description="Expected points of the round, or another measure of the game, in the sign of the score sheet."
        ),
    ]
    as_good: Annotated[bool, Meta(description="True if it is not worse than the best one by more than the error.")]
    success_rate: Annotated[
        float | None,
        Meta(
            description="Share of the worlds, from 0 to 1, in which it reaches the aim of the round; null without one."
        ),
    ]


class DecisionRow(msgspec.Struct, frozen=True, kw_only=True):
    """Decision in ``review --json``."""

    round: int
    line: Annotated[int, Meta(description="Line of the file.")]
    action: str
    best: str
    cost: Annotated[float, Meta(description="Points that the action loses on average against the best one.")]
    standard_error: Annotated[float, Meta(description="Standard error of the cost.")]
    worlds: Annotated[int, Meta(description="Number of worlds that the expert sampled.")]
    choices: Annotated[tuple[ChoiceRow, ...], Meta(description="Compared actions, the best first.")]
    reasons: Annotated[tuple[str, ...], Meta(description="Sentences that give the reason.")]


class SameDealsRow(msgspec.Struct, frozen=True, kw_only=True):
    """Comparison with experts who played the same deals, in ``review --json``."""

    rounds: int
    own_points: Annotated[float, Meta(description="Points of the player.")]
    expert_points: Annotated[float, Meta(description="Average points of the experts in the player's seat.")]
    standard_error: Annotated[float | None, Meta(description="Standard error of the difference a round.")]
    runs: Annotated[int, Meta(description="Number of times that experts played each deal.")]
    lead_per_round: Annotated[float | None, Meta(description="Points a round by which the player was ahead.")]


class ReviewOutput(msgspec.Struct, frozen=True, kw_only=True):
    """Output of ``review --json``."""

    id: str
    game: str
    seat: int
    abandoned: bool
    complete: Annotated[bool, Meta(description="False if the review was stopped before its end.")]
    mean_cost: float | None
    decisions: Annotated[tuple[DecisionRow, ...], Meta(description="Decisions, the costliest first.")]
    same_deals: SameDealsRow | None


class MatchOutput(msgspec.Struct, frozen=True, kw_only=True):
    """Output of ``arena --json``, a line for each match."""

    game: str
    contract: Annotated[
        str | UnsetType, Meta(description="Contract that the first dealer had to name; left out for a free choice.")
    ] = UNSET
    a: str
    b: str
    others: Annotated[str | UnsetType, Meta(description="Robot in the other seats; left out if it is B.")] = UNSET
    seat_count: int
    seed: int
    requested: Annotated[int, Meta(description="Number of deals, or of sessions, that were to be played.")]
    sessions: Annotated[
        int | UnsetType, Meta(description="Number of sessions that were played; left out if single deals were.")
    ] = UNSET
    deals: Annotated[
        int | UnsetType, Meta(description="Number of deals that were played; left out if whole sessions were.")
    ] = UNSET
    lead_per_round: Annotated[float | None, Meta(description="Points a round by which A was ahead of B.")]
    standard_error: Annotated[float | None, Meta(description="Standard error of ``lead_per_round``.")]
    points_per_round: Annotated[float | None, Meta(description="Points of A a round.")]
    win_rate: Annotated[float | None, Meta(description="Share of the sessions that A won, from 0 to 1.")]
    exact_bid_rates: Annotated[
        tuple[float | None, ...] | None,
        Meta(description="Share of exact bids of A and of B, from 0 to 1; null in games without bids."),
    ]
    mean_ms: Annotated[float | None, Meta(description="Milliseconds that A needed for a decision.")]
    max_ms: float | None


class RatingRow(msgspec.Struct, frozen=True, kw_only=True):
    """Rated player of a game in ``rankings --json``."""

    game: str
    place: int
    player: str
    robot: bool
    former: Annotated[bool, Meta(description="True for a person whose profile was removed, or who never had one.")]
    rating: float
    sigma: Annotated[float, Meta(description="Uncertainty of the rating.")]
    sessions: int
    win_rate: Annotated[float, Meta(description="Won sessions for each seat that the player had in them, from 0 to 1.")]


class StatisticsRow(msgspec.Struct, frozen=True, kw_only=True):
    """Results of a player in a game in ``statistics --json``."""

    player: str
    robot: bool
    former: bool
    game: str
    sessions: int
    abandoned: int
    place_counts: Annotated[
        tuple[int, ...], Meta(description="Number of sessions that ended in each place, the best first.")
    ]
    totals: tuple[int, ...]
    best_totals: tuple[TotalsRow, ...]
    longest_win_streak: int
    longest_day_streak: int
    daily_deals: Annotated[tuple[str, ...], Meta(description="Dates of the deals of the day that were finished.")]
    rounds: int
    points: int
    best_round: RoundPoints | None
    worst_round: RoundPoints | None
    bids: Annotated[Mapping[str, BidRow], Meta(description="Bids by number of cards.")]
    contracts: Annotated[Mapping[str, PointsRow], Meta(description="Points by title of the contract.")]
    rating: float | None
    sigma: float | None


class ResultRow(msgspec.Struct, frozen=True, kw_only=True):
    """Player in a table of ``club season show --json``."""

    place: Annotated[int | None, Meta(description="Place, which equal results share; null if the player has none.")]
    player: str
    kind: Annotated[PlayerKind, Meta(description="With a profile, without one, with a removed profile, or a robot.")]
    sessions: Annotated[int, Meta(description="Number of sessions that count for the player; of seats for a robot.")]
    wins: int
    beaten_percent: Annotated[
        float, Meta(description="Average share of opponents beaten, from 0 to 100; an equal place counts half.")
    ]
    points: Annotated[int | UnsetType, Meta(description="Sum of points; left out in the table of all games.")] = UNSET
    average_points: Annotated[
        float | UnsetType, Meta(description="Points a session; left out in the table of all games.")
    ] = UNSET


class ResultTable(msgspec.Struct, frozen=True, kw_only=True):
    """Table in ``club season show --json``."""

    title: Annotated[str, Meta(description="Title of the game, or ``All games``.")]
    ranked_by: Annotated[str, Meta(description="Name of the figure that decides the places.")]
    rows: Annotated[tuple[ResultRow, ...], Meta(description="Players, the best first.")]
    notes: tuple[str, ...]


class SeasonRow(msgspec.Struct, frozen=True, kw_only=True, rename={"begins": "from", "ends": "until"}):
    """Season in ``club season list --json``."""

    season: Annotated[str, Meta(description="Name of the season.")]
    games: Annotated[tuple[str, ...], Meta(description="Keys of its games.")]
    begins: Annotated[
        str | None, Meta(description="First moment of its period, as ISO 8601 in the host's zone; null without one.")
    ]
    ends: Annotated[
        str | None, Meta(description="End of its period, which is excluded, as ISO 8601 in the host's zone, or null.")
    ]
    ranked_by: Annotated[Ranking, Meta(description="What decides the places of a game.")]
    min_sessions: Annotated[int, Meta(description="Number of sessions that a place requires.")]
    closed: bool


class SeasonOutput(SeasonRow, frozen=True, kw_only=True):
    """Output of ``club season show --json``."""

    sessions: Annotated[tuple[str, ...], Meta(description="Ids of the sessions that count, in order.")]
    missing: Annotated[tuple[str, ...], Meta(description="Ids of sessions that the season names but that are gone.")]
    tables: Annotated[tuple[ResultTable, ...], Meta(description="All games if there are several, then each game.")]


class StandingsRow(msgspec.Struct, frozen=True, kw_only=True):
    """Person in the standings of a tournament."""

    place: Annotated[int | None, Meta(description="Place, which equal totals share; null before the first result.")]
    player: str
    kind: Annotated[PlayerKind, Meta(description="With a profile, or without one.")]
    total: Annotated[float | None, Meta(description="Sum of the scores; null before the first result.")]
    round_scores: Annotated[tuple[float, ...], Meta(description="Score in each finished round.")]
    deals: Annotated[int, Meta(description="Number of deals that count.")]
    robot_deals: Annotated[int, Meta(description="Number of those in which a robot played for the person.")]


class TournamentTableRow(msgspec.Struct, frozen=True, kw_only=True):
    """Table in a round of a tournament."""

    session: Annotated[str | None, Meta(description="Id of the session; null before the round begins.")]
    seats: Annotated[tuple[str, ...], Meta(description="Names of people and robots, by seat.")]
    points: Annotated[
        tuple[tuple[int, ...] | None, ...],
        Meta(description="Points by seat in each deal, once the round has finished; null for a void deal."),
    ]


class TournamentRoundRow(msgspec.Struct, frozen=True, kw_only=True):
    """Round of a tournament."""

    state: RoundState
    tables: tuple[TournamentTableRow, ...]


class TournamentOutput(msgspec.Struct, frozen=True, kw_only=True):
    """Output of ``club tournament show --json``."""

    tournament: Annotated[str, Meta(description="Name of the tournament.")]
    game: Annotated[str, Meta(description="Key of the game.")]
    options: Annotated[dict[str, Value], Meta(description="House rules, by name.")]
    state: TournamentState
    commitment: Annotated[str, Meta(description="SHA-256 of the key of the deals, in hexadecimal digits.")]
    key: Annotated[str | None, Meta(description="Key of the deals in hexadecimal digits; null while it is open.")]
    rounds: tuple[TournamentRoundRow, ...]
    standings: Annotated[tuple[StandingsRow, ...], Meta(description="People, the best first.")]


OUTPUTS: Final[Mapping[str, object]] = {
    "games": tuple[GameRow, ...],
    "list": tuple[SessionRow, ...],
    "show": ScoreSheetOutput,
    "trace": PositionOutput,
    "review": ReviewOutput,
    "arena": MatchOutput,
    "rankings": tuple[RatingRow, ...],
    "statistics": tuple[StatisticsRow, ...],
    "club season list": tuple[SeasonRow, ...],
    "club season show": SeasonOutput,
    "club tournament list": tuple[TournamentOutput, ...],
    "club tournament show": TournamentOutput,
}
"""Type of the output of each command, or of each line of it for ``trace`` and ``arena``."""


def create_schema(command: str) -> dict[str, object]:
    """Return the JSON schema of the output of a command, of the draft 2020-12."""
    for value in globals().values():
        if isinstance(value, type) and issubclass(value, msgspec.Struct):
            value.__doc__ = read_docstring(value)
    schema = msgspec.json.schema(OUTPUTS[command])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"cardtable {command} --json", **schema}


@commands.command(name="schema")
@click.argument("command", type=click.Choice(sorted(OUTPUTS)))
def print_schema(command: str) -> None:
    """Print the JSON schema of a command's --json output.

    The schemas of trace and arena describe a line of the output.
    """
    click.echo(json.dumps(create_schema(command), indent=1))
