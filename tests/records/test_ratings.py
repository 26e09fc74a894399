"""Ratings, checked against a direct implementation of the rating model."""

from math import exp, sqrt

import pytest
from msgspec.structs import replace

from cardtable.engine.journal import Occupant
from cardtable.records.ratings import (
    BETA,
    MU,
    SIGMA,
    TAU,
    KnownPlayers,
    Player,
    Rating,
    Ratings,
    compute_ratings,
)
from cardtable.store import profiles
from cardtable.store.profiles import Profile, ProfileStore
from tests.records.archive_sessions import make_summary

ANNA, BOB, EXPERT, STEADY = Player("Anna"), Player("Bob"), Player("expert", True), Player("steady", True)


def rate_sessions(*sessions):
    return rate_with_profiles(profiles.load()[0], *sessions)


def get_means(ratings):
    return {player: rating.mu for player, rating in ratings.players.items()}


def compute_expected_means(mu, sigma, ranks):
    """Return the expected means after a session: algorithm 4 of Weng and Lin, for teams of one."""
    sigma2 = [s * s + TAU * TAU for s in sigma]
    c = sqrt(sum(s + BETA * BETA for s in sigma2))
    strength = [exp(m / c) for m in mu]
    after = []
    for i, own in enumerate(ranks):
        omega = 0.0
        for q, rank in enumerate(ranks):
            if rank <= own:
                others = sum(strength[s] for s, other in enumerate(ranks) if other >= rank)
                omega += ((i == q) - strength[i] / others) / ranks.count(rank)
        after.append(mu[i] + sigma2[i] / c * omega)
    return after


def test_rating_constants():
    assert (MU, SIGMA, BETA) == (1000, 333, 167)


@pytest.mark.parametrize(
    ("ranks", "sides", "expected"),
    [
        (
            (1, 2, 1, 2),
            ((0, 2), (1, 3)),
            [(1166.154863, 318.043963), (1185.000964, 99.941126), (959.946204, 196.830471), (1096.237756, 50.096621)],
        ),
        (
            (2, 1, 2, 4),
            ((0,), (1,), (2,), (3,)),
            [(989.106114, 315.782161), (1212.879665, 99.979235), (903.375457, 198.086775), (1096.804188, 50.101448)],
        ),
    ],
    ids=["partners", "two share the second place"],
)
def test_ratings_are_those_of_openskill(ranks, sides, expected):
    """Values of OpenSkill 6.2.0."""
    before = [Rating(1000, 333), Rating(1200, 100), Rating(900, 200), Rating(1100, 50)]
    after = compute_ratings(before, ranks, sides)
    assert [value for seat in after for value in seat] == pytest.approx([value for seat in expected for value in seat])


def test_winner_gains_the_loss_of_the_other_player():
    after = get_means(rate_sessions(make_summary("Anna Bob", [1, 2])))
    assert [after[ANNA], after[BOB]] == pytest.approx(compute_expected_means([MU, MU], [SIGMA, SIGMA], [1, 2]))
    assert after[ANNA] == pytest.approx(1105.25, abs=0.01)
    assert after[ANNA] - MU == pytest.approx(MU - after[BOB])


def test_second_session_starts_from_updated_ratings():
    first = rate_sessions(make_summary("Anna Bob Cleo", [1, 2, 3]))
    mu = [rating.mu for rating in first.players.values()]
    sigma = [rating.sigma for rating in first.players.values()]
    both = rate_sessions(make_summary("Anna Bob Cleo", [1, 2, 3]), make_summary("Anna Bob Cleo", [3, 1, 2]))
    assert list(get_means(both).values()) == pytest.approx(compute_expected_means(mu, sigma, [3, 1, 2]))
    assert all(rating.sigma < SIGMA for rating in both.players.values())
    assert list(both.players[ANNA].mu_history) == pytest.approx([mu[0], both.players[ANNA].mu])


def test_shared_places_are_a_draw():
    after = get_means(rate_sessions(make_summary("Anna Bob Cleo", [1, 1, 3])))
    assert after[ANNA] == after[BOB] > after[Player("Cleo")]
    assert list(after.values()) == pytest.approx(compute_expected_means([MU] * 3, [SIGMA] * 3, [1, 1, 3]))
    assert set(get_means(rate_sessions(make_summary("Anna Bob", [1, 1]))).values()) == {MU}


def test_robots_of_one_level_share_their_mean_change():
    after = get_means(rate_sessions(make_summary("Anna steady steady expert", [2, 1, 4, 3])))
    anna, first, second, expert = compute_expected_means([MU] * 4, [SIGMA] * 4, [2, 1, 4, 3])
    assert after == pytest.approx({ANNA: anna, STEADY: (first + second) / 2, EXPERT: expert})


def test_counts_of_sessions_seats_and_wins():
    ratings = rate_sessions(
        make_summary("Anna steady steady", [2, 1, 3]), make_summary("Anna steady expert", [1, 1, 3])
    )
    steady, anna = ratings.players[STEADY], ratings.players[ANNA]
    assert (steady.sessions, steady.seats, steady.won) == (2, 3, 2)
    assert (anna.sessions, anna.seats, anna.won) == (2, 2, 1)
    assert list(steady.session_indices) == [0, 1]


