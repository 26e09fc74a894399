"""Known deals: chosen by number, or played in an earlier session; their results are not counted."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.journal import OccupantLine, Origin
from cardtable.games import GAMES
from cardtable.records.ratings import Player
from cardtable.store import archive_index, paths, profiles, session_setup, sessions, summaries
from cardtable.store.session_setup import SessionSetup
from cardtable.wording.archive_rows import explain_unrated, list_properties
from tests.records.archive_sessions import aggregate_records, archive_journal, archive_random_session, make_header
from tests.store.playing import play_randomly

ANNA, BOB = Player("Anna"), Player("Bob")
IDS = {"Anna": "a" * 16, "Bob": "b" * 16}
DAY = datetime(2026, 11, 20, 12, tzinfo=UTC)


def list_rated_ids():
    """Return the ids of the sessions that rankings count."""
    return sorted(each.id for each in archive_index.list_summaries() if each.is_rated)


def list_known_deal_ids():
    """Return the ids of the sessions with known cards."""
    return sorted(each.id for each in archive_index.list_summaries() if each.has_known_cards)


def archive_profile_session(id_, players, *, seed=7, ended=1_000_000, lines=(), game="gurka", **changed):
    """Archive a session of registered profiles that was abandoned before the first deal; return its path."""
    head = make_header(game, players, id_, seed=seed)
    seats = [replace(seat, player=IDS.get(seat.name)) for seat in head.seats]
    return archive_journal(replace(head, seats=tuple(seats), **changed), lines, ended)


def play_to_end(setup, seed=1):
    """Play a session at random to its end and close it."""
    session = setup.begin()
    play_randomly(session.referee, Random(seed), 100_000)
    session.close()
    return session


def get_later_time():
    """Return a time after everything else in the test."""
    return datetime.now(UTC) + timedelta(hours=1)


@pytest.fixture
def anna(home):
    """Registered and signed-in profile of Anna."""
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


def test_chosen_deal_is_listed_but_not_counted():
    archive_random_session("gurka", "Anna Bob steady steady", id_="s", seed=1)
    before = aggregate_records()
    path = archive_journal(replace(make_header("gurka", "Anna Bob steady steady", "t", seed=2), chosen=True), [])
    assert path.exists()
    after = aggregate_records()
    assert (list_known_deal_ids(), list_rated_ids()) == (["t"], ["s"])
    assert after.statistics == before.statistics
    assert after.ratings == before.ratings
    [listed] = [each for each in archive_index.list_summaries() if each.id == "t"]
    assert "known deal" in list_properties(listed)


def test_same_deal_again_counts_once():
    first = archive_random_session("gurka", "Anna Bob steady steady", id_="b", ended=1_000_000)
    archive_random_session("gurka", "Anna Bob steady steady", id_="a", ended=1_000_001)
    archive_random_session("gurka", "Anna Cleo steady steady", id_="c", ended=1_000_002)
    figures = aggregate_records()
    assert (list_rated_ids(), list_known_deal_ids()) == (["b"], ["a", "c"])
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
def test_same_deal_at_a_changed_table_is_known(seats, options):
    archive_random_session("gurka", "Anna Bob steady steady", id_="a")
    archive_random_session("gurka", seats, id_="b", ended=1_000_001, **options)
    assert list_known_deal_ids() == ["b"]


@pytest.mark.parametrize(
    ("game", "seats", "seed"),
    [
        ("gurka", "Cleo Dan steady steady", 7),
        ("gurka", "Anna Bob steady steady", 8),
        ("rikiki", "Anna Bob steady novice", 7),
    ],
    ids=["other players", "another deal", "another game"],
)
def test_unknown_deal_is_not_marked_known(game, seats, seed):
    archive_random_session("gurka", "Anna Bob steady steady", id_="a")
    archive_random_session(game, seats, id_="b", seed=seed, ended=1_000_001)
    assert list_known_deal_ids() == []


def test_guests_and_robots_know_no_deals():
    for number, seat_text in enumerate(2 * ["Guest steady expert steady"] + ["steady expert novice steady"]):
        archive_random_session("gurka", seat_text, id_=f"s{number}", ended=1_000_000 + number)
    archive_profile_session("t", "Zoe steady expert steady", ended=1_000_004)
    archive_profile_session("u", "Zoe steady expert steady", ended=1_000_005)
    assert list_known_deal_ids() == [], "a guest has no profile, whatever the name"


@pytest.mark.parametrize("state", ["open", "given up"])
def test_unfinished_sessions_make_deals_known(state):
    archive_random_session("gurka", "Anna Bob steady steady", id_="a", rounds=1)
    if state == "open":
        paths.create_folder(paths.sessions_folder())
        (paths.archive_folder() / "a.jsonl").rename(paths.sessions_folder() / "a.jsonl")
    archive_random_session("gurka", "Anna Bob steady steady", id_="b", ended=1_000_001)
    assert list_known_deal_ids() == ["b"]
    assert list_rated_ids() == (["a"] if state == "given up" else [])


def test_players_are_distinguished_by_profile_id():
    archive_profile_session("a", "Anna steady steady steady")
    renamed = archive_profile_session("b", "Carla steady steady steady", ended=1_000_001)
    assert list_known_deal_ids() == []
    renamed.unlink()
    head = make_header("gurka", "Carla steady steady steady", "c")
    seats = (replace(head.seats[0], player=IDS["Anna"]), *head.seats[1:])
    archive_journal(replace(head, seats=seats), [], 1_000_001)
    archive_profile_session("d", "Bob steady steady steady", ended=1_000_002)
    assert list_known_deal_ids() == ["c"]


@pytest.mark.parametrize("whole", [False, True], ids=["by header and end", "read as a whole"])
def test_replaced_and_new_occupants_know_the_deal(whole):
    sits = [
        OccupantLine(1, "Anna", player=IDS["Anna"]),
        OccupantLine(1, "Bob", player=IDS["Bob"]),
        OccupantLine(1, "Max", robot="novice"),
    ]
    archive_profile_session("a", "Cleo steady steady steady", lines=sits)
    archive_profile_session("b", "Anna steady steady steady", ended=1_000_001)
    archive_profile_session("c", "Bob steady steady steady", ended=1_000_002)
    for path in paths.archive_folder().glob("?.jsonl") if whole else ():
        assert summaries.summarize_full(path).all_occupants == summaries.summarize_fast(path).all_occupants
    assert list_known_deal_ids() == ["b", "c"]
    archive_profile_session("d", "Cleo steady steady steady", seed=9, ended=1_000_003, lines=sits)
    archive_profile_session("e", "Zoe steady steady steady", seed=9, ended=1_000_004, lines=sits[:1])
    assert list_known_deal_ids() == ["b", "c", "e"]


def test_copied_session_makes_its_deals_known():
    archive_profile_session("a", "Bob steady steady steady")
    archive_profile_session("b", "Anna steady steady steady", ended=1_000_001, origin=Origin("a", 1))
    archive_profile_session("c", "Anna steady steady steady", ended=1_000_002)
    assert list_known_deal_ids() == ["c"]


def test_sessions_imported_from_a_club_are_not_compared():
    for number in range(3):
        archive_profile_session(
            f"s{number}", "Anna steady steady steady", seed=0, ended=1_000_000 + number, club="The Club"
        )
    archive_profile_session("t", "Anna steady steady steady", seed=0, ended=1_000_009)
    assert list_known_deal_ids() == []


def test_only_first_deal_of_the_day_counts(anna):
    ids = []
    for hour in range(3):
        table = session_setup.create_daily_setup(DAY.date(), "Anna")
        session = sessions.create(table.game, table.seats, table.options, table.seed, now=DAY.replace(hour=hour))
        play_randomly(session.referee, Random(hour), 100_000)
        session.close()
        ids.append(session.header.id)
        assert bool(explain_unrated(session)) == (hour > 0)
    assert list_rated_ids() == ids[:1]
    assert aggregate_records().statistics[ANNA, table.game.about.key].sessions == 1


def test_reason_for_an_unrated_session(anna):
    game = GAMES["gurka"]
    new = play_to_end(session_setup.create_default_setup(game, "Anna"))
    assert explain_unrated(new) is None
    again = play_to_end(session_setup.create_rematch(new, same_deal=True))
    assert explain_unrated(again) == "Not rated: the deal was chosen by number or played again."
    older = sessions.create(game, new.header.seats, game.options(), new.referee.seed, now=get_later_time())
    play_randomly(older.referee, Random(2), 100_000)
    older.close()
    assert explain_unrated(older) == "Not rated: you have played this deal before."
    practice = SessionSetup(game, new.header.seats, game.options(open_hands="on"), None, random_seating=False)
    assert explain_unrated(play_to_end(practice)) == "Not rated: all hands were open."
