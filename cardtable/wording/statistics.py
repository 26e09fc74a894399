"""Texts and figures of ratings and statistics, for all front ends."""

from collections.abc import Callable
from datetime import date
from typing import Final, Generic, NamedTuple, TypeVar

from cardtable.engine.cards import SUITS
from cardtable.engine.game import Contract
from cardtable.games import ABOUT, GAMES
from cardtable.records.aggregation import PlayerRecord
from cardtable.records.personal_bests import BeatenBest
from cardtable.records.ratings import Player
from cardtable.records.result_rows import RoundPoints
from cardtable.records.statistics import PlayerStatistics, count_days_until, count_most_days
from cardtable.store.seating import GUEST
from cardtable.wording.formatting import (
    YOU,
    format_date,
    format_gain,
    format_number,
    format_ordinal,
    format_round_title,
    to_local_time,
)

RATING_RULES: Final = (
    "A player rated 100 points higher finishes ahead in 64% of sessions; ratings closer than their ± may be in the "
    "wrong order. Open hands, the coach, undone moves and known deals do not count. A player who abandons a session is "
    "last. Guests are not rated."
)
NO_RATING_TEXT: Final = (
    "A session counts once it is over or abandoned, unless hands were open, the coach was on, a move was undone, "
    "or the deal was "
    "known: chosen by its number, or played before. At least two rated players must have taken part: people with "
    "a nick and robot levels are rated, guests are not."
)
"""Text shown if no player is rated."""
NO_STATISTICS_TEXT: Final = "A session counts once it is over or abandoned, unless its deal was known before."
"""Text shown if a player has no statistics."""
MISSING: Final = "–"
"""Sign in place of a missing number."""


def format_player(player: Player) -> str:
    """Return the name of a player as shown in lists: the level for robots, a nick marked as "guest" or "former" for
    people without a current profile.
    """
    if player.robot:
        return player.name.capitalize()
    if not player.stranger:
        return player.name
    return f"{player.name} ({'guest' if player.stranger == GUEST else 'former'})"


def explain_no_ratings(game: str) -> str:
    return f"Nobody is rated in {ABOUT[game].title} yet."


def explain_no_sessions(player: Player, own_nick: str, game: str) -> str:
    """Return a sentence saying that a player has finished no session of a game.

    If ``game`` is ``""``, the sentence refers to all games. ``own_nick`` is the reader's nick.
    """
    subject = "You have" if player == Player(own_nick) else f"{format_player(player)} has"
    return f"{subject} not finished a session{f' of {ABOUT[game].title}' if game else ''} yet."


def format_invitation(enter: str, game: str) -> str:
    """Return what the Enter key does on a page that a finished session fills; ``enter`` is its label."""
    return f"{enter} sets up a table of {ABOUT[game].title}."


def format_mean(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}".replace("-", "\u2212")


def format_share(fraction: float | None) -> str:
    return MISSING if fraction is None else f"{100 * fraction:.0f}%"


def _format_round(extreme: RoundPoints) -> str:
    return f"{format_gain(extreme.points)} ({format_ordinal(extreme.round)})"


V_co = TypeVar("V_co", covariant=True)


class Figure(NamedTuple, Generic[V_co]):
    """Figure of a player, with its places in lists, in the table of the command and in JSON."""

    value: Callable[[PlayerRecord], V_co | None]
    format_value: Callable[[V_co], str] = str
    label: str = ""
    """Label in lists on the screen and in plain text, which leave the figure out if it is ``None``."""
    heading: str = ""
    """Heading of its column in the table of the command ``statistics``."""
    key: str = ""
    """Name in JSON, which is a member of ``StatisticsRow``."""

    def format(self, record: PlayerRecord) -> str:
        """Return the figure as text, or ``-`` if it is ``None``."""
        value = self.value(record)
        return "-" if value is None else self.format_value(value)


