"""Duplicate tournaments as text and Markdown."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from cardtable.engine.options import read
from cardtable.engine.text_format import format_count, sanitize
from cardtable.games import GAMES, find_missing_game
from cardtable.records.results_table import ResultsTable
from cardtable.records.tournament_results import create_round_table, create_standings
from cardtable.store.tournaments import Tournament, TournamentTable
from cardtable.wording import results_table
from cardtable.wording.rules_page import format_other_rules

IsGuest: TypeAlias = Callable[[str], bool]


def format_tournament(tournament: Tournament) -> str:
    """Describe a tournament in one line: game, house rules, people, rounds and state.

    The line begins with ``Tournament of``.
    """
    parts = [
        f"Tournament of {_format_game(tournament)}",
        f"{len(tournament.people)} people",
        format_count(len(tournament.rounds), "round"),
        _format_state(tournament),
    ]
    return sanitize(", ".join(filter(None, parts)))


def _format_game(tournament: Tournament) -> str:
    """Return the title of the game, with the house rules that differ from the usual ones."""
    if missing := find_missing_game(tournament.game, tournament.package):
        return f"{tournament.game} (the game {missing.state})"
    game, seats = GAMES[tournament.game], len(tournament.seats)
    usual = read(game.options, {}, seats).to_dict()
    rules = format_other_rules(game.options, tournament.options, usual)
    return f"{game.about.title}, {rules}" if rules else game.about.title


def _format_state(tournament: Tournament) -> str:
    if tournament.state != "open":
        return tournament.state
    if (current := tournament.current_round) is not None:
        return f"round {current + 1} is being played"
    finished = sum(each.state == "finished" for each in tournament.rounds)
    return f"{format_count(finished, 'round')} finished" if finished else "not begun"


def iter_tournament_lines(tournament: Tournament, is_guest: IsGuest) -> Iterator[str]:
    """Yield the lines that describe a tournament: its state, the standings, and who sits where in each round."""
    yield f"{sanitize(tournament.name)}: {format_tournament(tournament)}"
    yield ""
    yield from results_table.iter_text_lines(create_standings(tournament, is_guest))
    for number, round_ in enumerate(tournament.rounds, 1):
        yield ""
        yield f"Round {number}"
        for place, table in enumerate(round_.tables, 1):
            yield f"  table {place}: {_format_seats(table)}"


def _format_seats(table: TournamentTable) -> str:
    names = [f"{player.name} ({player.robot} robot)" if player.robot else player.name for player in table.seats]
    return sanitize(", ".join(names))


def list_tournament_tables(tournament: Tournament, is_guest: IsGuest) -> list[ResultsTable]:
    """Return the standings, and the scores of each finished round."""
    finished = [index for index, each in enumerate(tournament.rounds) if each.state == "finished"]
    return [
        create_standings(tournament, is_guest),
        *[create_round_table(tournament, index, is_guest) for index in finished],
    ]


def format_tournament_markdown(tournament: Tournament, is_guest: IsGuest) -> str:
    """Return the standings of a tournament and the scores of its finished rounds in Markdown."""
    lines = [
        line
        for table in list_tournament_tables(tournament, is_guest)
        for line in (*results_table.iter_markdown_lines(table), "")
    ]
    return "\n".join(lines)
