"""Seats and current profiles: after changes of nick and removal of profiles."""

from datetime import date
from random import Random

import pytest

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.records.archive import filter_rows
from cardtable.store import passwords, profiles, session_setup, summaries, unfinished_tables
from cardtable.store.profiles import find_seats, map_current_nicks, map_profile_nicks
from cardtable.store.session_setup import SessionSetup
from cardtable.wording import archive_rows
from tests.store.playing import play_randomly


@pytest.fixture(autouse=True)
def registered_players(monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    profiles.register("Anna", password="sesame77", again="sesame77")
    profiles.register("Tom")


def create_session(*names):
    """Create a session of these people and of robots, play some decisions and close it."""
    robots = [Occupant(name, "random") for name in ("Ada", "Bo", "Cy")]
    seats = (*map(Occupant, names), *robots)[:4]
    session = SessionSetup(GAMES["rikiki"], seats, GAMES["rikiki"].options(), 7, random_seating=False).begin()
    play_randomly(session.referee, Random(1), 3)
    session.close()
    return session


def load_profiles():
    return profiles.load()[0]


def test_session_follows_nick_change_by_profile_id():
    session = create_session("Anna", "Tom")
    profiles.update_profile("Anna", "Berta", "", "")
    header = summaries.summarize(session.path).header
    assert [occupant.name for occupant in header.seats] == ["Anna", "Tom", "Ada", "Bo"]
    assert map_current_nicks(load_profiles(), header) == map_profile_nicks(header) == {0: "Berta", 1: "Tom"}
    assert find_seats(load_profiles(), "Berta", header) == [0]
    assert find_seats(load_profiles(), "Anna", header) == []
    profiles.register("Anna")
    assert find_seats(load_profiles(), "Anna", header) == [], "somebody else has the nick now"
    assert map_profile_nicks(header) == {0: "Berta", 1: "Tom"}


def test_seat_of_removed_profile_belongs_to_no_player():
    session = create_session("Anna", "Tom")
    profiles.remove("Anna", "sesame77")
    header = summaries.summarize(session.path).header
    assert map_profile_nicks(header) == {1: "Tom"}
    assert map_current_nicks(load_profiles(), header) == {0: "Anna", 1: "Tom"}
    profiles.register("Anna")
    assert map_profile_nicks(header) == {1: "Tom"}
    assert find_seats(load_profiles(), "Anna", header) == []


def test_rematch_does_not_seat_a_player_renamed_to_the_name_of_a_guest_twice():
    session = create_session("Anna", "Zoe")
    anna = session.header.seats[0].player
    profiles.update_profile("Anna", "Zoe", "", "")
    again = session_setup.create_rematch(session, same_deal=True).begin()
    again.close()
    assert again.header.seats[:2] == (Occupant("Zoe", player=anna), Occupant("Zoe"))


def test_password_is_required_after_nick_change(monkeypatch):
    session = create_session("Anna", "Tom")
    profiles.update_profile("Anna", "Berta", "", "")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    assert unfinished_tables.list_nicks_allowed_to_abandon(summaries.summarize(session.path)) == ["Berta"]


def test_daily_deal_follows_nick_change():
    day = date(2026, 11, 20)
    session = session_setup.create_daily_setup(day, "Anna").begin()
    session.close()
    named = session.path.with_name(f"20261120-120000-{session.header.game}-7f3a.jsonl")
    session.path.rename(named)
    profiles.update_profile("Anna", "Berta", "", "")
    assert session_setup.find_daily_session(day, "Berta").path == named
    assert session_setup.find_daily_session(day, "Anna") is None


def test_archive_row_is_found_by_old_and_current_nick():
    session = create_session("Anna", "Tom")
    profiles.update_profile("Anna", "Berta", "", "")
    row = archive_rows.create_row(summaries.summarize(session.path), "Berta", load_profiles())
    assert (row.people, row.seat) == (("Berta", "Tom"), 0)
    assert "anna" in row.search_text
    assert "berta" in row.search_text
    [seen] = filter_rows([row], "", {"player": "Berta"}, date(2026, 11, 20))
    assert seen.seat == 0
    assert filter_rows([row], "", {"player": "Anna"}, date(2026, 11, 20)) == []
