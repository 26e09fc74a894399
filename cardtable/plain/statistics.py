"""Commands ``statistics`` and ``rankings`` of the plain-text picker."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import find_name, format_count
from cardtable.games import ABOUT, find_key, list_keys
from cardtable.plain.commands import CommandRows, Handler
from cardtable.plain.console import print_lines
from cardtable.plain.speech_text import format_by_seat, to_ascii, to_sentence
from cardtable.records import aggregation
from cardtable.records.aggregation import AggregatedRecords, PlayerRecord
from cardtable.records.ratings import Player, Rating, Ratings
from cardtable.records.statistics import PlayerStatistics
from cardtable.store import profiles
from cardtable.wording import statistics as statistics_texts
from cardtable.wording.formatting import format_ordinal, join_or
from cardtable.wording.statistics import format_player

_NOTICE_SESSIONS: Final = 200
"""Number of unread sessions above which a notice of the delay is printed."""


def _aggregate() -> AggregatedRecords:
    """Aggregate the records of all sessions; a notice is printed if many of them must be read first."""
    records = AggregatedRecords()
    for number, progress in enumerate(aggregation.aggregate()):
        records = progress.records or records
        if number == 0 and progress.sessions - progress.read > _NOTICE_SESSIONS:
            print_lines(f"{progress.sessions - progress.read} sessions are being read; this takes a moment.")
    return records


def _describe_statistics(more: list[str]) -> Iterator[str]:
    records, me = _aggregate(), profiles.get_current_nick()
    game = next((key for word in more if (key := find_key(word))), "")
    player = _find_player_or_level(records, " ".join([word for word in more if find_key(word) is None]), me)
    record = records.get_record(player, game)
    if not record.figures.sessions:
        yield statistics_texts.explain_no_sessions(player, me, game)
        yield statistics_texts.NO_STATISTICS_TEXT
    elif game:
        yield from _describe_one_game(record)
    else:
        yield from _describe_all_games(records, record)
    others = [format_player(other) for other, _ in records.list_players() if other != player]
    if others:
        yield f"Other players: {', '.join(others)}. Type statistics and a name for one of them."


def _find_player_or_level(records: AggregatedRecords, name: str, me: str) -> Player:
    """Return the player or robot level with a name, ignoring case; by default the signed-in player.

    Raises ``CardtableError`` if there is none.
    """
    if not name:
        return Player(me)
    known = [Player(me), *[player for player, _ in records.list_players()]]
    by_name = {text: player for player in reversed(known) for text in (player.name, format_player(player))}
    if match := find_name(name, by_name):
        return by_name[match]
    names = join_or([*dict.fromkeys(map(format_player, known))])
    raise CardtableError(f"neither a player nor a game is called {name[:30]!r}; players are {names}")


def _describe_all_games(records: AggregatedRecords, record: PlayerRecord) -> Iterator[str]:
    player, all_ = record.player, record.figures
    figures_of_all = [format_count(all_.sessions, "session"), f"{all_.abandoned} abandoned", *_describe_outcomes(all_)]
    yield f"Statistics of {format_player(player)}, all games: {', '.join(figures_of_all)}."
    for key in list_keys():
        _, _, figures, rating = records.get_record(player, key)
        if figures.sessions:
            own = [format_count(figures.sessions, "session"), *_describe_outcomes(figures), _describe_rating(rating)]
            yield f"{ABOUT[key].title}: {', '.join(own)}."
    for name, value in statistics_texts.list_streaks(all_, date.today()):  # noqa: DTZ011 - a day of the player's calendar
        yield f"{name}: {value}."


def _describe_outcomes(figures: PlayerStatistics) -> list[str]:
    """Describe the share of sessions won and the average place; empty if no session has ended."""
    if figures.won_share is None:
        return []
    return [
        f"won {statistics_texts.format_share(figures.won_share)}",
        f"average place {statistics_texts.format_mean(figures.mean_place)}",
    ]


def _describe_rating(rating: Rating | None) -> str:
    return f"rating {rating.mu:.0f}, plus or minus {rating.sigma:.0f}" if rating else "not rated"


def _describe_one_game(record: PlayerRecord) -> Iterator[str]:
    player, game, figures, rating = record
    yield f"Statistics of {format_player(player)}, {ABOUT[game].title}: {_describe_rating(rating)}."
    if places := sorted(figures.places.items()):
        often = [format_count(times, "time") for _, times in places]
        yield f"Places: {format_by_seat([format_ordinal(place) for place, _ in places], often)}."
    for name, value in statistics_texts.list_figures(record):
        yield f"{name}: {value}."
    if contracts := statistics_texts.list_contract_means(figures):
        means = [statistics_texts.format_mean(points) for _, points in contracts]
        yield f"Points by contract, average per round: {format_by_seat([name for name, _ in contracts], means)}."
    if exact := statistics_texts.list_exact_shares(figures):
        shares = [f"{format_count(cards, 'card')} {statistics_texts.format_share(share)}" for cards, share in exact]
        yield f"Exact bids by cards dealt: {', '.join(shares)}."


def _describe_rankings(more: list[str]) -> Iterator[str]:
    key = find_key(" ".join(more)) if more else None
    if more and key is None:
        raise CardtableError(f"type rankings and a game: {join_or(list_keys())}")
    records = _aggregate()
    if key is not None:
        yield from _describe_ranking(key, records.ratings.get(key) or Ratings())
        return
    rated = {game: ratings for game, ratings in records.ratings.items() if ratings.players}
    for game in list_keys():
        yield _describe_leader(game, rated[game]) if game in rated else statistics_texts.explain_no_ratings(game)
    yield "Type rankings and the name of a game for its list." if rated else statistics_texts.NO_RATING_TEXT


def _describe_leader(game: str, ratings: Ratings) -> str:
    player, rating = ratings.rank_players()[0]
    rated = f"{format_count(len(ratings.players), 'player')} rated, {format_count(len(ratings.end_times), 'session')}"
    return f"{ABOUT[game].title}: {format_player(player)} leads with {_describe_rating(rating)}; {rated}."


def _describe_ranking(game: str, ratings: Ratings) -> Iterator[str]:
    me = profiles.get_current_nick()
    rows = ratings.list_top(me)
    if not rows:
        yield from (statistics_texts.explain_no_ratings(game), statistics_texts.NO_RATING_TEXT)
        return
    yield f"Rankings of {ABOUT[game].title}, by rating; {format_count(len(ratings.end_times), 'session')}."
    for place, player, rating in rows:
        note = ", you" if player == Player(me) else ", robot" if player.robot else ""
        won = statistics_texts.format_share(rating.won / rating.seats)
        played = f"{format_count(rating.sessions, 'session')}, won {won}"
        yield to_sentence(f"{place}: {format_player(player)}{note}, {_describe_rating(rating)}, {played}")
    yield f"{statistics_texts.RATING_RULES} {statistics_texts.RATING_RULES_MORE}"


def _create_handler(describe: Callable[[list[str]], Iterator[str]]) -> Handler:
    return lambda rest: print_lines(*map(to_ascii, describe(rest.split())))


STATISTICS_COMMANDS: Final[CommandRows] = {
    "statistics: your results. statistics NICK GAME: those of another player, a robot level, or one game.": {
        "statistics": _create_handler(_describe_statistics)
    },
    "rankings: the leader in each game. rankings GAME: the ten best, and you.": {
        "rankings": _create_handler(_describe_rankings)
    },
}
"""Commands of the picker about statistics; they raise ``CardtableError`` if there is no such player or game."""
