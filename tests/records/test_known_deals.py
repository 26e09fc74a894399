"""Deals that a player knows: chosen by number, or had in an earlier session; nothing counts what comes of them."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.journal import Line, Occupant, Origin
from cardtable.games import GAMES
from cardtable.records.aggregation import aggregate
from cardtable.records.ratings import Player
from cardtable.store import (
    archive_index,
    paths,
    profiles,
    session_setup,
    sessions,
    summaries,
)
from cardtable.store.session_setup import SessionSetup
from cardtable.wording.archive_rows import explain_unrated, list_properties
from tests.records.archived import header, put, write
from tests.store.playing import play

ANNA, BOB = Player("Anna"), Player("Bob")
IDS = {"Anna": "a" * 16, "Bob": "b" * 16}
DAY = datetime(2026, 11, 20, 12, tzinfo=UTC)


def records():
    return [told for told in aggregate() if told.records][-1].records


def rated():
    """The ids of the sessions that rankings count."""
    return sorted(each.id for each in archive_index.list_summaries() if each.is_rated)


def known():
    """The ids of the sessions with known cards."""
    return sorted(each.id for each in archive_index.list_summaries() if each.has_known_cards)


def of_profiles(id_, who, *, seed=7, ended=1_000_000, lines=(), game="gurka", **changed):
    """Lay a session of profiles into the archive, given up before anything was dealt."""
    head = header(game, who, id_, seed=seed)
    seats = [replace(seat, player=IDS.get(seat.name)) for seat in head.seats]
    return write(replace(head, cardtable=2, seats=tuple(seats), **changed), lines, ended)


def finished(how, seed=1):
    """Play a session to its end at random; its journal is let go."""
    session = how.begin()
    play(session.referee, Random(seed), 100_000)
    session.close()
    return session


def later():
    """Return a moment after everything else in the test."""
    return datetime.now(UTC) + timedelta(hours=1)


@pytest.fixture
def anna(home):
    """Anna is registered and has signed in."""
    profiles.register("Anna")
    return profiles.load()[0].find("Anna")


def test_header_of_a_chosen_deal(anna):
    game = GAMES["gurka"]
    by_number = SessionSetup(
        game, session_setup.create_default_setup(game, "Anna").seats, game.options(), 7, random_seating=False
    )
    by_lot = session_setup.create_default_setup(game, "Anna")
    deal_of_the_day = session_setup.create_daily_setup(DAY.date(), "Anna")
    begun = {name: how.begin() for name, how in [("number", by_number), ("lot", by_lot), ("day", deal_of_the_day)]}
    begun["again"] = session_setup.create_rematch(begun["lot"], same_deal=True).begin()
    begun["another"] = session_setup.create_rematch(begun["number"], same_deal=False).begin()
    chosen = {name: b'"chosen":true' in session.path.read_bytes() for name, session in begun.items()}
    assert chosen == {"number": True, "lot": False, "day": False, "again": True, "another": False}
    assert {name: session.header.chosen for name, session in begun.items()} == chosen


def test_chosen_means_nothing_in_version_1():
    data = journal.encode([replace(header("gurka", "Anna Bob Cleo Dan"), chosen=True), Line(say="hello", seat=0)])
    assert b'"chosen"' in data
    assert not journal.read(data).header.chosen


def test_session_of_a_chosen_deal_is_listed_but_counts_nowhere():
    put("gurka", "Anna Bob steady steady", id_="s", seed=1)
    before = records()
    path = write(replace(header("gurka", "Anna Bob steady steady", "t", seed=2), cardtable=2, chosen=True), [])
    assert path.exists()
    after = records()
    assert (known(), rated()) == (["t"], ["s"])
    assert after.statistics == before.statistics
    assert after.ratings == before.ratings
    [listed] = [each for each in archive_index.list_summaries() if each.id == "t"]
    assert "known deal" in list_properties(listed)


def test_same_deal_again_counts_once():
    first = put("gurka", "Anna Bob steady steady", id_="b", ended=1_000_000)
    put("gurka", "Anna Bob steady steady", id_="a", ended=1_000_001)
    put("gurka", "Anna Cleo steady steady", id_="c", ended=1_000_002)
    figures = records()
    assert (rated(), known()) == (["b"], ["a", "c"])
    assert list(figures.statistics[ANNA, "gurka"].totals) == [first.totals[0]]
    assert figures.statistics[ANNA, "gurka"].sessions == 1
    assert figures.statistics[Player("steady", robot=True), "gurka"].sessions == 1, "robots of such sessions, too"
    assert (Player("Cleo"), "gurka") not in figures.statistics
    assert len(figures.ratings["gurka"].end_times) == 1


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        ("Bob Anna steady steady", {}),
        ("Anna Bob steady steady steady steady", {}),
        ("Anna Bob steady steady", {"ace_rule": "off"}),
    ],
    ids=["another seat", "more seats", "another house rule"],
)
def test_another_table_with_the_same_deal(seats, options):
    put("gurka", "Anna Bob steady steady", id_="a")
    put("gurka", seats, id_="b", ended=1_000_001, **options)
    assert known() == ["b"]


@pytest.mark.parametrize(
    ("game", "seats", "seed"),
    [
        ("gurka", "Cleo Dan steady steady", 7),
        ("gurka", "Anna Bob steady steady", 8),
        ("rikiki", "Anna Bob steady novice", 7),
    ],
    ids=["other players", "another deal", "another game"],
)
def test_deal_that_nobody_at_the_table_knows(game, seats, seed):
    put("gurka", "Anna Bob steady steady", id_="a")
    put(game, seats, id_="b", seed=seed, ended=1_000_001)
    assert known() == []


def test_guests_and_robots_know_no_deals():
    for number, who in enumerate(2 * ["Guest steady expert steady"] + ["steady expert novice steady"]):
        put("gurka", who, id_=f"s{number}", ended=1_000_000 + number)
    of_profiles("t", "Zoe steady expert steady", ended=1_000_004)
    of_profiles("u", "Zoe steady expert steady", ended=1_000_005)
    assert known() == [], "a guest of version 2 has no profile, whatever the name"


def test_order_of_sessions_of_the_same_second():
    put("gurka", "Anna Bob steady steady", id_="b")
    put("gurka", "Anna Bob steady steady", id_="a")
    assert known() == ["b"]


@pytest.mark.parametrize("state", ["open", "given up"])
def test_unfinished_sessions_make_deals_known(state):
    put("gurka", "Anna Bob steady steady", id_="a", rounds=1)
    if state == "open":
        paths.create_folder(paths.sessions_folder())
        (paths.archive_folder() / "a.jsonl").rename(paths.sessions_folder() / "a.jsonl")
    put("gurka", "Anna Bob steady steady", id_="b", ended=1_000_001)
    assert known() == ["b"]
    assert rated() == (["a"] if state == "given up" else [])


def test_players_are_told_apart_by_the_ids_of_their_profiles():
    of_profiles("a", "Anna steady steady steady")
    renamed = of_profiles("b", "Carla steady steady steady", ended=1_000_001)
    assert known() == []
    renamed.unlink()
    head = header("gurka", "Carla steady steady steady", "c")
    seats = (replace(head.seats[0], player=IDS["Anna"]), *head.seats[1:])
    write(replace(head, cardtable=2, seats=seats), [], 1_000_001)
    of_profiles("d", "Bob steady steady steady", ended=1_000_002)
    assert known() == ["c"]


def test_version_1_goes_by_the_nick_that_a_player_had_first(anna):
    put("gurka", "Anna steady steady steady", id_="a")
    profiles.update_profile("Anna", "Carla", "", "")
    head = header("gurka", "Carla steady steady steady", "b")
    seats = (replace(head.seats[0], player=anna.id), *head.seats[1:])
    write(replace(head, cardtable=2, seats=seats), [], 1_000_001)
    assert known() == ["b"]


@pytest.mark.parametrize("whole", [False, True], ids=["by header and end", "read as a whole"])
def test_who_sat_down_later_or_left_knows_the_deal(whole):
    sits = [
        Line(sit=1, name="Anna", player=IDS["Anna"]),
        Line(sit=1, name="Bob", player=IDS["Bob"]),
        Line(sit=1, name="Max", robot="novice"),
    ]
    of_profiles("a", "Cleo steady steady steady", lines=sits)
    of_profiles("b", "Anna steady steady steady", ended=1_000_001)
    of_profiles("c", "Bob steady steady steady", ended=1_000_002)
    for path in paths.archive_folder().glob("?.jsonl") if whole else ():
        assert summaries.summarize_full(path).all_occupants == summaries.summarize_fast(path).all_occupants
    assert known() == ["b", "c"]
    of_profiles("d", "Cleo steady steady steady", seed=9, ended=1_000_003, lines=sits)
    of_profiles("e", "Zoe steady steady steady", seed=9, ended=1_000_004, lines=sits[:1])
    assert known() == ["b", "c", "e"]


def test_a_copy_makes_its_deals_known():
    of_profiles("a", "Bob steady steady steady")
    of_profiles("b", "Anna steady steady steady", ended=1_000_001, origin=Origin("a", 1))
    of_profiles("c", "Anna steady steady steady", ended=1_000_002)
    assert known() == ["c"]


def test_sessions_fetched_from_a_club_have_no_seeds_to_compare():
    for number in range(3):
        of_profiles(f"s{number}", "Anna steady steady steady", seed=0, ended=1_000_000 + number, club="The Club")
    of_profiles("t", "Anna steady steady steady", seed=0, ended=1_000_009)
    assert known() == []


def test_the_first_deal_of_the_day_counts(anna):
    ids = []
    for hour in range(3):
        table = session_setup.create_daily_setup(DAY.date(), "Anna")
        session = sessions.create(table.game, table.seats, table.options, table.seed, now=DAY.replace(hour=hour))
        play(session.referee, Random(hour), 100_000)
        session.close()
        ids.append(session.header.id)
        assert bool(explain_unrated(session)) == (hour > 0)
    assert rated() == ids[:1]
    assert records().statistics[ANNA, table.game.about.key].sessions == 1


def test_the_end_of_a_session_says_why_it_is_not_rated(anna):
    game = GAMES["gurka"]
    new = finished(session_setup.create_default_setup(game, "Anna"))
    assert explain_unrated(new) == ""
    again = finished(session_setup.create_rematch(new, same_deal=True))
    assert explain_unrated(again) == "Not rated: the deal was chosen or played again."
    older = sessions.create(game, new.header.seats, game.options(), new.referee.seed, now=later())
    play(older.referee, Random(2), 100_000)
    older.close()
    assert explain_unrated(older) == "Not rated: you have played this deal before."
    practice = SessionSetup(game, new.header.seats, game.options(open_hands="on"), None, random_seating=False)
    assert explain_unrated(finished(practice)) == "Not rated: all hands were open."


def test_end_at_a_hot_seat_says_that_somebody_knew_the_deal(anna):
    game = GAMES["gurka"]
    new = finished(session_setup.create_default_setup(game, "Anna"))
    seats = (Occupant("Anna"), Occupant("Cleo"), Occupant("Bo", "novice"), Occupant("Di", "novice"))
    two = sessions.create(game, seats, game.options(), new.referee.seed, now=later())
    play(two.referee, Random(2), 100_000)
    two.close()
    assert explain_unrated(two) == "Not rated: somebody here has played this deal before."