def test_guest_is_rated_as_new_and_not_stored():
    twice = [make_summary("Anna Guest", [1, 2])] * 2
    after = rate_sessions(*twice)
    assert set(after.players) == {ANNA}
    first = compute_expected_means([MU, MU], [SIGMA, SIGMA], [1, 2])[0]
    once = rate_sessions(twice[0])
    assert get_means(once)[ANNA] == pytest.approx(first)
    second = compute_expected_means([first, MU], [once.players[ANNA].sigma, SIGMA], [1, 2])[0]
    assert get_means(after)[ANNA] == pytest.approx(second)


def test_abandoned_session_ranks_people_last():
    means = get_means(rate_sessions(make_summary("Anna steady expert Bob")))
    assert means == get_means(rate_sessions(make_summary("Anna steady expert Bob", [3, 1, 1, 3])))
    assert means[ANNA] == means[BOB] < MU < means[STEADY] == means[EXPERT]


def test_abandoned_session_of_people_has_no_winner():
    summary = make_summary("Anna Bob Cleo")
    assert summary.places == (3, 3, 3)
    assert [rating.won for rating in rate_sessions(summary).players.values()] == [0, 0, 0]


@pytest.mark.parametrize(
    "make_uncounted",
    [
        lambda: make_summary("Anna Bob", [1, 2], undone=1),
        lambda: make_summary("Anna Bob", [1, 2], coached=True),
        lambda: make_summary("Anna Bob", [1, 2], copied=True),
        lambda: make_summary("Anna Bob", [1, 2], open_hands="on"),
        lambda: make_summary("Anna Bob", undone=2),
        lambda: make_summary("steady steady", [1, 2]),
        lambda: make_summary("steady expert"),
    ],
    ids=["taken back", "coached", "copied", "open hands", "taken back, given up", "one level", "robots, given up"],
)  # fmt: skip
def test_unrated_sessions_change_nothing(make_uncounted):
    ratings = rate_sessions(make_uncounted())
    assert ratings.players == {}
    assert len(ratings.end_times) == 0


def test_person_named_like_a_robot_level():
    ratings = rate_sessions(make_summary("Anna expert", [2, 1]))
    assert Player("expert") not in ratings.players


# Who is who


def make_summary_of(*seats, ranks, id_="s", left=()):
    each = make_summary(" ".join(occupant.robot or occupant.name for occupant in seats), ranks, id_=id_)
    return replace(each, header=replace(each.header, seats=seats), replaced_occupants=left)


def rate_with_profiles(store, *sessions):
    ratings, known = Ratings(), KnownPlayers(store)
    for each in sessions:
        ratings.add(each, known.find_players(each))
    return ratings


ID, OTHER = "0" * 16, "1" * 16
BO = Occupant("Bo", "expert")


def test_player_is_matched_by_id_after_nick_change():
    store = ProfileStore(players=(Profile("Anne", id=ID, first_nick="Anna"),))
    new = make_summary_of(Occupant("Anna", player=ID), BO, ranks=[1, 2])
    newest = make_summary_of(Occupant("Anne", player=ID), BO, ranks=[2, 1])
    ratings = rate_with_profiles(store, new, newest)
    assert set(ratings.players) == {Player("Anne"), EXPERT}
    assert (ratings.players[Player("Anne")].sessions, ratings.players[Player("Anne")].won) == (2, 1)


def test_reused_nick_is_a_different_player():
    store = ProfileStore(players=(Profile("Anne", id=ID, first_nick="Anna"), Profile("Anna", id=OTHER)))
    ratings = rate_with_profiles(
        store,
        make_summary_of(Occupant("Anna", player=ID), BO, ranks=[1, 2]),
        make_summary_of(Occupant("Anna", player=OTHER), BO, ranks=[2, 1]),
    )
    assert {player: rating.won for player, rating in ratings.players.items() if not player.robot} == {
        Player("Anne"): 1,
        Player("Anna"): 0,
    }


def test_sessions_of_a_removed_profile_stay_together():
    store = ProfileStore(players=(Profile("Anna", id=OTHER),))
    ratings = rate_with_profiles(
        store,
        make_summary_of(Occupant("Anna", player=ID), BO, ranks=[1, 2]),
        make_summary_of(Occupant("Anne", player=ID), BO, ranks=[1, 2]),
    )
    assert ratings.players[Player("Anna", stranger=ID)].sessions == 2
    assert ANNA not in ratings.players


def test_seat_without_profile_is_a_guest():
    guests = make_summary_of(Occupant("Anna"), Occupant("Guest"), BO, ranks=[1, 2, 3])
    assert KnownPlayers(ProfileStore()).find_players(guests) == [
        Player("Anna", stranger="Guest"),
        Player("Guest"),
        EXPERT,
    ]
    assert set(rate_with_profiles(ProfileStore(), guests).players) == {EXPERT}
    assert set(rate_with_profiles(ProfileStore(), make_summary("Guest expert", [1, 2])).players) == {EXPERT}


def test_changed_seat_is_rated_as_a_guest():
    store = ProfileStore(players=(Profile("Anna", id=ID), Profile("Bob", id=OTHER)))
    anna, bob, max_ = Occupant("Anna", player=ID), Occupant("Bob", player=OTHER), Occupant("Max")
    changed = make_summary_of(anna, max_, BO, ranks=[1, 2, 3], left=((1, bob),))
    ratings = rate_with_profiles(store, changed)
    assert set(ratings.players) == {ANNA, EXPERT}
    assert get_means(ratings) == get_means(
        rate_with_profiles(store, make_summary_of(anna, Occupant("Guest"), BO, ranks=[1, 2, 3]))
    )
