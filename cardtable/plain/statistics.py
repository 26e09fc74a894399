"""Commands ``statistics`` and ``rankings`` of the plain-text picker."""

from collections.abc import Iterator
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import with_count
from cardtable.games import ABOUT, all_keys, key_of
from cardtable.plain.console import print_lines
from cardtable.plain.speech_text import by_seat, sentence, to_ascii
from cardtable.records import aggregation
from cardtable.records.aggregation import AggregatedRecords
from cardtable.records.ratings import Player, Rating, Ratings
from cardtable.records.statistics import PlayerStatistics
from cardtable.store import profiles
from cardtable.wording import statistics as words
from cardtable.wording.formatting import join_or, ordinal
from cardtable.wording.statistics import label

HELP: Final = (
    "statistics: what your sessions come to. statistics NICK GAME: of another player, a level of robots, or one game.",
    "rankings: who leads in each game. rankings GAME: the ten best, and you.",
)
_SLOW: Final = 200
"""Number of unread sessions above which a notice of the delay is printed."""


def does(word: str, more: list[str]) -> bool:
    """Execute ``statistics`` or ``rankings``; return False if the input is neither.

    Raises ``CardtableError`` if there is no such player or game.
    """
    if word == "statistics":
        print_lines(*map(to_ascii, _statistics(more)))
    elif word == "rankings":
        print_lines(*map(to_ascii, _rankings(more)))
    return word in ("statistics", "rankings")


def _aggregate() -> AggregatedRecords:
    """Aggregate the records of all sessions; a notice is printed if many of them must be read first."""
    records = AggregatedRecords()
    for number, progress in enumerate(aggregation.aggregate()):
        records = progress.records or records
        if number == 0 and progress.sessions - progress.read > _SLOW:
            print_lines(f"{progress.sessions - progress.read} sessions are read first; this takes a moment.")
    return records


def _statistics(more: list[str]) -> Iterator[str]:
    records, me = _aggregate(), profiles.current_nick()
    game = next((key for word in more if (key := key_of(word.lower()))), "")
    player = _player(records, " ".join([word for word in more if key_of(word.lower()) is None]), me)
    each = {key: records.statistics.get((player, key)) or PlayerStatistics() for key in all_keys()}
    if not (each[game] if game else words.combine(each.values())).sessions:
        yield words.no_session(player, me, game)
        yield words.COUNTS
    elif game:
        yield from _of_one_game(records, player, game, each[game])
    else:
        yield from _of_all_games(records, player, each)
    others = [label(other) for other, _ in records.players() if other != player]
    if others:
        yield f"Other players: {', '.join(others)}. statistics and a name tells of one of them."


def _player(records: AggregatedRecords, name: str, me: str) -> Player:
    """Return the player or robot level with a name, ignoring case; by default the signed-in player.

    Raises ``CardtableError`` if there is none.
    """
    if not name:
        return Player(me)
    known = [Player(me), *[player for player, _ in records.players()]]
    for player in known:
        if name.casefold() in (label(player).casefold(), player.name.casefold()):
            return player
    names = join_or([*dict.fromkeys(map(label, known))])
    raise CardtableError(f"neither a player nor a game is called {name[:30]!r}; players are {names}")


def _of_all_games(records: AggregatedRecords, player: Player, each: dict[str, PlayerStatistics]) -> Iterator[str]:
    all_ = words.combine(each.values())
    figures_of_all = [with_count(all_.sessions, "session"), f"{all_.given_up} given up", *_describe_outcomes(all_)]
    yield f"Statistics of {label(player)}, all games: {', '.join(figures_of_all)}."
    for key, figures in each.items():
        if figures.sessions:
            own = [with_count(figures.sessions, "session"), *_describe_outcomes(figures), _rating(records, player, key)]
            yield f"{ABOUT[key].title}: {', '.join(own)}."


def _describe_outcomes(figures: PlayerStatistics) -> list[str]:
    """Describe the share of sessions won and the mean place; empty if no session has ended."""
    if figures.won is None:
        return []
    return [f"won {words.share(figures.won)}", f"mean place {words.mean(figures.mean_place)}"]


def _rating(records: AggregatedRecords, player: Player, game: str) -> str:
    ratings = records.ratings.get(game)
    rating = ratings.players.get(player) if ratings else None
    return _describe_rating(rating) if rating else "not rated"


def _describe_rating(rating: Rating) -> str:
    return f"rating {rating.mu:.0f}, give or take {rating.sigma:.0f}"


def _of_one_game(records: AggregatedRecords, player: Player, game: str, figures: PlayerStatistics) -> Iterator[str]:
    yield f"Statistics of {label(player)}, {ABOUT[game].title}: {_rating(records, player, game)}."
    if places := sorted(figures.places.items()):
        often = [with_count(times, "time") for _, times in places]
        yield f"Places: {by_seat([ordinal(place) for place, _ in places], often)}."
    for name, value in words.all_figures(figures, game, rated=player.rated):
        yield f"{name}: {value}."
    if contracts := words.by_contract(figures):
        points_by_contract = [name for name, _ in contracts], [words.mean(points) for _, points in contracts]
        yield f"Points by contract, mean of a round: {by_seat(*points_by_contract)}."
    if exact := words.exact_by_cards(figures):
        shares = [f"{with_count(cards, 'card')} {words.share(share)}" for cards, share in exact]
        yield f"Exact bids by cards dealt: {', '.join(shares)}."


def _rankings(more: list[str]) -> Iterator[str]:
    key = key_of(" ".join(more).lower()) if more else None
    if more and key is None:
        raise CardtableError(f"rankings are of a game: rankings {join_or(all_keys())}")
    records = _aggregate()
    if key is not None:
        yield from _ranking(key, records.ratings.get(key) or Ratings())
        return
    rated = {game: ratings for game, ratings in records.ratings.items() if ratings.players}
    for game in all_keys():
        yield _leader(game, rated[game]) if game in rated else words.nobody_rated(game)
    yield "rankings and the name of a game tells of all of them." if rated else words.NOT_RATED


def _leader(game: str, ratings: Ratings) -> str:
    player, rating = ratings.ranking()[0]
    rated = f"{with_count(len(ratings.players), 'player')} rated, {with_count(len(ratings.ended), 'session')}"
    return f"{ABOUT[game].title}: {label(player)} leads with {_describe_rating(rating)}; {rated}."


def _ranking(game: str, ratings: Ratings) -> Iterator[str]:
    me = profiles.current_nick()
    rows = ratings.listed(me)
    if not rows:
        yield from (words.nobody_rated(game), words.NOT_RATED)
        return
    yield f"Rankings of {ABOUT[game].title}, by rating; {with_count(len(ratings.ended), 'session')}."
    for place, player, rating in rows:
        note = ", you" if player == Player(me) else ", robot" if player.robot else ""
        played = f"{with_count(rating.sessions, 'session')}, won {words.share(rating.won / rating.seats)}"
        yield sentence(f"{place}: {label(player)}{note}, {_describe_rating(rating)}, {played}")
    yield f"{words.RULES} {words.RULES_MORE}"