FIGURES: Final = (
    Figure(lambda of: format_player(of.player), heading="player"),
    Figure(lambda of: of.player.name, key="player"),
    Figure(lambda of: of.player.robot, key="robot"),
    Figure(lambda of: bool(of.player.stranger), key="former"),
    Figure(lambda of: of.game, heading="game", key="game"),
    Figure(lambda of: of.figures.sessions, label="Sessions", heading="sessions", key="sessions"),
    Figure(lambda of: of.figures.abandoned, label="Abandoned", heading="abandoned", key="abandoned"),
    Figure(lambda of: of.figures.rated if of.player.can_be_rated else None, label="Rated"),
    Figure(lambda of: of.figures.mean_place, "{:.1f}".format, heading="place"),
    Figure(lambda of: of.figures.won_share, format_share, heading="won"),
    Figure(lambda of: of.figures.places or None, lambda places: f"{places[1]} of {places.total()}", label="Won"),
    Figure(lambda of: [of.figures.places[place + 1] for place in range(max(ABOUT[of.game].seats))], key="place_counts"),
    Figure(lambda of: of.figures.mean_total, "{:.1f}".format, heading="total"),
    Figure(lambda of: of.figures.totals.tolist(), key="totals"),
    Figure(lambda of: [*of.figures.total_ranges.values()], key="best_totals"),
    Figure(lambda of: of.figures.most_wins_in_a_row, key="longest_win_streak"),
    Figure(lambda of: of.figures.most_wins_in_a_row if of.figures.days else None, label="Most wins in a row"),
    Figure(lambda of: count_most_days(of.figures.days), key="longest_day_streak"),
    Figure(lambda of: count_most_days(of.figures.days) or None, label="Most days in a row"),
    Figure(lambda of: of.figures.main_range, lambda totals: format_number(totals.best), label="Best total"),
    Figure(lambda of: of.figures.main_range, lambda totals: format_number(totals.worst), label="Worst total"),
    Figure(lambda of: [date.fromordinal(day).isoformat() for day in sorted(of.figures.daily_deals)], key="daily_deals"),
    Figure(lambda of: of.figures.rounds.rounds, key="rounds"),
    Figure(lambda of: of.figures.rounds.rounds or None, label="Rounds"),
    Figure(lambda of: of.figures.rounds.points, key="points"),
    Figure(lambda of: of.figures.mean_round, format_mean, label="Average round"),
    Figure(lambda of: of.figures.mean_round, "{:.1f}".format, heading="a round"),
    Figure(lambda of: of.figures.best, _format_round, label="Best round", key="best_round"),
    Figure(lambda of: of.figures.worst, _format_round, label="Worst round", key="worst_round"),
    Figure(lambda of: {str(cards): bids for cards, bids in sorted(of.figures.bids.items())}, key="bids"),
    Figure(lambda of: of.figures.exact_share, format_share, heading="exact"),
    Figure(lambda of: of.figures.all_bids, lambda bids: f"{bids.exact} of {bids.number}", label="Exact bids"),
    Figure(lambda of: of.figures.all_bids, lambda bids: format_share(bids.high / bids.number), label="Too high"),
    Figure(lambda of: of.figures.all_bids, lambda bids: format_share(bids.low / bids.number), label="Too low"),
    Figure(lambda of: of.figures.contracts, key="contracts"),
    Figure(lambda of: round(of.rating.mu, 1) if of.rating else None, key="rating"),
    Figure(lambda of: round(of.rating.sigma, 1) if of.rating else None, key="sigma"),
)
"""All figures, in the order in which each place has them."""


def list_figures(record: PlayerRecord) -> list[tuple[str, str]]:
    """Return the figures of a player in one game as pairs of label and text.

    Totals are those under the rules that the player has used most.
    """
    listed = [figure for figure in FIGURES if figure.label and figure.value(record) is not None]
    return [(figure.label, figure.format(record)) for figure in listed]


def list_streaks(figures: PlayerStatistics, today: date) -> list[tuple[str, str]]:
    """Return the player's runs of days, over all games if the figures are combined, as pairs of label and text.

    A run that has not ended includes yesterday or ``today``.
    """
    rows = []
    for unit, days in (("days", figures.days), ("daily deals", figures.daily_deals)):
        if streak := max(count_days_until(days, today.toordinal() - ago) for ago in (0, 1)):
            rows.append((f"{unit.capitalize()} in a row now", str(streak)))
        if days:
            rows.append((f"Most {unit} in a row", str(count_most_days(days))))
    return rows


def list_firsts(figures: PlayerStatistics) -> list[tuple[str, str]]:
    """Return what the player has done for the first time, with game and day, the latest first."""
    return [
        (f"First {deed}", f"{ABOUT[first.game].title}, {format_date(to_local_time(first.time))}")
        for deed, first in sorted(figures.firsts.items(), key=lambda item: item[1].time, reverse=True)
        if first.game in ABOUT
    ]


def format_beaten(best: BeatenBest, game: str, name: str = YOU) -> str:
    """Return a text about a personal best that the player ``name`` has just beaten."""
    title, best_total = ABOUT[game].title, "lowest total" if GAMES[game].lowest_wins else "best total"
    description = {
        "total": f"{best_total} in {title}{'' if best.usual_rules else ' with these house rules'}",
        "round": f"best round in {title}",
        "wins": f"longest run of wins in {title}",
        "days": "longest run of days with a finished session",
    }[best.kind]
    whose = "Your" if name == YOU else f"{name}'s"
    value, before = map(format_gain if best.kind == "round" else format_number, (best.value, best.before))
    return f"{whose} {description}: {value} (was {before})"


def parse_contract(text: str) -> Contract:
    """Parse the text that ``str(Contract)`` returns.

    A text that does not end in a suit letter is the name of a contract without a suit. The abbreviation is not
    restored.
    """
    name, _, suit = text.rpartition(" ")
    return Contract(name, SUITS.index(suit)) if len(suit) == 1 and suit in SUITS else Contract(text)


def list_contract_means(figures: PlayerStatistics) -> list[tuple[str, float]]:
    """Return the title of each contract with its mean points per round, the highest first."""
    contracts = sorted(figures.contracts.items(), key=lambda item: (-item[1].mean, item[0]))
    return [(format_round_title(parse_contract(name)), points.mean) for name, points in contracts]


def list_exact_shares(figures: PlayerStatistics) -> list[tuple[int, float]]:
    return [(cards, bids.exact / bids.number) for cards, bids in sorted(figures.bids.items())]
