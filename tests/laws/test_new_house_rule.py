"""Law of house rules that a game gets later: at its default a new rule changes nothing that is stored."""

import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from shutil import rmtree

import msgspec
import pytest

from cardtable.club.open_table import OpenTable
from cardtable.club.server.table_phases import FreeSeats
from cardtable.engine.options import choice
from cardtable.games import GAMES, KEYS, import_rules
from cardtable.records import review_worker
from cardtable.records.review import Review, compute_next_piece
from cardtable.robots.arena import open_pool
from cardtable.session.simulation import Plan, simulate
from cardtable.store import paths, puzzle_files, score_tables, session_setup, sessions
from cardtable.store.puzzle_files import Puzzle
from tests.overriding import override
from tests.puzzles import encode_puzzle, make_puzzle
from tests.records.archive_sessions import aggregate_records, archive_random_session
from tests.records.review_journals import search_few_worlds

NOW = datetime(2026, 11, 20, 8, 37, 28, tzinfo=UTC)


def add_house_rule(monkeypatch, key, *, added_later=True):
    """Give a game a house rule, and its views a member that has its default unless the rule is in force."""
    game = GAMES[key]

    @dataclass(frozen=True, slots=True)
    class NewOptions(game.options):
        new_rule: str = choice("A new rule", {"off": "off", "on": "on"}, added_later=added_later)

    view = msgspec.defstruct(game.view.__name__, [("new_rule_used", bool, False)], bases=(game.view,), frozen=True)
    for module in [module for name, module in sys.modules.items() if name.startswith(f"cardtable.games.{key}")]:
        for name in [name for name, value in vars(module).items() if value is game.view]:
            monkeypatch.setattr(module, name, view)
        for state in [value for value in vars(module).values() if getattr(value, "view_type", None) is game.view]:
            monkeypatch.setattr(state, "view_type", view)
            monkeypatch.setattr(state, "new_rule_used", False, raising=False)
    monkeypatch.setattr(import_rules(key), "GAME", override(game, options=NewOptions, view=view))


def collect_stored(key):
    """Return everything that is stored about sessions of a game and refers to its house rules, as bytes by kind."""
    game, seats = GAMES[key], GAMES[key].about.usual_seats
    session_files = dict(list_session_files(key, game, seats))
    archive_random_session(key, " ".join(["Anna", *["steady"] * (seats - 1)]))
    records = aggregate_records()
    journal = paths.archive_folder() / "s.jsonl"
    stored = {
        **session_files,
        "puzzle id": make_puzzle.__wrapped__(key).id,
        "archived journal": journal.read_bytes(),
        "ratings": repr(list(records.ratings[key].players.items())),
        "statistics": repr(records.statistics),
        "review": review(journal),
    }
    rmtree(paths.home())  # with all caches
    return stored


def list_session_files(key, game, seats):
    """Yield what begins with a header, and the options of a table at a club."""
    options, names = game.options().for_seats(seats), ("Ada", "Bo", "Cy", "Dee", "Eli", "Fay", "Gus", "Hal")
    days = [date(2026, 11, 20) + timedelta(days=number) for number in range(len(KEYS))]
    day = next(day for day in days if session_setup.get_daily_game(day) == key)
    daily = session_setup.create_daily_setup(day)
    created = sessions.create(game, daily.seats, options, 7, now=NOW)
    on_day = datetime(day.year, day.month, day.day, tzinfo=UTC)
    of_day = sessions.create(game, daily.seats, daily.options, daily.seed, now=on_day)
    table = score_tables.create(game, names[:seats], options, now=NOW)
    for name, header in (("session", created.header), ("daily", of_day.header), ("score table", table.table.header)):
        yield name, msgspec.json.encode(msgspec.structs.replace(header, id="s"))
    yield "day of the deal", repr(session_setup.find_deal_day(of_day.header))
    for each in (created, of_day, table):
        each.close()
    plan = Plan(key, 1, 7, ("random",) * seats, options)
    with open_pool(key, 1, None) as pool:
        [simulated] = simulate(plan, pool)
    yield "simulation", simulated.journal
    info = FreeSeats(OpenTable(key, seats, options.to_header()), "Ada").to_table_info("t", "Ada", ())
    yield "club table", msgspec.json.encode(info.options)


def review(journal):
    """Review a round and the first decisions of a session, and return the file with the review."""
    session = review_worker.load_reviewable(journal, 0)
    reviewed = Review([], [])
    for deals_first in (session.header.game != "rummy", *[False] * 5):  # a round of Rummy takes the experts long
        compute_next_piece(session, reviewed, deals_first=deals_first)
    review_worker.save(journal, (1, 2, 3), 0, reviewed)
    return review_worker.get_review_path(journal).read_bytes()


@pytest.fixture(autouse=True)
def few_worlds(monkeypatch):
    search_few_worlds(monkeypatch)


def list_changes(monkeypatch, key, **rule):
    """Return the kinds of stored data that a new house rule changes."""
    before, file = collect_stored(key), encode_puzzle(key)
    add_house_rule(monkeypatch, key, **rule)
    after = collect_stored(key)
    assert puzzle_files.parse(file).id == before["puzzle id"]
    view = GAMES[key].start(GAMES[key].about.usual_seats, GAMES[key].options()).view(0)
    assert (view.options.new_rule, view.new_rule_used) == ("off", False)
    return [kind for kind in before if before[kind] != after[kind]]


@pytest.mark.parametrize("key", KEYS)
def test_new_rule_changes_nothing_that_is_stored(monkeypatch, key):
    assert list_changes(monkeypatch, key) == []


def test_law_sees_a_rule_in_headers(monkeypatch):
    changes = list_changes(monkeypatch, "bridge", added_later=False)
    assert changes == ["session", "daily", "score table", "simulation", "club table", "archived journal"]


def test_law_sees_a_rule_in_ids_of_puzzles(monkeypatch):
    monkeypatch.setattr(Puzzle, "id", Puzzle.earlier_id)
    assert list_changes(monkeypatch, "bridge") == ["puzzle id"]
