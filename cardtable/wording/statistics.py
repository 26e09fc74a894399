"""Texts and figures of ratings and statistics, for all front ends."""

from datetime import date
from typing import Final

from cardtable.engine.cards import SUITS
from cardtable.engine.game import Contract
from cardtable.games import ABOUT, GAMES
from cardtable.records.personal_bests import BeatenBest
from cardtable.records.ratings import Player
from cardtable.records.statistics import PlayerStatistics, count_days_until, count_most_days
from cardtable.records.statistics_rows import RoundPoints
from cardtable.store.seating import GUEST
from cardtable.wording.formatting import YOU, format_gain, format_number, format_ordinal, format_round_title

RATING_RULES: Final = (
    "Open hands, the coach, undone moves and known deals do not count. A player who abandons a session is last."
)
RATING_RULES_MORE: Final = "Robots are rated, too; guests are not."
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
    """Return a sentence saying that no player is rated in a game."""
    return f"Nobody is rated in {ABOUT[game].title} yet."


def explain_no_sessions(player: Player, own_nick: str, game: str) -> str:
    """Return a sentence saying that a player has finished no session of a game.

    If ``game`` is ``""``, the sentence refers to all games. ``own_nick`` is the reader's nick.
    """
    subject = "You have" if player == Player(own_nick) else f"{format_player(player)} has"
    return f"{subject} not finished a session{f' of {ABOUT[game].title}' if game else ''} yet."


def format_mean(value: float | None) -> str:
    """Format a mean with one decimal place, or return ``MISSING`` if it is ``None``."""
    return MISSING if value is None else f"{value:.1f}".replace("-", "\u2212")


def format_share(fraction: float | None) -> str:
    """Format a share, from 0 to 1, as a percentage, or return ``MISSING`` if it is ``None``."""
    return MISSING if fraction is None else f"{100 * fraction:.0f}%"


def list_figures(figures: PlayerStatistics, *, rated: bool) -> list[tuple[str, str]]:
    """Return the figures of a player in one game as pairs of label and text.

    With ``rated``, the number of rated sessions is included. Totals are those under the rules that the player has used
    most.
    """
    seats, totals = figures.places.total(), figures.main_range
    rows = [("Sessions", str(figures.sessions)), ("Abandoned", str(figures.given_up))]
    rows += [("Rated", str(figures.rated))] if rated else []
    rows += [("Won", f"{figures.places[1]} of {seats}")] if seats else []
    if figures.days:
        rows += [("Most wins in a row", str(figures.most_wins_in_a_row))]
        rows += [("Most days in a row", str(count_most_days(figures.days)))]
    if totals:
        rows += [("Best total", format_number(totals.best)), ("Worst total", format_number(totals.worst))]
    if figures.rounds.rounds:
        rows += [("Rounds", str(figures.rounds.rounds)), ("Average round", format_mean(figures.rounds.mean))]
        rows += [("Best round", _format_round(figures.best)), ("Worst round", _format_round(figures.worst))]
    if figures.bids:
        number = sum([bids.number for bids in figures.bids.values()])
        high = sum([bids.high for bids in figures.bids.values()])
        exact = sum([bids.exact for bids in figures.bids.values()])
        rows += [("Exact bids", f"{exact} of {number}")]
        rows += [("Too high", format_share(high / number)), ("Too low", format_share((number - exact - high) / number))]
    return rows


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


def _format_round(round_: RoundPoints | None) -> str:
    return f"{format_gain(round_.points)} ({format_ordinal(round_.round)})" if round_ else MISSING


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
    """Return the share of bids that were made exactly, by number of cards per hand in ascending order."""
    return [(cards, bids.exact / bids.number) for cards, bids in sorted(figures.bids.items())]
